//! What the probes of a run brought, from the statistics.

use super::estimate::{Coverage, Probe, estimate_from_probes};
use crate::query_log::{self, QueryLogRow};
use crate::statistics::{ClassCounts, Statistics, StatisticsError};
use rusqlite::OptionalExtension;

/// Probes that are looked at: the last ones. Early ones say little.
const PROBES: usize = 60;

/// How much of the target is collected; `None` while there are too few probes to say, or none of
/// its documents.
///
/// # Errors
/// When the statistics can't be read.
pub fn estimate_coverage(
    from: &Statistics,
    target: &str,
) -> Result<Option<Coverage>, StatisticsError> {
    let classes = from.classes()?;
    let Some(class) = classes.iter().find(|class| class.name == target) else {
        return Ok(None);
    };
    read(from, class).map_err(|e| from.sqlite_error(e))
}

fn read(from: &Statistics, class: &ClassCounts) -> rusqlite::Result<Option<Coverage>> {
    let mut rows = query_log::read_probes(&from.db, &class.name)?;
    // One that was given up counts, too, with what it brought: to leave it out would leave out
    // where most is unseen.
    rows.retain(|row| !row.is_open_probe());
    if rows.len() < super::estimate::LEAST_PROBES || !repeats(&rows) {
        return Ok(None);
    }
    let initial = initial(from, class)?;
    let probe = |row: &QueryLogRow| {
        let known = row.known_before.saturating_sub(initial) as f64;
        Probe {
            known,
            found: row.relevant as f64,
            chance: row.probability,
        }
    };
    let probes: Vec<Probe> = rows[rows.len().saturating_sub(PROBES)..]
        .iter()
        .map(probe)
        .collect();
    Ok(estimate_from_probes(
        class.documents - initial.min(class.documents),
        &probes,
    ))
}

/// Whether the engine showed any hit again. Documents that were found before are in most regions:
/// an engine that shows none of these shows anything but what was asked for.
pub(crate) fn repeats(rows: &[QueryLogRow]) -> bool {
    rows.iter().any(|row| row.max_rank > row.hits) || rows.iter().all(|row| row.hits == 0)
}

/// Documents of the class that the run began with: they stand first.
fn initial(from: &Statistics, class: &ClassCounts) -> rusqlite::Result<u64> {
    let sql = "SELECT n FROM document WHERE class = ?1 AND step > 0 ORDER BY n LIMIT 1";
    let first: Option<u64> = from
        .db
        .prepare_cached(sql)?
        .query_row([class.id], |row| row.get(0))
        .optional()?;
    Ok(first.map_or(class.documents, |first| first.saturating_sub(1)))
}
