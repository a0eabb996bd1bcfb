//! What words and letters say about the language: the method `evidence`.
//!
//! A text's words are looked up one by one. A known word adds to each language that uses it; a word
//! that nobody knows is taken apart into n-grams of four characters, each of which adds in the same
//! way (where the four are not known, the last three, two, one). The language with the most
//! evidence is the answer. Backing off from words to ever shorter n-grams is HeLI's idea (T.
//! Jauhiainen, K. Lindén and H. Jauhiainen, "HeLI, a word-based backoff method for language
//! identification", VarDial 2016); what is added is worked out beforehand and differs:
//!
//! - the evidence of a word for a language is how far the logarithm of its probability there is
//!   above [`WORD_FLOOR`], plus a share ([`KNOWN_SHARE`]) of what its n-grams say, so that a
//!   language known from little text is not without a voice where relatives know the word;
//! - that of an n-gram is how far the logarithm of its probability is above [`GRAM_FLOOR`], times
//!   [`GRAM_WEIGHT`]: n-grams overlap, and say together less than each by itself;
//! - each row keeps the languages with the most evidence only, and takes from them a part
//!   ([`BASE`]) of what the best of the others has.
//!
//! The constants were chosen on the sets of `docs/LANGID.md`, where changing one by half costs some
//! tenths of a percent.

pub(crate) mod build;
mod bytes;
pub(crate) mod feature;
pub(crate) mod file;
mod fill;
mod garbled;
pub(crate) mod sample;
pub(crate) mod score;
pub(crate) mod signs;
pub(crate) mod spoilt;
pub(crate) mod table;
pub(crate) mod tokens;
pub(crate) mod typical;

/// Logarithm of the probability at and below which a word says nothing.
pub(crate) const WORD_FLOOR: f64 = -18.0;

/// Logarithm of the probability at and below which an n-gram says nothing.
pub(crate) const GRAM_FLOOR: f64 = -15.0;

/// What an n-gram's evidence is multiplied by.
pub(crate) const GRAM_WEIGHT: f64 = 0.5;

/// The part of its n-grams' evidence that is added to a known word's own.
pub(crate) const KNOWN_SHARE: f64 = 0.2;

/// The part of the best left-out language's evidence that a row takes from all.
pub(crate) const BASE: f64 = 0.7;

/// What the n-grams of a known word say, for a class of which no words are known.
pub(crate) const SHARE_WITHOUT_WORDS: f64 = 0.3;

/// A word that is rarer than this (logarithm of its greatest probability) is left out where its
/// n-grams say the same: the same class first, by [`SAME_LEAD`] of its lead.
pub(crate) const RARE: f64 = -8.5;
/// See [`RARE`].
pub(crate) const SAME_LEAD: f64 = 0.35;

/// Words that are added to each sample, of which nothing is known: the fewer there are in the
/// sample, the less its frequencies are to be trusted, which are high because there are few.
pub(crate) const UNKNOWN_WORDS: f64 = 400.0;

/// The same in Han, where what counts as a word is a run of characters, as long as several words;
/// and where the Chinese languages known from little text are written much like the one known from
/// much.
pub(crate) const UNKNOWN_HAN: f64 = 1600.0;

/// What a class has before anything is read: this part of the logarithm of its sample's size.
pub(crate) const PRIOR: f64 = 0.3;

/// Steps of evidence in one natural unit.
pub(crate) const STEPS: f64 = 8.0;
