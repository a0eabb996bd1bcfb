//! State files that are projections of a journal, and know the last step that they contain.

use crate::{StateError, StateFile, StateFileKind, lacks_steps_before, open};
use std::ops::Deref;
use std::path::Path;

/// A state file with [`crate::LAST_STEP_TABLE`], and the last step that it contains with its
/// uncommitted changes.
#[derive(Debug)]
pub struct StepFile {
    file: StateFile,
    last_step: Option<u64>,
}

impl StepFile {
    /// Reads the last step of a file.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn new(file: StateFile) -> Result<StepFile, StateError> {
        let last_step = file.last_step().map_err(|e| file.sqlite_error(e))?;
        Ok(StepFile { file, last_step })
    }

    /// Opens `path` as [`open`] does.
    ///
    /// # Errors
    /// Fails as [`open`] does.
    pub fn open(path: &Path, kind: &StateFileKind) -> Result<StepFile, StateError> {
        StepFile::new(open(path, kind)?)
    }

    /// Creates an empty file in memory.
    ///
    /// # Errors
    /// Fails if the schema is invalid.
    pub fn in_memory(kind: &StateFileKind) -> Result<StepFile, StateError> {
        let file = StateFile::in_memory(kind);
        StepFile::new(file.map_err(|e| StateError::Sql(":memory:".into(), e))?)
    }

    /// Runs statements, and adds the path of the file to their error.
    ///
    /// # Errors
    /// Fails as the statements do.
    pub fn run<T>(
        &self,
        statements: impl FnOnce(&StateFile) -> rusqlite::Result<T>,
    ) -> Result<T, StateError> {
        statements(&self.file).map_err(|e| self.sqlite_error(e))
    }

    /// Begins a write transaction, unless one is open, so that another writer cannot make it fail
    /// later.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn begin(&self) -> Result<(), StateError> {
        self.file.begin().map_err(|e| self.sqlite_error(e))
    }

    /// Deletes all rows of all tables but those of `kept`, in a transaction that it begins.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn begin_clearing(&mut self, kept: &[&str]) -> Result<(), StateError> {
        self.last_step = None;
        self.begin()?;
        self.run(|db| db.delete_rows(kept))
    }

    /// Begins a transaction in which the caller removes `step` and all later steps.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn begin_removal_from(&mut self, step: u64) -> Result<(), StateError> {
        self.last_step = self.last_step.min(step.checked_sub(1));
        self.begin()
    }

    /// Returns the last step that the file contains; `None` if it contains no part of a journal.
    pub fn last_step(&self) -> Option<u64> {
        self.last_step
    }

    /// Sets the last step to `step`, if that is later. The next commit saves it.
    pub fn advance_to(&mut self, step: u64) {
        self.last_step = self.last_step.max(Some(step));
    }

    /// Returns `true` if the file lacks a step before `next`.
    pub fn lacks_steps_before(&self, next: u64) -> bool {
        lacks_steps_before(self.last_step, next)
    }

    /// Commits the open transaction, if there is one, and the last step.
    ///
    /// # Errors
    /// Fails if the file cannot be written; all changes since the last commit are then lost.
    pub fn commit(&self) -> Result<(), StateError> {
        self.file
            .commit_at_step(self.last_step)
            .map_err(|e| self.sqlite_error(e))
    }

    /// Merges the WAL as [`StateFile::merge_wal`] does. Uncommitted changes are lost.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn merge_wal(&self) -> Result<(), StateError> {
        self.file.merge_wal().map_err(|e| self.sqlite_error(e))
    }
}

impl Deref for StepFile {
    type Target = StateFile;

    fn deref(&self) -> &StateFile {
        &self.file
    }
}

/// Converts a step to SQLite's integers.
pub fn sqlite_step(step: u64) -> i64 {
    i64::try_from(step).unwrap_or(i64::MAX)
}
