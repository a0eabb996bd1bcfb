//! A wrapper that alternates the queries of another strategy with probes, regions drawn at random,
//! so that coverage can be estimated (see [`crate::coverage`]).
//!
//! In each step the first of these applies: an open probe is continued, or a probe that is due is
//! sent; the wrapped strategy chooses a query; when it is exhausted, probes continue as long as
//! they return new documents; at the end comes the last resort of the wrapped strategy.

mod draw;
mod schedule;

pub use schedule::engine_never_repeats_hits;

use super::{QueryChoice, QueryRequest, Strategy, StrategyNeeds};
use crate::statistics::Result;
use schedule::schedule_probe;

/// A strategy with probes.
#[derive(Debug)]
pub(super) struct ProbedStrategy {
    /// The wrapped strategy.
    pub inner: Box<dyn Strategy>,
    /// The share of the population at which the run ends. With `None`, probes are sent only when
    /// the wrapped strategy is exhausted.
    pub until_coverage: Option<f64>,
}

impl Strategy for ProbedStrategy {
    fn choose_query(&self, request: &QueryRequest) -> Result<QueryChoice> {
        if let Some(probe) = schedule_probe(request, self.until_coverage, false)? {
            return Ok(probe);
        }
        match self.inner.choose_query(request)? {
            QueryChoice::Exhausted => {}
            choice => return Ok(choice),
        }
        match schedule_probe(request, self.until_coverage, true)? {
            Some(probe) => Ok(probe),
            None => self.inner.choose_last_resort(request),
        }
    }

    fn needs(&self) -> StrategyNeeds {
        StrategyNeeds {
            exclusion: self.until_coverage.is_some(),
            ..self.inner.needs()
        }
    }

    fn exhaustion_reason(&self) -> String {
        self.inner.exhaustion_reason()
    }
}
