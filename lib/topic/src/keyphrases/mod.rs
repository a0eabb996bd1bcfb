//! Extraction of keyphrases from one article, without statistics of other articles.
//!
//! A tagger ([`Tagger`]) divides a text into words with stems and parts of speech; each language
//! with a tagger is a module of its own. The other languages have phrases between stop words and
//! punctuation.

mod tagger;

pub use tagger::{PartOfSpeech, TaggedWord, Tagger};
