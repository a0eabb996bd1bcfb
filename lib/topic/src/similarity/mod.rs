//! Similarity of two articles by their keyphrases (Bracewell, Ren & Kuroiwa 2007, section VI).
//!
//! An article is a [`KeyphraseVector`]: its keyphrases, with their scores as weights. Keyphrases
//! are equal if their keys are. A [`SimilarityMeasure`] compares two vectors; all are pure
//! functions. [`ArticleComparison`] is what the measures have in common: the equal keyphrases of
//! two vectors and, for the partial cosine, those that share words.

mod comparison;
mod measure;
mod partial_match;
#[cfg(test)]
mod tests;
mod threshold;
mod vector;
mod word_weights;

pub use comparison::ArticleComparison;
pub use measure::{SimilarityMeasure, UnknownMeasureError};
pub use partial_match::PhraseMatch;
pub use threshold::default_threshold;
pub use vector::KeyphraseVector;
pub use word_weights::word_weights;
