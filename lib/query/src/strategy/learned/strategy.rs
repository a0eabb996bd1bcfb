//! The strategy whose methods and lengths a learner draws.

use super::NAME;
use super::draw::{DrawAttempt, draw_sides};
use super::scores::LearnerScores;
use super::spec::LearnerSpec;
use crate::statistics::Result;
use crate::strategy::recovery::{RecoveryMode, RecoveryWalk};
use crate::strategy::selected::compose_selected;
use crate::strategy::{QueryChoice, QueryRequest, Strategy};

/// Maximum number of draws of a learner for a step. If none of them selects terms that may return
/// new hits, the target is exhausted. Set by judgement, not measured.
const MAX_DRAWS: u32 = 50;

/// The strategy of a learner.
#[derive(Debug)]
pub struct LearnedStrategy {
    /// The learner whose scores are drawn from.
    pub spec: LearnerSpec,
    /// What is sent after a query without a result.
    pub recovery: RecoveryMode,
    /// True if the engine supports no query of exclusion terms alone.
    pub needs_inclusion: bool,
}

impl Strategy for LearnedStrategy {
    /// Selects terms by the methods and lengths that the learner draws, and draws others if these
    /// return nothing new.
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice> {
        let scores = LearnerScores::read(&request.statistics.db, self.spec, request.target)?;
        for previous_draws in 0..MAX_DRAWS {
            let attempt = DrawAttempt {
                previous_draws,
                needs_inclusion: self.needs_inclusion,
            };
            let (include, exclude) =
                draw_sides(&scores, request.seed, request.step, request.target, attempt);
            let walk = RecoveryWalk {
                include,
                exclude,
                mode: self.recovery,
                learner: Some(self.spec),
            };
            if let Some(query) = compose_selected(request, NAME, walk)? {
                return Ok(Some(query).into());
            }
        }
        Ok(QueryChoice::Exhausted)
    }

    fn exhaustion_reason(&self) -> String {
        format!("none of {MAX_DRAWS} draws of methods and lengths selects terms with new hits")
    }
}
