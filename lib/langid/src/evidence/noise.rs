//! Detection of noise: texts whose characters show that they are not natural language.
//!
//! Noise consists of a few letters repeated, Latin letters without vowels, Roman numerals, a list
//! of letters, mojibake, or source code. Since the whole text was read already, only windows of it
//! are examined: its beginning, and if that is noise or has no letters, up to eight windows, and
//! the majority of those with letters decides. The beginning may be a horizontal rule or a table
//! above a normal text.

use crate::evidence::bytes::ByteCounts;
use crate::evidence::mojibake::is_mojibake;
use crate::evidence::source_code::is_source_code;
use crate::script::Script;

/// Bytes per window. Set by judgement, not measured.
pub(crate) const WINDOW_BYTES: usize = 500;

/// Maximum number of windows, evenly spaced. Set by judgement, not measured.
const MAX_WINDOWS: usize = 8;

/// Minimum number of distinct letters in a text of at least [`MIN_LETTERS_FOR_DISTINCT`] letters,
/// in any language. Set by judgement, not measured.
const MIN_DISTINCT_LETTERS: usize = 4;
/// See [`MIN_DISTINCT_LETTERS`].
const MIN_LETTERS_FOR_DISTINCT: u64 = 20;

/// Minimum share of vowels, including `w` and `y`, among at least [`MIN_LETTERS_FOR_VOWELS`] ASCII
/// letters, in any language in Latin script. Set by judgement, not measured.
const MIN_VOWEL_SHARE: f64 = 0.12;
/// See [`MIN_VOWEL_SHARE`].
const MIN_LETTERS_FOR_VOWELS: usize = 40;

/// Minimum number of letters of a window that is unlikely to be words if all its letters are those
/// of Roman numerals. Set by judgement, not measured.
const MIN_NUMERAL_LETTERS: usize = 10;

/// Minimum number of words of a list of letters, and the share of them that are letters. Set by
/// judgement, not measured.
pub(crate) const MIN_LISTED_WORDS: u32 = 8;
/// See [`MIN_LISTED_WORDS`].
const MIN_LISTED_SHARE: f64 = 0.9;

/// Properties of a whole text that the examination of a window needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextProperties {
    pub(crate) letters: u64,
    /// The script of most letters.
    pub(crate) script: Script,
    /// The evidence of the best language as a share of what it would have if all words favoured it,
    /// relative to what is expected of the language.
    pub(crate) agreement: f64,
    /// True if it has at least [`MIN_LISTED_WORDS`] words, of at most two letters on average.
    pub(crate) has_short_words: bool,
    /// True if the text is at most a window, and clearly in a language other than English.
    pub(crate) is_not_english: bool,
}

/// Returns `true` if `text` is noise.
pub(crate) fn is_noise(text: &str, properties: TextProperties) -> bool {
    let classify = |window: &str| classify_window(window, properties);
    let beginning = &text[..text.floor_char_boundary(WINDOW_BYTES)];
    if classify(beginning) == WindowClass::Language {
        return false;
    }
    let classes: Vec<WindowClass> = windows(text).map(classify).collect();
    let count = |wanted: WindowClass| classes.iter().filter(|class| **class == wanted).count();
    count(WindowClass::Noise) > count(WindowClass::Language)
}

/// The class of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WindowClass {
    /// Has no letters, and so gives no information about the rest of the text.
    NoLetters,
    /// May be natural language.
    Language,
    /// Is not natural language.
    Noise,
}

fn classify_window(window: &str, properties: TextProperties) -> WindowClass {
    let may_be_monotonous = properties.letters >= MIN_LETTERS_FOR_DISTINCT;
    let min_distinct = match may_be_monotonous {
        true => MIN_DISTINCT_LETTERS,
        false => 1,
    };
    let distinct = count_distinct_letters(window, min_distinct);
    if distinct == 0 {
        return WindowClass::NoLetters;
    }
    let is_monotonous = distinct < min_distinct;
    let counts = ByteCounts::new(window);
    let (agreement, is_not_english) = (properties.agreement, properties.is_not_english);
    let is_noise = is_monotonous
        || lacks_vowels(&counts, properties.script)
        || is_roman_numerals(&counts)
        || properties.has_short_words && is_letter_list(window, properties.script)
        || is_mojibake(window, &counts)
        || is_source_code(window, &counts, agreement, is_not_english);
    match is_noise {
        true => WindowClass::Noise,
        false => WindowClass::Language,
    }
}

/// Returns `true` for the letters of an alphabet, alone or each with its capital, which are words
/// of whatever language has the most words of one letter; not where a character is a word.
fn is_letter_list(window: &str, script: Script) -> bool {
    let words = window
        .split(|c| !is_letter(c))
        .filter(|word| !word.is_empty());
    let is_letter_alone = |word: &&str| {
        let mut letters = word.chars().flat_map(char::to_lowercase);
        let first = letters.next();
        letters.all(|letter| Some(letter) == first)
    };
    let listed = words.clone().filter(is_letter_alone).count() as f64;
    !Script::JAPANESE.includes(script) && listed >= MIN_LISTED_SHARE * words.count() as f64
}

/// Returns windows from the start of the text to its end: as many as fit without much overlap, at
/// most [`MAX_WINDOWS`].
fn windows(text: &str) -> impl Iterator<Item = &str> {
    let number = text.len().div_ceil(WINDOW_BYTES).clamp(1, MAX_WINDOWS);
    let last_start = text.len().saturating_sub(WINDOW_BYTES);
    (0..number).map(move |index| {
        let start = text.floor_char_boundary(last_start * index / (number - 1).max(1));
        &text[start..text.floor_char_boundary(start + WINDOW_BYTES)]
    })
}

/// Returns the number of distinct letters, but at most `max`, which is at most
/// [`MIN_DISTINCT_LETTERS`].
fn count_distinct_letters(window: &str, max: usize) -> usize {
    let mut seen = [None; MIN_DISTINCT_LETTERS];
    let mut distinct = 0;
    for c in window.chars().filter(|c| is_letter(*c)) {
        if !seen.contains(&Some(c)) {
            seen[distinct] = Some(c);
            distinct += 1;
        }
        if distinct == max {
            break;
        }
    }
    distinct
}

/// Returns `true` for letters. The most frequent ones are not looked up in the tables of the
/// standard library.
fn is_letter(c: char) -> bool {
    match c {
        '\u{410}'..='\u{44f}' | '\u{621}'..='\u{64a}' | '\u{904}'..='\u{939}' => true,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => true,
        _ => c.is_alphabetic(),
    }
}

/// Returns `true` if the window consists of Latin letters almost without vowels.
fn lacks_vowels(counts: &ByteCounts, script: Script) -> bool {
    script == Script::LATIN
        && counts.letters >= MIN_LETTERS_FOR_VOWELS
        && (counts.vowels as f64) < MIN_VOWEL_SHARE * counts.letters as f64
}

/// Returns `true` if all letters are capitals of Roman numerals.
fn is_roman_numerals(counts: &ByteCounts) -> bool {
    let numerals = counts.numerals;
    numerals >= MIN_NUMERAL_LETTERS && numerals == counts.letters && counts.non_ascii == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOVENIAN: &str = "Danes je lep dan, zato bomo šli na sprehod do jezera. ";

    fn count_letters(text: &str) -> u64 {
        text.chars().filter(|c| c.is_alphabetic()).count() as u64
    }

    fn is_latin_noise(text: &str) -> bool {
        is_noise(
            text,
            TextProperties {
                letters: count_letters(text),
                script: Script::new("Latn").unwrap(),
                agreement: 0.7,
                has_short_words: false,
                is_not_english: false,
            },
        )
    }

    fn to_mojibake(text: &str) -> String {
        text.bytes().map(char::from).collect()
    }

    #[test]
    fn utf8_decoded_as_latin_1_is_noise_and_french_is_not() {
        for text in [
            "Москва столица России",
            "Η Αθήνα είναι η πρωτεύουσα",
            "हिन्दी भाषा",
        ] {
            assert!(is_latin_noise(&to_mojibake(text)), "{text}");
            assert!(!is_latin_noise(text), "{text}");
        }
        assert!(!is_latin_noise(
            "À l'été, « les élèves » français mangèrent des pâtés où ça leur plaît."
        ));
    }

    #[test]
    fn letters_are_those_of_the_standard_library() {
        for c in '\0'..=char::MAX {
            assert_eq!(is_letter(c), c.is_alphabetic(), "{c:?}");
        }
    }

    #[test]
    fn a_few_repeated_letters_are_noise() {
        assert!(is_latin_noise(&"ab ".repeat(40)));
        assert!(is_latin_noise(&"ab ".repeat(4000)));
        assert!(!is_latin_noise("ha ha") && !is_latin_noise("Danes je lep dan, jutri bo dež."));
    }

    #[test]
    fn latin_letters_without_vowels_are_noise() {
        assert!(
            is_latin_noise(&"sdf ghj klm ".repeat(5))
                && is_latin_noise(&"sdf ghj klm ".repeat(500))
        );
    }

    #[test]
    fn roman_numerals_are_noise_and_words_of_their_letters_are_not() {
        assert!(
            is_latin_noise("I II III IV V VI VII XIV XX MCM")
                && is_latin_noise("I. II. III. IV. V. VI. VII.")
        );
        assert!(!is_latin_noise("MILD CIVIL") && !is_latin_noise("LOUIS XIV ET LOUIS XVI"));
    }

    #[test]
    fn source_code_is_noise_and_a_manual_that_begins_with_it_is_not() {
        let code = "if (open->script != 0) { self.close(open, each); } ".repeat(9);
        assert!(is_latin_noise(&code) && is_latin_noise(&code.repeat(30)));
        assert!(!is_latin_noise(&format!("{code}{}", SLOVENIAN.repeat(40))));
    }

    #[test]
    fn a_long_text_that_begins_with_noise_is_not_noise() {
        for beginning in [
            "=".repeat(499),
            "km ".repeat(200),
            "sdf ghj klm ".repeat(60),
            to_mojibake(&"Москва ".repeat(60)),
        ] {
            assert!(
                !is_latin_noise(&format!("{beginning} {}", SLOVENIAN.repeat(50))),
                "{beginning}"
            );
        }
        assert!(!is_latin_noise(&format!(
            "{} {}",
            "=".repeat(499),
            SLOVENIAN
        )));
    }

    #[test]
    fn a_text_that_is_mostly_noise_is_noise() {
        assert!(is_latin_noise(&format!(
            "{}{}",
            to_mojibake(&"Москва столица ".repeat(200)),
            SLOVENIAN.repeat(5)
        )));
    }
}
