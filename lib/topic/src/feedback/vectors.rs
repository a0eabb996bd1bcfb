//! Articles as vectors: the weights of their words times the inverse document frequency.

use super::TrainingArticle;
use super::article_words::ArticleWords;
use crate::numbering::{Numbering, enter};

/// Number of articles without a word that are added to those of the collection: the articles of a
/// run are few, and share the subject of their queries (BENCHMARKS.md, "Relevance feedback").
const PRIOR_ARTICLES: f64 = 100.0;

/// A word that occurs in a collection.
#[derive(Debug, Clone, Copy, Default)]
struct CollectionTerm {
    articles: u32,
    idf: f64,
}

/// The document frequencies of words in a collection of articles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Collection {
    /// Words whose numbers are the positions in dense vectors.
    terms: Numbering<CollectionTerm>,
    articles: f64,
}

/// The vector of an article, of length 1, or without components.
#[derive(Debug, Clone, Default)]
pub(crate) struct TermVector {
    /// Numbers and weights of words that occur in the collection, in the order of code points.
    components: Vec<(usize, f64)>,
}

impl Collection {
    /// Counts the words of the articles.
    pub(crate) fn new(articles: &[TrainingArticle]) -> Collection {
        let mut collection = Collection::default();
        for article in articles {
            for word in article.words.iter() {
                let (_, term) = enter(&mut collection.terms, word.text);
                term.articles = term.articles.saturating_add(1);
            }
        }
        collection.articles = articles.len() as f64;
        for term in collection.terms.values_mut() {
            term.idf = smoothed_idf(collection.articles, f64::from(term.articles));
        }
        collection
    }

    /// Returns the number of words, which is the length of dense vectors.
    pub(crate) fn term_count(&self) -> usize {
        self.terms.len()
    }

    /// Returns the vector of an article.
    pub(crate) fn vector(&self, words: &ArticleWords) -> TermVector {
        let mut components = Vec::with_capacity(words.len());
        let mut squares = 0.0;
        for word in words.iter() {
            let term = self.terms.get_full(word.text);
            let idf =
                term.map_or_else(|| smoothed_idf(self.articles, 0.0), |(_, _, term)| term.idf);
            let weight = word.weight * idf;
            squares += weight * weight;
            if let Some((number, _, _)) = term
                && weight > 0.0
            {
                components.push((number, weight));
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

    /// Returns the `count` words with the highest positive weights in a dense vector, the best
    /// first, and those with equal weights in the order of code points.
    pub(crate) fn highest_terms(&self, dense: &[f64], count: usize) -> Vec<&str> {
        let mut ranked: Vec<(f64, &str)> = self
            .terms
            .keys()
            .zip(dense)
            .map(|(word, weight)| (*weight, &**word))
            .filter(|(weight, _)| *weight > 0.0)
            .collect();
        ranked.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        ranked.iter().take(count).map(|(_, word)| *word).collect()
    }
}

/// Returns the inverse document frequency of a word that occurs in `df` of `n` articles:
/// ln((n + m + 1) / (df + 1/2)), where `m` is the number of added articles.
fn smoothed_idf(n: f64, df: f64) -> f64 {
    libm::log((n + PRIOR_ARTICLES + 1.0) / (df + 0.5))
}

impl TermVector {
    /// Returns `true` if no word of the article has a weight.
    pub(crate) fn is_empty(&self) -> bool {
        self.components.is_empty()
    }

    /// Returns the dot product with a dense vector.
    pub(crate) fn dot(&self, dense: &[f64]) -> f64 {
        let products = self.components.iter();
        // `sum` would start at -0.
        products.fold(0.0, |sum, (number, weight)| sum + weight * dense[*number])
    }

    fn add_to(&self, dense: &mut [f64]) {
        for (number, weight) in &self.components {
            dense[*number] += weight;
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
        // (4 + 100 + 1) / (2 + 0.5) = 42.
        assert!((smoothed_idf(4.0, 2.0) - 42f64.ln()).abs() < 1e-12);
    }
}
