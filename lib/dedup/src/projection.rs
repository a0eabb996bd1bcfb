//! The index as a projection of the journal: it contains the documents with `dedup.status` `new`,
//! and no others.

use crate::index::{DedupDocument, DuplicateIndex};
use forage_record::{DedupStatus, Step};
use forage_run::{BoxError, Event, Projection};

impl Projection for DuplicateIndex {
    /// Adds a document that was reported new. A document without `dedup`, which is an initial
    /// document or one of a journal that was written without the tool, is checked now.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        self.advance_to(event.step.as_ref().map_or(0, Step::last_complete_step));
        let (text, id) = (event.text(), event.id());
        let document = DedupDocument {
            text: &text,
            id: id.as_deref(),
            step: event.step_number(),
        };
        match event.dedup {
            // A later tool may have failed on it; `dedup` has indexed it nevertheless.
            Some(DedupStatus::New) if event.has_text => self.add_document(document)?,
            None if event.is_document => drop(self.check_and_add(document)?),
            _ => {}
        }
        Ok(())
    }
}
