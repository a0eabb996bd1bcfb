//! The orders in which URLs are given, and the estimates by which links are ordered.

use crate::state_file::crawl_url::CrawlUrl;
use crate::state_file::hosts::HostState;
use crate::state_file::outcomes::{self, DirectoryState};
use crate::state_file::score::ScoreSum;
use crate::state_file::words::WordKeys;
use foldhash::HashMap;
use forage_state::StateFile;
use rusqlite::Result;

/// Pages of the value of the prior that count in the estimate for a word. Set by judgement, not
/// measured.
const WORD_PRIOR: f64 = 4.0;
/// Pages of the value of the prior that count in the estimate for a host. Set by judgement, not
/// measured.
const HOST_PRIOR: f64 = 4.0;
/// Pages of the value of the host that count in the estimate for a directory. Set by judgement, not
/// measured.
const DIRECTORY_PRIOR: f64 = 2.0;
/// Links of the value of the prior that count in the share of links to a host or a directory that
/// led to a page. Set by judgement, not measured.
const LIVE_PRIOR: f64 = 2.0;

/// The order in which URLs are given. The comments are the help of the option.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LinkOrder {
    /// By the mean score of the pages that link to a URL
    #[default]
    Mean,
    /// In the order of discovery: breadth-first
    Breadth,
    /// By what the words of anchor text and URL have brought
    Anchor,
    /// By what directory and host have brought
    Yield,
    /// By the greatest score of a page that links to a URL, and the share of live links
    Best,
}

impl LinkOrder {
    /// Returns the estimate by which the best links are ordered again; `None` if the order is that
    /// of an index.
    pub(crate) fn priority(self) -> Option<Box<dyn LinkPriority>> {
        match self {
            LinkOrder::Mean | LinkOrder::Breadth => None,
            LinkOrder::Anchor => Some(Box::new(AnchorPriority::default())),
            LinkOrder::Yield => Some(Box::new(YieldPriority::default())),
            LinkOrder::Best => Some(Box::new(BestPriority::default())),
        }
    }
}

/// A link that may be given.
#[derive(Debug)]
pub(crate) struct LinkCandidate<'a> {
    pub(crate) url: &'a CrawlUrl,
    /// The words of the anchor text by which the URL was found.
    pub(crate) anchor: &'a WordKeys,
    /// The mean score of the pages that link to it.
    pub(crate) mean: f64,
    /// The greatest score of a page that links to it.
    pub(crate) greatest: f64,
    pub(crate) host: &'a HostState,
}

/// An estimate of the score of the page that a link leads to. Where nothing is known but its
/// parents, it ascends with their mean or greatest score.
pub(crate) trait LinkPriority {
    /// Returns the estimate for a link; links with greater ones are given first.
    fn estimate(&mut self, db: &StateFile, link: &LinkCandidate) -> Result<f64>;
}

/// Best-first by anchor text and URL: the mean of the estimates for the words of a link. That of a
/// word is the mean score of the pages that were reached by it, shrunk to the mean of the link's
/// parents.
#[derive(Debug, Default)]
struct AnchorPriority {
    words: HashMap<u32, ScoreSum>,
}

impl LinkPriority for AnchorPriority {
    fn estimate(&mut self, db: &StateFile, link: &LinkCandidate) -> Result<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for word in link.anchor.with_path(link.url).iter() {
            let scores = match self.words.get(&word) {
                Some(scores) => *scores,
                None => {
                    let scores = outcomes::word_scores(db, word)?;
                    self.words.insert(word, scores);
                    scores
                }
            };
            sum += scores.shrunk_mean(link.mean, WORD_PRIOR);
            count += 1.0;
        }
        Ok(if count > 0.0 { sum / count } else { link.mean })
    }
}

/// Best-first by what directory and host have brought: the mean score of the directory's
/// judged pages, shrunk to that of the host's, which is shrunk to the mean of the link's parents;
/// times the share of live pages of the host.
#[derive(Debug, Default)]
struct YieldPriority {
    directories: DirectoryCache,
}

impl LinkPriority for YieldPriority {
    fn estimate(&mut self, db: &StateFile, link: &LinkCandidate) -> Result<f64> {
        let directory = self.directories.state(db, link.url)?;
        let host = link.host.scores.shrunk_mean(link.mean, HOST_PRIOR);
        let score = directory.scores.shrunk_mean(host, DIRECTORY_PRIOR);
        Ok(score * live_share(link.host.live, link.host.dead, 1.0))
    }
}

/// Best-first search: the greatest score of the link's parents, times the share of live pages of
/// its directory, shrunk to that of its host.
#[derive(Debug, Default)]
struct BestPriority {
    directories: DirectoryCache,
}

impl LinkPriority for BestPriority {
    fn estimate(&mut self, db: &StateFile, link: &LinkCandidate) -> Result<f64> {
        let directory = self.directories.state(db, link.url)?;
        let host = live_share(link.host.live, link.host.dead, 1.0);
        Ok(link.greatest * live_share(directory.live, directory.dead, host))
    }
}

/// Returns the share of links that led to a page, shrunk to `prior`.
fn live_share(live: i64, dead: i64, prior: f64) -> f64 {
    (live as f64 + LIVE_PRIOR * prior) / ((live + dead) as f64 + LIVE_PRIOR)
}

/// The directories of the links of a batch.
#[derive(Debug, Default)]
struct DirectoryCache(HashMap<i64, DirectoryState>);

impl DirectoryCache {
    /// Returns what is known of the directory of a URL.
    fn state(&mut self, db: &StateFile, url: &CrawlUrl) -> Result<DirectoryState> {
        let key = url.directory_key();
        if let Some(state) = self.0.get(&key) {
            return Ok(*state);
        }
        let state = outcomes::directory_state(db, key)?;
        self.0.insert(key, state);
        Ok(state)
    }
}
