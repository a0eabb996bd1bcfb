//! Pages that a broken-off run has archived without having written their records: these waited for
//! a slow host before them. The run that goes on takes them from the archive, and asks nobody
//! again.

use crate::payloads::key;
use crate::reader::{ArchiveReader, ArchivedPage};
use crate::revisit_index::RevisitIndex;
use crate::source::{ArchiveDamage, Place};
use forage_http::Exchange;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Pages of an archive that may be taken. May be shared by threads.
pub struct RecoveredPages(Mutex<PageIndex>);

struct PageIndex {
    reader: ArchiveReader,
    /// By the hash of the URL that was asked for.
    pages: HashMap<[u8; 16], PageRecords>,
    unwritten: usize,
}

/// Where the records of one page are.
struct PageRecords {
    /// Where those begin whose records were not written, in their order.
    unwritten: VecDeque<Place>,
    latest: Place,
}

impl RecoveredPages {
    /// Looks through an archive for pages that came well, at `since` (RFC 3339 in UTC, to the
    /// second) or later, but for those whose place is in `written`. Bodies of more than `max_bytes`
    /// are not read; those that it refers to may be in `earlier`.
    ///
    /// # Errors
    /// When it can't be read.
    pub fn from_archive(
        path: &Path,
        since: &str,
        written: &HashSet<u64>,
        max_bytes: u64,
        earlier: &RevisitIndex,
    ) -> io::Result<RecoveredPages> {
        let mut reader = ArchiveReader::new(max_bytes).with_earlier(earlier.payloads.clone());
        reader.open_archive(path)?;
        let mut state = PageIndex {
            reader,
            pages: HashMap::new(),
            unwritten: 0,
        };
        while let Some(kept) = state.reader.next_page()? {
            if kept.result.as_ref().is_ok_and(|result| {
                is_page(&result.final_exchange) && result.final_exchange.date.as_str() >= since
            }) {
                state.add(&kept, written.contains(&kept.location.offset));
            }
        }
        Ok(RecoveredPages(Mutex::new(state)))
    }

    /// What of the archive could not be read.
    pub fn take_damage(&self) -> Vec<ArchiveDamage> {
        self.state().reader.take_damage()
    }

    /// Pages whose records were not written.
    pub fn unwritten_pages(&self) -> usize {
        self.state().unwritten
    }

    /// The first page of this URL that was not taken; where there is none any more the latest, as a
    /// run gives all who name a page what came of it once.
    pub fn take_page(&self, url: &str) -> Option<ArchivedPage> {
        let mut state = self.state();
        let records = state.pages.get_mut(&key(url))?;
        let start = records.unwritten.pop_front().unwrap_or(records.latest);
        state.reader.seek(start).ok()?;
        state
            .reader
            .next_page()
            .ok()?
            .filter(|kept| kept.url == url)
    }

    fn state(&self) -> MutexGuard<'_, PageIndex> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an answer is worth taking again. Others may be asked for again because they failed.
fn is_page(answer: &Exchange) -> bool {
    (200..300).contains(&answer.status) && answer.failure.is_none()
}

impl PageIndex {
    fn add(&mut self, kept: &ArchivedPage, is_written: bool) {
        let none = PageRecords {
            unwritten: VecDeque::new(),
            latest: kept.start,
        };
        let records = self.pages.entry(key(&kept.url)).or_insert(none);
        records.latest = kept.start;
        if !is_written {
            records.unwritten.push_back(kept.start);
            self.unwritten += 1;
        }
    }
}
