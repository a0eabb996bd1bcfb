//! What can be wrong with an archive.

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
