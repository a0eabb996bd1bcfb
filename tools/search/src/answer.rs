//! From a record with a query to the records of its hits.

use crate::args::Args;
use forage_cli::{CommitOrder, Messages, Output, Stage};
use forage_engines::{
    Counts, EngineError, Exclusion, Found, Picked, Reply, Rest, Searcher, SignedTerms, Spec, Why,
};
use forage_record::{BadField, ErrorKind, Hit, HitOutcome, MoreHits, Query, Record, Step, field};
use serde_json::{Map, Value};

/// Answers queries.
pub struct Answering<'a> {
    pub searcher: Searcher,
    engine: &'a str,
    args: &'a Args,
    messages: Messages,
    has_told_of_skipped: bool,
    has_told_of_failure: bool,
    has_told_caveat: bool,
}

impl<'a> Answering<'a> {
    pub fn new(searcher: Searcher, spec: &'a Spec, args: &'a Args, messages: Messages) -> Self {
        Answering {
            searcher,
            engine: spec.as_str(),
            args,
            messages,
            // Of one that can't exclude it was said before.
            has_told_of_skipped: spec.abilities().exclusion == Exclusion::Absent,
            has_told_of_failure: false,
            has_told_caveat: false,
        }
    }

    /// The query of a record that is to be answered, and its step.
    fn query(&self, record: &Record) -> Result<Option<(Query, Option<Step>)>, BadField> {
        let is_answered =
            !self.args.force && (record.has_field(field::HIT) || record.has_value(field::URL));
        if record.has_error() || is_answered {
            return Ok(None);
        }
        let query = record.view(field::QUERY)?;
        let step = record.view(field::STEP)?;
        Ok(query.map(|query| (query, step)))
    }

    /// Puts the records that come of a query.
    fn put(&self, mut record: Record, reply: Reply, out: &mut Output) {
        for key in [field::ID, field::TITLE, field::TEXT]
            .into_iter()
            .filter(|_| self.args.force)
        {
            record.remove(key);
        }
        let Reply {
            calls,
            found,
            rest,
            counts,
        } = reply;
        let end = self.end(rest, counts);
        match found {
            Ok(Found::Hits(hits)) => self.put_hits(&record, calls, hits, end, out),
            Ok(Found::Empty) => self.put_alone(record, calls, Ok((HitOutcome::Empty, end)), out),
            Ok(Found::Exhausted) => {
                self.put_alone(record, calls, Ok((HitOutcome::Exhausted, end)), out)
            }
            Err(why) => self.put_alone(record, calls, Err(why), out),
        }
    }

    /// A record for each hit; the first one carries the calls, the last one what is said at the
    /// end.
    fn put_hits(
        &self,
        record: &Record,
        mut calls: u64,
        hits: Vec<Picked>,
        end: Hit,
        out: &mut Output,
    ) {
        let last = hits.len().saturating_sub(1);
        for (at, picked) in hits.into_iter().enumerate() {
            let mut record = record.clone();
            mark_step_end(&mut record, at == last);
            record.set(field::URL, &picked.hit.url);
            record.set(
                field::HIT,
                &Hit {
                    rank: Some(picked.rank),
                    title: picked.hit.title,
                    snippet: picked.hit.snippet,
                    calls: std::mem::take(&mut calls),
                    outcome: Some(HitOutcome::Hit),
                    ..if at == last { end.clone() } else { self.hit() }
                },
            );
            if let Some(document) = picked.document {
                record.set(field::ID, &document.id);
                if let Some(title) = document.title {
                    record.set(field::TITLE, &title);
                }
                record.set(field::TEXT, &document.text);
            }
            out.write_record(&record);
        }
    }

    /// The one record of a query without a hit.
    fn put_alone(
        &self,
        mut record: Record,
        calls: u64,
        answer: Result<(HitOutcome, Hit), Why>,
        out: &mut Output,
    ) {
        mark_step_end(&mut record, true);
        record.remove(field::URL);
        match answer {
            Ok((outcome, end)) => record.set(
                field::HIT,
                &Hit {
                    calls,
                    outcome: Some(outcome),
                    ..end
                },
            ),
            Err(why) => {
                record.set(
                    field::HIT,
                    &Hit {
                        calls,
                        ..self.hit()
                    },
                );
                record.set_error("search", kind(&why), why);
            }
        }
        out.write_record(&record);
    }

    /// What the last record of a step says.
    fn end(&self, rest: Rest, counts: Counts) -> Hit {
        let Rest {
            left,
            more,
            can_ask,
        } = rest;
        let more = more.then_some(if can_ask {
            MoreHits::Pages
        } else {
            MoreHits::Hidden
        });
        let Counts { total, df } = counts;
        Hit {
            unseen: left,
            more,
            total,
            df,
            ..self.hit()
        }
    }

    /// What all records say.
    fn hit(&self) -> Hit {
        Hit {
            engine: self.engine.into(),
            ..Hit::default()
        }
    }

    /// Says what a user should know of a reply, each thing once.
    fn tell(&mut self, reply: &Reply) {
        let is_first = |has_told: &mut bool| !std::mem::replace(has_told, true);
        if self.searcher.skipped > 0 && is_first(&mut self.has_told_of_skipped) {
            self.messages.warn("the engine gives hits that hold excluded terms; these are skipped, which is said once");
        }
        // That records are errors can be overseen, as the exit code is that of success.
        if let Err(Why::Engine(failure)) = &reply.found
            && is_first(&mut self.has_told_of_failure)
        {
            self.messages.warn(format_args!(
                "{failure}; such queries become records with `error`, which is said once"
            ));
        }
        if let Some(caveat) = self.searcher.caveat()
            && is_first(&mut self.has_told_caveat)
        {
            self.messages
                .warn(format_args!("{caveat}; this is said once"));
        }
    }
}

/// Moves `step.last` to the last of the records that are made of one. A record that a person wrote
/// may lack it, and is the last of its step.
fn mark_step_end(record: &mut Record, is_last: bool) {
    let Ok(Some(mut step)) = record.view::<Map<String, Value>>(field::STEP) else {
        return;
    };
    let ends_step = step.get("last") != Some(&Value::Bool(false));
    step.insert("last".into(), Value::Bool(is_last && ends_step));
    record.set(field::STEP, &step);
}

impl Stage for Answering<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        match self.query(&record) {
            Ok(Some((query, step))) => {
                let terms = SignedTerms::new(&query.include, &query.exclude)
                    .like_page(query.like.as_deref());
                let step = step.map_or(0, |step| step.number);
                let reply = self.searcher.answer(&terms, step, self.args.ask())?;
                self.tell(&reply);
                self.put(record, reply, out);
            }
            Ok(None) => out.write_record(&record),
            Err(bad) => {
                record.set_error("search", ErrorKind::BadField, bad);
                out.write_record(&record);
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.searcher.cache.commit()?)
    }

    /// A step of a pipeline is repeated when it breaks off.
    fn commit_order(&self) -> CommitOrder {
        if self.args.is_step() {
            CommitOrder::BeforeOutput
        } else {
            CommitOrder::AfterOutput
        }
    }
}

fn kind(why: &Why) -> ErrorKind {
    match why {
        Why::Engine(EngineError::Refused(_)) => ErrorKind::Refused,
        Why::Engine(EngineError::Throttled { .. }) => ErrorKind::Throttled,
        Why::Engine(EngineError::Unavailable { .. } | EngineError::Down(_)) => {
            ErrorKind::EngineDown
        }
        Why::Calls(_) | Why::Queries(_) => ErrorKind::Budget,
    }
}
