//! From the learner's draw to a query record.

use super::draw;
use super::spec::Spec;
use super::state::Scores;
use crate::compose::{Plan, Terms, compose as compose_plan};
use crate::select::Prune;
use crate::statistics::{Statistics, StatisticsError};

/// What query is wanted of a learner.
#[derive(Debug, Clone)]
pub struct Request {
    /// The learner.
    pub learner: Spec,
    /// The class that is looked for.
    pub target: String,
    /// The classes that it is told from; `None` for all others.
    pub versus: Option<Vec<String>>,
    /// The step that the query is for.
    pub step: u64,
    /// Seed of what is drawn at random, together with the step and the target.
    pub seed: u64,
    /// How many ranks the recovery goes down on either side.
    pub recovery: u32,
    /// Terms that are not selected.
    pub prune: Prune,
}

/// Draws the parameters for a step and puts the query together; `None` where the recovery has come to its end, or
/// there is no term at all.
///
/// # Errors
/// When the statistics can't be read, or have no documents of a class that is named.
pub fn compose(from: &Statistics, request: Request) -> Result<Option<Terms>, StatisticsError> {
    let Request { learner, target, versus, step, seed, recovery, prune } = request;
    let scores = Scores::read(from, learner, &target).map_err(|e| from.named(e))?;
    let (include, exclude) = draw(&scores, seed, step, &target);
    let (learner, shorten) = (Some(learner), None);
    compose_plan(from, &Plan { target, versus, include, exclude, step, seed, recovery, shorten, prune, learner })
}
