//! An index of payloads in archives, for records that refer to a payload instead of containing it.

use crate::damage::RecordPosition;
use crate::http_message;
use crate::record::{RawRecord, max_block_bytes};
use crate::record_format::{field, labelled_digest};
use crate::record_source::RecordSource;
use forage_http::{Exchange, FetchError};
use http::header::CONTENT_ENCODING;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of indexed digests and record IDs of all archives, of about 50 bytes each.
const MAX_ENTRIES: usize = 1_800_000;

/// The positions of payloads in the archives that were read.
#[derive(Debug, Clone, Default)]
pub(crate) struct PayloadIndex {
    archives: Vec<PathBuf>,
    max_block_bytes: u64,
    /// The first record with a payload, by the hash of its digest and of its record ID.
    records: HashMap<[u8; 16], RecordLocation>,
    /// An index that is searched for payloads that are not in this one.
    pub fallback: Option<Arc<PayloadIndex>>,
}

/// The location of a record: the number of its archive, and the position in it.
pub(crate) type RecordLocation = (u32, RecordPosition);

impl PayloadIndex {
    /// Returns an empty index. Bodies of more than `max_bytes` will be skipped.
    pub fn new(max_bytes: u64) -> PayloadIndex {
        PayloadIndex {
            max_block_bytes: max_block_bytes(max_bytes),
            ..PayloadIndex::default()
        }
    }

    /// Opens an archive, whose records that are added later are in it.
    pub fn open_archive(&mut self, path: &Path) -> io::Result<RecordSource> {
        let source = RecordSource::open(path, self.max_block_bytes)?;
        self.archives.push(path.to_owned());
        Ok(source)
    }

    /// Returns the archive that was added last.
    pub fn current_archive(&self) -> Option<&Path> {
        self.archives.last().map(PathBuf::as_path)
    }

    /// Returns the location of a record in the archive that was added last.
    pub fn location(&self, position: RecordPosition) -> RecordLocation {
        let archive = u32::try_from(self.archives.len().saturating_sub(1)).unwrap_or(u32::MAX);
        (archive, position)
    }

    /// Adds a record with a payload, by the payload digest that it states and by its record ID.
    pub fn add_record(&mut self, record: &RawRecord, position: RecordPosition) {
        let location = self.location(position);
        for name in [field::PAYLOAD_DIGEST, field::RECORD_ID]
            .into_iter()
            .filter_map(|name| record.field(name))
        {
            if self.records.len() < MAX_ENTRIES {
                self.records.entry(hash_key(name)).or_insert(location);
            }
        }
    }

    /// Returns the record with a payload digest or record ID if it is indexed, or the reason why it
    /// cannot be read.
    pub fn find_record(&self, name: &str) -> Option<Result<RawRecord, String>> {
        match self.records.get(&hash_key(name)) {
            Some(location) => Some(self.read_record(*location)),
            None => self.fallback.as_ref()?.find_record(name),
        }
    }

    /// Reads the record at a location, or returns the reason why it cannot be read.
    pub fn read_record(&self, (archive, position): RecordLocation) -> Result<RawRecord, String> {
        let path = self
            .archives
            .get(archive as usize)
            .ok_or("its archive is unknown")?;
        RecordSource::read_record_at(path, position, self.max_block_bytes)
            .map_err(|e| e.to_string())?
            .ok_or_else(|| "it is no longer in its archive".into())
    }

    /// Returns the exchange of a record; the body of a revisit is that of the record that it refers
    /// to.
    ///
    /// # Errors
    /// Fails if the record has no exchange, or the body is not found.
    pub fn read_exchange(&self, record: &RawRecord, url: &str) -> Result<Exchange, FetchError> {
        let block = record.block.as_deref().unwrap_or_default();
        if record.is_of_type("revisit") {
            self.resolve_revisit(record, url, block)
        } else {
            http_message::parse_block(record, url, block)
        }
    }

    /// Returns the exchange of a revisit record. If its block has no HTTP header block, or one with
    /// status 304, the whole response is that of the record that it refers to.
    fn resolve_revisit(
        &self,
        record: &RawRecord,
        url: &str,
        block: &[u8],
    ) -> Result<Exchange, FetchError> {
        // As there is no body, some writers omit the empty line.
        let own = http_message::parse_response(url, &[block, b"\r\n\r\n"].concat());
        if let Err(e @ FetchError::BadUrl(_)) = own {
            return Err(e);
        }
        let referenced = || {
            self.referenced_exchange(record, url)
                .map_err(|cause| missing_payload_error(record, &cause))
        };
        let Some(mut own) = own.ok().filter(|own| own.status != 304) else {
            return referenced();
        };
        // The bodies of other statuses are not used.
        if (200..300).contains(&own.status) {
            let mut referenced = referenced()?;
            own.body = referenced.body;
            // Both responses state the content coding. Some writers compute the digest after
            // decoding; then the coding of the referenced response applies to its body.
            let is_digest_of_body = record
                .field(field::PAYLOAD_DIGEST)
                .is_some_and(|digest| digest == labelled_digest(&own.body));
            if !is_digest_of_body {
                own.headers.remove(CONTENT_ENCODING);
                own.headers.extend(
                    referenced
                        .headers
                        .remove(CONTENT_ENCODING)
                        .map(|coding| (CONTENT_ENCODING, coding)),
                );
            }
        }
        Ok(own)
    }

    /// Returns the exchange that a revisit refers to, as if it were of `url`, or the reason why it
    /// cannot be read.
    fn referenced_exchange(&self, revisit: &RawRecord, url: &str) -> Result<Exchange, String> {
        let names = [field::PAYLOAD_DIGEST, field::REFERS_TO].map(|name| revisit.field(name));
        let mut names = names.into_iter().flatten().peekable();
        let Some(first) = names.peek().copied() else {
            return Err("the revisit names neither a digest nor a record".into());
        };
        let record = names
            .find_map(|name| self.find_record(name))
            .ok_or_else(|| format!("{first} is in none of the archives read before"))??;
        let block = record.block.as_deref().ok_or("it is too large")?;
        http_message::parse_block(&record, url, block).map_err(|e| e.to_string())
    }
}

/// Returns the hash that stands for a URL, a digest or a record ID in an index.
pub(crate) fn hash_key(text: &str) -> [u8; 16] {
    blake3::hash(text.as_bytes()).as_bytes().as_chunks().0[0]
}

/// Returns the error for a revisit whose payload cannot be read. It names the referenced record, if
/// the revisit does, so that its archive can be looked for.
fn missing_payload_error(revisit: &RawRecord, cause: &str) -> FetchError {
    let reference =
        [field::REFERS_TO_TARGET_URI, field::REFERS_TO_DATE].map(|name| revisit.field(name));
    let reference = match reference {
        [Some(url), Some(date)] => format!("; the revisit refers to {url} at {date}"),
        _ => String::new(),
    };
    let message = format!("the archive lacks the page's body: {cause}{reference}");
    FetchError::BadBody(message.replace(char::is_control, " "))
}
