//! The tokenizer: splits a text into words, batch by batch, in the order of the text.
//!
//! A word is a run of letters and combining marks, lower-cased. An apostrophe between two letters
//! is part of it. A word ends where the script changes; Han and kana count as one script. All other
//! characters, digits too, separate words. The most common HTML entities are skipped. Addresses are
//! removed before, by [`forage_text::remove_addresses`].

use crate::char_table::{CharClass, CharInfo, CharTable, may_be_optional_mark};
use crate::evidence::feature::{WORD_SEED, finish_hash, hash_character};
use crate::evidence::letter_run::LetterRun;
use crate::ngram::BLANK;
use crate::script::Script;
use std::ops::Range;
use std::str::Chars;

/// Words per batch.
const BATCH_WORDS: usize = 256;

/// Maximum number of letters of a word, which bounds its memory; longer ones are cut into several
/// words.
const MAX_WORD_LETTERS: usize = 200;

/// Number of letters at which a batch ends, and maximum capacity, in letters, of a buffer that is
/// kept for the next batch; [`BATCH_WORDS`] words of [`MAX_WORD_LETTERS`] letters are fewer.
const MAX_KEPT_LETTERS: usize = 1 << 16;

/// The Latin letters that a turned comma follows in Uzbek.
const O: u32 = 'o' as u32;
/// See [`O`].
const G: u32 = 'g' as u32;

/// Common HTML entities that are not letters. Numeric entities need no rule, since digits are not
/// letters either.
const ENTITIES: [&str; 6] = ["nbsp;", "amp;", "lt;", "gt;", "quot;", "apos;"];

/// A word of a batch.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WordToken {
    /// The hash of the word.
    pub(crate) key: u64,
    /// Start in the letters of the batch, at the blank before the word.
    start: u32,
    /// End in the letters of the batch, after the blank that follows the word.
    end: u32,
    /// Index of the script, as in [`WordTokenizer::script_at`].
    pub(crate) script: u32,
}

impl WordToken {
    /// The range of the word and its two blanks in the letters of the batch.
    #[inline]
    pub(crate) fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Consecutive words of a text.
#[derive(Debug, Default)]
pub(crate) struct TokenBatch {
    /// The letters of all words, with a blank before, between and after them.
    letters: Vec<u32>,
    pub(crate) tokens: Vec<WordToken>,
}

impl TokenBatch {
    /// Returns the characters of a word, with a blank before and after them.
    #[inline]
    pub(crate) fn letters(&self, token: &WordToken) -> &[u32] {
        self.letters_at(token.range())
    }

    #[inline]
    pub(crate) fn letters_at(&self, range: Range<usize>) -> &[u32] {
        &self.letters[range]
    }

    fn clear(&mut self) {
        self.letters.clear();
        self.letters.shrink_to(MAX_KEPT_LETTERS);
        self.letters.push(BLANK);
        self.tokens.clear();
    }
}

/// What reads the words of a text.
pub(crate) trait BatchReader {
    /// Called with the key of each word before the batch is read, so that it can be looked up
    /// early.
    #[inline]
    fn announce(&self, _key: u64) {}

    /// Reads the next words.
    fn read(&mut self, batch: &TokenBatch);
}

impl<F: FnMut(&TokenBatch)> BatchReader for F {
    fn read(&mut self, batch: &TokenBatch) {
        self(batch);
    }
}

/// Splits texts into words. Keeps its buffers for the next text.
#[derive(Debug, Default)]
pub(crate) struct WordTokenizer {
    table: CharTable,
    batch: TokenBatch,
    run: LetterRun,
    /// Number of letters of the text by index of their script.
    letters_by_script: Vec<u64>,
    /// True if the text has combining marks.
    has_marks: bool,
    /// True if it has marks that most texts leave out.
    has_optional_marks: bool,
}

/// The word that is being read. It ends where the letters of the batch end.
#[derive(Clone, Copy)]
struct OpenWord {
    hash: u64,
    /// Index of its first letter in the letters of the batch.
    start: usize,
    script: usize,
    /// The apostrophe that follows the letters so far, in the spelling of the model; 0 if none
    /// does.
    apostrophe: u32,
}

impl WordTokenizer {
    /// Passes the words of `text`, which is in normal form C, to `reader`, batch by batch.
    pub(crate) fn read_batches(&mut self, text: &str, reader: &mut impl BatchReader) {
        self.letters_by_script.fill(0);
        self.has_marks = false;
        self.has_optional_marks = false;
        self.batch.clear();
        let mut word = self.open_word();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            let info = self.table.look_up(c);
            match info.class() {
                CharClass::Letter => {
                    self.add_letter(info, &mut word, reader);
                    self.add_run(info, &mut word, &mut rest, reader);
                }
                CharClass::Mark => {
                    self.has_marks = true;
                    self.has_optional_marks |= may_be_optional_mark(c);
                    if self.has_letters(&word) && !self.is_full(&word) {
                        self.push(info.lower(), &mut word);
                    }
                }
                CharClass::Apostrophe if self.has_letters(&word) && word.apostrophe == 0 => {
                    word.apostrophe = spell_apostrophe(info, self.batch.letters.last());
                }
                CharClass::Ignored => {}
                CharClass::Apostrophe | CharClass::Separator => {
                    self.close_word(&mut word, reader);
                }
                CharClass::Ampersand => {
                    self.close_word(&mut word, reader);
                    let text = rest.as_str();
                    rest = text[entity_length(text)..].chars();
                }
            }
        }
        self.close_word(&mut word, reader);
        reader.read(&self.batch);
    }

    /// Returns a word without letters.
    #[inline]
    fn open_word(&self) -> OpenWord {
        OpenWord {
            hash: WORD_SEED,
            start: self.batch.letters.len(),
            script: 0,
            apostrophe: 0,
        }
    }

    #[inline]
    fn has_letters(&self, word: &OpenWord) -> bool {
        self.batch.letters.len() > word.start
    }

    #[inline]
    fn is_full(&self, word: &OpenWord) -> bool {
        self.batch.letters.len() - word.start >= MAX_WORD_LETTERS
    }

    #[inline]
    fn add_letter(&mut self, info: CharInfo, word: &mut OpenWord, reader: &mut impl BatchReader) {
        let script = info.script();
        if script != word.script && script != 0 {
            if word.script != 0 && !self.table.may_share_word(script, word.script) {
                self.close_word(word, reader);
            }
            word.script = script;
        }
        if self.is_full(word) {
            self.close_word(word, reader);
            word.script = script;
        } else if word.apostrophe != 0 {
            let apostrophe = std::mem::take(&mut word.apostrophe);
            if self.table.has_quotes_between_letters(script) {
                self.close_word(word, reader);
                word.script = script;
            } else {
                self.push(apostrophe, word);
            }
        }
        self.count_letter(script);
        self.push(info.lower(), word);
    }

    #[inline]
    fn count_letter(&mut self, script: usize) {
        if self.letters_by_script.len() <= script {
            self.letters_by_script.resize(script + 1, 0);
        }
        self.letters_by_script[script] += 1;
    }

    /// Adds the words and letters after `first` up to a character that is neither a separator, nor
    /// a letter of the same script or its mark. This fast path handles most of them.
    #[inline]
    fn add_run(
        &mut self,
        first: CharInfo,
        word: &mut OpenWord,
        rest: &mut Chars<'_>,
        reader: &impl BatchReader,
    ) {
        let TokenBatch { letters, tokens } = &mut self.batch;
        let script = word.script;
        if first.script() != script || script == 0 || tokens.len() >= BATCH_WORDS {
            return;
        }
        let room = MAX_WORD_LETTERS.saturating_sub(letters.len() - word.start);
        let end = self.run.read(&self.table, first, word.hash, room, rest);
        let first_letter = letters.len();
        letters.extend_from_slice(self.run.letters());
        for (key, length) in self.run.words() {
            reader.announce(key);
            let end = first_letter + length;
            tokens.push(WordToken {
                key,
                start: word.start as u32 - 1,
                end: end as u32,
                script: script as u32,
            });
            word.start = end;
        }
        self.letters_by_script[script] += end.letters as u64;
        self.has_marks |= end.has_marks;
        self.has_optional_marks |= end.has_optional_marks;
        *word = OpenWord {
            hash: end.hash,
            start: word.start,
            script: if letters.len() > word.start {
                script
            } else {
                0
            },
            apostrophe: 0,
        };
    }

    #[inline]
    fn push(&mut self, character: u32, word: &mut OpenWord) {
        self.batch.letters.push(character);
        word.hash = hash_character(word.hash, character);
    }

    /// Ends the word. The blank after it is also the one before the next word.
    #[inline]
    fn close_word(&mut self, word: &mut OpenWord, reader: &mut impl BatchReader) {
        if self.has_letters(word) {
            self.batch.letters.push(BLANK);
            let key = finish_hash(word.hash);
            reader.announce(key);
            self.batch.tokens.push(WordToken {
                key,
                start: word.start as u32 - 1,
                end: self.batch.letters.len() as u32,
                script: word.script as u32,
            });
            if self.batch.tokens.len() >= BATCH_WORDS
                || self.batch.letters.len() >= MAX_KEPT_LETTERS
            {
                reader.read(&self.batch);
                self.batch.clear();
            }
        }
        *word = self.open_word();
    }

    /// Returns `true` if the last text has combining marks.
    pub(crate) fn has_marks(&self) -> bool {
        self.has_marks
    }

    /// Returns `true` if the last text has marks that most texts leave out.
    pub(crate) fn has_optional_marks(&self) -> bool {
        self.has_optional_marks
    }

    /// Returns the letters of `text` that belong to texts in `script`, with their marks, and a
    /// blank for each other letter.
    pub(crate) fn keep_script(&mut self, text: &str, script: Script) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut is_kept = false;
        for c in text.chars() {
            let info = self.table.look_up(c);
            match info.class() {
                CharClass::Letter => {
                    let letter_script = self.table.script(info.script());
                    is_kept = letter_script == Script::COMMON || script.includes(letter_script);
                }
                CharClass::Mark => {}
                _ => is_kept = true,
            }
            kept.push(if is_kept { c } else { ' ' });
        }
        kept
    }

    /// Counts the letters of `text` by script, without splitting it into words. Includes the
    /// letters of addresses.
    pub(crate) fn count_letters(&mut self, text: &str) {
        self.letters_by_script.fill(0);
        for c in text.chars() {
            let info = self.table.look_up(c);
            if info.class() == CharClass::Letter {
                self.count_letter(info.script());
            }
        }
    }

    /// Returns the script that most letters of the last text have.
    pub(crate) fn script(&self) -> Script {
        let letters = (0..).zip(&self.letters_by_script).filter(|(_, n)| **n > 0);
        Script::from_majority(letters.map(|(script, n)| (self.script_at(script), *n)))
    }

    /// Returns the scripts of the letters of the last text, as texts have them: Han and kana are
    /// one. Most letters first.
    pub(crate) fn scripts(&self) -> Vec<Script> {
        let letters = (0..).zip(&self.letters_by_script);
        let letters = letters.map(|(script, n)| (self.script_at(script), *n));
        let mut letters: Vec<(Script, u64)> = letters.collect();
        let mut scripts = Vec::new();
        loop {
            let next = Script::from_majority(letters.iter().copied());
            if next == Script::COMMON {
                return scripts;
            }
            letters
                .retain(|(script, _)| !next.is_compatible_with(*script) && !next.includes(*script));
            scripts.push(next);
        }
    }

    /// Returns `true` if at least one in `share` letters of the last text, which is in `script`,
    /// has another script.
    pub(crate) fn has_several_scripts(&self, script: Script, share: u64) -> bool {
        let is_large =
            |others: u64| others > 0 && others.saturating_mul(share) >= self.number_of_letters();
        let greatest = self.letters_by_script.iter().copied().max().unwrap_or(0);
        if !is_large(self.number_of_letters().saturating_sub(greatest)) {
            return false;
        }
        let is_other = |other: Script| other != Script::COMMON && !script.includes(other);
        let others = (0..)
            .zip(&self.letters_by_script)
            .filter(|(script, n)| **n > 0 && is_other(self.script_at(*script)));
        is_large(others.map(|(_, n)| n).sum())
    }

    /// The number of letters of the last text by index of their script.
    pub(crate) fn letters_by_script(&self) -> &[u64] {
        &self.letters_by_script
    }

    pub(crate) fn number_of_letters(&self) -> u64 {
        self.letters_by_script.iter().sum()
    }

    /// Returns the script with this index.
    pub(crate) fn script_at(&self, index: u32) -> Script {
        self.table.script(index as usize)
    }
}

/// Returns the spelling of an apostrophe after a letter: ' in all languages, but for a comma above
/// that is turned, or the grave accent typed for it, in the letters oʻ and gʻ of Uzbek.
fn spell_apostrophe(apostrophe: CharInfo, letter: Option<&u32>) -> u32 {
    if matches!(letter, Some(&O | &G)) {
        apostrophe.lower()
    } else {
        '\'' as u32
    }
}

/// Returns the number of bytes of an HTML entity after its `&`, or 0 if it is not one of
/// [`ENTITIES`].
fn entity_length(rest: &str) -> usize {
    let length = |rest: &str| {
        ENTITIES
            .iter()
            .find(|entity| rest.starts_with(**entity))
            .map_or(0, |entity| entity.len())
    };
    // "&amp;nbsp;" is an entity that was escaped twice.
    length(rest) + rest.strip_prefix("amp;").map_or(0, length)
}
