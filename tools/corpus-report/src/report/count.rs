//! Counts in bounded memory: exact until a bound that ordinary runs do not reach.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasher;

/// A value that is counted by key, and by whose size keys are kept.
pub trait Tally: Default {
    /// The size by which keys are ranked.
    fn size(&self) -> u64;
}

impl Tally for u64 {
    fn size(&self) -> u64 {
        *self
    }
}

/// Documents by a property, and the relevant ones of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Share {
    /// Number of documents.
    pub documents: u64,
    /// Number of relevant documents.
    pub relevant: u64,
}

impl Tally for Share {
    fn size(&self) -> u64 {
        self.documents
    }
}

/// Counts by key. When there are too many keys, those with the lowest counts are dropped (lossy
/// counting, Manku & Motwani 2002): the counts of frequent keys stay exact in practice.
///
/// Keys are found by their hashes of 64 bits, which is twice as fast as by their letters.
#[derive(Debug)]
pub struct BoundedCounts<T> {
    counts: HashMap<u64, (Box<str>, T), foldhash::quality::FixedState>,
    max_keys: usize,
}

/// Most keys that are counted exactly, if nothing else is said. Set by judgement.
const MAX_KEYS: usize = 200_000;

impl<T: Tally> Default for BoundedCounts<T> {
    fn default() -> Self {
        BoundedCounts::new(MAX_KEYS)
    }
}

impl<T: Tally> BoundedCounts<T> {
    /// Creates counts of at most `max_keys` keys.
    pub fn new(max_keys: usize) -> Self {
        BoundedCounts {
            counts: HashMap::default(),
            max_keys,
        }
    }

    /// Changes the count of a key. Returns `true` if there was none.
    pub fn update(&mut self, key: &str, change: impl FnOnce(&mut T)) -> bool {
        let hash = hash_of(key);
        if let Some((_, count)) = self.counts.get_mut(&hash) {
            change(count);
            return false;
        }
        if self.counts.len() >= self.max_keys {
            self.prune();
        }
        let (_, count) = self
            .counts
            .entry(hash)
            .or_insert_with(|| (key.into(), T::default()));
        change(count);
        true
    }

    /// Drops the smaller half of the keys at least.
    fn prune(&mut self) {
        let mut threshold = 1;
        while self.counts.len() > self.max_keys / 2 {
            self.counts.retain(|_, (_, count)| count.size() > threshold);
            threshold *= 2;
        }
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// Returns the count of a key, if it has one.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.counts.get(&hash_of(key)).map(|(_, count)| count)
    }

    /// Returns the `number` first keys in descending order of `rank`, then by name.
    pub fn top(&self, number: usize, rank: impl Fn(&T) -> u64) -> Vec<(&str, &T)> {
        let mut all: Vec<_> = self.iter().collect();
        all.sort_unstable_by(|a, b| rank(b.1).cmp(&rank(a.1)).then(a.0.cmp(b.0)));
        all.truncate(number);
        all
    }

    /// Returns all counts by key.
    pub fn sorted(&self) -> BTreeMap<&str, &T> {
        self.iter().collect()
    }

    fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.counts.values().map(|(key, count)| (&**key, count))
    }
}

impl BoundedCounts<Share> {
    /// Counts a document.
    pub fn count(&mut self, key: &str, is_relevant: bool) {
        self.update(key, |share| {
            share.documents += 1;
            share.relevant += u64::from(is_relevant);
        });
    }
}

/// Returns a hash that is the same in every run.
pub(crate) fn hash_of(value: &str) -> u64 {
    foldhash::quality::FixedState::default().hash_one(value)
}

/// The number of distinct values. Values are sampled by their hashes: when there are too many,
/// every second one is dropped (adaptive sampling, Flajolet 1990).
#[derive(Debug, Default)]
pub struct DistinctCount {
    hashes: HashSet<u64, foldhash::quality::FixedState>,
    /// A value is in the sample if this many low bits of its hash are 0.
    level: u32,
}

/// Most hashes in memory, 8 to 16 MB; the standard error is then 0.2 %.
const MAX_HASHES: usize = 1 << 19;

impl DistinctCount {
    /// Adds a value.
    pub fn insert(&mut self, value: &str) {
        let hash = hash_of(value);
        if hash.trailing_zeros() < self.level || !self.hashes.insert(hash) {
            return;
        }
        if self.hashes.len() > MAX_HASHES {
            self.level += 1;
            let level = self.level;
            self.hashes.retain(|hash| hash.trailing_zeros() >= level);
        }
    }

    /// Returns the number of distinct values; estimated if it is above half a million.
    pub fn count(&self) -> u64 {
        (self.hashes.len() as u64) << self.level
    }
}

#[cfg(test)]
mod tests {
    use super::{BoundedCounts, DistinctCount, MAX_HASHES};

    #[test]
    fn frequent_keys_survive_when_rare_ones_are_dropped() {
        let mut counts = BoundedCounts::<u64>::new(100);
        for n in 0..5000_u32 {
            counts.update(&format!("rare {n}"), |count| *count += 1);
            counts.update(["a", "b"][n as usize % 2], |count| *count += 1);
        }
        assert!(counts.len() <= 100);
        assert_eq!(counts.top(2, |n| *n), [("a", &2500), ("b", &2500)]);
    }

    #[test]
    fn distinct_values_are_exact_until_the_bound_and_estimated_beyond() {
        let mut count = DistinctCount::default();
        for n in 0..1000_u32 {
            count.insert(&(n % 700).to_string());
        }
        assert_eq!(count.count(), 700);
        let many = 4 * MAX_HASHES as u64;
        (0..many).for_each(|n| count.insert(&n.to_string()));
        let error = count.count() as f64 / many as f64 - 1.0;
        assert!(error.abs() < 0.01, "{error}");
    }
}
