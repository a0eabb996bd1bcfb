//! The frontier: seeds and judged pages go in, and what they change is stored.

use crate::state_file::crawl_url::CrawlUrl;
use crate::state_file::hosts::{self, DEAD_LINKS, Outcome};
use crate::state_file::outcomes::{self, StoredPage};
use crate::state_file::scope::{CrawlScope, LeftOut, MAX_QUERIES};
use crate::state_file::score::Score;
use crate::state_file::score_field::ScoreField;
use crate::state_file::store::{self, StepStart, WaitingUrl};
use crate::state_file::stored_links::StoredLink;
use crate::state_file::stored_partition;
use crate::state_file::url_cache::UrlCache;
use crate::state_file::words::WordKeys;
use forage_record::OutLink;
use forage_state::{StateError, StateFile, StateFileKind, StepFile, application_id, sqlite_step};
use forage_web::page_url::PageUrlError;
use std::path::Path;

/// The file format of a frontier.
const FRONTIER_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgFr"),
    version: 3,
    name: "a URL frontier",
    schema: &[
        include_str!("tables.sql"),
        forage_state::LAST_STEP_TABLE,
        stored_partition::SCHEMA,
    ],
    upgrades: &[&[stored_partition::SCHEMA]],
};

/// Size of the page cache in KB: enough for the pages that a batch of links changes in a frontier
/// of a million URLs.
const CACHE_KB: i64 = 65_536;

/// A page with what the frontier learns from it.
#[derive(Debug, Default)]
pub struct JudgedPage<'a> {
    /// The URL that was requested.
    pub url: &'a str,
    /// The URL after redirects, if it is known.
    pub final_url: Option<&'a str>,
    /// The step that requested it; 0 if it is not known.
    pub step: u64,
    /// The number of links from a seed, if the record has it. It counts for a page of another
    /// partition only.
    pub depth: Option<u32>,
    /// True if a page was returned.
    pub is_live: bool,
    /// True if the link is dead: no host, no answer, or no page.
    pub is_dead: bool,
    /// The score of the page; `None` if the filter has not judged it.
    pub score: Option<f64>,
    /// The links of the page, and the pages that link to it as far as they are known; `None` if it
    /// was not read.
    pub links: Option<Vec<OutLink<'a>>>,
    /// True if the page is asked for again: its new links are added, and nothing else counts.
    pub is_known: bool,
}

impl JudgedPage<'_> {
    fn outcome(&self) -> Outcome {
        match self.is_dead {
            true => Outcome::Dead,
            false if self.is_live => Outcome::Live,
            false => Outcome::Unknown,
        }
    }
}

/// The URLs that a crawl has found, with their scores and the order in which they are given.
#[derive(Debug)]
pub struct Frontier {
    pub(crate) db: StepFile,
    pub(crate) cache: UrlCache,
    pub(crate) scope: CrawlScope,
    /// Where records have the score of a page.
    pub(crate) score_field: ScoreField,
    /// The step of which the start was stored or looked up last.
    pub(crate) begun: Option<i64>,
}

impl Frontier {
    /// Opens the frontier at `path`, or creates an empty one if the file does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, is not a frontier, or is that of another partition.
    pub fn open(path: &Path, scope: CrawlScope) -> Result<Frontier, StateError> {
        Frontier::with_file(StepFile::open(path, &FRONTIER_FILE_KIND)?, scope)
    }

    /// Opens the frontier at `path` and empties it, to be rebuilt. Other processes see the old
    /// content until the changes are committed.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, is not a frontier, or is that of another
    /// partition.
    pub fn open_empty(path: &Path, scope: CrawlScope) -> Result<Frontier, StateError> {
        let mut frontier = Frontier::open(path, scope)?;
        frontier.db.begin_clearing(&store::KEPT_TABLES)?;
        frontier.run(|db, cache| {
            store::reset_count(db)?;
            cache.reset(db)
        })?;
        Ok(frontier)
    }

    pub(crate) fn with_file(db: StepFile, scope: CrawlScope) -> Result<Frontier, StateError> {
        stored_partition::check(&db, scope.partition)?;
        let cache = db.run(|db| {
            db.pragma_update(None, "cache_size", -CACHE_KB)?;
            // A step reads some hundred pages all over the file; mapping them costs more than
            // reading them: a seventh of a step of 20 URLs in a frontier of a million.
            db.pragma_update(None, "mmap_size", 0)?;
            UrlCache::new(db)
        })?;
        Ok(Frontier {
            db,
            cache,
            scope,
            score_field: ScoreField::default(),
            begun: None,
        })
    }

    /// Returns the frontier with another field that has the score of a page.
    #[must_use]
    pub fn with_score_field(self, score_field: ScoreField) -> Frontier {
        Frontier {
            score_field,
            ..self
        }
    }

    /// Returns the URLs that were given in a step, without the targets of redirects.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn given_in_step(&mut self, step: u64) -> Result<Vec<String>, StateError> {
        self.run(|db, _| store::given_in_step(db, step))
    }

    /// Runs statements with the cache, and adds the path to their errors.
    pub(crate) fn run<T>(
        &mut self,
        work: impl FnOnce(&StateFile, &mut UrlCache) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        work(&self.db, &mut self.cache).map_err(|e| self.db.sqlite_error(e))
    }

    /// Returns the number of the step after the last one that the frontier knows.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn next_step(&mut self) -> Result<u64, StateError> {
        let begun = self.run(|db, _| store::last_begun_step(db))?;
        Ok(begun
            .max(self.db.last_step().unwrap_or(0))
            .saturating_add(1))
    }

    /// Sets the last complete step to `step`, if that is later. The next commit saves it.
    pub fn advance_to(&mut self, step: u64) {
        self.db.advance_to(step);
    }

    /// Adds a seed, unless the URL was given before. A URL that waits becomes a seed.
    ///
    /// Returns `false` if its host is outside of the scope. A URL of another partition is ignored.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written. The inner error is that of the URL.
    pub fn add_seed(&mut self, url: &str) -> Result<Result<bool, PageUrlError>, StateError> {
        let url = match CrawlUrl::parse(url) {
            Ok(url) if !self.scope.has_in_partition(&url) => return Ok(Ok(true)),
            Ok(url) if self.scope.has_host(&url) => url,
            Ok(_) => return Ok(Ok(false)),
            Err(e) => return Ok(Err(e)),
        };
        self.db.begin()?;
        self.run(|db, cache| {
            let Some(found) = cache.find(db, &url)? else {
                cache.add(db, &url, 0, Vec::new())?;
                cache.set_waiting(&url, WaitingUrl::default());
                return Ok(());
            };
            if let Some(waiting) = found.waiting.filter(|waiting| waiting.depth > 0) {
                cache.set_waiting(
                    &url,
                    WaitingUrl {
                        depth: 0,
                        ..waiting
                    },
                );
                cache.write(db)?;
                store::set_seed(db, found.id)?;
            }
            Ok(())
        })?;
        Ok(Ok(true))
    }

    /// Stores what the frontier has at the start of a step, unless the step has begun.
    pub(crate) fn begin_step(&mut self, step: i64) -> Result<(), StateError> {
        if step == 0 || self.begun == Some(step) {
            return Ok(());
        }
        self.run(|db, cache| {
            if store::step_start(db, step)?.is_some() {
                return Ok(());
            }
            let (first_url, first_host) = cache.next_ids();
            let start = StepStart {
                given: store::given_count(db)?,
                first_url,
                first_host,
            };
            hosts::end_step_before(db, step, start.given)?;
            store::add_step(db, step, &start)
        })?;
        self.begun = Some(step);
        Ok(())
    }

    /// Applies a judged page, or a URL that could not be fetched: it was given, its links wait to
    /// be given, and its score counts for them. A URL that is not absolute HTTP is ignored, and so
    /// is one that was judged before.
    ///
    /// A page of another partition is ignored, too, unless it has led to this one by a redirect or
    /// a link. Then it is stored as a parent that was not given here, like the target of a
    /// redirect.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn apply_page(&mut self, page: &JudgedPage) -> Result<(), StateError> {
        let Ok(url) = CrawlUrl::parse(page.url) else {
            return Ok(());
        };
        let final_url = page
            .final_url
            .and_then(|url| CrawlUrl::parse(url).ok())
            .unwrap_or_else(|| url.clone());
        if !self.concerns(page, [&url, &final_url]) {
            return Ok(());
        }
        let step = sqlite_step(page.step);
        self.db.begin()?;
        self.begin_step(step)?;
        let Frontier {
            db, cache, scope, ..
        } = self;
        let mut update = PageUpdate {
            db,
            cache,
            scope,
            page,
            step,
        };
        update
            .apply(&url, &final_url)
            .map_err(|e| self.db.sqlite_error(e))
    }

    /// Returns `true` if a page, the URL of which was redirected or not, or one of its links is in
    /// the partition of the frontier.
    fn concerns(&self, page: &JudgedPage, urls: [&CrawlUrl; 2]) -> bool {
        let Some(partition) = self.scope.partition else {
            return true;
        };
        let mut links = page.links.iter().flatten();
        urls.iter().any(|url| self.scope.has_in_partition(url))
            || links.any(|link| partition.contains_url(&link.url))
    }
}

/// The changes that one page makes.
struct PageUpdate<'a> {
    db: &'a StateFile,
    cache: &'a mut UrlCache,
    scope: &'a CrawlScope,
    page: &'a JudgedPage<'a>,
    step: i64,
}

impl PageUpdate<'_> {
    fn apply(&mut self, url: &CrawlUrl, final_url: &CrawlUrl) -> rusqlite::Result<()> {
        if self.cache.is_full() {
            self.cache.write(self.db)?;
        }
        let is_own = self.scope.has_in_partition(url);
        let depth_elsewhere = || self.page.depth.unwrap_or(0);
        let (id, depth) = self.mark_given(url, (!is_own).then(depth_elsewhere))?;
        if outcomes::has_page(self.db, id)? {
            if self.page.is_known {
                let score = Score::from_value(self.page.score.unwrap_or(0.0));
                let mut left_out = [0; LeftOut::NAMES.len()];
                self.add_links(score, depth, &mut left_out)?;
            }
            return Ok(());
        }
        let final_id = match final_url.key == url.key {
            true => id,
            false => self.mark_given(final_url, Some(depth))?.0,
        };
        let is_judged =
            !self.page.is_dead && (self.page.links.is_some() || self.page.score.is_some());
        let is_parent = is_judged && !outcomes::is_judged(self.db, final_id)?;
        let host = self.cache.host(self.db, final_url, self.step)?;
        let before = hosts::host_state(self.db, host)?;
        let mut stored = StoredPage {
            step: self.step,
            url: id,
            final_url: final_id,
            host,
            outcome: self.page.outcome(),
            host_before: (before.streak, before.resume),
            score: Score::from_value(self.page.score.unwrap_or(0.0)),
            links: None,
            left_out: Default::default(),
        };
        if is_parent {
            stored.links = Some(self.add_links(stored.score, depth, &mut stored.left_out)?);
            self.count_score(url, id, host, stored.score)?;
        }
        if stored.outcome == Outcome::Live && before.streak >= DEAD_LINKS {
            // The URLs of the host change their places in the file.
            self.cache.write(self.db)?;
        }
        let given = store::given_count(self.db)?;
        hosts::count_outcome(self.db, host, stored.outcome, given)?;
        outcomes::add_outcome(self.db, url, stored.outcome, 1)?;
        outcomes::add_page(self.db, &stored)
    }

    /// Marks a requested URL as given; with a depth, the target of a redirect, or a URL that
    /// another partition has requested. Returns its number and depth.
    fn mark_given(
        &mut self,
        url: &CrawlUrl,
        unrequested: Option<u32>,
    ) -> rusqlite::Result<(i64, u32)> {
        let is_request = unrequested.is_none();
        let Some(found) = self.cache.find(self.db, url)? else {
            let id = self.cache.add(self.db, url, self.step, Vec::new())?;
            let depth = unrequested.unwrap_or(0);
            let unknown = WaitingUrl {
                depth,
                ..WaitingUrl::default()
            };
            self.cache.set_waiting(url, unknown);
            self.cache.set_given(self.db, url, self.step, is_request)?;
            return Ok((id, depth));
        };
        let Some(waiting) = found.waiting else {
            if is_request {
                // A record of the same step may have been redirected to the URL before.
                store::set_request(self.db, found.id, self.step)?;
            }
            return Ok((found.id, store::given_depth(self.db, found.id)?));
        };
        self.cache.set_given(self.db, url, self.step, is_request)?;
        Ok((found.id, waiting.depth))
    }

    /// Makes the page a parent of the URLs that it is connected to by a link and that wait, or are
    /// found by it. Returns these URLs by ascending numbers.
    fn add_links(
        &mut self,
        score: Score,
        depth: u32,
        left_out: &mut [u32],
    ) -> rusqlite::Result<Vec<StoredLink>> {
        let mut linked = Vec::new();
        let mut is_seen = foldhash::HashSet::default();
        for link in self.page.links.iter().flatten() {
            let Ok(url) = CrawlUrl::parse(&link.url) else {
                continue;
            };
            if !self.scope.has_in_partition(&url) || !is_seen.insert(url.key) {
                continue;
            }
            match self.add_link(&url, link, score, depth.saturating_add(1))? {
                Ok(Some(stored)) => linked.push(stored),
                Ok(None) => {}
                Err(reason) => left_out[reason as usize] += 1,
            }
        }
        linked.sort_unstable_by_key(|link: &StoredLink| link.url);
        Ok(linked)
    }

    /// Adds a parent with `score` to a URL. Returns what is stored of the link if the URL waits, or
    /// why it is left out.
    fn add_link(
        &mut self,
        url: &CrawlUrl,
        link: &OutLink,
        score: Score,
        depth: u32,
    ) -> rusqlite::Result<Result<Option<StoredLink>, LeftOut>> {
        let (number, waiting) = match self.cache.find(self.db, url)? {
            Some(found) => match found.waiting {
                Some(waiting) if !self.page.is_known => (found.id, waiting),
                _ => return Ok(Ok(None)),
            },
            None => {
                if let Err(reason) = self.check_new_link(url, depth)? {
                    return Ok(Err(reason));
                }
                let words = WordKeys::of_anchor(&link.text).to_bytes();
                let new = WaitingUrl {
                    depth,
                    ..WaitingUrl::default()
                };
                (self.cache.add(self.db, url, self.step, words)?, new)
            }
        };
        let scored = WaitingUrl {
            parents: waiting.parents.with(score),
            ..waiting
        };
        self.cache.set_waiting(url, scored);
        let raised = waiting.parents.raised_by(score);
        Ok(Ok(Some(StoredLink {
            url: number,
            raised,
        })))
    }

    /// Checks a URL that is not known.
    fn check_new_link(&self, url: &CrawlUrl, depth: u32) -> rusqlite::Result<Result<(), LeftOut>> {
        if let Err(reason) = self.scope.check(url, depth) {
            return Ok(Err(reason));
        }
        match url.path_key() {
            Some(path) if store::queries_of_path(self.db, path)? >= MAX_QUERIES => {
                Ok(Err(LeftOut::Queries))
            }
            _ => Ok(Ok(())),
        }
    }

    /// Adds the score of the page to what its host, its directory and its words have brought.
    fn count_score(
        &mut self,
        url: &CrawlUrl,
        id: i64,
        host: i64,
        score: Score,
    ) -> rusqlite::Result<()> {
        let words = self.cache.stored_words(self.db, id)?;
        outcomes::add_score(self.db, host, url, &WordKeys::from_bytes(&words), score, 1)
    }
}
