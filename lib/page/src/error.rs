//! The reasons that a page has no document, and the kinds of error that records show for them.

use crate::typeset::TypesetError;
use forage_record::{ErrorKind, Link};

/// The reason why a page has no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// Its unpacked content is larger than this limit, in bytes.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// The body is damaged, encrypted, or not of its declared type.
    #[error("{0}")]
    BadBody(String),
    /// No reader supports this media type.
    #[error("unsupported media type {0}")]
    UnsupportedType(String),
    /// The page has no text. It may have links, as a frameset or a list of images has.
    #[error("the page has no text")]
    NoText(Vec<Link>),
    /// The PDF has pages, but no text.
    #[error("the PDF has no text; its pages may be scanned")]
    NoTextInPdf,
    /// A limit of this machine prevents that the page is read. Another page would fail as well.
    #[error(
        "cannot start a thread or process to read the page: {0}; raise the limits of memory, \
         processes and open files (ulimit -v, -u, -n)"
    )]
    MachineLimit(String),
    /// A library that reads the page has a defect, or the system fails.
    #[error("{0}")]
    Internal(String),
}

impl PageError {
    /// Returns the links of a page without text.
    pub fn links(&self) -> &[Link] {
        match self {
            PageError::NoText(links) => links,
            _ => &[],
        }
    }

    /// Returns the kind of the record's `error`.
    pub fn kind(&self) -> ErrorKind {
        match self {
            PageError::TooLarge(_) => ErrorKind::TooLarge,
            PageError::BadBody(_) => ErrorKind::BadBody,
            PageError::UnsupportedType(_) => ErrorKind::UnsupportedType,
            PageError::NoText(_) | PageError::NoTextInPdf => ErrorKind::NoText,
            PageError::MachineLimit(_) | PageError::Internal(_) => ErrorKind::Internal,
        }
    }
}

impl From<TypesetError> for PageError {
    fn from(e: TypesetError) -> PageError {
        match e {
            TypesetError::Unreadable(cause) => PageError::BadBody(cause),
            TypesetError::TooLarge(limit) => PageError::TooLarge(limit),
            TypesetError::NoReader(program) => {
                PageError::UnsupportedType(format!("application/postscript without {program}"))
            }
            TypesetError::MachineLimit(cause) => PageError::MachineLimit(cause),
            TypesetError::Internal(cause) => PageError::Internal(cause),
        }
    }
}
