//! The strategy whose methods and lengths a learner draws.

use super::NAME;
use super::draw::{DrawAttempt, draw};
use super::spec::LearnerSpec;
use super::state::LearnerScores;
use crate::statistics::{Statistics, StatisticsError};
use crate::strategy::recovery::{RecoveryLimits, Walk};
use crate::strategy::selected::compose;
use crate::strategy::{QueryChoice, QueryRequest, Strategy};

/// How often a learner draws for a step before the target counts as exhausted.
const DRAWS: u32 = 50;

/// The strategy.
#[derive(Debug)]
pub struct Learned {
    /// The learner by whose scores it draws.
    pub spec: LearnerSpec,
    /// Ranks that the recovery goes down.
    pub ranks: u32,
    /// Whether the engine takes no query of exclusion terms alone.
    pub needs_inclusion: bool,
}

impl Strategy for Learned {
    /// Selects terms by what the learner draws: other methods and lengths where these bring nothing
    /// more.
    fn choose_query(
        &self,
        from: &Statistics,
        request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError> {
        let scores = LearnerScores::read(&from.db, self.spec, request.target)
            .map_err(|e| from.sqlite_error(e))?;
        let limits = RecoveryLimits {
            max_offset: self.ranks,
            shorten_after: None,
        };
        for before in 0..DRAWS {
            let attempt = DrawAttempt {
                before,
                needs_inclusion: self.needs_inclusion,
            };
            let (include, exclude) =
                draw(&scores, request.seed, request.step, request.target, attempt);
            let walk = Walk {
                include,
                exclude,
                limits,
                learner: Some(self.spec),
            };
            if let Some(terms) = compose(from, request, NAME, walk)? {
                return Ok(Some(terms).into());
            }
        }
        Ok(QueryChoice::Exhausted)
    }

    fn exhaustion_reason(&self) -> String {
        format!("none of {DRAWS} draws of methods and lengths selects terms that bring more")
    }
}
