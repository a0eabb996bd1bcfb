//! Reads the probes of a run from the statistics, and estimates coverage from them.

use super::estimate::{Coverage, MIN_PROBES, ProbeResult, estimate_from_probes};
use crate::class_counts::ClassCounts;
use crate::query_log::{self, QueryLogRow};
use crate::statistics::{Result, Statistics};
use crate::unseen_hits::{LAST_RESORT_COST, should_use_unseen_hits};

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling it.

/// Maximum number of probes in the estimate: the last ones. Early probes contribute little, because
/// most of the population was unknown to them; leaving them out bounds the time.
const MAX_PROBES: usize = 60;

/// Estimates the coverage of a target. `None` if there are too few probes, if these returned
/// hits but none that had been returned before, or if the statistics have no document of the
/// target, or if the engine did not apply the exclusion terms of a probe.
///
/// # Errors
/// Fails if the statistics cannot be read.
pub fn estimate_coverage(statistics: &Statistics, target: &str) -> Result<Option<Coverage>> {
    statistics.with_path(|| {
        let classes = statistics.classes()?;
        let class = classes.iter().find(|class| class.name == target);
        let coverage = class.map(|class| estimate_class_coverage(statistics, class));
        Ok(coverage.transpose()?.flatten())
    })
}

fn estimate_class_coverage(
    statistics: &Statistics,
    class: &ClassCounts,
) -> Result<Option<Coverage>> {
    let rows = query_log::read_probes(&statistics.db, &class.name)?;
    if rows.len() < MIN_PROBES || !has_repeated_hits(&rows) || has_unknown_region(&rows) {
        return Ok(None);
    }
    let initial = count_initial_documents(statistics, class)?;
    let probes: Vec<ProbeResult> = rows[rows.len().saturating_sub(MAX_PROBES)..]
        .iter()
        .map(|row| ProbeResult {
            known_before: row.known_before.saturating_sub(initial) as f64,
            new_relevant: row.relevant as f64 + expect_unread(row),
            probability: row.probability,
        })
        .collect();
    let collected = class.documents - initial.min(class.documents);
    Ok(estimate_from_probes(collected, &probes))
}

/// Returns the number of relevant documents that are expected among the unread hits of a probe that
/// was given up: by their share among its hits that were read. If it is undecided, a hit more
/// counts as half relevant.
fn expect_unread(row: &QueryLogRow) -> f64 {
    let (relevant, read) = (row.relevant as f64, row.hits as f64);
    let share = if is_undecided(row) {
        (relevant + 0.5) / (read + 1.0)
    } else {
        relevant / read.max(1.0)
    };
    row.unseen_hits as f64 * share
}

/// Returns `true` if too few hits of a probe were read to tell that the others are nonrelevant.
pub(crate) fn is_undecided(row: &QueryLogRow) -> bool {
    row.is_open_probe()
        && row.unseen_hits > 0
        && should_use_unseen_hits(row.page_relevant, row.page_nonrelevant, LAST_RESORT_COST)
}

/// Returns `true` if the engine returned a hit that an earlier query had returned, or no probe was
/// read to its end and had a hit. Most regions contain documents that were found before, so an
/// engine that returns none of them does not return what the probes ask for.
pub(crate) fn has_repeated_hits(probes: &[QueryLogRow]) -> bool {
    probes.iter().any(|row| row.max_rank > row.hits)
        || probes
            .iter()
            .all(|row| row.hits == 0 || row.unseen_hits > 0)
}

/// Returns `true` if the hits of a recent probe are not those of its region, because the engine did
/// not apply the exclusion terms.
pub(crate) fn has_unknown_region(probes: &[QueryLogRow]) -> bool {
    let mut latest = probes.iter().rev().take(MAX_PROBES);
    latest.any(|row| row.probability < 0.0)
}

/// Counts the initial documents of a class, which come before all others.
fn count_initial_documents(statistics: &Statistics, class: &ClassCounts) -> Result<u64> {
    let first_retrieved: Option<u64> = statistics.db.find_value(
        "SELECT n FROM document WHERE class = ?1 AND step > 0 ORDER BY n LIMIT 1",
        [class.id],
    )?;
    Ok(first_retrieved.map_or(class.documents, |first| first.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use super::{MAX_PROBES, expect_unread, has_repeated_hits, has_unknown_region, is_undecided};
    use crate::query_log::{QueryLogRow, QueryPurpose};

    /// A probe of which some hits were read, and `unseen_hits` were not.
    fn probe(relevant: u64, nonrelevant: u64, unseen_hits: u64) -> QueryLogRow {
        QueryLogRow {
            purpose: QueryPurpose::Probe,
            calls: 1,
            hits: relevant + nonrelevant,
            max_rank: relevant + nonrelevant,
            relevant,
            page_relevant: relevant,
            page_nonrelevant: nonrelevant,
            unseen_hits,
            ..QueryLogRow::default()
        }
    }

    #[test]
    fn unread_hits_of_a_probe_count_by_the_share_of_those_read() {
        let given_up = probe(0, 1, 8);
        assert!(is_undecided(&given_up));
        assert!((expect_unread(&given_up) - 2.0).abs() < 1e-9);
        let decided = probe(1, 4, 5);
        assert!(!is_undecided(&decided));
        assert!((expect_unread(&decided) - 1.0).abs() < 1e-9);
        assert_eq!(expect_unread(&probe(3, 1, 0)), 0.0);
    }

    #[test]
    fn a_recent_probe_without_its_exclusion_terms_forbids_an_estimate() {
        let unknown = QueryLogRow {
            probability: -0.1,
            ..probe(2, 0, 0)
        };
        let mut probes = vec![probe(1, 1, 0), unknown];
        assert!(has_unknown_region(&probes) && !has_unknown_region(&probes[..1]));
        probes.resize(MAX_PROBES + 1, probe(1, 0, 0));
        assert!(has_unknown_region(&probes));
        probes.push(probe(1, 0, 0));
        assert!(!has_unknown_region(&probes));
    }

    #[test]
    fn probes_that_were_not_read_to_their_end_do_not_tell_that_no_hit_is_repeated() {
        assert!(has_repeated_hits(&[probe(0, 1, 3), probe(0, 0, 0)]));
        assert!(!has_repeated_hits(&[probe(0, 1, 3), probe(2, 0, 0)]));
        let repeated = QueryLogRow {
            max_rank: 5,
            ..probe(2, 0, 0)
        };
        assert!(has_repeated_hits(&[repeated, probe(2, 0, 0)]));
    }
}
