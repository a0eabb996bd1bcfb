//! Ranking of the stems and collocations of a core, from which a profile is selected.

use super::core_statistics::{CoreDocument, CoreStatistics, CoreWord};
use super::entry::{EntryKind, ProfileEntry, TopicProfile};
use crate::general_words::GeneralText;
use foldhash::HashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Exponent of the log odds in the score of an entry.
///
/// The vectors of documents have no inverse document frequencies, so the profile has them for both
/// sides: as a factor of the document's weight, and of its own. The precision of undoubtedly
/// relevant pages on a narrow subject is 1.00 with 2, .88 with 1 (BENCHMARKS.md, "Topic profiles").
const LOG_ODDS_EXPONENT: i32 = 2;

/// Least number of documents in which a widespread entry occurs; 2 in a core of fewer than ten
/// documents. Set by judgement, not measured.
const MIN_DOCUMENTS: usize = 3;

/// Least number of hosts on which a widespread entry occurs, unless the core has one host: an entry
/// of one host is often a part of the frame of its pages, or the name of what it documents (Kluev
/// 2000, section 4, step 1, advises different sources).
const MIN_HOSTS: usize = 2;

/// Number of entries up to which a profile also has entries that are not widespread (the least
/// number of Kluev 2000, section 4, step 3).
const MIN_ENTRIES: usize = 20;

/// Greatest numbers of entries of a profile.
#[derive(Debug, Clone, Copy)]
pub struct ProfileSizes {
    /// Terms.
    pub terms: usize,
    /// Pairs.
    pub pairs: usize,
    /// Triples.
    pub triples: usize,
}

impl Default for ProfileSizes {
    /// Returns the sizes of the profile of algorithms in Kluev 2000, table 1.
    fn default() -> ProfileSizes {
        ProfileSizes {
            terms: 100,
            pairs: 100,
            triples: 33,
        }
    }
}

impl ProfileSizes {
    fn of(&self, kind: EntryKind) -> usize {
        match kind {
            EntryKind::Term => self.terms,
            EntryKind::Pair => self.pairs,
            EntryKind::Triple => self.triples,
        }
    }
}

/// An entry that could be part of a profile, with the statistics by which it is ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateEntry {
    /// The entry. Its weight is its score over the square root of the number of documents.
    pub entry: ProfileEntry,
    /// Number of documents of the core in which it occurs.
    pub documents: usize,
    /// Number of hosts of these documents.
    pub hosts: usize,
    /// True if it occurs in several documents, and on several hosts if the core has several.
    pub is_widespread: bool,
    /// Mean of the natural logarithms of its stems' odds: their frequency in the core over that in
    /// general text.
    pub log_odds: f64,
    /// Its most frequent spelling.
    pub spelling: String,
}

/// The numbers of the stems of an entry; unused places of shorter entries have [`NO_STEM`].
type EntryKey = [u32; 3];

const NO_STEM: u32 = u32::MAX;

/// Occurrences of an entry in the documents read so far.
#[derive(Debug, Default)]
struct Occurrences {
    count: u64,
    documents: usize,
    /// Sum of 1 + ln tf over all documents but the last.
    weight: f64,
    /// Number of the last document from 1, and the frequency there.
    last: (usize, u32),
}

impl Occurrences {
    fn add(&mut self, document: usize) {
        if self.last.0 != document {
            self.weight = self.total_weight();
            self.documents += 1;
            self.last = (document, 0);
        }
        self.count += 1;
        self.last.1 += 1;
    }

    /// Returns Σ(1 + ln tf) over all documents.
    fn total_weight(&self) -> f64 {
        if self.last.1 == 0 {
            return 0.0;
        }
        self.weight + 1.0 + libm::log(f64::from(self.last.1))
    }
}

/// Where a candidate occurs, and how it is spelt.
#[derive(Debug, Default)]
struct Context {
    hosts: BTreeSet<u32>,
    spellings: BTreeMap<[u32; 3], u32>,
}

/// Calls `emit` with each occurrence of an entry of a class.
fn for_each_entry(kind: EntryKind, document: &CoreDocument, mut emit: impl FnMut(&[CoreWord])) {
    for words in document.words.windows(kind.stem_count()) {
        if words[1..].iter().all(|word| word.is_adjacent) {
            emit(words);
        }
    }
}

fn key_of(words: &[CoreWord], part: fn(&CoreWord) -> u32) -> EntryKey {
    let mut key = [NO_STEM; 3];
    for (place, word) in key.iter_mut().zip(words) {
        *place = part(word);
    }
    key
}

impl CoreStatistics {
    /// Returns the candidates of all classes, class by class: widespread ones first, then the best
    /// first, and of equal ones the first in the order of code points.
    ///
    /// The score of an entry is √Σ(1 + ln tf) · (ln odds)², summed over the documents of the core;
    /// ln odds of a collocation is the mean over its stems. Candidates are more frequent than in
    /// general text. Those that occur once are left out.
    pub fn rank_candidates(&self, general: &mut GeneralText) -> Vec<CandidateEntry> {
        let log_odds = self.stem_log_odds(general);
        EntryKind::ALL
            .into_iter()
            .flat_map(|kind| self.rank_class(kind, &log_odds))
            .collect()
    }

    fn rank_class(&self, kind: EntryKind, log_odds: &[f64]) -> Vec<CandidateEntry> {
        let mut occurrences = self.count_occurrences(kind);
        occurrences.retain(|key, occurrences| {
            occurrences.count > 1 && stems_of(key).all(|stem| can_be_part(self.stem(stem)))
        });
        let mut contexts = self.find_contexts(kind, &occurrences);
        let mut candidates: Vec<CandidateEntry> = occurrences
            .iter()
            .filter_map(|(key, occurrences)| {
                let context = contexts.remove(key)?;
                self.candidate(kind, key, occurrences, &context, log_odds)
            })
            .collect();
        let score = |candidate: &CandidateEntry| candidate.entry.weight.unwrap_or_default();
        candidates.sort_by(|a, b| {
            (b.is_widespread.cmp(&a.is_widespread))
                .then_with(|| score(b).total_cmp(&score(a)))
                .then_with(|| a.entry.stems.cmp(&b.entry.stems))
        });
        candidates
    }

    fn count_occurrences(&self, kind: EntryKind) -> HashMap<EntryKey, Occurrences> {
        let mut occurrences: HashMap<EntryKey, Occurrences> = HashMap::default();
        for (document, number) in self.documents.iter().zip(1..) {
            for_each_entry(kind, document, |words| {
                let key = key_of(words, |word| word.stem);
                occurrences.entry(key).or_default().add(number);
            });
        }
        occurrences
    }

    /// Returns the hosts and spellings of the counted entries. They are not found together with the
    /// counts, because most entries occur once.
    fn find_contexts(
        &self,
        kind: EntryKind,
        counted: &HashMap<EntryKey, Occurrences>,
    ) -> HashMap<EntryKey, Context> {
        let mut contexts: HashMap<EntryKey, Context> = HashMap::default();
        for document in &self.documents {
            for_each_entry(kind, document, |words| {
                let key = key_of(words, |word| word.stem);
                if counted.contains_key(&key) {
                    let context = contexts.entry(key).or_default();
                    context.hosts.insert(document.host);
                    let spelling = key_of(words, |word| word.spelling);
                    *context.spellings.entry(spelling).or_default() += 1;
                }
            });
        }
        contexts
    }

    /// Returns ln odds of each stem, by number.
    fn stem_log_odds(&self, general: &mut GeneralText) -> Vec<f64> {
        let mut counts: Vec<u64> = Vec::new();
        let mut spellings: BTreeSet<(u32, u32)> = BTreeSet::new();
        for word in self.documents.iter().flat_map(|document| &document.words) {
            let index = word.stem as usize;
            counts.resize(counts.len().max(index + 1), 0);
            counts[index] += 1;
            spellings.insert((word.stem, word.spelling));
        }
        let tokens: u64 = counts.iter().sum();
        (0..)
            .zip(&counts)
            .map(|(stem, count)| {
                let spellings = spellings.range((stem, 0)..=(stem, u32::MAX));
                let spellings = spellings.map(|(_, spelling)| self.spelling(*spelling));
                let in_core = libm::log(*count as f64 / tokens as f64);
                in_core - general.log_probability(self.stem(stem), spellings)
            })
            .collect()
    }

    fn candidate(
        &self,
        kind: EntryKind,
        key: &EntryKey,
        occurrences: &Occurrences,
        context: &Context,
        log_odds: &[f64],
    ) -> Option<CandidateEntry> {
        let sum: f64 = stems_of(key).map(|stem| log_odds[stem as usize]).sum();
        let log_odds = sum / kind.stem_count() as f64;
        if log_odds <= 0.0 {
            return None;
        }
        let frequency = occurrences.total_weight() / self.documents.len() as f64;
        let score = frequency.sqrt() * log_odds.powi(LOG_ODDS_EXPONENT);
        let stems: Vec<&str> = stems_of(key).map(|stem| self.stem(stem)).collect();
        Some(CandidateEntry {
            entry: ProfileEntry {
                kind,
                stems: stems.join(" "),
                count: occurrences.count as f64,
                weight: Some(round_weight(score)),
            },
            documents: occurrences.documents,
            hosts: context.hosts.len(),
            is_widespread: self.is_widespread(occurrences, context),
            log_odds,
            spelling: self.best_spelling(context),
        })
    }

    fn is_widespread(&self, occurrences: &Occurrences, context: &Context) -> bool {
        let min_documents = if self.documents.len() < 10 {
            2
        } else {
            MIN_DOCUMENTS
        };
        occurrences.documents >= min_documents
            && context.hosts.len() >= self.host_count().min(MIN_HOSTS)
    }

    /// Returns the most frequent spelling; of equally frequent ones, the first.
    fn best_spelling(&self, context: &Context) -> String {
        let best = context
            .spellings
            .iter()
            .max_by(|(a, n), (b, m)| n.cmp(m).then(b.cmp(a)));
        let words = best.map(|(key, _)| stems_of(key).map(|word| self.spelling(word)));
        let words: Vec<&str> = words.into_iter().flatten().collect();
        words.join(" ")
    }

    /// Returns the profile of the best candidates, which [`CoreStatistics::rank_candidates`] has
    /// ranked: at most `sizes` widespread ones of each class. Others are added up to 20 of a class.
    pub fn select(&self, candidates: &[CandidateEntry], sizes: ProfileSizes) -> TopicProfile {
        let selected = EntryKind::ALL.into_iter().flat_map(|kind| {
            candidates
                .iter()
                .filter(move |candidate| candidate.entry.kind == kind)
                .take(sizes.of(kind))
                .enumerate()
                .filter(|(rank, candidate)| candidate.is_widespread || *rank < MIN_ENTRIES)
        });
        TopicProfile {
            language: self.language(),
            entries: selected
                .map(|(_, candidate)| candidate.entry.clone())
                .collect(),
        }
    }
}

/// Returns the numbers in a key.
fn stems_of(key: &EntryKey) -> impl Iterator<Item = u32> + Clone + '_ {
    key.iter().copied().filter(|stem| *stem != NO_STEM)
}

/// Rounds a weight to a number that is easy to read: two decimals, and at least 0.01.
fn round_weight(weight: f64) -> f64 {
    (weight * 100.0).round().max(1.0) / 100.0
}

/// Returns `true` if a stem can be part of an entry. Numbers and single letters are in no list of
/// general words, so that every contrast favours them.
fn can_be_part(stem: &str) -> bool {
    let mut characters = stem.chars();
    let is_letter = |c: char| c.is_lowercase() || c.is_uppercase();
    let is_single =
        matches!((characters.next(), characters.next()), (Some(c), None) if is_letter(c));
    !is_single && stem.contains(char::is_alphabetic) && !stem.contains(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(language: &str, documents: &[(&str, &str)]) -> CoreStatistics {
        let mut core = CoreStatistics::new(language.parse().unwrap());
        for (host, text) in documents {
            core.add_document(host, text);
        }
        core
    }

    fn ranked(core: &CoreStatistics) -> Vec<CandidateEntry> {
        let language = "eng".parse().unwrap();
        core.rank_candidates(&mut GeneralText::builtin(language))
    }

    fn find<'a>(candidates: &'a [CandidateEntry], stems: &str) -> Option<&'a CandidateEntry> {
        candidates
            .iter()
            .find(|candidate| candidate.entry.stems == stems)
    }

    #[test]
    fn an_entry_has_its_counts_and_its_most_frequent_spelling() {
        let candidates = ranked(&core(
            "eng",
            &[
                ("a", "Binary search trees. A binary search tree, search."),
                ("b", "binary search trees"),
            ],
        ));
        let triple = find(&candidates, "binari search tree").unwrap();
        assert_eq!(triple.entry.count, 3.0);
        assert_eq!((triple.documents, triple.hosts), (2, 2));
        assert_eq!(triple.spelling, "binary search trees");
        assert_eq!(find(&candidates, "search").unwrap().entry.count, 4.0);
        assert_eq!(find(&candidates, "binari search").unwrap().entry.count, 3.0);
    }

    #[test]
    fn entries_of_one_host_are_not_widespread_unless_there_is_only_one() {
        let documents = [
            ("a", "graph vertex"),
            ("a", "graph vertex"),
            ("b", "graph edge"),
        ];
        let is_widespread = |candidates: &[CandidateEntry], stem| {
            find(candidates, stem).is_some_and(|candidate| candidate.is_widespread)
        };
        let candidates = ranked(&core("eng", &documents));
        assert!(is_widespread(&candidates, "graph") && !is_widespread(&candidates, "vertex"));
        let one = ranked(&core("eng", &documents.map(|(_, text)| ("a", text))));
        assert!(is_widespread(&one, "vertex"));
    }

    #[test]
    fn only_a_class_with_few_entries_has_some_that_are_not_widespread() {
        let word = |number: usize| format!("w{}q", "abcdefghijklmnopqrstuvwxyz".split_at(number).0);
        let shared: Vec<String> = (1..=22).map(word).collect();
        let text = shared.join(". ");
        let alone = "vertex. vertex. ".to_owned() + &text;
        let of = |texts: [&str; 2]| {
            let core = core("eng", &[("a", texts[0]), ("b", texts[1])]);
            core.select(&ranked(&core), ProfileSizes::default())
        };
        assert_eq!(of([&text, &alone]).entries.len(), 22);
        let few = shared[..10].join(". ");
        let alone = "vertex. vertex. ".to_owned() + &few;
        assert_eq!(of([&few, &alone]).entries.len(), 11);
    }

    #[test]
    fn rare_words_rank_before_common_ones_of_the_same_frequency() {
        let candidates = ranked(&core(
            "eng",
            &[
                ("a", "vertex system house heap"),
                ("b", "vertex system house heap"),
            ],
        ));
        let terms: Vec<&str> = candidates
            .iter()
            .filter(|candidate| candidate.entry.kind == EntryKind::Term)
            .map(|candidate| candidate.entry.stems.as_str())
            .collect();
        assert_eq!(terms, ["vertex", "heap", "system", "hous"]);
    }

    #[test]
    fn numbers_and_letters_are_no_part_of_an_entry() {
        let text = "x graph 42 graph b2b";
        let candidates = ranked(&core("eng", &[("a", text), ("b", text)]));
        let stems: Vec<&str> = candidates.iter().map(|c| c.entry.stems.as_str()).collect();
        assert_eq!(stems, ["graph"]);
    }

    #[test]
    fn a_background_replaces_the_built_in_list() {
        let mut core = core("eng", &[("a", "vertex house"), ("b", "vertex house")]);
        let mut counts = crate::profile::WordCounts::default();
        core.count_general_text(&mut counts, "vertex vertex vertex vertex tree");
        core.count_general_word(&mut counts, "House", 0.1);
        let candidates = core.rank_candidates(&mut GeneralText::from_counts(counts));
        assert!(find(&candidates, "hous").is_some() && find(&candidates, "vertex").is_none());
    }

    #[test]
    fn a_profile_has_the_best_entries_of_each_class() {
        let text = "vertex heap. house heap.";
        let core = core("eng", &[("a", text), ("b", text)]);
        let sizes = ProfileSizes {
            terms: 1,
            pairs: 1,
            triples: 0,
        };
        let profile = core.select(&ranked(&core), sizes);
        let stems: Vec<&str> = profile.entries.iter().map(|e| e.stems.as_str()).collect();
        assert_eq!(stems, ["heap", "vertex heap"]);
    }
}
