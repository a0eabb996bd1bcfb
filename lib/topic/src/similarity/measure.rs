//! The similarity measures, with the equations of Bracewell, Ren & Kuroiwa 2007.
//!
//! `K_q` and `K_i` are the sets of keyphrases of a sample and an article, `k_q` and `k_i` the
//! vectors of their scores, and `‖k‖` the Euclidean length of a vector.

use super::comparison::ArticleComparison;
use super::partial_match::PhraseMatch;
use super::vector::KeyphraseVector;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// A function of two keyphrase vectors that is greater the more the articles have in common.
///
/// For scores of at least 0, the values are from 0 to 1, except those of
/// [`SimilarityMeasure::Percentage`] and [`SimilarityMeasure::PrintedVectorCosine`], which have no
/// upper limit. A value is 0 if one of the vectors is empty, or if the quotient is not a finite
/// number, as with scores that are all 0.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "kebab-case")]
#[strum(parse_err_ty = UnknownMeasureError, parse_err_fn = UnknownMeasureError::from)]
pub enum SimilarityMeasure {
    /// `2·|K_q ∩ K_i| / (|K_q| + |K_i|)` (equation 2).
    Dice,
    /// `|K_q ∩ K_i| / |K_q ∪ K_i|` (equation 3).
    Jaccard,
    /// `|K_q ∩ K_i| / (√|K_q| · √|K_i|)` (equation 4).
    Cosine,
    /// `|K_q ∩ K_i| / min(|K_q|, |K_i|)` (equation 5).
    Overlap,
    /// `k_q · k_i / (Σ k_q + Σ k_i)` (equation 6). An article compared with itself does not have
    /// the value 1.
    Percentage,
    /// `k_q · k_i / (‖k_q‖ · ‖k_i‖)`: the cosine of the angle between both vectors. Equation 7 has
    /// a plus sign in place of the product, see [`SimilarityMeasure::PrintedVectorCosine`].
    VectorCosine,
    /// The vector cosine, with the products of keyphrases that share words added to the dot
    /// product, multiplied by Dice's coefficient of their words (figure 4). Not symmetric: the
    /// keyphrases of the sample choose.
    #[default]
    PartialCosine,
    /// `k_q · k_i / (‖k_q‖ + ‖k_i‖)`: the vector cosine as equation 7 is printed, for comparison.
    #[strum(serialize = "vector-cosine-printed")]
    PrintedVectorCosine,
    /// The partial cosine with weights `exp(score)`. NPScore is a logarithm; without it, frequent
    /// phrases have more weight. Ours, not of the paper.
    #[strum(serialize = "partial-cosine-unlogged")]
    UnloggedPartialCosine,
}

/// The name of a measure that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown measure; known are {}", known_names())]
pub struct UnknownMeasureError;

impl From<&str> for UnknownMeasureError {
    fn from(_name: &str) -> Self {
        UnknownMeasureError
    }
}

impl SimilarityMeasure {
    /// All measures: the seven of the paper in its order, then variants.
    pub const ALL: &'static [SimilarityMeasure] = Self::VARIANTS;

    /// Returns the name of the measure, as in `topic.measure`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the similarity of an article to a sample.
    pub fn compare(self, sample: &KeyphraseVector, article: &KeyphraseVector) -> f64 {
        self.evaluate(&ArticleComparison::new(sample, article))
    }

    /// Returns the similarity of two articles that have been compared.
    pub fn evaluate(self, comparison: &ArticleComparison<'_>) -> f64 {
        let matches = self.matches(comparison);
        let sum = matches.iter().map(|pair| self.term(comparison, pair)).sum();
        quotient(sum, self.denominator(comparison))
    }

    /// Returns the matches that the measure counts: equal keyphrases, and for the partial cosine
    /// those that share words.
    pub fn matches(self, comparison: &ArticleComparison<'_>) -> Vec<PhraseMatch> {
        let mut matches = comparison.equal_keyphrases().to_vec();
        if self.counts_partial_matches() {
            matches.extend(comparison.partial_matches());
        }
        matches
    }

    /// Returns the part of the similarity that is due to one match. The similarity is the sum over
    /// all matches.
    pub fn contribution(self, comparison: &ArticleComparison<'_>, pair: &PhraseMatch) -> f64 {
        quotient(self.term(comparison, pair), self.denominator(comparison))
    }

    /// Returns `true` if keyphrases that share words count.
    pub fn counts_partial_matches(self) -> bool {
        matches!(
            self,
            SimilarityMeasure::PartialCosine | SimilarityMeasure::UnloggedPartialCosine
        )
    }

    /// Returns the weight of a keyphrase in its vector.
    pub fn weight(self, score: f64) -> f64 {
        match self {
            SimilarityMeasure::UnloggedPartialCosine => libm::exp(score),
            _ => score,
        }
    }

    /// Returns the term of one match in the numerator.
    fn term(self, comparison: &ArticleComparison<'_>, pair: &PhraseMatch) -> f64 {
        match self {
            SimilarityMeasure::Dice => 2.0,
            SimilarityMeasure::Jaccard | SimilarityMeasure::Cosine | SimilarityMeasure::Overlap => {
                1.0
            }
            _ => {
                let [q, i] = comparison.scores(pair).map(|score| self.weight(score));
                pair.resemblance * q * i
            }
        }
    }

    fn denominator(self, comparison: &ArticleComparison<'_>) -> f64 {
        let vectors = comparison.vectors();
        let [q, i] = vectors.map(|vector| vector.len() as f64);
        match self {
            SimilarityMeasure::Dice => q + i,
            SimilarityMeasure::Jaccard => q + i - comparison.equal_keyphrases().len() as f64,
            SimilarityMeasure::Cosine => (q * i).sqrt(),
            SimilarityMeasure::Overlap => q.min(i),
            SimilarityMeasure::Percentage => {
                let [q, i] = vectors.map(|vector| vector.sum_scores(|score| score));
                q + i
            }
            SimilarityMeasure::PrintedVectorCosine => {
                let [q, i] = vectors.map(|vector| self.length(vector));
                q + i
            }
            SimilarityMeasure::VectorCosine
            | SimilarityMeasure::PartialCosine
            | SimilarityMeasure::UnloggedPartialCosine => {
                let [q, i] = vectors.map(|vector| self.length(vector));
                q * i
            }
        }
    }

    /// Returns the Euclidean length of a vector.
    pub fn length(self, vector: &KeyphraseVector) -> f64 {
        vector
            .sum_scores(|score| {
                let weight = self.weight(score);
                weight * weight
            })
            .sqrt()
    }
}

/// Returns `sum / denominator`, or 0 if that is not a finite number.
fn quotient(sum: f64, denominator: f64) -> f64 {
    let quotient = sum / denominator;
    // The sum of no terms is -0.
    if quotient.is_finite() {
        quotient + 0.0
    } else {
        0.0
    }
}

/// Returns the names of all measures, for messages.
fn known_names() -> String {
    let names: Vec<&str> = SimilarityMeasure::VARIANTS.iter().map(Into::into).collect();
    names.join(", ")
}
