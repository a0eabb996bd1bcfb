//! An index of payloads in archives, for records that refer to a payload instead of containing it.

use crate::damage::RecordPosition;
use crate::date::normalise_date;
use crate::http_message;
use crate::record::{RawRecord, max_block_bytes};
use crate::record_format::{IDENTICAL_PAYLOAD_PROFILE, digest_value, field, labelled_digest};
use crate::record_source::RecordSource;
use forage_http::{Exchange, FetchError, update_stored_headers};
use http::header::CONTENT_ENCODING;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Maximum number of indexed names of records of all archives, of about 50 bytes each: three per
/// record.
const MAX_ENTRIES: usize = 1_800_000;

/// The positions of payloads in the archives that were read.
#[derive(Debug, Clone, Default)]
pub(crate) struct PayloadIndex {
    archives: Vec<PathBuf>,
    max_block_bytes: u64,
    /// The first record with a payload, by the hash of its record ID, of its URI and date, and of
    /// the value of its digest.
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

    /// Adds a record with the payload `body`, by all names that a revisit may use.
    pub fn add_record(&mut self, record: &RawRecord, body: &[u8], position: RecordPosition) {
        let location = self.location(position);
        let field = |name| record.field(name);
        let digest =
            field(field::PAYLOAD_DIGEST).map_or_else(|| labelled_digest(body), str::to_owned);
        let page = record.target_uri().zip(field(field::DATE));
        let keys = record_keys(field(field::RECORD_ID), page, Some(&digest));
        for key in keys.into_iter().flatten() {
            if self.records.len() < MAX_ENTRIES {
                self.records.entry(key).or_insert(location);
            }
        }
    }

    /// Returns the record with the first key that is indexed, or the reason why it cannot be read.
    pub fn find_record(&self, keys: &RecordKeys) -> Option<Result<RawRecord, String>> {
        let location = keys.iter().flatten().find_map(|key| self.records.get(key));
        match location {
            Some(location) => Some(self.read_record(*location)),
            None => self.fallback.as_ref()?.find_record(keys),
        }
    }

    /// Returns the record that a revisit refers to: by its record ID, its URI and date, or its
    /// payload digest, which decides before the date if the payload is what they share. Otherwise,
    /// or if its profile is not known, returns the reason.
    pub fn find_original(&self, revisit: &RawRecord) -> Result<RawRecord, String> {
        let field = |name| revisit.field(name);
        // What has another profile is not to be interpreted (WARC 1.1, section 6.7.1).
        let profile = field(field::PROFILE).unwrap_or(IDENTICAL_PAYLOAD_PROFILE);
        let name = profile.trim_matches(['<', '>', '/']).rsplit('/').next();
        let is_of_payload = match name.unwrap_or_default() {
            "identical-payload-digest" | "uri-agnostic-identical-payload-digest" => true,
            "server-not-modified" => false,
            _ => return Err(format!("the revisit's profile {profile} is not known")),
        };
        let uri = field(field::REFERS_TO_TARGET_URI).map(|uri| uri.trim_matches(['<', '>']));
        let [id, digest] = [field::REFERS_TO, field::PAYLOAD_DIGEST].map(field);
        let name = digest.or(id).or(uri);
        let name = name.ok_or("the revisit names neither a digest nor a record")?;
        let mut keys = record_keys(id, uri.zip(field(field::REFERS_TO_DATE)), digest);
        if is_of_payload {
            // A page may change within a second.
            keys.swap(1, 2);
        }
        self.find_record(&keys)
            .ok_or_else(|| format!("{name} is in none of the archives given"))?
    }

    /// Reads the record at a location, or returns the reason why it cannot be read.
    pub fn read_record(&self, (archive, position): RecordLocation) -> Result<RawRecord, String> {
        let path = self
            .archives
            .get(archive as usize)
            .ok_or("its archive is unknown")?;
        self.read_record_of(path, position)
    }

    /// Reads the record at a position of any archive, or returns the reason why it cannot be read.
    pub fn read_record_of(
        &self,
        path: &Path,
        position: RecordPosition,
    ) -> Result<RawRecord, String> {
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
        let Ok(mut own) = own else {
            return referenced();
        };
        if own.status == 304 {
            let mut page = referenced()?;
            page.headers = update_stored_headers(page.headers, &own.headers);
            return Ok(page);
        }
        // The bodies of other statuses are not used.
        if (200..300).contains(&own.status) {
            let mut referenced = referenced()?;
            own.body = referenced.body;
            own.truncated = referenced.truncated;
            // Both responses state the content coding. Some writers compute the digest after
            // decoding; then the coding of the referenced response applies to its body.
            let is_digest_of_body = record.field(field::PAYLOAD_DIGEST).is_some_and(|digest| {
                digest_value(digest) == digest_value(&labelled_digest(&own.body))
            });
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
        let record = self.find_original(revisit)?;
        let block = record.block.as_deref().ok_or("it is too large")?;
        http_message::parse_block(&record, url, block).map_err(|e| e.to_string())
    }
}

/// The keys of a record in an index: of its record ID, its URI and date, and its payload digest.
type RecordKeys = [Option<[u8; 16]>; 3];

pub(crate) fn record_keys(
    id: Option<&str>,
    page: Option<(&str, &str)>,
    digest: Option<&str>,
) -> RecordKeys {
    let page = page.map(|(uri, date)| format!("{uri} {}", normalise_date(date)));
    let digest = digest.map(digest_value);
    // A URN is compared without regard to case (RFC 9562, section 4).
    let id = id.map(|id| id.trim_matches(['<', '>']).to_ascii_lowercase());
    [id.map(hash_key), page.map(hash_key), digest.map(hash_key)]
}

/// Returns the hash that stands for a URL, a digest or a record ID in an index.
pub(crate) fn hash_key(text: impl AsRef<[u8]>) -> [u8; 16] {
    blake3::hash(text.as_ref()).as_bytes().as_chunks().0[0]
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
