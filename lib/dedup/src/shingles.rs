//! Shingles and resemblance (Broder 1997).
//!
//! A shingle is a sequence of five consecutive words. The *resemblance* of two documents is the
//! number of shingles in both divided by the number of shingles in either (the Jaccard
//! coefficient).
//!
//! The words of shingles ([`for_each_compared_word`]) are not the terms of queries. Terms exclude
//! numbers and single letters, and pages that differ in a number only would become duplicates. In
//! scripts without blanks, the words of shingles are single characters, which find more
//! near-duplicates than segmented words (`BENCHMARKS.md`, "Shingles without blanks"), and do not
//! depend on a lexicon.

use forage_text::for_each_compared_word;
use xxhash_rust::xxh3::xxh3_64;

/// Words per shingle, as in OASIS (Kluev 2000).
pub(crate) const SHINGLE_WORDS: usize = 5;

/// Base of the polynomial that combines the hashes of the words of a shingle: an odd number, from
/// the golden ratio.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
/// `BASE` to the power of [`SHINGLE_WORDS`].
const BASE_POWER: u64 = BASE.wrapping_pow(SHINGLE_WORDS as u32);

/// The set of a document's shingles, as ascending 32-bit hashes.
///
/// The probability that any two different shingles of a pair of 500-word documents have the same
/// hash is about 6 · 10⁻⁵; it then adds .001 to their resemblance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShingleSet(Vec<u32>);

impl ShingleSet {
    /// Returns the shingles of `text`: each sequence of five words, or one shingle of all words if
    /// there are fewer. Empty for a text without a word. Runs in O(n log n) for n words.
    pub fn from_text(text: &str) -> ShingleSet {
        ShingleSet::from_comparison_form(&forage_text::comparison_form(text))
    }

    /// Returns the shingles of a text in its comparison form.
    pub(crate) fn from_comparison_form(form: &str) -> ShingleSet {
        let mut words = Vec::with_capacity(form.len() / 5);
        for_each_compared_word(form, |word| words.push(xxh3_64(word.as_bytes())));
        ShingleSet::from_hashes(hash_shingles(&words))
    }

    /// Returns the set of `hashes`, which may be in any order and contain duplicates.
    pub(crate) fn from_hashes(mut hashes: Vec<u32>) -> ShingleSet {
        hashes.sort_unstable();
        hashes.dedup();
        ShingleSet(hashes)
    }

    /// Returns the set that [`ShingleSet::to_bytes`] was called on; `None` if `bytes` are not one.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<ShingleSet> {
        let (hashes, rest) = bytes.as_chunks();
        let hashes: Vec<u32> = hashes
            .iter()
            .map(|&hash| u32::from_le_bytes(hash))
            .collect();
        (rest.is_empty() && hashes.is_sorted_by(|a, b| a < b)).then_some(ShingleSet(hashes))
    }

    /// Returns the hashes as bytes, the least significant one first.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(|hash| hash.to_le_bytes()).collect()
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
    pub fn hashes(&self) -> &[u32] {
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
fn count_common(mut a: &[u32], mut b: &[u32], max_unshared: usize) -> Option<usize> {
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

/// Returns the hashes of each sequence of five words, or of all words if there are fewer.
///
/// The hashes of the words are the coefficients of a polynomial, whose value is updated from one
/// sequence to the next. The number of words is hashed, too, so that no short text has a shingle of
/// a longer one.
pub(crate) fn hash_shingles(words: &[u64]) -> Vec<u32> {
    let mut value = 0_u64;
    let mut hashes = Vec::with_capacity(words.len());
    for (i, &word) in words.iter().enumerate() {
        value = value.wrapping_mul(BASE).wrapping_add(word);
        if i >= SHINGLE_WORDS {
            let first = words[i - SHINGLE_WORDS];
            value = value.wrapping_sub(first.wrapping_mul(BASE_POWER));
        }
        if i + 1 >= SHINGLE_WORDS {
            hashes.push((mix(value) >> 32) as u32);
        }
    }
    if (1..SHINGLE_WORDS).contains(&words.len()) {
        hashes.push((mix(value ^ words.len() as u64) >> 32) as u32);
    }
    hashes
}

/// Returns a number whose bits each depend on all bits of `value` (the finaliser of SplitMix64;
/// Steele, Lea & Flood 2014).
pub(crate) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::ShingleSet;
    use forage_text::{comparison_form, for_each_compared_word};
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn shingles(text: &str) -> Vec<String> {
        let form = comparison_form(text);
        let mut words = Vec::new();
        for_each_compared_word(&form, |word| words.push(word));
        let n = words.len().clamp(1, 5);
        words.windows(n).map(|shingle| shingle.join(" ")).collect()
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
        assert_eq!(ShingleSet::from_text("今日は良い天気").len(), 3);
    }

    #[test]
    fn hashes_never_change() {
        // They are stored on disk.
        assert_eq!(
            ShingleSet::from_text("Danes je lep sončen dan").hashes(),
            [2_103_228_447]
        );
        assert_eq!(ShingleSet::from_text("Lep dan").hashes(), [387_398_416]);
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
        fn the_bytes_of_a_set_are_the_set(hashes in prop::collection::vec(any::<u32>(), 0..100)) {
            let set = ShingleSet::from_hashes(hashes);
            prop_assert_eq!(ShingleSet::from_bytes(&set.to_bytes()), Some(set));
        }

        #[test]
        fn bytes_that_are_no_set_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Some(set) = ShingleSet::from_bytes(&bytes) {
                prop_assert_eq!(set.to_bytes(), bytes);
            }
        }

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
            a in prop::collection::vec(0_u32..40, 0..60),
            b in prop::collection::vec(0_u32..40, 0..60),
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
