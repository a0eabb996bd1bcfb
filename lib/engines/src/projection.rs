//! The marks of hits as a projection of the journal. Pages of hits are none: they are paid for, and kept for good.

use crate::cache::HitCache;
use forage_run::{BoxError, Event, Projection};

impl Projection for HitCache {
    /// Marks the URL of a hit as given.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        let Some(step) = &event.step else { return Ok(()) };
        self.advance_to(step.number);
        // What has no `hit` was not given by a search engine.
        if let (Some(_), Some(url)) = (&event.hit, event.url()) {
            self.restore_seen(&url, step.number)?;
        }
        Ok(())
    }
}
