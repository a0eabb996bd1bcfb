//! What is looked up: words and n-grams, as hashes of 64 bits.

use std::ops::Range;

/// Characters of the longest n-gram.
pub(crate) const LONGEST: usize = 4;

/// Where the hash of a word starts; n-grams start at other numbers, by their length.
pub(crate) const WORD: u64 = 1;

/// The hash with one more character.
#[inline]
pub(crate) fn fold(hash: u64, character: u32) -> u64 {
    (hash.rotate_left(23) ^ u64::from(character)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Spreads what was folded over all bits.
#[inline]
pub(crate) fn finish(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

/// The key of a word: its characters without the blanks around them.
pub(crate) fn word(characters: &[u32]) -> u64 {
    finish(characters.iter().fold(WORD, |hash, c| fold(hash, *c)))
}

#[inline]
pub(crate) fn gram(characters: &[u32]) -> u64 {
    finish(
        characters
            .iter()
            .fold(WORD + characters.len() as u64, |hash, c| fold(hash, *c)),
    )
}

/// Where the n-grams are that a word, between its blanks, is taken apart into: all of [`LONGEST`]
/// characters, or only every so many of them; or the whole of a shorter word. Han and kana say as
/// much with two characters as letters with four.
#[inline]
pub(crate) fn grams(word: &[u32], step: usize) -> impl Iterator<Item = Range<usize>> {
    let length = longest(word).min(word.len());
    (0..=word.len() - length)
        .step_by(step)
        .map(move |start| start..start + length)
}

/// The length of the longest n-grams of a word between blanks.
pub(crate) fn longest(word: &[u32]) -> usize {
    match word.get(1) {
        Some(0x2e80..0xa000 | 0x2_0000..0x4_0000) => 2,
        _ => LONGEST,
    }
}
