//! Drawing the parameters of the next query.

use super::METHODS;
use super::spec::{LearnerSpec, LengthModel};
use super::state::{LearnerScores, QueryParameter};
use crate::select::{QuerySide, SelectionSpec};
use forage_text::Random;

/// Draws in vain after which both lengths would be 0 for ever.
const TRIES: usize = 1_000;

/// Which draw for a step it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DrawAttempt {
    /// How many were drawn before that select no term, or only terms that bring nothing more.
    pub before: u32,
    /// Whether the engine takes no query of exclusion terms alone.
    pub needs_inclusion: bool,
}

/// Draws the two sides of the query for a step. It depends on the scores, seed, step and target
/// alone.
///
/// Lengths are drawn until one of them is not 0, or that for inclusion where the engine needs it:
/// the paper leaves open what a query without terms would be. Where only 0 has a probability, as
/// can happen to `ml/di` and `ucb`, the inclusion length is one of the others.
pub fn draw(
    scores: &LearnerScores,
    seed: u64,
    step: u64,
    target: &str,
    attempt: DrawAttempt,
) -> (SelectionSpec, SelectionSpec) {
    // The terms are drawn with streams of their own, `include` and `exclude`: these must not run
    // along with them.
    let random = |parameter: QueryParameter| {
        let (step, parameter) = (step.to_string(), parameter.to_string());
        match attempt.before {
            0 => Random::for_purpose(seed, &[&step, target, &parameter]),
            again => Random::for_purpose(seed, &[&step, target, &parameter, &again.to_string()]),
        }
    };
    let method = |direction| {
        let parameter = QueryParameter::Method(direction);
        METHODS[place(&scores.probabilities(parameter), &mut random(parameter))]
    };
    let (include, exclude) = (method(QuerySide::Include), method(QuerySide::Exclude));
    let LearnerSpec { lengths, .. } = scores.spec;
    let (include_length, exclude_length) = if let LengthModel::Fixed(include, exclude) = lengths {
        (include, exclude)
    } else {
        let of = |direction, method| scores.spec.length_parameter(direction, method);
        let (include, exclude) = (
            of(QuerySide::Include, include),
            of(QuerySide::Exclude, exclude),
        );
        let random = [QuerySide::Include, QuerySide::Exclude]
            .map(|direction| random(QueryParameter::Length(direction)));
        include.zip(exclude).map_or((1, 0), |parameters| {
            draw_lengths(scores, parameters, random, attempt.needs_inclusion)
        })
    };
    (
        SelectionSpec {
            method: include,
            length: include_length,
        },
        SelectionSpec {
            method: exclude,
            length: exclude_length,
        },
    )
}

fn draw_lengths(
    scores: &LearnerScores,
    parameters: (QueryParameter, QueryParameter),
    [mut first, mut second]: [Random; 2],
    needs_inclusion: bool,
) -> (u32, u32) {
    let (include, exclude) = (
        scores.probabilities(parameters.0),
        scores.probabilities(parameters.1),
    );
    for _ in 0..TRIES {
        let lengths = (
            place(&include, &mut first) as u32,
            place(&exclude, &mut second) as u32,
        );
        if lengths != (0, 0) && (lengths.0 > 0 || !needs_inclusion) {
            return lengths;
        }
    }
    (
        place(&scores.probabilities_but_first(parameters.0), &mut first) as u32,
        0,
    )
}

/// A place, drawn with its probability. One of probability 0 is never drawn, but where all are 0.
pub(super) fn place(probabilities: &[f64], random: &mut Random) -> usize {
    let mut at = random.next_f64() * probabilities.iter().sum::<f64>();
    for (place, &probability) in probabilities.iter().enumerate() {
        if at < probability {
            return place;
        }
        at -= probability;
    }
    // What rounding left over.
    probabilities
        .iter()
        .rposition(|&probability| probability > 0.0)
        .unwrap_or(0)
}
