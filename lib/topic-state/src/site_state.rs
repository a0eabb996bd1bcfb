//! What hosts and directories of a crawl have brought, as a projection of the journal: undoubtedly
//! relevant pages by directory and by host.

use crate::look_back::{self, REJECTED_TABLE};
use forage_page_url::{directory_of, host_of};
use forage_record::{Step, Topic, field};
use forage_run::{BoxError, Event, Projection, ProjectionFile};
use forage_state::{
    LAST_STEP_TABLE, StateError, StateFileKind, StepFile, application_id, sqlite_step,
};
use forage_topic::profile::{MetricScores, Thresholds, Votes};
use rusqlite::{OptionalExtension, params};
use std::path::Path;

/// The file format.
const SITE_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgSi"),
    version: 3,
    name: "hosts and directories of a crawl",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &[
        "
        CREATE TABLE undoubted (
            directory BLOB NOT NULL,
            step INTEGER NOT NULL,
            pages INTEGER NOT NULL,
            PRIMARY KEY (directory, step)
        ) WITHOUT ROWID;
        CREATE INDEX undoubted_step ON undoubted (step);
        CREATE TABLE host (
            host BLOB NOT NULL,
            step INTEGER NOT NULL,
            judged INTEGER NOT NULL,       -- up to this step
            undoubted INTEGER NOT NULL,    -- of these
            PRIMARY KEY (host, step)
        ) WITHOUT ROWID;
        CREATE INDEX host_step ON host (step);
        ",
        LAST_STEP_TABLE,
        REJECTED_TABLE,
    ],
    upgrades: &[&[EMPTY_VERSION_1], &[REJECTED_TABLE]],
};

/// Empties the file, which is then rebuilt from the journal. In version 1, pages counted for their
/// host by thresholds that are not raised.
const EMPTY_VERSION_1: &str = "DELETE FROM undoubted; DELETE FROM host; DELETE FROM last_step;";

const EMPTY_TABLES: &str =
    "DELETE FROM undoubted; DELETE FROM host; DELETE FROM rejected; DELETE FROM last_step;";

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
    pub(crate) file: StepFile,
    /// Greatest count that matters: more pages of a directory are not counted.
    pub(crate) limit: u32,
    /// Whether the directory rule is the printed one.
    pub(crate) is_printed: bool,
    /// Thresholds by which the pages of a host are counted; `None`: their votes count.
    host_thresholds: Option<Thresholds>,
}

impl SiteState {
    /// Opens the state at `path`, or creates an empty one if the file does not exist. Up to `limit`
    /// pages of a directory are counted.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or is of another kind.
    pub fn open(path: &Path, limit: u32) -> Result<SiteState, StateError> {
        Ok(SiteState::with_file(
            StepFile::open(path, &SITE_FILE_KIND)?,
            limit,
        ))
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
        Ok(state)
    }

    fn with_file(file: StepFile, limit: u32) -> SiteState {
        SiteState {
            file,
            limit,
            is_printed: false,
            host_thresholds: None,
        }
    }

    /// Returns the state with the directory rule that Kluev (2000, section 4) prints: a page for
    /// which any metric votes counts for its directory, whatever the name of the directory, and
    /// the pages of the directory that were rejected before are accepted.
    #[must_use]
    pub fn with_printed_rule(self) -> SiteState {
        SiteState {
            is_printed: true,
            ..self
        }
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
            for table in ["undoubted", "host"] {
                let sql = format!("DELETE FROM {table} WHERE step >= ?");
                db.execute(&sql, [sqlite_step(step)])?;
            }
            look_back::forget_from(db, sqlite_step(step))
        })
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

    /// Returns `true` if the directory of a URL has as many undoubtedly relevant pages as the limit.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn is_relevant(&self, url: &str) -> Result<bool, StateError> {
        let Some(directory) = self.counted_directory(url) else {
            return Ok(false);
        };
        let pages = self.count_pages(&key_of(directory))?;
        Ok(self.limit > 0 && pages >= self.limit)
    }

    /// Returns the directory of a URL, if its pages are counted.
    fn counted_directory<'u>(&self, url: &'u str) -> Option<&'u str> {
        match self.is_printed {
            true => directory_of(url),
            false => subject_directory(url),
        }
    }

    pub(crate) fn count_pages(&self, directory: &[u8]) -> Result<u32, StateError> {
        let sql = "SELECT coalesce(sum(pages), 0) FROM undoubted WHERE directory = ?";
        self.file.run(|db| {
            db.prepare_cached(sql)?
                .query_row([directory], |row| row.get(0))
        })
    }

    /// Applies the next record: counts a judged page. Duplicates and pages without a URL are not
    /// counted.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn apply_event(&mut self, event: &Event) -> Result<(), StateError> {
        let complete = event.step.as_ref().map_or(0, Step::last_complete_step);
        self.file.advance_to(complete);
        if !event.is_document || event.is_duplicate() {
            return Ok(());
        }
        let topic: Option<Topic> = event.record().view(field::TOPIC).ok().flatten();
        let Some((topic, metrics)) = topic.as_ref().and_then(|t| Some((t, t.metrics.as_ref()?)))
        else {
            return Ok(());
        };
        let votes = Votes::from_names(metrics);
        let Some(url) = event.final_url() else {
            return Ok(());
        };
        if self.is_printed && !self.keep_rejected(event, votes, &url)? {
            return Ok(());
        }
        let step = event.step_number();
        if let Some(host) = host_of(&url) {
            let is_undoubted = self.counts_for_host(topic, votes);
            self.add_host_page(&key_of(&host), step, is_undoubted)?;
        }
        let counts = match self.is_printed {
            true => votes.is_by_text(),
            false => votes.is_undoubted(),
        };
        match self.counted_directory(&url) {
            Some(directory) if counts => self.add_page(&key_of(directory), step),
            _ => Ok(()),
        }
    }

    fn add_page(&mut self, directory: &[u8], step: u64) -> Result<(), StateError> {
        if self.count_pages(directory)? >= self.limit {
            return Ok(());
        }
        self.file.begin()?;
        let sql = "INSERT INTO undoubted (directory, step, pages) VALUES (?, ?, 1)
                   ON CONFLICT DO UPDATE SET pages = pages + 1";
        self.file
            .run(|db| {
                db.prepare_cached(sql)?
                    .execute(params![directory, sqlite_step(step)])
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
pub(crate) fn key_of(name: &str) -> [u8; 16] {
    let hash = blake3::hash(name.as_bytes());
    let mut key = [0; 16];
    key.copy_from_slice(&hash.as_bytes()[..16]);
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use forage_record::Record;
    use rusqlite::Connection;

    fn apply(state: &mut SiteState, step: u64, url: &str, metrics: &str) {
        let json = format!(
            r#"{{"step":{{"number":{step},"target":"t","last":true}},"url":"{url}","text":"x","topic":{{"metrics":{metrics}}}}}"#
        );
        let record = Record::parse(json.into_bytes()).unwrap();
        state.apply_event(&Event::from_record(&record)).unwrap();
    }

    #[test]
    fn a_directory_is_relevant_after_enough_undoubted_pages() {
        let mut state = SiteState::in_memory(2).unwrap();
        apply(&mut state, 1, "http://a.test/x/1", r#"["term","vsm"]"#);
        apply(&mut state, 1, "http://a.test/x/2", r#"["vsm","directory"]"#);
        apply(&mut state, 1, "http://a.test/y/3", r#"["term","vsm"]"#);
        assert!(!state.is_relevant("http://a.test/x/3").unwrap());
        apply(
            &mut state,
            2,
            "http://a.test/x/4",
            r#"["collocation","passage"]"#,
        );
        assert!(state.is_relevant("http://a.test/x/3").unwrap());
        assert!(!state.is_relevant("http://a.test/y/4").unwrap());
        state.remove_pages_from(2).unwrap();
        assert!(!state.is_relevant("http://a.test/x/3").unwrap());
    }

    #[test]
    fn an_archive_by_date_has_no_subject() {
        let mut state = SiteState::in_memory(1).unwrap();
        for directory in ["http://a.test/2026/03/", "http://a.test/python3/"] {
            apply(&mut state, 1, &format!("{directory}1"), r#"["term","vsm"]"#);
        }
        assert!(!state.is_relevant("http://a.test/2026/03/2").unwrap());
        assert!(state.is_relevant("http://a.test/python3/2").unwrap());
    }

    #[test]
    fn the_share_of_undoubted_pages_of_a_host_is_known_after_five() {
        let mut state = SiteState::in_memory(3).unwrap();
        let share = |state: &SiteState| state.undoubted_share("http://a.test/z").unwrap();
        for page in 1..=4 {
            let metrics = if page == 1 {
                r#"["vsm","term"]"#
            } else {
                r#"["vsm","directory"]"#
            };
            apply(&mut state, page, &format!("http://a.test/{page}"), metrics);
            assert_eq!(share(&state), None);
        }
        apply(&mut state, 5, "http://a.test/5", "[]");
        assert_eq!(share(&state), Some(1.0 / 15.0));
        apply(&mut state, 6, "http://b.test/6", "[]");
        apply(&mut state, 6, "http://a.test/6", r#"["term","vsm"]"#);
        assert_eq!(share(&state), Some(2.0 / 16.0));
        state.remove_pages_from(6).unwrap();
        assert_eq!(share(&state), Some(1.0 / 15.0));
    }

    fn state_with_thresholds() -> SiteState {
        let thresholds = "vsm=0.2,passage=0.2,term=1,pair=1,triple=1"
            .parse()
            .unwrap();
        SiteState::in_memory(3).unwrap().with_thresholds(thresholds)
    }

    /// Applies five pages of a host with these cosines, and returns its share.
    fn share_of_pages(state: &mut SiteState, vsm: f64, topic: &str) -> Option<f64> {
        for page in 1..=5 {
            let json = format!(
                r#"{{"url":"http://a.test/{page}","text":"x","topic":{{{topic},"scores":{{"vsm":{vsm},"passage":0.4}}}}}}"#
            );
            let record = Record::parse(json.into_bytes()).unwrap();
            state.apply_event(&Event::from_record(&record)).unwrap();
        }
        state.undoubted_share("http://a.test/6").unwrap()
    }

    #[test]
    fn a_near_miss_does_not_count_for_its_host() {
        for (vsm, share) in [(0.2, 0.0), (0.24, 0.0), (0.26, 1.0 / 3.0)] {
            let mut state = state_with_thresholds();
            let topic = r#""metrics":["vsm","passage"]"#;
            assert_eq!(share_of_pages(&mut state, vsm, topic), Some(share), "{vsm}");
            assert!(state.is_relevant("http://a.test/6").unwrap());
        }
    }

    #[test]
    fn a_host_is_counted_by_the_same_thresholds_if_they_were_raised() {
        let mut state = state_with_thresholds();
        let topic = r#""metrics":[],"threshold_factor":2"#;
        assert_eq!(share_of_pages(&mut state, 0.26, topic), Some(1.0 / 3.0));
        assert!(!state.is_relevant("http://a.test/6").unwrap());
    }

    #[test]
    fn a_file_of_version_1_is_emptied_to_be_rebuilt() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sites.db");
        let mut state = SiteState::open(&path, 1).unwrap();
        apply(&mut state, 3, "http://a.test/x/1", r#"["term","vsm"]"#);
        state.save().unwrap();
        assert!(!state.lacks_steps_before(4));
        drop(state);
        let db = Connection::open(&path).unwrap();
        db.execute_batch("PRAGMA user_version = 1").unwrap();
        drop(db);
        let state = SiteState::open(&path, 1).unwrap();
        assert!(state.lacks_steps_before(4));
        assert!(!state.is_relevant("http://a.test/x/2").unwrap());
    }

    #[test]
    fn the_final_url_decides() {
        let mut state = SiteState::in_memory(1).unwrap();
        let json = r#"{"url":"http://a.test/old/1","text":"x","fetch":{"url":"http://a.test/new/1"},"topic":{"metrics":["term","vsm"]}}"#;
        let record = Record::parse(json.into()).unwrap();
        state.apply_event(&Event::from_record(&record)).unwrap();
        assert!(state.is_relevant("http://a.test/new/2").unwrap());
        assert!(!state.is_relevant("http://a.test/old/2").unwrap());
    }
}
