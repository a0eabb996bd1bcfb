//! What several runs for the same target found in common: a projection of their journals, read one
//! after the other.

use crate::growth::{Heaps, heaps};
use crate::recapture::{chao1, chapman};
use forage_query::coverage::IntervalEstimate;
use forage_run::{BoxError, Event, Projection};
use forage_text::terms;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Collects the documents and words of runs for one target.
#[derive(Debug, Default)]
pub struct RunComparison {
    target: String,
    /// The runs that found each document, by a hash of its URL.
    documents: HashMap<u128, Captures>,
    /// Occurrences of each word, by run.
    words: HashMap<Box<str>, Vec<u64>>,
    runs: Vec<RunCounts>,
}

/// The runs that found a document.
#[derive(Debug, Clone, Copy)]
struct Captures {
    runs: u32,
    /// The last run that found it, from 1.
    last: u32,
    /// The first run found it.
    is_of_first: bool,
}

#[derive(Debug, Default)]
struct RunCounts {
    documents: u64,
    tokens: u64,
    words: u64,
    /// Tokens and distinct words, each time that the tokens had doubled.
    growth: Vec<(u64, u64)>,
}

/// What runs for one target have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRuns {
    /// The class that the runs looked for.
    pub target: String,
    /// Relevant documents that any run found.
    pub documents: u64,
    /// Number of documents that the engine can reach, by Chapman's estimate; only of two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapman: Option<IntervalEstimate>,
    /// The same by Chao's lower bound, from the documents that one run found, and those that two
    /// found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chao1: Option<IntervalEstimate>,
    /// The runs, in the order in which they were read.
    pub runs: Vec<ComparedRun>,
}

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRun {
    /// Relevant documents, without duplicates and initial documents.
    pub documents: u64,
    /// Words in them.
    pub tokens: u64,
    /// Distinct words.
    pub words: u64,
    /// The growth of the vocabulary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heaps: Option<Heaps>,
    /// Of the words of all other runs together, the share that this one has (Callan et al. 1999,
    /// "percentage of vocabulary learned").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<f64>,
    /// Of all other runs' tokens, the share whose word this one has (Callan et al. 1999, "ctf
    /// ratio").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctf_ratio: Option<f64>,
}

impl Projection for RunComparison {
    /// Counts a new relevant document.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        if self.target.is_empty() {
            self.target = event.target().into();
        }
        if event.is_relevant() && event.target() == self.target {
            let text = event.text();
            self.count(event.url().as_deref().unwrap_or(&text), &text);
        }
        Ok(())
    }
}

impl RunComparison {
    /// A comparison without runs; where `target` is `None`, it is that of the first step.
    pub fn new(target: Option<String>) -> Self {
        RunComparison {
            target: target.unwrap_or_default(),
            ..RunComparison::default()
        }
    }

    /// Starts another run: the records that follow belong to it.
    pub fn start_run(&mut self) {
        self.runs.push(RunCounts::default());
    }

    /// Number of relevant documents of the current run.
    pub fn documents(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.documents)
    }

    /// The class that the runs looked for; empty while it is unknown.
    pub fn target(&self) -> &str {
        &self.target
    }

    fn count(&mut self, identity: &str, text: &str) {
        let at = self.runs.len();
        let Some(run) = self.runs.last_mut() else {
            return;
        };
        let hash = blake3::hash(identity.as_bytes());
        let key = u128::from_le_bytes(hash.as_bytes().as_chunks().0[0]);
        let unseen = Captures {
            runs: 0,
            last: 0,
            is_of_first: at == 1,
        };
        let captures = self.documents.entry(key).or_insert(unseen);
        if captures.last == at as u32 {
            return;
        }
        (captures.runs, captures.last) = (captures.runs + 1, at as u32);
        run.documents += 1;
        for term in terms(text).iter() {
            run.tokens += 1;
            if !self.words.contains_key(term) {
                self.words.insert(term.into(), Vec::new());
            }
            let Some(counts) = self.words.get_mut(term) else {
                continue;
            };
            counts.resize(at, 0);
            run.words += u64::from(counts[at - 1] == 0);
            counts[at - 1] += 1;
        }
        if run
            .growth
            .last()
            .is_none_or(|(tokens, _)| run.tokens >= 2 * tokens)
        {
            run.growth.push((run.tokens, run.words));
        }
    }

    /// Returns what the runs have in common.
    pub fn compare(&self) -> ComparedRuns {
        let mut by_captures: BTreeMap<u32, u64> = BTreeMap::new();
        let mut both = 0;
        for captures in self.documents.values() {
            *by_captures.entry(captures.runs).or_default() += 1;
            both += u64::from(captures.is_of_first && captures.runs > 1);
        }
        let found_by = |runs: u32| by_captures.get(&runs).copied().unwrap_or(0);
        let all = self.documents.len() as u64;
        let several = self.runs.len() > 1;
        let pair = (self.runs.len() == 2)
            .then(|| chapman(self.runs[0].documents, self.runs[1].documents, both));
        ComparedRuns {
            target: self.target.clone(),
            documents: all,
            chapman: pair.map(IntervalEstimate::rounded_to_integers),
            chao1: several.then(|| chao1(all, found_by(1), found_by(2)).rounded_to_integers()),
            runs: (0..self.runs.len()).map(|at| self.run(at)).collect(),
        }
    }

    fn run(&self, at: usize) -> ComparedRun {
        let RunCounts {
            documents,
            tokens,
            words,
            growth,
        } = &self.runs[at];
        let (mut shared, mut shared_tokens, mut others, mut others_tokens) = (0, 0, 0, 0);
        for counts in self.words.values() {
            let own = counts.get(at).copied().unwrap_or(0);
            let rest = counts.iter().sum::<u64>() - own;
            if rest > 0 {
                (others, others_tokens) = (others + 1, others_tokens + rest);
                if own > 0 {
                    (shared, shared_tokens) = (shared + 1, shared_tokens + rest);
                }
            }
        }
        let share =
            |part: u64, all: u64| (all > 0).then(|| (part as f64 / all as f64 * 1e4).round() / 1e4);
        ComparedRun {
            documents: *documents,
            tokens: *tokens,
            words: *words,
            heaps: heaps(growth),
            vocabulary: share(shared, others),
            ctf_ratio: share(shared_tokens, others_tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RunComparison;
    use forage_record::Record;
    use forage_run::{Event, Projection};

    fn found(url: &str, text: &str, label: &str) -> Record {
        let json = serde_json::json!({
            "step": { "number": 1, "target": "slv" },
            "url": url, "text": text, "label": label,
        });
        Record::parse(json.to_string().into_bytes()).unwrap()
    }

    fn apply(runs: &mut RunComparison, record: Record) {
        runs.apply(&Event::from_record(&record)).unwrap();
    }

    #[test]
    fn documents_of_the_target_are_met_again_by_their_addresses() {
        let mut runs = RunComparison::new(None);
        runs.start_run();
        for url in ["a", "b", "b", "c"] {
            apply(&mut runs, found(url, "dober dan", "slv"));
        }
        apply(&mut runs, found("x", "good day", "eng"));
        runs.start_run();
        for url in ["b", "c", "d"] {
            apply(&mut runs, found(url, "dober večer", "slv"));
        }
        let compared = runs.compare();
        assert_eq!((compared.target.as_str(), compared.documents), ("slv", 4));
        assert_eq!(
            (compared.runs[0].documents, compared.runs[1].documents),
            (3, 3)
        );
        // 4 · 4 / 3 − 1.
        assert!((compared.chapman.unwrap().value - 4.0).abs() < 1.0);
        assert_eq!((compared.runs[0].words, compared.runs[0].tokens), (2, 6));
        assert_eq!(
            (compared.runs[0].vocabulary, compared.runs[0].ctf_ratio),
            (Some(0.5), Some(0.5))
        );
    }

    #[test]
    fn one_run_alone_has_no_recapture() {
        let mut runs = RunComparison::new(Some("slv".into()));
        runs.start_run();
        apply(&mut runs, found("a", "dober dan", "slv"));
        let compared = runs.compare();
        assert!(
            compared.chapman.is_none()
                && compared.chao1.is_none()
                && compared.runs[0].ctf_ratio.is_none()
        );
    }
}
