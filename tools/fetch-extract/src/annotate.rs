//! What is done for one record.

use crate::args::Args;
use anyhow::Context;
use forage_cli::{Next, Pending, Tool};
use forage_record::{BadField, ErrorKind, Fetch, Link, Record, Warc, field};
use forage_web::document::{self, Document};
use forage_web::fetch::Job;
use forage_web::warc::{Archive, Kept, Recovered};
use forage_web::{FetchError, Fetcher, SetupError, Visit};
use std::sync::Arc;
use url::Url;

/// Serves records; shared by all threads.
pub struct Annotator {
    pub fetcher: Arc<Fetcher>,
    pub force: bool,
    pub keep_html: bool,
    pub visits: Arc<Visits>,
    /// Pages that need not be fetched any more.
    pub recovered: Option<Recovered>,
}

/// What is done with pages that have come, from the web or from an archive.
pub struct Visits {
    pub links: bool,
    pub max_bytes: u64,
    pub respect_optout: bool,
    /// Where they are kept.
    pub archive: Option<Archive>,
}

/// Where a record's page comes from.
enum Source {
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
            Ok(Some(Source::Html(html))) => self.extract(record, &html),
            Ok(Some(Source::Url(url))) => match self.recovered.as_ref().and_then(|pages| pages.take(&url)) {
                Some(kept) => self.visits.put_kept(record, kept),
                None => return self.fetch(record, &url),
            },
            Err(e) => record.set_error(Args::NAME, ErrorKind::BadField, e),
        }
        Ok(Next::Done)
    }

    fn fetch(&self, record: &mut Record, url: &str) -> anyhow::Result<Next> {
        let job = match self.admit(url)? {
            Ok(job) => job,
            Err(e) => {
                record.set_error(Args::NAME, e.kind(), e);
                return Ok(Next::Done);
            }
        };
        let (visits, fetcher) = (self.visits.clone(), self.fetcher.clone());
        Ok(Next::Later(Box::new(move |pending: Pending| {
            fetcher.submit(job, move |visit| visits.answer(pending, visit));
        })))
    }

    fn admit(&self, url: &str) -> anyhow::Result<Result<Job, FetchError>> {
        self.fetcher.admit(url).map_err(|e| match e {
            SetupError::NoContact => anyhow::anyhow!("{e}; give --contact MAIL, or set FORAGE_CONTACT"),
            other => other.into(),
        })
    }

    /// `None` where there is nothing to do: the record has its text, or no page, or failed before.
    fn source(&self, record: &Record) -> Result<Option<Source>, BadField> {
        let has_text = record.raw(field::TEXT).is_some_and(|json| json != "null");
        if record.has_error() || (has_text && !self.force) {
            return Ok(None);
        }
        if let Some(html) = record.string(field::HTML)? {
            return Ok(Some(Source::Html(html.into_owned())));
        }
        Ok(record.string(field::URL)?.map(|url| Source::Url(url.into_owned())))
    }

    fn extract(&self, record: &mut Record, html: &str) {
        let url = match record.string(field::URL) {
            Ok(url) => url.map(String::from),
            Err(e) => return record.set_error(Args::NAME, ErrorKind::BadField, e),
        };
        let found = document::from_html(html, url.as_deref()).and_then(|document| self.visits.respected(document));
        let failed = found.is_err();
        put(record, found, self.visits.links);
        if !self.keep_html && !failed {
            record.remove(field::HTML);
        }
    }
}

impl Visits {
    /// Answers with what a visit brought, after archiving it, or the reason why nothing came. What can't be archived is
    /// not answered: the tool stops, so that it is fetched again when there is room for it.
    pub fn answer(&self, pending: Pending, visit: Result<Visit, FetchError>) {
        let visit = match visit {
            Ok(visit) => visit,
            Err(e) => return pending.answer(|record| put(record, Err(e), self.links)),
        };
        let document = self.read(&visit);
        match self.keep(&visit, &document) {
            Ok(place) => pending.answer(|record| self.put(record, &visit, document, place)),
            Err(e) => pending.stop(e),
        }
    }

    /// Archives a visit, unless it may not be used.
    fn keep(&self, visit: &Visit, document: &Result<Document, FetchError>) -> anyhow::Result<Option<Warc>> {
        let archive = self.archive.as_ref().filter(|_| !matches!(document, Err(FetchError::OptOut(_))));
        let keep = |archive: &Archive| {
            archive
                .keep(visit)
                .with_context(|| format!("--warc {}: the archive can't be written", archive.path().display()))
        };
        archive.map(keep).transpose()
    }

    /// Adds what a page of an archive brings.
    pub fn put_kept(&self, record: &mut Record, kept: Kept) {
        match kept.visit {
            Ok(visit) => self.put(record, &visit, self.read(&visit), Some(kept.place)),
            Err(e) => put(record, Err(e), self.links),
        }
    }

    /// Adds what a visit came to; where that is no document, what was answered all the same.
    fn put(&self, record: &mut Record, visit: &Visit, document: Result<Document, FetchError>, place: Option<Warc>) {
        if document.is_err() {
            record.set(field::FETCH, &Fetch { warc: place.clone(), ..visit.answered() });
        }
        put(record, document.map(|document| with_place(document, place)), self.links);
    }

    /// The record of a page that lies in a file.
    pub fn of_file(&self, url: &Url, body: &[u8]) -> Record {
        let mut record = Record::new();
        record.set(field::URL, &url.as_str());
        let found = document::from_bytes(body, None, Some(url)).and_then(|document| self.respected(document));
        put(&mut record, found, self.links);
        record
    }

    /// What a visit brought.
    fn read(&self, visit: &Visit) -> Result<Document, FetchError> {
        visit.response(self.max_bytes).and_then(|it| document::from_response(&it)).and_then(|it| self.respected(it))
    }

    /// A page that reserves itself against text mining is none where that is respected.
    fn respected(&self, document: Document) -> Result<Document, FetchError> {
        // Of images there is no question here.
        let mut reserved = document.fetch.optout.iter().filter(|word| *word != "noimageai").peekable();
        if self.respect_optout && reserved.peek().is_some() {
            let reserved: Vec<&str> = reserved.map(String::as_str).collect();
            return Err(FetchError::OptOut(reserved.join(", ")));
        }
        Ok(document)
    }
}

/// A document of which is known where it is archived.
fn with_place(mut document: Document, place: Option<Warc>) -> Document {
    document.fetch.warc = place;
    document
}

/// Adds what was found, or the reason why nothing was.
pub fn put(record: &mut Record, found: Result<Document, FetchError>, links: bool) {
    let Document { page, mut fetch } = match found {
        Ok(document) => document,
        Err(e) => return record.set_error(Args::NAME, e.kind(), e),
    };
    if fetch.url.is_none() {
        fetch.url = record.string(field::URL).ok().flatten().map(String::from);
    }
    let id = forage_text::document_id(fetch.url.as_deref().unwrap_or_default(), &page.text);
    record.set(field::ID, &id);
    if page.title.is_some() {
        record.set(field::TITLE, &page.title);
    }
    record.set(field::TEXT, &page.text);
    record.set(field::FETCH, &fetch);
    if links {
        let link = |link: forage_web::extract::Link| Link { url: link.url, text: link.text, rel: link.rel };
        record.set(field::LINKS, &page.links.into_iter().map(link).collect::<Vec<_>>());
    }
}
