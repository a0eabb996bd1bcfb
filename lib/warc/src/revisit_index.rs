//! The revisit index: pages of earlier archives that need not be sent again unless they have
//! changed.
//!
//! What is remembered of a page is where it is kept. When it is asked for again, the validators
//! that it came with (`ETag`, `Last-Modified`) make the request a conditional one, and where the
//! answer is 304 what is kept stands for it (RFC 9110 §13). Where a server sends the same body once
//! more, the page has not changed either; one that comes from another address is known by its
//! digest, and need not be kept twice.

use crate::layout::field;
use crate::payloads::{InFile, Payloads, key};
use crate::record::{RawRecord, most};
use crate::source::{ArchiveDamage, RecordSource};
use forage_http::{ArchivedPages, Exchange, RecordReference};
use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use url::Url;

/// Where pages and payloads are kept; some 150 bytes for each.
#[derive(Debug, Default)]
pub struct RevisitIndex {
    /// The latest answer, by the hash of its URL.
    pages: HashMap<[u8; 16], InFile>,
    /// Shared with what reads on after all archives were added; until then it is nobody else's, and
    /// is added to in place.
    pub(crate) payloads: Arc<Payloads>,
    most: u64,
}

impl RevisitIndex {
    /// Nothing yet. Bodies of more than `max_bytes` are passed over.
    pub fn new(max_bytes: u64) -> RevisitIndex {
        RevisitIndex {
            most: most(max_bytes),
            ..RevisitIndex::default()
        }
    }

    /// Looks through an archive; what it keeps goes before what those before it keep. Returns what
    /// of it could not be read.
    ///
    /// # Errors
    /// When it can't be read, or is none.
    pub fn add_archive(&mut self, path: &Path) -> io::Result<Vec<ArchiveDamage>> {
        Arc::make_mut(&mut self.payloads).open(path);
        let (mut source, mut passed) = (RecordSource::open(path)?, Vec::new());
        while let Some((raw, place)) = source.next(self.most, &mut passed)? {
            let is_new = raw.is_of_type("response");
            let url = match raw.target() {
                Some(_) if is_new => self.answer(&raw).map(|exchange| exchange.url),
                // Whether it is a page that came well is seen when it is asked for: its body is
                // elsewhere.
                Some(url) if raw.is_of_type("revisit") => Url::parse(url).ok(),
                _ => None,
            };
            let Some(url) = url else { continue };
            self.pages
                .insert(key(url.as_str()), self.payloads.here(place));
            if is_new {
                Arc::make_mut(&mut self.payloads).remember(&raw, place);
            }
        }
        Ok(passed)
    }

    /// The record that keeps a payload, if one does.
    pub(crate) fn find_payload(&self, digest: &str) -> Option<RecordReference> {
        let raw = self.payloads.named(digest, self.most)?.ok()?;
        (raw.field(field::PAYLOAD_DIGEST) == Some(digest)).then(|| original(&raw))
    }

    /// A page that came well and is kept whole, in its own record or another one.
    fn answer(&self, raw: &RawRecord) -> Option<Exchange> {
        let is_whole = (raw.is_of_type("response") || raw.is_of_type("revisit"))
            && raw.field(field::TRUNCATED).is_none();
        let url = raw.target().filter(|_| is_whole && raw.block.is_some())?;
        self.payloads
            .exchange(raw, url, self.most)
            .ok()
            .filter(|exchange| exchange.status == 200)
    }
}

impl ArchivedPages for RevisitIndex {
    fn find_page(&self, url: &Url) -> Option<Exchange> {
        let raw = self
            .payloads
            .record(*self.pages.get(&key(url.as_str()))?, self.most)
            .ok()?;
        let mut exchange = self.answer(&raw).filter(|exchange| exchange.url == *url)?;
        // What refers to another record is not referred to itself.
        exchange.refers_to = raw.is_of_type("response").then(|| original(&raw));
        Some(exchange)
    }
}

fn original(raw: &RawRecord) -> RecordReference {
    let told = |name: &str| raw.field(name).unwrap_or_default().to_owned();
    let target = raw.target().unwrap_or_default().to_owned();
    RecordReference {
        id: told(field::ID),
        target_uri: target,
        date: told(field::DATE),
    }
}
