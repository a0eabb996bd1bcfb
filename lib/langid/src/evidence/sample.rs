//! The training data of a class (a language in one script): probabilities of words, and of n-grams
//! for languages for which only these are available.

use crate::code::LanguageCode;
use crate::script::Script;

/// The training data of a class.
#[derive(Debug, Clone)]
pub struct ClassSample {
    /// The language.
    pub code: LanguageCode,
    /// The script.
    pub script: Script,
    /// English name of the language; may be empty.
    pub name: String,
    /// Source of the sample, with its licence; may be empty.
    pub source: String,
    /// Size of the sample in tokens.
    pub sample_tokens: u64,
    /// Words (lower-cased, as [`crate::WordReader`] returns them) with their probabilities.
    pub words: Vec<(String, f64)>,
    /// N-grams with their probabilities, `_` for the blank, if no words are available.
    pub ngrams: Vec<(String, f64)>,
}
