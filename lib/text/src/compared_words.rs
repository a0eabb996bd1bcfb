//! The words by which texts are compared.

use crate::scripts::is_unspaced;
use std::sync::atomic::{AtomicU8, Ordering};
use unicode_normalization::char::is_combining_mark;

/// Not computed yet.
const UNKNOWN: u8 = 0;
/// Not part of a word.
const DELIMITER: u8 = 1;
/// A letter or digit.
const LETTER: u8 = 2;
/// A letter of a script without blanks between words, which is a word.
const WORD: u8 = 4;
/// A mark, which belongs to the character before it.
const MARK: u8 = 8;

/// The classes of the characters of the Basic Multilingual Plane.
static CLASSES: [AtomicU8; 0x1_0000] = [const { AtomicU8::new(UNKNOWN) }; 0x1_0000];

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

#[inline]
fn class_of(c: char) -> u8 {
    let Some(cached) = CLASSES.get(c as usize) else {
        return classify(c);
    };
    match cached.load(Ordering::Relaxed) {
        UNKNOWN => {
            let class = classify(c);
            cached.store(class, Ordering::Relaxed);
            class
        }
        class => class,
    }
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
    use super::for_each_compared_word;
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
