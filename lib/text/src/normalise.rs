//! Normalisation form C (NFC) of Unicode.
//!
//! Nearly all texts are in NFC already. The quick check of Unicode Standard Annex 15, section 9,
//! shows this from two properties of each character, which are cached by code point. For characters
//! that may be the second part of a composition, such as vowel signs of Indic scripts, the
//! character before decides.

use crate::char_cache::CharCache;
use std::borrow::Cow;
use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Number of bytes that are tested together.
const WINDOW_BYTES: usize = 32;

/// Returns `true` for the bytes of characters before U+0300, and of U+0400 to U+047F: starters that
/// NFC keeps.
fn is_byte_of_starter(byte: &u8) -> bool {
    // The branch-free form is compiled to vector instructions.
    (*byte < 0xcc) | (byte & 0xfe == 0xd0)
}

/// Stands for a character that NFC changes.
const CHANGED: u8 = u8::MAX;
/// Stands for a character that NFC composes with some characters before it.
const COMPOSED: u8 = CHANGED - 1;

/// For characters of the Basic Multilingual Plane that NFC keeps, their canonical combining class
/// (at most 240) plus 1; for others [`CHANGED`] or [`COMPOSED`].
static CLASSES: CharCache = CharCache::new();

/// Returns the text in Unicode normalisation form C (NFC); borrows it if it is in NFC already.
pub fn normalise(text: &str) -> Cow<'_, str> {
    if is_normal(text) {
        Cow::Borrowed(text)
    } else {
        let mut normal = String::with_capacity(text.len());
        normal.extend(text.nfc());
        Cow::Owned(normal)
    }
}

/// Returns `true` if the checks show that the text is in NFC.
fn is_normal(text: &str) -> bool {
    let mut last = None;
    let mut last_class = 0;
    for window in windows(text) {
        if window
            .as_bytes()
            .iter()
            .fold(true, |all, byte| all & is_byte_of_starter(byte))
        {
            last = window.chars().next_back();
            last_class = 0;
            continue;
        }
        for c in window.chars() {
            let mut class = combining_class(c);
            if class == COMPOSED && !is_changed_by(last, c) {
                class = canonical_combining_class(c) + 1;
            }
            if class >= COMPOSED || class < last_class && class > 1 {
                return false;
            }
            last = Some(c);
            last_class = class;
        }
    }
    true
}

/// Returns `true` if NFC may compose a character, or a part of it, with a mark that follows it
/// directly. A mark that is no starter may also be reordered with marks of the character.
fn is_changed_by(character: Option<char>, mark: char) -> bool {
    let Some(character) = character else {
        return false;
    };
    let mut is_composite = false;
    decompose_canonical(character, |part| is_composite |= part != character);
    let may_be_reordered = is_composite || canonical_combining_class(character) > 0;
    compose(character, mark).is_some() || may_be_reordered && canonical_combining_class(mark) > 0
}

/// Returns consecutive parts of `text` of about [`WINDOW_BYTES`] bytes, so that their bytes can be
/// compared together ([`max_byte`]).
pub(crate) fn windows(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (window, after) = rest.split_at(rest.ceil_char_boundary(WINDOW_BYTES));
        rest = after;
        (!window.is_empty()).then_some(window)
    })
}

/// Returns the greatest byte of `window`; 0 if it is empty.
pub(crate) fn max_byte(window: &str) -> u8 {
    window.bytes().fold(0, u8::max)
}

/// Returns the combining class of `c` as in [`CLASSES`].
#[inline]
fn combining_class(c: char) -> u8 {
    CLASSES.look_up(c, compute_combining_class)
}

#[cold]
fn compute_combining_class(c: char) -> u8 {
    match is_nfc_quick(std::iter::once(c)) {
        IsNormalized::Yes => canonical_combining_class(c) + 1,
        IsNormalized::Maybe => COMPOSED,
        IsNormalized::No => CHANGED,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_the_definition_on_all_pairs_of_a_character_and_a_mark() {
        for c in '\0'..=char::MAX {
            for mark in [
                "", "\u{301}", "\u{323}", "\u{94d}", "\u{5b0}", "ाे", "\u{9be}",
            ] {
                let text = format!("{c}{mark}{c}");
                let is_normal = is_normal(&text);
                assert!(!is_normal || text.nfc().eq(text.chars()), "{text:?}");
                let is_surely_normal = is_nfc_quick(text.chars()) == IsNormalized::Yes;
                assert!(is_normal || !is_surely_normal, "{text:?}");
            }
        }
    }

    #[test]
    fn a_text_in_nfc_is_borrowed() {
        for text in [
            "",
            "čas",
            "Всички",
            "“ไม่”",
            "हिन्दी",
            "पढ़ने",
            "বাংলা",
            "தமிழ் நாடு",
            "မြန်မာ",
        ] {
            assert!(matches!(normalise(text), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(normalise("c\u{30c}as"), "čas");
        assert_eq!(normalise(&"a".repeat(31)), "a".repeat(31));
    }

    proptest! {
        #[test]
        fn the_result_is_in_nfc(
            text in "[a-zα-ωก-๛ا-ي\u{300}-\u{330}\u{591}-\u{5c7}]{0,80}|[\u{900}-\u{dff}\u{1000}-\u{1035}]{0,20}|[ạẹëộ\u{300}-\u{323}\u{1100}-\u{1120}\u{1161}-\u{1180}\u{11a7}-\u{11b0}가-갸か\u{3099}]{0,9}"
        ) {
            let expected: String = text.nfc().collect();
            prop_assert_eq!(normalise(&text), expected);
        }
    }
}
