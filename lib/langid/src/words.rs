//! The words of texts, each kept once with its count, and the script that most of their letters
//! have.
//!
//! A text repeats its words, so their n-grams are taken once a distinct word and weighted by its
//! count. What a word is, the module `tokens` says.

use crate::evidence::tokens::Tokens;
use crate::ngram::Counts;
use crate::script::Script;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Letters that a reused buffer may keep; after a longer text the memory is given back.
const KEPT: usize = 1 << 20;

/// Distinct words with their counts.
#[derive(Debug, Default)]
pub(crate) struct Words {
    tokens: Tokens,
    distinct: Distinct,
    /// Number of letters of each script, by the number that [`Tokens`] gives it.
    votes: Vec<u64>,
    read: u64,
}

#[derive(Debug, Default)]
struct Distinct {
    /// The words one after the other, each between two blanks.
    letters: Vec<u32>,
    words: Vec<Word>,
    /// Indices in `words`, by their keys.
    index: HashTable<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    start: usize,
    end: usize,
    key: u64,
    count: u64,
    script: u32,
}

impl Words {
    pub(crate) fn clear(&mut self) {
        self.distinct.clear();
        self.votes.clear();
        self.read = 0;
    }

    /// Number of words read, repetitions counted.
    pub(crate) fn tokens(&self) -> u64 {
        self.read
    }

    pub(crate) fn read(&mut self, text: &str, times: u64) {
        let Self {
            tokens,
            distinct,
            votes,
            read,
        } = self;
        tokens.read(&forage_text::normalise(text), |batch| {
            for token in &batch.tokens {
                *read = read.saturating_add(times);
                distinct.add(batch.letters(token), token.key, token.script, times);
            }
        });
        votes.resize(votes.len().max(tokens.votes().len()), 0);
        for (sum, letters) in votes.iter_mut().zip(tokens.votes()) {
            *sum = sum.saturating_add(letters.saturating_mul(times));
        }
    }

    /// The script that most letters have.
    pub(crate) fn script(&self) -> Script {
        Script::of_majority(
            (0..)
                .zip(&self.votes)
                .map(|(script, n)| (self.tokens.script_at(script), *n)),
        )
    }

    /// The words in `script` with their counts, most frequent first, ties by code point.
    pub(crate) fn vocabulary(&self, script: Script) -> Vec<(String, u64)> {
        let spelt = |letters: &[u32]| {
            letters[1..letters.len() - 1]
                .iter()
                .filter_map(|c| char::from_u32(*c))
                .collect()
        };
        let mut words: Vec<(String, u64)> = self
            .of(script)
            .map(|(letters, count)| (spelt(letters), count))
            .collect();
        words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words
    }

    /// Counts the n-grams of the words in `script`; what a text quotes in another one tells nothing
    /// of its language.
    pub(crate) fn count_ngrams(&self, script: Script, counts: &mut Counts) {
        self.of(script)
            .for_each(|(letters, count)| counts.add_word(letters, count));
    }

    /// The words in `script`, each between blanks, with their counts.
    fn of(&self, script: Script) -> impl Iterator<Item = (&[u32], u64)> {
        let Distinct { letters, words, .. } = &self.distinct;
        let is_in = move |word: &&Word| script.includes(self.tokens.script_at(word.script));
        words
            .iter()
            .filter(is_in)
            .map(|word| (&letters[word.start..word.end], word.count))
    }
}

impl Distinct {
    fn clear(&mut self) {
        if self.letters.capacity() > KEPT {
            *self = Self::default();
        }
        self.letters.clear();
        self.words.clear();
        self.index.clear();
    }

    fn add(&mut self, letters: &[u32], key: u64, script: u32, times: u64) {
        let is_same = |&at: &u32| {
            let known = &self.words[at as usize];
            known.key == key && self.letters[known.start..known.end] == *letters
        };
        match self
            .index
            .entry(hash(key), is_same, |&at| hash(self.words[at as usize].key))
        {
            Entry::Occupied(at) => {
                let known = &mut self.words[*at.get() as usize];
                known.count = known.count.saturating_add(times);
            }
            Entry::Vacant(free) => {
                free.insert(self.words.len() as u32);
                let start = self.letters.len();
                self.letters.extend_from_slice(letters);
                self.words.push(Word {
                    start,
                    end: self.letters.len(),
                    key,
                    count: times,
                    script,
                });
            }
        }
    }
}

/// The high bits are the best mixed by a multiplication, and the table goes by the low ones.
fn hash(key: u64) -> u64 {
    key.rotate_left(32)
}

/// Takes texts apart into words; it is worth keeping for the next text.
#[derive(Debug, Default)]
pub struct WordReader {
    tokens: Tokens,
}

impl WordReader {
    /// Calls `each` with every word of `text`, lower-cased, and its script; Han and kana are both
    /// `Jpan`.
    pub fn read(&mut self, text: &str, mut each: impl FnMut(String, Script)) {
        let mut found: Vec<(String, u32)> = Vec::new();
        self.tokens.read(&forage_text::normalise(text), |batch| {
            for token in &batch.tokens {
                let place = token.place();
                let letters = batch.letters_at(place.start + 1..place.end - 1);
                found.push((
                    letters.iter().filter_map(|c| char::from_u32(*c)).collect(),
                    token.script,
                ));
            }
        });
        for (word, script) in found {
            let script = self.tokens.script_at(script);
            each(
                word,
                if Script::JAPANESE.includes(script) {
                    Script::JAPANESE
                } else {
                    script
                },
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distinct words with their counts, in order of appearance.
    fn words(text: &str) -> Vec<(String, u64)> {
        let mut words = Words::default();
        words.read(text, 1);
        let Distinct { letters, words, .. } = words.distinct;
        let spelt = |w: &Word| {
            letters[w.start + 1..w.end - 1]
                .iter()
                .filter_map(|c| char::from_u32(*c))
                .collect()
        };
        words.iter().map(|w| (spelt(w), w.count)).collect()
    }

    fn distinct(text: &str) -> Vec<String> {
        words(text).into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn words_are_lower_cased_and_counted() {
        assert_eq!(
            words("Je lep, JE!"),
            [("je".to_owned(), 2), ("lep".to_owned(), 1)]
        );
    }

    #[test]
    fn apostrophes_belong_to_a_word_between_letters_only() {
        let found = distinct("don't 'quoted' rock\u{2019}n\u{2019}roll a''b");
        assert_eq!(found, ["don't", "quoted", "rock'n'roll", "a", "b"]);
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
    fn an_address_ends_where_the_text_goes_on() {
        assert_eq!(
            distinct("glej https://t.co/a_b?c='d'&e=(f)#g, danes"),
            ["glej", "danes"]
        );
        assert_eq!(distinct("今日https://t.co/abcは天気。"), ["今日", "は天気"]);
        assert_eq!(distinct("http://t.co/abc。今日"), ["今日"]);
        assert_eq!(
            distinct("<a href=\"http://t.co/\">danes</a>"),
            ["a", "href", "danes"]
        );
        assert_eq!(
            distinct("https://sl.wikipedia.org/wiki/Šmarna_gora https://ru.org/Да да"),
            ["да"]
        );
        assert_eq!(distinct("「https://t.co/abc」 “http://a.b/c” je"), ["je"]);
    }

    #[test]
    fn hosts_and_mailboxes_are_addresses_too() {
        assert_eq!(
            distinct("glej www.slov.si/pot in piši na ana@posta.si!"),
            ["glej", "in", "piši", "na"]
        );
        assert_eq!(
            distinct("기자zozo@donga.com 微信关注@abc"),
            ["기자", "微信关注", "abc"]
        );
        assert_eq!(
            distinct("www. in @ana, a.b"),
            ["www", "in", "ana", "a", "b"]
        );
    }

    #[test]
    fn entities_that_are_no_letters_are_blanks() {
        let found = distinct("lep&nbsp;dan&amp;noč &lt;b&gt; &quot;da&quot; &#160;&amp;nbsp;ne");
        assert_eq!(found, ["lep", "dan", "noč", "b", "da", "ne"]);
        assert_eq!(
            distinct("R&D &c. AT&T &nbspx &"),
            ["r", "d", "c", "at", "t", "nbspx"]
        );
    }

    #[test]
    fn the_scheme_of_an_address_has_no_vote() {
        let mut words = Words::default();
        words.read("Да http://vk.com/a", 1);
        assert_eq!(words.script().as_str(), "Cyrl");
        words.clear();
        words.read("你好 https://example.com/", 1);
        assert_eq!(words.script().as_str(), "Hani");
        words.clear();
        words.read("don\u{2019}t://a http://b", 1);
        assert_eq!(words.script(), Script::COMMON);
    }

    #[test]
    fn counts_do_not_overflow() {
        let mut words = Words::default();
        (0..3).for_each(|_| words.read("日か", u64::MAX / 2));
        let mut counts = Counts::default();
        words.count_ngrams(words.script(), &mut counts);
        words.count_ngrams(words.script(), &mut counts);
        let most = words
            .vocabulary(words.script())
            .first()
            .map(|(_, count)| *count);
        assert_eq!(
            (words.tokens(), words.script().as_str(), most),
            (u64::MAX, "Jpan", Some(u64::MAX))
        );
    }

    #[test]
    fn many_words_are_kept_apart() {
        let text: String = ('a'..='z')
            .flat_map(|a| ('a'..='z').map(move |b| format!("{a}{b}q ")))
            .collect();
        assert_eq!(distinct(&text.repeat(3)).len(), 26 * 26);
    }

    #[test]
    fn only_words_of_the_texts_script_are_counted() {
        let mut words = Words::default();
        words.read("Москва столица России — capital", 1);
        let mut counts = Counts::default();
        assert_eq!(words.script().as_str(), "Cyrl");
        words.count_ngrams(words.script(), &mut counts);
        let mut ranked = Vec::new();
        counts.take_ranked(400, &mut ranked);
        assert!(
            ranked
                .iter()
                .all(|(ngram, _)| !ngram.to_string().contains('p'))
        );
    }
}
