//! Language identification by words and character n-grams.
//!
//! There are two methods. `evidence`, the default, adds up evidence scores of words and n-grams
//! (after HeLI by T. Jauhiainen, K. Lindén and H. Jauhiainen; see the module `evidence`).
//! `out-of-place` represents a language by its 400 most frequent n-grams, ranked, and chooses the
//! language whose ranks are nearest to those of the text (W. B. Cavnar and J. M. Trenkle,
//! "N-gram-based text categorization", SDAIR-94, 1994).
//!
//! A [`ProfileLearner`] builds a [`Profile`] from text or from a word list, a [`Model`] bundles
//! profiles, and an [`Identifier`] identifies texts. Nothing here opens a file: profiles and models
//! are read from and written to bytes.
//!
//! ```
//! let identifier = forage_langid::Identifier::builtin();
//! let result = identifier.identify("Danes je lep dan, zato bomo šli na sprehod do jezera.");
//! assert_eq!((result.code.as_str(), result.script.as_str()), ("slv", "Latn"));
//! ```

pub mod bootstrap;
mod char_table;
mod classes;
mod code;
mod distance;
mod evidence;
mod identify;
mod macrolanguage;
mod method;
mod model;
mod ngram;
mod paragraphs;
mod profile;
mod profile_file;
mod rank_scores;
mod ranks;
mod script;
mod word_probability;
mod words;

pub use classes::{LanguageClass, ModelError};
pub use code::{InvalidCode, LanguageCode, code_aliases};
pub use evidence::build::EvidenceLimits;
pub use evidence::sample::ClassSample;
pub use identify::{Identification, Identifier, Scratch, UnknownLanguage};
pub use macrolanguage::macrolanguage_members;
pub use method::{Method, UnknownMethod};
pub use model::{Model, pack_evidence, pack_ranks};
pub use ngram::NGram;
pub use profile::{
    MISSING_NGRAM_COST, NoLettersError, PROFILE_SIZE, Profile, ProfileLearner, SampleSize,
    out_of_place_distance,
};
pub use profile_file::ProfileError;
pub use script::Script;
pub use word_probability::WordProbabilities;
pub use words::WordReader;
