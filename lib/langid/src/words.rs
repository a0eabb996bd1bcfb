//! The words of a text, each kept once with its count, and the script that most of its letters have.
//!
//! A text repeats its words, so their n-grams are taken once a distinct word and weighted by its count. Words are runs
//! of letters and combining marks, lower-cased, in normal form C; an apostrophe belongs to a word when it stands
//! between two of its letters. All else, digits too, separates.

use crate::alphabet::{Alphabet, Kind, Sign};
use crate::evidence::tokens::{LONGEST_WORD, Tokens};
use crate::ngram::{BLANK, Counts};
use crate::script::Script;

/// Letters that a reused buffer may keep; after a longer text the memory is given back.
const KEPT: usize = 1 << 20;

/// Distinct words with their counts.
#[derive(Debug)]
pub(crate) struct Words {
    alphabet: Alphabet,
    /// The distinct words one after the other, each between two blanks; behind them the word being read.
    letters: Vec<u32>,
    words: Vec<Word>,
    /// Open addressing, a power of two long and at most half full: index in `words` plus one, 0 is free.
    slots: Vec<u32>,
    /// Number of letters of each script, by the alphabet's index.
    votes: Vec<u64>,
    tokens: u64,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
    hash: u64,
    count: u64,
    script: usize,
}

/// The word being read; it is the end of `letters`.
#[derive(Debug, Clone, Copy)]
struct Open {
    start: usize,
    hash: u64,
    script: usize,
    /// An apostrophe was read and waits for a letter.
    apostrophe: bool,
}

impl Words {
    pub(crate) fn new() -> Self {
        Self {
            alphabet: Alphabet::new(),
            letters: Vec::new(),
            words: Vec::new(),
            slots: vec![0; 1 << 10],
            votes: Vec::new(),
            tokens: 0,
        }
    }

    pub(crate) fn clear(&mut self) {
        if self.letters.capacity() > KEPT {
            let alphabet = std::mem::replace(&mut self.alphabet, Alphabet::new());
            *self = Self { alphabet, ..Self::new() };
        }
        self.letters.clear();
        self.words.clear();
        self.slots.fill(0);
        self.votes.clear();
        self.tokens = 0;
    }

    /// Number of words read, repetitions counted.
    pub(crate) fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Adds the words of `text`, each `times` times.
    pub(crate) fn read(&mut self, text: &str, times: u64) {
        let mut open = None;
        for c in forage_text::normalise(text).chars() {
            let sign = self.alphabet.sign(c);
            match sign.kind() {
                Kind::Letter => {
                    let open = open.get_or_insert_with(|| self.begin());
                    self.letter(sign, open, times);
                }
                Kind::Mark => {
                    if let Some(open) = &mut open {
                        self.push(sign.lower(), open);
                    }
                }
                Kind::Apostrophe => {
                    if let Some(open) = open.as_mut().filter(|open| !open.apostrophe) {
                        open.apostrophe = true;
                    } else {
                        self.close(open.take(), times);
                    }
                }
                Kind::Ignored => {}
                Kind::Border => self.close(open.take(), times),
            }
        }
        self.close(open, times);
    }

    fn begin(&mut self) -> Open {
        let start = self.letters.len();
        self.letters.push(BLANK);
        Open { start, hash: 0, script: 0, apostrophe: false }
    }

    #[inline]
    fn letter(&mut self, sign: Sign, open: &mut Open, times: u64) {
        if open.apostrophe {
            open.apostrophe = false;
            self.push('\'' as u32, open);
        }
        let script = sign.script();
        if open.script == 0 {
            open.script = script;
        }
        if self.votes.len() <= script {
            self.votes.resize(script + 1, 0);
        }
        self.votes[script] += times;
        self.push(sign.lower(), open);
    }

    #[inline]
    fn push(&mut self, code: u32, open: &mut Open) {
        self.letters.push(code);
        open.hash = (open.hash.rotate_left(5) ^ u64::from(code)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    /// Counts the word that was read, if any: a known one gives its letters back.
    fn close(&mut self, open: Option<Open>, times: u64) {
        let Some(Open { start, hash, script, .. }) = open else { return };
        self.letters.push(BLANK);
        self.tokens += times;
        let mask = self.slots.len() - 1;
        let mut slot = first_slot(hash) & mask;
        while self.slots[slot] != 0 {
            let known = &mut self.words[self.slots[slot] as usize - 1];
            if known.hash == hash && self.letters[known.start..known.end] == self.letters[start..] {
                known.count += times;
                self.letters.truncate(start);
                return;
            }
            slot = (slot + 1) & mask;
        }
        self.words.push(Word { start, end: self.letters.len(), hash, count: times, script });
        self.slots[slot] = self.words.len() as u32;
        if self.words.len() * 2 > self.slots.len() {
            self.grow();
        }
    }

    #[cold]
    fn grow(&mut self) {
        let length = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(length, 0);
        for (index, word) in self.words.iter().enumerate() {
            let mut slot = first_slot(word.hash) & (length - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.slots[slot] = index as u32 + 1;
        }
    }

    /// The script that most letters have.
    pub(crate) fn script(&self) -> Script {
        Script::of_majority(self.votes.iter().enumerate().map(|(index, n)| (self.alphabet.script(index), *n)))
    }

    /// The words in `script` with their counts, most frequent first, ties by code point.
    pub(crate) fn vocabulary(&self, script: Script) -> Vec<(String, u64)> {
        // Longer ones are cut where texts are read, and would never be met.
        let is_in = |word: &&Word| {
            word.end - word.start <= LONGEST_WORD + 2 && script.includes(self.alphabet.script(word.script))
        };
        let spelt = |word: &Word| {
            self.letters[word.start + 1..word.end - 1].iter().filter_map(|c| char::from_u32(*c)).collect()
        };
        let mut words: Vec<(String, u64)> = self.words.iter().filter(is_in).map(|w| (spelt(w), w.count)).collect();
        words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words
    }

    /// Counts the n-grams of the words in `script`; what a text quotes in another one tells nothing of its language.
    pub(crate) fn count_ngrams(&self, script: Script, counts: &mut Counts) {
        for word in &self.words {
            if script.includes(self.alphabet.script(word.script)) {
                counts.add_word(&self.letters[word.start..word.end], word.count);
            }
        }
    }
}

/// The high bits are the best mixed by a multiplication.
fn first_slot(hash: u64) -> usize {
    (hash >> 32) as usize
}

/// Takes texts apart into words.
#[derive(Debug)]
pub struct WordReader {
    tokens: Tokens,
}

impl WordReader {
    /// A reader; it is worth keeping for the next text.
    #[expect(clippy::new_without_default, reason = "it is no value that could be a default")]
    pub fn new() -> Self {
        WordReader { tokens: Tokens::new() }
    }

    /// Calls `each` with every word of `text`, lower-cased, and its script; Han and kana are both `Jpan`.
    pub fn read(&mut self, text: &str, mut each: impl FnMut(String, Script)) {
        let mut found: Vec<(String, u32)> = Vec::new();
        self.tokens.read(&forage_text::normalise(text), |batch| {
            for token in &batch.tokens {
                let place = token.place();
                let letters = batch.letters_at(place.start + 1..place.end - 1);
                found.push((letters.iter().filter_map(|c| char::from_u32(*c)).collect(), token.script));
            }
        });
        for (word, script) in found {
            let script = self.tokens.script_at(script);
            each(word, if Script::JAPANESE.includes(script) { Script::JAPANESE } else { script });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distinct words with their counts, in order of appearance.
    fn words(text: &str) -> Vec<(String, u64)> {
        let mut words = Words::new();
        words.read(text, 1);
        let spelt =
            |w: &Word| words.letters[w.start + 1..w.end - 1].iter().filter_map(|c| char::from_u32(*c)).collect();
        words.words.iter().map(|w| (spelt(w), w.count)).collect()
    }

    fn distinct(text: &str) -> Vec<String> {
        words(text).into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn words_are_lower_cased_and_counted() {
        assert_eq!(words("Je lep, JE!"), [("je".to_owned(), 2), ("lep".to_owned(), 1)]);
    }

    #[test]
    fn apostrophes_belong_to_a_word_between_letters_only() {
        assert_eq!(
            distinct("don't 'quoted' rock\u{2019}n\u{2019}roll a''b"),
            ["don't", "quoted", "rock'n'roll", "a", "b"]
        );
    }

    #[test]
    fn digits_separate() {
        assert_eq!(distinct("a1b 22 c_d"), ["a", "b", "c", "d"]);
    }

    #[test]
    fn decomposed_letters_are_composed() {
        assert_eq!(distinct("c\u{30c}as"), ["čas"]);
    }

    #[test]
    fn marks_continue_a_word_and_joiners_are_not_seen() {
        assert_eq!(distinct("हिन्दी \u{94d} so\u{ad}ft"), ["हिन्दी", "soft"]);
    }

    #[test]
    fn many_words_are_kept_apart() {
        let text: String = ('a'..='z').flat_map(|a| ('a'..='z').map(move |b| format!("{a}{b}q "))).collect();
        assert_eq!(distinct(&text.repeat(3)).len(), 26 * 26);
    }

    #[test]
    fn only_words_of_the_texts_script_are_counted() {
        let mut words = Words::new();
        words.read("Москва столица России — capital", 1);
        let mut counts = Counts::default();
        assert_eq!(words.script().as_str(), "Cyrl");
        words.count_ngrams(words.script(), &mut counts);
        let mut ranked = Vec::new();
        counts.take_ranked(400, &mut ranked);
        assert!(ranked.iter().all(|(ngram, _)| !ngram.to_string().contains('p')));
    }
}
