//! The revisit index: pages of earlier archives, which need not be sent again if they have not
//! changed.
//!
//! The index holds the positions of pages. The validators of an archived page (`ETag`,
//! `Last-Modified`) make the next request conditional; for a 304 response the archived page is used
//! (RFC 9110, section 13). A page has not changed, either, if the server sends the same body again.
//! A body that is sent for another URL is recognised by its digest, and need not be archived twice.

use crate::damage::ArchiveDamage;
use crate::payload_index::{PayloadIndex, RecordLocation, hash_key};
use crate::record::RawRecord;
use crate::record_format::field;
use forage_http::{ArchivedPages, Exchange, RecordReference};
use std::collections::HashMap;
use std::io;
use std::path::Path;
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
            let url = match record.target_uri() {
                Some(_) if is_response => self.read_page(&record).map(|exchange| exchange.url),
                // The status is checked when the page is requested: its body is elsewhere.
                Some(url) if record.is_of_type("revisit") => Url::parse(url).ok(),
                _ => None,
            };
            let Some(url) = url else { continue };
            let location = self.payloads.location(position);
            self.pages.insert(hash_key(url.as_str()), location);
            if is_response {
                Arc::make_mut(&mut self.payloads).add_record(&record, position);
            }
        }
        Ok(damage)
    }

    /// Returns a reference to the record with a payload digest, if it is indexed.
    pub(crate) fn find_payload(&self, digest: &str) -> Option<RecordReference> {
        let record = self.payloads.find_record(digest)?.ok()?;
        (record.field(field::PAYLOAD_DIGEST) == Some(digest)).then(|| record_reference(&record))
    }

    /// Returns the exchange of a record with status 200 and a complete body, in this record or in
    /// the one that it refers to.
    fn read_page(&self, record: &RawRecord) -> Option<Exchange> {
        let is_complete = (record.is_of_type("response") || record.is_of_type("revisit"))
            && record.field(field::TRUNCATED).is_none();
        let url = record
            .target_uri()
            .filter(|_| is_complete && record.block.is_some())?;
        self.payloads
            .read_exchange(record, url)
            .ok()
            .filter(|exchange| exchange.status == 200)
    }
}

impl ArchivedPages for RevisitIndex {
    fn find_page(&self, url: &Url) -> Option<Exchange> {
        let location = *self.pages.get(&hash_key(url.as_str()))?;
        let record = self.payloads.read_record(location).ok()?;
        let mut exchange = self
            .read_page(&record)
            .filter(|exchange| exchange.url == *url)?;
        // A revisit must not refer to another revisit.
        exchange.refers_to = record
            .is_of_type("response")
            .then(|| record_reference(&record));
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
