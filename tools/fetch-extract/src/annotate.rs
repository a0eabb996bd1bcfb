//! The work on one record: fetches its page or reads it from an archive, archives the fetch result,
//! and adds the text.

use crate::args::Args;
use crate::outcome::{PageFailure, PageOutcome, check_machine_limit};
use crate::requested_pages::{PageFetch, PageRequestState, RequestedPages};
use crate::site_rules::UnmatchedRuleWarnings;
use anyhow::Context;
use forage_cli::{Annotation, PendingRecord, Tool};
use forage_http::page_url::strip_credentials;
use forage_http::{FetchError, FetchResult, Fetcher, SetupError};
use forage_page::{
    ExtractedPage, ExtractionOptions, PageError, add_directives, add_response_fields,
};
use forage_record::time::parse_rfc3339;
use forage_record::{BadField, ErrorKind, Fetch, Previous, Record, WarcLocation, field};
use forage_run::TakenDownList;
use forage_warc::{ArchiveWriter, ArchivedPage, RecoveredPages, RevisitIndex};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use url::Url;

/// Adds the page's text to records. All threads share one annotator.
pub struct PageAnnotator {
    pub fetcher: Arc<Fetcher>,
    pub force: bool,
    /// Pages that were asked for before this time are asked for again.
    pub refresh: Option<SystemTime>,
    /// The archive of this run.
    pub warc: Option<PathBuf>,
    pub keep_html: bool,
    pub results: Arc<ResultWriter>,
    pub requested: Arc<RequestedPages>,
    /// Pages that an interrupted run has archived, and that need not be fetched again.
    pub recovered: Option<RecoveredPages>,
}

/// Writes the pages of fetch results into records, and archives results from the web.
pub struct ResultWriter {
    /// True if the page's links are added to records.
    pub links: bool,
    pub max_bytes: u64,
    pub respect_optout: bool,
    /// Pages and texts that never come back.
    pub taken_down: TakenDownList,
    /// The site rules and the method of extraction.
    pub options: Arc<ExtractionOptions>,
    /// Warnings about site rules that match nothing.
    pub warnings: UnmatchedRuleWarnings,
    /// The archive to which results from the web are written, if any.
    pub archive: Option<ArchiveWriter>,
    /// Archived pages, which need not be sent again if they have not changed.
    pub revisits: Arc<RevisitIndex>,
}

impl PageAnnotator {
    /// Adds the page's text to a record without text, or an `error` if there is none. For a page
    /// from the web, returns the deferred work.
    ///
    /// # Errors
    /// Fails if a page must be fetched, and no contact is set or the host store cannot be opened;
    /// or if a limit of this machine prevents that a page is read.
    pub fn annotate_record(&self, record: &mut Record) -> anyhow::Result<Annotation> {
        let is_done = !self.force && record.has_value(field::TEXT);
        let is_stale = self.is_stale(record);
        if record.has_error() || !is_stale.unwrap_or(!is_done) {
            return Ok(Annotation::Done);
        }
        let page = html_and_url(record);
        // A password must not spread to corpora and archives.
        if let Ok((_, Some(url))) = &page
            && let Cow::Owned(stripped) = strip_credentials(url)
        {
            record.set(field::URL, &stripped);
        }
        match page {
            Ok((Some(html), url)) => self.extract_html(record, &html, url.as_deref())?,
            Ok((None, Some(url))) => return self.fetch_page(record, &url),
            Ok((None, None)) => {}
            Err(e) => record.set_error(Args::NAME, ErrorKind::BadField, e),
        }
        Ok(Annotation::Done)
    }

    /// Returns whether a page that was fetched before is asked for again, and has its archived
    /// version found then; `None` for other records, and without `--refresh`.
    fn is_stale(&self, record: &Record) -> Option<bool> {
        let before = self.refresh?;
        let previous = match record.view(field::PREVIOUS).ok().flatten() {
            Some(previous) => previous,
            None if record.has_value(field::TEXT) => {
                let fetch: Fetch = record.view(field::FETCH).ok().flatten()?;
                Previous {
                    at: fetch.at,
                    warc: fetch.warc,
                    ..Previous::default()
                }
            }
            None => return None,
        };
        let at = previous.at.as_deref().and_then(parse_rfc3339);
        let is_stale = at.is_none_or(|at| at < before);
        if let Some(place) = previous.warc.filter(|_| is_stale) {
            // The folder of a run may have moved.
            let file = Path::new(&place.file);
            let own = self.warc.as_deref();
            let own = own.filter(|own| own.file_name() == file.file_name());
            let file = own.unwrap_or(file);
            self.results.revisits.add_page_at(file, place.offset);
        }
        Some(is_stale)
    }

    fn fetch_page(&self, record: &mut Record, url: &str) -> anyhow::Result<Annotation> {
        if let Some(entry) = self.results.taken_down.find_url(url) {
            let failure = PageFailure::from_entry(entry);
            PageOutcome::from_document(Err(failure)).write_to(record, self.results.links);
            return Ok(Annotation::Done);
        }
        if let Some(archived) = self
            .recovered
            .as_ref()
            .and_then(|pages| pages.take_page(url))
        {
            self.results.write_archived_page(record, archived)?;
            return Ok(Annotation::Done);
        }
        let prepared = self.fetcher.prepare_request(url).map_err(|e| match e {
            SetupError::NoContact => {
                anyhow::anyhow!("{e}; give --contact MAIL, or set FORAGE_CONTACT")
            }
            other => other.into(),
        })?;
        let request = match prepared {
            Ok(request) => request,
            Err(e) => {
                PageOutcome::from_fetch_error(e).write_to(record, self.results.links);
                return Ok(Annotation::Done);
            }
        };
        let results = self.results.clone();
        let fetcher = self.fetcher.clone();
        let requested = self.requested.clone();
        Ok(Annotation::Deferred(Box::new(
            move |pending: PendingRecord| match requested.request_page(request.url(), pending) {
                PageRequestState::Fetch(page_fetch) => fetcher.submit(request, move |result| {
                    results.finish_fetch(page_fetch, result)
                }),
                PageRequestState::Waiting => {}
                PageRequestState::Finished(pending, outcome) => {
                    results.answer_record(pending, &outcome)
                }
            },
        )))
    }

    fn extract_html(
        &self,
        record: &mut Record,
        html: &str,
        url: Option<&str>,
    ) -> anyhow::Result<()> {
        let results = &self.results;
        let document = results.finish_document(forage_page::from_html(html, url, &results.options));
        let document = check_machine_limit(document)?;
        let has_failed = document.is_err();
        PageOutcome::from_document(document).write_to(record, self.results.links);
        if !self.keep_html && !has_failed {
            record.remove(field::HTML);
        }
        Ok(())
    }
}

/// Returns the fields `html` and `url` of a record.
fn html_and_url(record: &Record) -> Result<(Option<String>, Option<String>), BadField> {
    let html = record.string(field::HTML)?.map(String::from);
    Ok((html, record.string(field::URL)?.map(String::from)))
}

impl ResultWriter {
    /// Archives a fetch result and answers all records that wait for it.
    ///
    /// If the page cannot be read because of a limit of this machine, or the result cannot be
    /// archived, stops the tool and answers no record, so that the page is fetched again.
    fn finish_fetch(&self, page_fetch: PageFetch, result: Result<FetchResult, FetchError>) {
        let outcome = match result {
            Ok(result) if self.is_unchanged(&result) => match self.archive_result(&result, true) {
                Ok(_) => PageOutcome::from_unchanged(&result),
                Err(e) => return page_fetch.stop_tool(e),
            },
            Ok(result) => {
                let document = match check_machine_limit(self.read_document(&result)) {
                    Ok(document) => document,
                    Err(e) => {
                        let url = result.final_exchange.url.as_str();
                        return page_fetch.stop_tool(anyhow::Error::new(e).context(url.to_owned()));
                    }
                };
                let is_kept = !matches!(
                    document,
                    Err(PageFailure::OptOut(_) | PageFailure::TakenDown(_))
                );
                match self.archive_result(&result, is_kept) {
                    Ok(location) => PageOutcome::from_fetch_result(&result, document, location),
                    Err(e) => return page_fetch.stop_tool(e),
                }
            }
            // Answered by an error record, the URL would count as fetched.
            Err(e @ FetchError::Outage(_)) => return page_fetch.stop_tool(e.into()),
            Err(e) => PageOutcome::from_fetch_error(e),
        };
        let outcome = Arc::new(outcome);
        for pending in page_fetch.finish(&outcome) {
            self.answer_record(pending, &outcome);
        }
    }

    /// Returns `true` for a page that is asked for again, and has not changed.
    fn is_unchanged(&self, result: &FetchResult) -> bool {
        let exchange = &result.final_exchange;
        exchange.is_unchanged && self.revisits.has_page_at(&exchange.url)
    }

    fn answer_record(&self, pending: PendingRecord, outcome: &PageOutcome) {
        pending.finish(|record| outcome.write_to(record, self.links));
    }

    /// Closes the archive after the current write, so that the process can exit.
    pub fn close_archive(&self) {
        self.archive.iter().for_each(ArchiveWriter::close);
    }

    /// Archives a fetch result, unless there is no archive or the page was rejected as an opt-out,
    /// or as taken down.
    /// Returns its location in the archive.
    fn archive_result(
        &self,
        result: &FetchResult,
        is_kept: bool,
    ) -> anyhow::Result<Option<WarcLocation>> {
        let Some(archive) = self.archive.as_ref().filter(|_| is_kept) else {
            return Ok(None);
        };
        let location = archive.write_result(result).with_context(|| {
            format!(
                "--warc {}: the archive cannot be written",
                archive.path().display()
            )
        })?;
        Ok(Some(location))
    }

    /// Writes a page from an archive into a record.
    ///
    /// # Errors
    /// Fails if a limit of this machine prevents that the page is read.
    pub fn write_archived_page(
        &self,
        record: &mut Record,
        archived: ArchivedPage,
    ) -> anyhow::Result<()> {
        let outcome = match archived.result {
            Ok(result) => PageOutcome::from_fetch_result(
                &result,
                check_machine_limit(self.read_document(&result))?,
                Some(archived.location),
            ),
            Err(e) => PageOutcome::from_fetch_error(e),
        };
        outcome.write_to(record, self.links);
        Ok(())
    }

    /// Returns the record of a page that was read from a file, with the text of the page.
    ///
    /// # Errors
    /// Fails if a limit of this machine prevents that the page is read.
    pub fn record_from_file(&self, url: &Url, body: &[u8]) -> anyhow::Result<Record> {
        let mut record = Record::new();
        if url.path().starts_with("/dev/") {
            record.set(field::URL, &url.as_str());
            // Another page on standard input, or in a pipe, has the same URL.
            record.set(field::ID, &blake3::hash(body).to_hex().as_str());
        } else {
            // A name, not a path from the root (RFC 3986, section 3.3).
            record.set(field::URL, &url.as_str().replacen("file:///", "file:", 1));
        }
        let document = forage_page::from_bytes(body, None, Some(url), &self.options);
        let document = check_machine_limit(self.finish_document(document))?;
        PageOutcome::from_document(document).write_to(&mut record, self.links);
        Ok(record)
    }

    /// Extracts the document of a fetch result.
    fn read_document(&self, result: &FetchResult) -> Result<ExtractedPage, PageFailure> {
        let response = result.response(self.max_bytes)?;
        let content_type = response.content_type.as_deref();
        let final_url = &result.final_exchange.url;
        let mut document =
            forage_page::from_bytes(&response.body, content_type, Some(final_url), &self.options)?;
        let fetch = document.fetch.extend(&response.fetch);
        fetch.map_err(|e| PageError::BadBody(e.to_string()))?;
        let (links, language) = (response.links.as_deref(), response.language.as_deref());
        add_response_fields(&mut document, final_url, links, language);
        add_directives(&mut document, &response.robots, response.tdm_reservation);
        let entry = self.taken_down.find_url(final_url.as_str());
        match entry.or_else(|| self.taken_down.find_text(&document.text)) {
            Some(entry) => Err(PageFailure::from_entry(entry)),
            None => self.finish_document(Ok(document)),
        }
    }

    /// Warns if a document's site rule does not match, and rejects the document if it opts out of
    /// text mining.
    fn finish_document(
        &self,
        document: Result<ExtractedPage, PageError>,
    ) -> Result<ExtractedPage, PageFailure> {
        let document = document?;
        self.warnings.check_document(&document);
        self.apply_optout(document)
    }

    /// Rejects a document that opts out of text mining, with `--respect-optout`.
    fn apply_optout(&self, document: ExtractedPage) -> Result<ExtractedPage, PageFailure> {
        // `noimageai` concerns images only.
        let mut reservations = document
            .fetch
            .optout
            .iter()
            .filter(|word| *word != "noimageai")
            .peekable();
        if self.respect_optout && reservations.peek().is_some() {
            let reservations: Vec<&str> = reservations.map(String::as_str).collect();
            return Err(PageFailure::OptOut(reservations.join(", ")));
        }
        Ok(document)
    }
}
