//! From the bytes of a page to its text and what is known of it: HTML, plain text in any encoding,
//! PDF, PostScript, and gzip and zip of such.
//!
//! [`from_bytes`] finds the format (`media`) and the character encoding (`charset`), unpacks
//! (`unpack`) and gives the page to the crate that reads it, `forage-extract` or `forage-pdf`;
//! `guarded` and `typeset` keep what these libraries may do on a hostile page within bounds. The
//! result is a [`PageDocument`]: the page, and the `fetch` of its record as far as the page itself
//! tells.
//!
//! It does not know where the bytes come from: the web, an archive, a file or a record.

mod charset;
mod document;
mod error;
mod guarded;
mod media;
mod typeset;
mod unpack;

pub use document::{PageDocument, from_bytes, from_html};
pub use error::PageError;
pub use forage_extract::{Link, Page};
pub use typeset::{read_pdf, read_pdfs_by};
