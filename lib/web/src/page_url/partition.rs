//! Partitions: equal parts of the web, by host, for processes that crawl it together.

use crate::page_url::normalise_url;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

/// One of the parts into which the web is divided: number K of N, written `K/N`, from `1/N` to
/// `N/N`.
///
/// All URLs of a host are in one partition, on every machine and in every version: that of the
/// hash of its name modulo N. So each host is asked by one process only, which keeps the distance
/// between its requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partition {
    number: NonZeroU32,
    count: NonZeroU32,
}

/// The reason why a text is not a [`Partition`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not K/N, with whole numbers and K from 1 to N, as in 3/10")]
pub struct PartitionError;

impl Partition {
    /// Returns the partition with a number from 1 to `count`; `None` for another number.
    pub fn new(number: u32, count: u32) -> Option<Partition> {
        let (number, count) = (NonZeroU32::new(number)?, NonZeroU32::new(count)?);
        (number <= count).then_some(Partition { number, count })
    }

    /// Returns the number of the partition, from 1.
    pub fn number(self) -> u32 {
        self.number.get()
    }

    /// Returns the number of all partitions.
    pub fn count(self) -> u32 {
        self.count.get()
    }

    /// Returns `true` if a host is in the partition: a name or an address as in a normalised URL,
    /// without the port.
    pub fn contains_host(self, host: &str) -> bool {
        host_hash(host) % u64::from(self.count()) == u64::from(self.number() - 1)
    }

    /// Returns `true` if the host of a URL is in the partition. A text that is not the URL of a
    /// page has the empty host, so that it is in one partition, too.
    pub fn contains_url(self, url: &str) -> bool {
        let url = normalise_url(url).ok();
        let host = url.as_ref().and_then(|url| url.host_str());
        self.contains_host(host.unwrap_or_default())
    }
}

/// Returns the first 64 bits, the lowest byte first, of the BLAKE3 hash of a host without `www.`
/// before it.
///
/// Sites redirect between `www.example.org` and `example.org`, so these are in one partition. Other
/// hosts of a domain need not be: where a domain begins depends on a list that changes, and large
/// ones, as of blogs, would be in one partition each.
fn host_hash(host: &str) -> u64 {
    let host = host.strip_prefix("www.").unwrap_or(host);
    u64::from_le_bytes(blake3::hash(host.as_bytes()).as_bytes().as_chunks().0[0])
}

impl FromStr for Partition {
    type Err = PartitionError;

    fn from_str(text: &str) -> Result<Partition, PartitionError> {
        let parse = |digits: &str| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => digits.parse().ok(),
            false => None,
        };
        let partition = text
            .split_once('/')
            .and_then(|(number, count)| Partition::new(parse(number)?, parse(count)?));
        partition.ok_or(PartitionError)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::{Partition, host_hash};
    use proptest::prelude::*;

    fn partitions(count: u32) -> impl Iterator<Item = Partition> {
        (1..=count).filter_map(move |number| Partition::new(number, count))
    }

    /// Returns the number of the only partition that contains a URL.
    fn number_of(url: &str, count: u32) -> u32 {
        let numbers: Vec<u32> = partitions(count)
            .filter(|partition| partition.contains_url(url))
            .map(Partition::number)
            .collect();
        assert_eq!(numbers.len(), 1, "{url} of {count}");
        numbers[0]
    }

    #[test]
    fn a_partition_is_written_as_its_number_and_their_count() {
        for text in ["1/1", "3/10", "10/10", "4294967295/4294967295"] {
            assert_eq!(text.parse::<Partition>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "/",
            "3",
            "0/0",
            "0/10",
            "11/10",
            "1/0",
            "x/y",
            "3/",
            "/10",
            "+3/10",
            "3/10/2",
            " 3/10",
            "-1/10",
            "1.0/2",
            "1/4294967296",
        ] {
            assert!(text.parse::<Partition>().is_err(), "{text}");
        }
    }

    /// State files and crawls of many machines rest on these values.
    #[test]
    fn the_hash_never_changes() {
        for (host, hash) in [
            ("", 0xa6a1_f9f5_b949_13af),
            ("example.org", 0x827d_4086_e7c9_74d7),
            ("www.example.org", 0x827d_4086_e7c9_74d7),
            ("xn--ebela-gya.test", 0xc506_05ff_68d2_35ce),
            ("[::1]", 0x69a6_11fa_6be0_5507),
        ] {
            assert_eq!(host_hash(host), hash, "{host}: {:#x}", host_hash(host));
        }
    }

    #[test]
    fn all_urls_of_a_host_are_in_one_partition() {
        for [url, other] in [
            ["http://a.test/", "HTTPS://A.test:8443/x?y#z"],
            ["http://a.test/", "http://www.a.test./"],
            ["http://čebela.test/", "http://xn--ebela-gya.test/č"],
            ["http://me:secret@[::1]:80/", "http://[0:0::1]/"],
            ["no url", "mailto:me@a.test"],
        ] {
            for count in 1..40 {
                let number = number_of(url, count);
                assert_eq!(number_of(other, count), number, "{url} {other}");
            }
        }
    }

    #[test]
    fn hosts_are_spread_evenly() {
        let mut hosts = [0_u32; 10];
        for host in 0..10_000 {
            hosts[number_of(&format!("http://h{host}.test/"), 10) as usize - 1] += 1;
        }
        // Five standard deviations of a binomial distribution.
        assert!(
            hosts.iter().all(|hosts| hosts.abs_diff(1000) < 150),
            "{hosts:?}"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_in_one_partition(text in ".{0,40}", count in 1..50_u32) {
            number_of(&text, count);
            number_of(&format!("http://{text}/"), count);
        }
    }
}
