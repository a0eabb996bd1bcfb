//! The revisit index: pages of earlier archives, which need not be sent again if they have not
//! changed.
//!
//! The index holds the positions of pages. The validators of an archived page (`ETag`,
//! `Last-Modified`) make the next request conditional; for a 304 response the archived page is used
//! (RFC 9110, section 13). A page has not changed, either, if the server sends the same body again.
//! A body that is sent for another URL is recognised by its digest, and need not be archived twice.

use crate::damage::{ArchiveDamage, RecordPosition};
use crate::payload_index::{PayloadIndex, RecordLocation, hash_key, record_keys};
use crate::record::RawRecord;
use crate::record_format::{digest_value, field};
use forage_http::{ArchivedPages, Exchange, RecordReference};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// The locations of pages and payloads, with about 150 bytes for each.
#[derive(Debug, Default)]
pub struct RevisitIndex {
    /// The latest response, by the hash of its URL.
    pages: HashMap<[u8; 16], RecordLocation>,
    /// Shared with readers of other archives once all archives are added; until then it has one
    /// owner, and archives are added in place.
    pub(crate) payloads: Arc<PayloadIndex>,
    /// Pages in archives that are not indexed, by the hash of their URL: path and offset.
    located: Mutex<HashMap<[u8; 16], (PathBuf, u64)>>,
}

impl RevisitIndex {
    /// Returns an empty index. Bodies of more than `max_bytes` will be skipped.
    pub fn new(max_bytes: u64) -> RevisitIndex {
        RevisitIndex {
            payloads: Arc::new(PayloadIndex::new(max_bytes)),
            ..RevisitIndex::default()
        }
    }

    /// Adds an archive; its pages replace those of archives that were added before. Returns the
    /// damaged parts of the archive.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is not an archive.
    pub fn add_archive(&mut self, path: &Path) -> io::Result<Vec<ArchiveDamage>> {
        let mut source = Arc::make_mut(&mut self.payloads).open_archive(path)?;
        let mut damage = Vec::new();
        while let Some((record, position)) = source.next_record(&mut damage)? {
            if record.is_cut {
                continue;
            }
            let is_response = record.is_of_type("response");
            let page = is_response.then(|| self.read_page(&record)).flatten();
            let url = match record.target_uri() {
                Some(_) if is_response => page.as_ref().map(|page| page.url.clone()),
                // The status is checked when the page is requested: its body is elsewhere.
                Some(url) if record.is_of_type("revisit") => Url::parse(url).ok(),
                _ => None,
            };
            let Some(url) = url else { continue };
            let location = self.payloads.location(position);
            self.pages.insert(hash_key(url.as_str()), location);
            if let Some(page) = page {
                Arc::make_mut(&mut self.payloads).add_record(&record, &page.body, position);
            }
        }
        Ok(damage)
    }

    /// Adds one page at an offset of an archive, which is not read as a whole. Nothing is added if
    /// there is no page.
    pub fn add_page_at(&self, path: &Path, offset: u64) {
        let record = self.read_record_at(path, offset);
        if let Some(page) = record.and_then(|record| self.read_page(&record)) {
            let place = (path.to_owned(), offset);
            self.located
                .lock()
                .insert(hash_key(page.url.as_str()), place);
        }
    }

    /// Returns `true` if a page was added by [`RevisitIndex::add_page_at`].
    pub fn has_page_at(&self, url: &Url) -> bool {
        self.located.lock().contains_key(&hash_key(url.as_str()))
    }

    fn read_record_at(&self, path: &Path, offset: u64) -> Option<RawRecord> {
        let position = RecordPosition {
            offset,
            offset_in_member: 0,
        };
        self.payloads.read_record_of(path, position).ok()
    }

    /// Returns a reference to the record with a payload digest, if it is indexed.
    pub(crate) fn find_payload(&self, digest: &str) -> Option<RecordReference> {
        let keys = record_keys(None, None, Some(digest));
        let record = self.payloads.find_record(&keys)?.ok()?;
        let stated = record.field(field::PAYLOAD_DIGEST)?;
        (digest_value(stated) == digest_value(digest)).then(|| record_reference(&record))
    }

    /// Returns the exchange of a record with status 200 and a complete body, in this record or in
    /// the one that it refers to.
    fn read_page(&self, record: &RawRecord) -> Option<Exchange> {
        let is_page = record.is_of_type("response") || record.is_of_type("revisit");
        let url = record
            .target_uri()
            .filter(|_| is_page && record.block.is_some())?;
        self.payloads
            .read_exchange(record, url)
            .ok()
            .filter(|exchange| exchange.status == 200 && exchange.has_stated_length())
    }
}

impl ArchivedPages for RevisitIndex {
    fn find_page(&self, url: &Url) -> Option<Exchange> {
        let key = hash_key(url.as_str());
        let place = self.located.lock().get(&key).cloned();
        let record = match place {
            Some((path, offset)) => self.read_record_at(&path, offset)?,
            None => self.payloads.read_record(*self.pages.get(&key)?).ok()?,
        };
        let mut exchange = self
            .read_page(&record)
            .filter(|exchange| exchange.url == *url && exchange.is_complete())?;
        // A revisit must not refer to another revisit.
        let original = match record.is_of_type("response") {
            true => record,
            false => self.payloads.find_original(&record).ok()?,
        };
        exchange.refers_to = Some(record_reference(&original));
        Some(exchange)
    }
}

/// Returns a reference to a record.
fn record_reference(record: &RawRecord) -> RecordReference {
    let value = |name: &str| record.field(name).unwrap_or_default().to_owned();
    RecordReference {
        id: value(field::RECORD_ID),
        target_uri: record.target_uri().unwrap_or_default().to_owned(),
        date: value(field::DATE),
    }
}
