//! The words of a text, batch by batch, in the order in which they come.
//!
//! Words are runs of letters and combining marks, lower-cased; an apostrophe belongs to one between
//! two of its letters. None goes on where the script changes; Han and kana are one. All else,
//! digits too, separates. Addresses are passed over, the scheme before `://` too, and so are those
//! of hosts that begin with `www.`, and of mail, and the commonest entities of HTML.

use crate::alphabet::{Alphabet, Kind, Sign};
use crate::evidence::feature::{WORD, finish, fold};
use crate::ngram::BLANK;
use crate::script::Script;
use std::ops::Range;
use std::str::Chars;

/// Words that are handed on together.
const BATCH: usize = 256;

/// Letters after which a word ends, where nothing else ends it.
const LONGEST_WORD: usize = 200;

/// Letters that are kept room for; a word may be as long as the text.
const KEPT: usize = 1 << 16;

/// Scripts in which no blank, or in Hangul not each, stands behind an address.
const WITHOUT_BLANKS: [&str; 10] = [
    "Hani", "Hira", "Kana", "Bopo", "Hang", "Thai", "Laoo", "Khmr", "Mymr", "Tibt",
];

/// The word that many addresses of hosts begin with.
const WWW: [u32; 3] = ['w' as u32; 3];

/// Entities that stand for no letter and are often left in texts; of those with numbers nothing is
/// a letter anyway.
const ENTITIES: [&str; 6] = ["nbsp;", "amp;", "lt;", "gt;", "quot;", "apos;"];

#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub(crate) key: u64,
    /// Where it is in the letters of the batch, with a blank before and after it.
    start: u32,
    end: u32,
    /// Its script, as [`Tokens::script_at`] names it.
    pub(crate) script: u32,
}

impl Token {
    /// Where it is in the letters of the batch.
    #[inline]
    pub(crate) fn place(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Debug, Default)]
pub(crate) struct Batch {
    letters: Vec<u32>,
    pub(crate) tokens: Vec<Token>,
}

impl Batch {
    /// The characters of a word, a blank before and after them.
    #[inline]
    pub(crate) fn letters(&self, token: &Token) -> &[u32] {
        self.letters_at(token.place())
    }

    #[inline]
    pub(crate) fn letters_at(&self, place: Range<usize>) -> &[u32] {
        &self.letters[place]
    }

    fn clear(&mut self) {
        self.letters.clear();
        self.letters.shrink_to(KEPT);
        self.letters.push(BLANK);
        self.tokens.clear();
    }
}

#[derive(Debug, Default)]
pub(crate) struct Tokens {
    alphabet: Alphabet,
    batch: Batch,
    /// Letters by script.
    votes: Vec<u64>,
}

/// The word that is being read; it ends where the letters of the batch do.
#[derive(Clone, Copy)]
struct Open {
    hash: u64,
    /// Where its first letter is.
    start: usize,
    script: usize,
    apostrophe: bool,
}

impl Tokens {
    /// Calls `each` with the words of `text`, which is in normal form C, some at a time.
    pub(crate) fn read(&mut self, text: &str, mut each: impl FnMut(&Batch)) {
        self.votes.fill(0);
        self.batch.clear();
        let mut open = self.open();
        let mut is_url = false;
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            if is_url {
                is_url = self.is_in_address(c);
                if is_url {
                    continue;
                }
            }
            let sign = self.alphabet.sign(c);
            match sign.kind() {
                Kind::Letter => {
                    self.letter(sign, &mut open, &mut each);
                    self.letters(sign, &mut open, &mut rest);
                }
                Kind::Mark => {
                    if self.is_in(&open) && !self.is_long(&open) {
                        self.push(sign.lower(), &mut open);
                    }
                }
                Kind::Apostrophe if self.is_in(&open) && !open.apostrophe => open.apostrophe = true,
                Kind::Ignored => {}
                Kind::Opening => match opening(&self.batch.letters[open.start..], c, rest.as_str())
                {
                    Opening::Address => {
                        // An address is no language, and its scheme or the name before `@` belongs
                        // to it.
                        is_url = true;
                        self.unread(&open);
                        open = self.open();
                    }
                    Opening::Blank(length) => {
                        self.close(&mut open, &mut each);
                        rest = rest.as_str()[length..].chars();
                    }
                },
                Kind::Apostrophe | Kind::Border => self.close(&mut open, &mut each),
            }
        }
        self.close(&mut open, &mut each);
        each(&self.batch);
    }

    /// A word without letters yet.
    #[inline]
    fn open(&self) -> Open {
        Open {
            hash: WORD,
            start: self.batch.letters.len(),
            script: 0,
            apostrophe: false,
        }
    }

    #[inline]
    fn is_in(&self, open: &Open) -> bool {
        self.batch.letters.len() > open.start
    }

    #[inline]
    fn is_long(&self, open: &Open) -> bool {
        self.batch.letters.len() - open.start >= LONGEST_WORD
    }

    #[inline]
    fn letter(&mut self, sign: Sign, open: &mut Open, each: &mut impl FnMut(&Batch)) {
        let script = sign.script();
        if script != open.script && script != 0 {
            if open.script != 0 && !self.alphabet.are_one(script, open.script) {
                self.close(open, each);
            }
            open.script = script;
        }
        if self.is_long(open) {
            self.close(open, each);
            open.script = script;
        } else if open.apostrophe {
            open.apostrophe = false;
            self.push('\'' as u32, open);
        }
        self.vote(script);
        self.push(sign.lower(), open);
    }

    #[inline]
    fn vote(&mut self, script: usize) {
        if self.votes.len() <= script {
            self.votes.resize(script + 1, 0);
        }
        self.votes[script] += 1;
    }

    /// The letters behind one that are of its script: most are, and need no more than this.
    #[inline]
    fn letters(&mut self, first: Sign, open: &mut Open, rest: &mut Chars<'_>) {
        let before = self.batch.letters.len();
        let room = LONGEST_WORD.saturating_sub(before - open.start);
        let mut hash = open.hash;
        for _ in 0..room {
            let mut ahead = rest.clone();
            let Some(c) = ahead.next() else { break };
            let sign = self.alphabet.sign(c);
            if !sign.is_like(first) {
                break;
            }
            self.batch.letters.push(sign.lower());
            hash = fold(hash, sign.lower());
            *rest = ahead;
        }
        open.hash = hash;
        self.votes[first.script()] += (self.batch.letters.len() - before) as u64;
    }

    #[inline]
    fn push(&mut self, character: u32, open: &mut Open) {
        self.batch.letters.push(character);
        open.hash = fold(open.hash, character);
    }

    /// Makes the word as if it had not been read.
    #[cold]
    fn unread(&mut self, open: &Open) {
        for at in open.start..self.batch.letters.len() {
            let letter =
                char::from_u32(self.batch.letters[at]).map(|letter| self.alphabet.sign(letter));
            if let Some(sign) = letter.filter(|sign| sign.kind() == Kind::Letter) {
                self.votes[sign.script()] = self.votes[sign.script()].saturating_sub(1);
            }
        }
        self.batch.letters.truncate(open.start);
    }

    /// Whether an address that began may go on with `c`: one of the characters of RFC 3986, or a
    /// letter, as many write it unescaped (RFC 3987). But what is written without blanks ends it,
    /// for there the text goes on behind it so.
    fn is_in_address(&mut self, c: char) -> bool {
        if c.is_ascii() {
            return c.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&(c as u8));
        }
        let sign = self.alphabet.sign(c);
        match sign.kind() {
            Kind::Letter => !WITHOUT_BLANKS.contains(&self.alphabet.script(sign.script()).as_str()),
            Kind::Mark => true,
            _ => false,
        }
    }

    /// Ends the word; the blank behind it is the one before the next.
    #[inline]
    fn close(&mut self, open: &mut Open, each: &mut impl FnMut(&Batch)) {
        if self.is_in(open) {
            self.batch.letters.push(BLANK);
            let (start, end) = (open.start as u32 - 1, self.batch.letters.len() as u32);
            self.batch.tokens.push(Token {
                key: finish(open.hash),
                start,
                end,
                script: open.script as u32,
            });
            if self.batch.tokens.len() >= BATCH || self.batch.letters.len() >= KEPT {
                each(&self.batch);
                self.batch.clear();
            }
        }
        *open = self.open();
    }

    /// Counts the letters of `text` and does no more: those of addresses count, too.
    pub(crate) fn count(&mut self, text: &str) {
        self.votes.fill(0);
        for c in text.chars() {
            let sign = self.alphabet.sign(c);
            if sign.kind() == Kind::Letter {
                self.vote(sign.script());
            }
        }
    }

    /// The script that most letters of the last text have.
    pub(crate) fn script(&self) -> Script {
        Script::of_majority(
            (0..)
                .zip(&self.votes)
                .map(|(script, n)| (self.script_at(script), *n)),
        )
    }

    /// Letters of the last text by script, in the order of the scripts' numbers.
    pub(crate) fn votes(&self) -> &[u64] {
        &self.votes
    }

    pub(crate) fn number_of_letters(&self) -> u64 {
        self.votes.iter().sum()
    }

    pub(crate) fn script_at(&self, number: u32) -> Script {
        self.alphabet.script(number as usize)
    }
}

/// What a character of [`Kind::Opening`] turns out to be.
enum Opening {
    /// Part of an address, as is the word before it.
    Address,
    /// A blank, with so many bytes behind it.
    Blank(usize),
}

/// What `c` is behind `word` and before `rest`: `http://`, `www.` and `name@host` begin addresses,
/// `&` an entity.
#[inline(never)]
fn opening(word: &[u32], c: char, rest: &str) -> Opening {
    let goes_on = || {
        rest.as_bytes()
            .first()
            .is_some_and(u8::is_ascii_alphanumeric)
    };
    let is_address = match c {
        ':' => rest.starts_with("//"),
        '.' => word == WWW && goes_on(),
        // What is written without blanks may stand before the name of a mailbox.
        '@' => word.last().is_some_and(|last| *last < 128) && goes_on(),
        _ => return Opening::Blank(entity(rest)),
    };
    if is_address {
        Opening::Address
    } else {
        Opening::Blank(0)
    }
}

/// Bytes of the entity that `rest` is the rest of, behind its `&`; 0 where it is of none of
/// [`ENTITIES`].
fn entity(rest: &str) -> usize {
    let at = |rest: &str| {
        ENTITIES
            .iter()
            .find(|entity| rest.starts_with(**entity))
            .map_or(0, |entity| entity.len())
    };
    // "&amp;nbsp;" is one that was written twice.
    at(rest) + rest.strip_prefix("amp;").map_or(0, at)
}
