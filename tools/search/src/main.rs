//! search: ask a search engine each query and add the hits that it gives.

mod add;
mod answer;
mod args;
#[cfg(feature = "web")]
mod engine_client;

use anyhow::Context;
use args::Args;
use forage_cli::{Io, Messages};
use forage_engines::index::Writer;
use forage_engines::{
    Abilities, Engine, Exclusion, HitCache, Http, Key, Pace, Searcher, Spec, Waited, canary,
    engines,
};
use forage_run::{Event, Projection};
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let (Some(journal), Some(hits)) = (&args.rebuild, &args.hits) {
        return rebuild(&args, journal, hits, io);
    }
    // Not parsed with the other arguments, as a complaint about these repeats them, and a password
    // may stand there.
    let spec = args
        .engine
        .as_ref()
        .map(|spec| spec.parse::<Spec>())
        .transpose()?;
    match &spec {
        None => list(io),
        Some(spec) if args.capabilities => {
            io.out.write_line(&spec.abilities().names());
            Ok(())
        }
        Some(spec) if args.add => add(spec, &args, io),
        Some(spec) if args.canary.is_some() => check_exclusion(spec, &args, io),
        Some(spec) => search(spec, &args, io),
    }
}

/// Marks the hits of a journal as given.
fn rebuild(args: &Args, journal: &Path, hits: &Path, io: &mut Io) -> anyhow::Result<()> {
    let mut cache = HitCache::open(hits)?;
    if let Some(next) = args.if_behind {
        if !cache.lacks_steps_before(next) {
            cache.forget_marks_from(next)?;
            return Ok(cache.settle()?);
        }
        io.messages.warn(format_args!(
            "{}: lacks steps of {}; their hits are marked as given again, and pages of hits that it has lost will be \
             asked for, and paid for, anew",
            hits.display(),
            journal.display()
        ));
    }
    let input = forage_cli::Input {
        files: vec![journal.into()],
        ..args.input.clone()
    };
    cache.forget_seen()?;
    cache.advance_to(0);
    // In one transaction: until the last record is read, the file is as it was.
    io.for_each_record(&input, |record| {
        cache
            .apply(&Event::from_journal(&record)?)
            .map_err(anyhow::Error::from_boxed)
    })?;
    cache.commit()?;
    Ok(cache.settle()?)
}

/// Answers each query with hits.
fn search(spec: &Spec, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let engine = open(spec, args)?;
    let abilities = engine.abilities();
    if abilities.exclusion == Exclusion::Absent && !args.is_step() {
        io.messages.warn(format_args!(
            "{}: can't be asked to exclude; hits that show an excluded term in title or snippet are skipped",
            spec.as_str()
        ));
    }
    let mut cache = match &args.hits {
        Some(file) => HitCache::open(file)?,
        None => HitCache::in_memory()?,
    };
    if let Some(step) = args.from_step {
        cache.forget_marks_from(step)?;
    }
    let pace = pace(args, &abilities, io.messages.clone());
    let searcher = Searcher::new(engine, spec.canonical(), cache, args.limits(), pace);
    let mut answering = answer::Answering::new(searcher, spec, args, io.messages.clone());
    let answered = io.run_stage(&args.input, &mut answering);
    if args.is_step() {
        return answered;
    }
    // Also where the output broke off, which is then what is reported: what was committed before is
    // complete.
    let settled = answering.searcher.cache.settle();
    answered.and(settled.map_err(Into::into))
}

/// The engine, with its key from the environment.
fn open(spec: &Spec, args: &Args) -> anyhow::Result<Box<dyn Engine>> {
    anyhow::ensure!(
        cfg!(feature = "web") || spec.index_folder().is_some(),
        "{}: this search was built for the embedded index alone; `make` builds it for engines on the web, too",
        spec.as_str()
    );
    Ok(spec.open(http(args), |variable| {
        Key::new(&std::env::var(variable).ok()?)
    })?)
}

/// The client that engines on the web are asked with.
#[cfg(feature = "web")]
fn http(args: &Args) -> Http {
    let contact = args
        .contact
        .clone()
        .or_else(|| std::env::var("FORAGE_CONTACT").ok());
    engine_client::open(args.timeout, contact.as_deref())
}

/// A client that reaches nothing.
#[cfg(not(feature = "web"))]
fn http(_: &Args) -> Http {
    Box::new(|_| Err("there is no client".into()))
}

/// As often as the user says, or else as the engine asks.
fn pace(args: &Args, abilities: &Abilities, messages: Messages) -> Pace {
    let tell = move |waited: &Waited| {
        let Waited {
            failure,
            wait,
            since,
            patience,
        } = waited;
        let before = if since.as_secs() == 0 {
            String::new()
        } else {
            format!(" (since {} s)", since.as_secs())
        };
        let (patience, wait) = (patience.as_secs(), wait.as_secs_f64().ceil());
        messages.warn(format_args!(
            "{failure}; it is waited for{before}, {patience} s at most (--patience); asking again in {wait} s"
        ));
    };
    Pace {
        interval: args.interval().unwrap_or(abilities.pause),
        patience: args.patience(),
        now: Box::new(SystemTime::now),
        sleep: Box::new(std::thread::sleep),
        tell: Box::new(tell),
    }
}

/// Prints whether the engine honours exclusion; if it doesn't, the exit code says so, too.
fn check_exclusion(spec: &Spec, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let mut engine = open(spec, args)?;
    let pause = args.interval().unwrap_or(engine.abilities().pause);
    let (word, excluded) = args.canary_words();
    let canary = canary::ask(&mut *engine, word, excluded, || std::thread::sleep(pause))
        .with_context(|| format!("{}: whether it excludes can't be told", spec.as_str()))?;
    let Some(works) = canary.verdict else {
        anyhow::bail!(
            "{}: whether it excludes can't be told: {}",
            spec.as_str(),
            canary.why
        );
    };
    let verdict = if works { "works" } else { "fails" };
    io.out
        .write_line(&[verdict, spec.as_str(), &canary.why].join("\t"));
    if !works {
        io.fail_check();
    }
    Ok(())
}

/// Puts each document into the embedded index.
fn add(spec: &Spec, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let folder = spec
        .index_folder()
        .context("--add needs an embedded index, as in --engine index:DIR")?;
    let mut stage = add::Adding::new(Writer::open(folder)?, io.messages.clone());
    io.run_stage(&args.input, &mut stage)
}

/// Prints what engines there are.
fn list(io: &mut Io) -> anyhow::Result<()> {
    for engine in engines() {
        io.out.write_line(
            &[
                engine.form,
                engine.options,
                &engine.key,
                &engine.abilities.to_string(),
            ]
            .join("\t"),
        );
    }
    Ok(())
}
