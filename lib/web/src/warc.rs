//! Archives of what was fetched, in the format that web archives share: WARC 1.1 (ISO 28500:2017), gzip for each record.
//!
//! [`Archive`] keeps visits, [`Reader`] gives them back: reading an archive is the same work as fetching, without the
//! network. `form` knows what records look like, `tail` mends an archive whose writer was killed.

pub(crate) mod earlier;
pub(crate) mod form;
mod http;
mod read;
mod record;
mod recovered;
mod tail;
mod write;

pub use earlier::Earlier;
pub use read::{Kept, Reader};
pub use recovered::Recovered;
pub use write::Archive;

/// What is wrong with an archive.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It can't be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Another process writes it.
    #[error("another process is at work on it; wait until that has ended")]
    InUse,
    /// Nothing more is to be kept.
    #[error("the archive is closed")]
    Closed,
    /// A record is none. What comes after it can't be found.
    #[error("no WARC record at byte {offset}: {cause}")]
    BadRecord {
        /// Where it begins, in bytes from the file's beginning.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
}
