//! What a class (a language in a script) is known from: the probabilities of its words, and of
//! n-grams where only these are known.

use crate::code::LanguageCode;
use crate::script::Script;

/// The sample of a class.
#[derive(Debug, Clone)]
pub struct ClassSample {
    /// The language.
    pub code: LanguageCode,
    /// The script.
    pub script: Script,
    /// English name of the language; may be empty.
    pub name: String,
    /// Where the sample came from, with its licence; may be empty.
    pub source: String,
    /// Size of the sample in words.
    pub sample_tokens: u64,
    /// Words (lower-cased, as [`crate::WordReader`] gives them) with their probabilities.
    pub words: Vec<(String, f64)>,
    /// N-grams with their probabilities, `_` for the blank, where words are not known.
    pub grams: Vec<(String, f64)>,
}
