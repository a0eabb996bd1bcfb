//! Answers the queries of records with the records of their hits.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage};
use forage_engines::{
    EngineCounts, EngineError, EngineQuery, EngineSpec, ExclusionSupport, QueryReply, RankedHit,
    RemainingHits, SearchError, SearchOutcome, Searcher,
};
use forage_record::{BadField, ErrorKind, Hit, HitOutcome, MoreHits, Query, Record, Step, field};
use serde_json::{Map, Value};

/// Answers queries.
pub struct SearchStage<'a> {
    pub searcher: Searcher,
    /// The engines, as the user wrote them.
    engines: Vec<&'a str>,
    args: &'a Args,
    messages: Messages,
    has_reported_skipped_hits: bool,
    /// True for each engine whose failure was reported.
    has_reported_failure: Vec<bool>,
    has_reported_warning: bool,
}

impl<'a> SearchStage<'a> {
    pub fn new(
        searcher: Searcher,
        specs: &'a [EngineSpec],
        args: &'a Args,
        messages: Messages,
    ) -> Self {
        SearchStage {
            searcher,
            engines: specs.iter().map(EngineSpec::as_str).collect(),
            args,
            messages,
            // For engines without exclusion, `main` has already reported that hits are skipped.
            has_reported_skipped_hits: specs
                .iter()
                .all(|spec| spec.capabilities().exclusion == ExclusionSupport::Unsupported),
            has_reported_failure: vec![false; specs.len()],
            has_reported_warning: false,
        }
    }

    /// Returns the query of a record and its step; `None` for a record that is passed on.
    fn query_to_answer(&self, record: &Record) -> Result<Option<(Query, Option<Step>)>, BadField> {
        let is_answered =
            !self.args.force && (record.has_field(field::HIT) || record.has_value(field::URL));
        if record.has_error() || is_answered {
            return Ok(None);
        }
        let query = record.view(field::QUERY)?;
        let step = record.view(field::STEP)?;
        Ok(query.map(|query| (query, step)))
    }

    /// Writes the records of a reply.
    fn write_reply(&self, mut record: Record, reply: QueryReply, out: &mut Output) {
        if self.args.force {
            for key in [field::ID, field::TITLE, field::TEXT] {
                record.remove(key);
            }
        }
        let QueryReply {
            calls,
            outcome,
            engine,
            failures,
            remaining,
            counts,
        } = reply;
        // Before the outcome, as the last record of a step tells how its query ended.
        for (failed, failure) in failures {
            let mut record = record.clone();
            set_last_of_step(&mut record, false);
            self.write_without_hit(record, self.new_hit(failed), Err(failure), out);
        }
        let last_hit = Hit {
            calls,
            ..self.last_hit(engine, remaining, counts)
        };
        let result = match outcome {
            Ok(SearchOutcome::Hits(hits)) => {
                return self.write_hits(&record, calls, hits, last_hit, out);
            }
            Ok(SearchOutcome::Empty) => Ok(HitOutcome::Empty),
            Ok(SearchOutcome::Exhausted) => Ok(HitOutcome::Exhausted),
            Err(error) => Err(error),
        };
        let hit = match &result {
            Ok(_) => last_hit,
            Err(_) => Hit {
                calls,
                ..self.new_hit(engine)
            },
        };
        set_last_of_step(&mut record, true);
        self.write_without_hit(record, hit, result, out);
    }

    /// Writes a record for each hit. The first one has the calls, the last one the members of
    /// `last_hit`.
    fn write_hits(
        &self,
        record: &Record,
        mut calls: u64,
        hits: Vec<RankedHit>,
        last_hit: Hit,
        out: &mut Output,
    ) {
        let last_index = hits.len().saturating_sub(1);
        for (index, ranked) in hits.into_iter().enumerate() {
            let is_last = index == last_index;
            let mut record = record.clone();
            set_last_of_step(&mut record, is_last);
            record.set(field::URL, &ranked.hit.url);
            let common = if is_last {
                last_hit.clone()
            } else {
                Hit::default()
            };
            record.set(
                field::HIT,
                &Hit {
                    engine: self.engines[ranked.engine].into(),
                    rank: Some(ranked.rank),
                    title: ranked.hit.title,
                    snippet: ranked.hit.snippet,
                    calls: std::mem::take(&mut calls),
                    outcome: Some(HitOutcome::Hit),
                    ..common
                },
            );
            if let Some(document) = ranked.document {
                record.set(field::ID, &document.id);
                if let Some(title) = document.title {
                    record.set(field::TITLE, &title);
                }
                record.set(field::TEXT, &document.text);
            }
            out.write_record(&record);
        }
    }

    /// Writes a record without a URL: of a query without a hit, or of an engine that failed.
    fn write_without_hit(
        &self,
        mut record: Record,
        hit: Hit,
        result: Result<HitOutcome, SearchError>,
        out: &mut Output,
    ) {
        record.remove(field::URL);
        let outcome = result.as_ref().ok().copied();
        record.set(field::HIT, &Hit { outcome, ..hit });
        if let Err(error) = result {
            record.set_error("search", error_kind(&error), error);
        }
        out.write_record(&record);
    }

    /// Returns the members of `hit` that only the last record of a step has.
    fn last_hit(&self, engine: usize, remaining: RemainingHits, counts: EngineCounts) -> Hit {
        let more = match remaining {
            RemainingHits {
                has_more: false, ..
            } => None,
            RemainingHits {
                may_request_more: true,
                ..
            } => Some(MoreHits::Pages),
            RemainingHits { .. } => Some(MoreHits::Hidden),
        };
        Hit {
            unseen: remaining.unseen,
            more,
            total: counts.total,
            df: counts.df,
            ..self.new_hit(engine)
        }
    }

    /// Returns the members of `hit` that all records have.
    fn new_hit(&self, engine: usize) -> Hit {
        Hit {
            engine: self.engines[engine].into(),
            ..Hit::default()
        }
    }

    /// Prints the warnings of a reply, each kind once.
    fn report_warnings(&mut self, reply: &QueryReply) {
        let is_first = |has_reported: &mut bool| !std::mem::replace(has_reported, true);
        if self.searcher.skipped_hits > 0 && is_first(&mut self.has_reported_skipped_hits) {
            self.messages.warn(
                "the engine returns hits that contain excluded terms; they are skipped \
                 (reported once)",
            );
        }
        // Error records are easily overlooked, as the exit code is that of success.
        let last = reply
            .outcome
            .as_ref()
            .err()
            .map(|failure| (reply.engine, failure));
        let others = reply
            .failures
            .iter()
            .map(|(engine, failure)| (*engine, failure));
        for (engine, failure) in others.chain(last) {
            if let SearchError::Engine(failure) = failure
                && is_first(&mut self.has_reported_failure[engine])
            {
                let name = &self.engines[engine];
                self.messages.warn(format_args!(
                    "{name}: {failure}; such queries get an `error` (reported once)"
                ));
            }
        }
        if let Some(warning) = self.searcher.take_warning()
            && is_first(&mut self.has_reported_warning)
        {
            self.messages
                .warn(format_args!("{warning} (reported once)"));
        }
    }
}

/// Moves `step.last` to the last of the records that replace one. A record without `step.last`,
/// which a user may have written, counts as the last of its step.
fn set_last_of_step(record: &mut Record, is_last: bool) {
    let Ok(Some(mut step)) = record.view::<Map<String, Value>>(field::STEP) else {
        return;
    };
    let ends_step = step.get("last") != Some(&Value::Bool(false));
    step.insert("last".into(), Value::Bool(is_last && ends_step));
    record.set(field::STEP, &step);
}

impl Stage for SearchStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        match self.query_to_answer(&record) {
            Ok(Some((query, step))) => {
                let engine_query = EngineQuery::new(&query.include, &query.exclude)
                    .with_like_url(query.like.as_deref())
                    .with_links_to(query.links_to.as_deref());
                let step = step.map_or(0, |step| step.number);
                let selection = self.args.hit_selection(query.limit);
                let reply = self.searcher.answer_query(&engine_query, step, selection)?;
                self.report_warnings(&reply);
                self.write_reply(record, reply, out);
            }
            Ok(None) => out.write_record(&record),
            Err(bad_field) => {
                record.set_error("search", ErrorKind::BadField, bad_field);
                out.write_record(&record);
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.searcher.cache.commit()?)
    }

    /// Commits before the output in a step of a pipeline, as an interrupted step is repeated.
    fn commit_order(&self) -> CommitOrder {
        if self.args.is_step() {
            CommitOrder::BeforeOutput
        } else {
            CommitOrder::AfterOutput
        }
    }
}

fn error_kind(error: &SearchError) -> ErrorKind {
    match error {
        SearchError::Engine(EngineError::Refused(_)) => ErrorKind::Refused,
        SearchError::Engine(EngineError::Throttled { .. }) => ErrorKind::Throttled,
        SearchError::Engine(EngineError::Unavailable { .. } | EngineError::Down(_)) => {
            ErrorKind::EngineDown
        }
        SearchError::CallLimit(_) | SearchError::QueryLimit(_) => ErrorKind::Budget,
    }
}
