//! The field `dedup` of records.

use crate::document::{DedupDocument, DocumentComparer, DuplicateStatus, PreparedDocument};
use crate::index::{DuplicateIndex, DuplicateIndexError};
use forage_record::{BadField, Dedup, DedupStatus, Previous, Record, Step, field};
use std::borrow::Cow;

impl DuplicateIndex {
    /// Notes that all steps before that of the record are in the index.
    pub fn advance_to_record(&mut self, record: &Record) {
        if let Ok(Some(step)) = record.view::<Step>(field::STEP) {
            self.advance_to(step.last_complete_step());
        }
    }

    /// Adds `dedup` to a record, and its document to the index, unless it is a duplicate of a
    /// document in the index or in one of `others`. Paragraphs are compared with those of the same
    /// documents.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn annotate(
        &mut self,
        others: &[DuplicateIndex],
        record: &mut Record,
        document: &PreparedDocument,
    ) -> Result<(), DuplicateIndexError> {
        let paragraphs = document.paragraphs.as_ref();
        let repeated = paragraphs.and_then(|document| self.repeated_paragraphs(others, document));
        let mut status = DuplicateStatus::New;
        for other in others {
            if status == DuplicateStatus::New {
                status = other.check(document)?;
            }
        }
        if status == DuplicateStatus::New {
            status = self.check_and_add_version(record, document)?;
        }
        let dedup = Dedup {
            repeated,
            ..Dedup::from(status)
        };
        record.set(field::DEDUP, &dedup);
        Ok(())
    }
}

impl DuplicateIndex {
    /// Compares a document with the index, and adds it if it is new, as a changed version of a page
    /// is: it resembles the version before, or has the text of an earlier one.
    fn check_and_add_version(
        &mut self,
        record: &Record,
        document: &PreparedDocument,
    ) -> Result<DuplicateStatus, DuplicateIndexError> {
        let status = self.check_and_add_prepared(document)?;
        let previous: Option<Previous> = record.view(field::PREVIOUS).ok().flatten();
        let (previous, id) = (previous.and_then(|previous| previous.id), record.id());
        let is_version = previous.is_some()
            && match &status {
                DuplicateStatus::New => false,
                DuplicateStatus::Exact { of } => *of != previous && of.as_deref() == id.as_deref(),
                DuplicateStatus::Near { of, .. } | DuplicateStatus::Title { of } => *of == previous,
            };
        if !is_version {
            return Ok(status);
        }
        self.add(document)?;
        Ok(DuplicateStatus::New)
    }
}

impl DocumentComparer {
    /// Returns the properties of the document of a record; `None` if it has no text.
    ///
    /// # Errors
    /// Fails if a field has the wrong type; a title counts only with `needs_title`.
    pub fn prepare_record(
        &self,
        record: &Record,
        needs_title: bool,
    ) -> Result<Option<PreparedDocument>, BadField> {
        let fields = read_document(record, needs_title)?;
        Ok(fields.map(|fields| self.prepare(&fields.document())))
    }
}

/// Adding of records without a result.
impl DuplicateIndex {
    /// Adds the document of a record, unless it is a duplicate. Returns `false` if the record has
    /// no text.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn add_record(&mut self, record: &Record) -> Result<bool, DuplicateIndexError> {
        match self.comparer().prepare_record(record, false) {
            Ok(Some(document)) => self.check_and_add_prepared(&document).map(|_| true),
            _ => Ok(false),
        }
    }
}

/// Returns `true` if a record has a document that is compared.
///
/// # Errors
/// Fails if a field has the wrong type; a title counts only with `needs_title`.
pub fn has_document(record: &Record, needs_title: bool) -> Result<bool, BadField> {
    Ok(read_document(record, needs_title)?.is_some())
}

/// The fields of a document.
struct DocumentFields<'a> {
    text: Cow<'a, str>,
    id: Option<Cow<'a, str>>,
    title: Option<Cow<'a, str>>,
    step: u64,
}

impl DocumentFields<'_> {
    fn document(&self) -> DedupDocument<'_> {
        DedupDocument {
            text: &self.text,
            id: self.id.as_deref(),
            title: self.title.as_deref(),
            step: self.step,
        }
    }
}

/// Returns the fields of a record's document, or `None` if the record has no text. A title of the
/// wrong type is an error only if `needs_title`, and otherwise counts as absent.
fn read_document(
    record: &Record,
    needs_title: bool,
) -> Result<Option<DocumentFields<'_>>, BadField> {
    let Some(text) = record.text()? else {
        return Ok(None);
    };
    // A `step` of another form is a field of another program.
    let step = record.view::<Step>(field::STEP).ok().flatten();
    let title = match record.string(field::TITLE) {
        Err(bad_field) if needs_title => return Err(bad_field),
        title => title.unwrap_or_default(),
    };
    Ok(Some(DocumentFields {
        text,
        id: record.id(),
        title,
        step: step.map_or(0, |step| step.number),
    }))
}

/// Converts a status to the record field `dedup`.
impl From<DuplicateStatus> for Dedup {
    fn from(status: DuplicateStatus) -> Dedup {
        let (status, of, resemblance) = match status {
            DuplicateStatus::New => (DedupStatus::New, None, None),
            DuplicateStatus::Exact { of } => (DedupStatus::Exact, of, Some(1.0)),
            DuplicateStatus::Near { of, resemblance } => (DedupStatus::Near, of, Some(resemblance)),
            DuplicateStatus::Title { of } => (DedupStatus::Title, of, None),
        };
        Dedup {
            status,
            of,
            resemblance,
            repeated: None,
        }
    }
}
