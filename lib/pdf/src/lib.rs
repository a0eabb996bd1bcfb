//! The text of typeset documents: PDF, and PostScript where `ps2ascii` is installed.
//!
//! Both are languages, and no library that reads them can be kept from overflowing its stack or taking all memory. So
//! [`pdf_text_by`] and [`postscript_text`] read a document in a sandboxed subprocess (`sandbox`), and [`pdf_text`] reads
//! a PDF here, for the program that is such a subprocess. `lines` makes running text of the lines of a page.
//!
//! Bytes in, text out: nothing here knows of the web, of records, or where a document comes from.

mod error;
mod lines;
mod pdf;
mod postscript;
mod sandbox;

pub use error::TypesetError;
pub use pdf::{pdf_text, pdf_text_by};
pub use postscript::postscript_text;

/// Most bytes of text that a document may have.
pub const MOST_TEXT_BYTES: u64 = 64 << 20;
