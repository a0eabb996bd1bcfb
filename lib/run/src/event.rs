//! A record of the journal as the projections see it: a document or not, a duplicate, an error, an
//! answer of the engine.

use crate::identity::{like_query_id, query_id};
use forage_record::{Dedup, DedupStatus, Hit, HitOutcome, Query, Record, RecordError, Step, field};
use std::borrow::Cow;

/// A finished record, its fields read.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    record: &'a Record,
    /// The step that it belongs to; `None` for an initial document.
    pub step: Option<Step>,
    /// The query that brought it.
    pub query: Option<Query>,
    /// What the engine answered.
    pub hit: Option<Hit>,
    /// Whether it has a text, also one of which something failed later.
    pub has_text: bool,
    /// Whether it is a document: it has a text, and nothing failed.
    pub is_document: bool,
    /// The document's label.
    pub label: Option<String>,
    /// How it resembles earlier documents; `None` where that was not judged.
    pub dedup: Option<DedupStatus>,
    /// What failed.
    pub error: Option<RecordError>,
}

/// A record of a journal that an earlier version wrote.
#[derive(Debug, thiserror::Error)]
#[error("is a record of schema 1 (`query.step`), which is no longer read")]
pub struct OldSchemaError;

impl<'a> Event<'a> {
    /// Reads a record of a journal.
    ///
    /// # Errors
    /// When it is of schema 1: without `step` it would count as an initial document.
    pub fn from_journal(record: &'a Record) -> Result<Self, OldSchemaError> {
        let event = Event::from_record(record);
        let is_old = event.step.is_none()
            && event.query.is_some()
            && record
                .view::<serde_json::Value>(field::QUERY)
                .is_ok_and(|query| query.is_some_and(|q| q.get("step").is_some()));
        if is_old {
            Err(OldSchemaError)
        } else {
            Ok(event)
        }
    }

    /// Reads a record. A field of the wrong type counts as absent: the record was passed on with an
    /// error. Where that is `step`, it is no document, as it would count as an initial one.
    pub fn from_record(record: &'a Record) -> Self {
        let step = record.view(field::STEP);
        let has_text = record.text().is_ok_and(|text| text.is_some());
        let is_document = has_text && !record.has_error() && step.is_ok();
        let label = record
            .string(field::LABEL)
            .ok()
            .flatten()
            .filter(|_| is_document)
            .map(|label| label.into_owned());
        let dedup = record.view::<Dedup>(field::DEDUP).ok().flatten();
        Event {
            record,
            step: step.ok().flatten(),
            query: record.view(field::QUERY).ok().flatten(),
            hit: record.view(field::HIT).ok().flatten(),
            has_text,
            is_document,
            label,
            dedup: dedup.map(|dedup| dedup.status),
            error: record.view(field::ERROR).ok().flatten(),
        }
    }

    /// The record itself.
    pub fn record(&self) -> &'a Record {
        self.record
    }

    /// The record's text; empty where it has none.
    pub fn text(&self) -> Cow<'a, str> {
        self.record.text().ok().flatten().unwrap_or_default()
    }

    /// The record's URL.
    pub fn url(&self) -> Option<Cow<'a, str>> {
        self.record.string(field::URL).ok().flatten()
    }

    /// The record's identity.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        self.record.string(field::ID).ok().flatten()
    }

    /// Whether it is a duplicate of an earlier document.
    pub fn is_duplicate(&self) -> bool {
        self.dedup.is_some_and(|status| status != DedupStatus::New)
    }

    /// The number of its step; 0 for an initial document.
    pub fn step_number(&self) -> u64 {
        self.step.as_ref().map_or(0, |step| step.number)
    }

    /// The class that its step looks for; empty for an initial document.
    pub fn target(&self) -> &str {
        self.step.as_ref().map_or("", |step| &step.target)
    }

    /// Whether it ends its step; an initial document is a step by itself.
    pub fn ends_step(&self) -> bool {
        self.step.as_ref().is_none_or(Step::is_last)
    }

    /// The identity of its query; of one that somebody else made and did not name, by its terms.
    pub fn query_id(&self) -> Option<String> {
        self.query.as_ref().map(|query| match &query.like {
            _ if !query.id.is_empty() => query.id.clone(),
            Some(url) => like_query_id(url),
            None => query_id(&query.include, &query.exclude),
        })
    }

    /// How the engine answered.
    pub fn outcome(&self) -> Option<HitOutcome> {
        self.hit.as_ref().and_then(|hit| hit.outcome)
    }

    /// Whether the engine did not answer the query.
    pub fn is_unanswered(&self) -> bool {
        self.error
            .as_ref()
            .is_some_and(|error| error.kind.is_engine_failure())
    }

    /// The label of a document that a step retrieved and that is no duplicate; `None` for all else,
    /// initial documents included.
    pub fn retrieved_label(&self) -> Option<&str> {
        self.label
            .as_deref()
            .filter(|_| self.step.is_some() && !self.is_duplicate())
    }

    /// Whether it is a new document of the class that its step looks for.
    pub fn is_relevant(&self) -> bool {
        self.retrieved_label()
            .is_some_and(|label| label == self.target())
    }
}

#[cfg(test)]
mod tests {
    use super::Event;
    use forage_record::Record;

    fn with_event<T>(json: &str, check: impl FnOnce(&Event) -> T) -> T {
        check(&Event::from_record(
            &Record::parse(json.as_bytes().to_vec()).unwrap(),
        ))
    }

    #[test]
    fn an_engine_that_did_not_answer_is_known_by_the_kind_of_the_error_whoever_asked_it() {
        let error = |tool: &str, kind: &str| {
            let json = format!(r#"{{"error":{{"tool":"{tool}","kind":"{kind}","message":""}}}}"#);
            with_event(&json, |event| event.is_unanswered())
        };
        for kind in ["refused", "throttled", "engine-down", "budget"] {
            assert!(
                error("search", kind) && error("my-search.py", kind),
                "{kind}"
            );
        }
        assert!(!error("search", "bad-field") && !error("fetch-extract", "timeout"));
    }

    #[test]
    fn a_document_is_relevant_when_its_label_is_the_target_of_its_step_and_it_is_new() {
        let is_relevant = |more: &str| {
            let json = format!(r#"{{"text":"a","label":"slv"{more}}}"#);
            with_event(&json, |event| event.is_relevant())
        };
        let step = |target: &str| format!(r#","step":{{"number":3,"target":"{target}"}}"#);
        assert!(is_relevant(&step("slv")) && !is_relevant(&step("hrv")) && !is_relevant(""));
        assert!(!is_relevant(
            &(step("slv") + r#","dedup":{"status":"near"}"#)
        ));
        assert!(!is_relevant(
            &(step("slv") + r#","error":{"tool":"x","kind":"timeout","message":""}"#)
        ));
    }

    #[test]
    fn an_initial_document_is_a_step_by_itself() {
        with_event(r#"{"text":"a","label":"slv"}"#, |event| {
            assert_eq!(
                (event.step_number(), event.target(), event.ends_step()),
                (0, "", true)
            );
            assert_eq!(event.retrieved_label(), None);
        });
        let ends = |last: &str| {
            with_event(&format!(r#"{{"step":{{"number":1{last}}}}}"#), |event| {
                event.ends_step()
            })
        };
        assert!(ends(r#","last":true"#) && !ends(r#","last":false"#) && !ends(""));
    }

    #[test]
    fn a_query_that_somebody_else_made_is_known_by_its_terms() {
        let id =
            |query: &str| with_event(&format!(r#"{{"query":{query}}}"#), |event| event.query_id());
        let one = id(r#"{"include":["a","b"],"exclude":["c"]}"#);
        assert_eq!(one, id(r#"{"include":["b","a"],"exclude":["c"]}"#));
        assert_ne!(one, id(r#"{"include":["b"],"exclude":["c"]}"#));
        assert_eq!(id(r#"{"id":"x"}"#).as_deref(), Some("x"));
        assert!(
            id(r#"{"like":"http://a.test/"}"#) != id("{}")
                && with_event("{}", |event| event.query_id()).is_none()
        );
    }
}
