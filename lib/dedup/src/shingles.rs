//! Shingles and resemblance (Broder 1997).
//!
//! A shingle is five words in a row. A document's shingles, as a set, say what it has in common
//! with another: their *resemblance* is the share of shingles that both have among those that
//! either has (the Jaccard coefficient).
//!
//! Words here are not the terms that queries are made of: those leave out numbers, single letters
//! and all of Chinese, and then pages that differ in nothing but a number would be twins.

use forage_text::normalise;
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

/// Words in a shingle.
const WORDS: usize = 5;

/// Bits of a shingle's hash. Two different shingles of a pair of 500-word documents share a hash in
/// one of 10⁹ pairs.
pub(crate) const BITS: u32 = 48;

/// The set of a document's shingles, as ascending 48-bit hashes (XXH3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shingles(Vec<u64>);

impl Shingles {
    /// The shingles of `text`: each five words in a row, or all words of a text that has fewer.
    /// None without a word.
    ///
    /// Words are lower-cased (NFC, Unicode word segmentation; whatever holds a letter or a digit).
    /// Runs in O(n log n) for n words.
    pub fn of(text: &str) -> Shingles {
        Shingles::of_normalised(&normalise(text))
    }

    /// The shingles of a text that is NFC.
    pub(crate) fn of_normalised(text: &str) -> Shingles {
        let words = Words::of(text);
        let hashes = words
            .windows(WORDS)
            .map(|shingle| xxh3_64(shingle.as_bytes()) >> (u64::BITS - BITS));
        Shingles::from_hashes(hashes.collect())
    }

    /// The set of these hashes, in any order.
    pub(crate) fn from_hashes(mut hashes: Vec<u64>) -> Shingles {
        hashes.sort_unstable();
        hashes.dedup();
        Shingles(hashes)
    }

    /// The set of these hashes, each larger than the one before.
    pub(crate) fn from_ascending(hashes: Vec<u64>) -> Shingles {
        debug_assert!(hashes.is_sorted_by(|a, b| a < b));
        Shingles(hashes)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the text had no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The hashes, ascending.
    pub fn hashes(&self) -> &[u64] {
        &self.0
    }

    /// Resemblance, 0 to 1: shingles in common over shingles in all. That of two texts without a
    /// word is 1.
    ///
    /// Broder (1997), definition of *r*(A, B).
    pub fn resemblance(&self, other: &Shingles) -> f64 {
        self.resemblance_from(other, 0.0).unwrap_or(0.0)
    }

    /// The resemblance if it is `least` or more. Stops as soon as it can't be.
    pub fn resemblance_from(&self, other: &Shingles, least: f64) -> Option<f64> {
        let both = self.len() + other.len();
        if both == 0 {
            return Some(1.0);
        }
        // With c in common the resemblance is c / (both − c), so c must be both·least/(1+least) or
        // more; one is allowed for rounding, as the quotient decides in the end.
        let needed = (both as f64 * least / (1.0 + least)) as usize;
        let strangers = (both + 2).saturating_sub(2 * needed);
        let common = common(&self.0, &other.0, strangers)?;
        let resemblance = common as f64 / (both - common) as f64;
        (resemblance >= least).then_some(resemblance)
    }
}

/// How many elements two ascending sets have in common; `None` once more than `strangers` are in
/// one of them only.
fn common(mut a: &[u64], mut b: &[u64], mut strangers: usize) -> Option<usize> {
    let mut common = 0;
    while let (Some((&first_a, rest_a)), Some((&first_b, rest_b))) =
        (a.split_first(), b.split_first())
    {
        if first_a == first_b {
            common += 1;
        } else {
            strangers = strangers.checked_sub(1)?;
        }
        a = if first_a <= first_b { rest_a } else { a };
        b = if first_b <= first_a { rest_b } else { b };
    }
    (a.len() + b.len() <= strangers).then_some(common)
}

/// The words of a text, each followed by a blank, in one buffer, so that a shingle is a piece of
/// it.
struct Words {
    joined: String,
    spans: Vec<(usize, usize)>,
}

impl Words {
    /// The words of a text that is NFC.
    fn of(text: &str) -> Words {
        let mut words = Words {
            joined: String::with_capacity(text.len() + 1),
            spans: Vec::new(),
        };
        for word in text.unicode_words() {
            words.push(word);
        }
        words
    }

    fn push(&mut self, word: &str) {
        let start = self.joined.len();
        if word.is_ascii() {
            self.joined.push_str(word);
            self.joined[start..].make_ascii_lowercase();
        } else {
            self.joined
                .extend(word.chars().flat_map(char::to_lowercase));
        }
        self.spans.push((start, self.joined.len()));
        self.joined.push(' ');
    }

    /// Each `n` words in a row; all words where there are fewer; nothing where there are none.
    fn windows(&self, n: usize) -> impl Iterator<Item = &str> {
        let n = n.min(self.spans.len());
        let firsts = self.spans.iter();
        let lasts = self.spans.iter().skip(n.saturating_sub(1));
        firsts
            .zip(lasts)
            .map(|(first, last)| &self.joined[first.0..last.1])
    }
}

#[cfg(test)]
mod tests {
    use super::{Shingles, Words};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn shingles(text: &str) -> Vec<String> {
        Words::of(text).windows(5).map(str::to_owned).collect()
    }

    /// Resemblance by the definition: sets of word sequences, compared as they are.
    fn by_definition(a: &str, b: &str) -> f64 {
        let (a, b): (HashSet<_>, HashSet<_>) = (
            shingles(a).into_iter().collect(),
            shingles(b).into_iter().collect(),
        );
        let union = a.union(&b).count();
        if union == 0 {
            1.0
        } else {
            a.intersection(&b).count() as f64 / union as f64
        }
    }

    #[test]
    fn takes_each_five_words_in_a_row() {
        assert_eq!(
            shingles("A rose is a rose, is a ROSE."),
            [
                "a rose is a rose",
                "rose is a rose is",
                "is a rose is a",
                "a rose is a rose"
            ]
        );
        assert_eq!(Shingles::of("A rose is a rose, is a ROSE.").len(), 3);
    }

    #[test]
    fn takes_a_short_text_whole() {
        assert_eq!(shingles("Lep dan!"), ["lep dan"]);
        assert_eq!(
            shingles("Danes je lep sončen dan"),
            ["danes je lep sončen dan"]
        );
        assert!(Shingles::of("… !?").is_empty());
    }

    #[test]
    fn numbers_and_scripts_without_blanks_count() {
        assert_ne!(Shingles::of("stran 7 od 12"), Shingles::of("stran 8 od 12"));
        assert_eq!(shingles("今日は良い天気").len(), 3);
    }

    #[test]
    fn one_word_of_a_hundred_costs_five_shingles() {
        let words: Vec<String> = (0..104).map(|i| format!("beseda{i}")).collect();
        let mut other = words.clone();
        other[50] = "tujka".into();
        let resemblance =
            Shingles::of(&words.join(" ")).resemblance(&Shingles::of(&other.join(" ")));
        assert_eq!(resemblance, 95.0 / 105.0);
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec(
            prop::sample::select(vec!["je", "in", "DA", "na", "7", "Čas", "日"]),
            0..60,
        )
        .prop_map(|words| words.join(" "))
    }

    proptest! {
        #[test]
        fn resemblance_is_that_of_the_definition(a in text(), b in text()) {
            prop_assert_eq!(Shingles::of(&a).resemblance(&Shingles::of(&b)), by_definition(&a, &b));
        }

        #[test]
        fn a_text_resembles_itself_wholly(text in "\\PC{0,200}") {
            prop_assert_eq!(Shingles::of(&text).resemblance(&Shingles::of(&text)), 1.0);
        }

        #[test]
        fn stopping_early_changes_nothing(a in prop::collection::vec(0_u64..40, 0..60), b in prop::collection::vec(0_u64..40, 0..60), least in 0.0..=1.0_f64) {
            let (a, b) = (Shingles::from_hashes(a), Shingles::from_hashes(b));
            let whole = a.resemblance(&b);
            for least in [least, whole] {
                prop_assert_eq!(a.resemblance_from(&b, least), (whole >= least).then_some(whole));
            }
        }
    }
}
