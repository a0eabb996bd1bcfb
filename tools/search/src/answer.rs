//! Answers the queries of records with the records of their hits.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage};
use forage_engines::{
    EngineQuery, EngineSpec, ExclusionSupport, QueryReply, SearchError, Searcher, reply_records,
};
use forage_record::{BadField, ErrorKind, Query, Record, Step, field};
use std::fmt::Display;

/// Answers queries.
pub struct SearchStage<'a> {
    pub searcher: Searcher,
    /// The engines, as the user wrote them.
    engines: Vec<&'a str>,
    args: &'a Args,
    messages: Messages,
    /// Support of exclusion terms by each engine.
    exclusion: Vec<ExclusionSupport>,
    /// True for each engine whose failure was reported.
    has_reported_failure: Vec<bool>,
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
            exclusion: specs
                .iter()
                .map(|spec| spec.capabilities().exclusion)
                .collect(),
            has_reported_failure: vec![false; specs.len()],
        }
    }

    /// Returns the query of a record and its step; `None` for a record that is passed on.
    fn query_to_answer(&self, record: &Record) -> Result<Option<(Query, Option<Step>)>, BadField> {
        let is_answered =
            !self.args.force && (record.has_own_value(field::HIT) || record.has_value(field::URL));
        if record.has_error() || is_answered {
            return Ok(None);
        }
        let query = record.view(field::QUERY)?;
        if query.is_none() && record.has_value(field::QUERY) {
            return Err(BadField {
                field: field::QUERY.into(),
                cause: "is not an object".into(),
            });
        }
        let step = record.view(field::STEP)?;
        Ok(query.map(|query| (query, step)))
    }

    /// Prints the warnings of a reply, each once: with --hits, once per run.
    fn report_warnings(&mut self, reply: &QueryReply) -> anyhow::Result<()> {
        let mut without_exclusion = 0;
        for &engine in &reply.unexcluded {
            let cause = match self.exclusion[engine] {
                ExclusionSupport::Unsupported => "does not support exclusion",
                ExclusionSupport::Tested => "exclusion is not known to work, so it is not used",
                ExclusionSupport::Exact | ExclusionSupport::Unreliable => continue,
            };
            without_exclusion += 1;
            let name = self.engines[engine];
            self.warn_once(&format!(
                "{name}: {cause}; hits whose title or snippet contains an excluded term are skipped"
            ))?;
        }
        if self.searcher.skipped_hits > 0 && without_exclusion < self.engines.len() {
            self.warn_once(
                "the engine returns hits that contain excluded terms; they are skipped",
            )?;
        }
        for (engine, part) in &reply.missing {
            let name = self.engines[*engine];
            self.warn_once(&format!("{name}: hits are missing: {part}"))?;
        }
        // Error records are easily overlooked, as the exit code is that of success.
        for (engine, failure) in &reply.failures {
            if let SearchError::Engine(failure) = failure {
                let key = format!("{}: {}", self.engines[*engine], failure.message());
                if self.searcher.cache.record_note(&key)? {
                    self.report_failure(*engine, failure);
                }
            }
        }
        // Once per process, as it ends a run.
        match &reply.outcome {
            Err(SearchError::Engine(failure)) => self.report_failure(reply.engine, failure),
            Err(SearchError::CallLimit(_) | SearchError::QueryLimit(_)) | Ok(_) => {}
            Err(failure) => self.report_failure(reply.engine, failure),
        }
        Ok(())
    }

    /// Prints a warning unless it was printed before.
    fn warn_once(&mut self, text: &str) -> anyhow::Result<()> {
        if self.searcher.cache.record_note(text)? {
            self.messages.warn(format_args!("{text} (reported once)"));
        }
        Ok(())
    }

    /// Prints the first failure of an engine.
    fn report_failure(&mut self, engine: usize, failure: &dyn Display) {
        if !std::mem::replace(&mut self.has_reported_failure[engine], true) {
            self.messages.warn(format_args!(
                "{}: {failure}; such queries get an `error` (reported once)",
                self.engines[engine]
            ));
        }
    }
}

impl Stage for SearchStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        match self.query_to_answer(&record) {
            Ok(Some((query, step))) => {
                let engine_query = EngineQuery::from(&query);
                let step = step.map_or(0, |step| step.number);
                let selection = self.args.hit_selection(query.limit);
                let reply = self.searcher.answer_query(&engine_query, step, selection)?;
                self.report_warnings(&reply)?;
                if self.args.force {
                    for key in [field::ID, field::TITLE, field::TEXT] {
                        record.remove(key);
                    }
                }
                for record in reply_records(record, reply, &self.engines) {
                    out.write_record(&record);
                }
            }
            Ok(None) => {
                if let Ok(Some(step)) = record.view::<Step>(field::STEP) {
                    self.searcher.cache.advance_to(step.number);
                }
                out.write_record(&record);
            }
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
        forage_step::commit_order(self.args.step.is_step())
    }
}
