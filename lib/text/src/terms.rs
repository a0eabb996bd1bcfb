//! Tokenisation of text into terms.
//!
//! The term statistics and the embedded index share this tokenizer, so that a query with a term
//! from a document matches that document.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

/// Lengths that a term may have, in characters. Set by judgement, not measured
/// (`docs/algorithms.md`, "Terms and statistics").
const TERM_LENGTHS: std::ops::RangeInclusive<usize> = 2..=40;

/// Returns the text in Unicode normalisation form C (NFC); borrows it if it is in NFC already.
pub fn normalise(text: &str) -> Cow<'_, str> {
    // A text of characters before U+0300, whose bytes are all less than 0xcc, is in NFC.
    if text.bytes().all(|byte| byte < 0xcc) || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Returns the terms of `text`, in order.
///
/// A term is a lower-cased word (NFC, Unicode word segmentation) of 2 to 40 characters with at
/// least one letter. Runs in O(`text.len()`).
///
/// CorpusBuilder (Ghani, Jones & Mladenić 2001) uses "lower-cased words"; the other conditions are
/// ours (`docs/algorithms.md`, "Terms and statistics").
pub fn terms(text: &str) -> Terms {
    let text = normalise(text);
    let mut terms = Terms {
        buffer: String::with_capacity(text.len()),
        ends: Vec::new(),
    };
    for word in text.unicode_words() {
        terms.push(word);
    }
    terms
}

/// The terms of one text, in order, in one buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    /// The terms, concatenated.
    buffer: String,
    /// Byte offset in `buffer` at which each term ends.
    ends: Vec<usize>,
}

impl Terms {
    /// Adds `word` if it is a term.
    fn push(&mut self, word: &str) {
        let start = self.buffer.len();
        if word.is_ascii() {
            self.buffer.push_str(word);
            self.buffer[start..].make_ascii_lowercase();
        } else {
            self.buffer.push_str(&word.to_lowercase());
            if is_nfc_quick(self.buffer[start..].chars()) != IsNormalized::Yes {
                let composed: String = self.buffer[start..].nfc().collect();
                self.buffer.truncate(start);
                self.buffer.push_str(&composed);
            }
        }
        let term = &self.buffer[start..];
        if TERM_LENGTHS.contains(&term.chars().take(TERM_LENGTHS.end() + 1).count())
            && term.chars().any(char::is_alphabetic)
        {
            self.ends.push(self.buffer.len());
        } else {
            self.buffer.truncate(start);
        }
    }

    /// Returns the number of terms, repetitions included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns `true` if the text has no term.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the terms in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.buffer[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::terms;
    use proptest::prelude::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text).iter().collect::<Vec<_>>(), expected, "{text:?}");
    }

    #[test]
    fn terms_are_lower_cased_words_of_two_to_forty_characters_with_a_letter() {
        check("Danes JE lep dan.", &["danes", "je", "lep", "dan"]);
        check("v 2001 a 3d C3PO", &["3d", "c3po"]);
        check(&"x".repeat(40), &[&"x".repeat(40)]);
        check(&"x".repeat(41), &[]);
        check("", &[]);
    }

    #[test]
    fn combining_characters_are_composed() {
        check("c\u{30c}as Z\u{30c}ENA", &["čas", "žena"]);
    }

    #[test]
    fn words_in_other_scripts_are_terms() {
        check("Добар дан!", &["добар", "дан"]);
        check("καλημέρα κόσμε", &["καλημέρα", "κόσμε"]);
    }

    proptest! {
        #[test]
        fn tokenising_a_term_again_is_idempotent(text in "\\PC{0,60}") {
            for term in terms(&text).iter() {
                let again = terms(term);
                // Lower-casing may give a sequence that segments differently (İ → i̇); only the
                // second pass must be stable.
                for (a, b) in again.iter().zip(terms(again.iter().next().unwrap_or("")).iter()) {
                    prop_assert_eq!(a, b);
                }
            }
        }

        #[test]
        fn any_text_gives_terms_of_allowed_length_with_a_letter(text in ".{0,200}") {
            for term in terms(&text).iter() {
                let n = term.chars().count();
                prop_assert!((2..=40).contains(&n));
                prop_assert!(term.chars().any(char::is_alphabetic));
            }
        }
    }
}
