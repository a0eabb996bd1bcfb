//! What is done for one record.

use crate::args::Args;
use crate::outcome::{PageFailure, PageOutcome};
use crate::requested_pages::{Admission, RequestedPages, Turn};
use anyhow::Context;
use forage_cli::{Annotation, PendingRecord, Tool};
use forage_http::{FetchError, FetchResult, Fetcher, SetupError};
use forage_page::PageDocument;
use forage_record::{BadField, ErrorKind, Fetch, Record, WarcLocation, field};
use forage_warc::{ArchiveWriter, ArchivedPage, RecoveredPages};
use std::sync::Arc;
use url::Url;

/// Serves records; shared by all threads.
pub struct Annotator {
    pub fetcher: Arc<Fetcher>,
    pub force: bool,
    pub keep_html: bool,
    pub results: Arc<ResultWriter>,
    pub requested: Arc<RequestedPages>,
    /// Pages that need not be fetched any more.
    pub recovered: Option<RecoveredPages>,
}

/// Makes records of fetch results, from the web or from an archive, and archives those of the web.
pub struct ResultWriter {
    pub links: bool,
    pub max_bytes: u64,
    pub respect_optout: bool,
    /// Where they are kept.
    pub archive: Option<ArchiveWriter>,
}

impl Annotator {
    /// Puts the page's text into a record that lacks it, or says in `error` why there is none. A
    /// page of the web comes later.
    ///
    /// # Errors
    /// When there must be a contact, and is none.
    pub fn begin(&self, record: &mut Record) -> anyhow::Result<Annotation> {
        if record.has_error() || (record.has_value(field::TEXT) && !self.force) {
            return Ok(Annotation::Done);
        }
        match source(record) {
            Ok((Some(html), url)) => self.extract(record, &html, url.as_deref()),
            Ok((None, Some(url))) => return self.fetch(record, &url),
            Ok((None, None)) => {}
            Err(e) => record.set_error(Args::NAME, ErrorKind::BadField, e),
        }
        Ok(Annotation::Done)
    }

    fn fetch(&self, record: &mut Record, url: &str) -> anyhow::Result<Annotation> {
        if let Some(kept) = self
            .recovered
            .as_ref()
            .and_then(|pages| pages.take_page(url))
        {
            self.results.put_kept(record, kept);
            return Ok(Annotation::Done);
        }
        let admitted = self.fetcher.prepare_request(url).map_err(|e| match e {
            SetupError::NoContact => {
                anyhow::anyhow!("{e}; give --contact MAIL, or set FORAGE_CONTACT")
            }
            other => other.into(),
        })?;
        let request = match admitted {
            Ok(request) => request,
            Err(e) => {
                PageOutcome::failed(e).write_to(record, self.results.links);
                return Ok(Annotation::Done);
            }
        };
        let (results, fetcher, requested) = (
            self.results.clone(),
            self.fetcher.clone(),
            self.requested.clone(),
        );
        Ok(Annotation::Deferred(Box::new(
            move |pending: PendingRecord| match requested.admit(request.url(), pending) {
                Admission::Fetch(turn) => {
                    fetcher.submit(request, move |result| results.answer(turn, result))
                }
                Admission::Wait => {}
                Admission::Answer(pending, outcome) => results.tell(pending, &outcome),
            },
        )))
    }

    fn extract(&self, record: &mut Record, html: &str, url: Option<&str>) {
        let found = forage_page::from_html(html, url).map_err(PageFailure::from);
        let found = found.and_then(|document| self.results.respected(document));
        let failed = found.is_err();
        PageOutcome::read(found).write_to(record, self.results.links);
        if !self.keep_html && !failed {
            record.remove(field::HTML);
        }
    }
}

/// The page that a record carries, and its URL.
fn source(record: &Record) -> Result<(Option<String>, Option<String>), BadField> {
    let html = record.string(field::HTML)?.map(String::from);
    Ok((html, record.string(field::URL)?.map(String::from)))
}

impl ResultWriter {
    /// Answers with what fetching a page brought, after archiving it, or the reason why nothing
    /// came. What can't be archived is not answered: the tool stops, so that it is fetched again
    /// when there is room for it.
    fn answer(&self, turn: Turn, result: Result<FetchResult, FetchError>) {
        let outcome = match result {
            Ok(result) => {
                let document = self.read(&result);
                match self.archived(&result, &document) {
                    Ok(place) => PageOutcome::fetched(&result, document, place),
                    Err(e) => return turn.stop(e),
                }
            }
            Err(e) => PageOutcome::failed(e),
        };
        let outcome = Arc::new(outcome);
        for pending in turn.end(&outcome) {
            self.tell(pending, &outcome);
        }
    }

    fn tell(&self, pending: PendingRecord, outcome: &PageOutcome) {
        pending.finish(|record| outcome.write_to(record, self.links));
    }

    /// Lets nothing more into the archive, after what is being written: the process may end.
    pub fn close(&self) {
        self.archive.iter().for_each(ArchiveWriter::close);
    }

    /// Archives a fetch result, unless it may not be used. Returns its place.
    fn archived(
        &self,
        result: &FetchResult,
        document: &Result<PageDocument, PageFailure>,
    ) -> anyhow::Result<Option<WarcLocation>> {
        let is_optout = matches!(document, Err(PageFailure::OptOut(_)));
        let Some(archive) = self.archive.as_ref().filter(|_| !is_optout) else {
            return Ok(None);
        };
        let told = || {
            format!(
                "--warc {}: the archive can't be written",
                archive.path().display()
            )
        };
        archive.write_result(result).with_context(told).map(Some)
    }

    /// Adds what a page of an archive brings.
    pub fn put_kept(&self, record: &mut Record, kept: ArchivedPage) {
        let outcome = match kept.result {
            Ok(result) => PageOutcome::fetched(&result, self.read(&result), Some(kept.location)),
            Err(e) => PageOutcome::failed(e),
        };
        outcome.write_to(record, self.links);
    }

    /// The record of a page that lies in a file.
    pub fn of_file(&self, url: &Url, body: &[u8]) -> Record {
        let mut record = Record::new();
        record.set(field::URL, &url.as_str());
        let found = forage_page::from_bytes(body, None, Some(url)).map_err(PageFailure::from);
        let found = found.and_then(|document| self.respected(document));
        PageOutcome::read(found).write_to(&mut record, self.links);
        record
    }

    /// What fetching a page brought.
    fn read(&self, result: &FetchResult) -> Result<PageDocument, PageFailure> {
        let answer = result.response(self.max_bytes)?;
        let (content_type, url) = (answer.content_type.as_deref(), &result.final_exchange.url);
        let mut document = forage_page::from_bytes(&answer.body, content_type, Some(url))?;
        let Fetch {
            url,
            status,
            at,
            soft_404,
            unchanged,
            ..
        } = answer.fetch;
        document.fetch = Fetch {
            url,
            status,
            at,
            soft_404,
            unchanged,
            ..document.fetch
        };
        document.add_directives(&answer.robots, answer.tdm_reservation);
        self.respected(document)
    }

    /// A page that reserves itself against text mining is none where that is respected.
    fn respected(&self, document: PageDocument) -> Result<PageDocument, PageFailure> {
        // Of images there is no question here.
        let mut reserved = document
            .fetch
            .optout
            .iter()
            .filter(|word| *word != "noimageai")
            .peekable();
        if self.respect_optout && reserved.peek().is_some() {
            let reserved: Vec<&str> = reserved.map(String::as_str).collect();
            return Err(PageFailure::OptOut(reserved.join(", ")));
        }
        Ok(document)
    }
}
