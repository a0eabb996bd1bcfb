//! Answers the queries of records with the records of their hits.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage};
use forage_engines::{
    EngineQuery, EngineSpec, ExclusionSupport, QueryReply, SearchError, Searcher, reply_records,
};
use forage_record::{BadField, ErrorKind, Query, Record, Step, field};

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

impl Stage for SearchStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        match self.query_to_answer(&record) {
            Ok(Some((query, step))) => {
                let engine_query = EngineQuery::from(&query);
                let step = step.map_or(0, |step| step.number);
                let selection = self.args.hit_selection(query.limit);
                let reply = self.searcher.answer_query(&engine_query, step, selection)?;
                self.report_warnings(&reply);
                if self.args.force {
                    for key in [field::ID, field::TITLE, field::TEXT] {
                        record.remove(key);
                    }
                }
                for record in reply_records(record, reply, &self.engines) {
                    out.write_record(&record);
                }
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
