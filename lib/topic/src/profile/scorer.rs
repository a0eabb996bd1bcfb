//! Comparison of a document with a profile.

use super::entry::{EntryKind, ProfileEntry, TopicProfile};
use super::passages::best_passage;
use super::scores::MetricScores;
use super::term_vector::{StemFrequencies, TermWeights, log_frequency};
use super::words::{ContentWord, ContentWords};
use crate::numbering::{Numbering, enter};
use foldhash::{HashMap, HashSet};

/// Computes the scores of documents. Keeps its buffers for the next document.
#[derive(Debug)]
pub struct ProfileScorer {
    words: ContentWords,
    /// Weights of the terms in the vector space model, by the number of the stem.
    weights: TermWeights,
    /// Number of each pair and triple, by the numbers of its stems.
    pairs: HashMap<[u32; 2], usize>,
    triples: HashMap<[u32; 3], usize>,
    document: Vec<ContentWord>,
    frequencies: StemFrequencies,
    found_pairs: HashSet<usize>,
    found_triples: HashSet<usize>,
}

impl ProfileScorer {
    /// Creates a scorer for a profile.
    pub fn new(profile: &TopicProfile) -> ProfileScorer {
        ProfileScorer::with_weights(profile, ProfileEntry::vector_weight, log_frequency)
    }

    /// Creates a scorer whose weights are frequencies, of terms in the core and of stems in a text
    /// (Kluev 2000, section 4: lists of terms with their frequencies). A damping factor of all
    /// weights, as there, does not change a cosine.
    pub fn by_frequencies(profile: &TopicProfile) -> ProfileScorer {
        ProfileScorer::with_weights(profile, |term| term.count.max(1.0), f64::from)
    }

    fn with_weights(
        profile: &TopicProfile,
        of_term: fn(&ProfileEntry) -> f64,
        in_text: fn(u32) -> f64,
    ) -> ProfileScorer {
        let mut stems = Numbering::default();
        let mut weights = TermWeights {
            weights: Vec::new(),
            norm: 0.0,
            count: 0,
            in_text,
        };
        // Terms come first, so that their numbers are their places among the weights.
        for entry in profile.entries_of(EntryKind::Term) {
            enter(&mut stems, &entry.stems);
            weights.weights.push(of_term(entry));
        }
        weights.count = weights.weights.len();
        weights.norm = weights.weights.iter().map(|w| w * w).sum::<f64>().sqrt();
        let (mut pairs, mut triples) = (HashMap::default(), HashMap::default());
        for entry in &profile.entries {
            let parts = entry.stems.split(' ');
            let key: Vec<u32> = parts.map(|stem| enter(&mut stems, stem).0).collect();
            match key[..] {
                [a, b] => _ = pairs.insert([a, b], pairs.len()),
                [a, b, c] => _ = triples.insert([a, b, c], triples.len()),
                _ => {}
            }
        }
        ProfileScorer {
            words: ContentWords::new(profile.language, stems),
            weights,
            pairs,
            triples,
            document: Vec::new(),
            frequencies: StemFrequencies::default(),
            found_pairs: HashSet::default(),
            found_triples: HashSet::default(),
        }
    }

    /// Returns the scores of a document. Runs in time linear in the length of the text.
    pub fn score(&mut self, text: &str) -> MetricScores {
        self.document.clear();
        let length = self
            .words
            .for_each(text, |word, _| self.document.push(word));
        self.frequencies.extend(self.words.stem_count());
        self.find_collocations();
        for word in &self.document {
            self.frequencies.add(word.stem);
        }
        let mut found_terms = 0;
        let is_term = |stem: u32| (stem as usize) < self.weights.count;
        let (product, squared_norm) = self.frequencies.take_products(&self.weights, |stem| {
            found_terms += usize::from(is_term(stem));
        });
        let share = |found: usize, all: usize| found as f64 / all.max(1) as f64;
        MetricScores {
            term: share(found_terms, self.weights.count),
            pair: share(self.found_pairs.len(), self.pairs.len()),
            triple: share(self.found_triples.len(), self.triples.len()),
            vsm: self.weights.cosine(product, squared_norm),
            passage: best_passage(&self.document, length, &self.weights, &mut self.frequencies),
        }
    }

    /// Finds the pairs and triples of the profile in the document.
    fn find_collocations(&mut self) {
        self.found_pairs.clear();
        self.found_triples.clear();
        let mut previous: Option<(ContentWord, Option<u32>)> = None;
        for word in &self.document {
            // The stems of the one or two adjacent words before this one.
            let before = previous
                .filter(|_| word.is_adjacent)
                .map(|(before, earlier)| (before.stem, earlier));
            if let Some((b, earlier)) = before {
                if let Some(found) = self.pairs.get(&[b, word.stem]) {
                    self.found_pairs.insert(*found);
                }
                if let Some(a) = earlier
                    && let Some(found) = self.triples.get(&[a, b, word.stem])
                {
                    self.found_triples.insert(*found);
                }
            }
            previous = Some((*word, before.map(|(stem, _)| stem)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scorer(lines: &str) -> ProfileScorer {
        ProfileScorer::new(&TopicProfile::parse(lines.as_bytes()).unwrap())
    }

    #[test]
    fn shares_are_of_the_entries_that_occur_however_often() {
        let mut scorer =
            scorer("term\tgraph\t1\nterm\ttree\t1\npair\tbinari tree\t1\npair\tgraph theori\t1\n");
        let scores = scorer.score("A binary tree, a binary tree; graph. theory");
        assert_eq!((scores.term, scores.pair, scores.triple), (1.0, 0.5, 0.0));
    }

    #[test]
    fn a_triple_is_three_adjacent_words() {
        let mut scorer = scorer("triple\tbinari search tree\t1\npair\tsearch tree\t1\n");
        assert_eq!(scorer.score("binary search trees").triple, 1.0);
        let parted = scorer.score("the binary of search trees");
        assert_eq!((parted.triple, parted.pair), (0.0, 1.0));
    }

    #[test]
    fn the_cosine_is_that_of_a_calculation_by_hand() {
        let mut scorer = scorer("term\tgraph\t1\t2\nterm\ttree\t1\t1\n");
        let scores = scorer.score("graph graph tree house");
        let graph = 1.0 + libm::log(2.0);
        let expected = (2.0 * graph + 1.0) / ((graph * graph + 2.0).sqrt() * 5f64.sqrt());
        assert!((scores.vsm - expected).abs() < 1e-12);
    }

    #[test]
    fn frequencies_are_weights_whatever_the_file_has() {
        let profile = TopicProfile::parse(b"term\tgraph\t3\t2\nterm\ttree\t1\n").unwrap();
        let scores = ProfileScorer::by_frequencies(&profile).score("graph graph tree house");
        let expected = (3.0 * 2.0 + 1.0) / (6f64.sqrt() * 10f64.sqrt());
        assert!((scores.vsm - expected).abs() < 1e-12);
        assert_eq!(scores.vsm, scores.passage);
    }

    #[test]
    fn a_document_does_not_depend_on_the_one_before() {
        let mut scorer = scorer("term\tgraph\t1\npair\tgraph theori\t1\n");
        let first = scorer.score("graph theory");
        assert_eq!(scorer.score("nothing of it"), MetricScores::default());
        assert_eq!(scorer.score("graph theory"), first);
    }

    #[test]
    fn a_text_without_words_has_no_scores() {
        let mut scorer = scorer("term\tgraph\t1\n");
        for text in ["", "…— 🙂 %%", "\n\n\n", "\u{0}"] {
            assert_eq!(scorer.score(text), MetricScores::default(), "{text:?}");
        }
    }
}
