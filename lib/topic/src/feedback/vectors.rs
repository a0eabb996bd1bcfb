//! Articles as vectors: tf·idf with an inverse document frequency that is smoothed by the
//! probabilities of words in the language.

use super::TrainingArticle;
use super::article_words::{ArticleWords, Stem};
use foldhash::HashMap;

/// Number of articles that the probabilities of words in the language count for, besides the
/// articles of the collection. Chosen on domains of Reuters-21578.
const PRIOR_ARTICLES: f64 = 100.0;

/// A stem that occurs in a collection.
#[derive(Debug, Clone, Copy)]
struct CollectionTerm {
    /// Position in dense vectors.
    number: u32,
    articles: u32,
    /// The greatest probability of the stem in an article.
    probability: f32,
    idf: f64,
}

/// The document frequencies of stems in a collection of articles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Collection {
    terms: HashMap<Box<str>, CollectionTerm>,
    articles: f64,
    /// Mean of the sums of the frequencies of an article.
    mean_length: f64,
}

/// The vector of an article, of length 1, or without components.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermVector {
    /// Numbers and weights of stems that occur in the collection, in the order of code points.
    components: Vec<(u32, f64)>,
}

impl Collection {
    /// Counts the stems of the articles.
    pub(crate) fn new(articles: &[TrainingArticle]) -> Collection {
        let mut collection = Collection::default();
        let mut length = 0.0;
        for article in articles {
            for stem in article.words.stems() {
                length += f64::from(stem.frequency);
                collection.count(stem);
            }
        }
        collection.articles = articles.len() as f64;
        collection.mean_length = length / collection.articles.max(1.0);
        let (n, mean_length) = (collection.articles, collection.mean_length);
        for term in collection.terms.values_mut() {
            term.idf = smoothed_idf(n, f64::from(term.articles), term.probability, mean_length);
        }
        collection
    }

    fn count(&mut self, stem: Stem<'_>) {
        if let Some(term) = self.terms.get_mut(stem.text) {
            term.articles = term.articles.saturating_add(1);
            term.probability = term.probability.max(stem.probability);
            return;
        }
        let term = CollectionTerm {
            number: u32::try_from(self.terms.len()).unwrap_or(u32::MAX),
            articles: 1,
            probability: stem.probability,
            idf: 0.0,
        };
        self.terms.insert(stem.text.into(), term);
    }

    /// Returns the number of stems, which is the length of dense vectors.
    pub(crate) fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// Returns the vector of an article.
    pub(crate) fn vector(&self, words: &ArticleWords) -> TermVector {
        let mut components = Vec::with_capacity(words.len());
        let mut squares = 0.0;
        for stem in words.stems() {
            let term = self.terms.get(stem.text);
            let idf = match term {
                Some(term) => term.idf,
                None => smoothed_idf(self.articles, 0.0, stem.probability, self.mean_length),
            };
            let weight = f64::from(stem.frequency) * idf;
            squares += weight * weight;
            if let Some(term) = term
                && weight > 0.0
            {
                components.push((term.number, weight));
            }
        }
        let length = squares.sqrt();
        if length > 0.0 {
            components
                .iter_mut()
                .for_each(|(_, weight)| *weight /= length);
        }
        TermVector { components }
    }

    /// Returns the `count` stems with the highest positive weights in a dense vector, the best
    /// first, and those with equal weights in the order of code points.
    pub(crate) fn highest_terms(&self, dense: &[f64], count: usize) -> Vec<&str> {
        let mut ranked: Vec<(f64, &str)> = self
            .terms
            .iter()
            .map(|(stem, term)| (dense[term.number as usize], &**stem))
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        ranked.iter().take(count).map(|(_, stem)| *stem).collect()
    }
}

/// Returns the inverse document frequency of a stem that occurs in `df` of `n` articles:
/// ln((n + m + 1) / (df + m·(1 − exp(−p·L)) + 1/2)), at least 0.
///
/// 1 − exp(−p·L) is the probability that an article of the mean length `L` has a word of the
/// probability `p`; `m` articles of the language are added to those of the collection, because the
/// articles of a run are few, and share the subject of their queries.
fn smoothed_idf(n: f64, df: f64, probability: f32, mean_length: f64) -> f64 {
    let expected = 1.0 - libm::exp(-f64::from(probability) * mean_length);
    let ratio = (n + PRIOR_ARTICLES + 1.0) / (df + PRIOR_ARTICLES * expected + 0.5);
    libm::log(ratio).max(0.0)
}

impl TermVector {
    /// Returns `true` if no stem of the article has a weight.
    pub(crate) fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Returns the dot product with a dense vector.
    pub(crate) fn dot(&self, dense: &[f64]) -> f64 {
        let products = self.components.iter();
        // `sum` would start at -0.
        products.fold(0.0, |sum, (number, weight)| {
            sum + weight * dense[*number as usize]
        })
    }

    fn add_to(&self, dense: &mut [f64]) {
        for (number, weight) in &self.components {
            dense[*number as usize] += weight;
        }
    }
}

/// Returns the mean of vectors, of dimension `term_count`; 0 if there is none.
pub(crate) fn centroid<'a>(
    vectors: impl ExactSizeIterator<Item = &'a TermVector>,
    term_count: usize,
) -> Vec<f64> {
    let count = vectors.len().max(1) as f64;
    let mut sum = vec![0.0; term_count];
    vectors.for_each(|vector| vector.add_to(&mut sum));
    sum.iter_mut().for_each(|weight| *weight /= count);
    sum
}

/// Returns a dense vector scaled to the length 1; unchanged if its length is 0.
pub(crate) fn normalise_length(mut dense: Vec<f64>) -> Vec<f64> {
    let length = dense.iter().fold(0.0, |sum, x| sum + x * x).sqrt();
    if length > 0.0 {
        dense.iter_mut().for_each(|weight| *weight /= length);
    }
    dense
}

#[cfg(test)]
mod tests {
    use super::smoothed_idf;

    #[test]
    fn the_idf_is_that_of_a_calculation_by_hand() {
        // (4 + 100 + 1) / (2 + 0 + 0.5) = 42.
        assert!((smoothed_idf(4.0, 2.0, 0.0, 300.0) - 42f64.ln()).abs() < 1e-12);
        // p · L = ln 2: half of the articles have the word. 105 / (4 + 50 + 0.5).
        let idf = smoothed_idf(4.0, 4.0, 0.5, 2.0 * 2f64.ln());
        assert!((idf - (105.0 / 54.5f64).ln()).abs() < 1e-7);
        // In all articles of the collection and of the language: 105 / 104.5, hardly above 0.
        assert!(smoothed_idf(4.0, 4.0, 1.0, 1e9) < 0.005);
        // More articles than there are cannot make it negative.
        assert_eq!(smoothed_idf(4.0, 9.0, 1.0, 1e9), 0.0);
    }
}
