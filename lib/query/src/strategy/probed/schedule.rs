//! The schedule of probes: when a probe is sent instead of the query of the wrapped strategy, and
//! when the run ends.

use super::draw::{draw_probe, repeat_probe};
use crate::coverage::{Coverage, estimate_coverage, has_repeated_hits};
use crate::query_log::{self, QueryLogRow};
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::regions::{should_use_unseen_hits, unseen_hit_limit};
use crate::strategy::{QueryChoice, QueryRequest};
use forage_run::read_total;
use std::num::NonZeroUsize;

// Set by judgement. `BENCHMARKS.md`, "Sensitivity to constants", has the effect of halving and
// doubling each constant of this module.

/// Calls to the engine before the first probe. There must be documents to draw a region from; the
/// more there are, the closer the probabilities of the walk are to the true shares.
const CALLS_BEFORE_PROBES: u64 = 20;
/// One in this many calls is for a probe, while the wrapped strategy has queries. Fewer probes give
/// a wider interval; more take calls from the harvest.
const PROBE_INTERVAL: u64 = 6;
/// Minimum number of probes before a run ends that has other queries left. Unseen documents lie
/// together in few regions, so a small number of probes mostly underestimates them, and sometimes
/// overestimates them by far. With 20, three of eighteen runs stopped below a recall of .8
/// (`BENCHMARKS.md`, "Coverage").
const MIN_PROBES_TO_STOP: usize = 25;
/// Number of most recent probes that decide whether more are sent when the wrapped strategy is
/// exhausted. With larger values a run continues for longer after its last new document.
const RECENT_PROBES: usize = 6;
/// Minimum number of new relevant documents per other hit in these probes that is required to send
/// more. Larger values give a higher precision at the end of a run.
const MIN_RELEVANT_PER_OTHER_HIT: u64 = 8;
/// Expected number of repeated hits in all probes at or above which an engine that repeated none is
/// assumed to ignore the query, or to hide known documents. With a smaller value the warning is
/// earlier, but may be wrong.
const EXPECTED_REPEATS: f64 = 12.0;

/// Returns the probe to send now, or the end of the run. `None` if the wrapped strategy chooses the
/// query.
///
/// The run ends when the share `until_coverage` of the population is collected. With `None`, it
/// ends only when the wrapped strategy is exhausted and random regions return nothing new. With
/// `is_exhausted`, the wrapped strategy is exhausted, and probes continue while they return new
/// documents, and with `until_coverage` at least until coverage can be estimated, unless the engine
/// never repeats a hit.
///
/// # Errors
/// Fails if the statistics cannot be read, or if a probe must be drawn and they have no documents
/// of the target.
pub(super) fn schedule_probe(
    statistics: &Statistics,
    request: &QueryRequest,
    until_coverage: Option<f64>,
    is_exhausted: bool,
) -> Result<Option<QueryChoice>, StatisticsError> {
    let target = request.target;
    let last =
        query_log::read_last(&statistics.db, target).map_err(|e| statistics.sqlite_error(e))?;
    if let Some(open) = last.filter(|last| should_continue_probe(last, until_coverage)) {
        let mut probe = repeat_probe(statistics, &open, request)?;
        if until_coverage.is_none() {
            let limit = unseen_hit_limit(open.page_relevant, open.page_nonrelevant);
            probe.query.limit = Some(limit).filter(|_| open.unseen_hits > 0);
        }
        return Ok(Some(QueryChoice::Probe {
            query: Box::new(probe),
            never_repeats_hits: false,
        }));
    }
    // Most steps end here, after a single look-up.
    if until_coverage.is_none() && !is_exhausted {
        return Ok(None);
    }
    let probes = read_probes(statistics, target)?;
    let calls =
        read_total(&statistics.db, target, "calls").map_err(|e| statistics.sqlite_error(e))?;
    let probe_calls: u64 = probes.iter().map(|probe| probe.calls).sum();
    let is_due = until_coverage.is_some()
        && calls >= CALLS_BEFORE_PROBES
        && probe_calls * PROBE_INTERVAL < calls;
    if !is_due && !is_exhausted {
        return Ok(None);
    }
    let coverage = estimate_coverage(statistics, target)?;
    let is_reached = |coverage: &Coverage| {
        until_coverage.is_some_and(|share| coverage.share.value >= share)
            && (is_exhausted || coverage.probes >= MIN_PROBES_TO_STOP)
    };
    if coverage.as_ref().is_some_and(is_reached) {
        return Ok(Some(QueryChoice::CoverageReached));
    }
    let never_repeats_hits = never_repeats_hits(&probes);
    let is_estimate_missing = until_coverage.is_some() && coverage.is_none() && !never_repeats_hits;
    if is_exhausted && !is_estimate_missing && !are_productive(&probes) {
        return Ok(None);
    }
    let mut probe = draw_probe(statistics, request, until_coverage)?;
    if let (Some(probe), None) = (&mut probe, until_coverage) {
        probe.query.limit = Some(NonZeroUsize::MIN);
    }
    Ok(probe.map(|probe| QueryChoice::Probe {
        query: Box::new(probe),
        never_repeats_hits,
    }))
}

/// Returns `true` if the last query is an open probe that is continued. For the coverage estimate,
/// all pages of a probe are requested. Otherwise, pages are requested until one has nonrelevant
/// documents only.
fn should_continue_probe(last: &QueryLogRow, until_coverage: Option<f64>) -> bool {
    last.is_open_probe()
        && (until_coverage.is_some()
            || if last.unseen_hits > 0 {
                should_use_unseen_hits(last.page_relevant, last.page_nonrelevant)
            } else {
                last.page_relevant > 0 || last.page_nonrelevant == 0
            })
}

fn read_probes(statistics: &Statistics, target: &str) -> Result<Vec<QueryLogRow>, StatisticsError> {
    query_log::read_probes(&statistics.db, target).map_err(|e| statistics.sqlite_error(e))
}

/// Returns `true` if the last probes returned a new relevant document per call and few other hits,
/// or if there are too few probes to tell.
fn are_productive(probes: &[QueryLogRow]) -> bool {
    let last = &probes[probes.len().saturating_sub(RECENT_PROBES)..];
    let relevant: u64 = last.iter().map(|row| row.relevant).sum();
    let calls: u64 = last.iter().map(|row| row.calls).sum();
    let hits: u64 = last.iter().map(|row| row.hits).sum();
    let others = hits - relevant.min(hits);
    last.len() < RECENT_PROBES
        || (relevant >= calls && MIN_RELEVANT_PER_OTHER_HIT * others <= relevant)
}

/// Returns `true` if the engine returned none of the known documents that the probes must match, so
/// that coverage cannot be estimated.
///
/// # Errors
/// Fails if the statistics cannot be read.
pub fn engine_never_repeats_hits(
    statistics: &Statistics,
    target: &str,
) -> Result<bool, StatisticsError> {
    Ok(never_repeats_hits(&read_probes(statistics, target)?))
}

/// Returns `true` if the probes returned no hit of an earlier query, although at least
/// [`EXPECTED_REPEATS`] of them were expected from the inclusion probabilities and the documents
/// known before each probe. Probes without a hit do not count.
fn never_repeats_hits(probes: &[QueryLogRow]) -> bool {
    let expected_repeats: f64 = probes
        .iter()
        .filter(|probe| probe.hits > 0)
        .map(|probe| probe.known_before as f64 * probe.probability)
        .sum();
    expected_repeats >= EXPECTED_REPEATS && !has_repeated_hits(probes)
}

#[cfg(test)]
mod tests {
    use super::{are_productive, never_repeats_hits};
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
    fn probes_are_productive_while_they_return_relevant_documents_and_few_others() {
        assert!(are_productive(&vec![probe(0, 0, 0); 5]));
        assert!(!are_productive(&vec![probe(0, 0, 0); 6]));
        assert!(are_productive(&vec![probe(9, 9, 8); 6]));
        assert!(!are_productive(&vec![probe(9, 9, 7); 6]));
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
