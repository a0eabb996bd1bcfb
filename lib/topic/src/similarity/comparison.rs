//! What two articles have in common.

use super::partial_match::{PhraseMatch, partial_matches};
use super::vector::KeyphraseVector;

/// The keyphrases that a sample article and another article have in common.
#[derive(Debug)]
pub struct ArticleComparison<'a> {
    sample: &'a KeyphraseVector,
    article: &'a KeyphraseVector,
    /// The equal keyphrases, ordered by key.
    equal: Vec<PhraseMatch>,
}

impl<'a> ArticleComparison<'a> {
    /// Compares an article with a sample.
    pub fn new(sample: &'a KeyphraseVector, article: &'a KeyphraseVector) -> Self {
        ArticleComparison {
            sample,
            article,
            equal: merge_equal(sample, article),
        }
    }

    /// Returns the partial matches, in the order in which the partial cosine finds them.
    pub fn partial_matches(&self) -> Vec<PhraseMatch> {
        partial_matches(self.sample, self.article, &self.equal)
    }

    /// Returns the equal keyphrases, ordered by key.
    pub fn equal_keyphrases(&self) -> &[PhraseMatch] {
        &self.equal
    }

    /// Returns the two vectors: the sample's, the article's.
    pub(super) fn vectors(&self) -> [&'a KeyphraseVector; 2] {
        [self.sample, self.article]
    }

    /// Returns the scores of the two keyphrases of a match: in the sample, in the article.
    pub(super) fn scores(&self, pair: &PhraseMatch) -> [f64; 2] {
        [
            self.sample.keyphrases()[pair.in_sample].score,
            self.article.keyphrases()[pair.in_article].score,
        ]
    }
}

/// Returns the matches of equal keys, ordered by key: a merge of both vectors.
fn merge_equal(sample: &KeyphraseVector, article: &KeyphraseVector) -> Vec<PhraseMatch> {
    let mut others = article.keyphrases().iter().enumerate().peekable();
    let mut equal = Vec::new();
    for (in_sample, keyphrase) in sample.keyphrases().iter().enumerate() {
        while others
            .next_if(|(_, other)| other.key < keyphrase.key)
            .is_some()
        {}
        if let Some((in_article, _)) = others.next_if(|(_, other)| other.key == keyphrase.key) {
            equal.push(PhraseMatch {
                in_sample,
                in_article,
                resemblance: 1.0,
            });
        }
    }
    equal
}
