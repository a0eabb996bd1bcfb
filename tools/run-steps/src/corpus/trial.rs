//! `--check` and `--dry-run`, which try what a run does before its first step, in a temporary folder.

use super::Corpus;
use crate::console::{print_error_text, print_line, print_text};
use crate::run::Run;
use crate::session::{Loop, Session, ensure_success};
use crate::tools::{self, line};
use anyhow::{Result, bail};
use std::collections::BTreeSet;

/// Checks what can fail after the start: the engine, its answers, and the fetching of pages.
pub fn check_run(run: &Run, corpus: &Corpus) -> Result<()> {
    print_line(format_args!(
        "tools: found, version {}",
        env!("CARGO_PKG_VERSION")
    ));
    let inits = run.settings.list("init").iter();
    let classes: BTreeSet<&str> = inits
        .filter_map(|init| Some(init.split_once('=')?.0))
        .collect();
    let classes: Vec<&str> = classes.into_iter().collect();
    let target = run.settings.get("target");
    print_line(format_args!(
        "classes: target {target}; initial documents of {}",
        classes.join(" ")
    ));
    if !run.settings.get("engine").starts_with("index:") {
        tools::output(&corpus.fetch(run)?)?;
        let environment = std::env::var("FORAGE_CONTACT").unwrap_or_default();
        let contact = match (run.settings.get("contact"), environment.as_str()) {
            ("", "") => {
                format!(
                    "none; pages are fetched from {}",
                    run.settings.get("connect-to")
                )
            }
            ("", mail) | (mail, _) => mail.to_owned(),
        };
        print_line(format_args!("contact: {contact}"));
    }
    check_engine(corpus)
}

/// Sends the engine a common word, then the word with an exclusion term; without the scope, as the
/// engine is tested and not the hits that are wanted. An engine that has hits can be used, also if
/// they allow no conclusion on exclusion.
fn check_engine(corpus: &Corpus) -> Result<()> {
    let given = &corpus.given_engine;
    let mut canary = corpus.engine_command.clone();
    canary.push("--engines=canary".into());
    let (code, output, messages) = tools::run_silently(&canary)?;
    let answer = output.trim_end().rsplit('\t').next().unwrap_or_default();
    let cause = messages.lines().last().unwrap_or_default();
    let cause = cause.strip_prefix("search: ").unwrap_or(cause);
    if code <= 1 {
        print_error_text(&messages);
    }
    match (code, cause.split_once(" hits for ")) {
        (0, _) => print_line(format_args!(
            "engine: {given} answers, and honours exclusion terms ({answer})"
        )),
        (1, _) => print_line(format_args!(
            "engine: {given} answers, but ignores exclusion terms ({answer}); hits with excluded \
             terms in title or snippet are skipped"
        )),
        (_, Some((before, words))) if before.ends_with(" of the 0") => bail!(
            "--engine {given}: answers, but has 0 hits for a common word, {words}: is the language \
             right, is an engine behind it disabled or suspended?"
        ),
        (_, Some((_, after))) if after.contains("; name ") => {
            let tail = cause
                .rsplit("could not be tested: ")
                .next()
                .unwrap_or_default();
            print_line(format_args!(
                "engine: {given} answers; its exclusion could not be tested: {tail}"
            ));
        }
        _ => {
            let cause = cause.replacen(
                "exclusion could not be tested",
                "the engine cannot be used",
                1,
            );
            bail!("{cause}")
        }
    }
    Ok(())
}

/// Shows the first query of each target and the terms that it was chosen from, before anything is
/// sent.
pub fn show_first_queries(session: &mut Session, corpus: &mut Corpus) -> Result<()> {
    session.initialise(corpus)?;
    for (turn, target) in corpus.targets(&session.run).iter().enumerate() {
        print_line(format_args!("first query for {target}:"));
        let mut phase = session.query_phase(corpus, turn);
        phase.args = line(["--explain"]);
        let outcome = session.run.call(&phase, b"")?;
        ensure_success(&outcome)?;
        print_text(&outcome.text());
    }
    Ok(())
}
