//! Japanese: words and parts of speech by a dictionary for MeCab (IPADIC).
//!
//! The dictionary is built on the user's machine (`make dictionary`). The analysis is that of
//! MeCab (`lattice`); `grammar` finds nouns and adjectives among its parts of speech. The
//! lattice is our own: `vibrato-rkyv` 0.7.20 (with 50 other crates, among them one in C) takes
//! 60 ms to validate its dictionary of 48 MB at each start, and without that a truncated file is a
//! segmentation fault; this takes 11 ms for a dictionary of 10 MB, which is checked as a whole. The
//! two give the same words.

mod dictionary;
pub mod format;
mod grammar;
mod lattice;
mod location;

pub use location::find_dictionary;

use super::tagger::{PartOfSpeech, TaggedWord, Tagger};
use dictionary::Dictionary;
use grammar::Grammar;
use lattice::Lattice;
use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// Maximum length of a text that is analysed as one sentence, in bytes. Longer ones, which are no
/// prose, are cut.
const MAX_SENTENCE: usize = 4_096;

/// Maximum size of a dictionary file in bytes. That of IPADIC has 10 million.
const MAX_BYTES: u64 = 100_000_000;

/// The reason why there is no dictionary.
#[derive(Debug, thiserror::Error)]
pub enum DictionaryError {
    /// There is no dictionary.
    #[error(
        "the Japanese dictionary is missing; build it with `make dictionary`, or name the file in \
         the environment variable FORAGE_DICTIONARY"
    )]
    Missing,
    /// The file could not be read.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        reason: std::io::Error,
    },
    /// The file is something else.
    #[error("no Japanese dictionary of Forage; build one with `make dictionary`")]
    Foreign,
    /// The file was written by another version of this program.
    #[error("a dictionary of another version of Forage; build it again with `make dictionary`")]
    OtherVersion,
    /// The file is truncated or changed.
    #[error("a damaged dictionary; build it again with `make dictionary`")]
    Damaged,
    /// The content of a file is none of the above.
    #[error("{}: {reason}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with its content.
        reason: Box<DictionaryError>,
    },
}

/// Returns the tagger with the dictionary that [`find_dictionary`] finds. The dictionary is read
/// when it is needed for the first time.
///
/// # Errors
/// If there is no dictionary, or its file cannot be used.
pub fn tagger() -> Result<&'static JapaneseTagger, &'static DictionaryError> {
    static TAGGER: LazyLock<Result<JapaneseTagger, DictionaryError>> = LazyLock::new(|| {
        let path = find_dictionary().ok_or(DictionaryError::Missing)?;
        JapaneseTagger::open(&path)
    });
    TAGGER.as_ref()
}

/// The tagger of Japanese.
#[derive(Debug)]
pub struct JapaneseTagger {
    dictionary: Dictionary,
    grammar: Grammar,
}

impl JapaneseTagger {
    /// Returns a tagger with the dictionary in the file `path` ([`find_dictionary`]), which is read
    /// into memory as a whole: 10 MB.
    ///
    /// # Errors
    /// If the file cannot be read, or is no dictionary, one of another version, or damaged.
    pub fn open(path: &Path) -> Result<Self, DictionaryError> {
        let bytes = read_dictionary(path).map_err(|reason| DictionaryError::Unreadable {
            path: path.to_owned(),
            reason,
        })?;
        Self::of_bytes(bytes).map_err(|reason| DictionaryError::Unusable {
            path: path.to_owned(),
            reason: Box::new(reason),
        })
    }

    /// Returns a tagger with the dictionary file that has these bytes.
    ///
    /// # Errors
    /// If they are no dictionary, one of another version, or damaged.
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Self, DictionaryError> {
        let dictionary = Dictionary::of_bytes(bytes)?;
        let grammar = Grammar::of_parts(dictionary.parts());
        Ok(JapaneseTagger {
            dictionary,
            grammar,
        })
    }
}

/// Reads a regular file. Of one that is larger than any dictionary, only the first part.
fn read_dictionary(path: &Path) -> std::io::Result<Vec<u8>> {
    // Opening a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("is not a regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?
        .take(MAX_BYTES)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl Tagger for JapaneseTagger {
    fn tag_words(&self, text: &str, visit: &mut dyn FnMut(TaggedWord<'_>)) {
        let mut lattice = Lattice::default();
        let mut tokens = Vec::new();
        let mut start = 0;
        while start < text.len() {
            let sentence = first_sentence(&text[start..]);
            tokens.clear();
            lattice.split(&self.dictionary, sentence, &mut tokens);
            for word in self.grammar.find_words(sentence, &tokens) {
                let surface = &sentence[word.range.clone()];
                visit(TaggedWord {
                    range: start + word.range.start..start + word.range.end,
                    stem: grammar::stem_of(self.dictionary.base_form(word.entry, surface)),
                    part: word.part,
                    is_stop_word: false,
                });
            }
            start += sentence.len();
            if text[start..].starts_with('\n') {
                visit(end_of_line(start));
                start += 1;
            }
        }
    }
}

/// Returns the end of a line at the byte `start`, which ends a phrase.
fn end_of_line(start: usize) -> TaggedWord<'static> {
    TaggedWord {
        range: start..start + 1,
        stem: Cow::Borrowed(""),
        part: PartOfSpeech::Other,
        is_stop_word: false,
    }
}

/// Returns the first sentence of `text`: up to a full stop, question or exclamation mark, up to the
/// end of the line, and at most [`MAX_SENTENCE`] bytes. It is empty if the line is.
fn first_sentence(text: &str) -> &str {
    let within = &text[..text.floor_char_boundary(MAX_SENTENCE)];
    let is_end = |&(_, c): &(usize, char)| matches!(c, '。' | '！' | '？' | '．' | '\n');
    match within.char_indices().find(is_end) {
        Some((at, '\n')) => &within[..at],
        Some((at, c)) => &within[..at + c.len_utf8()],
        None => within,
    }
}

#[cfg(test)]
mod tests;
