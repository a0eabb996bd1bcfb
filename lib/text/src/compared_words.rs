//! The words by which texts are compared.

use crate::char_cache::CharCache;
use crate::comparison::comparison_form_of_read;
use crate::normalise::{max_byte, windows};
use crate::scripts::{Delimitation, has_syllable_words, is_unspaced};
use crate::segment::{for_each_run, segment_run};
use unicode_normalization::char::is_combining_mark;

/// Not part of a word.
const DELIMITER: u8 = 1;
/// A letter or digit.
const LETTER: u8 = 2;
/// A letter of a script without blanks between words, which is a word.
const WORD: u8 = 4;
/// A mark, which belongs to the character before it.
const MARK: u8 = 8;

/// The classes of the characters of the Basic Multilingual Plane.
static CLASSES: CharCache = CharCache::new();

/// Calls `emit` for each word of a text in its [comparison form](crate::comparison_form), in order.
///
/// A word is a sequence of letters, digits and marks. In scripts without blanks between words, each
/// letter, with its marks, is a word. The words are finer than terms, and need no lexicon, so
/// that their result is the same in all versions.
pub fn for_each_compared_word<'a>(form: &'a str, mut emit: impl FnMut(&'a str)) {
    let mut characters = form.char_indices();
    let mut next = characters.next();
    while let Some((start, c)) = next {
        next = characters.next();
        let continuation = match class_of(c) {
            DELIMITER => continue,
            WORD => MARK,
            _ => LETTER | MARK,
        };
        while next.is_some_and(|(_, c)| class_of(c) & continuation != 0) {
            next = characters.next();
        }
        let end = next.map_or(form.len(), |(position, _)| position);
        emit(&form[start..end]);
    }
}

/// Calls `emit` for each word of a paragraph of a text that [`crate::read`] has returned, in order,
/// in its [comparison form](crate::comparison_form).
///
/// The words are those of [`for_each_compared_word`], but in scripts without blanks between words,
/// where a letter says little, they are those of [`crate::for_each_word`], and where these are
/// syllables (`docs/guide/words.md`), as in Tibetan, each two of them are a word.
pub fn for_each_paragraph_word(paragraph: &str, mut emit: impl FnMut(&str)) {
    if !has_other_paragraph_words(paragraph) {
        return for_each_compared_word(&comparison_form_of_read(paragraph), emit);
    }
    let mut syllable = String::new();
    for_each_run(paragraph, |run, delimitation| {
        if delimitation == Delimitation::Blanks {
            for_each_compared_word(&comparison_form_of_read(run), |word| {
                let is_syllable = word.starts_with(has_syllable_words);
                emit_in_pairs(word, is_syllable, &mut syllable, &mut emit);
            });
            return;
        }
        // Segmented before the form is made, in which Thai and Lao am are two characters.
        segment_run(run, delimitation, &mut |word: &str| {
            let is_syllable = delimitation == Delimitation::Syllables;
            emit_in_pairs(
                &comparison_form_of_read(word),
                is_syllable,
                &mut syllable,
                &mut emit,
            );
        });
    });
    emit_in_pairs("", false, &mut syllable, &mut emit);
}

/// Returns `true` if the words of [`for_each_paragraph_word`] may differ from those of
/// [`for_each_compared_word`].
pub fn has_other_paragraph_words(text: &str) -> bool {
    let differs = |c| is_unspaced(c) || has_syllable_words(c);
    windows(text).any(|window| max_byte(window) >= 0xe0 && window.contains(differs))
}

/// Emits a word that is no syllable, and two syllables together. The first of them is kept in
/// `first`.
fn emit_in_pairs(word: &str, is_syllable: bool, first: &mut String, emit: &mut impl FnMut(&str)) {
    match (is_syllable, first.is_empty()) {
        (true, true) => first.push_str(word),
        (true, false) => {
            first.push_str(word);
            emit(&std::mem::take(first));
        }
        (false, true) if word.is_empty() => {}
        (false, true) => emit(word),
        (false, false) => {
            emit(&std::mem::take(first));
            emit_in_pairs(word, false, first, emit);
        }
    }
}

#[inline]
fn class_of(c: char) -> u8 {
    CLASSES.look_up(c, classify)
}

#[cold]
fn classify(c: char) -> u8 {
    if is_combining_mark(c) {
        MARK
    } else if !c.is_alphanumeric() {
        DELIMITER
    } else if is_unspaced(c) {
        WORD
    } else {
        LETTER
    }
}

#[cfg(test)]
mod tests {
    use super::{for_each_compared_word, for_each_paragraph_word};
    use proptest::prelude::*;

    fn words(form: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for_each_compared_word(form, |word| words.push(word));
        words
    }

    #[test]
    fn words_are_sequences_of_letters_digits_and_marks() {
        assert_eq!(
            words("lep dan, 7. člen: e-pošta l'été (2024)"),
            ["lep", "dan", "7", "člen", "e", "pošta", "l", "été", "2024"]
        );
        assert_eq!(words("हिन्दी भाषा।"), ["हिन्दी", "भाषा"]);
        assert_eq!(words("서울 시"), ["서울", "시"]);
        assert!(words("… – 🙂 !?").is_empty());
        assert!(words("").is_empty());
    }

    #[test]
    fn letters_of_scripts_without_blanks_are_words() {
        assert_eq!(words("今日はpc2台。"), ["今", "日", "は", "pc2", "台"]);
        assert_eq!(words("น้ำดี"), ["น้", "ำ", "ดี"]);
    }

    #[test]
    fn words_of_paragraphs_are_segmented_and_syllables_are_taken_in_pairs() {
        for (paragraph, expected) in [
            ("Lep dan, 7. člen l'été", "lep dan 7 člen l été"),
            ("ภาษาไทย 2567 น้ำดี", "ภาษา ไทย 2567 น้\u{e4d}าดี"),
            ("JR東日本は今日", "jr 東日本 は 今日"),
            ("བོད་ཀྱི་སྐད་ཡིག་དང", "བོདཀྱི སྐདཡིག དང"),
            ("ꦗꦮꦗ a", "ꦗꦮ ꦗ a"),
            ("", ""),
        ] {
            let mut words = Vec::new();
            for_each_paragraph_word(paragraph, |word| words.push(word.to_owned()));
            assert_eq!(words.join(" "), expected, "{paragraph}");
        }
    }

    proptest! {
        #[test]
        fn words_leave_out_delimiters_only(form in "\\PC{0,60}") {
            let letters: String = form.chars().filter(|c| c.is_alphanumeric()).collect();
            let found: String = words(&form).concat();
            prop_assert_eq!(found.chars().filter(|c| c.is_alphanumeric()).collect::<String>(), letters);
            prop_assert!(words(&form).iter().all(|word| !word.is_empty()));
        }
    }
}
