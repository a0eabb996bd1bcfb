//! Removal of documents from an index.

use super::{DuplicateIndex, DuplicateIndexError};
use crate::store;
use forage_state::sqlite_step;
use rusqlite::Connection;
use std::collections::HashSet;

impl DuplicateIndex {
    /// Removes the documents of `step` and of all later steps, and commits.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn remove_documents_from(&mut self, step: u64) -> Result<(), DuplicateIndexError> {
        self.last_step = self.last_step.min(step.checked_sub(1));
        self.remove(|db| store::remove_entries_from(db, sqlite_step(step)))?;
        Ok(())
    }

    /// Removes the documents whose `id` is one of `ids`, commits, and returns their number.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn remove_documents(
        &mut self,
        ids: &HashSet<String>,
    ) -> Result<usize, DuplicateIndexError> {
        self.remove(|db| store::remove_entries_with_ids(db, ids))
    }

    fn remove(
        &mut self,
        remove: impl FnOnce(&Connection) -> rusqlite::Result<usize>,
    ) -> Result<usize, DuplicateIndexError> {
        self.begin()?;
        let removed = self.run(remove)?;
        let last = self.run(store::last_entry)?;
        let parameters = self.run(store::parameters)?;
        self.commit()?;
        // The keys of the removed entries do no harm.
        if let Some(parameters) = parameters.filter(|_| removed > 0) {
            self.keys.set_last_entry(last);
            self.keys.set_content(parameters.content);
        }
        Ok(removed)
    }
}
