//! Conversion of the bytes of a page to its text and metadata: HTML, also in a mail (MHTML), plain
//! text in any encoding, PDF, PostScript, EPUB, the text documents of Word (docx) and OpenDocument
//! (odt), FictionBook and TEI, and gzip and zip of these.
//!
//! [`from_bytes`] determines the format and the character encoding (`forage-content`), unpacks
//! archives (`unpack`, `members`), and calls the crate that reads the format, `forage-extract` or
//! `typeset`. `isolated` and `pdf` bound time, stack and panics of these libraries on a hostile
//! page. The result is an [`ExtractedPage`], with the `fetch` field of its record as far as the
//! page itself determines it.
//!
//! Nothing here depends on the source of the bytes: the web, an archive, a file or a record. So a
//! tool that reads files only, such as `update-stats` an initial document in PDF, has no HTTP
//! client.

mod document;
mod epub;
mod error;
mod isolated;
mod mail;
mod office;
mod pdf;
pub mod typeset;
mod unpack;
mod xml;

pub use document::{add_directives, from_bytes, from_html, redirect_target};
pub use error::PageError;
pub use forage_extract::{
    ExtractedPage, ExtractionOptions, Extractor, NEWS_RULES, RuleFileError, RuleSet, TextFormat,
    add_response_fields,
};
pub use pdf::{read_pdf, set_pdf_reader};
