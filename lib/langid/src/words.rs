//! Word counts of texts, and the script of most of their letters.
//!
//! A text repeats its words. So each distinct word is kept once with its count, and its n-grams are
//! extracted once and weighted by the count. The module `evidence::tokenizer` defines what a word
//! is.

use crate::evidence::tokenizer::{TokenBatch, WordTokenizer};
use crate::ngram::NGramCounts;
use crate::script::Script;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Maximum capacity, in letters, of a buffer that is kept for the next text; a larger one is
/// released.
const MAX_KEPT_LETTERS: usize = 1 << 20;

/// Distinct words with their counts.
#[derive(Debug, Default)]
pub(crate) struct WordCounts {
    tokenizer: WordTokenizer,
    distinct: DistinctWords,
    /// Number of letters of each script, by the index that [`WordTokenizer`] gives it.
    letters_by_script: Vec<u64>,
    token_count: u64,
}

#[derive(Debug, Default)]
struct DistinctWords {
    /// The words, concatenated, each between two blanks.
    letters: Vec<u32>,
    words: Vec<DistinctWord>,
    /// Indices in `words`, by their keys.
    index: HashTable<u32>,
}

#[derive(Debug, Clone, Copy)]
struct DistinctWord {
    start: usize,
    end: usize,
    key: u64,
    count: u64,
    script: u32,
}

impl WordCounts {
    pub(crate) fn clear(&mut self) {
        self.distinct.clear();
        self.letters_by_script.clear();
        self.token_count = 0;
    }

    /// Number of words counted, repetitions included.
    pub(crate) fn token_count(&self) -> u64 {
        self.token_count
    }

    /// Counts each word of `text` `times` times.
    pub(crate) fn add_text(&mut self, text: &str, times: u64) {
        let Self {
            tokenizer,
            distinct,
            letters_by_script,
            token_count,
        } = self;
        let text = forage_text::read(text);
        tokenizer.read_batches(
            &forage_text::remove_addresses(&text),
            &mut |batch: &TokenBatch| {
                for token in &batch.tokens {
                    *token_count = token_count.saturating_add(times);
                    distinct.add(batch.letters(token), token.key, token.script, times);
                }
            },
        );
        let added = tokenizer.letters_by_script();
        letters_by_script.resize(letters_by_script.len().max(added.len()), 0);
        for (sum, letters) in letters_by_script.iter_mut().zip(added) {
            *sum = sum.saturating_add(letters.saturating_mul(times));
        }
    }

    /// Returns the script that most letters have.
    pub(crate) fn script(&self) -> Script {
        Script::from_majority(
            (0..)
                .zip(&self.letters_by_script)
                .map(|(script, n)| (self.tokenizer.script_at(script), *n)),
        )
    }

    /// Returns the words in `script` with their counts, most frequent first, ties by code point.
    pub(crate) fn vocabulary(&self, script: Script) -> Vec<(String, u64)> {
        let mut words: Vec<(String, u64)> = self
            .words_in(script)
            .map(|(letters, count)| (to_string(&letters[1..letters.len() - 1]), count))
            .collect();
        words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words
    }

    /// Counts the n-grams of the words in `script`. Words in other scripts are mostly quotations
    /// and carry no evidence of the text's language.
    pub(crate) fn count_ngrams(&self, script: Script, counts: &mut NGramCounts) {
        self.words_in(script)
            .for_each(|(letters, count)| counts.add_word(letters, count));
    }

    /// Returns the words in `script`, each between blanks, with their counts.
    fn words_in(&self, script: Script) -> impl Iterator<Item = (&[u32], u64)> {
        let DistinctWords { letters, words, .. } = &self.distinct;
        let is_in_script =
            move |word: &&DistinctWord| script.includes(self.tokenizer.script_at(word.script));
        words
            .iter()
            .filter(is_in_script)
            .map(|word| (&letters[word.start..word.end], word.count))
    }
}

impl DistinctWords {
    fn clear(&mut self) {
        if self.letters.capacity() > MAX_KEPT_LETTERS {
            *self = Self::default();
        }
        self.letters.clear();
        self.words.clear();
        self.index.clear();
    }

    fn add(&mut self, letters: &[u32], key: u64, script: u32, times: u64) {
        let is_same = |&index: &u32| {
            let word = &self.words[index as usize];
            word.key == key && self.letters[word.start..word.end] == *letters
        };
        match self.index.entry(hash(key), is_same, |&index| {
            hash(self.words[index as usize].key)
        }) {
            Entry::Occupied(entry) => {
                let word = &mut self.words[*entry.get() as usize];
                word.count = word.count.saturating_add(times);
            }
            Entry::Vacant(entry) => {
                entry.insert(self.words.len() as u32);
                let start = self.letters.len();
                self.letters.extend_from_slice(letters);
                self.words.push(DistinctWord {
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

/// Moves the high bits of a key, which its multiplication mixes best, to the low ones, by which the
/// table selects a slot.
fn hash(key: u64) -> u64 {
    key.rotate_left(32)
}

fn to_string(letters: &[u32]) -> String {
    letters.iter().filter_map(|c| char::from_u32(*c)).collect()
}

/// Splits texts into words. Keeps its buffers for the next text.
#[derive(Debug, Default)]
#[cfg(feature = "tools")]
pub struct WordReader {
    tokenizer: WordTokenizer,
}

#[cfg(feature = "tools")]
impl WordReader {
    /// Calls `each` with every word of `text`, lower-cased, and its script. Words in Han and kana
    /// have the script `Jpan`.
    pub fn for_each_word(&mut self, text: &str, mut each: impl FnMut(String, Script)) {
        let mut words: Vec<(String, u32)> = Vec::new();
        let text = forage_text::normalise(text);
        self.tokenizer.read_batches(
            &forage_text::remove_addresses(&text),
            &mut |batch: &TokenBatch| {
                for token in &batch.tokens {
                    let range = token.range();
                    let letters = batch.letters_at(range.start + 1..range.end - 1);
                    words.push((to_string(letters), token.script));
                }
            },
        );
        for (word, script) in words {
            let script = self.tokenizer.script_at(script);
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
    fn count_words(text: &str) -> Vec<(String, u64)> {
        let mut words = WordCounts::default();
        words.add_text(text, 1);
        let DistinctWords { letters, words, .. } = words.distinct;
        words
            .iter()
            .map(|w| (to_string(&letters[w.start + 1..w.end - 1]), w.count))
            .collect()
    }

    fn distinct(text: &str) -> Vec<String> {
        count_words(text)
            .into_iter()
            .map(|(word, _)| word)
            .collect()
    }

    #[test]
    fn words_are_lower_cased_and_counted() {
        assert_eq!(
            count_words("Je lep, JE!"),
            [("je".to_owned(), 2), ("lep".to_owned(), 1)]
        );
    }

    #[test]
    fn an_apostrophe_is_part_of_a_word_only_between_letters() {
        let words = distinct("don't 'quoted' rock\u{2019}n\u{2019}roll a''b");
        assert_eq!(words, ["don't", "quoted", "rock'n'roll", "a", "b"]);
    }

    #[test]
    fn signs_typed_for_an_apostrophe_are_one_and_the_turned_comma_of_uzbek_another() {
        assert_eq!(
            distinct("l`eau l\u{b4}eau l\u{2032}eau l\u{2018}eau"),
            ["l'eau"]
        );
        assert_eq!(distinct("o`zbek o\u{2018}zbek"), ["o\u{2bb}zbek"]);
        assert_eq!(distinct("`a` \u{2018}b\u{2019}"), ["a", "b"]);
        // Quotation marks between letters of scripts without blanks.
        assert_eq!(
            distinct("他说\u{2018}你好\u{2019}他"),
            ["他说", "你好", "他"]
        );
    }

    #[test]
    fn tatweel_and_armenian_marks_are_ignored() {
        assert_eq!(distinct("كتـــاب كتاب"), ["كتاب"]);
        assert_eq!(distinct("Ի՞նչ գնա՛ ինչ"), ["ինչ", "գնա"]);
    }

    #[test]
    fn digits_separate_words() {
        assert_eq!(distinct("a1b 22 c_d"), ["a", "b", "c", "d"]);
    }

    #[test]
    fn decomposed_letters_are_composed() {
        assert_eq!(distinct("c\u{30c}as"), ["čas"]);
    }

    #[test]
    fn marks_continue_a_word_and_joiners_are_ignored() {
        assert_eq!(distinct("हिन्दी \u{94d} so\u{ad}ft"), ["हिन्दी", "soft"]);
    }

    #[test]
    fn text_after_an_address_is_read() {
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
    fn host_names_and_mail_addresses_are_skipped() {
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
    fn html_entities_that_are_not_letters_separate_words() {
        let words = distinct("lep&nbsp;dan&amp;noč &lt;b&gt; &quot;da&quot; &#160;&amp;nbsp;ne");
        assert_eq!(words, ["lep", "dan", "noč", "b", "da", "ne"]);
        assert_eq!(
            distinct("R&D &c. AT&T &nbspx &"),
            ["r", "d", "c", "at", "t", "nbspx"]
        );
    }

    #[test]
    fn the_scheme_of_an_address_does_not_count_for_the_script() {
        let mut words = WordCounts::default();
        words.add_text("Да http://vk.com/a", 1);
        assert_eq!(words.script().as_str(), "Cyrl");
        words.clear();
        words.add_text("你好 https://example.com/", 1);
        assert_eq!(words.script().as_str(), "Hani");
        words.clear();
        words.add_text("svn+ssh://a http://b", 1);
        assert_eq!(words.script(), Script::COMMON);
    }

    #[test]
    fn counts_saturate() {
        let mut words = WordCounts::default();
        (0..3).for_each(|_| words.add_text("日か", u64::MAX / 2));
        let mut counts = NGramCounts::default();
        words.count_ngrams(words.script(), &mut counts);
        words.count_ngrams(words.script(), &mut counts);
        let most = words
            .vocabulary(words.script())
            .first()
            .map(|(_, count)| *count);
        assert_eq!(
            (words.token_count(), words.script().as_str(), most),
            (u64::MAX, "Jpan", Some(u64::MAX))
        );
    }

    #[test]
    fn many_words_are_distinguished() {
        let text: String = ('a'..='z')
            .flat_map(|a| ('a'..='z').map(move |b| format!("{a}{b}q ")))
            .collect();
        assert_eq!(distinct(&text.repeat(3)).len(), 26 * 26);
    }

    #[test]
    fn only_words_in_the_script_of_the_text_are_counted() {
        let mut words = WordCounts::default();
        words.add_text("Москва столица России — capital", 1);
        let mut counts = NGramCounts::default();
        assert_eq!(words.script().as_str(), "Cyrl");
        words.count_ngrams(words.script(), &mut counts);
        let mut ranked = Vec::new();
        counts.drain_ranked(400, &mut ranked);
        assert!(
            ranked
                .iter()
                .all(|(ngram, _)| !ngram.to_string().contains('p'))
        );
    }
}
