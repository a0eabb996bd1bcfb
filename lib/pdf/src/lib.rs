//! Text extraction from typeset documents: PDF, and PostScript if `ps2ascii` is installed.
//!
//! Both formats are programming languages, and no library that reads them can be prevented from
//! overflowing its stack or exhausting the memory. So [`extract_pdf_text_with`] and
//! [`extract_postscript_text`] read a document in a sandboxed subprocess (`sandbox`).
//! [`extract_pdf_text`] reads a PDF in this process, for the program that is such a subprocess.
//! `lines` converts the lines of a page to running text.
//!
//! The input is bytes, the output is text. Nothing here depends on the web, on records, or on the
//! source of a document.

mod lines;
mod pdf;
mod postscript;
mod sandbox;

pub use pdf::{extract_pdf_text, extract_pdf_text_with};
pub use postscript::extract_postscript_text;

/// Longest text of a document, in bytes. Set by judgement, not measured.
pub const MAX_TEXT_BYTES: u64 = 64 << 20;

/// The reason why a typeset document has no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TypesetError {
    /// The document is damaged, or encrypted with a password.
    #[error("{0}")]
    Unreadable(String),
    /// The text exceeds this limit, in bytes.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// The program that reads the format is not installed.
    #[error("{0} is not installed")]
    NoReader(&'static str),
    /// The program that reads the format cannot be run.
    #[error("{0}")]
    Internal(String),
}
