//! Fixed selection methods and lengths, given by the user: `--include or:3 --exclude or:3`.

use super::recovery::{RecoveryMode, RecoveryWalk};
use super::selected::compose_selected;
use super::{QueryChoice, QueryRequest, Strategy};
use crate::select::SelectionSpec;
use crate::statistics::Result;

/// The name in `query.strategy`.
pub(crate) const NAME: &str = "fixed";

/// The strategy of fixed methods and lengths.
#[derive(Debug)]
pub(super) struct FixedStrategy(RecoveryWalk);

impl FixedStrategy {
    /// Creates the strategy that selects terms by these two specifications.
    ///
    /// # Errors
    /// Fails if they give no query, or one that the engine does not support.
    pub fn new(
        include: SelectionSpec,
        exclude: SelectionSpec,
        mode: RecoveryMode,
        needs_inclusion: bool,
    ) -> Result<Self, String> {
        if include.length + exclude.length == 0 {
            return Err(
                "a query needs a term: --include and --exclude cannot both have length 0".into(),
            );
        }
        if include.length == 0 && needs_inclusion {
            return Err(format!(
                "--include {include}: the engine supports no query of exclusion terms alone"
            ));
        }
        Ok(FixedStrategy(RecoveryWalk {
            include,
            exclude,
            mode,
            learner: None,
        }))
    }
}

impl Strategy for FixedStrategy {
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice> {
        Ok(compose_selected(request, NAME, self.0)?.into())
    }

    fn exhaustion_reason(&self) -> String {
        self.0.exhaustion_reason()
    }
}
