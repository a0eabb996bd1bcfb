//! The outcome of fetching or reading a page, and how it is written into a record.

use crate::args::Args;
use forage_cli::Tool;
use forage_http::{FetchError, FetchResult};
use forage_page::{ExtractedPage, PageError};
use forage_record::{Comment, ErrorKind, Fetch, Link, Record, WarcLocation, field};

/// The reason why a record gets no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageFailure {
    /// The page could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The page could not be read.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The page opts out of text mining, and `--respect-optout` is given.
    #[error("the page opts out of text mining: {0}")]
    OptOut(String),
    /// The page, its host or its text was taken down.
    #[error("was taken down{0}")]
    TakenDown(String),
}

impl PageFailure {
    /// Returns the failure of a page that was taken down.
    pub fn from_entry(entry: &Record) -> PageFailure {
        let reason = entry.scalar("reason");
        PageFailure::TakenDown(reason.map_or_else(String::new, |reason| format!(": {reason}")))
    }

    /// Returns the links of a page without text, or the target of a redirect that another process
    /// follows.
    fn links(&self) -> Vec<Link> {
        match self {
            PageFailure::Page(e) => e.links().to_vec(),
            PageFailure::Fetch(FetchError::OtherPartition(url)) => vec![Link {
                url: url.to_string(),
                text: String::new(),
                rel: None,
            }],
            _ => Vec::new(),
        }
    }

    /// Returns the kind of the record's `error`.
    fn kind(&self) -> ErrorKind {
        match self {
            PageFailure::Fetch(e) => e.kind(),
            PageFailure::Page(e) => e.kind(),
            PageFailure::OptOut(_) => ErrorKind::OptOut,
            PageFailure::TakenDown(_) => ErrorKind::TakenDown,
        }
    }
}

/// Returns a document, or the reason of the page itself why there is none.
///
/// # Errors
/// Fails if a limit of this machine is the reason: an error record would use up the page.
pub fn check_machine_limit(
    document: Result<ExtractedPage, PageFailure>,
) -> Result<Result<ExtractedPage, PageFailure>, PageError> {
    match document {
        Err(PageFailure::Page(e @ PageError::MachineLimit(_))) => Err(e),
        document => Ok(document),
    }
}

/// A page's document, or the reason why there is none.
#[derive(Debug)]
pub struct PageOutcome {
    document: Result<ExtractedPage, PageFailure>,
    /// Metadata of the response, if one arrived from which no document could be extracted.
    failed_fetch: Option<Fetch>,
}

impl PageOutcome {
    /// Returns the outcome for a page without a response.
    pub fn from_fetch_error(e: FetchError) -> PageOutcome {
        PageOutcome::from_document(Err(e.into()))
    }

    /// Returns the outcome for a page without metadata of a response besides those of its document.
    pub fn from_document(document: Result<ExtractedPage, PageFailure>) -> PageOutcome {
        PageOutcome {
            document,
            failed_fetch: None,
        }
    }

    /// Returns the outcome for a fetch result, with its location if it is archived.
    pub fn from_fetch_result(
        result: &FetchResult,
        document: Result<ExtractedPage, PageFailure>,
        location: Option<WarcLocation>,
    ) -> PageOutcome {
        match document {
            Ok(mut document) => {
                document.fetch.warc = location;
                PageOutcome::from_document(Ok(document))
            }
            Err(e) => PageOutcome {
                document: Err(e),
                failed_fetch: Some(Fetch {
                    warc: location,
                    ..result.fetch_metadata()
                }),
            },
        }
    }

    /// Returns the outcome for a page that is asked for again, and has not changed.
    pub fn from_unchanged(result: &FetchResult) -> PageOutcome {
        PageOutcome {
            document: Err(PageError::NoText(Vec::new()).into()),
            failed_fetch: Some(Fetch {
                unchanged: true,
                ..result.fetch_metadata()
            }),
        }
    }

    /// Returns the memory that the outcome takes, in bytes, estimated.
    pub fn memory_bytes(&self) -> usize {
        let page = match &self.document {
            Ok(page) => {
                let links: usize = page
                    .links
                    .iter()
                    .map(|link| size_of_val(link) + link.url.len() + link.text.len())
                    .sum();
                page.text.len()
                    + page.title.as_ref().map_or(0, String::len)
                    + links
                    + size_of_val(&page.structure[..])
                    + page.comments.iter().map(comment_bytes).sum::<usize>()
            }
            Err(e) => e.to_string().len(),
        };
        page + 2 * size_of::<PageOutcome>()
    }

    /// Adds the document to a record, unless its JSON is too long for a line, or the error with the
    /// metadata of the response, if there was one. Removes the fields of an earlier page, so that
    /// no record mixes two pages.
    pub fn write_to(&self, record: &mut Record, with_links: bool) {
        let had_text = record.has_value(field::TEXT);
        if let Some(unchanged) = self.failed_fetch.as_ref().filter(|fetch| fetch.unchanged) {
            // The rest of what is known of the page stays.
            let mut fetch: Fetch = record.view(field::FETCH).ok().flatten().unwrap_or_default();
            if fetch.extend(unchanged).is_ok() {
                record.set(field::FETCH, &fetch);
            }
            return;
        }
        match &self.document {
            Ok(document) => {
                write_document(record, document, with_links, had_text);
                refuse_long_line(record);
            }
            Err(e) => {
                if had_text {
                    remove_page(record);
                    record.remove(field::FETCH);
                }
                if let Some(fetch) = &self.failed_fetch {
                    record.set(field::FETCH, fetch);
                }
                let links = e.links();
                if with_links && !links.is_empty() {
                    record.set(field::LINKS, &links);
                }
                record.set_error(Args::NAME, e.kind(), e);
            }
        }
    }
}

/// Longest JSON of the fields of a page: other tools refuse lines of more than 32 MiB, and add
/// fields of their own.
const MAX_PAGE_JSON: usize = 30 << 20;

/// Replaces a page that would not fit into a line by an error. JSON can be six times as long as a
/// text.
fn refuse_long_line(record: &mut Record) {
    let length = |key| record.raw_json(key).map_or(0, str::len);
    if PAGE_FIELDS.into_iter().map(length).sum::<usize>() > MAX_PAGE_JSON {
        remove_page(record);
        let message =
            format!("text, links and comments are longer than {MAX_PAGE_JSON} bytes as JSON");
        record.set_error(Args::NAME, ErrorKind::TooLarge, message);
    }
}

/// The fields of a page, besides `fetch`.
const PAGE_FIELDS: [&str; 6] = [
    field::ID,
    field::TITLE,
    field::TEXT,
    field::STRUCTURE,
    field::LINKS,
    field::COMMENTS,
];

fn remove_page(record: &mut Record) {
    for key in PAGE_FIELDS {
        record.remove(key);
    }
}

fn write_document(record: &mut Record, page: &ExtractedPage, with_links: bool, had_text: bool) {
    let mut fetch = page.fetch.clone();
    if fetch.url.is_none() {
        fetch.url = record.string(field::URL).ok().flatten().map(String::from);
    }
    let id = forage_text::document_id(fetch.url.as_deref().unwrap_or_default(), &page.text);
    record.set(field::ID, &id);
    if page.title.is_some() {
        record.set(field::TITLE, &page.title);
    } else if had_text {
        record.remove(field::TITLE);
    }
    record.set(field::TEXT, &page.text);
    if !page.structure.is_empty() {
        record.set(field::STRUCTURE, &page.structure);
    } else if had_text {
        record.remove(field::STRUCTURE);
    }
    record.set(field::FETCH, &fetch);
    if with_links {
        record.set(field::LINKS, &page.links);
    } else if had_text {
        record.remove(field::LINKS);
    }
    if !page.comments.is_empty() {
        record.set(field::COMMENTS, &page.comments);
    } else if had_text {
        record.remove(field::COMMENTS);
    }
}

/// Returns the memory that a comment takes, in bytes.
fn comment_bytes(comment: &Comment) -> usize {
    let length = |part: &Option<String>| part.as_ref().map_or(0, String::len);
    size_of_val(comment) + comment.text.len() + length(&comment.author) + length(&comment.date)
}
