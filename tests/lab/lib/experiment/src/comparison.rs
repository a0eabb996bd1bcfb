//! The comparison of several runs for the same target: their common documents and vocabularies.
//!
//! [`RunComparison`] is a projection of several journals, which are read one after the other.

use crate::capture_recapture::{estimate_chao1, estimate_chapman};
use crate::heaps_law::{HeapsLaw, fit_heaps_law};
use forage_query::coverage::IntervalEstimate;
use forage_run::{BoxError, Event, Projection};
use forage_text::terms;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Collects the documents and words of several runs for one target.
#[derive(Debug, Default)]
pub struct RunComparison {
    target: String,
    /// The captures of each document, by a hash of its URL.
    documents: HashMap<u128, Captures>,
    /// The occurrences of each word, by run.
    words: HashMap<Box<str>, Vec<u64>>,
    runs: Vec<RunTokens>,
}

/// The captures of a document: the runs that have found it.
#[derive(Debug, Clone, Copy)]
struct Captures {
    /// Number of runs.
    runs: u32,
    /// Number of the last run, from 1.
    last: u32,
    /// True if the first run is one of them.
    is_in_first: bool,
}

/// The numbers of documents and words of a run.
#[derive(Debug, Default)]
struct RunTokens {
    documents: u64,
    tokens: u64,
    words: u64,
    /// Tokens and distinct words, each time that the number of tokens has doubled.
    growth: Vec<(u64, u64)>,
}

/// The result of comparing the runs for one target.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// The target class of the runs.
    pub target: String,
    /// Number of distinct relevant documents of all runs.
    pub documents: u64,
    /// Chapman's estimate of the number of documents that the engine can reach; `None` unless there
    /// are two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapman: Option<IntervalEstimate>,
    /// Chao's lower bound of that number, from the documents found by one run and by two; `None`
    /// for a single run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chao1: Option<IntervalEstimate>,
    /// The runs, in the order in which they were read.
    pub runs: Vec<ComparedRun>,
}

/// One of the compared runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRun {
    /// Number of relevant documents, without duplicates and initial documents.
    pub documents: u64,
    /// Number of tokens in them.
    pub tokens: u64,
    /// Number of distinct words.
    pub words: u64,
    /// The growth of the vocabulary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heaps: Option<HeapsLaw>,
    /// The share of the vocabulary of all other runs that this run has (Callan et al. 1999,
    /// "percentage of vocabulary learned").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<f64>,
    /// The share of the tokens of all other runs whose word this run has (Callan et al. 1999, "ctf
    /// ratio").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctf_ratio: Option<f64>,
}

impl Projection for RunComparison {
    /// Counts a relevant document.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        if self.target.is_empty() {
            self.target = event.target().into();
        }
        if event.is_relevant() && event.target() == self.target {
            let text = event.text();
            self.count_document(event.url().as_deref().unwrap_or(&text), &text);
        }
        Ok(())
    }
}

impl RunComparison {
    /// Returns a comparison without runs. If `target` is `None`, it is the target of the first
    /// step.
    pub fn new(target: Option<String>) -> Self {
        RunComparison {
            target: target.unwrap_or_default(),
            ..RunComparison::default()
        }
    }

    /// Starts the next run, to which the following records belong.
    pub fn start_run(&mut self) {
        self.runs.push(RunTokens::default());
    }

    /// Returns the number of relevant documents of the current run.
    pub fn documents(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.documents)
    }

    /// Returns the target class; empty if it is not known yet.
    pub fn target(&self) -> &str {
        &self.target
    }

    /// Counts a document of the current run, unless the run has it already.
    fn count_document(&mut self, identity: &str, text: &str) {
        let run_number = self.runs.len();
        let Some(run) = self.runs.last_mut() else {
            return;
        };
        let hash = blake3::hash(identity.as_bytes());
        let key = u128::from_le_bytes(hash.as_bytes().as_chunks().0[0]);
        let captures = self.documents.entry(key).or_insert(Captures {
            runs: 0,
            last: 0,
            is_in_first: run_number == 1,
        });
        if captures.last == run_number as u32 {
            return;
        }
        captures.runs += 1;
        captures.last = run_number as u32;
        run.documents += 1;
        for term in terms(text).iter() {
            run.tokens += 1;
            if !self.words.contains_key(term) {
                self.words.insert(term.into(), Vec::new());
            }
            let Some(counts) = self.words.get_mut(term) else {
                continue;
            };
            counts.resize(run_number, 0);
            run.words += u64::from(counts[run_number - 1] == 0);
            counts[run_number - 1] += 1;
        }
        let has_doubled = run
            .growth
            .last()
            .is_none_or(|(tokens, _)| run.tokens >= 2 * tokens);
        if has_doubled {
            run.growth.push((run.tokens, run.words));
        }
    }

    /// Returns the comparison of all runs.
    pub fn compare(&self) -> ComparisonReport {
        let mut documents_by_captures: BTreeMap<u32, u64> = BTreeMap::new();
        let mut in_first_and_another = 0;
        for captures in self.documents.values() {
            *documents_by_captures.entry(captures.runs).or_default() += 1;
            in_first_and_another += u64::from(captures.is_in_first && captures.runs > 1);
        }
        let captured = |runs: u32| documents_by_captures.get(&runs).copied().unwrap_or(0);
        let documents = self.documents.len() as u64;
        let chapman = match &self.runs[..] {
            [first, second] => Some(estimate_chapman(
                first.documents,
                second.documents,
                in_first_and_another,
            )),
            _ => None,
        };
        let chao1 =
            (self.runs.len() > 1).then(|| estimate_chao1(documents, captured(1), captured(2)));
        ComparisonReport {
            target: self.target.clone(),
            documents,
            chapman: chapman.map(IntervalEstimate::rounded_to_integers),
            chao1: chao1.map(IntervalEstimate::rounded_to_integers),
            runs: (0..self.runs.len())
                .map(|index| self.compare_run(index))
                .collect(),
        }
    }

    /// Compares the run with this index with all other runs.
    fn compare_run(&self, index: usize) -> ComparedRun {
        let run = &self.runs[index];
        let mut other_words = 0;
        let mut other_tokens = 0;
        let mut shared_words = 0;
        let mut shared_tokens = 0;
        for counts in self.words.values() {
            let own = counts.get(index).copied().unwrap_or(0);
            let others = counts.iter().sum::<u64>() - own;
            if others > 0 {
                other_words += 1;
                other_tokens += others;
                if own > 0 {
                    shared_words += 1;
                    shared_tokens += others;
                }
            }
        }
        ComparedRun {
            documents: run.documents,
            tokens: run.tokens,
            words: run.words,
            heaps: fit_heaps_law(&run.growth),
            vocabulary: rounded_share(shared_words, other_words),
            ctf_ratio: rounded_share(shared_tokens, other_tokens),
        }
    }
}

/// Returns `part / whole`, rounded to four decimals; `None` if `whole` is 0.
fn rounded_share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 / whole as f64 * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::RunComparison;
    use forage_record::Record;
    use forage_run::{Event, Projection};

    fn document(url: &str, text: &str, label: &str) -> Record {
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
    fn relevant_documents_are_matched_by_url() {
        let mut runs = RunComparison::new(None);
        runs.start_run();
        for url in ["a", "b", "b", "c"] {
            apply(&mut runs, document(url, "dober dan", "slv"));
        }
        apply(&mut runs, document("x", "good day", "eng"));
        runs.start_run();
        for url in ["b", "c", "d"] {
            apply(&mut runs, document(url, "dober večer", "slv"));
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
    fn a_single_run_has_no_estimates() {
        let mut runs = RunComparison::new(Some("slv".into()));
        runs.start_run();
        apply(&mut runs, document("a", "dober dan", "slv"));
        let compared = runs.compare();
        assert!(
            compared.chapman.is_none()
                && compared.chao1.is_none()
                && compared.runs[0].ctf_ratio.is_none()
        );
    }
}
