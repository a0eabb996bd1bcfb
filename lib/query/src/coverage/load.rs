//! Reads the probes of a run from the statistics, and estimates coverage from them.

use super::estimate::{Coverage, MIN_PROBES, ProbeResult, estimate_from_probes};
use crate::query_log::{self, QueryLogRow};
use crate::statistics::{ClassCounts, Statistics, StatisticsError};
use rusqlite::OptionalExtension;

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling it.

/// Maximum number of probes in the estimate: the last ones. Early probes contribute little, because
/// most of the population was unknown to them; leaving them out bounds the time.
const MAX_PROBES: usize = 60;

/// Estimates the coverage of a target. `None` if there are too few probes, if these returned
/// hits but none that had been returned before, or if the statistics have no document of the
/// target.
///
/// # Errors
/// Fails if the statistics cannot be read.
pub fn estimate_coverage(
    statistics: &Statistics,
    target: &str,
) -> Result<Option<Coverage>, StatisticsError> {
    let classes = statistics.classes()?;
    let Some(class) = classes.iter().find(|class| class.name == target) else {
        return Ok(None);
    };
    estimate_class_coverage(statistics, class).map_err(|e| statistics.sqlite_error(e))
}

/// Returns the number of complete probes of a target.
///
/// # Errors
/// Fails if the statistics cannot be read.
pub(crate) fn count_probes(
    statistics: &Statistics,
    target: &str,
) -> Result<usize, StatisticsError> {
    let rows =
        query_log::read_probes(&statistics.db, target).map_err(|e| statistics.sqlite_error(e))?;
    Ok(rows.iter().filter(|row| !row.is_open_probe()).count())
}

fn estimate_class_coverage(
    statistics: &Statistics,
    class: &ClassCounts,
) -> rusqlite::Result<Option<Coverage>> {
    let mut rows = query_log::read_probes(&statistics.db, &class.name)?;
    // A probe that was abandoned counts with what it returned. Without it, the estimate would lack
    // the regions in which most documents are unseen.
    rows.retain(|row| !row.is_open_probe());
    if rows.len() < MIN_PROBES || !has_repeated_hits(&rows) {
        return Ok(None);
    }
    let initial = count_initial_documents(statistics, class)?;
    let probes: Vec<ProbeResult> = rows[rows.len().saturating_sub(MAX_PROBES)..]
        .iter()
        .map(|row| ProbeResult {
            known_before: row.known_before.saturating_sub(initial) as f64,
            new_relevant: row.relevant as f64,
            probability: row.probability,
        })
        .collect();
    let collected = class.documents - initial.min(class.documents);
    Ok(estimate_from_probes(collected, &probes))
}

/// Returns `true` if the engine returned a hit that an earlier query had returned, or no hit at
/// all. Most regions contain documents that were found before, so an engine that returns none of
/// them does not return what the probes ask for.
pub(crate) fn has_repeated_hits(probes: &[QueryLogRow]) -> bool {
    probes.iter().any(|row| row.max_rank > row.hits) || probes.iter().all(|row| row.hits == 0)
}

/// Counts the initial documents of a class, which come before all others.
fn count_initial_documents(statistics: &Statistics, class: &ClassCounts) -> rusqlite::Result<u64> {
    let first_retrieved: Option<u64> = statistics
        .db
        .prepare_cached("SELECT n FROM document WHERE class = ?1 AND step > 0 ORDER BY n LIMIT 1")?
        .query_row([class.id], |row| row.get(0))
        .optional()?;
    Ok(first_retrieved.map_or(class.documents, |first| first.saturating_sub(1)))
}
