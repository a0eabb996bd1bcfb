//! Repetition in a text, as a share of it.

use crate::share::share;
use foldhash::{HashSet, HashSetExt};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The number of words in a sequence that is compared.
const SEQUENCE_WORDS: usize = 5;

/// Returns the share of the words that are in a sequence of five that occurred before. Numbers are
/// all the same word.
pub(crate) fn repeated_words(words: &[u64]) -> f64 {
    let mut seen = HashSet::new();
    let mut repeated = 0;
    let mut covered_to = 0;
    for (start, sequence) in words.windows(SEQUENCE_WORDS).enumerate() {
        let key = sequence
            .iter()
            .fold(0, |key, word| xxh3_64_with_seed(&word.to_le_bytes(), key));
        if !seen.insert(key) {
            let end = start + SEQUENCE_WORDS;
            repeated += end - covered_to.max(start);
            covered_to = end;
        }
    }
    share(repeated as f64, words.len() as f64)
}

/// Returns the key of a folded word for [`repeated_words`].
pub(crate) fn word_key(word: &str) -> u64 {
    match word.chars().all(char::is_numeric) {
        true => 0,
        false => xxh3_64(word.as_bytes()),
    }
}
