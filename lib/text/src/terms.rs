//! Terms: the words that queries are made of.
//!
//! One tokeniser serves the statistics and the embedded index, so that a term that was
//! learned from a document finds that document again.

use std::borrow::Cow;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

/// Shortest and longest term, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 2..=40;

/// The text in Unicode normalisation form C; borrowed where it is so already.
pub fn normalise(text: &str) -> Cow<'_, str> {
    // Characters before U+0300, of which no byte is 0xcc or more, are in normal form whatever their
    // neighbours.
    if text.bytes().all(|byte| byte < 0xcc) || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.nfc().collect())
    }
}

/// Calls `found` with each term of `text`, in order, with the byte range of the word in the
/// normalised text.
///
/// A term is a lower-cased word (NFC, Unicode word segmentation) of 2 to 40 characters with at
/// least one letter. Runs in O(`text.len()`).
///
/// CorpusBuilder (Ghani, Jones & Mladenić 2001) takes "lower-cased words"; the rest is ours
/// (ALGORITHMS §1.2).
pub fn terms(text: &str) -> Terms {
    let text = normalise(text);
    let mut terms = Terms {
        lower: String::with_capacity(text.len()),
        ends: Vec::new(),
    };
    for word in text.unicode_words() {
        terms.push(word);
    }
    terms
}

/// The terms of one text, in order, kept in one buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Terms {
    lower: String,
    ends: Vec<usize>,
}

impl Terms {
    /// Adds `word` if it is a term.
    fn push(&mut self, word: &str) {
        let start = self.lower.len();
        if word.is_ascii() {
            self.lower.push_str(word);
            self.lower[start..].make_ascii_lowercase();
        } else {
            self.lower.push_str(&word.to_lowercase());
            if is_nfc_quick(self.lower[start..].chars()) != IsNormalized::Yes {
                let composed: String = self.lower[start..].nfc().collect();
                self.lower.truncate(start);
                self.lower.push_str(&composed);
            }
        }
        let term = &self.lower[start..];
        if LENGTH.contains(&term.chars().take(LENGTH.end() + 1).count())
            && term.chars().any(char::is_alphabetic)
        {
            self.ends.push(self.lower.len());
        } else {
            self.lower.truncate(start);
        }
    }

    /// How many terms there are, repeated ones counted each time.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the text had no term.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The terms in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.lower[start..end])
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
    fn takes_lower_cased_words_of_two_to_forty_characters_with_a_letter() {
        check("Danes JE lep dan.", &["danes", "je", "lep", "dan"]);
        check("v 2001 a 3d C3PO", &["3d", "c3po"]);
        check(&"x".repeat(40), &[&"x".repeat(40)]);
        check(&"x".repeat(41), &[]);
        check("", &[]);
    }

    #[test]
    fn composes_what_was_written_in_pieces() {
        check("c\u{30c}as Z\u{30c}ENA", &["čas", "žena"]);
    }

    #[test]
    fn keeps_other_scripts() {
        check("Добар дан!", &["добар", "дан"]);
        check("καλημέρα κόσμε", &["καλημέρα", "κόσμε"]);
    }

    proptest! {
        #[test]
        fn a_term_is_its_own_only_term(text in "\\PC{0,60}") {
            for term in terms(&text).iter() {
                let again = terms(term);
                // Lower-casing may give a sequence that segments differently (İ → i̇); what matters
                // is that it is stable.
                for (a, b) in again.iter().zip(terms(again.iter().next().unwrap_or("")).iter()) {
                    prop_assert_eq!(a, b);
                }
            }
        }

        #[test]
        fn never_panics_and_keeps_to_its_bounds(text in ".{0,200}") {
            for term in terms(&text).iter() {
                let n = term.chars().count();
                prop_assert!((2..=40).contains(&n));
                prop_assert!(term.chars().any(char::is_alphabetic));
            }
        }
    }
}
