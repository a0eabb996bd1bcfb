//! State that is derived from the journal.

use crate::event::Event;
use std::fmt::Debug;

/// Why a projection failed; an error of SQLite's is reported with the name of the file.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// State that follows from the records of a journal, applied in order, and from nothing else.
pub trait Projection: Debug {
    /// Applies the next record.
    ///
    /// # Errors
    /// When what is kept in a file can't be read or written.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError>;
}

/// A projection that is kept in tables of its own between steps.
///
/// Records that were applied are not durable, and may wait in memory, until [`StoredProjection::write`].
pub trait StoredProjection: Projection {
    /// Writes what was applied since the last write. In a file that several projections share, the caller has begun a
    /// transaction, and commits it.
    ///
    /// # Errors
    /// When the file can't be written; then nothing since the last write counts.
    fn write(&mut self) -> Result<(), BoxError>;

    /// Forgets what was applied since the last write.
    fn discard(&mut self);

    /// Forgets the records of `step` and of later ones, also written ones. Returns false where the projection can't, and
    /// has to be rebuilt from the journal.
    ///
    /// # Errors
    /// When the file can't be written.
    fn forget_from(&mut self, step: u64) -> Result<bool, BoxError> {
        let _ = step;
        Ok(false)
    }

    /// Whether so much waits in memory that it should be written.
    fn is_full(&self) -> bool {
        false
    }
}
