//! Runs of words in one script, which most texts consist of.

use crate::char_table::{CharClass, CharInfo, CharTable, may_be_optional_mark};
use crate::evidence::feature::{WORD_SEED, finish_hash, hash_character};
use crate::ngram::BLANK;
use std::str::Chars;

/// Maximum number of letters, marks and blanks of a run. Twice as many are not faster.
const MAX_LETTERS: usize = 64;

/// Maximum number of words that end in a run. All but the first have a letter and a blank.
const MAX_WORDS: usize = MAX_LETTERS / 2 + 1;

/// The letters of a run, and the words that end in it. Its buffers are not cleared before the next
/// run.
#[derive(Debug)]
pub(super) struct LetterRun {
    letters: [u32; MAX_LETTERS],
    letters_end: usize,
    /// The hash of each word, and the end of the blank that follows it.
    words: [(u64, usize); MAX_WORDS],
    words_end: usize,
}

/// The end of a run.
pub(super) struct RunEnd {
    /// The hash of the open word.
    pub(super) hash: u64,
    /// Number of letters, without marks.
    pub(super) letters: usize,
    pub(super) has_marks: bool,
    pub(super) has_optional_marks: bool,
}

impl Default for LetterRun {
    fn default() -> Self {
        LetterRun {
            letters: [0; MAX_LETTERS],
            letters_end: 0,
            words: [(0, 0); MAX_WORDS],
            words_end: 0,
        }
    }
}

impl LetterRun {
    /// Reads letters, marks and separators of `rest`, up to one that is neither a separator, nor a
    /// letter of the same script as `first` or its mark. There are at most `room` letters and
    /// marks.
    ///
    /// `hash` is that of the open word, to which `first` belongs.
    #[inline]
    pub(super) fn read(
        &mut self,
        table: &CharTable,
        first: CharInfo,
        mut hash: u64,
        room: usize,
        rest: &mut Chars<'_>,
    ) -> RunEnd {
        let room = room.min(MAX_LETTERS - 1);
        let (mut end, mut words_end, mut marks) = (0, 0, 0);
        let mut has_letters = true;
        let mut has_optional_marks = false;
        while end < room {
            let mut ahead = rest.clone();
            let Some(c) = ahead.next() else {
                break;
            };
            let info = table.look_up_cached(c);
            if info.has_same_class_and_script(first) {
                has_letters = true;
            } else if info.is_separator() {
                if has_letters {
                    self.letters[end] = BLANK;
                    end += 1;
                    self.words[words_end] = (finish_hash(hash), end);
                    words_end += 1;
                    hash = WORD_SEED;
                    has_letters = false;
                }
                *rest = ahead;
                continue;
            } else if info.class() == CharClass::Mark && has_letters {
                marks += 1;
                has_optional_marks |= may_be_optional_mark(c);
            } else {
                break;
            }
            self.letters[end] = info.lower();
            end += 1;
            hash = hash_character(hash, info.lower());
            *rest = ahead;
        }
        self.letters_end = end;
        self.words_end = words_end;
        RunEnd {
            hash,
            letters: end - words_end - marks,
            has_marks: marks > 0,
            has_optional_marks,
        }
    }

    /// Returns the letters of the last run, with a blank after each word.
    #[inline]
    pub(super) fn letters(&self) -> &[u32] {
        &self.letters[..self.letters_end]
    }

    /// Returns the keys of the words that end in the last run, each with the end of its blank.
    #[inline]
    pub(super) fn words(&self) -> impl Iterator<Item = (u64, usize)> {
        self.words[..self.words_end].iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_ends_before_a_letter_of_another_script_and_has_marks() {
        let mut table = CharTable::default();
        let text = "ab, cd\u{301} e\u{661}f г";
        for c in text.chars() {
            table.look_up(c);
        }
        let first = table.look_up('a');
        let mut run = LetterRun::default();
        let mut rest = text.chars();
        let end = run.read(&table, first, WORD_SEED, 99, &mut rest);
        assert_eq!(rest.as_str(), "г");
        let letters: String = run
            .letters()
            .iter()
            .copied()
            .filter_map(char::from_u32)
            .collect();
        assert_eq!(letters, "ab cd\u{301} e f ");
        assert_eq!(
            run.words().map(|(_, end)| end).collect::<Vec<_>>(),
            [3, 7, 9, 11]
        );
        assert_eq!((end.letters, end.has_marks, end.hash), (6, true, WORD_SEED));
        assert!(end.has_optional_marks);

        let end = run.read(&table, first, WORD_SEED, 1, &mut text.chars());
        assert_eq!((run.letters(), end.letters), (&[u32::from('a')][..], 1));
    }

    #[test]
    fn a_long_run_fits() {
        let mut table = CharTable::default();
        let first = table.look_up('a');
        table.look_up(' ');
        for text in ["a ".repeat(99), " ".repeat(999), "a".repeat(999)] {
            let mut rest = text.chars();
            let mut run = LetterRun::default();
            let end = run.read(&table, first, WORD_SEED, 200, &mut rest);
            assert!(end.letters + run.words().count() == run.letters().len());
        }
    }
}
