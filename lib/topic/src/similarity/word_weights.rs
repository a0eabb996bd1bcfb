//! An upper bound on similarities that an index of words can compute.

use super::measure::SimilarityMeasure;
use super::vector::KeyphraseVector;

/// Returns the weight of each word of a vector, in the order of [`KeyphraseVector::words`], from 0
/// to 1; `None` if the measure has no such bound.
///
/// The similarity of two articles is at most the sum over their common words of the products of
/// the weights. The weight of a word `w` is `√(Σ s²/n) / ‖k‖` over the keyphrases that have it,
/// where `s` is the weight of a keyphrase, `n` the number of its words, and `‖k‖` the length of the
/// vector; all weights are 0 if that is not a positive number, because all similarities are then 0.
///
/// Proof for the partial cosine: a match of keyphrases with `n` and `m` words, of which they share
/// `c`, has a resemblance of `2c/(n + m) ≤ c/√(nm)`, so its term is at most the sum over the shared
/// words of `(s/√n)(t/√m)`. As no keyphrase is in two matches, the terms of one word are the inner
/// product of parts of two vectors, which by Cauchy and Schwarz is at most the product of their
/// lengths. The vector cosine is no greater; the cosine coefficient is the vector cosine of equal
/// weights, and `jaccard ≤ dice ≤ cosine`.
pub fn word_weights(measure: SimilarityMeasure, vector: &KeyphraseVector) -> Option<Vec<f64>> {
    let weight: fn(SimilarityMeasure, f64) -> f64 = match measure {
        SimilarityMeasure::Dice | SimilarityMeasure::Jaccard | SimilarityMeasure::Cosine => {
            |_, _| 1.0
        }
        SimilarityMeasure::VectorCosine
        | SimilarityMeasure::PartialCosine
        | SimilarityMeasure::UnloggedPartialCosine => SimilarityMeasure::weight,
        SimilarityMeasure::Overlap
        | SimilarityMeasure::Percentage
        | SimilarityMeasure::PrintedVectorCosine => return None,
    };
    let square = |score: f64| weight(measure, score) * weight(measure, score);
    let length_squared = vector.sum_scores(square);
    let squares = (0..vector.words().len()).map(|word| {
        let keyphrases = vector.keyphrases_with_word(word).iter();
        keyphrases
            .map(|&number| {
                let words = vector.words_of_keyphrase(number).len();
                square(vector.keyphrases()[number].score) / words as f64
            })
            .sum::<f64>()
    });
    Some(
        squares
            .map(|square| (square / length_squared).sqrt())
            .map(|weight| if weight.is_finite() { weight } else { 0.0 })
            .collect(),
    )
}
