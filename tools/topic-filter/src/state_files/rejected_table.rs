//! The table of rejected pages, which
//! [`SiteState::look_back`](crate::state_files::SiteState::look_back) reads.

use forage_state::StateFile;

pub(crate) const REJECTED_TABLE: &str = include_str!("rejected_table.sql");

/// Removes the rejected pages of a step and later ones, and what these have accepted.
pub(crate) fn forget_from(db: &StateFile, step: i64) -> rusqlite::Result<()> {
    db.write_cached("DELETE FROM rejected WHERE step >= ?", [step])?;
    let sql = "UPDATE rejected SET accepted = NULL WHERE accepted >= ?";
    db.write_cached(sql, [step])
}
