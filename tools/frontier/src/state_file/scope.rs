//! Links that are left out: outside of the scope of a crawl, too deep, or of a crawler trap.

use crate::state_file::crawl_url::CrawlUrl;
use forage_web::page_url::{HostList, Partition};

/// Maximum length of a URL in bytes. Longer ones come from scripts that extend their own URL; the
/// sitemaps protocol allows 2,048. Set by judgement, not measured.
const MAX_URL_BYTES: usize = 2000;
/// Number of times that a sequence of path segments occurs in a row in a trap, as in
/// `/a/b/a/b/a/b`. Set by judgement, not measured.
const MAX_REPETITIONS: usize = 3;
/// Maximum number of queries with which one path is crawled: calendars and filters of shops have
/// endless ones. Set by judgement, not measured.
pub(crate) const MAX_QUERIES: u32 = 200;

/// The reason why a link is left out of the frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeftOut {
    /// The host is denied, or not among those that are allowed.
    Scope,
    /// The depth exceeds the maximum.
    Depth,
    /// The URL is too long.
    Length,
    /// The path repeats a sequence of segments.
    Repetition,
    /// The path was found with too many queries.
    Queries,
}

impl LeftOut {
    /// All reasons, with their names in reports, in the order of their values.
    pub(crate) const NAMES: [&'static str; 5] =
        ["scope", "depth", "length", "repetition", "queries"];
}

/// The part of the web that a crawl may enter.
#[derive(Debug, Clone, Default)]
pub struct CrawlScope {
    /// Maximum number of links from a seed; `None`: any.
    pub max_depth: Option<u32>,
    /// True if the links of pages that say `nofollow` are followed.
    pub follows_nofollow: bool,
    /// The hosts to which the crawl is limited; `None`: all.
    pub allowed: Option<HostList>,
    /// Hosts that are not crawled, even if they are allowed.
    pub denied: HostList,
    /// The partition to which the crawl is limited; `None`: the whole web.
    pub partition: Option<Partition>,
}

impl CrawlScope {
    /// Returns the reason why a link at `depth` is left out, as far as its URL determines it.
    pub(crate) fn check(&self, url: &CrawlUrl, depth: u32) -> Result<(), LeftOut> {
        let is_too_deep = self.max_depth.is_some_and(|max| depth > max);
        match () {
            () if !self.has_host(url) => Err(LeftOut::Scope),
            () if is_too_deep => Err(LeftOut::Depth),
            () if url.as_str().len() > MAX_URL_BYTES => Err(LeftOut::Length),
            () if has_repetition(url.path()) => Err(LeftOut::Repetition),
            () => Ok(()),
        }
    }

    /// Returns `true` if the host of a URL is in the partition, whether or not it may be crawled.
    pub(crate) fn has_in_partition(&self, url: &CrawlUrl) -> bool {
        self.partition
            .is_none_or(|partition| partition.contains_host(url.host_name()))
    }

    /// Returns `true` if the host of a URL may be crawled.
    pub(crate) fn has_host(&self, url: &CrawlUrl) -> bool {
        let host = url.host_name();
        let is_allowed = self.allowed.as_ref().is_none_or(|list| list.contains(host));
        is_allowed && !self.denied.contains(host)
    }
}

/// Returns `true` if a sequence of segments occurs three times in a row.
fn has_repetition(path: &str) -> bool {
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    (1..=segments.len() / MAX_REPETITIONS).any(|period| {
        let mut matching = 0;
        segments.iter().zip(&segments[period..]).any(|(a, b)| {
            matching = if a == b { matching + 1 } else { 0 };
            matching == period * (MAX_REPETITIONS - 1)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{CrawlScope, LeftOut, has_repetition};
    use crate::state_file::crawl_url::CrawlUrl;
    use forage_web::page_url::HostList;

    #[test]
    fn a_path_that_repeats_segments_three_times_is_a_trap() {
        for path in ["/a/a/a", "/x/a/b/a/b/a/b/y", "/1/2/3/1/2/3/1/2/3"] {
            assert!(has_repetition(path), "{path}");
        }
        for path in ["/", "/a/a", "/a/b/a/b", "/a/b/a/c/a/d", "/a/b/b/a/a/b"] {
            assert!(!has_repetition(path), "{path}");
        }
    }

    #[test]
    fn links_are_left_out_by_host_depth_and_length() {
        let scope = CrawlScope {
            max_depth: Some(2),
            allowed: Some(HostList::parse("a.test").unwrap()),
            denied: HostList::parse("no.a.test").unwrap(),
            ..CrawlScope::default()
        };
        let check = |url: &str, depth| scope.check(&CrawlUrl::parse(url).unwrap(), depth);
        assert_eq!(check("http://www.a.test/", 2), Ok(()));
        assert_eq!(check("http://www.a.test/", 3), Err(LeftOut::Depth));
        assert_eq!(check("http://no.a.test/", 0), Err(LeftOut::Scope));
        assert_eq!(check("http://b.test/", 0), Err(LeftOut::Scope));
        let long = format!("http://a.test/{}", "x".repeat(2000));
        assert_eq!(check(&long, 0), Err(LeftOut::Length));
    }
}
