//! Training: computes the evidence of each word and n-gram for each class from samples.

use crate::evidence::feature::{self, MAX_NGRAM_LENGTH};
use crate::evidence::sample::ClassSample;
use crate::evidence::{
    BASE_SHARE, NGRAM_FLOOR, NGRAM_SHARE_OF_KNOWN_WORD, NGRAM_SHARE_WITHOUT_WORDS, NGRAM_WEIGHT,
    PRIOR_WEIGHT, REDUNDANT_LEAD_SHARE, REDUNDANT_WORD_LOG_PROBABILITY, UNKNOWN_WORDS,
    UNKNOWN_WORDS_HAN, WORD_FLOOR,
};
use crate::ngram::BLANK;
use crate::script::Script;
use foldhash::HashMap;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;

/// Limits on the size of the evidence table.
#[derive(Debug, Clone, Copy)]
pub struct EvidenceLimits {
    /// Minimum log probability, in at least one class, of a word that is kept.
    pub min_word_log_probability: f64,
    /// Minimum log probability, in at least one class, of an n-gram that is kept.
    pub min_ngram_log_probability: f64,
    /// Maximum number of classes per word.
    pub classes_per_word: usize,
    /// Maximum number of classes per n-gram.
    pub classes_per_ngram: usize,
    /// Minimum share of the greatest evidence of a word for a class that is kept in the word's row.
    pub min_evidence_share: f64,
    /// Buckets of the table; `None` for as many as needed.
    pub buckets: Option<usize>,
}

/// Log of the greatest probability of a word from which its row is long: "in", "de" and "a" are
/// words of more languages than a row of the usual length has.
const FREQUENT_WORD_LOG_PROBABILITY: f32 = -7.0;

/// Maximum number of classes of such a word: as many as a row in four buckets has, with its base.
const CLASSES_PER_FREQUENT_WORD: usize = 59;

/// A class with its evidence.
type ClassScore = (u16, f32);

/// The evidence of a word or n-gram for the classes that have it.
#[derive(Debug, Clone)]
pub(crate) struct FeatureRow {
    pub(crate) key: u64,
    /// Log of the greatest probability in any class; frequent features are stored first.
    pub(crate) log_probability: f32,
    /// Evidence that was subtracted from all classes.
    pub(crate) base: f32,
    /// The classes with their evidence less `base`, greatest first.
    pub(crate) classes: Vec<ClassScore>,
}

/// The log probability of a word or n-gram in one class.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FeatureProbability {
    pub(crate) key: u64,
    pub(crate) class: u16,
    pub(crate) log: f32,
    /// Index of the word in the sample; 0 for n-grams.
    index: u32,
}

/// Computes the rows of all words and n-grams of the samples.
pub(crate) fn build_rows(samples: &[ClassSample], limits: &EvidenceLimits) -> Vec<FeatureRow> {
    /// Words per unit of parallel work.
    const CHUNK_WORDS: usize = 1 << 14;
    let pad = |s: &ClassSample| s.words.iter().map(|(word, _)| pad_word(word)).collect();
    let padded: Vec<Vec<Vec<u32>>> = samples.iter().map(pad).collect();
    let ngrams = sort_by_feature(run_in_parallel(samples.len(), |class| {
        ngram_probabilities(class as u16, &samples[class], &padded[class])
    }));
    let mut rows: Vec<FeatureRow> = ngrams
        .chunk_by(|a, b| a.key == b.key)
        .filter(|group| f64::from(group[0].log) >= limits.min_ngram_log_probability)
        .map(|group| ngram_row(group, limits))
        .collect();
    let index: HashMap<u64, usize> = rows.iter().map(|row| row.key).zip(0..).collect();
    let words = sort_by_feature(run_in_parallel(samples.len(), |class| {
        word_probabilities(class as u16, &samples[class], &padded[class])
    }));
    let groups: Vec<&[FeatureProbability]> = words
        .chunk_by(|a, b| a.key == b.key)
        .filter(|group| f64::from(group[0].log) >= limits.min_word_log_probability)
        .collect();
    let chunks: Vec<&[&[FeatureProbability]]> = groups.chunks(CHUNK_WORDS).collect();
    let word_rows = run_in_parallel(chunks.len(), |chunk| {
        let row = |group: &&[FeatureProbability]| {
            let letters = &padded[usize::from(group[0].class)][group[0].index as usize];
            let evidence = ngram_evidence(letters, &rows, &index);
            word_row(group, evidence, samples, limits)
        };
        chunks[chunk].iter().filter_map(row).collect()
    });
    rows.extend(word_rows.into_iter().flatten());
    rows
}

/// Returns the characters of a word between blanks.
pub(crate) fn pad_word(word: &str) -> Vec<u32> {
    let letters = word.chars().map(u32::from);
    [BLANK].into_iter().chain(letters).chain([BLANK]).collect()
}

/// Returns the results of `work` for 0, 1, … `number` - 1, computed on all cores.
fn run_in_parallel<T: Send>(number: usize, work: impl Fn(usize) -> Vec<T> + Sync) -> Vec<Vec<T>> {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.min(number.max(1));
    let run_worker = || {
        let indices = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        let indices = indices.take_while(|index| *index < number);
        indices
            .map(|index| (index, work(index)))
            .collect::<Vec<_>>()
    };
    let mut results: Vec<(usize, Vec<T>)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run_worker)).collect();
        let results = workers.into_iter().map(ScopedJoinHandle::join);
        let results = results.map(|result| result.unwrap_or_else(|panic| resume_unwind(panic)));
        results.flatten().collect()
    });
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Concatenates the probabilities and sorts them by feature, the most probable class first.
fn sort_by_feature(parts: Vec<Vec<FeatureProbability>>) -> Vec<FeatureProbability> {
    let mut all: Vec<FeatureProbability> = parts.into_iter().flatten().collect();
    all.sort_unstable_by(|a, b| {
        a.key
            .cmp(&b.key)
            .then(b.log.total_cmp(&a.log))
            .then(a.class.cmp(&b.class))
    });
    all
}

/// Returns the log of the share of known words after [`UNKNOWN_WORDS`] are added to the sample.
fn log_known_share(sample: &ClassSample) -> f64 {
    let known = sample.sample_tokens as f64;
    let unknown = match sample.script == Script::HAN {
        true => UNKNOWN_WORDS_HAN,
        false => UNKNOWN_WORDS,
    };
    libm::log(known / (known + unknown))
}

fn word_probabilities(
    class: u16,
    sample: &ClassSample,
    padded: &[Vec<u32>],
) -> Vec<FeatureProbability> {
    let log_known_share = log_known_share(sample);
    (0..)
        .zip(&sample.words)
        .zip(padded)
        .map(|((index, (_, probability)), letters)| FeatureProbability {
            key: feature::word_key(&letters[1..letters.len() - 1]),
            class,
            log: (libm::log(*probability) + log_known_share) as f32,
            index,
        })
        .collect()
}

/// Returns the probabilities of the class's n-grams among those of the same length.
fn ngram_probabilities(
    class: u16,
    sample: &ClassSample,
    padded: &[Vec<u32>],
) -> Vec<FeatureProbability> {
    let mut probabilities = Vec::new();
    let log_known_share = log_known_share(sample);
    for length in 1..=MAX_NGRAM_LENGTH {
        let mut counts: HashMap<u64, f64> = HashMap::default();
        let mut total = 0.0;
        for ((_, probability), word) in sample.words.iter().zip(padded) {
            let mut count = |ngram: &[u32]| {
                total += probability;
                if ngram.iter().any(|c| *c != BLANK) {
                    *counts.entry(feature::ngram_key(ngram)).or_default() += probability;
                }
            };
            let is_longest = length == feature::max_ngram_length(word);
            if word.len() > length {
                word.windows(length).for_each(count);
            } else if is_longest || word.len() == length {
                count(word);
            }
        }
        for (ngram, probability) in &sample.ngrams {
            let to_letter = |c| if c == '_' { BLANK } else { u32::from(c) };
            let ngram: Vec<u32> = ngram.chars().map(to_letter).collect();
            if ngram.len() == length {
                total += probability;
                *counts.entry(feature::ngram_key(&ngram)).or_default() += probability;
            }
        }
        let to_probability = |(key, count): (u64, f64)| FeatureProbability {
            key,
            class,
            log: (libm::log(count / total) + log_known_share) as f32,
            index: 0,
        };
        let all = counts.into_iter().map(to_probability);
        probabilities.extend(all.filter(|p| f64::from(p.log) > NGRAM_FLOOR));
    }
    probabilities
}

/// Computes the row of an n-gram from its probabilities, greatest first.
fn ngram_row(group: &[FeatureProbability], limits: &EvidenceLimits) -> FeatureRow {
    let evidence = |probability: &FeatureProbability| {
        (f64::from(probability.log) - NGRAM_FLOOR) * NGRAM_WEIGHT
    };
    let base = group.get(limits.classes_per_ngram).map_or(0.0, evidence) * BASE_SHARE;
    let classes = group
        .iter()
        .take(limits.classes_per_ngram)
        .map(|p| (p.class, (evidence(p) - base) as f32));
    FeatureRow {
        key: group[0].key,
        log_probability: group[0].log,
        base: base as f32,
        classes: classes.filter(|c| c.1 > 0.0).collect(),
    }
}

/// Returns the evidence of a word's n-grams for each class.
fn ngram_evidence(
    letters: &[u32],
    rows: &[FeatureRow],
    index: &HashMap<u64, usize>,
) -> Vec<ClassScore> {
    let mut scores: Vec<ClassScore> = Vec::new();
    for ngram in feature::split_ngrams(letters, 1) {
        let row_at = |start| index.get(&feature::ngram_key(&letters[start..ngram.end]));
        let known = ngram.clone().find_map(row_at);
        scores.extend(known.into_iter().flat_map(|row| &rows[*row].classes));
    }
    sum_by_class(scores)
}

/// Adds up the evidence of each class.
fn sum_by_class(mut scores: Vec<ClassScore>) -> Vec<ClassScore> {
    scores.sort_by_key(|(class, _)| *class);
    scores.dedup_by(|next, sum| {
        let is_same = next.0 == sum.0;
        if is_same {
            sum.1 += next.1;
        }
        is_same
    });
    scores
}

/// Computes the row of a word from its probabilities, greatest first, and the evidence of its
/// n-grams. Returns `None` if the word is redundant and the table is limited.
fn word_row(
    group: &[FeatureProbability],
    mut scores: Vec<ClassScore>,
    samples: &[ClassSample],
    limits: &EvidenceLimits,
) -> Option<FeatureRow> {
    let (ngram_class, ngram_lead) = find_leader(&scores);
    for (class, evidence) in &mut scores {
        *evidence *= match samples[usize::from(*class)].words.is_empty() {
            true => NGRAM_SHARE_WITHOUT_WORDS as f32,
            false => NGRAM_SHARE_OF_KNOWN_WORD as f32,
        };
    }
    let own = group.iter().map(|p| (p.class, p.log - WORD_FLOOR as f32));
    scores.extend(own.filter(|c| c.1 > 0.0));
    let mut classes = sum_by_class(scores);
    let is_frequent = group[0].log >= FREQUENT_WORD_LOG_PROBABILITY;
    let (max_classes, min_share) = if is_frequent {
        let max_classes = limits.classes_per_word.max(CLASSES_PER_FREQUENT_WORD);
        (max_classes, limits.min_evidence_share / 2.0)
    } else {
        (limits.classes_per_word, limits.min_evidence_share)
    };
    let prior = |class: u16| {
        let log_size = libm::log(samples[usize::from(class)].sample_tokens.max(1) as f64);
        (PRIOR_WEIGHT * log_size) as f32
    };
    let priority = |class: &ClassScore| class.1 + if is_frequent { prior(class.0) } else { 0.0 };
    classes.sort_by(|a, b| priority(b).total_cmp(&priority(a)).then(a.0.cmp(&b.0)));
    let first_left_out = classes.get(max_classes);
    let base = first_left_out.map_or(0.0, |class| class.1 * BASE_SHARE as f32);
    classes.truncate(max_classes);
    classes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let greatest = classes.first().map(|class| class.1 - base);
    let min_evidence = greatest.map_or(0.0, |greatest| greatest * min_share as f32);
    classes.iter_mut().for_each(|class| class.1 -= base);
    let (word_class, word_lead) = find_leader(&classes);
    classes.retain(|class| class.1 > min_evidence);
    let agrees_with_ngrams =
        ngram_class == word_class && ngram_lead >= REDUNDANT_LEAD_SHARE as f32 * word_lead;
    // Redundant words are left out only to save space.
    if limits.buckets.is_some()
        && agrees_with_ngrams
        && group[0].log < REDUNDANT_WORD_LOG_PROBABILITY as f32
    {
        return None;
    }
    Some(FeatureRow {
        key: group[0].key,
        log_probability: group[0].log,
        base,
        classes,
    })
}

/// Returns the class with the most evidence, and its lead over the second.
fn find_leader(scores: &[ClassScore]) -> (Option<u16>, f32) {
    let (mut class, mut first, mut second) = (None, 0.0, 0.0);
    for (this, evidence) in scores {
        if *evidence > first {
            (class, first, second) = (Some(*this), *evidence, first);
        } else if *evidence > second {
            second = *evidence;
        }
    }
    (class, first - second)
}
