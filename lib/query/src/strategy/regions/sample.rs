//! What is known when the next query is chosen: documents of the target and of other classes, and
//! what was asked.

use super::set::Set;
use forage_record::MoreHits;
use std::collections::{HashMap, HashSet};

/// A word with its sign: included or excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Signed {
    /// The word's number.
    pub term: u32,
    /// Whether a document must have it; else it must not.
    pub is_included: bool,
}

/// A collected document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Its words, sorted, each once.
    pub terms: Vec<u32>,
    /// How often each of them occurs in it.
    pub frequencies: Vec<u32>,
    /// The query that brought it, as its place in [`Known::asked`]; `None` for an initial document.
    pub query: Option<usize>,
}

/// A query that was asked, and what came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Its words. Those of a region stand in the order in which it was cut.
    pub path: Vec<Signed>,
    /// Whether it is none of the regions that were cut: it scouted, or asked for a region that was
    /// drawn at random.
    pub is_exploration: bool,
    /// What the engine has for it behind the pages that came.
    pub more: Option<MoreHits>,
    /// Calls that it cost.
    pub calls: u64,
    /// Hits that are paid for and were not handed out yet.
    pub left: u64,
    /// Relevant new documents since the engine was last called for it.
    pub new: u64,
    /// Documents of other classes since then.
    pub bad: u64,
}

/// What is known when the next query is chosen.
#[derive(Debug, Clone, Default)]
pub struct Known {
    /// Documents of the target, or a sample of them.
    pub target: Vec<Document>,
    /// How many documents of the target one in the sample stands for.
    pub weight: f64,
    /// Documents of other classes, or a sample.
    pub other: Vec<Document>,
    /// How many one of them stands for.
    pub other_weight: f64,
    /// All queries that were asked for the target, in order.
    pub asked: Vec<Asked>,
    /// Hits on a page of the engine.
    pub page_size: f64,
    /// Pages that it shows of a query.
    pub pages: f64,
    /// Words that regions are not cut by.
    pub avoid: HashSet<u32>,
}

/// How many documents of the web one initial document of another class stands for: it was not met,
/// but given as an example of what there is most of.
const INITIAL: f64 = 10.0;

/// Words that are looked at: the most frequent ones.
const WORDS: usize = 400;

/// A word is looked at when at least this share of the target's documents has it, or this share of
/// the others.
const SHARE: f64 = 0.05;
const OTHER_SHARE: f64 = 0.2;

/// A word that regions may be cut by.
#[derive(Debug, Default)]
pub(crate) struct Word {
    pub term: u32,
    /// Documents of the target that have it.
    pub target: Set,
    /// Documents of the target whose query asks for it or excludes it, so that they can't tell how
    /// frequent it is.
    pub mentioned: Set,
    /// Its occurrences in them.
    pub occurrences: u64,
    /// Documents of other classes that have it.
    pub other: Set,
    /// Its share among the target's documents whose query does not name it.
    pub share: f64,
    /// Its share among other classes' documents.
    pub other_share: f64,
}

/// The documents, indexed by the words that matter.
pub(crate) struct Sample<'a> {
    pub known: &'a Known,
    pub words: Vec<Word>,
    by_term: HashMap<u32, usize>,
    initial: Set,
}

impl<'a> Sample<'a> {
    pub fn new(known: &'a Known) -> Self {
        let words: Vec<u32> = frequent(known);
        let by_term: HashMap<u32, usize> = words
            .iter()
            .enumerate()
            .map(|(at, &term)| (term, at))
            .collect();
        let (n, m) = (known.target.len(), known.other.len());
        let new = |&term: &u32| {
            let (target, mentioned) = (Set::none(n), Set::none(n));
            Word {
                term,
                target,
                mentioned,
                other: Set::none(m),
                ..Word::default()
            }
        };
        let mut initial = Set::none(m);
        for (at, _) in known
            .other
            .iter()
            .enumerate()
            .filter(|(_, document)| document.query.is_none())
        {
            initial.insert(at);
        }
        let mut sample = Sample {
            known,
            words: words.iter().map(new).collect(),
            by_term,
            initial,
        };
        sample.mark();
        sample.share();
        sample
    }

    /// The word with this number.
    pub fn word(&self, term: u32) -> Option<&Word> {
        self.by_term.get(&term).map(|&at| &self.words[at])
    }

    /// Documents of the web that some of other classes stand for.
    pub fn weigh(&self, others: &Set) -> f64 {
        (others.len() + (INITIAL - 1.0) * others.common(&self.initial)) * self.known.other_weight
    }

    /// The same, of those among `others` that have the word.
    pub fn weigh_with(&self, word: &Word, others: &Set) -> f64 {
        let initial = others.common3(&word.other, &self.initial);
        (others.common(&word.other) + (INITIAL - 1.0) * initial) * self.known.other_weight
    }

    fn mark(&mut self) {
        for (at, document) in self.known.target.iter().enumerate() {
            for (term, &frequency) in document.terms.iter().zip(&document.frequencies) {
                if let Some(&word) = self.by_term.get(term) {
                    self.words[word].target.insert(at);
                    self.words[word].occurrences += u64::from(frequency);
                }
            }
            let path = document
                .query
                .and_then(|query| self.known.asked.get(query))
                .map_or(&[][..], |asked| &asked.path);
            for Signed { term, .. } in path {
                if let Some(&word) = self.by_term.get(term) {
                    self.words[word].mentioned.insert(at);
                }
            }
        }
        for (at, document) in self.known.other.iter().enumerate() {
            for term in &document.terms {
                if let Some(&word) = self.by_term.get(term) {
                    self.words[word].other.insert(at);
                }
            }
        }
    }

    fn share(&mut self) {
        let (all, others) = (
            Set::all(self.known.target.len()),
            Set::all(self.known.other.len()),
        );
        let all_others = self.weigh(&others);
        for at in 0..self.words.len() {
            let word = &self.words[at];
            let share = share(word, &all, 0.5, 1.0);
            let other_share = (self.weigh_with(word, &others) + 0.5) / (all_others + 5.0);
            (self.words[at].share, self.words[at].other_share) = (share, other_share);
        }
    }
}

/// The word's share in `documents`, over those whose query does not name it; `prior` counts as
/// `weight` documents.
pub(super) fn share(word: &Word, documents: &Set, prior: f64, weight: f64) -> f64 {
    let unnamed = documents.filter(&word.mentioned, false);
    (unnamed.common(&word.target) + weight * prior) / (unnamed.len() + weight)
}

/// The words that matter: the target's most frequent ones, those that are frequent elsewhere, and
/// those that regions were cut by.
pub(super) fn frequent(known: &Known) -> Vec<u32> {
    let last = known
        .target
        .iter()
        .chain(&known.other)
        .filter_map(|document| document.terms.last())
        .max();
    let size = last.map_or(0, |&term| term as usize + 1);
    let count = |documents: &[Document]| {
        let mut df = vec![0_u32; size];
        for &term in documents.iter().flat_map(|document| &document.terms) {
            df[term as usize] += 1;
        }
        df
    };
    let (target, other) = (count(&known.target), count(&known.other));
    let least = |documents: &[Document], share: f64| (share * documents.len() as f64).max(1.0);
    let (n, m) = (
        least(&known.target, SHARE),
        least(&known.other, OTHER_SHARE),
    );
    let is_frequent = |&term: &u32| {
        let df = target[term as usize];
        df > 0
            && (f64::from(df) >= n || f64::from(other[term as usize]) >= m)
            && !known.avoid.contains(&term)
    };
    let mut words: Vec<u32> = (0..size as u32).filter(is_frequent).collect();
    words.sort_by_key(|&term| (std::cmp::Reverse(target[term as usize]), term));
    words.truncate(WORDS);
    let cut_by = known
        .asked
        .iter()
        .filter(|asked| !asked.is_exploration)
        .flat_map(|asked| &asked.path);
    words.extend(cut_by.map(|signed| signed.term));
    let mut met = HashSet::new();
    words.retain(|&term| met.insert(term));
    words
}
