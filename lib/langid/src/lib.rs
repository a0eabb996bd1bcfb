//! Language identification by words and character n-grams.
//!
//! The built-in model is part of the compiled crate. Nothing here opens a file, reads the clock or
//! uses the network: models and profiles are read from bytes and written to bytes.
//!
//! # Identify a text
//!
//! An [`Identifier`] returns the language, its script, and the probability that the language is
//! right. The language is `und` (undetermined) for texts that are not natural language and for
//! texts that resemble no known language.
//!
//! ```
//! use forage_langid::{Identifier, LanguageCode};
//!
//! let identifier = Identifier::builtin();
//! let result = identifier.identify("Danes je lep dan, zato bomo šli na sprehod do jezera.");
//! assert_eq!(result.code.as_str(), "slv");
//! assert_eq!(result.script.as_str(), "Latn");
//! assert!(result.score > 0.9);
//!
//! let result = identifier.identify("for (int i = 0; i < n; i++) { sum += a[i]; }");
//! assert_eq!(result.code, LanguageCode::UNDETERMINED);
//! ```
//!
//! # Identify many texts
//!
//! Create one identifier, which takes 1 to 2 ms, and share it between threads. Each thread keeps a
//! [`Scratch`], whose buffers are reused from text to text.
//!
//! ```
//! use forage_langid::{Identifier, LanguageCode, Scratch};
//!
//! let identifier = Identifier::builtin();
//! let identify_all = |texts: &[&str]| -> Vec<LanguageCode> {
//!     let mut scratch = Scratch::default();
//!     let identify = |text: &&str| identifier.identify_with(&mut scratch, text).code;
//!     texts.iter().map(identify).collect()
//! };
//! let texts = [
//!     "The train was late again, so we walked home through the snow.",
//!     "Der Zug hatte wieder Verspätung, deshalb gingen wir zu Fuß nach Hause.",
//!     "Juna oli taas myöhässä, joten kävelimme kotiin lumen läpi.",
//!     "Vonat megint késett, ezért gyalog mentünk haza a hóban.",
//! ];
//! let (left, right) = texts.split_at(2);
//! let codes = std::thread::scope(|scope| {
//!     let first = scope.spawn(|| identify_all(left));
//!     let second = identify_all(right);
//!     [first.join().unwrap(), second].concat()
//! });
//! assert_eq!(codes.iter().map(|code| code.as_str()).collect::<Vec<_>>(), [
//!     "eng", "deu", "fin", "hun"
//! ]);
//! ```
//!
//! # Choose the languages
//!
//! If the possible languages are known, [`Identifier::restrict_to`] improves the accuracy on short
//! texts and in related languages. A [`LanguageCode`] is parsed from ISO 639-3 or 639-1; a member
//! of a macrolanguage that the model does not distinguish becomes the code of the class that
//! covers it ([`code_aliases`]).
//!
//! ```
//! use forage_langid::{Identifier, LanguageCode};
//!
//! let mut identifier = Identifier::builtin();
//! let codes: Vec<LanguageCode> = ["nb", "swe", "dan"]
//!     .iter()
//!     .map(|code| code.parse())
//!     .collect::<Result<_, _>>()?;
//! identifier.restrict_to(&codes)?;
//! assert_eq!(identifier.identify("Hva heter du?").code.as_str(), "nob");
//!
//! let classes: Vec<_> = identifier.classes().map(|class| (class.name, class.script)).collect();
//! assert!(classes.iter().any(|(name, script)| *name == "Danish" && script.as_str() == "Latn"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Add a language
//!
//! A [`ProfileLearner`] builds a [`Profile`] from text or from a word list. Added profiles compete
//! with the languages of the model. [`Profile::to_text`] and [`Profile::from_text`] write and read
//! the files of the program `ngram-profile`.
//!
//! ```
//! use forage_langid::{Identifier, Profile, ProfileLearner};
//!
//! let sample = "Mi voli dolu makra teni, sa makra dolu feri. Voli teni sa mi feri loma!";
//! let mut learner = ProfileLearner::default();
//! learner.add_text(sample);
//! let (profile, size) = learner.finish("qaa".parse()?, "Example", "written for this page")?;
//! assert_eq!(size.tokens, 15);
//!
//! let mut identifier = Identifier::builtin();
//! identifier.add_profiles(&[Profile::from_text(profile.to_text().as_bytes())?])?;
//! assert_eq!(identifier.identify("Makra loma, sa teni voli dolu.").code.as_str(), "qaa");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Use another model
//!
//! A [`Model`] bundles profiles. [`Model::from_bytes`] reads the file that `ngram-profile --pack`
//! or [`Model::to_bytes`] wrote; it checks the bytes and never panics.
//!
//! ```
//! use forage_langid::{Identifier, Model, ProfileLearner};
//!
//! let learn = |code: &str, sample: &str| -> Result<_, Box<dyn std::error::Error>> {
//!     let mut learner = ProfileLearner::default();
//!     learner.add_text(sample);
//!     Ok(learner.finish(code.parse()?, "", "")?.0)
//! };
//! let profiles = [
//!     learn("slv", "Danes je lep dan, zato bomo šli na sprehod.")?,
//!     learn("eng", "It is a fine day today, so we will go for a walk.")?,
//! ];
//! let file: Vec<u8> = Model::from_profiles(&profiles)?.to_bytes();
//!
//! let identifier = Identifier::new(Model::from_bytes(&file)?);
//! assert_eq!(identifier.identify("Danes bomo šli").code.as_str(), "slv");
//! assert!(Model::from_bytes(&file[1..]).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Methods
//!
//! There are two ([`Method`]). `evidence`, the default, adds up evidence scores of words and
//! n-grams (after HeLI by T. Jauhiainen, K. Lindén and H. Jauhiainen; see the module `evidence`).
//! `out-of-place` represents a language by its 400 most frequent n-grams, ranked, and chooses the
//! language whose ranks are nearest to those of the text (W. B. Cavnar and J. M. Trenkle,
//! "N-gram-based text categorization", SDAIR-94, 1994).

//!
//! # The model
//!
//! The package of this crate has a compact model, which a checkout of Forage has in full: it knows
//! the same languages by fewer words and n-grams. It has no ranks for `out-of-place`, which then
//! knows only the profiles and models that you add.
//!
//! # Feature
//!
//! `tools` adds what the programs of Forage need to build models and to filter corpora. It is not
//! documented here, and changes without notice.

mod char_table;
mod classes;
mod code;
mod distance;
mod evidence;
mod expectation;
mod format;
mod identify;
mod language_name;
mod legacy_font;
mod macrolanguage;
mod method;
mod model;
mod model_header;
mod ngram;
#[cfg(feature = "tools")]
mod ngram_sample;
mod paragraphs;
mod profile;
mod profile_file;
mod rank_scores;
mod ranks;
mod script;
#[cfg(feature = "tools")]
mod word_probability;
mod words;

pub use classes::LanguageClass;
pub use code::{InvalidCode, LanguageCode, code_aliases, language_tag};
pub use identify::{Identification, Identifier, InvalidPrior, Prior, Scratch, UnknownLanguage};
pub use language_name::language_name;
pub use legacy_font::LegacyFont;
pub use macrolanguage::macrolanguage_members;
pub use method::{Method, UnknownMethod};
pub use model::Model;
pub use model_header::ModelError;
pub use profile::{NoLettersError, Profile, ProfileLearner, SampleSize};
pub use profile_file::ProfileError;
pub use script::Script;

#[cfg(feature = "tools")]
pub use {
    evidence::build::EvidenceLimits,
    evidence::file::EvidenceModel,
    evidence::sample::ClassSample,
    identify::RejectFeatures,
    ngram::NGram,
    ngram_sample::NGramSample,
    profile::{MISSING_NGRAM_COST, PROFILE_SIZE},
    ranks::RankModel,
    word_probability::WordProbabilities,
    words::WordReader,
};

/// The bytes of a model, from which the laboratory makes the compact one.
#[cfg(feature = "tools")]
pub mod model_bytes {
    pub use crate::classes::{CLASS_BYTES, EXPECTED_EVIDENCE_OFFSET};
    pub use crate::evidence::feature::word_key;
    pub use crate::evidence::layout::{HEADER_BYTES, locate_parts};
    pub use crate::evidence::packed::{
        BASE_MASK, BASE_SHIFT, BASE_UNIT, CLASSES_MASK, FINGERPRINTS, MARKED, PaddedBytes,
        TableRow, unpack,
    };
    pub use crate::evidence::table::{
        BASE_CLASS, Bucket, CLASSES, LONG_ROW_SLOTS, MAX_POSTING_EVIDENCE, bucket_index,
        continued_key, fingerprint, is_overflow_mark, may_be_in_neighbour, neighbour,
        slot_fingerprint, unpack_posting,
    };
    pub use crate::evidence::{NGRAM_FLOOR, NGRAM_WEIGHT, STEPS_PER_NAT, WORD_FLOOR};
    pub use crate::format::encode_u32;
    pub use crate::model_header::write_checksum;
}

/// The examples of the README, which are tested with those of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
