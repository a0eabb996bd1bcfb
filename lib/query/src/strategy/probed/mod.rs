//! A strategy whose queries alternate with probes, regions that are drawn at random, so that
//! coverage can be estimated (see [`crate::coverage`]).
//!
//! The order: an open probe and one that is due come first, then the query of the inner strategy;
//! when that has none left, probes go on as long as they bring something; the inner strategy's last
//! resort comes at the end.

mod draw;
mod turn;

pub use turn::engine_never_repeats_hits;

use super::{QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use crate::statistics::{Statistics, StatisticsError};
use turn::turn;

/// The wrapper.
#[derive(Debug)]
pub(super) struct Probed {
    pub inner: Box<dyn Strategy>,
    /// The share of what the engine can reach at which the run is done; `None` to probe only when
    /// the inner strategy has nothing left to ask.
    pub until: Option<f64>,
}

impl Strategy for Probed {
    fn choose_query(
        &self,
        from: &Statistics,
        request: &QueryRequest,
    ) -> Result<QueryChoice, StatisticsError> {
        if let Some(probe) = turn(from, request, self.until, false)? {
            return Ok(probe);
        }
        match self.inner.choose_query(from, request)? {
            QueryChoice::Exhausted => {}
            next => return Ok(next),
        }
        match turn(from, request, self.until, true)? {
            Some(probe) => Ok(probe),
            None => self.inner.choose_last_resort(from, request),
        }
    }

    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds {
            exclusion: self.until.is_some(),
            ..self.inner.needs()
        }
    }

    fn exhaustion_reason(&self) -> String {
        self.inner.exhaustion_reason()
    }
}
