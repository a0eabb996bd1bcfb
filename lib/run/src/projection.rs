//! Projections: state that is derived from the journal alone.
//!
//! A [`Projection`] may keep its state anywhere. A [`ProjectionFile`] has a file of its own, and a
//! [`StoredProjection`] tables in a store that several projections share, such as `stats.db`.

use crate::event::Event;
use forage_state::StateFile;
use std::fmt::Debug;

/// The error of a projection.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// State that is derived from the records of a journal, applied in order, and from nothing else.
pub trait Projection: Debug {
    /// Applies the next record.
    ///
    /// # Errors
    /// Fails if a file of the projection cannot be read or written.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError>;
}

/// A projection in a file of its own, which stores the last step that it contains: by that step, a
/// run recognises a file that is older than its journal and must be rebuilt.
pub trait ProjectionFile: Projection {
    /// Returns `true` if the file lacks records of steps before `next`.
    fn lacks_steps_before(&self, next: u64) -> bool;

    /// Removes the changes of `step` and of all later steps.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    fn remove_steps_from(&mut self, step: u64) -> Result<(), BoxError>;

    /// Commits the changes and merges the WAL, so that one file holds the whole state.
    ///
    /// # Errors
    /// Fails if the file cannot be written. Uncommitted changes are then lost.
    fn save(&mut self) -> Result<(), BoxError>;

    /// Prepares the file for the step `next`: removes this and all later steps. Returns `false`, and
    /// changes nothing, if the file lacks earlier steps and must be rebuilt.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    fn keep_steps_before(&mut self, next: u64) -> Result<bool, BoxError> {
        if self.lacks_steps_before(next) {
            return Ok(false);
        }
        self.remove_steps_from(next)?;
        self.save()?;
        Ok(true)
    }
}

/// A projection with tables of its own in a store that several projections share.
///
/// Applied records may be held in memory. They become durable with the next
/// [`StoredProjection::write`].
pub trait StoredProjection: Debug {
    /// Applies the next record.
    ///
    /// # Errors
    /// Fails if the store cannot be read.
    fn apply(&mut self, store: &StateFile, event: &Event) -> rusqlite::Result<()>;

    /// Writes the changes since the last write, within a transaction of the caller.
    ///
    /// # Errors
    /// Fails if the store cannot be written. The changes since the last write are then lost.
    fn write(&mut self, store: &StateFile) -> rusqlite::Result<()>;

    /// Returns `true` if so much is held in memory that it should be written.
    fn is_full(&self) -> bool {
        false
    }
}
