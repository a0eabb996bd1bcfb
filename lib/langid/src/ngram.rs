//! One character n-gram, one to five characters, packed in a number; and how many of each a text
//! has.
//!
//! Five characters of 21 bits fit in 105. The first character is the highest, so numbers sort as
//! the n-grams do by code point, and comparing, hashing and storing an n-gram is as cheap as an
//! integer.

use std::cmp::Reverse;
use std::fmt;

/// Longest n-gram (Cavnar & Trenkle 1994, §3.1: "for N=1 to 5").
pub const LONGEST: usize = 5;

/// The blank that stands before and after each word.
pub(crate) const BLANK: u32 = ' ' as u32;

const BITS: u32 = 21;

/// A character n-gram; ordered by code points, the blank before all letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NGram(pub(crate) u128);

impl NGram {
    /// Reads an n-gram of 1 to 5 characters, with `_` for the blank.
    pub fn parse(written: &str) -> Option<Self> {
        let codes = written
            .chars()
            .map(|c| if c == '_' { BLANK } else { c as u32 });
        let is_one = (1..=LONGEST).contains(&codes.clone().count());
        let packed = codes
            .enumerate()
            .map(|(place, code)| u128::from(code) << shift(place));
        is_one.then(|| Self(packed.sum()))
    }

    fn characters(self) -> impl Iterator<Item = char> {
        (0..LONGEST).filter_map(move |n| {
            let code = (self.0 >> shift(n)) as u32 & 0x1f_ffff;
            if code == 0 {
                None
            } else {
                char::from_u32(code)
            }
        })
    }
}

impl fmt::Display for NGram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.characters()
            .try_for_each(|c| fmt::Write::write_char(f, if c == ' ' { '_' } else { c }))
    }
}

fn shift(place: usize) -> u32 {
    BITS * (LONGEST - 1 - place) as u32
}

/// Number of occurrences of each n-gram; cleared and filled again without asking for memory.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    found: Vec<(NGram, u64)>,
    /// Open addressing, a power of two long and at most half full: index in `found` plus one, 0 is
    /// free. `hashbrown` takes 1.4 times as long to learn a profile.
    slots: Vec<u32>,
}

impl Counts {
    /// Counts every n-gram of `word`, which begins and ends with a blank, `times` times.
    ///
    /// The blank by itself is counted once a word, not twice, as if neighbours shared it (so does
    /// libexttextcat).
    pub(crate) fn add_word(&mut self, word: &[u32], times: u64) {
        for start in 0..word.len().saturating_sub(1) {
            let mut packed = 0;
            for (place, code) in word[start..].iter().take(LONGEST).enumerate() {
                packed |= u128::from(*code) << shift(place);
                self.add(NGram(packed), times);
            }
        }
    }

    #[inline]
    fn add(&mut self, ngram: NGram, times: u64) {
        if self.found.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(ngram) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => {
                    self.found.push((ngram, times));
                    self.slots[slot] = self.found.len() as u32;
                    return;
                }
                index => {
                    let known = &mut self.found[index as usize - 1];
                    if known.0 == ngram {
                        known.1 = known.1.saturating_add(times);
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
        for (index, (ngram, _)) in self.found.iter().enumerate() {
            let mut slot = hash(*ngram) as usize & (length - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.slots[slot] = index as u32 + 1;
        }
    }

    pub(crate) fn distinct(&self) -> usize {
        self.found.len()
    }

    /// The `most` most frequent n-grams, most frequent first, ties by code point. Leaves the counts
    /// cleared.
    pub(crate) fn take_ranked(&mut self, most: usize, ranked: &mut Vec<(NGram, u64)>) {
        let order = |(ngram, count): &(NGram, u64)| (Reverse(*count), *ngram);
        if self.found.len() > most {
            self.found.select_nth_unstable_by_key(most, order);
        }
        ranked.clear();
        ranked.extend(self.found.iter().take(most));
        ranked.sort_unstable_by_key(order);
        self.found.clear();
        self.slots.fill(0);
    }

    /// Gives back what an unusually long text has taken.
    pub(crate) fn shrink(&mut self, most: usize) {
        if self.found.capacity() > most {
            *self = Self::default();
        }
    }
}

/// Mixes all bits of the n-gram into the low ones: two multiplications by odd constants (the golden
/// ratio's bits and those of the square root of two), folded.
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

    fn ranked(words: &[(&str, u64)], most: usize) -> Vec<(String, u64)> {
        let mut counts = Counts::default();
        for (word, times) in words {
            counts.add_word(&word.chars().map(|c| c as u32).collect::<Vec<_>>(), *times);
        }
        let mut ranked = Vec::new();
        counts.take_ranked(most, &mut ranked);
        ranked
            .iter()
            .map(|(ngram, count)| (ngram.to_string(), *count))
            .collect()
    }

    #[test]
    fn the_papers_word_has_its_n_grams() {
        let mut found: Vec<_> = ranked(&[(" text ", 1)], 100)
            .into_iter()
            .map(|(n, _)| n)
            .collect();
        found.sort();
        let mut expected: Vec<_> =
            "_ t e x _t te ex xt t_ _te tex ext xt_ _tex text ext_ _text text_"
                .split(' ')
                .collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn ties_go_by_code_point() {
        assert_eq!(
            ranked(&[(" ba ", 1)], 3),
            [("_".into(), 1), ("_b".into(), 1), ("_ba".into(), 1)]
        );
    }

    #[test]
    fn counts_are_weighted() {
        let top = ranked(&[(" ba ", 2), (" b ", 5)], 2);
        assert_eq!(top, [("_".to_owned(), 7), ("_b".to_owned(), 7)]);
    }

    #[test]
    fn an_n_gram_is_read_as_it_is_written() {
        for written in ["a", "_a", "ščž_", "日本語文字", "𐐨"] {
            assert_eq!(NGram::parse(written).unwrap().to_string(), written);
        }
        assert_eq!(NGram::parse(""), None);
        assert_eq!(NGram::parse("abcdef"), None);
    }
}
