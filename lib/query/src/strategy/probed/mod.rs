//! A strategy whose queries alternate with probes, regions that are drawn at random, so that
//! coverage can be estimated (see [`crate::coverage`]).
//!
//! The order: an open probe and one that is due come first, then the query of the inner strategy;
//! when that has none left, probes go on as long as they bring something; the inner strategy's last
//! resort comes at the end.

mod draw;
mod turn;

pub use turn::probes_are_vain;

use super::{Capabilities, Next, Request, Strategy};
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
    fn next(&self, from: &Statistics, request: &Request) -> Result<Next, StatisticsError> {
        if let Some(probe) = turn(from, request, self.until, false)? {
            return Ok(probe);
        }
        match self.inner.next(from, request)? {
            Next::Exhausted => {}
            next => return Ok(next),
        }
        match turn(from, request, self.until, true)? {
            Some(probe) => Ok(probe),
            None => self.inner.last_resort(from, request),
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_exclusion: self.until.is_some(),
            ..self.inner.capabilities()
        }
    }

    fn why_exhausted(&self) -> String {
        self.inner.why_exhausted()
    }
}
