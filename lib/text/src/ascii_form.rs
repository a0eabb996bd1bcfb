//! ASCII forms of words whose letters have diacritics.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters that have no canonical decomposition, with the ASCII letters that are written for them.
const UNDECOMPOSED: [(char, &str); 20] = [
    ('đ', "d"),
    ('ð', "d"),
    ('ɖ', "d"),
    ('ɗ', "d"),
    ('ħ', "h"),
    ('ı', "i"),
    ('ƙ', "k"),
    ('ł', "l"),
    ('ŋ', "n"),
    ('ø', "o"),
    ('ɔ', "o"),
    ('ɛ', "e"),
    ('ə', "e"),
    ('ŧ', "t"),
    ('ƴ', "y"),
    ('ɓ', "b"),
    ('æ', "ae"),
    ('œ', "oe"),
    ('ß', "ss"),
    ('þ', "th"),
];

/// Returns a term in small letters as it is written where only ASCII letters are at hand: without
/// diacritics, `čas` as `cas`. A term that has no such form, because it is in another script, is
/// returned as it is.
///
/// Letters are decomposed (Unicode Standard Annex 15) and lose their marks; the Latin letters
/// without a decomposition, as đ and ł, are replaced by those commonly written for them. The
/// conventions of a language, as German `ae` for ä, are not known. O(`term.len()`).
pub fn ascii_form(term: &str) -> Cow<'_, str> {
    if term.is_ascii() {
        return Cow::Borrowed(term);
    }
    let mut form = String::with_capacity(term.len());
    for c in term.nfd().filter(|&c| !is_combining_mark(c)) {
        match UNDECOMPOSED.iter().find(|(letter, _)| *letter == c) {
            Some((_, ascii)) => form.push_str(ascii),
            None if c.is_ascii() => form.push(c),
            None => return Cow::Borrowed(term),
        }
    }
    Cow::Owned(form)
}

#[cfg(test)]
mod tests {
    use super::ascii_form;
    use crate::terms;
    use proptest::prelude::*;

    #[test]
    fn diacritics_are_removed() {
        for (term, form) in [
            ("hiša", "hisa"),
            ("čašćenje", "cascenje"),
            ("đak", "dak"),
            ("łódź", "lodz"),
            ("tiếng", "tieng"),
            ("ɗan'uwa", "dan'uwa"),
            ("straße", "strasse"),
            ("ascii", "ascii"),
        ] {
            assert_eq!(ascii_form(term), form);
        }
    }

    #[test]
    fn terms_of_other_scripts_are_kept() {
        for term in ["йога", "ћирилица", "ελλάδα", "कि", "東京", "naшa"] {
            assert_eq!(ascii_form(term), term);
        }
    }

    proptest! {
        #[test]
        fn the_form_is_ascii_or_the_term_and_has_no_further_form(text in "[a-zA-Zčšžđłøßиğ̈' ]{0,30}") {
            for term in terms(&text).iter() {
                let form = ascii_form(term);
                prop_assert!(form.is_ascii() || form == term);
                prop_assert_eq!(ascii_form(&form), form.clone());
            }
        }
    }
}
