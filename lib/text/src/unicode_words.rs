//! Unicode words (UAX 29), by a table for common text.
//!
//! Most words are letters, digits and marks between characters at which UAX 29 always has
//! boundaries. They are found by the class of each character. All else (an apostrophe between
//! letters, a full stop between digits, Katakana, emoji …) is left to `unicode-segmentation`,
//! between the nearest boundaries. The classes are those that `unicode-segmentation` shows when it
//! splits a few strings with the character, and are cached by code point.

use std::sync::atomic::{AtomicU8, Ordering};
use unicode_segmentation::UnicodeSegmentation;

/// The class of a character, by its effect on word boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum WordClass {
    /// A letter or digit: joined to all others of the class.
    Word = 1,
    /// Belongs to the character before it.
    Mark = 2,
    /// No part of a word: a boundary is before it, and after it unless a mark follows.
    Separator = 3,
    /// As a separator, but may join a character of class `Word` before it to one after it.
    Infix = 4,
    /// Anything else.
    Other = 5,
}

/// [`WordClass`] of the characters of the Basic Multilingual Plane; 0 where not computed yet.
static CLASSES: [AtomicU8; 0x1_0000] = [const { AtomicU8::new(0) }; 0x1_0000];

/// Calls `emit` with each word of `text`, in order: those of
/// [`UnicodeSegmentation::unicode_words`], at a fraction of its cost. Runs in O(`text.len()`).
pub fn for_each_unicode_word(text: &str, mut emit: impl FnMut(&str)) {
    let mut rest = text;
    while !rest.is_empty() {
        let token = next_token(rest);
        let (head, after) = rest.split_at(token.end);
        if token.is_word {
            emit(&head[token.start..]);
        } else if token.is_irregular {
            head.unicode_words().for_each(&mut emit);
        }
        rest = after;
    }
}

/// The first separators of a text, and the characters up to the next one.
struct Token {
    /// End of the separators.
    start: usize,
    /// The end; there is a boundary.
    end: usize,
    /// True if the characters are a word.
    is_word: bool,
    /// True if they may be any number of words, which may begin among the separators.
    is_irregular: bool,
}

fn next_token(text: &str) -> Token {
    let mut token = Token {
        start: 0,
        end: text.len(),
        is_word: false,
        is_irregular: false,
    };
    let mut index = 0;
    while let Some(class) = class_at(text, index) {
        let is_in_word = token.is_word || token.is_irregular;
        let end = text.ceil_char_boundary(index + 1);
        if class == WordClass::Word {
            token.is_word = !token.is_irregular;
            index = end_of_ascii_word(text, end);
            continue;
        }
        if is_separator(class, is_in_word, text, end) {
            if is_in_word {
                token.end = index;
                break;
            }
            token.start = end;
        } else if class != WordClass::Mark || !is_in_word {
            token.is_irregular = true;
            token.is_word = false;
        }
        index = end;
    }
    token
}

/// Returns `true` if a character of `class` that ends at byte `end` has a boundary on both sides.
#[inline]
fn is_separator(class: WordClass, is_in_word: bool, text: &str, end: usize) -> bool {
    match class {
        WordClass::Separator => true,
        WordClass::Infix => match class_at(text, end) {
            Some(WordClass::Mark | WordClass::Other) => false,
            Some(WordClass::Word) => !is_in_word,
            _ => true,
        },
        _ => false,
    }
}

/// Returns the end of the ASCII letters and digits from byte `start` on.
#[inline]
fn end_of_ascii_word(text: &str, start: usize) -> usize {
    let rest = &text.as_bytes()[start..];
    let length = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
    start + length.unwrap_or(rest.len())
}

/// Returns the class of the character at byte `index`; `None` at the end.
#[inline]
fn class_at(text: &str, index: usize) -> Option<WordClass> {
    let byte = *text.as_bytes().get(index)?;
    if byte.is_ascii() {
        return Some(class_of(byte.into()));
    }
    text[index..].chars().next().map(class_of)
}

/// Returns the class of `c`.
#[inline]
fn class_of(c: char) -> WordClass {
    let Some(cached) = CLASSES.get(c as usize) else {
        return WordClass::Other;
    };
    match cached.load(Ordering::Relaxed) {
        1 => WordClass::Word,
        2 => WordClass::Mark,
        3 => WordClass::Separator,
        4 => WordClass::Infix,
        5 => WordClass::Other,
        _ => {
            let class = find_class(c);
            cached.store(class as u8, Ordering::Relaxed);
            class
        }
    }
}

/// Finds the class of `c` by the boundaries in strings with it.
#[cold]
fn find_class(c: char) -> WordClass {
    // Numbers of parts between boundaries.
    let parts = |before: &str, after: &str| {
        let text = format!("{before}{c}{after}");
        text.split_word_bounds().count()
    };
    let ends_part = [("a", ""), ("1", ""), ("א", "")].map(|(before, _)| parts(before, ""));
    let begins_part = ["a", "1", "א"].map(|after| parts("", after));
    if c.is_alphanumeric() && ends_part == [1; 3] && begins_part == [1; 3] {
        return WordClass::Word;
    }
    // A zero-width joiner joins emoji.
    if ends_part == [1; 3] && begins_part == [2; 3] && parts("\u{200d}", "⏏") == 2 {
        return WordClass::Mark;
    }
    let is_never_at_margin = ends_part == [2; 3] && begins_part == [2; 3];
    // Some signs, such as a spacing voiced sound mark, are joined to Katakana.
    let is_joined = [("\u{200d}", ""), ("カ", ""), ("", "カ")]
        .iter()
        .any(|(before, after)| parts(before, after) == 1);
    if c.is_alphanumeric() || !is_never_at_margin || is_joined {
        return WordClass::Other;
    }
    match ["a", "1", "א"].map(|letter| parts(letter, letter)) {
        [3, 3, 3] => WordClass::Separator,
        _ => WordClass::Infix,
    }
}

#[cfg(test)]
mod tests {
    use super::{WordClass, class_of, for_each_unicode_word};
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;

    fn words(text: &str) -> Vec<String> {
        let mut words = Vec::new();
        for_each_unicode_word(text, |word| words.push(word.to_owned()));
        words
    }

    fn expected(text: &str) -> Vec<String> {
        text.unicode_words().map(str::to_owned).collect()
    }

    #[test]
    fn most_letters_and_signs_have_a_class_with_a_fast_path() {
        for (characters, class) in [
            ("aZž9яאहع한", WordClass::Word),
            ("\u{301}\u{93f}\u{ad}", WordClass::Mark),
            (" \n\r-–—„“”()!?/", WordClass::Separator),
            (".,:;’\"·", WordClass::Infix),
            ("_'カ゛の木ไ\u{200d}⏏\u{202f}🇸𝄞", WordClass::Other),
        ] {
            for c in characters.chars() {
                assert_eq!(class_of(c), class, "{c:?}");
            }
        }
    }

    #[test]
    fn agrees_with_unicode_segmentation_on_each_character_between_others() {
        for c in '\0'..='\u{1ffff}' {
            for text in [
                format!("a{c}b {c}a{c} 1{c}1"),
                format!("a.{c}b א{c}א a{c}.b,{c}{c}"),
                format!(" {c}\u{301}a\u{301}{c}\u{200d}{c}"),
                format!("カ{c}カ _{c}_ 🇸{c}🇸 ⏏{c}⏏ \u{1b164}{c}"),
            ] {
                assert_eq!(words(&text), expected(&text), "{text:?}");
            }
        }
    }

    /// Characters of all values of the property Word_Break, and some more.
    const CHARACTERS: [char; 48] = [
        'a',
        'ž',
        'я',
        'א',
        'ה',
        'ع',
        'ह',
        '1',
        '٣',
        ' ',
        ' ',
        '\u{3000}',
        '\n',
        '\r',
        '\u{85}',
        '\u{301}',
        '\u{93f}',
        '\u{ad}',
        '\u{200d}',
        '\u{200e}',
        '\u{feff}',
        'カ',
        'ー',
        '゛',
        '\u{1b164}',
        'の',
        '木',
        'ไ',
        '\'',
        '"',
        '.',
        ',',
        ':',
        ';',
        '·',
        '’',
        '٬',
        '_',
        '\u{202f}',
        '🇸',
        '🇮',
        '⏏',
        '🙂',
        '\u{1f3fd}',
        '-',
        '„',
        '\u{fe0f}',
        '𝄞',
    ];

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn agrees_with_unicode_segmentation(
            text in prop::collection::vec(prop::sample::select(&CHARACTERS[..]), 0..24)
        ) {
            let text = String::from_iter(text);
            prop_assert_eq!(words(&text), expected(&text), "{:?}", text);
        }

        #[test]
        fn agrees_with_unicode_segmentation_on_any_text(text in "\\PC{0,60}|\\p{Any}{0,60}") {
            prop_assert_eq!(words(&text), expected(&text), "{:?}", text);
        }
    }
}
