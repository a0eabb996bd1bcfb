//! Draws the methods and lengths of the next query.

use super::METHODS;
use super::scores::{LearnerScores, QueryParameter};
use super::spec::LengthModel;
use crate::select::{QuerySide, SelectionSpec, draw_weighted};
use forage_text::Random;

/// Maximum number of draws of the two lengths. If all of them give lengths that no query can have,
/// these are taken to be the only ones with a probability.
const MAX_LENGTH_DRAWS: usize = 1_000;

/// The circumstances of a draw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawAttempt {
    /// The number of draws for the same step that selected no term, or only terms that return
    /// nothing new.
    pub previous_draws: u32,
    /// True if the engine supports no query of exclusion terms alone.
    pub needs_inclusion: bool,
}

/// Draws the inclusion side and the exclusion side of the query for a step. They depend on scores,
/// seed, step, target and attempt alone.
///
/// Lengths are drawn until they are not both 0, and until the inclusion length is not 0 if the
/// engine needs it: the paper does not define a query without terms. If only 0 has a probability,
/// as can happen to `ml/di`, the inclusion length is drawn from the other lengths.
pub fn draw_sides(
    scores: &LearnerScores,
    seed: u64,
    step: u64,
    target: &str,
    attempt: DrawAttempt,
) -> (SelectionSpec, SelectionSpec) {
    // The purposes differ from `include` and `exclude`, by which the terms are drawn, so that the
    // random numbers are independent.
    let random = |parameter: QueryParameter| {
        let step = step.to_string();
        let parameter = parameter.to_string();
        match attempt.previous_draws {
            0 => Random::for_purpose(seed, &[&step, target, &parameter]),
            draws => Random::for_purpose(seed, &[&step, target, &parameter, &draws.to_string()]),
        }
    };
    let draw_method = |side| {
        let parameter = QueryParameter::Method(side);
        METHODS[draw_index(&scores.probabilities(parameter), &mut random(parameter))]
    };
    let include_method = draw_method(QuerySide::Include);
    let exclude_method = draw_method(QuerySide::Exclude);
    let spec = scores.spec;
    let include_parameter = spec.length_parameter(QuerySide::Include, include_method);
    let exclude_parameter = spec.length_parameter(QuerySide::Exclude, exclude_method);
    let lengths = match (spec.lengths, include_parameter, exclude_parameter) {
        (LengthModel::Fixed(include, exclude), ..) => (include, exclude),
        (_, Some(include), Some(exclude)) => {
            let random = [QuerySide::Include, QuerySide::Exclude]
                .map(|side| random(QueryParameter::Length(side)));
            draw_lengths(scores, [include, exclude], random, attempt.needs_inclusion)
        }
        _ => (1, 0),
    };
    let include = SelectionSpec {
        method: include_method,
        length: lengths.0,
    };
    let exclude = SelectionSpec {
        method: exclude_method,
        length: lengths.1,
    };
    (include, exclude)
}

fn draw_lengths(
    scores: &LearnerScores,
    [include, exclude]: [QueryParameter; 2],
    [mut include_random, mut exclude_random]: [Random; 2],
    needs_inclusion: bool,
) -> (u32, u32) {
    let include_probabilities = scores.probabilities(include);
    let exclude_probabilities = scores.probabilities(exclude);
    for _ in 0..MAX_LENGTH_DRAWS {
        let included = draw_index(&include_probabilities, &mut include_random) as u32;
        let excluded = draw_index(&exclude_probabilities, &mut exclude_random) as u32;
        if (included, excluded) != (0, 0) && (included > 0 || !needs_inclusion) {
            return (included, excluded);
        }
    }
    let probabilities = scores.probabilities_without_first(include);
    (draw_index(&probabilities, &mut include_random) as u32, 0)
}

/// Draws an index with its probability. An index of probability 0 is never drawn, unless all are 0.
pub(super) fn draw_index(probabilities: &[f64], random: &mut Random) -> usize {
    draw_weighted(probabilities.iter().copied(), random).unwrap_or(0)
}
