//! The index as a projection of the journal: it contains the documents that `dedup` judged new, and
//! no others.

use crate::index::{Document, Index};
use forage_record::{DedupStatus, Step};
use forage_run::{BoxError, Event, Projection};

impl Projection for Index {
    /// Indexes a document that was judged new. One that was not judged, an initial document or one
    /// of a journal that was written without `dedup`, is judged now.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        self.advance_to(event.step.as_ref().map_or(0, Step::last_complete_step));
        let (text, id) = (event.text(), event.id());
        let document = Document {
            text: &text,
            id: id.as_deref(),
            step: event.step_number(),
        };
        match event.dedup {
            // Also one of which a later tool failed.
            Some(DedupStatus::New) if event.has_text => self.add(document)?,
            None if event.is_document => drop(self.judge(document)?),
            _ => {}
        }
        Ok(())
    }
}
