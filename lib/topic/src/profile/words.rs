//! The words of a text as a profile counts them: stems with their places, and which of them are
//! adjacent.

use crate::general_words::FrequentWords;
use crate::keyphrases::language_words::{LanguageWords, fold_text};
use crate::numbering::{Numbering, enter, string_of};
use foldhash::HashMap;
use forage_langid::LanguageCode;

/// Maximum number of distinct words whose stems are kept for the next text.
const MAX_KEPT_WORDS: usize = 1 << 17;

/// A word of a text that is not a stop word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ContentWord {
    /// The number of its stem.
    pub(crate) stem: u32,
    /// Position of its first character in the text, in characters.
    pub(crate) start: u32,
    /// True if the word before it is a content word, too, and only blanks or a hyphen are between
    /// them: the two may be part of a collocation.
    pub(crate) is_adjacent: bool,
}

/// What is known of a spelling: the number of its stem, or that it is a stop word.
type Spelling = Option<u32>;

/// Splits texts of one language into words, and numbers their stems.
#[derive(Debug)]
pub(crate) struct ContentWords {
    words: LanguageWords,
    stop_words: FrequentWords,
    spellings: HashMap<Box<str>, Spelling>,
    stems: Numbering,
    /// Number of stems that are never forgotten.
    kept: usize,
    /// Number of spellings at which those of earlier texts are forgotten.
    max_spellings: usize,
}

impl ContentWords {
    /// Creates a splitter that keeps the numbers of `stems`.
    pub(crate) fn new(language: LanguageCode, stems: Numbering) -> Self {
        ContentWords {
            words: LanguageWords::with_whole_words(language),
            stop_words: FrequentWords::of_language(language),
            spellings: HashMap::default(),
            kept: stems.len(),
            stems,
            max_spellings: MAX_KEPT_WORDS,
        }
    }

    /// Creates a splitter that never forgets a number. Its memory grows with the vocabulary of the
    /// texts.
    pub(crate) fn with_all_kept(language: LanguageCode) -> Self {
        ContentWords {
            max_spellings: usize::MAX,
            ..ContentWords::new(language, Numbering::default())
        }
    }

    /// Returns the stem with a number of the text that was split last.
    pub(crate) fn stem(&self, number: u32) -> &str {
        string_of(&self.stems, number)
    }

    /// Returns the number of stems known so far: all numbers are less.
    pub(crate) fn stem_count(&self) -> usize {
        self.stems.len()
    }

    /// Calls `emit` with each content word of a text, in order, and with its spelling.
    ///
    /// Hyphens join words, other punctuation within a word parts it (`os.path`, `hash_map`).
    /// Numbers assigned to earlier texts may be forgotten, except those given to
    /// [`ContentWords::new`]. Returns the length of the text in characters.
    pub(crate) fn for_each(&mut self, text: &str, mut emit: impl FnMut(ContentWord, &str)) -> u32 {
        if self.spellings.len() > self.max_spellings {
            self.forget();
        }
        let text = fold_text(text);
        let Self {
            words,
            stop_words,
            spellings,
            stems,
            ..
        } = self;
        // The end of the previous word in bytes, and whether it is a content word.
        let mut previous = (0, false);
        let mut position = CharacterPosition::default();
        words.for_each_word(&text, |words, word| {
            // An elided article is a stop word.
            let may_be_adjacent = !word.is_after_elision;
            for part in split_at_punctuation(word.text) {
                let offset = part.as_ptr() as usize - word.text.as_ptr() as usize;
                let (start, end) = (
                    word.range.start + offset,
                    word.range.start + offset + part.len(),
                );
                let known = match spellings.get(part) {
                    Some(known) => *known,
                    None => {
                        let known = if stop_words.contain(part) {
                            None
                        } else {
                            let part = part.replace('’', "'");
                            Some(enter(stems, &words.properties(&part).stem).0)
                        };
                        spellings.insert(part.into(), known);
                        known
                    }
                };
                let between = text.get(previous.0..start).unwrap_or("\n");
                let is_adjacent = previous.1 && may_be_adjacent && is_joint(between);
                previous = (end, known.is_some());
                if let Some(stem) = known {
                    let word = ContentWord {
                        stem,
                        start: position.advance(&text, start),
                        is_adjacent,
                    };
                    emit(word, part);
                }
            }
        });
        position.advance(&text, text.len())
    }

    /// Forgets all spellings, and all stems but the kept ones.
    fn forget(&mut self) {
        self.spellings.clear();
        self.stems.truncate(self.kept);
    }
}

/// Returns the parts of a word between punctuation marks that Unicode allows within a word.
fn split_at_punctuation(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| c.is_ascii_punctuation() && c != '\'')
        .filter(|part| !part.is_empty())
}

/// Returns `true` if the text between two words does not part a collocation: blanks without a line
/// feed, a hyphen, or nothing.
fn is_joint(between: &str) -> bool {
    matches!(between, "" | " " | "-" | "\u{2010}" | "\u{2011}")
        || between.chars().all(|c| c != '\n' && c.is_whitespace())
}

/// Converts byte positions to positions in characters, in ascending order.
#[derive(Debug, Default)]
struct CharacterPosition {
    bytes: usize,
    characters: u32,
}

impl CharacterPosition {
    /// Returns the number of characters before byte `to`, which must not decrease between calls.
    fn advance(&mut self, text: &str, to: usize) -> u32 {
        let count = text.get(self.bytes..to).map_or(0, |t| t.chars().count());
        self.bytes = to;
        // Longer texts have their passages at the end left out.
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        self.characters = self.characters.saturating_add(count);
        self.characters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the stems of a text; `+` joins those that may be part of a collocation.
    fn stems(language: &str, text: &str) -> String {
        let mut words = ContentWords::new(language.parse().unwrap(), Numbering::default());
        let mut found = Vec::new();
        words.for_each(text, |word, _| found.push(word));
        let mut joined = String::new();
        for word in found {
            if !joined.is_empty() {
                joined.push(if word.is_adjacent { '+' } else { ' ' });
            }
            joined.push_str(words.stem(word.stem));
        }
        joined
    }

    #[test]
    fn stop_words_and_punctuation_part_collocations_and_hyphens_do_not() {
        assert_eq!(
            stems(
                "eng",
                "Object-oriented languages; graph theory, and graphs of the quick\nsort."
            ),
            "object+orient+languag graph+theori graph quick sort"
        );
    }

    #[test]
    fn punctuation_within_a_word_parts_it() {
        assert_eq!(
            stems("eng", "os.path and hash_map, it's"),
            "os path hash map"
        );
    }

    #[test]
    fn digits_and_letters_are_content_words_but_the_article_is_not() {
        assert_eq!(stems("eng", "a matrix x of 3"), "matrix+x 3");
    }

    #[test]
    fn words_of_scripts_without_blanks_are_adjacent() {
        let stems = stems("jpn", "機械学習の研究");
        assert!(stems.contains('+'), "{stems}");
    }

    #[test]
    fn positions_are_in_characters() {
        let mut words = ContentWords::new("eng".parse().unwrap(), Numbering::default());
        let mut starts = Vec::new();
        let length = words.for_each("äöü graph „tree“", |word, _| starts.push(word.start));
        assert_eq!((starts, length), (vec![0, 4, 11], 16));
    }

    #[test]
    fn kept_stems_keep_their_numbers() {
        let mut stems = Numbering::default();
        for stem in ["graph", "tree"] {
            enter(&mut stems, stem);
        }
        let mut words = ContentWords::new("eng".parse().unwrap(), stems);
        for number in 0..=MAX_KEPT_WORDS {
            words.for_each(&format!("w{number} tree"), |_, _| {});
        }
        let mut numbers = Vec::new();
        words.for_each("graphs trees", |word, _| numbers.push(word.stem));
        assert_eq!(numbers, [0, 1]);
        assert!(words.stem_count() < MAX_KEPT_WORDS + 10);
    }
}
