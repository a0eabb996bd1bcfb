//! Projections: state that is derived from the journal alone.
//!
//! A [`Projection`] may keep its state anywhere. A [`StoredProjection`] has tables in a store that
//! several projections share, such as `stats.db`.

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
