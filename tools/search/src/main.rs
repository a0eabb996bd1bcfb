//! search: ask a search engine each query and add the hits that it gives.

mod add;
mod answer;
mod args;
mod http;
mod rebuild;

use anyhow::Context;
use args::Args;
use forage_cli::Io;
use forage_engines::index::Writer;
use forage_engines::{ENGINES, HitCache, Searcher, Spec};
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let (Some(journal), Some(hits)) = (&args.rebuild, &args.hits) {
        let input = forage_cli::Input { files: vec![journal.clone()], ..args.input.clone() };
        return rebuild::run(HitCache::open(hits)?, &input, io);
    }
    match &args.engine {
        None => list(io),
        Some(spec) if args.add => add(spec, &args, io),
        Some(spec) => search(spec, &args, io),
    }
}

/// Answers each query with hits.
fn search(spec: &Spec, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let engine = spec.open(http::client(args.timeout))?;
    let mut cache = match &args.hits {
        Some(file) => HitCache::open(file)?,
        None => HitCache::in_memory()?,
    };
    if let Some(step) = args.from_step {
        cache.forget_from(step)?;
    }
    let searcher = Searcher::new(engine, spec.canonical(), cache, args.limits());
    let mut stage = answer::Answering::new(searcher, spec.as_str(), args.ask(), args.force, io.say.clone());
    io.stage(&args.input, &mut stage)
}

/// Puts each document into the embedded index.
fn add(spec: &Spec, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let folder = spec.index_folder().context("--add needs an embedded index, as in --engine index:DIR")?;
    let mut stage = add::Adding::new(Writer::open(folder)?, io.say.clone());
    io.stage(&args.input, &mut stage)
}

/// Prints what engines there are.
fn list(io: &mut Io) -> anyhow::Result<()> {
    for engine in ENGINES {
        io.out.line(&[engine.form, engine.options, engine.key, engine.expresses].join("\t"));
    }
    Ok(())
}
