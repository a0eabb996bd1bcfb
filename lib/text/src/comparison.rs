//! The form in which texts are compared: texts that read the same have the same form. The text is
//! read by the rules for its spelling before (`spelling`).
//!
//! | what | becomes |
//! |---|---|
//! | compatibility forms: full-width and half-width letters, ligatures, no-break spaces (NFKC) | ordinary ones |
//! | capital letters, ß, ς, ı | small letters, ss, σ, i |
//! | apostrophes, single quotation marks, accents and primes typed for them | ' |
//! | double quotation marks | " |
//! | hyphens, dashes and minus signs, one or more | - |
//! | optional marks and the stress of Cyrillic (`marks.rs`), tatweel | nothing |
//! | soft hyphens, zero-width spaces, joiners and non-joiners, marks of direction | nothing |
//! | Arabic ي ى ك | Persian ی ک |
//! | decimal digits of Arabic, Persian, Indic and South-East Asian scripts | 0 to 9 |
//! | white space between words, one or more characters | a space |
//! | white space at either end | nothing |
//!
//! Punctuation is kept.

use crate::fold::is_invisible;
use crate::marks::{is_optional_mark, is_stress};
use crate::normalise::normalise;
use crate::spelling::read;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};
use unicode_normalization::UnicodeNormalization;

/// Stands for a character that is left out.
const DROPPED: u32 = 0x20_0000;

/// Stands for a character whose form has several characters, or depends on the one before.
const SPECIAL: u32 = 0x20_0001;

/// For characters of the Basic Multilingual Plane, the code point of their form plus 1, or
/// [`DROPPED`] or [`SPECIAL`]; 0 where not computed yet.
static FORMS: [AtomicU32; 0x1_0000] = [const { AtomicU32::new(0) }; 0x1_0000];

/// The zeros of decimal digits, each followed by the digits to nine.
const ZEROS: [char; 20] = [
    '٠', '۰', '߀', '०', '০', '੦', '૦', '୦', '௦', '౦', '೦', '൦', '෦', '๐', '໐', '༠', '၀', '႐', '០',
    '᠐',
];

/// Returns the form in which `text`, in any normal form, is compared. It is in NFC. Runs in
/// O(`text.len()`).
pub fn comparison_form(text: &str) -> String {
    comparison_form_of_read(&read(text))
}

/// Returns the form in which a text that [`read`] has returned, or a part of it, is compared.
pub fn comparison_form_of_read(text: &str) -> String {
    let mut form = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (run, after) = rest.split_at(lower_case_run(rest.as_bytes()));
        let start = form.len();
        form.push_str(run);
        form[start..].make_ascii_lowercase();
        let mut characters = after.chars();
        // Texts in other scripts have longer runs of such characters.
        while let Some(c) = characters
            .clone()
            .next()
            .filter(|c| !c.is_ascii() || is_special_ascii(*c as u8) || *c == ' ')
        {
            push_form(c, &mut form);
            characters.next();
        }
        rest = characters.as_str();
    }
    form.truncate(form.trim_end_matches(' ').len());
    match normalise(&form) {
        Cow::Borrowed(_) => form,
        Cow::Owned(composed) => composed,
    }
}

/// Returns the length of the beginning of `text` whose form is its small letters: ASCII, with
/// single spaces, which end at a word.
fn lower_case_run(text: &[u8]) -> usize {
    let mut previous = b' ';
    let end = text.iter().position(|&byte| {
        let ends = !byte.is_ascii() || is_special_ascii(byte) || byte == b' ' && previous == b' ';
        previous = byte;
        ends
    });
    let end = end.unwrap_or(text.len());
    // The form of the white space that follows is one space.
    end - usize::from(end > 0 && text[end - 1] == b' ')
}

/// Returns `true` for characters of ASCII whose form depends on those around them, or is another
/// character than their small letter; not for spaces.
fn is_special_ascii(byte: u8) -> bool {
    matches!(byte, b'-' | b'`' | b'\t'..=b'\r')
}

/// Appends the form of `c` to `form`.
fn push_form(c: char, form: &mut String) {
    match look_up(c) {
        DROPPED => {}
        SPECIAL => push_special_form(c, form),
        code => match char::from_u32(code - 1).unwrap_or(c) {
            '-' if form.ends_with('-') => {}
            c if c.is_whitespace() => {
                if !form.is_empty() && !form.ends_with(' ') {
                    form.push(' ');
                }
            }
            c => form.push(c),
        },
    }
}

/// Returns the form of `c` as in [`FORMS`].
#[inline]
fn look_up(c: char) -> u32 {
    let Some(cached) = FORMS.get(c as usize) else {
        return classify(c);
    };
    match cached.load(Ordering::Relaxed) {
        0 => {
            let code = classify(c);
            cached.store(code, Ordering::Relaxed);
            code
        }
        code => code,
    }
}

#[cold]
fn classify(c: char) -> u32 {
    if is_invisible(c) || is_optional_mark(c) || c == '\u{200b}' {
        return DROPPED;
    }
    if is_stress('а', c) {
        return SPECIAL;
    }
    let mut characters = expand(c);
    match (characters.next(), characters.next()) {
        (Some(form), None) => form as u32 + 1,
        _ => SPECIAL,
    }
}

#[cold]
fn push_special_form(c: char, form: &mut String) {
    let is_after_letter = |c| {
        form.chars()
            .next_back()
            .is_some_and(|letter| is_stress(letter, c))
    };
    if !is_after_letter(c) {
        form.extend(expand(c));
    }
}

/// Returns the form of one character, without regard to those around it.
fn expand(c: char) -> impl Iterator<Item = char> {
    std::iter::once(unify(c))
        .nfkc()
        .flat_map(char::to_lowercase)
        // The lower case of İ is i with a second dot.
        .filter(move |&lower| c != 'İ' || lower != '\u{307}')
        .nfkc()
        .map(unify)
        .flat_map(|c| {
            let sharp_s = (c == 'ß').then_some('s');
            [Some(sharp_s.unwrap_or(c)), sharp_s].into_iter().flatten()
        })
}

/// Returns the character that stands for all that are read like `c`.
fn unify(c: char) -> char {
    match c {
        '`' | '´' | '\u{2b9}' | 'ʻ'..='ʽ' | 'ˈ' | '\u{55a}' | '\u{5f3}' => '\'',
        '‘'..='‛' | '′' | '‵' | '‹' | '›' | 'ꞌ' | '＇' => '\'',
        '“'..='‟' | '«' | '»' | '″' | '\u{5f4}' | '〝'..='〟' | '＂' => '"',
        '‐'..='―' | '⁃' | '−' | '\u{5be}' | '⸺' | '⸻' | '﹘' | '﹣' | '－' => '-',
        'ي' | 'ى' => 'ی',
        'ك' | 'ڪ' => 'ک',
        'ς' => 'σ',
        'ı' => 'i',
        'ẞ' => 'ß',
        _ => to_ascii_digit(c),
    }
}

/// Returns the ASCII digit of a decimal digit, and any other character as it is.
fn to_ascii_digit(c: char) -> char {
    let value = |zero: &char| {
        (c as u32)
            .checked_sub(*zero as u32)
            .filter(|value| *value < 10)
    };
    match ZEROS.iter().find_map(value) {
        Some(value) => char::from_digit(value, 10).unwrap_or(c),
        None => c,
    }
}

#[cfg(test)]
mod tests {
    use super::comparison_form;
    use proptest::prelude::*;

    /// Checks that all texts have the same form.
    fn check(texts: &[&str]) {
        for text in texts {
            assert_eq!(comparison_form(text), comparison_form(texts[0]), "{text:?}");
        }
    }

    #[test]
    fn texts_that_read_the_same_have_the_same_form() {
        check(&[
            "l'été",
            "l’été",
            "L‘ÉTÉ",
            "l`e\u{301}te\u{301}",
            "l´été",
            "ｌ＇été",
        ]);
        check(&["'ōlelo Hawai'i", "ʻŌlelo Hawaiʻi", "‘ōlelo hawai’i"]);
        check(&[
            "\"da\" - ne",
            "„da“ – ne",
            "«da» — ne",
            "“da” -- ne",
            "”da” \u{2011} ne",
        ]);
        check(&[
            "beseda",
            "be\u{ad}se\u{200d}da\u{200b}",
            "\u{feff}bese\u{2060}da",
        ]);
        check(&["كتاب علي ۱۲", "کتاب على 12", "كتـــاب عَلِي ١٢"]);
        check(&["می\u{200c}روم", "ميروم"]);
        check(&["レストラン", "ﾚｽﾄﾗﾝ"]);
        check(&["ガギ", "ｶﾞｷﾞ", "カ\u{3099}キ\u{3099}"]);
        check(&["ABC 12 %", "ＡＢＣ\u{a0}１２\u{3000}％"]);
        check(&["ﬁnance", "FINANCE"]);
        check(&["IŞIK", "ışık", "işik", "İŞİK"]);
        check(&["Straße", "STRASSE", "STRAẞE"]);
        check(&["ΟΔΟΣ", "οδος", "οδοσ"]);
        check(&["за\u{301}мок", "Замок"]);
        check(&["שָׁלוֹם צה״ל", "שלום צה\"ל"]);
        check(&["१२३", "123", "๑๒๓"]);
    }

    #[test]
    fn texts_that_read_differently_have_different_forms() {
        for (one, other) in [
            ("lep dan", "lep dan."),
            ("lep dan", "lepdan"),
            ("čas", "cas"),
            ("stran 7", "stran 8"),
            ("zámek", "zamek"),
            ("کتاب", "کتب"),
            ("はな", "ハナ"),
            ("l'été", "l été"),
            ("हिन्दी", "हिनदी"),
        ] {
            assert_ne!(comparison_form(one), comparison_form(other));
        }
        assert_eq!(comparison_form("\tLep \u{a0}Dan\n"), "lep dan");
    }

    proptest! {
        #[test]
        fn white_space_is_one_space(words in prop::collection::vec("[a-cA-C`č日'-]{1,3}", 0..8)) {
            let form = comparison_form(&words.join(" "));
            prop_assert_eq!(&comparison_form(&words.join(" \r\n ")), &form);
            prop_assert_eq!(comparison_form(&words.join("\u{3000}") ), form.clone());
            prop_assert_eq!(comparison_form(&format!("\n {} ", words.join("\t"))), form);
        }

        #[test]
        fn signs_that_are_not_read_do_not_change_the_form(
            parts in prop::collection::vec("[a-cčžא-ג\u{5b0}ب-ث一-三ｱ-ｳа-в ,.'-]{0,4}", 0..8),
            sign in prop::sample::select(vec!['\u{ad}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{640}', '\u{feff}']),
        ) {
            let sign = sign.to_string();
            prop_assert_eq!(comparison_form(&parts.join(&sign)), comparison_form(&parts.concat()));
        }
    }
}
