//! What several runs for the same target found in common, folded from their journals.

use super::estimate::Estimate;
use super::growth::{Heaps, heaps};
use super::recapture::{chao1, chapman};
use forage_run::{BoxError, Event, Projection};
use forage_text::terms;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};

/// Runs for one target, of which the journals are read one after the other.
#[derive(Debug, Default)]
pub struct Runs {
    target: String,
    /// For each document that was found, in how many runs.
    documents: HashMap<u128, Found>,
    /// For each word its occurrences in each run.
    words: HashMap<Box<str>, Vec<u64>>,
    runs: Vec<Counts>,
}

#[derive(Debug, Clone, Copy)]
struct Found {
    runs: u32,
    /// The last run that found it, from 1.
    last: u32,
    /// Whether the first run did.
    is_of_first: bool,
}

#[derive(Debug, Default)]
struct Counts {
    documents: u64,
    tokens: u64,
    words: u64,
    /// Tokens and different words, each time that the tokens had doubled.
    growth: Vec<(u64, u64)>,
}

/// What runs for one target have in common.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// The class that was looked for.
    pub target: String,
    /// Relevant documents that any run found.
    pub documents: u64,
    /// How many documents the engine can reach, by Chapman, from the first two runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chapman: Option<Estimate>,
    /// The same, by Chao, from how many documents one run found, and how many two: a lower bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chao1: Option<Estimate>,
    /// Each run.
    pub runs: Vec<Run>,
}

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// Relevant documents, twins and initial ones aside.
    pub documents: u64,
    /// Words in them.
    pub tokens: u64,
    /// Different words.
    pub words: u64,
    /// How the vocabulary grows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heaps: Option<Heaps>,
    /// Of the words of all other runs together, the share that this one has (Callan et al. 1999, "percentage of
    /// vocabulary learned").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vocabulary: Option<f64>,
    /// Of all other runs' tokens, the share whose word this one has (Callan et al. 1999, "ctf ratio").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctf_ratio: Option<f64>,
}

impl Projection for Runs {
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

impl Runs {
    /// Nothing yet; where `target` is `None`, it is that of the first query.
    pub fn new(target: Option<String>) -> Self {
        Runs { target: target.unwrap_or_default(), ..Runs::default() }
    }

    /// The records that follow are another run's.
    pub fn next(&mut self) {
        self.runs.push(Counts::default());
    }

    /// Relevant documents of the run that is read.
    pub fn documents(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.documents)
    }

    /// The class that the runs looked for; empty while it is not known.
    pub fn target(&self) -> &str {
        &self.target
    }

    fn count(&mut self, identity: &str, text: &str) {
        let at = self.runs.len();
        let Some(run) = self.runs.last_mut() else { return };
        let hash = blake3::hash(identity.as_bytes());
        let mut key = [0; 16];
        key.copy_from_slice(&hash.as_bytes()[..16]);
        let found =
            self.documents.entry(u128::from_le_bytes(key)).or_insert(Found { runs: 0, last: 0, is_of_first: at == 1 });
        if found.last == at as u32 {
            return;
        }
        (found.runs, found.last) = (found.runs + 1, at as u32);
        run.documents += 1;
        for term in terms(text).iter() {
            run.tokens += 1;
            if !self.words.contains_key(term) {
                self.words.insert(term.into(), Vec::new());
            }
            let Some(counts) = self.words.get_mut(term) else { continue };
            counts.resize(at, 0);
            run.words += u64::from(counts[at - 1] == 0);
            counts[at - 1] += 1;
        }
        if run.growth.last().is_none_or(|(tokens, _)| run.tokens >= 2 * tokens) {
            run.growth.push((run.tokens, run.words));
        }
    }

    /// What they have in common.
    pub fn compare(&self) -> Compared {
        let mut met: BTreeMap<u32, u64> = BTreeMap::new();
        let mut both = 0;
        for found in self.documents.values() {
            *met.entry(found.runs).or_default() += 1;
            both += u64::from(found.is_of_first && found.runs > 1);
        }
        let of = |times: u32| met.get(&times).copied().unwrap_or(0);
        let all = self.documents.len() as u64;
        let several = self.runs.len() > 1;
        let pair = (self.runs.len() == 2).then(|| chapman(self.runs[0].documents, self.runs[1].documents, both));
        Compared {
            target: self.target.clone(),
            documents: all,
            chapman: pair.map(Estimate::whole),
            chao1: several.then(|| chao1(all, of(1), of(2)).whole()),
            runs: (0..self.runs.len()).map(|at| self.run(at)).collect(),
        }
    }

    fn run(&self, at: usize) -> Run {
        let Counts { documents, tokens, words, growth } = &self.runs[at];
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
        let share = |part: u64, all: u64| (all > 0).then(|| (part as f64 / all as f64 * 1e4).round() / 1e4);
        let heaps = heaps(growth).map(Heaps::rounded);
        let (vocabulary, ctf_ratio) = (share(shared, others), share(shared_tokens, others_tokens));
        Run { documents: *documents, tokens: *tokens, words: *words, heaps, vocabulary, ctf_ratio }
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;
    use forage_record::Record;
    use forage_run::{Event, Projection};

    fn found(url: &str, text: &str, label: &str) -> Record {
        let json = serde_json::json!({
            "step": { "number": 1, "target": "slv" },
            "url": url, "text": text, "label": label,
        });
        Record::parse(json.to_string().into_bytes()).unwrap()
    }

    fn apply(runs: &mut Runs, record: Record) {
        runs.apply(&Event::from_record(&record)).unwrap();
    }

    #[test]
    fn documents_of_the_target_are_met_again_by_their_addresses() {
        let mut runs = Runs::new(None);
        runs.next();
        for url in ["a", "b", "b", "c"] {
            apply(&mut runs, found(url, "dober dan", "slv"));
        }
        apply(&mut runs, found("x", "good day", "eng"));
        runs.next();
        for url in ["b", "c", "d"] {
            apply(&mut runs, found(url, "dober večer", "slv"));
        }
        let compared = runs.compare();
        assert_eq!((compared.target.as_str(), compared.documents), ("slv", 4));
        assert_eq!((compared.runs[0].documents, compared.runs[1].documents), (3, 3));
        // 4 · 4 / 3 − 1.
        assert!((compared.chapman.unwrap().value - 4.0).abs() < 1.0);
        assert_eq!((compared.runs[0].words, compared.runs[0].tokens), (2, 6));
        assert_eq!((compared.runs[0].vocabulary, compared.runs[0].ctf_ratio), (Some(0.5), Some(0.5)));
    }

    #[test]
    fn one_run_alone_has_no_recapture() {
        let mut runs = Runs::new(Some("slv".into()));
        runs.next();
        apply(&mut runs, found("a", "dober dan", "slv"));
        let compared = runs.compare();
        assert!(compared.chapman.is_none() && compared.chao1.is_none() && compared.runs[0].ctf_ratio.is_none());
    }
}
