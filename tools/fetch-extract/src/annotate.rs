//! What is done for one record.

use crate::args::Args;
use forage_cli::Tool;
use forage_record::{BadField, ErrorKind, Link, Record, field};
use forage_web::document::{self, Document};
use forage_web::{FetchError, Fetcher};

/// Serves records; shared by all threads.
pub struct Annotator {
    pub fetcher: Fetcher,
    pub force: bool,
    pub keep_html: bool,
    pub links: bool,
}

/// Where a record's page comes from.
enum Source {
    /// It is in the record.
    Html(String),
    /// From the web.
    Url(String),
}

impl Annotator {
    /// Puts the page's text into a record that lacks it, or says in `error` why there is none.
    pub fn serve(&self, record: &mut Record) {
        match self.source(record) {
            Ok(None) => {}
            Ok(Some(Source::Html(html))) => self.extract(record, &html),
            Ok(Some(Source::Url(url))) => {
                let found = self.fetcher.fetch(&url).and_then(|response| document::from_response(&response));
                put(record, found, self.links);
            }
            Err(e) => record.set_error(Args::NAME, ErrorKind::BadField, e),
        }
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
        let found = document::from_html(html, url.as_deref());
        let failed = found.is_err();
        put(record, found, self.links);
        if !self.keep_html && !failed {
            record.remove(field::HTML);
        }
    }
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
