//! Pages that an interrupted run has archived but whose records it has not written, as they waited
//! for an earlier record of a slow host. The resumed run takes them from the archive and does not
//! fetch them again.

use crate::damage::{ArchiveDamage, RecordPosition};
use crate::payload_index::hash_key;
use crate::reader::{ArchiveReader, ArchivedPage};
use crate::revisit_index::RevisitIndex;
use forage_http::Exchange;
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::path::Path;

/// The recovered pages of an archive. It can be shared by threads.
pub struct RecoveredPages(Mutex<PageIndex>);

struct PageIndex {
    reader: ArchiveReader,
    /// Pages by the hash of the requested URL.
    pages: HashMap<[u8; 16], PagePositions>,
    /// Number of pages whose records were not written.
    unwritten: usize,
}

/// The positions of a page that was fetched once or more.
struct PagePositions {
    /// The pages whose records were not written, in their order.
    unwritten: VecDeque<RecordPosition>,
    latest: RecordPosition,
}

impl RecoveredPages {
    /// Reads from an archive the pages that were fetched with success at `since` (RFC 3339 in UTC,
    /// to the second) or later. Those at the offsets in `written` count as written. Bodies of more
    /// than `max_bytes` are not read; bodies that the archive refers to may be in `revisits`.
    ///
    /// # Errors
    /// Fails if the archive cannot be read.
    pub fn from_archive(
        path: &Path,
        since: &str,
        written: &HashSet<u64>,
        max_bytes: u64,
        revisits: &RevisitIndex,
    ) -> io::Result<RecoveredPages> {
        let mut reader =
            ArchiveReader::new(max_bytes).with_payload_index(revisits.payloads.clone());
        reader.open_archive(path)?;
        let mut index = PageIndex {
            reader,
            pages: HashMap::new(),
            unwritten: 0,
        };
        while let Some(page) = index.reader.next_page()? {
            if page.result.as_ref().is_ok_and(|result| {
                is_success(&result.final_exchange) && result.final_exchange.date.as_str() >= since
            }) {
                index.add_page(&page, written.contains(&page.location.offset));
            }
        }
        Ok(RecoveredPages(Mutex::new(index)))
    }

    /// Returns the damaged parts of the archive, each once.
    pub fn take_damage(&self) -> Vec<ArchiveDamage> {
        self.0.lock().reader.take_damage()
    }

    /// Returns the number of pages whose records were not written.
    pub fn unwritten_pages(&self) -> usize {
        self.0.lock().unwritten
    }

    /// Returns the first page of a URL that was not written, and marks it as written. If there is
    /// none, returns the latest: a page that several records name is fetched once per run.
    pub fn take_page(&self, url: &str) -> Option<ArchivedPage> {
        let mut index = self.0.lock();
        let positions = index.pages.get_mut(&hash_key(url))?;
        let position = positions.unwritten.pop_front().unwrap_or(positions.latest);
        index.reader.seek(position).ok()?;
        index
            .reader
            .next_page()
            .ok()?
            .filter(|page| page.url == url)
    }
}

/// Returns `true` for a complete response with status 2xx. Other pages are fetched again, as they
/// may succeed then.
fn is_success(exchange: &Exchange) -> bool {
    (200..300).contains(&exchange.status) && exchange.failure.is_none()
}

impl PageIndex {
    fn add_page(&mut self, page: &ArchivedPage, is_written: bool) {
        let new = PagePositions {
            unwritten: VecDeque::new(),
            latest: page.start,
        };
        let positions = self.pages.entry(hash_key(&page.url)).or_insert(new);
        positions.latest = page.start;
        if !is_written {
            positions.unwritten.push_back(page.start);
            self.unwritten += 1;
        }
    }
}
