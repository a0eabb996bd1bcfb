//! The tokenizer: splits a text into words, batch by batch, in the order of the text.
//!
//! A word is a run of letters and combining marks, lower-cased. An apostrophe between two letters
//! is part of it. A word ends where the script changes; Han and kana count as one script. All other
//! characters, digits too, separate words.
//!
//! Skipped are addresses with `://` and their scheme, host names that begin with `www.`, mail
//! addresses, and the most common HTML entities.

use crate::char_table::{CharClass, CharInfo, CharTable};
use crate::evidence::feature::{WORD_SEED, finish_hash, hash_character};
use crate::ngram::BLANK;
use crate::script::Script;
use std::ops::Range;
use std::str::Chars;

/// Words per batch.
const BATCH_WORDS: usize = 256;

/// Maximum number of characters that the fast path of the tokenizer reads at a time. Twice as many
/// are not faster.
const RUN_CHARACTERS: usize = 64;

/// Maximum number of letters of a word, which bounds its memory; longer ones are cut into several
/// words.
const MAX_WORD_LETTERS: usize = 200;

/// Number of letters at which a batch ends, and maximum capacity, in letters, of a buffer that is
/// kept for the next batch; [`BATCH_WORDS`] words of [`MAX_WORD_LETTERS`] letters are fewer.
const MAX_KEPT_LETTERS: usize = 1 << 16;

/// Scripts in which an address may be followed by a word without a blank: those that are written
/// without blanks, and Hangul, whose particles follow a word directly.
const SCRIPTS_WITHOUT_BLANKS: [&str; 10] = [
    "Hani", "Hira", "Kana", "Bopo", "Hang", "Thai", "Laoo", "Khmr", "Mymr", "Tibt",
];

/// The word with which many host names begin.
const WWW: [u32; 3] = ['w' as u32; 3];

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

/// Splits texts into words. Keeps its buffers for the next text.
#[derive(Debug, Default)]
pub(crate) struct WordTokenizer {
    table: CharTable,
    batch: TokenBatch,
    /// Number of letters of the text by index of their script.
    letters_by_script: Vec<u64>,
}

/// The word that is being read. It ends where the letters of the batch end.
#[derive(Clone, Copy)]
struct OpenWord {
    hash: u64,
    /// Index of its first letter in the letters of the batch.
    start: usize,
    script: usize,
    /// True if an apostrophe follows the letters so far.
    has_apostrophe: bool,
}

impl WordTokenizer {
    /// Calls `each` with the words of `text`, which is in normal form C, batch by batch.
    pub(crate) fn for_each_batch(&mut self, text: &str, mut each: impl FnMut(&TokenBatch)) {
        self.letters_by_script.fill(0);
        self.batch.clear();
        let mut word = self.open_word();
        let mut is_address = false;
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            if is_address {
                is_address = self.may_continue_address(c);
                if is_address {
                    continue;
                }
            }
            let info = self.table.look_up(c);
            match info.class() {
                CharClass::Letter => {
                    self.add_letter(info, &mut word, &mut each);
                    self.add_run(info, &mut word, &mut rest);
                }
                CharClass::Mark => {
                    if self.has_letters(&word) && !self.is_full(&word) {
                        self.push(info.lower(), &mut word);
                    }
                }
                CharClass::Apostrophe if self.has_letters(&word) && !word.has_apostrophe => {
                    word.has_apostrophe = true;
                }
                CharClass::Ignored => {}
                CharClass::AddressOrEntity => {
                    match inspect_context(&self.batch.letters[word.start..], c, rest.as_str()) {
                        CharContext::Address => {
                            // An address is not natural language, and the scheme or the name before
                            // `@` is part of it.
                            is_address = true;
                            self.discard(&word);
                            word = self.open_word();
                        }
                        CharContext::Separator(length) => {
                            self.close_word(&mut word, &mut each);
                            rest = rest.as_str()[length..].chars();
                        }
                    }
                }
                CharClass::Apostrophe | CharClass::Separator => {
                    self.close_word(&mut word, &mut each);
                }
            }
        }
        self.close_word(&mut word, &mut each);
        each(&self.batch);
    }

    /// Returns a word without letters.
    #[inline]
    fn open_word(&self) -> OpenWord {
        OpenWord {
            hash: WORD_SEED,
            start: self.batch.letters.len(),
            script: 0,
            has_apostrophe: false,
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
    fn add_letter(
        &mut self,
        info: CharInfo,
        word: &mut OpenWord,
        each: &mut impl FnMut(&TokenBatch),
    ) {
        let script = info.script();
        if script != word.script && script != 0 {
            if word.script != 0 && !self.table.may_share_word(script, word.script) {
                self.close_word(word, each);
            }
            word.script = script;
        }
        if self.is_full(word) {
            self.close_word(word, each);
            word.script = script;
        } else if word.has_apostrophe {
            word.has_apostrophe = false;
            self.push('\'' as u32, word);
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

    /// Adds the words and letters after `first` up to a character that is neither a separator nor a
    /// letter of the same script, but at most [`RUN_CHARACTERS`] characters. This fast path handles
    /// most of them.
    #[inline]
    fn add_run(&mut self, first: CharInfo, word: &mut OpenWord, rest: &mut Chars<'_>) {
        let TokenBatch { letters, tokens } = &mut self.batch;
        let (first_letter, first_token) = (letters.len(), tokens.len());
        let script = word.script;
        if first.script() != script || script == 0 || first_token >= BATCH_WORDS {
            return;
        }
        let room = MAX_WORD_LETTERS
            .saturating_sub(first_letter - word.start)
            .min(RUN_CHARACTERS)
            .min(rest.as_str().len());
        letters.resize(first_letter + room, 0);
        tokens.resize(first_token + room / 2 + 1, WordToken::default());
        let mut run = Run {
            hash: word.hash,
            start: word.start,
            end: first_letter,
            token_end: first_token,
        };
        *rest = run.read(&self.table, first, rest.clone(), letters, tokens, room);
        letters.truncate(run.end);
        tokens.truncate(run.token_end);
        for token in &mut tokens[first_token..] {
            token.key = finish_hash(token.key);
            token.start -= 1;
            token.script = script as u32;
        }
        let blanks = run.token_end - first_token;
        self.letters_by_script[script] += (run.end - first_letter - blanks) as u64;
        let has_letters = run.end > run.start;
        *word = OpenWord {
            hash: run.hash,
            start: run.start,
            script: if has_letters { script } else { 0 },
            has_apostrophe: false,
        };
    }

    #[inline]
    fn push(&mut self, character: u32, word: &mut OpenWord) {
        self.batch.letters.push(character);
        word.hash = hash_character(word.hash, character);
    }

    /// Removes the letters of the word, and subtracts them from the counts by script.
    #[cold]
    fn discard(&mut self, word: &OpenWord) {
        for index in word.start..self.batch.letters.len() {
            let info =
                char::from_u32(self.batch.letters[index]).map(|letter| self.table.look_up(letter));
            if let Some(info) = info.filter(|info| info.class() == CharClass::Letter) {
                let letters = &mut self.letters_by_script[info.script()];
                *letters = letters.saturating_sub(1);
            }
        }
        self.batch.letters.truncate(word.start);
    }

    /// Returns `true` if an address may continue with `c`: a character of RFC 3986, or a letter,
    /// since many addresses have them unescaped (RFC 3987).
    ///
    /// A letter of a script that is written without blanks ends the address, because the text
    /// continues directly after it.
    fn may_continue_address(&mut self, c: char) -> bool {
        if c.is_ascii() {
            return c.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&(c as u8));
        }
        let info = self.table.look_up(c);
        match info.class() {
            CharClass::Letter => {
                let script = self.table.script(info.script());
                !SCRIPTS_WITHOUT_BLANKS.contains(&script.as_str())
            }
            CharClass::Mark => true,
            _ => false,
        }
    }

    /// Ends the word. The blank after it is also the one before the next word.
    #[inline]
    fn close_word(&mut self, word: &mut OpenWord, each: &mut impl FnMut(&TokenBatch)) {
        if self.has_letters(word) {
            self.batch.letters.push(BLANK);
            self.batch.tokens.push(WordToken {
                key: finish_hash(word.hash),
                start: word.start as u32 - 1,
                end: self.batch.letters.len() as u32,
                script: word.script as u32,
            });
            if self.batch.tokens.len() >= BATCH_WORDS
                || self.batch.letters.len() >= MAX_KEPT_LETTERS
            {
                each(&self.batch);
                self.batch.clear();
            }
        }
        *word = self.open_word();
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
        Script::from_majority(
            (0..)
                .zip(&self.letters_by_script)
                .map(|(script, n)| (self.script_at(script), *n)),
        )
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

/// Consecutive words and letters of one script that are read without branches: where a word ends
/// cannot be predicted.
struct Run {
    /// Hash of the open word.
    hash: u64,
    /// Start of the open word in the letters of the batch.
    start: usize,
    /// End of the letters.
    end: usize,
    /// End of the tokens.
    token_end: usize,
}

impl Run {
    /// Reads at most `room` characters of `rest`, which must have room in `letters` and `tokens`,
    /// up to one that is neither a separator nor a letter of the same script as `first`. Returns
    /// what follows.
    ///
    /// The tokens have the unfinished hash of their word, and start at its first letter.
    #[inline]
    fn read<'a>(
        &mut self,
        table: &CharTable,
        first: CharInfo,
        mut rest: Chars<'a>,
        letters: &mut [u32],
        tokens: &mut [WordToken],
        room: usize,
    ) -> Chars<'a> {
        let Run {
            mut hash,
            mut start,
            mut end,
            mut token_end,
        } = *self;
        for _ in 0..room {
            let mut ahead = rest.clone();
            let Some(info) = ahead.next().map(|c| table.look_up_cached(c)) else {
                break;
            };
            let is_letter = info.has_same_class_and_script(first);
            if !is_letter & !info.is_separator() {
                break;
            }
            rest = ahead;
            let has_letters = end > start;
            letters[end] = if is_letter { info.lower() } else { BLANK };
            end += usize::from(is_letter | has_letters);
            let token = &mut tokens[token_end];
            token.key = hash;
            token.start = start as u32;
            token.end = end as u32;
            token_end += usize::from(!is_letter & has_letters);
            start = if is_letter { start } else { end };
            hash = if is_letter {
                hash_character(hash, info.lower())
            } else {
                WORD_SEED
            };
        }
        *self = Run {
            hash,
            start,
            end,
            token_end,
        };
        rest
    }
}

/// The meaning of a character of [`CharClass::AddressOrEntity`] in its context.
enum CharContext {
    /// Part of an address, as is the word before it.
    Address,
    /// Separates words; with the number of bytes after it that belong to an HTML entity.
    Separator(usize),
}

/// Returns the meaning of `c` after `word` and before `rest`: `http://`, `www.` and `name@host` are
/// parts of addresses, `&` may begin an HTML entity.
#[inline(never)]
fn inspect_context(word: &[u32], c: char, rest: &str) -> CharContext {
    let is_followed_by_alphanumeric = || {
        rest.as_bytes()
            .first()
            .is_some_and(u8::is_ascii_alphanumeric)
    };
    let is_address = match c {
        ':' => rest.starts_with("//"),
        '.' => word == WWW && is_followed_by_alphanumeric(),
        // In scripts without blanks, `@` may directly follow an ordinary word. Only after an ASCII
        // letter is it part of a mail address.
        '@' => word.last().is_some_and(|last| *last < 128) && is_followed_by_alphanumeric(),
        _ => return CharContext::Separator(entity_length(rest)),
    };
    if is_address {
        CharContext::Address
    } else {
        CharContext::Separator(0)
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
