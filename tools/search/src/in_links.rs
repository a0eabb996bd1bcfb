//! Adds to the record of each relevant page the first pages that link to it, as engines know them.
//!
//! Kluev (2000): "The search engine assists our crawler in obtaining incoming links for essential
//! documents. Only the first ten links are taken into account." What an engine does not answer is
//! left out: the page itself was fetched and judged, so the failure is not an error of its record.
//! It is not cached either, so that a repeated step asks again.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage, format_count};
use forage_engines::{
    EngineError, EngineQuery, EngineSpec, QueryReply, SearchError, SearchOutcome, Searcher,
};
use forage_record::{InLink, Record, field};
use forage_run::Event;

/// Pages in a row without an answer after which the engines are not asked again: each would cost
/// the time limit. Set by judgement, not measured.
const MAX_FAILURES: u32 = 3;

/// Adds in-links. Every record is passed on.
pub struct InLinksStage<'a> {
    pub searcher: Searcher,
    /// The engines, as the user wrote them.
    engines: Vec<&'a str>,
    args: &'a Args,
    messages: Messages,
    /// Number of pages for which an engine did not answer.
    unanswered: u64,
    /// Pages in a row for which no engine could be reached, or all asked to wait.
    failures: u32,
}

impl<'a> InLinksStage<'a> {
    pub fn new(
        searcher: Searcher,
        specs: &'a [EngineSpec],
        args: &'a Args,
        messages: Messages,
    ) -> Self {
        InLinksStage {
            searcher,
            engines: specs.iter().map(EngineSpec::as_str).collect(),
            args,
            messages,
            unanswered: 0,
            failures: 0,
        }
    }

    /// Returns the URL of the page if its in-links are to be added: it is a document of the target,
    /// and no duplicate.
    fn relevant_url(&self, event: &Event) -> Option<String> {
        let is_done = !self.args.force && event.record().has_value(field::IN_LINKS);
        let is_target = event.label.as_deref() == Some(self.args.target());
        let is_wanted = event.is_document && is_target && !event.is_duplicate() && !is_done;
        event.final_url().filter(|_| is_wanted).map(Into::into)
    }

    /// Asks the engines for the in-links of a page; returns `None` if none answered.
    fn request(&mut self, url: &str, step: u64) -> anyhow::Result<Option<Vec<InLink<'static>>>> {
        if self.failures >= MAX_FAILURES {
            self.unanswered += 1;
            return Ok(None);
        }
        let query = EngineQuery::default().with_links_to(Some(url));
        let selection = self.args.in_links_selection();
        let reply = self.searcher.list_hits(&query, step, selection)?;
        self.report_failures(url, &reply)?;
        let is_down = matches!(
            &reply.outcome,
            Err(SearchError::Engine(
                EngineError::Down(_)
                    | EngineError::Throttled { .. }
                    | EngineError::Unavailable { .. }
            ))
        );
        self.failures = if is_down { self.failures + 1 } else { 0 };
        Ok(to_in_links(reply, &query))
    }

    /// Reports that engines did not answer, the first time with the reason.
    fn report_failures(&mut self, url: &str, reply: &QueryReply) -> anyhow::Result<()> {
        let last = reply.outcome.as_ref().err().map(|e| (reply.engine, e));
        let others = reply.failures.iter().map(|(engine, e)| (*engine, e));
        let mut failures = others.chain(last).peekable();
        if failures.peek().is_none() {
            return Ok(());
        }
        self.unanswered += 1;
        if self.unanswered == 1 {
            for (engine, failure) in failures {
                let name = self.engines[engine];
                let key = match failure {
                    SearchError::Engine(failure) => failure.message().to_owned(),
                    limit => limit.to_string(),
                };
                // Once per run, if --hits is given.
                let key = format!("in-links: {name}: {key}");
                if self.searcher.cache.record_note(&key)? {
                    self.messages.warn(format_args!(
                        "in-links of {url}: {name}: {failure} (reported once)"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Returns the in-links of a reply; `None` if no engine answered. The page itself does not count.
fn to_in_links(reply: QueryReply, query: &EngineQuery) -> Option<Vec<InLink<'static>>> {
    let hits = match reply.outcome.ok()? {
        SearchOutcome::Hits(hits) => hits,
        SearchOutcome::Empty | SearchOutcome::Exhausted => Vec::new(),
    };
    let hits = hits.into_iter().map(|ranked| ranked.hit);
    let others = hits.filter(|hit| query.links_to() != Some(&hit.url));
    let in_links = others.map(|hit| InLink {
        url: hit.url.into(),
        title: hit.title.map(Into::into),
    });
    Some(in_links.collect())
}

impl Stage for InLinksStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        let event = Event::from_record(&record);
        let step = event.step_number();
        let Some(url) = self.relevant_url(&event) else {
            self.searcher.cache.advance_to(step);
            out.write_record(&record);
            return Ok(());
        };
        if let Some(in_links) = self.request(&url, step)? {
            record.set(field::IN_LINKS, &in_links);
        }
        out.write_record(&record);
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.searcher.cache.commit()?)
    }

    /// Commits before the output in a step of a pipeline, as an interrupted step is repeated.
    fn commit_order(&self) -> CommitOrder {
        forage_step::commit_order(self.args.step.is_step())
    }

    fn finish(&mut self, _: &mut Output) -> anyhow::Result<()> {
        if self.unanswered > 1 {
            self.messages.warn(format_args!(
                "in-links were not retrieved for {}",
                format_count(self.unanswered, "page")
            ));
        }
        Ok(())
    }
}
