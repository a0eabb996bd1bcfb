//! The weights of terms by relevance feedback.

use crate::strategy::regions::SampledDocument;
use foldhash::HashMap;

/// Share of the sample articles in the weights; the rest is that of the relevant documents. Rocchio
/// (1971) leaves the shares open; equal ones keep the collection at its subject. Set by judgement,
/// not measured.
const SAMPLE_SHARE: f64 = 0.5;

/// Maximum number of sample articles that have their turn. Set by judgement, so that the cost of a
/// query is bounded.
pub(super) const MAX_TURNS: usize = 16;

/// The documents from which terms are weighted.
#[derive(Debug)]
pub(super) struct RetrievedDocuments {
    /// The sample articles.
    samples: Vec<SampledDocument>,
    /// Relevant documents, retrieved by queries.
    relevant: Vec<SampledDocument>,
    nonrelevant: Vec<SampledDocument>,
}

impl RetrievedDocuments {
    /// Divides the documents of the target into sample articles, which no logged query has
    /// retrieved, and the others.
    pub fn new(target: Vec<SampledDocument>, nonrelevant: Vec<SampledDocument>) -> Self {
        let (relevant, samples) = target
            .into_iter()
            .partition(|document| document.query.is_some());
        RetrievedDocuments {
            samples,
            relevant,
            nonrelevant,
        }
    }

    /// Returns the number of sample articles that have their turn; 1 if there are none.
    pub fn turns(&self) -> usize {
        self.samples.len().clamp(1, MAX_TURNS)
    }

    /// Returns the number of documents that queries have retrieved.
    pub fn retrieved(&self) -> usize {
        self.relevant.len() + self.nonrelevant.len()
    }

    /// Returns the number of retrieved documents that contain all of these terms, and the number of
    /// relevant ones among them.
    pub fn count_matching(&self, terms: &[u32]) -> (usize, usize) {
        let matches = |document: &&SampledDocument| {
            let contains = |term| document.terms.binary_search(term).is_ok();
            terms.iter().all(contains)
        };
        let relevant = self.relevant.iter().filter(matches).count();
        let nonrelevant = self.nonrelevant.iter().filter(matches).count();
        (relevant + nonrelevant, relevant)
    }

    fn all(&self) -> impl Iterator<Item = &SampledDocument> {
        self.samples
            .iter()
            .chain(&self.relevant)
            .chain(&self.nonrelevant)
    }
}

/// Returns all terms with a positive weight for the subject of a sample article, given its index,
/// in descending order of weight; terms of equal weight in order of first occurrence in the
/// journal.
///
/// The vector of a document is tf · idf, divided by its length, with idf = ln((n + 1) / (df + ½))
/// over the n documents. The weight of a term is that in ½ s + ½ r − m, where s is the vector of
/// the sample article, r the mean vector of the relevant documents to which it is the nearest
/// sample, and m that of all documents. Without such documents, r is s. Sample articles that have
/// no turn count as relevant documents.
pub(super) fn rank_terms(documents: &RetrievedDocuments, sample: usize) -> Vec<(u32, f64)> {
    let collection = DocumentFrequencies::new(documents.all());
    let turns = documents.turns();
    let samples: Vec<Vec<f64>> = (0..turns)
        .map(|number| collection.mean_vector(documents.samples.get(number).into_iter()))
        .collect();
    let others = documents.samples.iter().skip(turns);
    let own: Vec<&SampledDocument> = others
        .chain(&documents.relevant)
        .filter(|document| collection.nearest(document, &samples) == Some(sample))
        .collect();
    let mean = collection.mean_vector(documents.all());
    let relevant = collection.mean_vector(own.iter().copied());
    let Some(sample) = samples.get(sample) else {
        return Vec::new();
    };
    let relevant = if own.is_empty() { sample } else { &relevant };
    let mut ranking: Vec<(u32, f64)> = collection
        .numbers
        .iter()
        .map(|(term, &number)| {
            let feedback = SAMPLE_SHARE * sample[number] + (1.0 - SAMPLE_SHARE) * relevant[number];
            (*term, feedback - mean[number])
        })
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    ranking.sort_unstable_by(|(a, first), (b, second)| second.total_cmp(first).then(a.cmp(b)));
    ranking
}

/// The terms of a collection with their inverse document frequencies.
#[derive(Debug, Default)]
struct DocumentFrequencies {
    /// The position of each term in dense vectors.
    numbers: HashMap<u32, usize>,
    /// The inverse document frequencies, a dense vector.
    idf: Vec<f64>,
}

impl DocumentFrequencies {
    fn new<'a>(documents: impl Iterator<Item = &'a SampledDocument>) -> Self {
        let mut collection = DocumentFrequencies::default();
        let mut frequencies: Vec<u64> = Vec::new();
        let mut count = 0_u64;
        for document in documents {
            count += 1;
            for term in &document.terms {
                let next = frequencies.len();
                let number = *collection.numbers.entry(*term).or_insert(next);
                if number == next {
                    frequencies.push(0);
                }
                frequencies[number] += 1;
            }
        }
        let idf = |df: u64| libm::log((count + 1) as f64 / (df as f64 + 0.5)).max(0.0);
        collection.idf = frequencies.into_iter().map(idf).collect();
        collection
    }

    /// Returns the mean of the unit vectors of documents, a dense vector; 0 if there are none.
    fn mean_vector<'a>(&self, documents: impl Iterator<Item = &'a SampledDocument>) -> Vec<f64> {
        let mut mean = vec![0.0; self.idf.len()];
        let mut count = 0_u64;
        for document in documents {
            count += 1;
            let weights: Vec<(usize, f64)> = self.weights(document).collect();
            let length = weights.iter().map(|(_, w)| w * w).sum::<f64>().sqrt();
            if length > 0.0 {
                for (number, weight) in weights {
                    mean[number] += weight / length;
                }
            }
        }
        mean.iter_mut().for_each(|sum| *sum /= count.max(1) as f64);
        mean
    }

    /// Returns the index of the vector that is most similar to a document, the first of equal ones.
    fn nearest(&self, document: &SampledDocument, vectors: &[Vec<f64>]) -> Option<usize> {
        let similarity = |vector: &Vec<f64>| -> f64 {
            let weights = self.weights(document);
            weights
                .map(|(number, weight)| weight * vector[number])
                .sum()
        };
        let similarities: Vec<f64> = match vectors {
            [_] => return Some(0),
            vectors => vectors.iter().map(similarity).collect(),
        };
        (0..vectors.len()).reduce(|best, next| {
            if similarities[next] > similarities[best] {
                next
            } else {
                best
            }
        })
    }

    /// Returns tf · idf of the terms of a document.
    fn weights(&self, document: &SampledDocument) -> impl Iterator<Item = (usize, f64)> {
        let terms = document.terms.iter().zip(&document.frequencies);
        terms.filter_map(|(term, tf)| {
            let number = *self.numbers.get(term)?;
            Some((number, f64::from(*tf) * self.idf[number]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{RetrievedDocuments, rank_terms};
    use crate::strategy::regions::SampledDocument;

    fn document(terms: &[(u32, u32)], is_retrieved: bool) -> SampledDocument {
        SampledDocument {
            terms: terms.iter().map(|(term, _)| *term).collect(),
            frequencies: terms.iter().map(|(_, tf)| *tf).collect(),
            query: is_retrieved.then_some(0),
        }
    }

    #[test]
    fn weights_agree_with_a_manual_calculation() {
        let documents = RetrievedDocuments::new(
            vec![document(&[(1, 1), (2, 1)], false)],
            vec![document(&[(2, 1), (3, 1)], true), document(&[(2, 2)], true)],
        );
        // n = 3: idf 1 and 3 = ln(4 / 1.5), idf 2 = ln(4 / 3.5).
        let (rare, frequent) = ((4.0_f64 / 1.5).ln(), (4.0_f64 / 3.5).ln());
        let length = (rare * rare + frequent * frequent).sqrt();
        // The sample is also the mean of the relevant documents, and a third of the mean of all.
        let [(term, weight)] = rank_terms(&documents, 0)[..] else {
            panic!("{:?}", rank_terms(&documents, 0));
        };
        assert_eq!(term, 1);
        assert!((weight - rare / length * 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn relevant_documents_add_their_terms_and_others_remove_theirs() {
        let documents = RetrievedDocuments::new(
            vec![
                document(&[(1, 2), (2, 1)], false),
                document(&[(1, 1), (4, 1)], true),
            ],
            vec![document(&[(2, 3)], true), document(&[(2, 1), (3, 1)], true)],
        );
        let ranked: Vec<u32> = rank_terms(&documents, 0)
            .iter()
            .map(|(term, _)| *term)
            .collect();
        assert_eq!(ranked, [1, 4]);
        assert_eq!(
            (documents.retrieved(), documents.count_matching(&[2])),
            (3, (2, 0))
        );
    }

    #[test]
    fn each_sample_has_the_terms_of_the_documents_nearest_to_it() {
        let target = vec![
            document(&[(1, 1), (5, 1)], false),
            document(&[(2, 1), (6, 1)], false),
            document(&[(1, 1), (7, 1)], true),
            document(&[(2, 1), (8, 1)], true),
        ];
        let documents = RetrievedDocuments::new(target, vec![document(&[(9, 1)], true)]);
        let terms = |sample| {
            let ranking = rank_terms(&documents, sample).into_iter();
            let mut terms: Vec<u32> = ranking.map(|(term, _)| term).collect();
            terms.sort_unstable();
            terms
        };
        assert_eq!(
            (documents.turns(), terms(0), terms(1)),
            (2, vec![1, 5, 7], vec![2, 6, 8])
        );
    }

    #[test]
    fn samples_that_have_no_turn_are_documents_of_the_nearest() {
        let sample = |n: u32| document(&[(n, 1), (100, 1)], false);
        let mut target: Vec<SampledDocument> = (0..16).map(sample).collect();
        target.push(document(&[(3, 1), (200, 1)], false));
        let documents = RetrievedDocuments::new(target, Vec::new());
        let has_term = |sample| {
            rank_terms(&documents, sample)
                .iter()
                .any(|(term, _)| *term == 200)
        };
        assert_eq!(documents.turns(), 16);
        assert!(has_term(3) && !has_term(4));
    }

    #[test]
    fn without_documents_there_are_no_terms() {
        assert!(rank_terms(&RetrievedDocuments::new(Vec::new(), Vec::new()), 0).is_empty());
    }
}
