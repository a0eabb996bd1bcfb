//! Character n-grams of one to five characters, packed in an integer, and their counts in a text.
//!
//! Five characters of 21 bits take 105 bits. The first character is in the highest bits, so that
//! integers sort as the n-grams do by code point, and an n-gram is compared, hashed and stored like
//! an integer.

use std::cmp::Reverse;
use std::fmt;

/// Maximum length of an n-gram (Cavnar & Trenkle 1994, section 3.1: "for N=1 to 5").
pub const MAX_LENGTH: usize = 5;

/// The blank before and after each word.
pub(crate) const BLANK: u32 = ' ' as u32;

const BITS_PER_CHARACTER: u32 = 21;

/// A character n-gram. Ordered by code points, the blank before all letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NGram(pub(crate) u128);

impl NGram {
    /// Parses an n-gram of 1 to 5 characters, with `_` for the blank.
    pub fn parse(text: &str) -> Option<Self> {
        let to_code = |c| if c == '_' { BLANK } else { c as u32 };
        let codes = text.chars().map(to_code);
        let has_valid_length = (1..=MAX_LENGTH).contains(&codes.clone().count());
        // A code of 0 stands for no character.
        if text.contains('\0') {
            return None;
        }
        let packed = codes
            .zip(0..)
            .map(|(code, index)| u128::from(code) << shift(index));
        has_valid_length.then(|| Self(packed.sum()))
    }

    fn characters(self) -> impl Iterator<Item = char> {
        (0..MAX_LENGTH).filter_map(move |index| {
            let code = (self.0 >> shift(index)) as u32 & 0x1f_ffff;
            char::from_u32(code).filter(|c| *c != '\0')
        })
    }
}

impl fmt::Display for NGram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.characters()
            .try_for_each(|c| fmt::Write::write_char(f, if c == ' ' { '_' } else { c }))
    }
}

/// Returns the position of the lowest bit of the character at `index`.
fn shift(index: usize) -> u32 {
    BITS_PER_CHARACTER * (MAX_LENGTH - 1 - index) as u32
}

/// Occurrences of each n-gram. Can be drained and filled again without allocation.
#[derive(Debug, Default)]
pub(crate) struct NGramCounts {
    counts: Vec<(NGram, u64)>,
    /// Hash table with open addressing: index in `counts` plus one, 0 for a free slot. Its length
    /// is a power of two, and at most half of it is used. With `hashbrown`, learning a profile
    /// takes 1.4 times as long.
    slots: Vec<u32>,
}

impl NGramCounts {
    /// Counts every n-gram of `word`, which begins and ends with a blank, `times` times.
    ///
    /// The blank as a unigram is counted once per word, not twice, as if adjacent words shared it.
    /// libexttextcat does the same.
    pub(crate) fn add_word(&mut self, word: &[u32], times: u64) {
        for start in 0..word.len().saturating_sub(1) {
            let mut packed = 0;
            for (index, code) in word[start..].iter().take(MAX_LENGTH).enumerate() {
                packed |= u128::from(*code) << shift(index);
                self.add(NGram(packed), times);
            }
        }
    }

    #[inline]
    fn add(&mut self, ngram: NGram, times: u64) {
        if self.counts.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(ngram) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => {
                    self.counts.push((ngram, times));
                    self.slots[slot] = self.counts.len() as u32;
                    return;
                }
                index => {
                    let entry = &mut self.counts[index as usize - 1];
                    if entry.0 == ngram {
                        entry.1 = entry.1.saturating_add(times);
                        return;
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(1 << 12);
        self.slots.clear();
        self.slots.resize(length, 0);
        for (index, (ngram, _)) in self.counts.iter().enumerate() {
            let mut slot = hash(*ngram) as usize & (length - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.slots[slot] = index as u32 + 1;
        }
    }

    /// Returns the number of distinct n-grams.
    pub(crate) fn distinct(&self) -> usize {
        self.counts.len()
    }

    /// Moves the `limit` most frequent n-grams into `ranked`, most frequent first, ties by code
    /// point. Clears the counts.
    pub(crate) fn drain_ranked(&mut self, limit: usize, ranked: &mut Vec<(NGram, u64)>) {
        let order = |(ngram, count): &(NGram, u64)| (Reverse(*count), *ngram);
        if self.counts.len() > limit {
            self.counts.select_nth_unstable_by_key(limit, order);
        }
        ranked.clear();
        ranked.extend(self.counts.iter().take(limit));
        ranked.sort_unstable_by_key(order);
        self.counts.clear();
        self.slots.fill(0);
    }

    /// Releases the buffers if an unusually long text has made them larger than `limit` n-grams.
    pub(crate) fn release_excess_capacity(&mut self, limit: usize) {
        if self.counts.capacity() > limit {
            *self = Self::default();
        }
    }
}

/// Mixes all bits of the n-gram into the low ones: two multiplications by odd constants (bits of
/// the golden ratio and of the square root of two), folded.
#[inline]
fn hash(NGram(packed): NGram) -> u64 {
    let mixed = (packed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ ((packed >> 64) as u64)
            .wrapping_mul(0x6a09_e667_f3bc_c909)
            .rotate_left(32);
    mixed ^ (mixed >> 29) ^ (mixed >> 47)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(words: &[(&str, u64)], limit: usize) -> Vec<(String, u64)> {
        let mut counts = NGramCounts::default();
        for (word, times) in words {
            counts.add_word(&word.chars().map(|c| c as u32).collect::<Vec<_>>(), *times);
        }
        let mut ranked = Vec::new();
        counts.drain_ranked(limit, &mut ranked);
        ranked
            .iter()
            .map(|(ngram, count)| (ngram.to_string(), *count))
            .collect()
    }

    #[test]
    fn the_example_of_the_paper_has_its_n_grams() {
        let mut ngrams: Vec<_> = rank(&[(" text ", 1)], 100)
            .into_iter()
            .map(|(n, _)| n)
            .collect();
        ngrams.sort();
        let mut expected: Vec<_> =
            "_ t e x _t te ex xt t_ _te tex ext xt_ _tex text ext_ _text text_"
                .split(' ')
                .collect();
        expected.sort_unstable();
        assert_eq!(ngrams, expected);
    }

    #[test]
    fn ties_are_ordered_by_code_point() {
        assert_eq!(
            rank(&[(" ba ", 1)], 3),
            [("_".into(), 1), ("_b".into(), 1), ("_ba".into(), 1)]
        );
    }

    #[test]
    fn counts_are_multiplied_by_the_word_frequency() {
        let top = rank(&[(" ba ", 2), (" b ", 5)], 2);
        assert_eq!(top, [("_".to_owned(), 7), ("_b".to_owned(), 7)]);
    }

    #[test]
    fn parsing_inverts_display() {
        for text in ["a", "_a", "ščž_", "日本語文字", "𐐨"] {
            assert_eq!(NGram::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(NGram::parse(""), None);
        assert_eq!(NGram::parse("abcdef"), None);
        assert_eq!(NGram::parse("a\0b"), None);
    }
}
