//! Whose turn it is: a probe's, or that of the query that brings most; and whether the run is done.

use super::estimate::Coverage;
use super::load::{coverage, repeats};
use super::probe;
use crate::asked::{self, Kind, Row};
use crate::auto::Shown;
use crate::compose::Terms;
use crate::statistics::{Statistics, StatisticsError};
use forage_record::More;

/// Calls before the first probe: there must be something that it can be drawn from.
const FIRST: u64 = 20;
/// One in so many calls is a probe's.
const ONE_IN: u64 = 6;
/// Most calls of a probe. Its region was expected to fit on a page or two.
const CALLS: u64 = 5;
/// Probes before a run is stopped that has other queries left: what is not seen lies together, so that few probes mostly
/// say too little, and now and then far too much.
const LEAST_TO_STOP: usize = 25;
/// Probes after which it would have shown if the engine repeated hits.
const TRIALS: usize = 12;

/// What is wanted.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The class that is looked for.
    pub target: &'a str,
    /// The run is done when this share of what can be reached is collected.
    pub until: f64,
    /// Seed of what is drawn at random, together with the step and the target.
    pub seed: u64,
    /// The step that the query is for.
    pub step: u64,
    /// The classes that the target is told from; `None` for all others.
    pub versus: Option<&'a [String]>,
    /// What the engine shows of a query.
    pub shown: Shown,
}

/// Whose turn it is.
#[derive(Debug, Clone)]
pub enum Turn {
    /// That of the query that the run would ask anyway.
    Query,
    /// A probe's.
    Probe {
        /// Its query.
        terms: Box<Terms>,
        /// Whether enough probes were asked to say that the engine never shows a hit again, so that they tell nothing.
        is_vain: bool,
    },
    /// The run is done.
    Done(Coverage),
}

/// Says whose turn it is. With `is_spent` no other query is left, so that probes alone go on until the estimate can be
/// made.
///
/// # Errors
/// When the statistics can't be read, or have no documents of the target.
pub fn turn(from: &Statistics, wanted: Wanted, is_spent: bool) -> Result<Turn, StatisticsError> {
    let classes = from.classes()?;
    from.class(&classes, wanted.target)?;
    let probes = asked::probes(from, wanted.target).map_err(|e| from.named(e))?;
    let last = asked::last(from, wanted.target).map_err(|e| from.named(e))?;
    if let Some(open) = last.filter(goes_on) {
        let terms = probe::again(from, &open, wanted)?;
        return Ok(Turn::Probe { terms: Box::new(terms), is_vain: false });
    }
    let calls = from.tally(wanted.target, "calls").map_err(|e| from.named(e))?;
    let spent_on_probes: u64 = probes.iter().map(|probe| probe.calls).sum();
    let is_due = calls >= FIRST && spent_on_probes * ONE_IN < calls;
    if !is_due && !is_spent {
        return Ok(Turn::Query);
    }
    let known = coverage(from, wanted.target)?;
    let is_done =
        |coverage: &Coverage| coverage.share.value >= wanted.until && (is_spent || coverage.probes >= LEAST_TO_STOP);
    if let Some(coverage) = known.filter(is_done) {
        return Ok(Turn::Done(coverage));
    }
    // Nothing else is left, and the estimate is made: it says how much the run came to.
    let is_vain = never_repeats(&probes);
    if is_spent && (known.is_some() || is_vain) {
        return Ok(Turn::Query);
    }
    let terms = probe::draw(from, wanted)?;
    Ok(terms.map_or(Turn::Query, |terms| Turn::Probe { terms: Box::new(terms), is_vain }))
}

/// Whether probes were asked often enough to say that the engine never shows a hit again.
fn never_repeats(probes: &[Row]) -> bool {
    probes.len() >= TRIALS && !repeats(probes)
}

/// A probe is asked to its end.
pub(super) fn goes_on(last: &Row) -> bool {
    last.kind == Kind::Probe && (last.left > 0 || last.more == Some(More::Pages)) && last.calls < CALLS
}
