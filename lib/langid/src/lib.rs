//! Language identification by words and character n-grams.
//!
//! Two methods are here. By evidence, the default, each word and n-gram speaks for the languages
//! that use it (after T. Jauhiainen, K. Lindén and H. Jauhiainen's HeLI; see the module
//! `evidence`). Out of place, a language is its 400 most frequent n-grams, ranked, and a text is in
//! the language in whose ranks its own are least out of place (W. B. Cavnar and J. M. Trenkle,
//! "N-gram-based text categorization", SDAIR-94, 1994). A [`ProfileLearner`] makes a [`Profile`] from text
//! or from a word list, a [`Model`] bundles profiles, an [`Identifier`] answers. No file is opened
//! here: profiles and models come and go as bytes.
//!
//! ```
//! let identifier = forage_langid::Identifier::builtin();
//! let found = identifier.identify("Danes je lep dan, zato bomo šli na sprehod do jezera.");
//! assert_eq!((found.code.as_str(), found.script.as_str()), ("slv", "Latn"));
//! ```

mod alphabet;
pub mod bootstrap;
mod classes;
mod code;
mod distance;
mod evidence;
mod identify;
mod method;
mod model;
mod ngram;
mod paragraphs;
mod profile;
mod profile_file;
mod ranks;
mod score;
mod script;
mod words;

pub use classes::{LanguageClass, ModelError};
pub use code::{InvalidCode, LanguageCode};
pub use evidence::build::EvidenceLimits;
pub use evidence::sample::ClassSample;
pub use identify::{Identification, Identifier, Scratch, UnknownLanguage};
pub use method::{Method, UnknownMethod};
pub use model::{Model, pack_evidence, pack_ranks};
pub use ngram::NGram;
pub use profile::{
    MISSING_NGRAM_COST, NoLettersError, PROFILE_SIZE, Profile, ProfileLearner, SampleSize,
    out_of_place_distance,
};
pub use profile_file::ProfileError;
pub use script::Script;
pub use words::WordReader;
