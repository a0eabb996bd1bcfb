//! What is done for one record.

use crate::args::Args;
use crate::outcome::{PageFailure, PageOutcome};
use crate::requested_pages::{Admission, RequestedPages, Turn};
use anyhow::Context;
use forage_cli::{Next, Pending, Tool};
use forage_http::{FetchError, FetchResult, Fetcher, PageRequest, PageResponse, SetupError};
use forage_page::PageDocument;
use forage_record::{BadField, ErrorKind, Fetch, Record, Warc, field};
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

/// Where a record's page comes from.
enum PageSource {
    /// It is in the record.
    Html(String),
    /// From the web.
    Url(String),
}

impl Annotator {
    /// Puts the page's text into a record that lacks it, or says in `error` why there is none. A page of the web comes
    /// later.
    ///
    /// # Errors
    /// When there must be a contact, and is none.
    pub fn begin(&self, record: &mut Record) -> anyhow::Result<Next> {
        match self.source(record) {
            Ok(None) => {}
            Ok(Some(PageSource::Html(html))) => self.extract(record, &html),
            Ok(Some(PageSource::Url(url))) => match self.recovered.as_ref().and_then(|pages| pages.take_page(&url)) {
                Some(kept) => self.results.put_kept(record, kept),
                None => return self.fetch(record, &url),
            },
            Err(e) => record.set_error(Args::NAME, ErrorKind::BadField, e),
        }
        Ok(Next::Done)
    }

    fn fetch(&self, record: &mut Record, url: &str) -> anyhow::Result<Next> {
        let request = match self.admit(url)? {
            Ok(request) => request,
            Err(e) => {
                PageOutcome::failed(e).write_to(record, self.results.links);
                return Ok(Next::Done);
            }
        };
        let (results, fetcher, requested) = (self.results.clone(), self.fetcher.clone(), self.requested.clone());
        Ok(Next::Later(Box::new(move |pending: Pending| match requested.admit(request.url(), pending) {
            Admission::Fetch(turn) => fetcher.submit(request, move |result| results.answer(turn, result)),
            Admission::Wait => {}
            Admission::Answer(pending, outcome) => results.tell(pending, &outcome),
        })))
    }

    fn admit(&self, url: &str) -> anyhow::Result<Result<PageRequest, FetchError>> {
        self.fetcher.admit(url).map_err(|e| match e {
            SetupError::NoContact => anyhow::anyhow!("{e}; give --contact MAIL, or set FORAGE_CONTACT"),
            other => other.into(),
        })
    }

    /// `None` where there is nothing to do: the record has its text, or no page, or failed before.
    fn source(&self, record: &Record) -> Result<Option<PageSource>, BadField> {
        if record.has_error() || (record.holds(field::TEXT) && !self.force) {
            return Ok(None);
        }
        if let Some(html) = record.string(field::HTML)? {
            return Ok(Some(PageSource::Html(html.into_owned())));
        }
        Ok(record.string(field::URL)?.map(|url| PageSource::Url(url.into_owned())))
    }

    fn extract(&self, record: &mut Record, html: &str) {
        let url = match record.string(field::URL) {
            Ok(url) => url.map(String::from),
            Err(e) => return record.set_error(Args::NAME, ErrorKind::BadField, e),
        };
        let found = forage_page::from_html(html, url.as_deref()).map_err(PageFailure::from);
        let found = found.and_then(|document| self.results.respected(document));
        let failed = found.is_err();
        PageOutcome::read(found).write_to(record, self.results.links);
        if !self.keep_html && !failed {
            record.remove(field::HTML);
        }
    }
}

impl ResultWriter {
    /// Answers with what fetching a page brought, after archiving it, or the reason why nothing came. What can't be archived is
    /// not answered: the tool stops, so that it is fetched again when there is room for it.
    fn answer(&self, turn: Turn, result: Result<FetchResult, FetchError>) {
        let outcome = match result.map(|result| self.kept(&result)) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(e)) => return turn.stop(e),
            Err(e) => PageOutcome::failed(e),
        };
        let outcome = Arc::new(outcome);
        for pending in turn.end(&outcome) {
            self.tell(pending, &outcome);
        }
    }

    fn tell(&self, pending: Pending, outcome: &PageOutcome) {
        pending.answer(|record| outcome.write_to(record, self.links));
    }

    /// What fetching a page brought, archived.
    fn kept(&self, result: &FetchResult) -> anyhow::Result<PageOutcome> {
        let document = self.read(result);
        let place = self.keep(result, &document)?;
        Ok(PageOutcome::fetched(result, document, place))
    }

    /// Lets nothing more into the archive, after what is being written: the process may end.
    pub fn close(&self) {
        self.archive.iter().for_each(ArchiveWriter::close);
    }

    /// Archives a fetch result, unless it may not be used.
    fn keep(&self, result: &FetchResult, document: &Result<PageDocument, PageFailure>) -> anyhow::Result<Option<Warc>> {
        let archive = self.archive.as_ref().filter(|_| !matches!(document, Err(PageFailure::OptOut(_))));
        let keep = |archive: &ArchiveWriter| {
            archive
                .write(result)
                .with_context(|| format!("--warc {}: the archive can't be written", archive.path().display()))
        };
        archive.map(keep).transpose()
    }

    /// Adds what a page of an archive brings.
    pub fn put_kept(&self, record: &mut Record, kept: ArchivedPage) {
        let outcome = match kept.result {
            Ok(result) => PageOutcome::fetched(&result, self.read(&result), Some(kept.place)),
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
        let PageResponse { fetch, content_type, robots, tdm_reservation, body } = result.response(self.max_bytes)?;
        let mut document = forage_page::from_bytes(&body, content_type.as_deref(), Some(&result.last.url))?;
        let Fetch { url, status, at, soft_404, unchanged, .. } = fetch;
        document.fetch = Fetch { url, status, at, soft_404, unchanged, ..document.fetch };
        document.add_directives(&robots, tdm_reservation);
        self.respected(document)
    }

    /// A page that reserves itself against text mining is none where that is respected.
    fn respected(&self, document: PageDocument) -> Result<PageDocument, PageFailure> {
        // Of images there is no question here.
        let mut reserved = document.fetch.optout.iter().filter(|word| *word != "noimageai").peekable();
        if self.respect_optout && reserved.peek().is_some() {
            let reserved: Vec<&str> = reserved.map(String::as_str).collect();
            return Err(PageFailure::OptOut(reserved.join(", ")));
        }
        Ok(document)
    }
}
