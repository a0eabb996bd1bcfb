//! What a finished record is to the fold: a document or not, a twin, an error, an answer of the engine.

use forage_record::{Dedup, DedupStatus, Failure, Hit, Outcome, Query, Record, field};

/// What a record was.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The query that brought it.
    pub query: Option<Query>,
    /// Whether it is a document: its text is there, and nothing failed.
    pub is_document: bool,
    /// Its label, where it is a document that counts.
    pub label: Option<String>,
    /// Whether it is a twin of an earlier document.
    pub is_twin: bool,
    /// How the engine answered.
    pub outcome: Option<Outcome>,
    /// What failed.
    pub error: Option<Failure>,
}

impl Event {
    /// What a record is. A field of the wrong type counts as absent: the record was passed on with an error.
    pub fn of(record: &Record) -> Event {
        let error = record.view::<Failure>(field::ERROR).ok().flatten();
        let is_document = !record.has_error() && record.text().is_ok_and(|text| text.is_some());
        let label = record.string(field::LABEL).ok().flatten().filter(|_| is_document).map(|label| label.into_owned());
        let dedup = record.view::<Dedup>(field::DEDUP).ok().flatten();
        Event {
            query: record.view(field::QUERY).ok().flatten(),
            is_document,
            label,
            is_twin: dedup.is_some_and(|dedup| dedup.status != DedupStatus::New),
            outcome: record.view::<Hit>(field::HIT).ok().flatten().and_then(|hit| hit.outcome),
            error,
        }
    }

    /// Whether the engine did not answer the query.
    pub fn is_unanswered(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.tool == "search")
    }

    /// The label of a document that a query retrieved and that is no duplicate; `None` for all else, initial documents
    /// included.
    pub fn retrieved_label(&self) -> Option<&str> {
        self.label.as_deref().filter(|_| self.query.is_some() && !self.is_twin)
    }

    /// Whether it is a new document of the class that was looked for.
    pub fn is_relevant(&self) -> bool {
        self.retrieved_label().is_some_and(|label| self.query.as_ref().is_some_and(|query| query.target == label))
    }
}
