//! Reading: from archives, ours and others', back to fetch results.
//!
//! A redirect belongs to the answer of its target, where that comes next, as we write them. A
//! revisit gets the body that it refers to from where it was met before. Bodies that were kept
//! without an answer (`resource`), and texts that were made of pages (`conversion`), are pages,
//! too. All else is counted.

use crate::layout::{self, field};
use crate::payloads::Payloads;
use crate::record::{RawRecord, most};
use crate::source::{ArchiveDamage, Place, RecordSource};
use chrono::{DateTime, SecondsFormat, Utc};
use forage_http::{Exchange, FetchError, FetchResult, SAME_BODY};
use forage_record::WarcLocation;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Types of records that are told of by name when they are passed over.
const TYPES: [&str; 8] = [
    "warcinfo",
    "request",
    "metadata",
    "response",
    "resource",
    "revisit",
    "conversion",
    "continuation",
];

/// A page that an archive keeps.
#[derive(Debug)]
pub struct ArchivedPage {
    /// The URL that was asked for.
    pub url: String,
    /// Where the answer is. Records that are packed as a whole are all where that begins.
    pub location: WarcLocation,
    /// Where the first of its redirects is; where the answer is, if there is none.
    pub(crate) start: Place,
    /// What came, or why it can't be given back.
    pub result: Result<FetchResult, FetchError>,
}

/// Reads archives, one after the other.
#[derive(Default)]
pub struct ArchiveReader {
    max_bytes: u64,
    open: Option<RecordSource>,
    /// What of the archive that is open could not be read, and was not told yet.
    damage: Vec<ArchiveDamage>,
    /// Records of it that were passed over, by type.
    others: BTreeMap<&'static str, u64>,
    payloads: Payloads,
    /// Redirects whose target has not come, and where the first of them is.
    redirects: Vec<Exchange>,
    start: Place,
    requested: Option<String>,
}

impl ArchiveReader {
    /// Nothing is open yet. Bodies of more than `max_bytes` are not read.
    pub fn new(max_bytes: u64) -> ArchiveReader {
        ArchiveReader {
            max_bytes,
            ..ArchiveReader::default()
        }
    }

    /// The same, for archives that may refer to bodies in earlier ones.
    pub(crate) fn with_earlier(mut self, earlier: Arc<Payloads>) -> ArchiveReader {
        self.payloads.earlier = Some(earlier);
        self
    }

    /// Goes on with another archive.
    ///
    /// # Errors
    /// When it can't be opened.
    pub fn open_archive(&mut self, path: &Path) -> io::Result<()> {
        self.open = Some(RecordSource::open(path)?);
        self.payloads.open(path);
        self.redirects.clear();
        self.others.clear();
        Ok(())
    }

    /// Goes on with the record at `place` of the archive that was opened last.
    pub(crate) fn seek(&mut self, place: Place) -> io::Result<()> {
        self.redirects.clear();
        self.open.as_mut().map_or(Ok(()), |open| open.seek(place))
    }

    /// The next page of the archive that is open. Damaged parts are passed over:
    /// [`ArchiveReader::take_damage`] tells of them.
    ///
    /// # Errors
    /// When it can't be read, or is none.
    pub fn next_page(&mut self) -> io::Result<Option<ArchivedPage>> {
        while let Some(open) = &mut self.open {
            let Some((raw, place)) = open.next(most(self.max_bytes), &mut self.damage)? else {
                break;
            };
            let is_answer = ["response", "resource", "revisit"]
                .iter()
                .any(|name| raw.is_of_type(name));
            let kept = if is_answer || is_text(&raw) {
                self.read_answer(&raw, place)
            } else {
                ReadAnswer::Other
            };
            match kept {
                ReadAnswer::Page(kept) => return Ok(Some(*kept)),
                ReadAnswer::Redirect => {}
                ReadAnswer::Other => {
                    let name = TYPES
                        .into_iter()
                        .find(|name| raw.is_of_type(name))
                        .unwrap_or("unknown");
                    *self.others.entry(name).or_default() += 1;
                }
            }
        }
        Ok(None)
    }

    /// What had to be passed over as it could not be read; each is told of once.
    pub fn take_damage(&mut self) -> Vec<ArchiveDamage> {
        std::mem::take(&mut self.damage)
    }

    /// Records that are no pages of the archive that is open, by type: so many so far.
    pub fn other_record_counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.others
    }

    /// What a record brings that may be a page.
    fn read_answer(&mut self, raw: &RawRecord, place: Place) -> ReadAnswer {
        let (Some(url), Some(file)) = (raw.target(), self.payloads.file()) else {
            return ReadAnswer::Other;
        };
        let warc = WarcLocation {
            file: file.to_string_lossy().into_owned(),
            offset: place.offset,
        };
        let requested = raw.field(field::ASKED).unwrap_or(url).to_owned();
        let page = |url, start, result| {
            Box::new(ArchivedPage {
                url,
                location: warc,
                start,
                result,
            })
        };
        let exchange = match self.exchange(raw, url, place) {
            Ok(exchange) => exchange,
            // What is none of the web, as answers of the DNS and notes of crawlers, is no page.
            Err(FetchError::BadUrl(_)) => return ReadAnswer::Other,
            Err(e) => return ReadAnswer::Page(page(requested, place, Err(e))),
        };
        let follows = self
            .redirects
            .last()
            .and_then(|last| last.redirect_target().ok())
            .is_some_and(|to| to == exchange.url);
        if !follows {
            self.redirects.clear();
            self.start = place;
            self.requested = Some(requested);
        }
        if exchange.is_redirect()
            && exchange.redirect_target().is_ok()
            && exchange.failure.is_none()
        {
            self.redirects.push(exchange);
            return ReadAnswer::Redirect;
        }
        let requested = self.requested.take().unwrap_or_default();
        let redirects = std::mem::take(&mut self.redirects);
        let result = FetchResult {
            requested_url: requested.clone(),
            redirects,
            final_exchange: exchange,
            tdm_file_reservation: None,
        };
        ReadAnswer::Page(page(requested, self.start, Ok(result)))
    }

    fn exchange(
        &mut self,
        raw: &RawRecord,
        url: &str,
        place: Place,
    ) -> Result<Exchange, FetchError> {
        let exchange = self.payloads.exchange(raw, url, most(self.max_bytes));
        // Of what is no page the size is no matter.
        if raw.block.is_none() && !matches!(exchange, Err(FetchError::BadUrl(_))) {
            return Err(FetchError::TooLarge(self.max_bytes));
        }
        let mut exchange = exchange?;
        if !raw.is_of_type("revisit") {
            self.payloads.remember(raw, place);
        }
        exchange.date = time(raw.field(field::DATE).unwrap_or_default());
        exchange.is_duplicate = raw.field(field::SOFT) == Some(SAME_BODY);
        exchange.is_unchanged = raw.field(field::UNCHANGED).is_some();
        exchange.failure = layout::failure(raw.field(field::TRUNCATED), raw.field(field::FAILURE));
        Ok(exchange)
    }
}

/// What a record brings.
enum ReadAnswer {
    Page(Box<ArchivedPage>),
    /// An answer that sends on.
    Redirect,
    /// Something else.
    Other,
}

/// Whether a record is the text of a page, which somebody made of it.
fn is_text(raw: &RawRecord) -> bool {
    let is_plain = |media: &str| {
        media
            .trim_start()
            .to_ascii_lowercase()
            .starts_with("text/plain")
    };
    raw.is_of_type("conversion") && raw.field(field::CONTENT_TYPE).is_some_and(is_plain)
}

/// A record's date as records give times: to the second. One that is less precise is none.
fn time(date: &str) -> String {
    let time = DateTime::parse_from_rfc3339(date).map(|time| time.with_timezone(&Utc));
    time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_given_to_the_second() {
        for date in [
            "2020-01-02T03:04:05Z",
            "2020-01-02T03:04:05.678901Z",
            "2020-01-02T04:04:05+01:00",
        ] {
            assert_eq!(time(date), "2020-01-02T03:04:05Z");
        }
        for vague in ["", "2020", "2020-01-02", "20200102030405", "yesterday"] {
            assert_eq!(time(vague), "", "{vague}");
        }
    }
}
