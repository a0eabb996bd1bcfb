//! Folding of words: spellings of the same word become the same term. What depends on the text, or
//! on several letters, comes before (`spelling`).
//!
//! | what | becomes |
//! |---|---|
//! | capital letters | small letters; Σ at the end of a word ς; İ i |
//! | I, in a text with ı | ı |
//! | ’ ‘ ʼ ʻ ʽ ＇ \` ´ ′ and Armenian ՚ between letters | ' |
//! | ״ or " between Hebrew letters | ״ |
//! | optional marks of Hebrew, Arabic and other scripts, and the stress of Cyrillic (`marks.rs`) | nothing |
//! | the zero-width non-joiner, between Arabic letters | itself, elsewhere nothing |
//! | soft hyphen, zero-width joiner, marks of direction, variation selectors, the Mongolian vowel separator | nothing |
//! | full-width letters and digits | those of ASCII |
//! | Thai ํ + า, Lao ໍ + າ | ำ, ຳ |
//! | Thai เเ | แ |
//! | half-width kana | full-width kana |

use crate::marks::{drop_stress, is_optional_mark, is_stress_mark};
use memchr::memchr;
use std::borrow::Cow;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// The case rule for the letter I.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LetterI {
    /// I is the capital letter of i.
    Dotted,
    /// I is the capital letter of ı, as in Turkish and Azerbaijani.
    Dotless,
}

impl LetterI {
    /// Returns the rule for a text: dotless if it has more than one ı per 50 bytes. In Turkish, one
    /// letter in 20 is ı; elsewhere it occurs in names only. Set by judgement, not measured.
    pub fn of_text(text: &str) -> LetterI {
        LetterI::of_count(text.matches('ı').count() as u32, text.len())
    }

    /// Returns the rule for a text of `bytes` bytes with so many ı.
    pub(crate) fn of_count(letters: u32, bytes: usize) -> LetterI {
        match letters as usize * 50 > bytes {
            true => LetterI::Dotless,
            false => LetterI::Dotted,
        }
    }
}

/// Returns `text` with the presentation forms of letters replaced by the letters: Latin ligatures
/// (ﬁ), the contextual forms of Arabic (ﻛ), wide and pointed Hebrew letters, and half-width kana.
/// Signs for whole words (ﷺ) are kept. Borrows a text without such forms.
pub fn resolve_letter_forms(text: &str) -> Cow<'_, str> {
    // Not the forms of marks alone, which would become blanks with marks.
    let is_form = |c| match c {
        '\u{fb29}' | '\u{fbb2}'..='\u{fbd2}' | '\u{fc5e}'..='\u{fc63}' => false,
        '\u{fb00}'..='\u{fdc7}' | '\u{fe80}'..='\u{fefc}' | '\u{ff66}'..='\u{ff9f}' => true,
        _ => false,
    };
    if memchr(0xef, text.as_bytes()).is_none() || !text.contains(is_form) {
        return Cow::Borrowed(text);
    }
    let mut resolved = String::with_capacity(text.len());
    for c in text.chars() {
        match is_form(c) {
            true => resolved.extend(std::iter::once(c).nfkc()),
            false => resolved.push(c),
        }
    }
    Cow::Owned(resolved.nfc().collect())
}

/// Appends the folded form of `word` to `buffer`. Words of scripts without blanks are in the
/// spelling of [`fold_unspaced`] already, and have no case, so that nothing changes.
pub(crate) fn push_folded(word: &str, letter_i: LetterI, buffer: &mut String) {
    let start = buffer.len();
    if word.is_ascii() && !word.as_bytes().contains(&b'`') {
        buffer.push_str(word);
        buffer[start..].make_ascii_lowercase();
    } else if word.chars().any(is_folded) {
        push_folded_characters(word, buffer);
    } else {
        buffer.push_str(&word.to_lowercase());
    }
    if letter_i == LetterI::Dotless && word.contains('I') {
        buffer.truncate(start);
        push_folded_characters(&word.replace('I', "ı"), buffer);
    }
    if !buffer[start..].is_ascii() && is_nfc_quick(buffer[start..].chars()) != IsNormalized::Yes {
        let composed: String = buffer[start..].nfc().collect();
        buffer.truncate(start);
        buffer.push_str(&composed);
    }
}

/// Returns `true` if a character is changed by folding, other than by case.
fn is_folded(c: char) -> bool {
    match c {
        ..'\u{80}' => matches!(c, '"' | '`'),
        'İ' | '\u{2bb}'..='\u{2bd}' | '\u{307}' => true,
        '\u{5f3}' | '\u{5f4}' => true,
        '\u{2018}' | '\u{2019}' | '\u{ff01}'..='\u{ff5e}' => true,
        _ => is_typed_apostrophe(c) || is_optional_mark(c) || is_stress_mark(c) || is_invisible(c),
    }
}

/// Returns `true` for the signs typed for an apostrophe that end a word by UAX 29: grave accent,
/// acute accent and prime.
pub(crate) fn is_typed_apostrophe(c: char) -> bool {
    matches!(c, '`' | '\u{b4}' | '\u{2032}')
}

/// Returns `true` if `c` is invisible and changes no word: soft hyphen, joiner and non-joiner,
/// marks of direction, variation selectors.
pub fn is_invisible(c: char) -> bool {
    let is_direction_mark =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    // With the vowel separator of Mongolian (U+180E).
    let is_variation_selector =
        matches!(c, '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    let is_joiner = matches!(
        c,
        '\u{34f}' | '\u{200c}' | '\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{feff}'
    );
    c == '\u{ad}' || is_direction_mark || is_variation_selector || is_joiner
}

fn push_folded_characters(word: &str, buffer: &mut String) {
    let is_dropped = |c: &char| (*c != '\u{200c}' && is_invisible(*c)) || is_optional_mark(*c);
    let word = word.replace('İ', "i").to_lowercase();
    let mut characters: Vec<char> = word.chars().filter(|c| !is_dropped(c)).collect();
    drop_stress(&mut characters);
    characters.dedup_by(|a, b| *a == '\u{200c}' && a == b);
    characters = (0..characters.len())
        .filter(|&i| characters[i] != '\u{200c}' || is_between(&characters, i, is_arabic_letter))
        .map(|i| characters[i])
        .collect();
    for (i, &c) in characters.iter().enumerate() {
        buffer.push(match c {
            '\u{2bb}'..='\u{2bd}' if !is_between(&characters, i, is_plain_letter) => '\u{2bb}',
            // A quotation mark, though a letter by UAX 29.
            '\u{5f3}' if !is_between(&characters, i, is_plain_letter) => continue,
            '\u{2bb}'..='\u{2bd}' | '\u{2018}' | '\u{2019}' | '\u{5f3}' | '\u{ff07}' => '\'',
            _ if is_typed_apostrophe(c) => '\'',
            '"' | '\u{5f4}' => '\u{5f4}',
            '\u{307}' if i > 0 && characters[i - 1] == 'i' => continue,
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
            _ => c,
        });
    }
}

/// Returns `true` if the characters before and after `index` exist and satisfy `condition`.
fn is_between(characters: &[char], index: usize, condition: fn(char) -> bool) -> bool {
    let satisfies = |index: Option<usize>| {
        index
            .and_then(|index| characters.get(index))
            .is_some_and(|&c| condition(c))
    };
    satisfies(index.checked_sub(1)) && satisfies(Some(index + 1))
}

/// Returns `true` if `c` is a letter, no mark, and none that looks like an apostrophe.
fn is_plain_letter(c: char) -> bool {
    c.is_alphabetic() && !is_combining_mark(c) && !matches!(c, '\u{2bb}'..='\u{2bd}')
}

fn is_arabic_letter(c: char) -> bool {
    matches!(c, '\u{620}'..='\u{6ff}' | '\u{750}'..='\u{77f}' | '\u{8a0}'..='\u{8ff}')
}

/// Returns `text`, in a script without blanks and in NFC, in the spelling of the lexicons: without
/// joiners, with Thai and Lao *am* as one character, and with full-width kana.
pub fn fold_unspaced(text: &str) -> Cow<'_, str> {
    let is_changed =
        |c| is_invisible(c) || matches!(c, '\u{e4d}' | '\u{ecd}' | '\u{ff66}'..='\u{ff9f}');
    if !text.contains(is_changed) && !text.contains("เเ") {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'า' if remove_nikhahit(&mut folded, '\u{e4d}') => folded.push('ำ'),
            'າ' if remove_nikhahit(&mut folded, '\u{ecd}') => folded.push('ຳ'),
            'เ' if folded.ends_with('เ') => {
                folded.pop();
                folded.push('แ');
            }
            '\u{ff66}'..='\u{ff9f}' => folded.extend(std::iter::once(c).nfkc()),
            _ if is_invisible(c) => {}
            _ => folded.push(c),
        }
    }
    Cow::Owned(folded.nfc().collect())
}

/// Removes `nikhahit` from the end of `text`, or from before a tone mark at the end. Returns `true`
/// if it was there.
fn remove_nikhahit(text: &mut String, nikhahit: char) -> bool {
    let is_tone = |c: char| matches!(c, '\u{e48}'..='\u{e4b}' | '\u{ec8}'..='\u{ecb}');
    let Some(last) = text.pop() else {
        return false;
    };
    if last == nikhahit {
        return true;
    }
    if is_tone(last) && text.ends_with(nikhahit) {
        text.pop();
        text.push(last);
        return true;
    }
    text.push(last);
    false
}

#[cfg(test)]
mod tests {
    use crate::{resolve_letter_forms, terms};
    use std::borrow::Cow;

    #[test]
    fn forms_of_letters_are_resolved_and_signs_for_words_kept() {
        for (forms, letters) in [
            ("ﻓﻲ ﺍﻷﺳﺒﻮﻉ", "في الأسبوع"),
            ("ﭘﻨﺠﺮﻩ", "پنجره"),
            ("שּׁבּת", "שּׁבּת"),
            ("ﬁrst oﬃce", "first office"),
            ("ﾃﾞｼﾞﾀﾙｶﾒﾗ", "デジタルカメラ"),
            ("ﷺ ﻻ", "ﷺ لا"),
        ] {
            let letters: String =
                unicode_normalization::UnicodeNormalization::nfc(letters).collect();
            assert_eq!(resolve_letter_forms(forms), letters);
            assert!(matches!(resolve_letter_forms(&letters), Cow::Borrowed(_)));
        }
    }

    /// Checks that each of the spellings has the term `expected`, and nothing else.
    fn check(spellings: &[&str], expected: &str) {
        for spelling in spellings {
            let terms = terms(spelling);
            assert_eq!(terms.iter().collect::<Vec<_>>(), [expected], "{spelling:?}");
        }
    }

    #[test]
    fn apostrophes_between_letters_are_one() {
        check(
            &["o'zbek", "o’zbek", "oʻzbek", "OʻZBEK", "o‘zbek"],
            "o'zbek",
        );
        check(&["l’home", "L'HOME"], "l'home");
        check(&["hoʻokipa", "ho‘okipa"], "ho'okipa");
        check(&["col·legi", "COL·LEGI"], "col·legi");
    }

    #[test]
    fn an_apostrophe_at_the_edge_is_a_letter_if_unicode_says_so() {
        check(&["ʻOkina"], "ʻokina");
        check(&["'yung", "’yung", "yung’"], "yung");
        check(&["ta'"], "ta");
        check(&["׳שלום׳", "שלום"], "שלום");
    }

    #[test]
    fn optional_marks_are_left_out() {
        check(&["كِتَابٌ", "كتاب", "كتـــاب"], "كتاب");
        check(&["ﻛﺘﺎﺏ", "كتاب"], "كتاب");
        check(&["ﬁnance", "FINANCE"], "finance");
        check(&["അവന്\u{200d}", "അവൻ"], "അവൻ");
        let words = terms("قال النبيﷺ ABCﻻ");
        let words: Vec<_> = words.iter().collect();
        assert_eq!(words, ["قال", "النبيصلى", "الله", "عليه", "وسلم", "abcلا"]);
        check(&["שָׁלוֹם", "שלום"], "שלום");
        check(&["צה\"ל", "צה״ל"], "צה״ל");
        check(&["Wort\u{ad}trennung", "Worttrennung"], "worttrennung");
        check(&["क्\u{200d}ष", "क्ष"], "क्ष");
        check(&["ＡＢＣ１", "abc1"], "abc1");
    }

    #[test]
    fn signs_typed_for_an_apostrophe_are_one() {
        check(
            &["o`zbek", "o'zbek", "O´zbek", "o′zbek", "OʻZBEK"],
            "o'zbek",
        );
        check(&["п`ять", "п’ять", "П´ЯТЬ"], "п'ять");
        check(&["կ՚ըլլայ", "կ’ըլլայ"], "կ'ըլլայ");
        check(&["`citat`", "´citat´"], "citat");
    }

    #[test]
    fn marks_of_stress_emphasis_and_reading_are_left_out() {
        check(&["за\u{301}мок", "замо\u{301}к", "ЗАМОК"], "замок");
        check(&["Ի՞նչ", "ինչ՞", "Ինչ՜", "ինչ"], "ինչ");
        check(&["ܫܠܡܐ", "ܫܠܳܡܳܐ"], "ܫܠܡܐ");
        check(&["ᠪᠠᠢ\u{180b}ᠨᠠ", "ᠪᠠᠢᠨᠠ"], "ᠪᠠᠢᠨᠠ");
        check(&["ᠬᠠᠷ\u{180e}ᠠ", "ᠬᠠᠷᠠ"], "ᠬᠠᠷᠠ");
        // Letters of their own, and tones.
        check(&["ќе"], "ќе");
        check(&["чай"], "чай");
        check(&["kǫ́ǫ́"], "kǫ́ǫ́");
    }

    #[test]
    fn the_non_joiner_of_persian_is_kept_inside_words() {
        check(&["می\u{200c}خواهم"], "می\u{200c}خواهم");
        check(&["کتاب\u{200c}"], "کتاب");
        check(&["کتاب\u{200c}\u{200c}ها"], "کتاب\u{200c}ها");
    }

    #[test]
    fn case_is_folded_by_the_alphabet() {
        check(&["ΟΔΟΣ", "Οδος", "οδος"], "οδος");
        check(&["İstanbul", "i\u{307}stanbul", "istanbul"], "istanbul");
        assert_eq!(
            terms("IŞIK yarın ISINDI, kırık").iter().collect::<Vec<_>>(),
            ["ışık", "yarın", "ısındı", "kırık"]
        );
        let text = format!("Internet {} ışık", "und noch ein Satz ".repeat(10));
        assert_eq!(terms(&text).iter().next(), Some("internet"));
    }
}
