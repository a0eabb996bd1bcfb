//! Fixed methods and lengths, given by the user: `--include or:3 --exclude or:3`.

use super::recovery::{RecoveryLimits, Walk};
use super::selected::compose;
use super::{QueryChoice, QueryRequest, Strategy};
use crate::select::SelectionSpec;
use crate::statistics::{Statistics, StatisticsError};

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "fixed";

/// The strategy.
#[derive(Debug)]
pub(super) struct Fixed(Walk);

impl Fixed {
    /// Selects terms by these two sides.
    ///
    /// # Errors
    /// When no query can be made of them that the engine takes.
    pub fn new(
        include: SelectionSpec,
        exclude: SelectionSpec,
        limits: RecoveryLimits,
        needs_inclusion: bool,
    ) -> Result<Self, String> {
        if include.length + exclude.length == 0 {
            return Err(
                "a query needs a term: --include and --exclude can't both have length 0".into(),
            );
        }
        if include.length == 0 && needs_inclusion {
            return Err(format!(
                "--include {include}: the engine takes no query of exclusion terms alone"
            ));
        }
        Ok(Fixed(Walk {
            include,
            exclude,
            limits,
            learner: None,
        }))
    }
}

impl Strategy for Fixed {
    fn choose_query(
        &self,
        from: &Statistics,
        request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError> {
        Ok(compose(from, request, NAME, self.0)?.into())
    }

    fn exhaustion_reason(&self) -> String {
        self.0.exhaustion_reason()
    }
}
