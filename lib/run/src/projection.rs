//! State that is derived from the journal.

use crate::event::Event;
use forage_state::StateFile;
use std::fmt::Debug;

/// Why a projection failed.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// State that follows from the records of a journal, applied in order, and from nothing else.
pub trait Projection: Debug {
    /// Applies the next record.
    ///
    /// # Errors
    /// When what is kept in a file can't be read or written.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError>;
}

/// State derived from the journal that is kept in tables of its own, in a store that several share.
///
/// Records that were applied are not durable, and may wait in memory, until
/// [`StoredProjection::write`].
pub trait StoredProjection: Debug {
    /// Applies the next record.
    ///
    /// # Errors
    /// When the store can't be read.
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()>;

    /// Writes what was applied since the last write, in a transaction of the caller's.
    ///
    /// # Errors
    /// When the store can't be written; then nothing since the last write counts.
    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()>;

    /// Whether so much waits in memory that it should be written.
    fn is_full(&self) -> bool {
        false
    }
}
