//! The text of typeset documents: PDF, and PostScript where `ps2ascii` is installed.
//!
//! Both are languages, and no library that reads them can be kept from overflowing its stack or
//! taking all memory. So [`extract_pdf_text_with`] and [`extract_postscript_text`] read a document in a sandboxed
//! subprocess (`sandbox`), and [`extract_pdf_text`] reads a PDF here, for the program that is such a
//! subprocess. `lines` makes running text of the lines of a page.
//!
//! Bytes in, text out: nothing here knows of the web, of records, or where a document comes from.

mod lines;
mod pdf;
mod postscript;
mod sandbox;

pub use pdf::{extract_pdf_text, extract_pdf_text_with};
pub use postscript::extract_postscript_text;

/// Most bytes of text that a document may have.
pub const MOST_TEXT_BYTES: u64 = 64 << 20;

/// Why a typeset document gives no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypesetError {
    /// The document is damaged, or encrypted with a password.
    #[error("{0}")]
    Unreadable(String),
    /// Its text has more bytes than are read.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// The program that reads its format is not installed.
    #[error("{0} is not installed")]
    NoReader(&'static str),
    /// Its reader can't be run.
    #[error("{0}")]
    Internal(String),
}
