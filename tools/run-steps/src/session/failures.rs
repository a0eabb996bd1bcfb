//! Steps that an engine or the network has failed.
//!
//! A step whose query was not answered is removed and repeated under its number: the strategy draws
//! random numbers by step, and a run that goes on is to be the same as an undisturbed one.

use super::{Loop, Session, Stop};
use crate::files::{format_counts, label_of, last_line, parse_record, visit_lines_with};
use crate::tools::{self, line};
use anyhow::{Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;

/// The run has ended without a relevant document, although a limit may be reached.
#[derive(Debug, thiserror::Error)]
pub enum Fruitless {
    /// No page became a document. With the kinds of the errors.
    #[error(
        "0 of {pages} pages could be fetched: {kinds}; when the cause is removed, continue with \
         {resumption}"
    )]
    NothingFetched {
        pages: u64,
        kinds: String,
        resumption: String,
    },
    /// Nothing was found that could become a document.
    #[error("no document was found; {0}")]
    NothingFound(String),
    /// The filter gives nearly all documents a label that is no target.
    #[error(
        "{count} of {documents} retrieved documents are {label}, the target is {target}; is its \
         code right, are the initial documents in it, does the filter know it?"
    )]
    OtherLabel {
        count: u64,
        documents: u64,
        label: String,
        target: String,
    },
}

const OTHER_HOSTS: &str = "no hit is on a host that --hosts-allow and --hosts-deny admit; start a \
                           new run with other lists of hosts";

/// Returns the last record of the journal, if it is an error record.
fn last_error(session: &Session) -> Option<Value> {
    let record = parse_record(&last_line(&session.run.journal()));
    record.get("error").cloned()
}

/// Returns the kind of the failure of `search` that the journal ends with.
fn last_search_failure(session: &Session) -> Option<String> {
    let error = last_error(session)?;
    let kind = error["kind"].as_str()?;
    let is_failure = matches!(kind, "refused" | "throttled" | "engine-down" | "no-hits");
    (error["tool"] == "search" && is_failure).then(|| kind.to_owned())
}

/// Writes the message of the last record of the journal, if it is an error record, in brackets.
fn last_message(session: &Session) -> String {
    let error = last_error(session).unwrap_or_default();
    let message = error["message"].as_str();
    message.map_or(String::new(), |message| format!(" ({message})"))
}

/// Reads the totals, and removes the steps of a run that its resumption repeats. Returns the
/// failure of `search` that the journal ended with.
pub fn prepare_resumption(session: &mut Session) -> Result<Option<String>> {
    session.read_totals()?;
    let failure = last_search_failure(session);
    if failure.as_ref().is_some_and(|kind| kind != "no-hits") {
        session.remove_steps(session.totals.step.saturating_sub(1))?;
        session.read_totals()?;
    }
    // A run whose pages all failed may have been without a network: its hits are not used up.
    if session.totals.step > 1 && session.totals.docs == 0 && !failed_pages(session).is_empty() {
        session.remove_steps(1)?;
        session.read_totals()?;
        return Ok(None);
    }
    Ok(failure)
}

/// Removes the steps before the first one with a document, `finished`, if a host has not responded
/// in them. The network may have been down: one or two hosts that fail, before any has responded,
/// cannot be told from it. Returns whether there were such steps.
pub fn remove_unreached_steps(
    session: &mut Session,
    kind: &mut dyn Loop,
    finished: u64,
) -> Result<bool> {
    let mut is_unreached = false;
    visit_lines_with(&session.run.journal(), "\"error\"", |record| {
        let kind = record["error"]["kind"].as_str().unwrap_or_default();
        is_unreached |= matches!(kind, "dns" | "connect" | "tls" | "timeout")
            && record["step"]["number"].as_u64() < Some(finished);
    });
    if is_unreached {
        let steps = match finished - 1 {
            1 => "step 1 is".to_owned(),
            last => format!("steps 1 to {last} are"),
        };
        session.run.console.say(format_args!(
            "{steps} repeated: a host did not respond, before any had"
        ));
        session.remove_steps(1)?;
        session.read_totals()?;
        begin_again(session, kind)?;
        session.totals.pages = kind.count_pages(&session.run)?;
    }
    Ok(is_unreached)
}

/// Counts the pages without a document, by the kind of their errors.
fn failed_pages(session: &Session) -> BTreeMap<String, u64> {
    let mut failed = BTreeMap::new();
    visit_lines_with(&session.run.journal(), "\"error\"", |record| {
        let error = &record["error"];
        if let (Some(kind), false) = (error["kind"].as_str(), error["tool"] == "search") {
            *failed.entry(kind.to_owned()).or_default() += 1;
        }
    });
    failed
}

/// Counts the documents that steps have retrieved, by their labels.
fn labels(session: &Session) -> BTreeMap<String, u64> {
    let mut labels = BTreeMap::new();
    visit_lines_with(&session.run.journal(), "\"label\"", |record| {
        let is_document = record["text"].is_string() && !record["error"].is_object();
        if let (Some(label), true) = (label_of(&record), record["step"].is_object() && is_document)
        {
            *labels.entry(label).or_default() += 1;
        }
    });
    labels
}

/// Fails if the run has no document, and not because of a limit, or if nearly all documents of a
/// run for a language are of another one.
pub fn check_fruits(session: &Session, kind: &dyn Loop, is_exhausted: bool) -> Result<()> {
    let totals = &session.totals;
    if totals.docs == 0 {
        let failed = failed_pages(session);
        if !failed.is_empty() {
            bail!(Fruitless::NothingFetched {
                pages: failed.values().sum(),
                kinds: format_counts(failed),
                resumption: session.run.resumption(),
            });
        }
        if is_exhausted {
            bail!(Fruitless::NothingFound(kind.advice(&session.run)));
        }
    } else if totals.relevant == 0 && session.run.pipeline.is_corpus() {
        let labels = labels(session);
        let most = labels.into_iter().max_by_key(|(_, count)| *count);
        if let Some((label, count)) = most
            && count >= MIN_DOCUMENTS
            && count * 10 >= totals.docs * 9
        {
            bail!(Fruitless::OtherLabel {
                count,
                documents: totals.docs,
                label,
                target: kind.targets(&session.run).join(", "),
            });
        }
    }
    Ok(())
}

/// The number of documents from which their labels say something about the run.
const MIN_DOCUMENTS: u64 = 5;

/// Continues a run that has stopped because the engine had no hits, if it has some now.
pub fn repeat_unanswered_steps(session: &mut Session, kind: &mut dyn Loop) -> Result<()> {
    if !has_engine_hits(session, kind)? {
        let message = format!(
            "the engine still has no hits; {}",
            advise_engine_test(session)
        );
        bail!(Stop(message));
    }
    repeat_steps_without_hits(session, kind)
}

/// Stops a run without a query if the cause is not that the target is exhausted.
pub fn check_exhausted(session: &mut Session, kind: &mut dyn Loop) -> Result<()> {
    if !has_engine_hits(session, kind)? {
        repeat_steps_without_hits(session, kind)?;
        let advice = advise_engine_test(session);
        bail!(Stop(format!(
            "the engine seems to fail (no hit for the last queries, nor for an earlier one that \
             had hits); {advice}"
        )));
    }
    let settings = &session.run.settings;
    let has_hosts = settings.is_any_set("hosts-allow hosts-deny");
    if has_hosts && session.totals.docs == 0 && kind.engine().is_some() {
        bail!(Stop(OTHER_HOSTS.into()));
    }
    Ok(())
}

/// Tests whether the engine still has hits, if it is on the web and its last queries had none.
fn has_engine_hits(session: &Session, kind: &dyn Loop) -> Result<bool> {
    let is_on_web = !session.run.settings.get("engine").starts_with("index:");
    match kind.engine() {
        Some(mut engine) if is_on_web && session.run.pipeline.is_corpus() => {
            engine.extend(line(
                "--hits {} --engines=probe",
                [&session.run.file("hits.db")],
            ));
            Ok(tools::run(&engine)?.0.success())
        }
        _ => Ok(true),
    }
}

/// Removes the steps since the last one with a hit, in which the engine had none because it failed,
/// so that their queries are sent again.
fn repeat_steps_without_hits(session: &mut Session, kind: &mut dyn Loop) -> Result<()> {
    let mut last_hit = 0;
    visit_lines_with(&session.run.journal(), "\"rank\":", |record| {
        if record["hit"]["rank"].is_u64() {
            last_hit = record["step"]["number"].as_u64().unwrap_or(last_hit);
        }
    });
    let step = last_hit + 1;
    session.remove_steps(step)?;
    tools::output(&line(
        "search --hits {} --rebuild {} --if-behind {} --forget-empty --quiet",
        [
            &session.run.file("hits.db"),
            &session.run.file("journal.jsonl"),
            &step.to_string(),
        ],
    ))?;
    session.read_totals()?;
    begin_again(session, kind)
}

/// Makes the state files agree with a journal from which steps were removed, perhaps all of them.
fn begin_again(session: &mut Session, kind: &mut dyn Loop) -> Result<()> {
    match session.totals.step {
        0 => session.initialise(kind),
        _ => session.settle(kind),
    }
}

/// Writes what helps if an engine has no hits and should.
fn advise_engine_test(session: &Session) -> String {
    format!(
        "test it with `search --engine {} --engines canary`: is the address right, are the engines behind \
         it suspended or disabled, is another language set? When that is fixed, continue with {}",
        session.run.settings.get("engine"),
        session.run.resumption()
    )
}

/// Returns whether the filter has written no label that can be counted, but something else. Without
/// documents, no limit of them would end the run.
fn is_label_invalid(session: &Session) -> bool {
    let error = last_error(session).unwrap_or_default();
    session.totals.docs == 0 && error["tool"] == "update-stats" && error["kind"] == "bad-field"
}

/// Stops the run if the engine has failed in a step, or the step has not ended.
pub fn check_step(session: &Session, finished: u64) -> Result<()> {
    let resumption = session.run.resumption();
    let patience = session.run.settings.get("patience");
    let cause = last_message(session);
    let message = match session.totals.outcome.as_str() {
        "refused" => {
            format!(
                "the engine refuses queries{cause}; when that is fixed, continue with {resumption}"
            )
        }
        "no-hits" if cause.contains("--hosts-") => OTHER_HOSTS.into(),
        "no-hits" => format!(
            "the engine seems to fail{cause}; {}",
            advise_engine_test(session)
        ),
        // `search` has waited for --patience.
        "throttled" => format!(
            "the engine asks to wait longer than --patience {patience}{cause}; continue later with \
             {resumption}, or with a longer --patience"
        ),
        "engine-down" => format!(
            "the engine has not answered for --patience {patience} seconds{cause}; when it answers \
             again, continue with {resumption}"
        ),
        _ if is_label_invalid(session) => {
            format!("step {finished}: the filter must write a string or a number as `label`{cause}")
        }
        // Otherwise the step would be repeated forever.
        _ if session.totals.step <= finished => format!(
            "step {finished}: its last record did not reach update-stats; fetch-extract, dedup and \
             the filter must pass on every record"
        ),
        _ => return Ok(()),
    };
    bail!(Stop(message))
}
