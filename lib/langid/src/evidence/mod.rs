//! The method `evidence`: evidence scores of words and n-grams.
//!
//! The words of a text are looked up one by one. A known word adds evidence to each language that
//! uses it. An unknown word is split into n-grams of four characters, each of which adds evidence
//! in the same way; an unknown n-gram is replaced by its last three, two or one characters. The
//! language with the most evidence is the answer. Backing off from words to ever shorter n-grams is
//! the idea of HeLI (T. Jauhiainen, K. Lindén and H. Jauhiainen, "HeLI, a word-based backoff method
//! for language identification", VarDial 2016). The scores are precomputed, and differ from HeLI's:
//!
//! - The evidence of a word for a language is the amount by which its log probability exceeds
//!   [`WORD_FLOOR`], plus a share ([`NGRAM_SHARE_OF_KNOWN_WORD`]) of the evidence of its n-grams,
//!   so that a language with a small sample has some evidence if only its relatives know the word.
//! - The evidence of an n-gram is the amount by which its log probability exceeds [`NGRAM_FLOOR`],
//!   times [`NGRAM_WEIGHT`]: n-grams overlap, and together have less information than the sum of
//!   their separate amounts.
//! - Each row keeps only the languages with the most evidence, and subtracts from them a share
//!   ([`BASE_SHARE`]) of the evidence of the best language that is left out.
//!
//! Logarithms are natural, so evidence is in nats. The constants of this file were chosen on the
//! test sets of `docs/LANGID.md`, where a change of one by half costs some tenths of a percent.
//! `docs/algorithms.md`, "Evidence scores", has the formulas.

pub(crate) mod build;
mod bytes;
mod expected;
pub(crate) mod feature;
pub(crate) mod file;
mod fill;
pub(crate) mod lanes;
pub(crate) mod layout;
mod letter_run;
mod mojibake;
pub(crate) mod noise;
#[cfg(any(feature = "tools", not(full_model)))]
pub(crate) mod packed;
pub(crate) mod row_finder;
pub(crate) mod sample;
mod source_code;
pub(crate) mod sums;
pub(crate) mod table;
pub(crate) mod tokenizer;

/// Log probability at and below which a word has no evidence.
pub const WORD_FLOOR: f64 = -18.0;

/// Log probability at and below which an n-gram has no evidence.
pub const NGRAM_FLOOR: f64 = -15.0;

/// Factor of the evidence of n-grams.
pub const NGRAM_WEIGHT: f64 = 0.5;

/// Share of its n-grams' evidence that is added to a known word's own.
pub(crate) const NGRAM_SHARE_OF_KNOWN_WORD: f64 = 0.2;

/// Share of the evidence of the best language left out of a row, which is subtracted from all
/// languages of the row.
pub(crate) const BASE_SHARE: f64 = 0.7;

/// Share of its n-grams' evidence that a known word has for a class without known words.
pub(crate) const NGRAM_SHARE_WITHOUT_WORDS: f64 = 0.3;

/// Log of the greatest probability below which a word is redundant if its n-grams favour the same
/// class, with at least [`REDUNDANT_LEAD_SHARE`] of the word's lead.
pub(crate) const REDUNDANT_WORD_LOG_PROBABILITY: f64 = -8.5;
/// See [`REDUNDANT_WORD_LOG_PROBABILITY`].
pub(crate) const REDUNDANT_LEAD_SHARE: f64 = 0.35;

/// Pseudo-count of unknown words that is added to the size of each sample. Frequencies in a small
/// sample are too high, because it has few words; this lowers them.
pub(crate) const UNKNOWN_WORDS: f64 = 400.0;

/// The pseudo-count for Han, where a word is a run of characters, as long as several words; and
/// where the Chinese languages with small samples are written much like the one with a large
/// sample.
pub(crate) const UNKNOWN_WORDS_HAN: f64 = 1600.0;

/// Factor of the log sample size, which is the evidence of a class before any text is read.
pub(crate) const PRIOR_WEIGHT: f64 = 0.3;

/// Resolution of stored evidence, in steps per nat.
pub const STEPS_PER_NAT: f64 = 8.0;
