//! What hosts and directories of a crawl have brought, as a projection of the journal: judged and
//! relevant pages by directory and by host, and the cosines of all pages.

use crate::state_files::rejected_table::{REJECTED_TABLE, forget_from};
use forage_record::{Step, Topic, field};
use forage_run::{Event, StepProjection};
use forage_state::{
    LAST_STEP_TABLE, StateError, StateFileKind, StepFile, application_id, sqlite_step,
};
use forage_topic::profile::{
    CoreFit, MetricScores, RELEVANT_SHARE, ScoreCounts, ThresholdFactors, Votes, wilson_lower,
};
use forage_web::page_url::{directory_of, host_of};
use rusqlite::params;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::path::Path;

/// The file format.
const SITE_FILE_KIND: StateFileKind = StateFileKind {
    application_id: application_id(*b"FgSi"),
    version: 4,
    name: "hosts and directories of a crawl",
    // SQLite keeps this text in the file, so that not even its white space can change.
    schema: &[SITE_TABLE, LAST_STEP_TABLE, REJECTED_TABLE],
    // Files of earlier versions have counts by other rules, and are rebuilt from the journal.
    upgrades: &[
        &["DELETE FROM last_step;"],
        &[
            "DROP TABLE undoubted; DROP TABLE host; DELETE FROM last_step;",
            SITE_TABLE,
            REJECTED_TABLE,
        ],
        &[
            "DROP TABLE site; DELETE FROM rejected; DELETE FROM last_step;",
            SITE_TABLE,
        ],
    ],
};

/// Number of sites that are kept in memory. Each takes about 5 KB.
const MAX_KNOWN: usize = 2000;

const SITE_TABLE: &str = include_str!("site_table.sql");

/// The key of all hosts.
const ALL_HOSTS: [u8; 16] = [0; 16];

/// Counts of relevant pages by host and directory.
#[derive(Debug)]
pub struct SiteState {
    pub(crate) file: StepFile,
    /// Number of undoubtedly relevant pages from which a directory can be relevant; 0: none is.
    limit: u32,
    /// Whether the directory rule is the printed one.
    is_printed: bool,
    /// The thresholds of a core, and the label of its documents; `None`: thresholds are given, and
    /// directories are judged by `limit` alone.
    core: Option<(CoreFit, String)>,
    /// What sites that were read have brought, of all steps: at most [`MAX_KNOWN`].
    known: HashMap<[u8; 16], SiteCounts>,
}

/// What a directory or host has brought.
#[derive(Debug, Clone, Default)]
struct SiteCounts {
    judged: u32,
    voted: u32,
    undoubted: u32,
    core: u32,
    scores: ScoreCounts,
}

impl SiteCounts {
    fn of_core_document() -> SiteCounts {
        SiteCounts {
            judged: 1,
            voted: 1,
            undoubted: 1,
            core: 1,
            scores: ScoreCounts::default(),
        }
    }

    fn add(&mut self, page: &SiteCounts) {
        self.judged = self.judged.saturating_add(page.judged);
        self.voted = self.voted.saturating_add(page.voted);
        self.undoubted = self.undoubted.saturating_add(page.undoubted);
        self.core = self.core.saturating_add(page.core);
        self.scores.add_all(&page.scores);
    }

    /// Returns the lower limit of the share of pages that have a vote, by one standard error.
    fn least_share(&self) -> f64 {
        wilson_lower(f64::from(self.voted), f64::from(self.judged), 1.0)
    }
}

impl SiteState {
    /// Opens the state at `path`, or creates an empty one if the file does not exist. A directory
    /// can be relevant from `limit` undoubtedly relevant pages.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or is of another kind.
    pub fn open(path: &Path, limit: u32) -> Result<SiteState, StateError> {
        let file = StepFile::open(path, &SITE_FILE_KIND)?;
        Ok(SiteState::with_file(file, limit))
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
        state.file.begin_clearing(&[])?;
        Ok(state)
    }

    fn with_file(file: StepFile, limit: u32) -> SiteState {
        SiteState {
            file,
            limit,
            is_printed: false,
            core: None,
            known: HashMap::new(),
        }
    }

    /// Returns the state with the thresholds of a core, and the label of its documents. These count
    /// as undoubtedly relevant pages of their directories and hosts.
    #[must_use]
    pub fn with_core(self, fit: CoreFit, label: &str) -> SiteState {
        let core = Some((fit, label.into()));
        SiteState { core, ..self }
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

    /// Returns the factors of the thresholds for a page, by what was judged of its host before.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn factors(&mut self, url: &str) -> Result<ThresholdFactors, StateError> {
        if self.core.is_none() {
            return Ok(ThresholdFactors::ONE);
        }
        let host = match host_of(url) {
            Some(host) => self.count_site_pages(&key_of(&host))?,
            None => SiteCounts::default(),
        };
        let all = self.count_site_pages(&ALL_HOSTS)?;
        let factors = |(fit, _): &(CoreFit, String)| fit.factors(&host.scores, &all.scores);
        Ok(self.core.as_ref().map_or(ThresholdFactors::ONE, factors))
    }

    /// Returns `true` if the directory of a URL is relevant: it has as many undoubtedly relevant
    /// pages as the limit and, with a fitted core, most of its pages are relevant. A directory that
    /// has fewer is judged by its host, of which over 75 % must be relevant unless the core has as
    /// many pages of it. Documents of the core count as undoubtedly relevant pages.
    ///
    /// If the share p of the pages of a directory is relevant, and the share r of the core has a
    /// vote, the share p · r of the pages has one, so that p is over a half where more than r / 2
    /// have one.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn is_relevant(&mut self, url: &str) -> Result<bool, StateError> {
        let Some(directory) = self.counted_directory(url).filter(|_| self.limit > 0) else {
            return Ok(false);
        };
        let Some((fit, _)) = &self.core else {
            return self.reaches_limit(&key_of(directory));
        };
        let recognised = fit.recognised;
        let mut least_share = 0.5 * recognised;
        let mut counts = self.count_site_pages(&key_of(directory))?;
        if counts.undoubted < self.limit
            && let Some(host) = host_of(url)
        {
            counts = self.count_site_pages(&key_of(&host))?;
            if counts.core < self.limit {
                least_share = RELEVANT_SHARE * recognised;
            }
        }
        Ok(counts.undoubted >= self.limit && counts.least_share() > least_share)
    }

    /// Returns `true` if a directory has as many pages that count as the limit.
    pub(crate) fn reaches_limit(&mut self, directory: &[u8; 16]) -> Result<bool, StateError> {
        let counts = self.count_site_pages(directory)?;
        let pages = match self.is_printed {
            true => counts.voted,
            false => counts.undoubted,
        };
        Ok(self.limit > 0 && pages >= self.limit)
    }

    /// Returns the directory of a URL, if its pages are counted.
    fn counted_directory<'u>(&self, url: &'u str) -> Option<&'u str> {
        match self.is_printed {
            true => directory_of(url),
            false => subject_directory(url),
        }
    }

    /// Returns what all steps have brought to a site.
    fn count_site_pages(&mut self, site: &[u8; 16]) -> Result<SiteCounts, StateError> {
        if let Some(counts) = self.known.get(site) {
            return Ok(counts.clone());
        }
        let counts = self.sum_steps(site, 0..=u64::MAX)?;
        if self.known.len() >= MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(*site, counts.clone());
        Ok(counts)
    }

    /// Returns what some steps have brought to a site.
    fn sum_steps(
        &self,
        site: &[u8; 16],
        steps: RangeInclusive<u64>,
    ) -> Result<SiteCounts, StateError> {
        let sql = "SELECT judged, voted, undoubted, core, scores FROM site
                   WHERE site = ? AND step BETWEEN ? AND ?";
        let mut sum = SiteCounts::default();
        self.file.run(|db| {
            let mut select = db.prepare_cached(sql)?;
            let (first, last) = (sqlite_step(*steps.start()), sqlite_step(*steps.end()));
            let mut rows = select.query(params![site, first, last])?;
            while let Some(row) = rows.next()? {
                sum.add(&SiteCounts {
                    judged: row.get(0)?,
                    voted: row.get(1)?,
                    undoubted: row.get(2)?,
                    core: row.get(3)?,
                    scores: ScoreCounts::from_bytes(row.get_ref(4)?.as_blob()?),
                });
            }
            Ok(())
        })?;
        Ok(sum)
    }

    fn add_judged_page(
        &mut self,
        url: &str,
        step: u64,
        topic: &Topic,
        votes: Votes,
    ) -> Result<(), StateError> {
        let mut page = SiteCounts {
            judged: 1,
            voted: u32::from(votes.is_by_text()),
            undoubted: u32::from(votes.is_undoubted()),
            ..SiteCounts::default()
        };
        // By the thresholds of the core, whatever they are for the host: it is looked at again.
        if let Some((fit, _)) = &self.core
            && !topic.scores.is_empty()
        {
            let scores = MetricScores::from_named(|name| topic.scores.get(name).copied());
            page.scores.add(scores.vsm, fit.is_recommended(&scores));
        }
        self.add_to_sites(url, step, &page)
    }

    /// Adds the counts of a page to its directory, its host and all.
    fn add_to_sites(&mut self, url: &str, step: u64, page: &SiteCounts) -> Result<(), StateError> {
        if let Some(directory) = self.counted_directory(url) {
            let without_scores = SiteCounts {
                scores: ScoreCounts::default(),
                ..page.clone()
            };
            self.add_to_site(&key_of(directory), step, &without_scores)?;
        }
        if let Some(host) = host_of(url) {
            self.add_to_site(&key_of(&host), step, page)?;
            if self.core.is_some() {
                self.add_to_site(&ALL_HOSTS, step, page)?;
            }
        }
        Ok(())
    }

    /// Adds the counts of a page to a site, and to what the step has brought to it.
    fn add_to_site(
        &mut self,
        site: &[u8; 16],
        step: u64,
        page: &SiteCounts,
    ) -> Result<(), StateError> {
        if let Some(known) = self.known.get_mut(site) {
            known.add(page);
        }
        let mut counts = self.sum_steps(site, step..=step)?;
        counts.add(page);
        self.file.begin()?;
        self.file
            .run(|db| {
                let values = params![
                    site,
                    sqlite_step(step),
                    counts.judged,
                    counts.voted,
                    counts.undoubted,
                    counts.core,
                    counts.scores.to_bytes(),
                ];
                db.prepare_cached("INSERT OR REPLACE INTO site VALUES (?, ?, ?, ?, ?, ?, ?)")?
                    .execute(values)
            })
            .map(drop)
    }
}

impl StepProjection for SiteState {
    fn file(&self) -> &StepFile {
        &self.file
    }

    fn apply_event(&mut self, event: &Event) -> Result<(), StateError> {
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
        let is_core = |(_, label): &(CoreFit, String)| event.label.as_ref() == Some(label);
        if let Some((topic, metrics)) = topic.as_ref().zip(metrics) {
            let votes = Votes::from_names(metrics);
            if self.is_printed && !self.keep_rejected(event, votes, &url)? {
                return Ok(());
            }
            self.add_judged_page(&url, step, topic, votes)
        } else if event.step.is_none() && self.core.as_ref().is_some_and(is_core) {
            self.add_to_sites(&url, step, &SiteCounts::of_core_document())
        } else {
            Ok(())
        }
    }

    fn remove_from(&mut self, step: u64) -> Result<(), StateError> {
        self.known.clear();
        self.file.begin_removal_from(step)?;
        self.file.run(|db| {
            db.execute("DELETE FROM site WHERE step >= ?", [sqlite_step(step)])?;
            forget_from(db, sqlite_step(step))
        })
    }
}

/// Returns the directory of a URL, if its pages may have a subject in common. The name of an
/// archive is a number, as in `/2026/03/`.
fn subject_directory(url: &str) -> Option<&str> {
    let directory = directory_of(url)?;
    let name = directory.trim_end_matches('/').rsplit('/').next()?;
    let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    (!is_number).then_some(directory)
}

/// Returns the key of a host or directory: 16 bytes of its hash, so that long URLs take no more
/// space.
pub(crate) fn key_of(name: &str) -> [u8; 16] {
    blake3::hash(name.as_bytes()).as_bytes().as_chunks().0[0]
}

#[cfg(test)]
mod tests;
