//! From what a learner knows to the sides of a query.

use super::draw::{Attempt, draw};
use super::spec::Spec;
use super::state::Scores;
use crate::compose::Side;
use crate::statistics::{Statistics, StatisticsError};

/// The two sides of the query that a learner draws for a step, at such an attempt.
///
/// # Errors
/// When the statistics can't be read.
pub fn sides(
    from: &Statistics,
    learner: Spec,
    target: &str,
    seed: u64,
    step: u64,
    attempt: Attempt,
) -> Result<(Side, Side), StatisticsError> {
    let scores = Scores::read(from, learner, target).map_err(|e| from.named(e))?;
    Ok(draw(&scores, seed, step, target, attempt))
}
