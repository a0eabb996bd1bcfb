//! Whose turn it is: a probe's, or that of the query that brings most; and whether the run is done.

use super::draw;
use crate::coverage::{Coverage, estimate_coverage, repeats};
use crate::query_log::{self, QueryLogRow};
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::{QueryChoice, QueryRequest};
use forage_run::read_total;

/// Calls before the first probe: there must be something that it can be drawn from.
const FIRST: u64 = 20;
/// One in so many calls is a probe's.
const ONE_IN: u64 = 6;
/// Probes before a run is stopped that has other queries left: what is not seen lies together, so
/// that few probes mostly say too little, and now and then far too much.
const LEAST_TO_STOP: usize = 25;
/// Probes by which it is judged whether more of them are worth it when nothing else is left to ask,
/// and how many documents of the target must come with one of another class.
const LAST: usize = 6;
const IMPURE: u64 = 8;
/// Documents that should have come again by now, after which it would have shown if the engine
/// repeated hits.
const AGAIN: f64 = 12.0;

/// The probe whose turn it is, or the end of the run; `None` where it is the turn of the query that
/// the run would ask anyway.
///
/// The run is done when the share `until` of what can be reached is collected; with `None` only
/// when nothing is left to ask, and random regions bring nothing more, either. With `is_exhausted`
/// no other query is left, so that probes alone continue until the estimate can be made.
///
/// # Errors
/// When the statistics can't be read, or, where a probe is to be drawn, have no documents of the
/// target.
pub(super) fn turn(
    from: &Statistics,
    request: &QueryRequest,
    until: Option<f64>,
    is_exhausted: bool,
) -> Result<Option<QueryChoice>, StatisticsError> {
    let target = request.target;
    let last = query_log::read_last(&from.db, target).map_err(|e| from.sqlite_error(e))?;
    // To estimate by, a probe is asked to its end; to find more by, until a page has only what is
    // not wanted.
    let is_worth = |last: &QueryLogRow| {
        until.is_some()
            || last.unseen_hits > 0
            || last.page_relevant > 0
            || last.page_nonrelevant == 0
    };
    if let Some(open) = last.filter(|last| last.is_open_probe() && is_worth(last)) {
        let terms = draw::repeat(from, &open, request)?;
        return Ok(Some(QueryChoice::Probe {
            query: Box::new(terms),
            never_repeats_hits: false,
        }));
    }
    // Most steps end here: they pay for one look-up.
    if until.is_none() && !is_exhausted {
        return Ok(None);
    }
    let probes = query_log::read_probes(&from.db, target).map_err(|e| from.sqlite_error(e))?;
    let calls = read_total(&from.db, target, "calls").map_err(|e| from.sqlite_error(e))?;
    let calls_of_probes: u64 = probes.iter().map(|probe| probe.calls).sum();
    let is_due = until.is_some() && calls >= FIRST && calls_of_probes * ONE_IN < calls;
    if !is_due && !is_exhausted {
        return Ok(None);
    }
    let known = estimate_coverage(from, target)?;
    let is_done = |coverage: &Coverage| {
        until.is_some_and(|until| coverage.share.value >= until)
            && (is_exhausted || coverage.probes >= LEAST_TO_STOP)
    };
    if known.as_ref().is_some_and(is_done) {
        return Ok(Some(QueryChoice::CoverageReached));
    }
    let never_repeats_hits = never_repeats(&probes);
    let is_wanted = until.is_some() && known.is_none() && !never_repeats_hits;
    if is_exhausted && !is_wanted && !bring_something(&probes) {
        return Ok(None);
    }
    let terms = draw::draw(from, request, until)?;
    Ok(terms.map(|terms| QueryChoice::Probe {
        query: Box::new(terms),
        never_repeats_hits,
    }))
}

/// Whether the last probes were worth their calls, a new document each, and few of other classes
/// came with them; or there were hardly any probes.
fn bring_something(probes: &[QueryLogRow]) -> bool {
    let last = &probes[probes.len().saturating_sub(LAST)..];
    let sum = |of: fn(&QueryLogRow) -> u64| last.iter().map(of).sum::<u64>();
    let (found, calls, came) = (
        sum(|row| row.relevant),
        sum(|row| row.calls),
        sum(|row| row.hits),
    );
    last.len() < LAST || (found >= calls && IMPURE * (came - found.min(came)) <= found)
}

/// Whether the engine is asked for regions of what is known, and shows nothing of it.
///
/// # Errors
/// When the statistics can't be read.
pub fn engine_never_repeats_hits(from: &Statistics, target: &str) -> Result<bool, StatisticsError> {
    let probes = query_log::read_probes(&from.db, target).map_err(|e| from.sqlite_error(e))?;
    Ok(never_repeats(&probes))
}

/// Whether probes were asked often enough to say that the engine never shows a hit again: by their
/// chances, and what was known, many of the hits that came were known.
fn never_repeats(probes: &[QueryLogRow]) -> bool {
    let came = probes.iter().filter(|probe| probe.hits > 0);
    came.map(|probe| probe.known_before as f64 * probe.probability)
        .sum::<f64>()
        >= AGAIN
        && !repeats(probes)
}

#[cfg(test)]
mod tests {
    use super::{bring_something, never_repeats};
    use crate::query_log::{QueryLogRow, QueryPurpose};
    use forage_record::MoreHits;

    fn probe(came: u64, rank: u64, found: u64) -> QueryLogRow {
        QueryLogRow {
            purpose: QueryPurpose::Probe,
            calls: 1,
            known_before: 100,
            hits: came,
            max_rank: rank,
            relevant: found,
            probability: 0.1,
            ..QueryLogRow::default()
        }
    }

    #[test]
    fn an_engine_that_shows_nothing_again_is_known_when_twelve_should_have_come() {
        // Of a hundred documents that were known ten should be in each region.
        assert!(never_repeats(&vec![probe(8, 8, 8); 2]));
        assert!(!never_repeats(&vec![probe(8, 8, 8); 1]));
        let mut probes = vec![probe(8, 8, 8); 12];
        probes.push(probe(3, 9, 3));
        assert!(!never_repeats(&probes));
        assert!(
            !never_repeats(&vec![probe(0, 0, 0); 12]),
            "nothing came at all"
        );
    }

    #[test]
    fn random_regions_are_worth_it_while_they_bring_the_target_and_little_else() {
        assert!(bring_something(&vec![probe(0, 0, 0); 5]));
        assert!(!bring_something(&vec![probe(0, 0, 0); 6]));
        assert!(bring_something(&vec![probe(9, 9, 8); 6]));
        assert!(!bring_something(&vec![probe(9, 9, 7); 6]));
    }

    #[test]
    fn a_probe_goes_on_to_its_end_but_not_for_ever() {
        let open = QueryLogRow {
            more: Some(MoreHits::Pages),
            ..probe(9, 10, 9)
        };
        let paid = QueryLogRow {
            unseen_hits: 1,
            ..probe(9, 10, 9)
        };
        assert!(open.is_open_probe() && paid.is_open_probe() && !probe(9, 10, 9).is_open_probe());
        let (costly, region) = (
            QueryLogRow {
                calls: 5,
                ..open.clone()
            },
            QueryLogRow {
                purpose: QueryPurpose::Region,
                ..open
            },
        );
        assert!(!costly.is_open_probe() && !region.is_open_probe());
    }
}
