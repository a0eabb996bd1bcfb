//! The versions of pages that a run has asked for again.
//!
//! The journal keeps all of them, and a corpus has one of each page: the latest whose text is good.
//! A record of a page that is asked for again names the version that the corpus has (`previous`).
//! If the record is a document of the same class, it replaces that version; if it says for the
//! second time, at least a day after the first, that the page is gone, the corpus loses it. Until
//! then, and after a failure of the server, the version stays.

use crate::event::Event;
use crate::presence::fetch_of;
use forage_record::Record;
use forage_record::time::parse_rfc3339;
use memchr::memmem;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

/// The versions that are no longer those of the corpus.
#[derive(Debug, Clone, Default)]
pub struct Versions {
    /// The step of the record that replaced a version, by the hash of its `id`. A page may return
    /// to an earlier text, which has the same `id`.
    superseded: HashMap<blake3::Hash, u64>,
    /// Of several runs, the number of this one, and that of the run that has asked last for a page,
    /// by the hash of its class and URL.
    latest: Option<(usize, Arc<LatestRuns>)>,
}

/// The time of the last version of a page, and the number of its run.
type LatestRuns = HashMap<blake3::Hash, (Option<SystemTime>, usize)>;

impl Versions {
    /// Reads the versions of a journal. Of a path that is no file, such as a pipe, there are none.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(journal: &Path) -> io::Result<Versions> {
        let mut versions = Versions::default();
        for_each_event(journal, "\"previous\"", |event| versions.apply(event))?;
        Ok(versions)
    }

    /// Reads the versions of several inputs; `None` is no journal. Of a page that several journals
    /// have, the corpus has the version that was fetched last.
    ///
    /// # Errors
    /// Fails if a file cannot be read.
    pub fn read_all(journals: &[Option<&Path>]) -> io::Result<Vec<Versions>> {
        let read =
            |journal: &Option<&Path>| journal.map_or(Ok(Versions::default()), Versions::read);
        let mut all: Vec<Versions> = journals.iter().map(read).collect::<io::Result<_>>()?;
        if journals.iter().flatten().count() < 2 {
            return Ok(all);
        }
        let mut latest = LatestRuns::new();
        for (number, journal) in journals.iter().enumerate() {
            for_each_event(journal.unwrap_or(Path::new("")), "\"text\"", |event| {
                if let Some(key) = key_of_version(event)
                    && !all[number].is_superseded(event)
                {
                    let at = fetch_of(event.record()).at;
                    let at = at.as_deref().and_then(parse_rfc3339);
                    let last = latest.entry(key).or_insert((at, number));
                    if at > last.0 {
                        *last = (at, number);
                    }
                }
            })?;
        }
        let latest = Arc::new(latest);
        for (number, versions) in all.iter_mut().enumerate() {
            versions.latest = Some((number, latest.clone()));
        }
        Ok(all)
    }

    fn apply(&mut self, event: &Event) {
        if let Some(id) = event.supersedes() {
            let id = blake3::hash(id.as_bytes());
            self.superseded.insert(id, event.step_number());
        }
    }

    /// Returns `true` if a later record has replaced a document, or has said that it is gone.
    pub fn is_superseded(&self, event: &Event) -> bool {
        if event.step.is_none() {
            return false;
        }
        if let Some((number, latest)) = &self.latest
            && let Some(key) = key_of_version(event)
            && latest.get(&key).is_some_and(|(_, last)| last != number)
        {
            return true;
        }
        if self.superseded.is_empty() {
            return false;
        }
        let id = event.id().map(|id| blake3::hash(id.as_bytes()));
        let step = id.and_then(|id| self.superseded.get(&id));
        step.is_some_and(|step| event.step_number() < *step)
    }
}

/// Calls `visit` with the events of a journal whose lines have a text. A path that is no file, such
/// as a pipe, has none.
fn for_each_event(journal: &Path, text: &str, mut visit: impl FnMut(&Event)) -> io::Result<()> {
    if !journal.is_file() {
        return Ok(());
    }
    let finder = memmem::Finder::new(text);
    let mut lines = BufReader::with_capacity(1 << 18, File::open(journal)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        if finder.find(&line).is_some()
            && let Ok(record) = Record::parse(std::mem::take(&mut line))
        {
            visit(&Event::from_record(&record));
        }
        line.clear();
    }
    Ok(())
}

/// Returns the key of the page of a document that a step has retrieved, in its class: a run whose
/// filter gives the page another one takes nothing from the corpus of this class.
fn key_of_version(event: &Event) -> Option<blake3::Hash> {
    let is_version = event.step.is_some() && event.is_document && !event.is_duplicate();
    let (url, class) = (
        event.final_url().filter(|_| is_version)?,
        event.label.as_deref()?,
    );
    Some(blake3::hash(format!("{class} {url}").as_bytes()))
}
