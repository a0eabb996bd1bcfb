//! One record of the journal, as the projections see it.
//!
//! [`Event::from_record`] reads each field once. The predicates of [`Event`] define the terms that
//! all counts rest on: document, duplicate, relevant document, unanswered query. A field of the
//! wrong type counts as absent.

use crate::presence::{Presence, presence};
use crate::query_identity::{in_links_query_id, like_query_id, query_id};
use forage_record::{
    Dedup, DedupStatus, Fetch, Hit, HitOutcome, Previous, Query, Record, RecordError,
    SCHEMA_VERSION, Step, field,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;

/// A finished record with its fields parsed.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    record: &'a Record,
    /// The step that the record belongs to; `None` for an initial document.
    pub step: Option<Step>,
    /// The query that retrieved the record.
    pub query: Option<Query>,
    /// The hit or outcome that the engine returned.
    pub hit: Option<Hit>,
    /// True if the record has a text, even if a later tool failed on it.
    pub has_text: bool,
    /// True if the record is a document: it has a text and no error.
    pub is_document: bool,
    /// The label of the document; `None` if the record is not a document.
    pub label: Option<String>,
    /// The duplicate status; `None` if `dedup` did not process the record.
    pub dedup: Option<DedupStatus>,
    /// True if the document was rejected in an earlier step and is judged again: it was retrieved
    /// then, and its text is known.
    pub is_retry: bool,
    /// The error of the tool that failed on the record.
    pub error: Option<RecordError>,
    /// What is known of the page, if the record asks for it again.
    pub previous: Option<Previous>,
    /// True if the record begins a refresh: from here on, queries may be sent again.
    pub begins_refresh: bool,
}

/// Returns the URL of a page after redirects; that of the record if it was not fetched.
pub fn final_url(record: &Record) -> Option<Cow<'_, str>> {
    #[derive(Deserialize)]
    struct FetchedUrl {
        url: Option<String>,
    }
    let fetch: Option<FetchedUrl> = record.view(field::FETCH).ok().flatten();
    let fetched = fetch.and_then(|fetch| fetch.url).map(Cow::Owned);
    fetched.or_else(|| record.string(field::URL).ok().flatten())
}

/// Returns `true` if a record may be one of a journal: it belongs to a step, or is an initial
/// document or a seed. A file without such a record is something else.
pub fn is_journal_record(record: &Record) -> bool {
    let mut keys = [field::STEP, field::TEXT, field::URL].into_iter();
    keys.any(|key| record.has_value(key))
}

/// A record of an earlier schema, which an earlier version wrote.
#[derive(Debug, thiserror::Error)]
#[error(
    "a record has schema {version} (`{field}`) of an earlier version of Forage; start a new run"
)]
pub struct OldSchemaError {
    version: u32,
    /// The field by which the schema is recognised.
    field: &'static str,
}

/// The fields of `query` that later schemas have moved or renamed.
#[derive(Deserialize)]
struct OldQuery {
    step: Option<IgnoredAny>,
    strategy: Option<OldStrategy>,
}

/// The fields of `query.strategy` that later schemas have renamed.
#[derive(Deserialize)]
struct OldStrategy {
    name: Option<String>,
    path: Option<IgnoredAny>,
    learner: Option<String>,
}

impl OldStrategy {
    /// Returns the name of a field of schema 2. A strategy of the user may have any fields.
    fn old_field(&self) -> Option<&'static str> {
        let learner = self.learner.as_deref().unwrap_or_default();
        match self.name.as_deref()? {
            "regions" | "probe" => self.path.as_ref().map(|_| "query.strategy.path"),
            "learned" => learner
                .contains("/none=")
                .then_some("query.strategy.learner"),
            _ => None,
        }
    }
}

/// The fields of `hit` that later schemas have renamed.
#[derive(Deserialize)]
struct OldHit {
    left: Option<IgnoredAny>,
}

impl<'a> Event<'a> {
    /// Parses a record of a journal.
    ///
    /// # Errors
    /// Fails if the record is of schema 1, which has no `step`: it would count as an initial
    /// document.
    pub fn from_journal(record: &'a Record) -> Result<Self, OldSchemaError> {
        Event::from_schema(record, 2)
    }

    /// Parses a record for the statistics, which use all fields.
    ///
    /// # Errors
    /// Fails if the record has a field that a later schema has renamed: it would count as absent.
    pub fn from_current_schema(record: &'a Record) -> Result<Self, OldSchemaError> {
        Event::from_schema(record, SCHEMA_VERSION)
    }

    fn from_schema(record: &'a Record, oldest: u32) -> Result<Self, OldSchemaError> {
        let event = Event::from_record(record);
        match old_field(&event) {
            Some((version, field)) if version < oldest => Err(OldSchemaError { version, field }),
            _ => Ok(event),
        }
    }

    /// Parses a record. A field of the wrong type or of another program counts as absent. If `step`
    /// is damaged, the record is not a document, because it would count as an initial one.
    pub fn from_record(record: &'a Record) -> Self {
        let step = record.view(field::STEP);
        let has_text = record.text().is_ok_and(|text| text.is_some());
        let previous: Option<Previous> = record.view(field::PREVIOUS).ok().flatten();
        let is_version = previous.as_ref().is_none_or(|previous| {
            let target = step.as_ref().ok().and_then(Option::as_ref);
            is_version(record, previous, target.map(|step: &Step| &*step.target))
        });
        let is_document = has_text && !record.has_error() && step.is_ok() && is_version;
        let label = record
            .scalar(field::LABEL)
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
            is_retry: record.get(field::RETRY).ok().flatten() == Some(true),
            error: record.error(),
            previous,
            begins_refresh: record.has_value(field::REFRESH),
        }
    }

    /// Returns `true` if the record is of a step that asks for known pages again, and for no
    /// others.
    pub fn is_refresh(&self) -> bool {
        self.begins_refresh || self.previous.is_some()
    }

    /// Returns what the record says of the page that it asks for again.
    pub fn presence(&self) -> Presence {
        let previous = self.previous.as_ref();
        previous.map_or(Presence::There, |previous| presence(self.record, previous))
    }

    /// Returns the `id` of the version of a page that the corpus loses by this record: it has a
    /// later one, or says that the page is gone.
    pub fn supersedes(&self) -> Option<&str> {
        let previous = self.previous.as_ref()?;
        let is_replaced = self.label.is_some() && !self.is_duplicate();
        let id = previous.id.as_deref()?;
        (is_replaced || self.presence() == Presence::Gone).then_some(id)
    }

    /// Returns the event without its document, which the corpus has lost.
    #[must_use]
    pub fn without_document(self) -> Self {
        Event {
            is_document: false,
            label: None,
            ..self
        }
    }

    /// Returns the record.
    pub fn record(&self) -> &'a Record {
        self.record
    }

    /// Returns the text of the record; empty if it has none.
    pub fn text(&self) -> Cow<'a, str> {
        self.record.text().ok().flatten().unwrap_or_default()
    }

    /// Returns the URL of the record.
    pub fn url(&self) -> Option<Cow<'a, str>> {
        self.record.string(field::URL).ok().flatten()
    }

    /// Returns the URL of the page after redirects; that of the record if it was not fetched.
    pub fn final_url(&self) -> Option<Cow<'a, str>> {
        final_url(self.record)
    }

    /// Returns the id of the record.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        self.record.id()
    }

    /// Returns the title of the record.
    pub fn title(&self) -> Option<Cow<'a, str>> {
        self.record.string(field::TITLE).ok().flatten()
    }

    /// Returns `true` if the record is a duplicate of an earlier document, of any kind.
    pub fn is_duplicate(&self) -> bool {
        self.dedup.is_some_and(|status| status != DedupStatus::New)
    }

    /// Returns the number of the step; 0 for an initial document.
    pub fn step_number(&self) -> u64 {
        self.step.as_ref().map_or(0, |step| step.number)
    }

    /// Returns the number of the first step in which an initial document is counted; 0 for all
    /// other records. Most initial documents are counted from the start on.
    pub fn counted_from(&self) -> u64 {
        let from_step = self.record.get(field::FROM_STEP).ok().flatten();
        from_step.filter(|_| self.step.is_none()).unwrap_or(0)
    }

    /// Returns the target class of the step; empty for an initial document.
    pub fn target(&self) -> &str {
        self.step.as_ref().map_or("", |step| &step.target)
    }

    /// Returns `true` if the record is the last one of its step. Each initial document is a step of
    /// its own.
    pub fn ends_step(&self) -> bool {
        self.step.as_ref().is_none_or(Step::is_last)
    }

    /// Returns the id of the query. The id of a query without an `id` field, which another program
    /// wrote, is computed from its terms.
    pub fn query_id(&self) -> Option<String> {
        self.query.as_ref().map(|query| match query {
            Query { id, .. } if !id.is_empty() => id.clone(),
            Query {
                like: Some(url), ..
            } => like_query_id(url),
            Query {
                links_to: Some(url),
                ..
            } => in_links_query_id(url),
            _ => query_id(&query.include, &query.exclude),
        })
    }

    /// Returns the outcome that the engine reported.
    pub fn outcome(&self) -> Option<HitOutcome> {
        self.hit.as_ref().and_then(|hit| hit.outcome)
    }

    /// Returns `true` if the record ends an attempt of query recovery: a query of ranked terms that
    /// returned no URL. It is no step of the loop.
    pub fn is_attempt(&self) -> bool {
        let query = self.query.as_ref();
        let strategy = query.and_then(|query| query.strategy.as_ref());
        let (outcome, empty) = (self.outcome(), [HitOutcome::Empty, HitOutcome::Exhausted]);
        self.ends_step()
            && outcome.is_some_and(|outcome| empty.contains(&outcome))
            && strategy.is_some_and(|strategy| strategy.offset.is_some())
    }

    /// Returns the class, the target and the number of words of the version that
    /// [`Event::supersedes`] names.
    pub fn superseded_counts(&self) -> Option<(&str, &str, u64)> {
        self.supersedes()?;
        let previous = self.previous.as_ref()?;
        let target = previous.target.as_deref().unwrap_or_default();
        Some((previous.label.as_deref()?, target, previous.words))
    }

    /// Returns `true` if the engine did not answer the query.
    pub fn is_unanswered(&self) -> bool {
        let error = self.error.as_ref();
        error.is_some_and(|error| error.kind.is_engine_failure())
    }

    /// Returns the label of a document that a step retrieved and that is not a duplicate; `None`
    /// for all other records, including initial documents.
    pub fn retrieved_label(&self) -> Option<&str> {
        let is_retrieved = self.step.is_some() && !self.is_duplicate();
        self.label.as_deref().filter(|_| is_retrieved)
    }

    /// Returns `true` if the record is a relevant document: a new document of the target class.
    pub fn is_relevant(&self) -> bool {
        self.retrieved_label() == Some(self.target())
    }
}

/// Returns `true` if the text of a page that is asked for again can take the place of the version
/// before: the page is there, and of the same class, or of the target.
fn is_version(record: &Record, previous: &Previous, target: Option<&str>) -> bool {
    let fetch: Option<Fetch> = record.view(field::FETCH).ok().flatten();
    let is_soft_404 = fetch.is_some_and(|fetch| fetch.soft_404.is_some());
    let label = record.scalar(field::LABEL);
    let is_of_class = match previous.label.as_deref() {
        Some(class) => label.is_none_or(|label| label == class || Some(&*label) == target),
        None => true,
    };
    is_of_class && !is_soft_404 && presence(record, previous) == Presence::There
}

/// Returns the schema and the name of a field that only an earlier schema has.
fn old_field(event: &Event) -> Option<(u32, &'static str)> {
    let query: Option<OldQuery> = event.record.view(field::QUERY).ok().flatten();
    let hit: Option<OldHit> = event.record.view(field::HIT).ok().flatten();
    if let Some(query) = query {
        if event.step.is_none() && query.step.is_some() {
            return Some((1, "query.step"));
        }
        if let Some(field) = query.strategy.as_ref().and_then(OldStrategy::old_field) {
            return Some((2, field));
        }
    }
    hit.filter(|hit| hit.left.is_some())
        .map(|_| (2, "hit.left"))
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
    fn an_unanswered_query_is_recognised_by_its_error_kind_whichever_tool_reports_it() {
        let error = |tool: &str, kind: &str| {
            let json = format!(r#"{{"error":{{"tool":"{tool}","kind":"{kind}","message":""}}}}"#);
            with_event(&json, |event| event.is_unanswered())
        };
        for kind in ["refused", "throttled", "engine-down", "no-hits", "budget"] {
            assert!(
                error("search", kind) && error("my-search.py", kind),
                "{kind}"
            );
        }
        assert!(!error("search", "bad-field") && !error("fetch-extract", "timeout"));
    }

    #[test]
    fn a_document_is_relevant_if_its_label_is_the_target_of_its_step_and_it_is_new() {
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
    fn a_document_that_is_judged_again_is_marked_by_retry() {
        let is_retry = |json: &str| with_event(json, |event| event.is_retry);
        assert!(is_retry(r#"{"retry":true}"#));
        assert!(!is_retry(r#"{"retry":false}"#) && !is_retry("{}") && !is_retry(r#"{"retry":1}"#));
    }

    #[test]
    fn an_initial_document_is_a_step_of_its_own() {
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
    fn a_ranked_query_without_a_url_is_an_attempt() {
        let is_attempt = |query: &str, outcome: &str| {
            let json = format!(
                r#"{{"step":{{"number":1,"last":true}},"query":{query},"hit":{{"engine":"x","outcome":"{outcome}"}}}}"#
            );
            with_event(&json, |event| event.is_attempt())
        };
        let ranked = r#"{"strategy":{"name":"fixed","offset":{"include":0,"exclude":0}}}"#;
        assert!(is_attempt(ranked, "empty") && is_attempt(ranked, "exhausted"));
        assert!(!is_attempt(ranked, "hit"));
        assert!(!is_attempt(r#"{"strategy":{"name":"regions"}}"#, "empty"));
    }

    #[test]
    fn a_query_without_an_id_is_identified_by_its_terms() {
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
