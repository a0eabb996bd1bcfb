//! Reading of archives, of this and other writers, as fetch results.
//!
//! A redirect belongs to the response of its target if that is the next response, as this project
//! writes them. The body of a revisit is that of the record that it refers to, if that is in one of
//! the archives. Bodies without a response (`resource`) and text that was converted from pages
//! (`conversion`) are pages, too. Other records are only counted.

use crate::damage::{ArchiveDamage, RecordDefects, RecordPosition};
use crate::date::normalise_date;
use crate::payload_index::PayloadIndex;
use crate::record::RawRecord;
use crate::record_format::{self, field};
use crate::record_source::RecordSource;
use crate::revisit_index::RevisitIndex;
use forage_http::{Exchange, FetchError, FetchResult, SAME_BODY};
use forage_record::WarcLocation;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use url::Url;

/// Types of records that are counted by name; all others count as "unknown".
const RECORD_TYPES: [&str; 8] = [
    "warcinfo",
    "request",
    "metadata",
    "response",
    "resource",
    "revisit",
    "conversion",
    "continuation",
];

/// Causes why records that may be pages cannot be read.
const NO_TYPE: &str = "without WARC-Type";
const NO_URL: &str = "without a URL";
const NO_ABSOLUTE_URL: &str = "whose URL is not absolute or not valid";

/// A page of an archive.
#[derive(Debug)]
pub struct ArchivedPage {
    /// The URL as requested.
    pub url: String,
    /// The location of the final response. If records are compressed together, it is that of the
    /// compressed member.
    pub location: WarcLocation,
    /// The position of the first redirect, or of the response if there is none.
    pub(crate) start: RecordPosition,
    /// The fetch result, or why it cannot be restored.
    pub result: Result<FetchResult, FetchError>,
}

/// Reads archives, one after another.
#[derive(Default)]
pub struct ArchiveReader {
    max_bytes: u64,
    source: Option<RecordSource>,
    /// Damaged parts of the archive that [`ArchiveReader::take_damage`] has not returned yet.
    damage: Vec<ArchiveDamage>,
    /// Numbers of records of the archive that are not pages, by type.
    other_records: BTreeMap<&'static str, u64>,
    /// Numbers of records of the archive that may be pages and cannot be read, by cause.
    unreadable_records: BTreeMap<&'static str, u64>,
    /// The positions of records with a wrong length that [`ArchiveReader::take_wrong_lengths`] has
    /// not returned yet.
    wrong_lengths: Vec<u64>,
    payloads: PayloadIndex,
    /// The archives to read, until they were searched for a payload that was not read before.
    archives: Vec<PathBuf>,
    /// The redirects whose target has not been read, and the position of the first one.
    redirects: Vec<Exchange>,
    start: RecordPosition,
    /// The requested URL of the first redirect.
    requested_url: Option<String>,
}

impl ArchiveReader {
    /// Returns a reader without an open archive. A page whose body has more than `max_bytes` will
    /// have an error.
    pub fn new(max_bytes: u64) -> ArchiveReader {
        ArchiveReader {
            max_bytes,
            payloads: PayloadIndex::new(max_bytes),
            ..ArchiveReader::default()
        }
    }

    /// Adds an index of payloads in other archives, which revisits may refer to.
    pub(crate) fn with_payload_index(mut self, index: Arc<PayloadIndex>) -> ArchiveReader {
        self.payloads.fallback = Some(index);
        self
    }

    /// Sets the archives that will be read. They are read ahead, once, for an original that is in
    /// none of those before: a revisit may refer to a later record.
    pub fn with_archives(mut self, archives: Vec<PathBuf>) -> ArchiveReader {
        self.archives = archives;
        self
    }

    /// Opens an archive; the one before is closed.
    ///
    /// # Errors
    /// Fails if the file cannot be opened.
    pub fn open_archive(&mut self, path: &Path) -> io::Result<()> {
        self.source = Some(self.payloads.open_archive(path)?);
        self.redirects.clear();
        self.other_records.clear();
        self.unreadable_records.clear();
        Ok(())
    }

    /// Closes the open archive, of which nothing more is read.
    pub fn close_archive(&mut self) {
        self.source = None;
    }

    /// Continues at a position of the open archive.
    pub(crate) fn seek(&mut self, position: RecordPosition) -> io::Result<()> {
        self.redirects.clear();
        self.source
            .as_mut()
            .map_or(Ok(()), |source| source.seek(position))
    }

    /// Returns the next page of the open archive. Damaged parts are skipped; see
    /// [`ArchiveReader::take_damage`].
    ///
    /// # Errors
    /// Fails if the file cannot be read, or is not an archive.
    pub fn next_page(&mut self) -> io::Result<Option<ArchivedPage>> {
        while let Some(source) = &mut self.source {
            let wrong_lengths = source.defects().wrong_lengths;
            let Some((record, position)) = source.next_record(&mut self.damage)? else {
                break;
            };
            if source.defects().wrong_lengths > wrong_lengths {
                self.wrong_lengths.push(position.offset);
            }
            let is_page_record = ["response", "resource", "revisit"]
                .iter()
                .any(|name| record.is_of_type(name));
            let content = if is_page_record || is_converted_text(&record) {
                self.read_content(&record, position)
            } else {
                RecordContent::Other
            };
            match content {
                RecordContent::Page(page) => return Ok(Some(*page)),
                RecordContent::Redirect => {}
                RecordContent::Unreadable(cause) => {
                    *self.unreadable_records.entry(cause).or_default() += 1;
                }
                RecordContent::Other if record.field(field::TYPE).is_none() => {
                    *self.unreadable_records.entry(NO_TYPE).or_default() += 1;
                }
                RecordContent::Other => {
                    let name = RECORD_TYPES
                        .into_iter()
                        .find(|name| record.is_of_type(name))
                        .unwrap_or("unknown");
                    *self.other_records.entry(name).or_default() += 1;
                }
            }
        }
        Ok(None)
    }

    /// Returns the damaged parts that were skipped since the last call.
    pub fn take_damage(&mut self) -> Vec<ArchiveDamage> {
        std::mem::take(&mut self.damage)
    }

    /// Returns the positions of the records with a wrong length that were read since the last call.
    pub fn take_wrong_lengths(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.wrong_lengths)
    }

    /// Returns the numbers of records of the open archive, read so far, that may be pages and
    /// cannot be read, by cause.
    pub fn unreadable_record_counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.unreadable_records
    }

    /// Returns the numbers of records of the open archive, read so far, that are not as they state.
    pub fn record_defects(&self) -> RecordDefects {
        let source = self.source.as_ref();
        source.map(RecordSource::defects).unwrap_or_default()
    }

    /// Returns the numbers of records of the open archive, read so far, that are not pages, by
    /// type.
    pub fn other_record_counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.other_records
    }

    /// Reads the content of a record that may be a page.
    fn read_content(&mut self, record: &RawRecord, position: RecordPosition) -> RecordContent {
        let Some(file) = self.payloads.current_archive() else {
            return RecordContent::Other;
        };
        let Some(url) = record.target_uri().filter(|url| !url.trim().is_empty()) else {
            return RecordContent::Unreadable(NO_URL);
        };
        let location = WarcLocation {
            file: file.to_string_lossy().into_owned(),
            offset: position.offset,
        };
        let requested_url = record.field(field::REQUESTED_URI).unwrap_or(url).to_owned();
        let page = |url, start, result| {
            RecordContent::Page(Box::new(ArchivedPage {
                url,
                location,
                start,
                result,
            }))
        };
        let exchange = match self.read_exchange(record, url, position) {
            Ok(exchange) => exchange,
            // Records of other protocols, as DNS responses and notes of crawlers, are not pages.
            Err(FetchError::BadUrl(_)) => {
                return match Url::parse(url) {
                    Ok(url) if !matches!(url.scheme(), "http" | "https") => RecordContent::Other,
                    _ => RecordContent::Unreadable(NO_ABSOLUTE_URL),
                };
            }
            Err(e) => return page(requested_url, position, Err(e)),
        };
        let is_redirect_target = self
            .redirects
            .last()
            .and_then(|last| last.redirect_target().ok())
            .is_some_and(|target| target == exchange.url);
        if !is_redirect_target {
            self.redirects.clear();
            self.start = position;
            self.requested_url = Some(requested_url);
        }
        if exchange.is_redirect()
            && exchange.redirect_target().is_ok()
            && exchange.failure.is_none()
        {
            self.redirects.push(exchange);
            return RecordContent::Redirect;
        }
        let requested_url = self.requested_url.take().unwrap_or_default();
        let redirects = std::mem::take(&mut self.redirects);
        let result = FetchResult {
            requested_url: requested_url.clone(),
            redirects,
            final_exchange: exchange,
            tdm_file_reservation: None,
        };
        page(requested_url, self.start, Ok(result))
    }

    /// Reads the exchange of a record, and adds the record to the index of payloads.
    fn read_exchange(
        &mut self,
        record: &RawRecord,
        url: &str,
        position: RecordPosition,
    ) -> Result<Exchange, FetchError> {
        let mut exchange = self.payloads.read_exchange(record, url);
        let is_revisit = record.is_of_type("revisit");
        if is_revisit && matches!(exchange, Err(FetchError::BadBody(_))) {
            let mut index = RevisitIndex::new(self.max_bytes);
            // What is no file cannot be read twice.
            for archive in self.archives.drain(..).filter(|path| path.is_file()) {
                // Its faults are reported when it is read.
                let _ = index.add_archive(&archive);
            }
            self.payloads.fallback.get_or_insert(index.payloads);
            exchange = self.payloads.read_exchange(record, url);
        }
        // The size is an error only for pages.
        if record.block.is_none() && !matches!(exchange, Err(FetchError::BadUrl(_))) {
            return Err(FetchError::TooLarge(self.max_bytes));
        }
        let mut exchange = exchange?;
        if !is_revisit && !record.is_cut {
            self.payloads.add_record(record, &exchange.body, position);
        }
        exchange.date = normalise_date(record.field(field::DATE).unwrap_or_default());
        exchange.is_duplicate = record.field(field::SOFT_404) == Some(SAME_BODY);
        exchange.is_unchanged = record.field(field::UNCHANGED).is_some();
        exchange.refresh = record
            .field(field::REFRESH)
            .and_then(|url| Url::parse(url).ok());
        // That of a revisit means that its body is elsewhere (WARC 1.1, section 6.7.2).
        let truncated = record.field(field::TRUNCATED).filter(|_| !is_revisit);
        exchange.failure = record_format::parse_failure(truncated, record.field(field::FAILURE));
        Ok(exchange)
    }
}

/// The content of a record.
enum RecordContent {
    Page(Box<ArchivedPage>),
    /// A redirect that can be followed.
    Redirect,
    /// A page that cannot be read, with the cause.
    Unreadable(&'static str),
    /// Anything else.
    Other,
}

/// Returns `true` if a record is the text of a page, converted by its writer (WET).
fn is_converted_text(record: &RawRecord) -> bool {
    let is_plain_text = |media_type: &str| {
        media_type
            .trim_start()
            .to_ascii_lowercase()
            .starts_with("text/plain")
    };
    record.is_of_type("conversion") && record.field(field::CONTENT_TYPE).is_some_and(is_plain_text)
}
