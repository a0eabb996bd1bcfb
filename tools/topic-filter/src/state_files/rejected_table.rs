//! The table of rejected pages, which [`SiteState::look_back`](crate::state_files::SiteState::look_back) reads.

use forage_state::StateFile;

pub(crate) const REJECTED_TABLE: &str = "
        CREATE TABLE IF NOT EXISTS rejected (
            url TEXT PRIMARY KEY,
            directory BLOB NOT NULL,
            step INTEGER NOT NULL,
            accepted INTEGER,            -- the step that accepted it after all
            line TEXT NOT NULL
        );
        CREATE INDEX IF NOT EXISTS rejected_directory ON rejected (directory) WHERE accepted IS NULL;
        CREATE INDEX IF NOT EXISTS rejected_step ON rejected (step);
        CREATE INDEX IF NOT EXISTS rejected_accepted ON rejected (accepted) WHERE accepted IS NOT NULL;
        ";

/// Removes the rejected pages of a step and later ones, and what these have accepted.
pub(crate) fn forget_from(db: &StateFile, step: i64) -> rusqlite::Result<()> {
    db.write_cached("DELETE FROM rejected WHERE step >= ?", [step])?;
    let sql = "UPDATE rejected SET accepted = NULL WHERE accepted >= ?";
    db.write_cached(sql, [step])
}
