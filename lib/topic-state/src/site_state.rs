//! What hosts and directories of a crawl have brought, as a projection of the journal: judged and
//! relevant pages by directory and by host, and the cosines of all pages.

use forage_page_url::{directory_of, host_of};
use forage_record::{Step, Topic, field};
use forage_run::{BoxError, Event, Projection, ProjectionFile};
use forage_state::{
    LAST_STEP_TABLE, StateError, StateFileKind, StepFile, application_id, sqlite_step,
};
use forage_topic::profile::{Metric, MetricScores, ScoreCounts, Thresholds, Votes, score_bin};
use rusqlite::{OptionalExtension, params};
use std::path::Path;

/// The file format.
const SITE_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgSi"),
    version: 3,
    name: "hosts and directories of a crawl",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &[HOST_TABLE, SITE_TABLES, LAST_STEP_TABLE],
    // In version 1, pages counted for their host by thresholds that are not raised; version 2 had the
    // undoubted pages of directories only.
    upgrades: &[
        &["DELETE FROM host; DELETE FROM last_step;"],
        &[
            "DROP TABLE undoubted; DELETE FROM host; DELETE FROM last_step;",
            SITE_TABLES,
        ],
    ],
};

const HOST_TABLE: &str = "
        CREATE TABLE host (
            host BLOB NOT NULL,
            step INTEGER NOT NULL,
            judged INTEGER NOT NULL,       -- up to this step
            undoubted INTEGER NOT NULL,    -- of these
            PRIMARY KEY (host, step)
        ) WITHOUT ROWID;
        CREATE INDEX host_step ON host (step);
        ";

const SITE_TABLES: &str = "
        CREATE TABLE site (                -- a directory or a host
            site BLOB NOT NULL,
            step INTEGER NOT NULL,
            judged INTEGER NOT NULL,       -- up to this step, with those of the core
            voted INTEGER NOT NULL,        -- of these, by a metric other than the directory
            undoubted INTEGER NOT NULL,
            core INTEGER NOT NULL,
            PRIMARY KEY (site, step)
        ) WITHOUT ROWID;
        CREATE INDEX site_step ON site (step);
        CREATE TABLE score (
            step INTEGER NOT NULL,
            bin INTEGER NOT NULL,
            pages INTEGER NOT NULL,
            PRIMARY KEY (step, bin)
        ) WITHOUT ROWID;
        ";

/// Empties the file, which is then rebuilt from the journal.
const EMPTY_TABLES: &str =
    "DELETE FROM host; DELETE FROM site; DELETE FROM score; DELETE FROM last_step;";

/// The tables with a row for each step.
const STEP_TABLES: [&str; 3] = ["host", "site", "score"];

/// Number of judged pages from which a host is known. The precision of undoubtedly relevant pages is
/// higher with 5 than with 10 (BENCHMARKS.md, "Topic profiles").
const KNOWN_HOST_PAGES: u32 = 5;

/// Factor of the thresholds by which the pages of a host are counted. With 1, near misses count for
/// their host, so that its thresholds stay low; with 2, the factor by which thresholds are raised,
/// relevant hosts count too few pages (BENCHMARKS.md, "Topic profiles").
const HOST_COUNT_FACTOR: f64 = 1.25;

/// Number of pages that do not count and are added to those of a host: a share of few pages is
/// uncertain, and too high, because a crawl enters a host by its most relevant pages (BENCHMARKS.md,
/// "Topic profiles").
const HOST_PRIOR_PAGES: u32 = 10;

/// Counts of relevant pages by host and directory.
#[derive(Debug)]
pub struct SiteState {
    file: StepFile,
    /// Number of undoubtedly relevant pages from which a directory can be relevant; 0: none is.
    limit: u32,
    /// Thresholds by which the pages of a host are counted; `None`: their votes count.
    host_thresholds: Option<Thresholds>,
    /// The label of the documents of a core to which the thresholds are fitted; `None`: they are
    /// given, and directories are judged by `limit` alone.
    core_label: Option<String>,
    /// The cosines of all judged pages.
    scores: ScoreCounts,
}

/// What a directory or host has brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct SiteCounts {
    judged: u32,
    voted: u32,
    undoubted: u32,
    core: u32,
}

impl SiteCounts {
    /// Returns the lower limit of the share of pages that have a vote.
    fn least_share(self) -> f64 {
        wilson_lower(f64::from(self.voted), f64::from(self.judged))
    }
}

/// Returns the lower limit of a share, of `found` among `all`, by Wilson's interval of one standard
/// error (1927).
fn wilson_lower(found: f64, all: f64) -> f64 {
    if all <= 0.0 {
        return 0.0;
    }
    let share = found / all;
    let spread = (share * (1.0 - share) / all + 0.25 / (all * all)).sqrt();
    (share + 0.5 / all - spread) / (1.0 + 1.0 / all)
}

impl SiteState {
    /// Opens the state at `path`, or creates an empty one if the file does not exist. A directory can
    /// be relevant from `limit` undoubtedly relevant pages.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or is of another kind.
    pub fn open(path: &Path, limit: u32) -> Result<SiteState, StateError> {
        let file = StepFile::open(path, &SITE_FILE_KIND)?;
        let mut state = SiteState::with_file(file, limit);
        state.read_scores()?;
        Ok(state)
    }

    /// Creates a state in memory, for input that is no run.
    ///
    /// # Errors
    /// Fails if SQLite cannot create it.
    pub fn in_memory(limit: u32) -> Result<SiteState, StateError> {
        let file = StepFile::in_memory(&SITE_FILE_KIND)?;
        Ok(SiteState::with_file(file, limit))
    }

    /// Opens the state at `path` and empties it, to be rebuilt. Other processes see the old content
    /// until it is committed.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, or is of another kind.
    pub fn open_empty(path: &Path, limit: u32) -> Result<SiteState, StateError> {
        let mut state = SiteState::open(path, limit)?;
        state.file.begin_clearing()?;
        state.file.run(|db| db.execute_batch(EMPTY_TABLES))?;
        state.scores = ScoreCounts::default();
        Ok(state)
    }

    fn with_file(file: StepFile, limit: u32) -> SiteState {
        SiteState {
            file,
            limit,
            host_thresholds: None,
            core_label: None,
            scores: ScoreCounts::default(),
        }
    }

    fn read_scores(&mut self) -> Result<(), StateError> {
        let sql = "SELECT bin, sum(pages) FROM score GROUP BY bin";
        let rows: Vec<(i32, u32)> = self.file.run(|db| {
            db.prepare_cached(sql)?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })?;
        self.scores = ScoreCounts::default();
        for (bin, pages) in rows {
            self.scores.add(bin, pages);
        }
        Ok(())
    }

    /// Returns the state with the thresholds of the metrics. Pages count for their host by 1.25 times
    /// these, whether or not they were raised for the host: pages just above a threshold, which may
    /// be near misses, do not count, and a host can recover.
    #[must_use]
    pub fn with_thresholds(self, thresholds: Thresholds) -> SiteState {
        SiteState {
            host_thresholds: Some(thresholds.raised(HOST_COUNT_FACTOR)),
            ..self
        }
    }

    /// Returns the state with the label of the documents of a core to which the thresholds are fitted.
    /// They count as undoubtedly relevant pages of their directories and hosts.
    #[must_use]
    pub fn with_core(self, label: &str) -> SiteState {
        let core_label = Some(label.into());
        SiteState { core_label, ..self }
    }

    /// Returns the cosines of all judged pages.
    pub fn scores(&self) -> &ScoreCounts {
        &self.scores
    }

    /// Returns `true` if a page counts as undoubtedly relevant for its host. A page without scores
    /// counts by its votes.
    fn counts_for_host(&self, topic: &Topic, votes: Votes) -> bool {
        match self.host_thresholds {
            Some(thresholds) if !topic.scores.is_empty() => {
                let scores = MetricScores::from_named(|name| topic.scores.get(name).copied());
                thresholds.votes(&scores).is_undoubted()
            }
            _ => votes.is_undoubted(),
        }
    }

    /// Removes the pages of `step` and of all later steps.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn remove_pages_from(&mut self, step: u64) -> Result<(), StateError> {
        self.file.begin_removal_from(step)?;
        self.file.run(|db| {
            for table in STEP_TABLES {
                let sql = format!("DELETE FROM {table} WHERE step >= ?");
                db.execute(&sql, [sqlite_step(step)])?;
            }
            Ok(())
        })?;
        self.read_scores()
    }

    /// Returns the share of pages that count as undoubtedly relevant among the judged ones of a URL's
    /// host and ten more; `None` if fewer than five were judged.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn undoubted_share(&self, url: &str) -> Result<Option<f64>, StateError> {
        let Some(host) = host_of(url) else {
            return Ok(None);
        };
        let (judged, undoubted) = self.count_host_pages(&key_of(&host))?;
        let is_known = judged >= KNOWN_HOST_PAGES;
        let pages = judged + HOST_PRIOR_PAGES;
        Ok(is_known.then(|| f64::from(undoubted) / f64::from(pages)))
    }

    fn count_host_pages(&self, host: &[u8]) -> Result<(u32, u32), StateError> {
        let sql = "SELECT judged, undoubted FROM host WHERE host = ? ORDER BY step DESC LIMIT 1";
        let counts = self.file.run(|db| {
            let read = |row: &rusqlite::Row| Ok((row.get(0)?, row.get(1)?));
            db.prepare_cached(sql)?.query_row([host], read).optional()
        })?;
        Ok(counts.unwrap_or_default())
    }

    fn add_host_page(
        &mut self,
        host: &[u8],
        step: u64,
        is_undoubted: bool,
    ) -> Result<(), StateError> {
        let (judged, undoubted) = self.count_host_pages(host)?;
        self.file.begin()?;
        let sql = "INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?)";
        let undoubted = undoubted + u32::from(is_undoubted);
        self.file
            .run(|db| {
                let values = params![host, sqlite_step(step), judged + 1, undoubted];
                db.prepare_cached(sql)?.execute(values)
            })
            .map(drop)
    }

    /// Returns `true` if the directory of a URL is relevant: it has as many undoubtedly relevant pages
    /// as the limit and, with a fitted core, most of its pages are relevant. A directory that has
    /// fewer is judged by its host, if the core has as many pages of the host.
    ///
    /// `recognised` is the share of relevant pages that has a vote. If the share p of the pages of a
    /// directory is relevant, the share p · `recognised` has one, so that p is over a half where more
    /// than `recognised` / 2 of the pages have one.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn is_relevant(&self, url: &str, recognised: f64) -> Result<bool, StateError> {
        let Some(directory) = subject_directory(url).filter(|_| self.limit > 0) else {
            return Ok(false);
        };
        let counts = self.count_site_pages(&key_of(directory))?;
        if self.core_label.is_none() {
            return Ok(counts.undoubted >= self.limit);
        }
        let least_share = recognised / 2.0;
        if counts.undoubted >= self.limit {
            return Ok(counts.least_share() > least_share);
        }
        let Some(host) = host_of(url) else {
            return Ok(false);
        };
        let counts = self.count_site_pages(&key_of(&host))?;
        Ok(counts.core >= self.limit && counts.least_share() > least_share)
    }

    fn count_site_pages(&self, site: &[u8]) -> Result<SiteCounts, StateError> {
        let sql = "SELECT judged, voted, undoubted, core FROM site WHERE site = ?
                   ORDER BY step DESC LIMIT 1";
        let counts = self.file.run(|db| {
            let read = |row: &rusqlite::Row| {
                Ok(SiteCounts {
                    judged: row.get(0)?,
                    voted: row.get(1)?,
                    undoubted: row.get(2)?,
                    core: row.get(3)?,
                })
            };
            db.prepare_cached(sql)?.query_row([site], read).optional()
        })?;
        Ok(counts.unwrap_or_default())
    }

    /// Applies the next record: counts a judged page, or a document of the core. Duplicates and pages
    /// without a URL are not counted.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn apply_event(&mut self, event: &Event) -> Result<(), StateError> {
        let complete = event.step.as_ref().map_or(0, Step::last_complete_step);
        self.file.advance_to(complete);
        if !event.is_document || event.is_duplicate() {
            return Ok(());
        }
        let Some(url) = event.final_url() else {
            return Ok(());
        };
        let topic: Option<Topic> = event.record().view(field::TOPIC).ok().flatten();
        let metrics = topic.as_ref().and_then(|topic| topic.metrics.as_ref());
        let step = event.step_number();
        if let Some((topic, metrics)) = topic.as_ref().zip(metrics) {
            let votes = Votes::from_names(metrics);
            self.add_judged_page(&url, step, topic, votes)
        } else if event.step.is_none() && event.label.is_some() && event.label == self.core_label {
            let page = SiteCounts {
                judged: 1,
                voted: 1,
                undoubted: 1,
                core: 1,
            };
            self.add_to_sites(&url, step, page)
        } else {
            Ok(())
        }
    }

    fn add_judged_page(
        &mut self,
        url: &str,
        step: u64,
        topic: &Topic,
        votes: Votes,
    ) -> Result<(), StateError> {
        if let Some(host) = host_of(url) {
            let is_undoubted = self.counts_for_host(topic, votes);
            self.add_host_page(&key_of(&host), step, is_undoubted)?;
        }
        if let Some(cosine) = topic.scores.get(Metric::Vsm.name()) {
            self.add_score(score_bin(*cosine), step)?;
        }
        let has_own_vote = votes.metrics().any(|metric| metric != Metric::Directory);
        let page = SiteCounts {
            judged: 1,
            voted: u32::from(has_own_vote),
            undoubted: u32::from(votes.is_undoubted()),
            core: 0,
        };
        self.add_to_sites(url, step, page)
    }

    /// Adds the counts of a page to its directory and its host.
    fn add_to_sites(&mut self, url: &str, step: u64, page: SiteCounts) -> Result<(), StateError> {
        if let Some(directory) = subject_directory(url) {
            self.add_to_site(&key_of(directory), step, page)?;
        }
        match host_of(url) {
            Some(host) => self.add_to_site(&key_of(&host), step, page),
            None => Ok(()),
        }
    }

    fn add_to_site(&mut self, site: &[u8], step: u64, page: SiteCounts) -> Result<(), StateError> {
        let before = self.count_site_pages(site)?;
        self.file.begin()?;
        self.file
            .run(|db| {
                let values = params![
                    site,
                    sqlite_step(step),
                    before.judged.saturating_add(page.judged),
                    before.voted.saturating_add(page.voted),
                    before.undoubted.saturating_add(page.undoubted),
                    before.core.saturating_add(page.core),
                ];
                db.prepare_cached("INSERT OR REPLACE INTO site VALUES (?, ?, ?, ?, ?, ?)")?
                    .execute(values)
            })
            .map(drop)
    }

    fn add_score(&mut self, bin: i32, step: u64) -> Result<(), StateError> {
        self.scores.add(bin, 1);
        self.file.begin()?;
        let sql = "INSERT INTO score (step, bin, pages) VALUES (?, ?, 1)
                   ON CONFLICT DO UPDATE SET pages = pages + 1";
        self.file
            .run(|db| {
                db.prepare_cached(sql)?
                    .execute(params![sqlite_step(step), bin])
            })
            .map(drop)
    }

    /// Commits the open transaction and makes it durable.
    ///
    /// # Errors
    /// Fails if the file cannot be written; all changes since the last commit are then lost.
    pub fn commit(&mut self) -> Result<(), StateError> {
        self.file.commit()
    }

    /// Merges the WAL into the database, so that one file holds the whole state.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn merge_wal(&mut self) -> Result<(), StateError> {
        self.file.merge_wal()
    }
}

impl Projection for SiteState {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        Ok(self.apply_event(event)?)
    }
}

impl ProjectionFile for SiteState {
    fn lacks_steps_before(&self, next: u64) -> bool {
        self.file.lacks_steps_before(next)
    }

    fn remove_steps_from(&mut self, step: u64) -> Result<(), BoxError> {
        Ok(self.remove_pages_from(step)?)
    }

    fn save(&mut self) -> Result<(), BoxError> {
        self.commit()?;
        Ok(self.merge_wal()?)
    }
}

/// Returns the directory of a URL, if its pages may have a subject in common. The name of an archive
/// is a number, as in `/2026/03/`.
fn subject_directory(url: &str) -> Option<&str> {
    let directory = directory_of(url)?;
    let name = directory.trim_end_matches('/').rsplit('/').next()?;
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    (!is_number).then_some(directory)
}

/// Returns the key of a host or directory: 16 bytes of its hash, so that long URLs take no more space.
fn key_of(name: &str) -> [u8; 16] {
    let hash = blake3::hash(name.as_bytes());
    let mut key = [0; 16];
    key.copy_from_slice(&hash.as_bytes()[..16]);
    key
}

#[cfg(test)]
mod tests;
