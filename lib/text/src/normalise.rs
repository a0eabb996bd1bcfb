//! Normalisation form C (NFC) of Unicode.
//!
//! Nearly all texts are in NFC already. The quick check of Unicode Standard Annex 15, section 9,
//! shows this from two properties of each character, which are cached by code point.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU8, Ordering};
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// Number of bytes that are tested together.
const WINDOW_BYTES: usize = 32;

/// The first byte of U+0300 in UTF-8. All characters before it are starters that NFC keeps.
const FIRST_CHECKED_BYTE: u8 = 0xcc;

/// Stands for a character that NFC changes, or may change after others.
const UNCERTAIN: u8 = u8::MAX;

/// For characters of the Basic Multilingual Plane that NFC keeps, their canonical combining class
/// (at most 240) plus 1; for others [`UNCERTAIN`]; 0 where not computed yet.
static CLASSES: [AtomicU8; 0x1_0000] = [const { AtomicU8::new(0) }; 0x1_0000];

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

/// Returns `true` if the quick check shows that the text is in NFC.
fn is_normal(text: &str) -> bool {
    let mut last_class = 0;
    for window in windows(text) {
        if max_byte(window) < FIRST_CHECKED_BYTE {
            last_class = 0;
            continue;
        }
        for c in window.chars() {
            let class = combining_class(c);
            if class == UNCERTAIN || class < last_class && class > 1 {
                return false;
            }
            last_class = class;
        }
    }
    true
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
    match CLASSES.get(c as usize) {
        Some(class) => match class.load(Ordering::Relaxed) {
            0 => {
                let computed = compute_combining_class(c);
                class.store(computed, Ordering::Relaxed);
                computed
            }
            cached => cached,
        },
        None => compute_combining_class(c),
    }
}

#[cold]
fn compute_combining_class(c: char) -> u8 {
    if is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes {
        canonical_combining_class(c) + 1
    } else {
        UNCERTAIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn agrees_with_the_quick_check_on_all_pairs_of_a_character_and_a_mark() {
        for c in '\0'..=char::MAX {
            for mark in ["", "\u{301}", "\u{323}", "\u{94d}", "\u{5b0}", "ाे"] {
                let text = format!("{c}{mark}{c}");
                let expected = is_nfc_quick(text.chars()) == IsNormalized::Yes;
                assert_eq!(is_normal(&text), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn a_text_in_nfc_is_borrowed() {
        for text in ["", "čas", "Всички", "“ไม่”", "हिन्दी"] {
            assert!(matches!(normalise(text), Cow::Borrowed(_)), "{text}");
        }
        assert_eq!(normalise("c\u{30c}as"), "čas");
        assert_eq!(normalise(&"a".repeat(31)), "a".repeat(31));
    }

    proptest! {
        #[test]
        fn the_result_is_in_nfc(text in "[a-zα-ωก-๛ا-ي\u{300}-\u{330}\u{591}-\u{5c7}]{0,80}") {
            let expected: String = text.nfc().collect();
            prop_assert_eq!(normalise(&text), expected);
        }
    }
}
