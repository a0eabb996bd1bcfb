//! The list of engines, and tests of an engine: `--engines`.

use crate::args::{Args, EngineTask};
use crate::{call_interval, new_searcher, open_engine, open_engines};
use anyhow::Context;
use forage_cli::Io;
use forage_engines::canary::{self, ExclusionVerdict};
use forage_engines::{EngineSpec, engines};
use std::time::Duration;

/// Lists or tests engines. The exit code also reports whether a test fails.
pub fn run(
    task: &EngineTask,
    specs: &[EngineSpec],
    args: &Args,
    io: &mut Io,
) -> anyhow::Result<()> {
    match (task, specs) {
        (EngineTask::List, []) => {
            list_engines(io);
            Ok(())
        }
        (EngineTask::List, _) => {
            anyhow::bail!("--engines lists all engines, and takes no --engine")
        }
        (EngineTask::Canary(query, excluded), [spec]) => {
            test_exclusion(spec, query, excluded.as_deref(), args, io)
        }
        (EngineTask::Canary(..), _) => anyhow::bail!("--engines canary takes one --engine"),
        (EngineTask::Probe, []) => anyhow::bail!("--engines probe requires --engine"),
        (EngineTask::Probe, _) if args.hits.is_none() => {
            anyhow::bail!("--engines probe requires --hits")
        }
        (EngineTask::Probe, specs) => test_hits(specs, args, io),
    }
}

/// Writes the table of the engines.
fn list_engines(io: &mut Io) {
    let engines: Vec<_> = engines().collect();
    let capabilities = engines.iter().map(|engine| engine.capabilities.to_string());
    let capabilities: Vec<_> = capabilities.collect();
    let rows = engines.iter().zip(&capabilities);
    let rows = rows.map(|(engine, text)| vec![engine.spec_form, engine.options, &engine.key, text]);
    let headings = ["ENGINE", "OPTIONS", "KEY", "CAPABILITIES"];
    io.out.write_table(&headings, &rows.collect::<Vec<_>>());
}

/// Tests whether the engine honours exclusion.
fn test_exclusion(
    spec: &EngineSpec,
    query: &str,
    excluded: Option<&str>,
    args: &Args,
    io: &mut Io,
) -> anyhow::Result<()> {
    let mut engine = open_engine(spec, args)?;
    let mut interval = Duration::ZERO;
    let pause = || {
        std::thread::sleep(std::mem::replace(&mut interval, call_interval(spec, args)));
        Ok(())
    };
    let name = spec.as_str();
    let result = canary::test_exclusion(&mut *engine, query, (excluded, None), pause);
    // No answer says nothing about exclusion terms.
    let has_answered = result.is_ok();
    let (verdict, observation) =
        result.unwrap_or_else(|failure| (Some(ExclusionVerdict::Error), failure.to_string()));
    let verdict =
        verdict.with_context(|| format!("{name}: exclusion could not be tested: {observation}"))?;
    io.out
        .write_line(&[verdict.as_str(), name, &observation].join("\t"));
    if has_answered && verdict != ExclusionVerdict::Works {
        io.fail_check();
    }
    Ok(())
}

/// Tests whether the engines still have hits; one that has is enough.
fn test_hits(specs: &[EngineSpec], args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let engines = open_engines(specs, args)?;
    let mut searcher = new_searcher(specs, engines, args, io)?;
    let results = searcher.probe_engines()?;
    for (spec, result) in specs.iter().zip(&results) {
        match result {
            Ok(true) => write_verdict(true, spec, "has hits", io),
            Ok(false) => write_verdict(false, spec, "no hit for a query that must have some", io),
            Err(failure) => write_verdict(false, spec, &failure.to_string(), io),
        }
    }
    if !results.contains(&Ok(true)) {
        io.fail_check();
    }
    searcher.cache.merge_wal().map_err(Into::into)
}

fn write_verdict(works: bool, spec: &EngineSpec, observation: &str, io: &mut Io) {
    let verdict = if works { "works" } else { "fails" };
    io.out
        .write_line(&[verdict, spec.as_str(), observation].join("\t"));
}
