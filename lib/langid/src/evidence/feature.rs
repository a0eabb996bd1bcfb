//! Features: the words and n-grams that are looked up, as 64-bit hashes.

use std::ops::Range;

/// Maximum length of an n-gram, in characters.
pub(crate) const MAX_NGRAM_LENGTH: usize = 4;

/// Initial hash value of a word. N-grams start from higher values, by their length.
pub(crate) const WORD_SEED: u64 = 1;

/// Returns the hash extended by one character.
#[inline]
pub(crate) fn hash_character(hash: u64, character: u32) -> u64 {
    (hash.rotate_left(23) ^ u64::from(character)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Spreads the hash over all bits.
#[inline]
pub(crate) fn finish_hash(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

/// Returns the key of a word, given its characters without the blanks around them.
pub fn word_key(characters: &[u32]) -> u64 {
    hash_all(WORD_SEED, characters)
}

/// Returns the key of an n-gram.
#[inline]
pub(crate) fn ngram_key(characters: &[u32]) -> u64 {
    hash_all(WORD_SEED + characters.len() as u64, characters)
}

#[inline]
fn hash_all(seed: u64, characters: &[u32]) -> u64 {
    finish_hash(
        characters
            .iter()
            .fold(seed, |hash, c| hash_character(hash, *c)),
    )
}

/// Returns the ranges of the longest n-grams of `word`, which includes its blanks.
///
/// These are all n-grams of [`max_ngram_length`] characters, or every `step`th of them; or the
/// whole of a shorter word.
#[inline]
pub(crate) fn split_ngrams(word: &[u32], step: usize) -> impl Iterator<Item = Range<usize>> {
    let length = max_ngram_length(word).min(word.len());
    (0..=word.len() - length)
        .step_by(step)
        .map(move |start| start..start + length)
}

/// Calls `each` with the n-grams of [`split_ngrams`] and their starts.
#[inline]
pub(crate) fn for_each_ngram(word: &[u32], step: usize, mut each: impl FnMut(usize, &[u32])) {
    if word.len() >= MAX_NGRAM_LENGTH && max_ngram_length(word) == MAX_NGRAM_LENGTH {
        // The compiler knows the length of these, which are most.
        let ngrams = word.windows(MAX_NGRAM_LENGTH).enumerate();
        ngrams
            .step_by(step)
            .for_each(|(start, ngram)| each(start, ngram));
    } else {
        split_ngrams(word, step).for_each(|range| each(range.start, &word[range]));
    }
}

/// Returns the length of the longest n-grams of a word between blanks: 2 for Han and kana, where
/// two characters carry as much information as four letters, and 4 for other scripts.
pub(crate) fn max_ngram_length(word: &[u32]) -> usize {
    match word.get(1) {
        Some(0x2e80..0xa000 | 0x2_0000..0x4_0000) => 2,
        _ => MAX_NGRAM_LENGTH,
    }
}
