//! Projections: state that is derived from the journal alone.
//!
//! A [`Projection`] may keep its state anywhere. A [`ProjectionFile`] has a file of its own, a
//! [`StepProjection`] a [`StepFile`], and a [`StoredProjection`] tables in a store that several
//! projections share, such as `stats.db`.

use crate::event::Event;
use forage_state::{StateError, StateFile, StepFile};
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

    /// Prepares the file for the step `next`: removes this and all later steps. Returns `false`,
    /// and changes nothing, if the file lacks earlier steps and must be rebuilt.
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

/// A projection in a [`StepFile`], the file of one projection that is repeated by step.
pub trait StepProjection: Debug {
    /// Returns the file.
    fn file(&self) -> &StepFile;

    /// Applies the next record.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    fn apply_event(&mut self, event: &Event) -> Result<(), StateError>;

    /// Removes the changes of `step` and of all later steps.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    fn remove_from(&mut self, step: u64) -> Result<(), StateError>;

    /// Commits the open transaction and makes it durable.
    ///
    /// # Errors
    /// Fails if the file cannot be written; all changes since the last commit are then lost.
    fn commit(&mut self) -> Result<(), StateError> {
        self.file().commit()
    }

    /// Merges the WAL into the database, so that one file holds the whole state. Called when the
    /// tool ends. Uncommitted changes are lost.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    fn merge_wal(&mut self) -> Result<(), StateError> {
        self.file().merge_wal()
    }
}

impl<T: StepProjection> Projection for T {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        Ok(self.apply_event(event)?)
    }
}

impl<T: StepProjection> ProjectionFile for T {
    fn lacks_steps_before(&self, next: u64) -> bool {
        self.file().lacks_steps_before(next)
    }

    fn remove_steps_from(&mut self, step: u64) -> Result<(), BoxError> {
        Ok(self.remove_from(step)?)
    }

    fn save(&mut self) -> Result<(), BoxError> {
        self.commit()?;
        Ok(self.merge_wal()?)
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

    /// Forgets which queries were sent, after a write, because they may be sent again: an engine
    /// may have new documents. What was learned from their documents stays.
    ///
    /// # Errors
    /// Fails if the store cannot be written.
    fn forget_queries(&mut self, _store: &StateFile) -> rusqlite::Result<()> {
        Ok(())
    }

    /// Returns `true` if so much is held in memory that it should be written.
    fn is_full(&self) -> bool {
        false
    }
}
