//! Pages that a broken-off run has archived without having written their records: these waited for a slow host before
//! them. The run that goes on takes them from the archive, and asks nobody again.

use super::ArchiveError;
use super::earlier::Earlier;
use super::payloads::key;
use super::read::{Kept, Reader};
use super::source::{Damage, Place};
use crate::fetch::visit::Exchange;
use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pages of an archive that may be taken. May be shared by threads.
#[derive(Debug)]
pub struct Recovered(Mutex<State>);

#[derive(Debug)]
struct State {
    reader: Reader,
    /// By the hash of the URL that was asked for.
    pages: HashMap<[u8; 16], Visits>,
    unwritten: usize,
}

/// The visits of one page.
#[derive(Debug)]
struct Visits {
    /// Where those begin whose records were not written, in their order.
    unwritten: VecDeque<Place>,
    latest: Place,
}

impl Recovered {
    /// Looks through an archive for pages that came well, at `since` (RFC 3339 in UTC, to the second) or later, but for those
    /// whose place is in `written`. Bodies of more than `max_bytes` are not read; those that it refers to may be in
    /// `earlier`.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn read(
        path: &Path,
        since: &str,
        written: &HashSet<u64>,
        max_bytes: u64,
        earlier: &Earlier,
    ) -> Result<Recovered, ArchiveError> {
        let mut reader = Reader::new(max_bytes).after(earlier.payloads());
        reader.open(path)?;
        let mut state = State { reader, pages: HashMap::new(), unwritten: 0 };
        while let Some(kept) = state.reader.page()? {
            if kept.visit.as_ref().is_ok_and(|visit| is_page(&visit.last) && visit.last.at.as_str() >= since) {
                state.note(&kept, written.contains(&kept.place.offset));
            }
        }
        Ok(Recovered(Mutex::new(state)))
    }

    /// What of the archive could not be read.
    pub fn damage(&self) -> Vec<Damage> {
        self.state().reader.damage()
    }

    /// Pages whose records were not written.
    pub fn unwritten(&self) -> usize {
        self.state().unwritten
    }

    /// The first page of this URL that was not taken; where there is none any more the latest, as a run gives all who
    /// name a page what came of it once.
    pub fn take(&self, url: &str) -> Option<Kept> {
        let mut state = self.state();
        let visits = state.pages.get_mut(&key(url))?;
        let start = visits.unwritten.pop_front().unwrap_or(visits.latest);
        state.reader.seek(start).ok()?;
        state.reader.page().ok()?.filter(|kept| kept.url == url)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an answer is worth taking again. Others may be asked for again because they failed.
fn is_page(answer: &Exchange) -> bool {
    (200..300).contains(&answer.status) && answer.failure.is_none()
}

impl State {
    fn note(&mut self, kept: &Kept, is_written: bool) {
        let none = Visits { unwritten: VecDeque::new(), latest: kept.start };
        let visits = self.pages.entry(key(&kept.url)).or_insert(none);
        visits.latest = kept.start;
        if !is_written {
            visits.unwritten.push_back(kept.start);
            self.unwritten += 1;
        }
    }
}
