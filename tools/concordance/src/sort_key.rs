//! The order of contexts.

use crate::context::Context;
use forage_text::{for_each_word, normalise};
use std::ops::Range;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// Ends a word in a key. It is before all letters, so that a word is before longer ones.
const WORD_END: char = '\u{1}';

/// Ends the words of a form in a key, so that a sequence of words is before longer ones.
const FORM_END: char = '\0';

/// The key by which contexts are ordered: words from the occurrence outwards, case aside, first
/// without the marks of letters, so that č is beside c.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortKey(String);

impl SortKey {
    /// Returns the key for the order of what follows the occurrences.
    pub fn right(context: &Context) -> SortKey {
        SortKey::new(&[&context.right, &context.node], false)
    }

    /// Returns the key for the order of what precedes the occurrences, the nearest word first.
    pub fn left(context: &Context) -> SortKey {
        SortKey::new(&[&context.left, &context.node], true)
    }

    /// Returns the key in bytes, which have the same order.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }

    fn new(parts: &[&str], is_reversed: bool) -> SortKey {
        let mut key = String::new();
        for (index, part) in parts.iter().enumerate() {
            let words = Words::new(part, is_reversed && index == 0);
            let mut has_marks = false;
            for word in words.iter() {
                let start = key.len();
                push_without_marks(&mut key, word);
                has_marks |= key[start..] != *word;
                key.push(WORD_END);
            }
            key.push(FORM_END);
            // Words without marks are before others.
            for word in words.iter().filter(|_| has_marks) {
                key.push_str(word);
                key.push(WORD_END);
            }
            key.push(FORM_END);
        }
        SortKey(key)
    }
}

/// The words of a text in lower case.
struct Words {
    text: String,
    ranges: Vec<Range<usize>>,
}

impl Words {
    fn new(text: &str, is_reversed: bool) -> Words {
        let mut words = Words {
            text: String::with_capacity(text.len()),
            ranges: Vec::new(),
        };
        for_each_word(&normalise(text), |word| {
            let start = words.text.len();
            if word.is_ascii() {
                words.text.push_str(word);
                words.text[start..].make_ascii_lowercase();
            } else {
                words.text.push_str(&word.to_lowercase());
            }
            words.ranges.push(start..words.text.len());
        });
        if is_reversed {
            words.ranges.reverse();
        }
        words
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().map(|range| &self.text[range.clone()])
    }
}

fn push_without_marks(key: &mut String, word: &str) {
    if word.is_ascii() {
        key.push_str(word);
        return;
    }
    for c in word.chars() {
        decompose_canonical(c, |c| {
            if !is_combining_mark(c) {
                key.push(c);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::SortKey;
    use crate::context::Context;

    fn sorted(mut parts: Vec<&str>, key: impl Fn(&Context) -> SortKey) -> Vec<&str> {
        parts.sort_by_key(|part| {
            key(&Context {
                left: (*part).into(),
                node: "x".into(),
                right: (*part).into(),
            })
        });
        parts
    }

    #[test]
    fn words_are_compared_from_the_occurrence_outwards_case_and_marks_aside() {
        let right = sorted(
            vec!["dan", "Čas je", "čas", "cilj", "„Cas je", "dan je", "danes"],
            SortKey::right,
        );
        assert_eq!(
            right,
            ["čas", "„Cas je", "Čas je", "cilj", "dan", "dan je", "danes"][..]
        );
        let left = sorted(vec!["je dan", "to je", "Dan, je", "dan"], SortKey::left);
        assert_eq!(left, ["dan", "je dan", "Dan, je", "to je"][..]);
        let unspaced = sorted(vec!["我们喜欢小溪", "他们在小溪"], SortKey::left);
        assert_eq!(unspaced, ["我们喜欢小溪", "他们在小溪"][..]);
    }
}
