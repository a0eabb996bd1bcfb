//! Why a typeset document gives no text.

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
