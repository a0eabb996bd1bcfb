//! Why a page has no document, and the kind under which a record tells of it.

use forage_pdf::TypesetError;
use forage_record::ErrorKind;

/// Why a page has no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// What is packed in it is larger than the limit, in bytes.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// It is damaged, encrypted, or not what it is said to be.
    #[error("{0}")]
    BadBody(String),
    /// Nothing reads this media type.
    #[error("no text is read from {0}")]
    UnsupportedType(String),
    /// The page has no text.
    #[error("the page has no text")]
    NoText,
    /// The PDF has pages, and no text.
    #[error("the PDF has no text; its pages may be scanned")]
    NoTextInPdf,
    /// A defect of a library that reads the page, or of the machine.
    #[error("{0}")]
    Internal(String),
}

impl PageError {
    /// The kind of the error record.
    pub fn kind(&self) -> ErrorKind {
        match self {
            PageError::TooLarge(_) => ErrorKind::TooLarge,
            PageError::BadBody(_) => ErrorKind::BadBody,
            PageError::UnsupportedType(_) => ErrorKind::UnsupportedType,
            PageError::NoText | PageError::NoTextInPdf => ErrorKind::NoText,
            PageError::Internal(_) => ErrorKind::Internal,
        }
    }
}

impl From<TypesetError> for PageError {
    fn from(e: TypesetError) -> PageError {
        match e {
            TypesetError::Unreadable(cause) => PageError::BadBody(cause),
            TypesetError::TooLarge(most) => PageError::TooLarge(most),
            TypesetError::NoReader(program) => {
                PageError::UnsupportedType(format!("application/postscript without {program}"))
            }
            TypesetError::Internal(cause) => PageError::Internal(cause),
        }
    }
}
