//! The index as a projection of the journal: it contains the documents with `dedup.status` `new`,
//! and of those without `dedup`, the ones that are not duplicates.

use crate::document::DedupDocument;
use crate::index::DuplicateIndex;
use forage_record::{DedupStatus, Step};
use forage_run::{BoxError, Event, Projection, ProjectionFile};

impl Projection for DuplicateIndex {
    /// Adds a document that was reported new. A document without `dedup` is checked now: an initial
    /// document, or a document of a journal that was written without `dedup`.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        self.advance_to(event.step.as_ref().map_or(0, Step::last_complete_step));
        if event.is_retry {
            return Ok(()); // it is in the index from the step that retrieved it
        }
        let (text, id, title) = (event.text(), event.id(), event.title());
        let document = DedupDocument {
            text: &text,
            id: id.as_deref(),
            title: title.as_deref(),
            step: event.step_number(),
        };
        match event.dedup {
            // The event may have an error of a later tool; `dedup` has indexed the document
            // nevertheless.
            Some(DedupStatus::New) if event.has_text => self.add_document(document)?,
            None if event.is_document => drop(self.check_and_add(document)?),
            _ => {}
        }
        Ok(())
    }
}

impl ProjectionFile for DuplicateIndex {
    fn lacks_steps_before(&self, next: u64) -> bool {
        forage_state::lacks_steps_before(self.last_step(), next)
    }

    fn remove_steps_from(&mut self, step: u64) -> Result<(), BoxError> {
        Ok(self.remove_documents_from(step)?)
    }

    fn save(&mut self) -> Result<(), BoxError> {
        self.commit()?;
        Ok(self.merge_wal()?)
    }
}
