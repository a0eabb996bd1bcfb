//! Initial documents that are counted from a later step on (`from_step`), as the next seeds of
//! AutoCor (Dimalen & Roxas 2007, section 2, step a).
//!
//! They wait in a table that only such runs have.

use forage_run::Event;
use forage_state::StateFile;
use rusqlite::Result;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS waiting_document (
    id INTEGER PRIMARY KEY,      -- 1, 2, ... in order of the journal
    from_step INTEGER NOT NULL,  -- counted as soon as all earlier steps are complete
    class TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS waiting_document_from_step ON waiting_document (from_step);
";

/// The initial documents that are not counted yet.
#[derive(Debug, Default)]
pub(crate) struct WaitingDocuments {
    /// True if the table exists; `None` before it was looked up.
    has_table: Option<bool>,
}

impl WaitingDocuments {
    /// Adds an initial document that is counted from a later step on.
    pub(crate) fn add(&mut self, store: &StateFile, event: &Event, class: &str) -> Result<()> {
        if self.has_table != Some(true) {
            store.execute_batch(SCHEMA)?;
            self.has_table = Some(true);
        }
        let sql = "INSERT INTO waiting_document (from_step, class, text) VALUES (?, ?, ?)";
        let values = (event.counted_from(), class, event.text());
        store.execute_cached(sql, values)?;
        Ok(())
    }

    /// Removes and returns class and text of the documents that are counted in the step after this
    /// record, if it ends a step.
    pub(crate) fn take_due(
        &mut self,
        store: &StateFile,
        event: &Event,
    ) -> Result<Vec<(String, String)>> {
        let complete = event.step.as_ref().filter(|step| step.is_last());
        let Some(next) = complete.map(|step| step.number.saturating_add(1)) else {
            return Ok(Vec::new());
        };
        if !self.has_table(store)? {
            return Ok(Vec::new());
        }
        let sql = "SELECT class, text FROM waiting_document WHERE from_step <= ? ORDER BY id";
        let due = store.read_rows(sql, [next], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if !due.is_empty() {
            store.execute_cached("DELETE FROM waiting_document WHERE from_step <= ?", [next])?;
        }
        Ok(due)
    }

    fn has_table(&mut self, store: &StateFile) -> Result<bool> {
        if let Some(known) = self.has_table {
            return Ok(known);
        }
        let exists = store.has_table("waiting_document")?;
        self.has_table = Some(exists);
        Ok(exists)
    }
}
