//! The index as a projection of the journal: it contains the documents that `dedup` judged new, and no others.

use crate::index::{Document, Index};
use forage_record::DedupStatus;
use forage_run::{BoxError, Event, Projection, StoredProjection};

impl Projection for Index {
    /// Indexes a document that was judged new. One that was not judged, an initial document or one of a journal that was
    /// written without `dedup`, is judged now.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        self.advance_to(event.step_number());
        if event.is_document {
            let (text, id) = (event.text(), event.id());
            let document = Document { text: &text, id: id.as_deref(), step: event.step_number() };
            match event.dedup {
                Some(DedupStatus::New) => self.add(document)?,
                Some(DedupStatus::Exact | DedupStatus::Near) => {}
                None => drop(self.judge(document)?),
            }
        }
        Ok(())
    }
}

impl StoredProjection for Index {
    fn write(&mut self) -> Result<(), BoxError> {
        Ok(self.commit()?)
    }

    fn discard(&mut self) {
        self.roll_back();
    }

    fn forget_from(&mut self, step: u64) -> Result<bool, BoxError> {
        self.forget_documents_from(step)?;
        Ok(true)
    }
}
