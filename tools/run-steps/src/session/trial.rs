//! `--check` and `--dry-run`, which try what a run does before its first step and in it, in a
//! temporary folder. A run that exists stays as it is.

use super::{Loop, Session, TriedEngine, ensure_success};
use crate::console::{print_error_text, print_line, print_text};
use crate::files::{format_counts, label_of, parse_record};
use crate::run::{Run, user_filter};
use crate::tools::{self, Reported, line};
use anyhow::{Context, Result, anyhow, bail, ensure};
use std::collections::BTreeMap;

/// Tries a run instead of starting it.
pub fn try_run(session: &mut Session, kind: &mut dyn Loop) -> Result<()> {
    let line = &session.run.line;
    match (line.has("dry-run"), line.is_resumed) {
        (true, true) => bail!("--dry-run shows the first query of a new run"),
        (true, false) => show_first_queries(session, kind),
        (false, _) => check_run(session, kind),
    }
}

/// Checks what can fail after the start: the initial documents, the filter, the fetching of pages,
/// and the engines and their answers. All engines are asked, also if one of them fails.
fn check_run(session: &mut Session, kind: &mut dyn Loop) -> Result<()> {
    print_line(format_args!(
        "tools: found, version {}",
        env!("CARGO_PKG_VERSION")
    ));
    print_line(kind.describe(&session.run)?);
    if !session.run.line.is_resumed {
        session.initialise(kind)?;
    }
    let run = &session.run;
    if let Some(fetch) = kind.fetch(run) {
        tools::output(&fetch)?;
        print_contact(run);
    }
    let records = kind.try_pages(session)?;
    if run.settings.is_set("filter") {
        check_filter(run, &records)?;
    }
    let mut failed = 0;
    for engine in kind.engines(run) {
        if let Err(error) = check_engine(&engine) {
            run.console.say(error);
            failed += 1;
        }
    }
    ensure!(failed == 0, Reported);
    Ok(())
}

fn print_contact(run: &Run) {
    let environment = std::env::var("FORAGE_CONTACT").unwrap_or_default();
    let address = run.settings.get("connect-to");
    let contact = match (run.settings.get("contact"), environment.as_str()) {
        ("", "") => format!("none; pages are fetched from {address}"),
        ("", mail) | (mail, _) => mail.to_owned(),
    };
    print_line(format_args!("contact: {contact}"));
}

/// Returns the records of the initial documents.
pub fn read_initial_records(run: &Run) -> Result<String> {
    let mut records = String::new();
    for init in run.settings.list("init") {
        let file = init.split_once('=').map_or("", |(_, file)| file);
        let path = run.path(file);
        records += &std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    }
    Ok(records)
}

/// Checks that the filter of the user labels records, which it would otherwise show in the first
/// step.
fn check_filter(run: &Run, records: &str) -> Result<()> {
    // Pages come without a label.
    let unlabelled: String = records
        .lines()
        .map(|line| {
            let mut record = parse_record(line);
            if let Some(fields) = record.as_object_mut() {
                fields.remove("label");
            }
            format!("{record}\n")
        })
        .collect();
    let output = tools::filter(&user_filter(run), unlabelled.as_bytes())
        .map_err(|_| anyhow!("--filter: the filter fails"))?;
    let output = String::from_utf8_lossy(&output);
    if output.lines().count() != records.lines().count() {
        bail!("--filter: must pass on every record");
    }
    let mut labels: BTreeMap<String, u64> = BTreeMap::new();
    for record in output.lines().map(parse_record) {
        if !record["error"].is_object() {
            let label = label_of(&record);
            let label = label.context("--filter: must write a string or a number as `label`")?;
            *labels.entry(label).or_default() += 1;
        }
    }
    print_line(format_args!("filter: labels {}", format_counts(labels)));
    Ok(())
}

/// Sends an engine a word, then the word with an exclusion term; without the scope, as the
/// engine is tested and not the hits that are wanted. An engine that has hits can be used, also if
/// they allow no conclusion on exclusion.
fn check_engine(engine: &TriedEngine) -> Result<()> {
    let TriedEngine { option, given, .. } = engine;
    let mut canary = engine.command.clone();
    let (test, word) = match &engine.word {
        Some(word) => (format!("canary={word}"), ""),
        None => ("canary".into(), "a common word, "),
    };
    canary.push(format!("--engines={test}"));
    let (code, output, messages) = tools::run_silently(&canary)?;
    let answer = output.trim_end().rsplit('\t').next().unwrap_or_default();
    let verdict = output.split('\t').next().unwrap_or_default();
    let cause = messages.lines().last().unwrap_or_default();
    let cause = cause.strip_prefix("search: ").unwrap_or(cause);
    if code <= 1 {
        print_error_text(&messages);
    }
    match (code, cause.split_once(" hits for ")) {
        (0, _) if verdict != "works" => bail!("{given}: the engine cannot be used: {answer}"),
        (0, _) => print_line(format_args!(
            "{option}: {given} answers, and honours exclusion terms ({answer})"
        )),
        (1, _) => print_line(format_args!(
            "{option}: {given} answers, but {} exclusion terms ({answer}); hits with excluded \
             terms in title or snippet are skipped",
            match verdict {
                "fails: requires" => "requires",
                "fails: error" => "refuses",
                _ => "ignores",
            }
        )),
        (_, Some((before, words))) if before.ends_with(" of the 0") => bail!(
            "--{option} {given}: answers, but has 0 hits for {word}{}: is the language right, is an \
             engine behind it disabled or suspended?",
            words.split(';').next().unwrap_or_default()
        ),
        (_, Some((_, after))) if after.contains("; name ") => {
            let mut parts = cause.rsplit("could not be tested: ");
            let tail = parts.next().unwrap_or_default();
            print_line(format_args!(
                "{option}: {given} answers; its exclusion could not be tested: {tail}"
            ));
        }
        _ => {
            let test = "exclusion could not be tested";
            bail!(cause.replacen(test, "the engine cannot be used", 1));
        }
    }
    Ok(())
}

/// Shows the first query of each target and the terms that it was chosen from, before anything is
/// sent.
fn show_first_queries(session: &mut Session, kind: &mut dyn Loop) -> Result<()> {
    session.initialise(kind)?;
    for (turn, target) in kind.targets(&session.run).iter().enumerate() {
        print_line(format_args!("first query for {target}:"));
        let mut phase = session.query_phase(kind, turn);
        phase.args = line("--explain", []);
        let outcome = session.run.call(&phase, b"")?;
        ensure_success(&outcome)?;
        print_text(&outcome.text());
    }
    Ok(())
}
