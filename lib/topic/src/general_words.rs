//! Word probabilities in general text, with which the words of a core are contrasted.
//!
//! The built-in lists have the 60,000 most frequent words of each of about 40 languages, as hashes
//! of 24 bits in levels of equal log probability (`lib/topic/words/README.md`). A word that is not
//! listed is taken for a listed one with a probability of 0.4 %: the number of words over that of
//! hashes.

use foldhash::HashMap;
use forage_langid::{LanguageCode, Scratch, WordProbabilities};
use forage_text::{normalise, take_number};
use std::fmt;

/// The built-in lists: of each language the code, the length of what follows in bytes, and for each
/// level from 0 on the number of words and the differences of their sorted hashes. Level n has the
/// words with a log probability nearest to -n / 4. All numbers are LEB128.
static LISTS: &[u8] = include_bytes!("../words/general-words.bin");

/// Number of levels per unit of natural logarithm.
pub const LEVELS_PER_NAT: f64 = 4.0;

/// Log probability of words that neither a list nor the model of `langid` has: that of a word after
/// the first 60,000. Set by judgement, not measured.
const UNKNOWN_LOG_PROBABILITY: f64 = -15.5;

/// Probability of an unlisted word relative to the rarest listed one. Set by judgement, not
/// measured.
const UNLISTED_SHARE: f64 = 0.5;

/// Probabilities of words in general text of one language.
#[derive(Debug)]
pub struct GeneralText {
    source: Source,
}

enum Source {
    List(WordList),
    /// For languages without a list: rough estimates, without many common words.
    Model(Box<WordProbabilities>, Box<Scratch>),
    Counts(WordCounts),
    /// Nothing is known: all words are equally probable.
    Nothing,
}

impl Source {
    fn of_model(language: LanguageCode) -> Source {
        WordProbabilities::builtin(language).map_or(Source::Nothing, |model| {
            Source::Model(Box::new(model), Box::default())
        })
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::List(_) => "List",
            Source::Model(..) => "Model",
            Source::Counts(_) => "Counts",
            Source::Nothing => "Nothing",
        })
    }
}

impl GeneralText {
    /// Returns what is built in for a language: a list, or else the estimates of the model of
    /// `langid`. For a language that neither has, all words are equally probable.
    pub fn builtin(language: LanguageCode) -> GeneralText {
        let list = WordList::find(LISTS, language, f64::NEG_INFINITY);
        GeneralText {
            source: list.map_or_else(|| Source::of_model(language), Source::List),
        }
    }

    /// Returns the probabilities in counted text.
    pub fn from_counts(counts: WordCounts) -> GeneralText {
        GeneralText {
            source: Source::Counts(counts),
        }
    }

    /// Returns `true` if there is a word list, built in or given.
    pub fn has_list(&self) -> bool {
        matches!(self.source, Source::List(_) | Source::Counts(_))
    }

    /// Returns the natural logarithm of the probability of a stem, which is the sum of those of its
    /// spellings.
    pub(crate) fn log_probability<'a>(
        &mut self,
        stem: &str,
        spellings: impl Iterator<Item = &'a str>,
    ) -> f64 {
        match &mut self.source {
            Source::List(list) => list.log_probability(spellings),
            Source::Model(model, scratch) => {
                let known = spellings
                    .filter_map(|word| model.estimate_log_probability(scratch, word))
                    .map(libm::exp);
                let sum: f64 = known.sum();
                libm::log(sum).max(UNKNOWN_LOG_PROBABILITY)
            }
            Source::Counts(counts) => counts.log_probability(stem),
            Source::Nothing => UNKNOWN_LOG_PROBABILITY,
        }
    }
}

/// The words of one language by their hashes.
struct WordList {
    log_probabilities: HashMap<u32, f64>,
    unlisted: f64,
}

impl WordList {
    /// Returns the list of a language among `lists`, with the words that have at least the given
    /// log probability.
    fn find(lists: &[u8], language: LanguageCode, least: f64) -> Option<WordList> {
        let mut reader = ByteReader { bytes: lists };
        while let Some(code) = reader.read_slice(3) {
            let length = reader.read_number()?;
            let list = reader.read_slice(usize::try_from(length).ok()?)?;
            if code == language.as_str().as_bytes() {
                return WordList::decode(list, least);
            }
        }
        None
    }

    fn decode(list: &[u8], least: f64) -> Option<WordList> {
        let mut reader = ByteReader { bytes: list };
        let mut log_probabilities = HashMap::default();
        let mut level: u32 = 0;
        while !reader.bytes.is_empty() && -f64::from(level) / LEVELS_PER_NAT >= least {
            let mut hash: u64 = 0;
            for _ in 0..reader.read_number()? {
                hash = hash.checked_add(reader.read_number()?)?;
                let log_probability = -f64::from(level) / LEVELS_PER_NAT;
                // Of two words with the same hash, the more frequent one is meant more often.
                log_probabilities
                    .entry(u32::try_from(hash).ok()?)
                    .or_insert(log_probability);
            }
            level = level.checked_add(1)?;
        }
        Some(WordList {
            log_probabilities,
            unlisted: libm::log(UNLISTED_SHARE) - f64::from(level) / LEVELS_PER_NAT,
        })
    }

    fn log_probability<'a>(&self, spellings: impl Iterator<Item = &'a str>) -> f64 {
        let listed = spellings.filter_map(|word| self.log_probabilities.get(&hash_word(word)));
        let sum: f64 = listed.copied().map(libm::exp).sum();
        if sum > 0.0 {
            libm::log(sum)
        } else {
            self.unlisted
        }
    }
}

/// Log probability from which a word is a stop word: about the 60 most frequent words of a
/// language, nearly all of which are function words. Set by judgement on the lists of several
/// languages, not measured.
const MIN_STOP_WORD_LOG_PROBABILITY: f64 = -6.25;

/// The stop words of a language: its most frequent words.
#[derive(Debug)]
pub(crate) struct FrequentWords {
    source: Source,
}

impl FrequentWords {
    /// Returns the stop words of a language by its built-in list, or else by the estimates of the
    /// model of `langid`; none if neither has the language.
    pub(crate) fn of_language(language: LanguageCode) -> FrequentWords {
        let list = WordList::find(LISTS, language, MIN_STOP_WORD_LOG_PROBABILITY);
        FrequentWords {
            source: list.map_or_else(|| Source::of_model(language), Source::List),
        }
    }

    /// Returns `true` if a word, in any case, is a stop word.
    pub(crate) fn contain(&mut self, word: &str) -> bool {
        match &mut self.source {
            Source::List(list) => list.log_probabilities.contains_key(&hash_word(word)),
            Source::Model(model, scratch) => model
                .estimate_log_probability(scratch, word)
                .is_some_and(|log| log >= MIN_STOP_WORD_LOG_PROBABILITY),
            Source::Counts(_) | Source::Nothing => false,
        }
    }
}

/// Returns the hash of a word in any case: 24 bits.
pub fn hash_word(word: &str) -> u32 {
    let hash = blake3::hash(normalise(&word.to_lowercase()).as_bytes());
    let bytes = hash.as_bytes();
    u32::from_be_bytes([0, bytes[0], bytes[1], bytes[2]])
}

struct ByteReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ByteReader<'a> {
    fn read_slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (slice, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(slice)
    }

    fn read_number(&mut self) -> Option<u64> {
        take_number(&mut self.bytes)
    }
}

/// Word counts of a text with which a core is contrasted, by stem.
#[derive(Debug, Default)]
pub struct WordCounts {
    counts: HashMap<Box<str>, f64>,
    total: f64,
}

impl WordCounts {
    /// Adds occurrences of a stem.
    pub(crate) fn add(&mut self, stem: &str, count: f64) {
        self.total += count;
        match self.counts.get_mut(stem) {
            Some(sum) => *sum += count,
            None => _ = self.counts.insert(stem.into(), count),
        }
    }

    /// Returns `true` if no word was counted.
    pub fn is_empty(&self) -> bool {
        self.total == 0.0
    }

    fn log_probability(&self, stem: &str) -> f64 {
        let count = self.counts.get(stem).copied().unwrap_or_default();
        libm::log((count + UNLISTED_SHARE) / (self.total + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log_probability(code: &str, word: &str) -> f64 {
        let mut text = GeneralText::builtin(code.parse().unwrap());
        text.log_probability(word, std::iter::once(word))
    }

    #[test]
    fn common_words_are_more_probable_than_terms() {
        for (code, common, term) in [
            ("eng", "system", "vertex"),
            ("eng", "House", "algorithm"),
            ("slv", "hiša", "algoritem"),
            ("deu", "Haus", "Algorithmus"),
            ("rus", "дом", "алгоритм"),
        ] {
            let (common, term) = (log_probability(code, common), log_probability(code, term));
            assert!(common > term + 1.0, "{code}: {common} {term}");
        }
    }

    #[test]
    fn a_language_without_a_list_has_estimates_or_nothing() {
        for code in ["bcl", "und"] {
            let text = GeneralText::builtin(code.parse().unwrap());
            assert!(!text.has_list(), "{code}");
        }
        assert_eq!(log_probability("und", "x"), UNKNOWN_LOG_PROBABILITY);
        assert!(log_probability("bcl", "an") > log_probability("bcl", "qzx"));
    }

    /// Returns a list in the built-in format: English words, at most one of each level.
    fn encode_list(words: &[(&str, u8)]) -> Vec<u8> {
        let mut list = Vec::new();
        for level in 0..=18 {
            let word = words.iter().find(|(_, of)| *of == level);
            list.push(u8::from(word.is_some()));
            if let Some((word, _)) = word {
                let hash = hash_word(word);
                let bytes = [0, 7, 14, 21].map(|shift| (hash >> shift) as u8 & 0x7f);
                list.extend([bytes[0] | 0x80, bytes[1] | 0x80, bytes[2] | 0x80, bytes[3]]);
            }
        }
        [&b"eng"[..], &[list.len() as u8], &list].concat()
    }

    #[test]
    fn the_probability_of_a_stem_is_the_sum_over_its_spellings() {
        // Words with the levels of log probabilities, 0.01 and 0.02.
        let words = [("tree", 18), ("trees", 16)];
        let lists = encode_list(&words);
        let list = WordList::find(&lists, "eng".parse().unwrap(), -99.0).unwrap();
        let sum = list.log_probability(["Tree", "trees", "treeing"].into_iter());
        assert!((sum - libm::log(0.03)).abs() < 0.25, "{sum}");
        assert!(list.log_probability(["other"].into_iter()) < libm::log(0.01));
        assert!(WordList::find(&lists, "deu".parse().unwrap(), -99.0).is_none());
    }

    proptest::proptest! {
        #[test]
        fn a_damaged_list_is_refused(lists in proptest::collection::vec(0u8.., 0..200)) {
            let _ = WordList::find(&lists, "eng".parse().unwrap(), -99.0);
            let _ = WordList::decode(&lists, -99.0);
        }
    }
}
