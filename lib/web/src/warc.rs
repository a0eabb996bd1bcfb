//! Archives of what was fetched, in the format that web archives share: WARC 1.1 (ISO 28500:2017), gzip for each record.
//!
//! [`Archive`] keeps visits, [`Reader`] gives them back: reading an archive is the same work as fetching, without the
//! network. `form` knows what records look like, `source` finds them in a file, whoever wrote it and however damaged it is,
//! and `tail` mends an archive whose writer was killed.

pub(crate) mod earlier;
pub(crate) mod form;
mod frame;
mod http;
mod layer;
mod payloads;
mod read;
mod record;
mod recovered;
mod source;
mod tail;
mod window;
mod write;

pub use earlier::Earlier;
pub use read::{Kept, Reader};
pub use recovered::Recovered;
pub use source::Damage;
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
    /// Nothing in it is a record.
    #[error("no WARC record at byte {offset}: {cause}")]
    BadRecord {
        /// Where it begins, in bytes from the file's beginning.
        offset: u64,
        /// What is wrong with it.
        cause: String,
    },
}
