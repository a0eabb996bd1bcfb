//! The order of contexts.

use crate::Context;
use forage_text::{for_each_word, normalise};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

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
            let mut words = Vec::new();
            for_each_word(&normalise(part), |word| words.push(word.to_lowercase()));
            if is_reversed && index == 0 {
                words.reverse();
            }
            let bare = words.iter().map(|word| without_marks(word)).collect();
            for form in [bare, words] {
                for word in form {
                    key.push_str(&word);
                    key.push(WORD_END);
                }
                key.push(FORM_END);
            }
        }
        SortKey(key)
    }
}

fn without_marks(word: &str) -> String {
    word.nfd().filter(|c| !is_combining_mark(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::SortKey;
    use crate::Context;

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
