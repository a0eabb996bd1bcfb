//! A corpus in parts for training, development and test, by host: no host is in two parts.

use crate::corpus_format::document::Document;
use foldhash::{HashMap, HashMapExt};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// A part of a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// For training.
    Train,
    /// For development.
    Dev,
    /// For the test.
    Test,
}

impl Part {
    /// Returns the parts of so many shares: of two, the second is the test.
    fn of_shares(shares: usize) -> &'static [Part] {
        match shares {
            2 => &[Part::Train, Part::Test],
            _ => &[Part::Train, Part::Dev, Part::Test],
        }
    }

    /// Returns the name, for files.
    pub fn name(self) -> &'static str {
        match self {
            Part::Train => "train",
            Part::Dev => "dev",
            Part::Test => "test",
        }
    }
}

/// Assigns hosts to parts. The documents are counted first ([`Split::count`]), then assigned
/// ([`Split::assign`]).
///
/// Hosts are assigned from the largest to the smallest, in random order among those of about the
/// same size, to the part that lacks most of its share; so the parts are near to their shares
/// unless a host is larger than one of them. The result depends on the hosts, their sizes and the
/// seed, not on the order of the documents.
#[derive(Debug, Clone)]
pub struct Split {
    shares: Vec<f64>,
    seed: u64,
    /// By hash of the host: its number of documents, then its part.
    hosts: HashMap<u64, (u64, Part)>,
}

impl Split {
    /// Parses two or three shares that are separated by commas, such as `80,10,10`.
    ///
    /// # Errors
    /// Fails if they are not two or three positive numbers that add up to 100 or 1, to within
    /// rounding.
    pub fn parse_shares(text: &str) -> Result<Vec<f64>, String> {
        let numbers = text
            .split(',')
            .map(|share| share.trim().parse::<f64>().ok());
        let shares: Option<Vec<f64>> = numbers.collect();
        let is_positive = |share: &f64| share.is_finite() && *share > 0.0;
        let is_whole = |sum: f64| {
            [1.0, 100.0]
                .iter()
                .any(|whole| (sum / whole - 1.0).abs() < 0.011)
        };
        match shares {
            Some(shares)
                if matches!(shares.len(), 2 | 3)
                    && shares.iter().all(is_positive)
                    && is_whole(shares.iter().sum()) =>
            {
                Ok(shares)
            }
            _ => Err("not two or three shares of 100, or of 1, such as 80,10,10".into()),
        }
    }

    /// Creates a split by shares of [`Split::parse_shares`].
    pub fn new(shares: &[f64], seed: u64) -> Self {
        let total: f64 = shares.iter().sum();
        Split {
            shares: shares.iter().map(|share| share / total).collect(),
            seed,
            hosts: HashMap::new(),
        }
    }

    /// Returns the parts.
    pub fn parts(&self) -> &'static [Part] {
        Part::of_shares(self.shares.len())
    }

    /// Returns the key of the host of a document, without `www.`; a document without a host counts
    /// as one.
    pub fn host_key(document: &Document) -> u64 {
        match document.host.as_str() {
            "" => xxh3_64(document.id.as_bytes()),
            host => xxh3_64(host.trim_start_matches("www.").as_bytes()),
        }
    }

    /// Counts a document of a host.
    pub fn count(&mut self, host: u64) {
        self.hosts.entry(host).or_insert((0, Part::Train)).0 += 1;
    }

    /// Assigns the hosts.
    pub fn assign(&mut self) {
        let mut order: Vec<_> = self
            .hosts
            .iter()
            .map(|(&host, &(size, _))| (host, size))
            .collect();
        order.sort_unstable_by_key(|&(host, size)| {
            (
                std::cmp::Reverse(size.ilog2()),
                xxh3_64_with_seed(&host.to_le_bytes(), self.seed),
                host,
            )
        });
        let total: u64 = order.iter().map(|(_, size)| size).sum();
        let parts = self.parts();
        let mut counts = vec![0u64; parts.len()];
        for (index, (host, size)) in order.iter().enumerate() {
            let left = order.len() - index;
            let empty = counts.iter().filter(|&&count| count == 0).count();
            // So many hosts are left as parts are empty: each gets one.
            let must_fill = left <= empty;
            let candidates = (0..parts.len()).filter(|&part| !must_fill || counts[part] == 0);
            let lack = |part: usize| self.shares[part] * total as f64 - counts[part] as f64;
            let best = candidates.reduce(|a, b| if lack(b) > lack(a) { b } else { a });
            let part = best.unwrap_or(0);
            counts[part] += size;
            if let Some(entry) = self.hosts.get_mut(host) {
                entry.1 = parts[part];
            }
        }
    }

    /// Returns the part of a host that was counted.
    pub fn part_of(&self, host: u64) -> Part {
        self.hosts.get(&host).map_or(Part::Train, |(_, part)| *part)
    }

    /// Returns each part with its number of hosts and documents.
    pub fn sizes(&self) -> Vec<(Part, u64, u64)> {
        let of_part = |part: Part| {
            let hosts = self.hosts.values().filter(|(_, other)| *other == part);
            let sizes = hosts.fold((0, 0), |(hosts, all), (size, _)| (hosts + 1, all + size));
            (part, sizes.0, sizes.1)
        };
        self.parts().iter().copied().map(of_part).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Split};
    use proptest::prelude::*;

    fn split(shares: &str, seed: u64, sizes: &[u64]) -> Split {
        let mut split = Split::new(&Split::parse_shares(shares).unwrap(), seed);
        for (host, &size) in sizes.iter().enumerate() {
            (0..size).for_each(|_| split.count(host as u64));
        }
        split.assign();
        split
    }

    #[test]
    fn shares_are_two_or_three_positive_numbers() {
        assert_eq!(Split::parse_shares("90,10").unwrap(), [90.0, 10.0]);
        for text in ["", "1", "1,0", "1,-1", "a,b", "1,2,3,4", "1,inf"] {
            assert!(Split::parse_shares(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_seed_changes_the_split_but_not_the_shares() {
        let parts = |seed| {
            let split = split("80,10,10", seed, &[3; 100]);
            let sizes = split.sizes();
            assert_eq!(
                sizes,
                [
                    (Part::Train, 80, 240),
                    (Part::Dev, 10, 30),
                    (Part::Test, 10, 30)
                ]
            );
            (0..100).map(|host| split.part_of(host)).collect::<Vec<_>>()
        };
        assert_eq!(parts(1), parts(1));
        assert_ne!(parts(1), parts(2));
    }

    proptest! {
        #[test]
        fn no_part_is_empty_if_there_are_as_many_hosts(
            sizes in prop::collection::vec(1u64..100, 0..30), seed in any::<u64>()
        ) {
            let split = split("80,10,10", seed, &sizes);
            let filled = split.sizes().iter().filter(|(_, hosts, _)| *hosts > 0).count();
            prop_assert_eq!(filled, sizes.len().min(3));
            // A part is over its share by less than a host.
            let largest = sizes.iter().max().copied().unwrap_or(0);
            let total: u64 = sizes.iter().sum();
            for (share, (_, _, documents)) in [0.8, 0.1, 0.1].into_iter().zip(split.sizes()) {
                prop_assert!(documents as f64 <= share * total as f64 + 2.0 * largest as f64);
            }
        }
    }
}
