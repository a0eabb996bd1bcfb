//! From samples to rows: the evidence of each word and n-gram for each class.

use crate::evidence::feature::{self, LONGEST};
use crate::evidence::sample::ClassSample;
use crate::evidence::{
    BASE, GRAM_FLOOR, GRAM_WEIGHT, KNOWN_SHARE, RARE, SAME_LEAD, SHARE_WITHOUT_WORDS, UNKNOWN_HAN,
    UNKNOWN_WORDS, WORD_FLOOR,
};
use crate::ngram::BLANK;
use crate::script::Script;
use foldhash::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

/// How much is kept.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceLimits {
    /// Words and n-grams that are rarer than this in every class are left out (logarithms of
    /// probabilities).
    pub least_word: f64,
    /// The same for n-grams.
    pub least_gram: f64,
    /// Classes that a row of a word keeps, and that of an n-gram.
    pub word_classes: usize,
    /// The same for n-grams.
    pub gram_classes: usize,
    /// Evidence less than this part of the row's greatest is left out of a word's row.
    pub least_share: f64,
    /// Buckets of the table; as many as are needed where there is no number.
    pub buckets: Option<usize>,
}

/// Evidence of a word or n-gram for the classes, greatest first; `base` was taken from all.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) key: u64,
    /// Logarithm of the greatest probability: what is frequent is placed first.
    pub(crate) frequency: f32,
    pub(crate) base: f32,
    pub(crate) classes: Vec<(u16, f32)>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Posting {
    pub(crate) key: u64,
    pub(crate) class: u16,
    pub(crate) log: f32,
    /// Which word of the sample.
    index: u32,
}

pub(crate) fn rows(samples: &[ClassSample], limits: &EvidenceLimits) -> Vec<Row> {
    let spelt: Vec<Vec<Vec<u32>>> = samples
        .iter()
        .map(|s| s.words.iter().map(|(word, _)| spell(word)).collect())
        .collect();
    let grams = grouped(parallel(samples.len(), |class| {
        grams_of(class as u16, &samples[class], &spelt[class])
    }));
    let kept: Vec<&[Posting]> = grams
        .chunk_by(|a, b| a.key == b.key)
        .filter(|group| f64::from(group[0].log) >= limits.least_gram)
        .collect();
    let mut rows: Vec<Row> = kept
        .into_iter()
        .map(|group| gram_row(group, limits))
        .collect();
    let places = rows.iter().enumerate().map(|(at, row)| (row.key, at));
    let index: HashMap<u64, usize> = places.collect();
    let words = grouped(parallel(samples.len(), |class| {
        words_of(class as u16, &samples[class], &spelt[class])
    }));
    let groups: Vec<&[Posting]> = words
        .chunk_by(|a, b| a.key == b.key)
        .filter(|group| f64::from(group[0].log) >= limits.least_word)
        .collect();
    let lacks_words: Vec<bool> = samples
        .iter()
        .map(|sample| sample.words.is_empty())
        .collect();
    const CHUNK: usize = 1 << 14;
    let chunks: Vec<&[&[Posting]]> = groups.chunks(CHUNK).collect();
    let made = parallel(chunks.len(), |at| {
        let row = |group: &&[Posting]| {
            let letters = &spelt[usize::from(group[0].class)][group[0].index as usize];
            word_row(
                group,
                gram_evidence(letters, &rows, &index),
                &lacks_words,
                limits,
            )
        };
        chunks[at].iter().filter_map(row).collect()
    });
    rows.extend(made.into_iter().flatten());
    rows
}

/// The characters of a word between blanks.
pub(crate) fn spell(word: &str) -> Vec<u32> {
    std::iter::once(BLANK)
        .chain(word.chars().map(u32::from))
        .chain([BLANK])
        .collect()
}

/// Results of `work` for 0, 1, … `number` - 1, on all cores.
fn parallel<T: Send>(number: usize, work: impl Fn(usize) -> Vec<T> + Sync) -> Vec<Vec<T>> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(number.max(1));
    let mine = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        numbers
            .take_while(|at| *at < number)
            .map(|at| (at, work(at)))
            .collect::<Vec<_>>()
    };
    let mut done: Vec<(usize, Vec<T>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(mine)).collect();
        let results = workers.into_iter().map(ScopedJoinHandle::join);
        results
            .flat_map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

/// All postings, those of a key together, the most probable class first.
fn grouped(parts: Vec<Vec<Posting>>) -> Vec<Posting> {
    let mut all: Vec<Posting> = parts.into_iter().flatten().collect();
    all.sort_unstable_by(|a, b| {
        a.key
            .cmp(&b.key)
            .then(b.log.total_cmp(&a.log))
            .then(a.class.cmp(&b.class))
    });
    all
}

/// Logarithm of the part of a sample with [`UNKNOWN_WORDS`] that is known.
fn trust(sample: &ClassSample) -> f64 {
    let known = sample.sample_tokens as f64;
    let unknown = if sample.script == Script::HAN {
        UNKNOWN_HAN
    } else {
        UNKNOWN_WORDS
    };
    libm::log(known / (known + unknown))
}

fn words_of(class: u16, sample: &ClassSample, spelt: &[Vec<u32>]) -> Vec<Posting> {
    let trust = trust(sample);
    let posting =
        |((index, (_, probability)), letters): ((u32, &(String, f64)), &Vec<u32>)| Posting {
            key: feature::word(&letters[1..letters.len() - 1]),
            class,
            log: (libm::log(*probability) + trust) as f32,
            index,
        };
    (0..).zip(&sample.words).zip(spelt).map(posting).collect()
}

/// Probabilities of the class's n-grams among those of the same length.
fn grams_of(class: u16, sample: &ClassSample, spelt: &[Vec<u32>]) -> Vec<Posting> {
    let mut postings = Vec::new();
    let trust = trust(sample);
    for length in 1..=LONGEST {
        let mut counts: HashMap<u64, f64> = HashMap::default();
        let mut total = 0.0;
        for ((_, probability), word) in sample.words.iter().zip(spelt) {
            let mut count = |gram: &[u32]| {
                total += probability;
                if gram.iter().any(|c| *c != BLANK) {
                    *counts.entry(feature::gram(gram)).or_default() += probability;
                }
            };
            let whole = length == feature::longest(word);
            if word.len() > length {
                word.windows(length).for_each(count);
            } else if whole || word.len() == length {
                count(word);
            }
        }
        for (gram, probability) in &sample.grams {
            let gram: Vec<u32> = gram
                .chars()
                .map(|c| if c == '_' { BLANK } else { u32::from(c) })
                .collect();
            if gram.len() == length {
                total += probability;
                *counts.entry(feature::gram(&gram)).or_default() += probability;
            }
        }
        let posting = |(key, count): (u64, f64)| Posting {
            key,
            class,
            log: (libm::log(count / total) + trust) as f32,
            index: 0,
        };
        postings.extend(
            counts
                .into_iter()
                .map(posting)
                .filter(|p| f64::from(p.log) > GRAM_FLOOR),
        );
    }
    postings
}

fn gram_row(group: &[Posting], limits: &EvidenceLimits) -> Row {
    let evidence = |posting: &Posting| (f64::from(posting.log) - GRAM_FLOOR) * GRAM_WEIGHT;
    let base = group.get(limits.gram_classes).map_or(0.0, evidence) * BASE;
    let classes = group
        .iter()
        .take(limits.gram_classes)
        .map(|p| (p.class, (evidence(p) - base) as f32));
    Row {
        key: group[0].key,
        frequency: group[0].log,
        base: base as f32,
        classes: classes.filter(|c| c.1 > 0.0).collect(),
    }
}

fn gram_evidence(letters: &[u32], rows: &[Row], index: &HashMap<u64, usize>) -> Vec<(u16, f32)> {
    let mut all: Vec<(u16, f32)> = Vec::new();
    for gram in feature::grams(letters, 1) {
        let known = gram
            .clone()
            .find_map(|start| index.get(&feature::gram(&letters[start..gram.end])));
        all.extend(known.into_iter().flat_map(|at| &rows[*at].classes));
    }
    sum(all)
}

/// Each class once.
fn sum(mut all: Vec<(u16, f32)>) -> Vec<(u16, f32)> {
    all.sort_by_key(|(class, _)| *class);
    all.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
    all
}

fn word_row(
    group: &[Posting],
    mut all: Vec<(u16, f32)>,
    lacks_words: &[bool],
    limits: &EvidenceLimits,
) -> Option<Row> {
    let by_grams = lead(&all);
    for (class, evidence) in &mut all {
        *evidence *= if lacks_words[usize::from(*class)] {
            SHARE_WITHOUT_WORDS as f32
        } else {
            KNOWN_SHARE as f32
        };
    }
    all.extend(
        group
            .iter()
            .map(|p| (p.class, p.log - WORD_FLOOR as f32))
            .filter(|c| c.1 > 0.0),
    );
    let mut classes = sum(all);
    classes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let base = classes
        .get(limits.word_classes)
        .map_or(0.0, |class| class.1 * BASE as f32);
    classes.truncate(limits.word_classes);
    let least = classes
        .first()
        .map_or(0.0, |class| (class.1 - base) * limits.least_share as f32);
    classes.iter_mut().for_each(|class| class.1 -= base);
    let word_lead = lead(&classes);
    classes.retain(|class| class.1 > least);
    let says_the_same = by_grams.0 == word_lead.0 && by_grams.1 >= SAME_LEAD as f32 * word_lead.1;
    // Words are left out only to save room.
    if limits.buckets.is_some() && says_the_same && group[0].log < RARE as f32 {
        return None;
    }
    Some(Row {
        key: group[0].key,
        frequency: group[0].log,
        base,
        classes,
    })
}

/// The class with the most evidence, and how far ahead it is.
fn lead(all: &[(u16, f32)]) -> (Option<u16>, f32) {
    let (mut first, mut class, mut second) = (0.0, None, 0.0);
    for (this, evidence) in all {
        if *evidence > first {
            (second, first, class) = (first, *evidence, Some(*this));
        } else if *evidence > second {
            second = *evidence;
        }
    }
    (class, first - second)
}
