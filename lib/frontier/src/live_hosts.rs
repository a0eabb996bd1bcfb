//! Whether hosts were live, to tell an outage of the network from dead links.

use crate::frontier::Frontier;
use forage_state::StateError;
use rusqlite::OptionalExtension;

impl Frontier {
    /// Returns `true` if a link to the host led to a page.
    ///
    /// # Errors
    /// Fails if the file cannot be read. Reads all hosts.
    pub fn was_live(&mut self, host: &str) -> Result<bool, StateError> {
        self.run(|db, _| {
            let sql = "SELECT 1 FROM host WHERE name = ? AND live > 0";
            db.prepare_cached(sql)?.exists([host])
        })
    }

    /// Returns `true` if any link led to a page.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn has_live_host(&mut self) -> Result<bool, StateError> {
        self.run(|db, _| {
            let sql = "SELECT 1 FROM host WHERE live > 0 LIMIT 1";
            let found: Option<i64> = db.query_row(sql, [], |row| row.get(0)).optional()?;
            Ok(found.is_some())
        })
    }
}
