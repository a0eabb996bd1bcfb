//! Shingles and resemblance (Broder 1997).
//!
//! A shingle is a sequence of five consecutive words. The *resemblance* of two documents is the
//! number of shingles in both divided by the number of shingles in either (the Jaccard
//! coefficient).
//!
//! The words of shingles are not the terms of queries. Terms exclude numbers and single letters,
//! and pages that differ in a number only would become duplicates. In scripts without blanks, the
//! words of shingles are single characters, which find more near-duplicates than segmented words
//! (`BENCHMARKS.md`, "Shingles without blanks"), and do not depend on a lexicon.

use forage_text::comparison_form;
use unicode_segmentation::UnicodeSegmentation;
use xxhash_rust::xxh3::xxh3_64;

/// Words per shingle, as in OASIS (Kluev 2000).
const SHINGLE_WORDS: usize = 5;

/// Bits of a shingle's hash. The probability that any two different shingles of a pair of 500-word
/// documents have the same hash is about 10⁻⁹.
pub(crate) const HASH_BITS: u32 = 48;

/// The set of a document's shingles, as ascending 48-bit hashes (XXH3).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShingleSet(Vec<u64>);

impl ShingleSet {
    /// Returns the shingles of `text`: each sequence of five words, or one shingle of all words if
    /// there are fewer. Empty for a text without a word.
    ///
    /// Words are those of the [comparison form](comparison_form) by Unicode word segmentation; a word
    /// contains a letter or a digit. Runs in O(n log n) for n words.
    pub fn from_text(text: &str) -> ShingleSet {
        ShingleSet::from_comparison_form(&comparison_form(text))
    }

    /// Returns the shingles of a text in its comparison form.
    pub(crate) fn from_comparison_form(text: &str) -> ShingleSet {
        let words = WordSpans::from_comparison_form(text);
        let hashes = words
            .windows(SHINGLE_WORDS)
            .map(|shingle| xxh3_64(shingle.as_bytes()) >> (u64::BITS - HASH_BITS));
        ShingleSet::from_hashes(hashes.collect())
    }

    /// Returns the set of `hashes`, which may be in any order and contain duplicates.
    pub(crate) fn from_hashes(mut hashes: Vec<u64>) -> ShingleSet {
        hashes.sort_unstable();
        hashes.dedup();
        ShingleSet(hashes)
    }

    /// Returns the set of `hashes`, which must be strictly ascending.
    pub(crate) fn from_ascending(hashes: Vec<u64>) -> ShingleSet {
        debug_assert!(hashes.is_sorted_by(|a, b| a < b));
        ShingleSet(hashes)
    }

    /// Returns the number of distinct shingles.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if the text had no word.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the hashes in ascending order.
    pub fn hashes(&self) -> &[u64] {
        &self.0
    }

    /// Returns the resemblance, 0 to 1: the size of the intersection divided by that of the union.
    /// The resemblance of two texts without words is 1.
    ///
    /// Broder (1997), definition of *r*(A, B).
    pub fn resemblance(&self, other: &ShingleSet) -> f64 {
        self.resemblance_at_least(other, 0.0).unwrap_or(0.0)
    }

    /// Returns the resemblance if it is at least `threshold`. Stops as soon as it cannot reach the
    /// threshold.
    pub fn resemblance_at_least(&self, other: &ShingleSet, threshold: f64) -> Option<f64> {
        let sum = self.len() + other.len();
        if sum == 0 {
            return Some(1.0);
        }
        // With c shingles in common the resemblance is c / (sum − c), where sum is the number of
        // shingles of both, so c must be at least sum · threshold / (1 + threshold). This bound is
        // relaxed by one shingle because of rounding; the quotient decides.
        let needed = (sum as f64 * threshold / (1.0 + threshold)) as usize;
        let max_unshared = (sum + 2).saturating_sub(2 * needed);
        let common = count_common(&self.0, &other.0, max_unshared)?;
        let resemblance = common as f64 / (sum - common) as f64;
        (resemblance >= threshold).then_some(resemblance)
    }
}

/// Returns the size of the intersection of two ascending sets, or `None` if more than
/// `max_unshared` elements are in only one of them.
fn count_common(mut a: &[u64], mut b: &[u64], max_unshared: usize) -> Option<usize> {
    let mut common = 0;
    let mut unshared_left = max_unshared;
    while let (Some((&first_a, rest_a)), Some((&first_b, rest_b))) =
        (a.split_first(), b.split_first())
    {
        if first_a == first_b {
            common += 1;
        } else {
            unshared_left = unshared_left.checked_sub(1)?;
        }
        a = if first_a <= first_b { rest_a } else { a };
        b = if first_b <= first_a { rest_b } else { b };
    }
    (a.len() + b.len() <= unshared_left).then_some(common)
}

/// The words of a text in one buffer, each followed by a space, so that a shingle is a
/// slice of the buffer.
struct WordSpans {
    joined: String,
    /// Start and end of each word in `joined`, in bytes.
    spans: Vec<(usize, usize)>,
}

impl WordSpans {
    /// Returns the words of a text in its comparison form.
    fn from_comparison_form(text: &str) -> WordSpans {
        let mut words = WordSpans {
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
        self.joined.push_str(word);
        self.spans.push((start, self.joined.len()));
        self.joined.push(' ');
    }

    /// Returns each sequence of `n` consecutive words, or one of all words if there are fewer.
    /// Empty if there are no words.
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
    use super::{ShingleSet, WordSpans};
    use forage_text::comparison_form;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn shingles(text: &str) -> Vec<String> {
        WordSpans::from_comparison_form(&comparison_form(text))
            .windows(5)
            .map(str::to_owned)
            .collect()
    }

    /// Returns the resemblance by its definition, from sets of word sequences instead of hashes.
    fn resemblance_by_definition(a: &str, b: &str) -> f64 {
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
    fn every_five_consecutive_words_make_a_shingle() {
        assert_eq!(
            shingles("A rose is a rose, is a ROSE."),
            [
                "a rose is a rose",
                "rose is a rose is",
                "is a rose is a",
                "a rose is a rose"
            ]
        );
        assert_eq!(
            ShingleSet::from_text("A rose is a rose, is a ROSE.").len(),
            3
        );
    }

    #[test]
    fn a_short_text_makes_one_shingle() {
        assert_eq!(shingles("Lep dan!"), ["lep dan"]);
        assert_eq!(
            shingles("Danes je lep sončen dan"),
            ["danes je lep sončen dan"]
        );
        assert!(ShingleSet::from_text("… !?").is_empty());
    }

    #[test]
    fn counts_numbers_and_words_of_scripts_without_spaces() {
        assert_ne!(
            ShingleSet::from_text("stran 7 od 12"),
            ShingleSet::from_text("stran 8 od 12")
        );
        assert_eq!(shingles("今日は良い天気").len(), 3);
    }

    #[test]
    fn one_changed_word_changes_five_shingles() {
        let words: Vec<String> = (0..104).map(|i| format!("beseda{i}")).collect();
        let mut other = words.clone();
        other[50] = "tujka".into();
        let resemblance = ShingleSet::from_text(&words.join(" "))
            .resemblance(&ShingleSet::from_text(&other.join(" ")));
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
        fn resemblance_follows_the_definition(a in text(), b in text()) {
            prop_assert_eq!(
                ShingleSet::from_text(&a).resemblance(&ShingleSet::from_text(&b)),
                resemblance_by_definition(&a, &b)
            );
        }

        #[test]
        fn resemblance_of_a_text_to_itself_is_1(text in "\\PC{0,200}") {
            let shingles = ShingleSet::from_text(&text);
            prop_assert_eq!(shingles.resemblance(&shingles), 1.0);
        }

        #[test]
        fn early_termination_keeps_the_result(
            a in prop::collection::vec(0_u64..40, 0..60),
            b in prop::collection::vec(0_u64..40, 0..60),
            threshold in 0.0..=1.0_f64,
        ) {
            let (a, b) = (ShingleSet::from_hashes(a), ShingleSet::from_hashes(b));
            let exact = a.resemblance(&b);
            for threshold in [threshold, exact] {
                prop_assert_eq!(
                    a.resemblance_at_least(&b, threshold),
                    (exact >= threshold).then_some(exact)
                );
            }
        }
    }
}
