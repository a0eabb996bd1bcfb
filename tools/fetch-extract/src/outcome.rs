//! What fetching or reading a page came to, and how a record tells of it.

use crate::args::Args;
use forage_cli::Tool;
use forage_http::{FetchError, FetchResult};
use forage_page::{PageDocument, PageError};
use forage_record::{ErrorKind, Fetch, Link, Record, WarcLocation, field};

/// Why a record gets no page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageFailure {
    /// It could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// It could not be read.
    #[error(transparent)]
    Page(#[from] PageError),
    /// The page reserves itself against text mining, and that is respected.
    #[error("the page reserves itself against text mining: {0}")]
    OptOut(String),
}

impl PageFailure {
    /// The kind of the error record.
    fn kind(&self) -> ErrorKind {
        match self {
            PageFailure::Fetch(e) => e.kind(),
            PageFailure::Page(e) => e.kind(),
            PageFailure::OptOut(_) => ErrorKind::OptOut,
        }
    }
}

/// What a page came to.
#[derive(Debug)]
pub struct PageOutcome {
    found: Result<PageDocument, PageFailure>,
    /// What was answered, where that is no document.
    answered: Option<Fetch>,
}

impl PageOutcome {
    /// Of a page that did not come.
    pub fn failed(e: FetchError) -> PageOutcome {
        PageOutcome::read(Err(e.into()))
    }

    /// Of a page that was not fetched.
    pub fn read(found: Result<PageDocument, PageFailure>) -> PageOutcome {
        PageOutcome {
            found,
            answered: None,
        }
    }

    /// Of a fetch result, and where it is archived.
    pub fn fetched(
        result: &FetchResult,
        found: Result<PageDocument, PageFailure>,
        place: Option<WarcLocation>,
    ) -> PageOutcome {
        match found {
            Ok(mut document) => {
                document.fetch.warc = place;
                PageOutcome::read(Ok(document))
            }
            Err(e) => PageOutcome {
                found: Err(e),
                answered: Some(Fetch {
                    warc: place,
                    ..result.fetch_metadata()
                }),
            },
        }
    }

    /// Memory that it takes, in bytes, roughly.
    pub fn bytes(&self) -> usize {
        let page = match &self.found {
            Ok(PageDocument { page, .. }) => {
                let links: usize = page
                    .links
                    .iter()
                    .map(|link| size_of_val(link) + link.url.len() + link.text.len())
                    .sum();
                page.text.len() + page.title.as_ref().map_or(0, String::len) + links
            }
            Err(e) => e.to_string().len(),
        };
        page + 2 * size_of::<PageOutcome>()
    }

    /// Adds what was found, or the reason why nothing was, with what was answered all the same.
    /// What the record has of an earlier page goes: no record tells of two.
    pub fn write_to(&self, record: &mut Record, links: bool) {
        let had_text = record.has_value(field::TEXT);
        match &self.found {
            Ok(document) => put_document(record, document, links, had_text),
            Err(e) => {
                if had_text {
                    for key in [
                        field::ID,
                        field::TITLE,
                        field::TEXT,
                        field::FETCH,
                        field::LINKS,
                    ] {
                        record.remove(key);
                    }
                }
                if let Some(fetch) = &self.answered {
                    record.set(field::FETCH, fetch);
                }
                record.set_error(Args::NAME, e.kind(), e);
            }
        }
    }
}

fn put_document(
    record: &mut Record,
    PageDocument { page, fetch }: &PageDocument,
    links: bool,
    had_text: bool,
) {
    let mut fetch = fetch.clone();
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
    record.set(field::FETCH, &fetch);
    if links {
        let link = |link: &forage_page::Link| Link {
            url: link.url.clone(),
            text: link.text.clone(),
            rel: link.rel.clone(),
        };
        record.set(
            field::LINKS,
            &page.links.iter().map(link).collect::<Vec<_>>(),
        );
    } else if had_text {
        record.remove(field::LINKS);
    }
}
