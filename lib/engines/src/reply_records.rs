//! The records that the reply to a query gives: one for each hit, or one that tells why there is
//! none.

use crate::{
    EngineCounts, EngineError, QueryReply, RankedHit, RemainingHits, SearchError, SearchOutcome,
};
use forage_record::{ErrorKind, Hit, HitOutcome, MoreHits, Record, field};
use serde_json::{Map, Value};

/// The tool that errors of engines are attributed to.
const TOOL: &str = "search";

/// Returns the records of the reply to the query of `record`: one for each hit, or one without a
/// URL; before it, one for each engine that failed. The first has the number of calls. The last
/// ends the step, if `record` did, and tells how the query ended.
///
/// `engines` are the names of the engines in `hit`, by their numbers.
pub fn reply_records(mut record: Record, reply: QueryReply, engines: &[&str]) -> Vec<Record> {
    let QueryReply {
        calls,
        outcome,
        engine,
        failures,
        remaining,
        counts,
        unexcluded,
        missing: _,
    } = reply;
    let mut records = Vec::new();
    // Before the outcome, as the last record of a step tells how its query ended.
    for (failed, failure) in failures {
        let mut record = record.clone();
        set_last_of_step(&mut record, false);
        records.push(without_hit(record, new_hit(engines[failed]), Err(failure)));
    }
    let last_hit = Hit {
        calls,
        unexcluded: unexcluded.contains(&engine),
        ..last_hit(engines[engine], remaining, counts)
    };
    let result = match outcome {
        Ok(SearchOutcome::Hits(hits)) => {
            records.extend(hit_records(&record, hits, last_hit, (engines, &unexcluded)));
            return records;
        }
        Ok(SearchOutcome::Empty) => Ok(HitOutcome::Empty),
        Ok(SearchOutcome::Exhausted) => Ok(HitOutcome::Exhausted),
        Err(error) => Err(error),
    };
    let hit = match &result {
        Ok(_) => last_hit,
        Err(_) => Hit {
            calls,
            ..new_hit(engines[engine])
        },
    };
    set_last_of_step(&mut record, true);
    records.push(without_hit(record, hit, result));
    records
}

/// Returns a record for each hit. The first one has the calls, the last one the members of
/// `last_hit`.
fn hit_records(
    record: &Record,
    hits: Vec<RankedHit>,
    last_hit: Hit,
    (engines, unexcluded): (&[&str], &[usize]),
) -> Vec<Record> {
    let mut calls = last_hit.calls;
    let last_index = hits.len().saturating_sub(1);
    let to_record = |(index, ranked): (usize, RankedHit)| {
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
                engine: engines[ranked.engine].into(),
                rank: Some(ranked.rank),
                title: ranked.hit.title,
                snippet: ranked.hit.snippet,
                modified: ranked.hit.modified,
                alternates: ranked.hit.alternates,
                licence: ranked.hit.licence,
                calls: std::mem::take(&mut calls),
                unexcluded: unexcluded.contains(&ranked.engine),
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
        record
    };
    hits.into_iter().enumerate().map(to_record).collect()
}

/// Returns the record without a URL: of a query without a hit, or of an engine that failed.
fn without_hit(mut record: Record, hit: Hit, result: Result<HitOutcome, SearchError>) -> Record {
    record.remove(field::URL);
    let outcome = result.as_ref().ok().copied();
    record.set(field::HIT, &Hit { outcome, ..hit });
    if let Err(error) = result {
        record.set_error(TOOL, error_kind(&error), error);
    }
    record
}

/// Returns the members of `hit` that only the last record of a step has.
fn last_hit(engine: &str, remaining: RemainingHits, counts: EngineCounts) -> Hit {
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
        ..new_hit(engine)
    }
}

/// Returns the members of `hit` that all records have.
fn new_hit(engine: &str) -> Hit {
    Hit {
        engine: engine.into(),
        ..Hit::default()
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

fn error_kind(error: &SearchError) -> ErrorKind {
    match error {
        SearchError::Engine(failure) => engine_error_kind(failure),
        SearchError::NoHitsEver(_)
        | SearchError::NoHitsAnyMore(_)
        | SearchError::NoHitInScope(_) => ErrorKind::NoHits,
        SearchError::CallLimit(_) | SearchError::QueryLimit(_) => ErrorKind::Budget,
    }
}

fn engine_error_kind(failure: &EngineError) -> ErrorKind {
    match failure {
        EngineError::Refused(_) => ErrorKind::Refused,
        EngineError::Throttled { .. } => ErrorKind::Throttled,
        EngineError::Unavailable { .. } | EngineError::Down(_) | EngineError::Unreadable(_) => {
            ErrorKind::EngineDown
        }
        EngineError::Incomplete { failure, .. } => engine_error_kind(failure),
    }
}
