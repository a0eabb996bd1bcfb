//! The schedule of probes: when a probe is sent instead of the query of the wrapped strategy, and
//! when the run ends.

use super::draw::{draw_probe, repeat_probe};
use crate::coverage::{
    Coverage, MIN_PROBES, estimate_coverage, has_repeated_hits, has_unknown_region, is_undecided,
};
use crate::query_log::{self, QueryLogRow};
use crate::statistics::{Result, Statistics};
use crate::strategy::regions::unseen_hit_limit;
use crate::strategy::{QueryChoice, QueryRequest};
use crate::unseen_hits::{LAST_RESORT_COST, NONRELEVANT_COST, should_use_unseen_hits};
use forage_run::read_total;
use std::num::NonZeroUsize;

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// Calls to the engine before the first probe. There must be documents to draw a region from; the
/// more there are, the closer the probabilities of the walk are to the true shares.
const CALLS_BEFORE_PROBES: u64 = 20;
/// One in this many calls is for a probe, while the wrapped strategy has queries. Fewer probes give
/// a wider interval; more take calls from the wrapped strategy.
const PROBE_INTERVAL: u64 = 6;
/// Minimum number of probes before a run with `until_coverage` ends that has other queries left.
/// Unseen documents lie together in few regions, so a small number of probes mostly underestimates
/// them, and sometimes overestimates them by far. With 20, three of eighteen runs stopped below a
/// recall of .8 (`BENCHMARKS.md`, "Coverage").
const MIN_PROBES_TO_STOP: usize = 25;
/// Estimated share of the population at which a run without `until_coverage` ends, when no other
/// query is left. Larger values retrieve more nonrelevant documents for the last relevant ones.
const FINAL_COVERAGE: f64 = 0.95;
/// Lower end of the interval of this share at or above which such a run ends. Larger values make
/// more probes.
const MIN_FINAL_COVERAGE: f64 = 0.85;
/// Expected number of repeated hits in all probes at or above which an engine that repeated none is
/// assumed to ignore the query, or to hide known documents. With a smaller value the warning is
/// earlier, but may be wrong.
const EXPECTED_REPEATS: f64 = 12.0;

/// Returns the probe to send now, or the end of the run. `None` if the wrapped strategy chooses the
/// query.
///
/// The run ends when the share `until_coverage` of the population is collected. With `None`, there
/// are no probes until the wrapped strategy is exhausted (`is_exhausted`); then they continue until
/// [`FINAL_COVERAGE`] is reached, and are read hit by hit, in two stages (see
/// [`nonrelevant_cost`]), so that they retrieve few nonrelevant documents if little is left.
///
/// # Errors
/// Fails if the statistics cannot be read, or if a probe must be drawn and they have no documents
/// of the target.
pub(super) fn schedule_probe(
    request: &QueryRequest,
    until_coverage: Option<f64>,
    is_exhausted: bool,
) -> Result<Option<QueryChoice>> {
    let (statistics, target) = (request.statistics, request.target);
    let last = query_log::read_last(&statistics.db, target)?;
    let is_open = last.as_ref().is_some_and(QueryLogRow::is_open_probe);
    // Most steps end here, after a single look-up.
    if until_coverage.is_none() && !is_exhausted && !is_open {
        return Ok(None);
    }
    let probes = query_log::read_probes(&statistics.db, target)?;
    let cost = nonrelevant_cost(&probes);
    if let Some(open) = last.filter(|last| should_continue_probe(last, until_coverage, cost)) {
        return continue_probe(&open, request, until_coverage).map(Some);
    }
    let calls = read_total(&statistics.db, target, "calls")?;
    let probe_calls: u64 = probes.iter().map(|probe| probe.calls).sum();
    let is_due = until_coverage.is_some()
        && calls >= CALLS_BEFORE_PROBES
        && probe_calls * PROBE_INTERVAL < calls;
    if !is_due && !is_exhausted {
        return Ok(None);
    }
    let coverage = estimate_coverage(statistics, target)?;
    let is_reached = |coverage: &Coverage| {
        let share = &coverage.share;
        let min_probes = match is_exhausted {
            true => 2 * MIN_PROBES,
            false => MIN_PROBES_TO_STOP,
        };
        match until_coverage {
            Some(until) => share.value >= until && coverage.probes >= min_probes,
            None => share.value >= FINAL_COVERAGE && share.low >= MIN_FINAL_COVERAGE,
        }
    };
    if coverage.as_ref().is_some_and(is_reached) {
        return Ok(Some(QueryChoice::CoverageReached));
    }
    let never_repeats_hits = never_repeats_hits(&probes);
    // Without an estimate, probes go on as long as they find something.
    let mut latest = probes.iter().rev().take(MIN_PROBES);
    let finds_nothing = probes.len() > MIN_PROBES
        && has_unknown_region(&probes)
        && latest.all(|probe| probe.relevant == 0);
    if is_exhausted && (never_repeats_hits || finds_nothing) {
        return Ok(None);
    }
    // The unread hits of the first probes come before further probes, as they cost no call.
    let is_careful = until_coverage.is_none() && probes.len() < MIN_PROBES;
    let undecided = probes.iter().find(|probe| is_undecided(probe));
    let mut probe = match undecided {
        Some(_) if until_coverage.is_none() && !is_careful => None,
        _ => draw_probe(request, is_careful)?,
    };
    if let (None, Some(undecided), None) = (&probe, undecided, until_coverage) {
        return continue_probe(undecided, request, until_coverage).map(Some);
    }
    if let (Some(probe), None) = (&mut probe, until_coverage) {
        probe.query.limit = Some(NonZeroUsize::MIN);
    }
    Ok(probe.map(|probe| QueryChoice::Probe {
        query: Box::new(probe),
        never_repeats_hits,
    }))
}

/// Returns the cost of a nonrelevant document at which the hits of a probe are read without
/// `until_coverage`.
///
/// The first probes are given up after a nonrelevant hit. If the estimate, in which their unread
/// hits count as half decided, is below [`FINAL_COVERAGE`], unread hits and those of further probes
/// are read at a lower cost: the target is mixed with other classes.
fn nonrelevant_cost(probes: &[QueryLogRow]) -> f64 {
    let others = |probe: &QueryLogRow| probe.hits.saturating_sub(probe.relevant);
    if probes.len() <= MIN_PROBES && probes.iter().all(|probe| others(probe) <= 1) {
        NONRELEVANT_COST
    } else {
        LAST_RESORT_COST
    }
}

/// Sends the query of a probe again, for its next hits. Without `until_coverage`, they are returned
/// in parts.
fn continue_probe(
    open: &QueryLogRow,
    request: &QueryRequest,
    until_coverage: Option<f64>,
) -> Result<QueryChoice> {
    let mut probe = repeat_probe(request, open)?;
    if until_coverage.is_none() {
        probe.query.limit = Some(match open.unseen_hits {
            0 => NonZeroUsize::MIN,
            _ => unseen_hit_limit(open.page_relevant, open.page_nonrelevant),
        });
    }
    Ok(QueryChoice::Probe {
        query: Box::new(probe),
        never_repeats_hits: false,
    })
}

/// Returns `true` if the last query is an open probe that is continued. For the coverage estimate,
/// all pages of a probe are requested. Otherwise, pages are requested until one has nonrelevant
/// documents only.
fn should_continue_probe(last: &QueryLogRow, until_coverage: Option<f64>, cost: f64) -> bool {
    last.is_open_probe()
        && (until_coverage.is_some()
            || if last.unseen_hits > 0 {
                should_use_unseen_hits(last.page_relevant, last.page_nonrelevant, cost)
            } else {
                NONRELEVANT_COST * last.page_relevant as f64 >= cost * last.page_nonrelevant as f64
            })
}

/// Returns `true` if the engine returned none of the known documents that the probes must match, so
/// that coverage cannot be estimated.
///
/// # Errors
/// Fails if the statistics cannot be read.
pub fn engine_never_repeats_hits(statistics: &Statistics, target: &str) -> Result<bool> {
    let probes = statistics.with_path(|| Ok(query_log::read_probes(&statistics.db, target)?))?;
    Ok(never_repeats_hits(&probes))
}

/// Returns `true` if the probes returned no hit of an earlier query, although at least
/// [`EXPECTED_REPEATS`] of them were expected from the inclusion probabilities and the documents
/// known before each probe. Probes without a hit do not count.
fn never_repeats_hits(probes: &[QueryLogRow]) -> bool {
    let expected_repeats: f64 = probes
        .iter()
        .filter(|probe| probe.hits > 0 && probe.unseen_hits == 0)
        .map(|probe| probe.known_before as f64 * probe.probability)
        .sum();
    expected_repeats >= EXPECTED_REPEATS && !has_repeated_hits(probes)
}

#[cfg(test)]
mod tests {
    use super::never_repeats_hits;
    use crate::query_log::{QueryLogRow, QueryPurpose};
    use forage_record::MoreHits;

    fn probe(hits: u64, max_rank: u64, relevant: u64) -> QueryLogRow {
        QueryLogRow {
            purpose: QueryPurpose::Probe,
            calls: 1,
            known_before: 100,
            hits,
            max_rank,
            relevant,
            probability: 0.1,
            ..QueryLogRow::default()
        }
    }

    #[test]
    fn an_engine_repeats_no_hit_if_twelve_repeats_were_expected_in_vain() {
        // Of a hundred known documents, ten are expected in each region.
        assert!(never_repeats_hits(&vec![probe(8, 8, 8); 2]));
        assert!(!never_repeats_hits(&vec![probe(8, 8, 8); 1]));
        let mut probes = vec![probe(8, 8, 8); 12];
        probes.push(probe(3, 9, 3));
        assert!(!never_repeats_hits(&probes));
        assert!(
            !never_repeats_hits(&vec![probe(0, 0, 0); 12]),
            "probes without hits count"
        );
    }

    #[test]
    fn a_probe_is_open_until_it_is_exhausted_or_has_had_five_calls() {
        let with_pages = QueryLogRow {
            more: Some(MoreHits::Pages),
            ..probe(9, 10, 9)
        };
        let with_unseen_hits = QueryLogRow {
            unseen_hits: 1,
            ..probe(9, 10, 9)
        };
        assert!(with_pages.is_open_probe() && with_unseen_hits.is_open_probe());
        assert!(!probe(9, 10, 9).is_open_probe());
        let after_five_calls = QueryLogRow {
            calls: 5,
            ..with_pages.clone()
        };
        let region = QueryLogRow {
            purpose: QueryPurpose::Region,
            ..with_pages
        };
        assert!(!after_five_calls.is_open_probe() && !region.is_open_probe());
    }
}
