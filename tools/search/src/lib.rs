//! search: send queries to a search engine and add the hits, or the in-links of pages.

mod add;
mod answer;
mod args;
#[cfg(feature = "web")]
mod engine_client;
mod engine_tests;
mod in_links;
mod scope;
mod sections;

pub use args::{Pace, Scope};

use anyhow::Context;
use args::Args;
use forage_cli::{Io, Messages, format_count};
use forage_engines::index::{EmbeddedIndex, EmbeddedIndexWriter, MergedIndex, merge_indexes};
use forage_engines::{
    ApiKey, CallPacer, Engine, EngineSpec, HitCache, HitCacheError, HttpClient, Searcher,
    WaitReport,
};
use forage_record::{Record, field};
use forage_step::RebuildRequest;
use forage_web::page_url::url_key;
use scope::read_scope;
use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let (Some(journal), Some(hits)) = (&args.step.rebuild, &args.hits) {
        return rebuild_cache(&args, journal, hits, io);
    }
    // Not parsed by clap, as its error message repeats the argument, which may contain a password.
    let specs = parse_specs(&args.engine)?;
    if let Some(task) = &args.engines {
        return engine_tests::run(task, &specs, &args, io);
    }
    match &specs[..] {
        [spec] if args.add => add_documents(spec, &args, io),
        [spec] if args.remove => remove_documents(spec, &args, io),
        [spec] if args.dump => write_documents(spec, io),
        [spec] if !args.merge.is_empty() => add_indexes(spec, &args.merge, io),
        _ if args.add || args.remove || args.dump || !args.merge.is_empty() => {
            anyhow::bail!("--add, --remove, --merge and --dump take one --engine")
        }
        specs if args.in_links => add_in_links(specs, &args, io),
        specs => answer_queries(specs, &args, io),
    }
}

/// Parses the engines, which must be different ones.
fn parse_specs(texts: &[String]) -> anyhow::Result<Vec<EngineSpec>> {
    let mut specs: Vec<EngineSpec> = Vec::with_capacity(texts.len());
    for text in texts {
        let spec: EngineSpec = text.parse()?;
        let name = spec.canonical_name();
        anyhow::ensure!(
            specs.iter().all(|other| other.canonical_name() != name),
            "--engine {text}: is given twice"
        );
        specs.push(spec);
    }
    Ok(specs)
}

/// Restores the returned URLs from a journal.
fn rebuild_cache(args: &Args, journal: &Path, hits: &Path, io: &mut Io) -> anyhow::Result<()> {
    let request = RebuildRequest {
        state: hits,
        journal,
        if_behind: args.step.if_behind,
        input: &args.input,
        consequence: "; missing pages of hits will be requested, and paid for, again",
    };
    let open = || {
        let mut cache = HitCache::open(hits)?;
        if let Some(next_step) = args.step.if_behind.filter(|_| args.forget_empty) {
            cache.forget_empty_pages_from(next_step)?;
        }
        Ok(Some(cache))
    };
    let open_empty = || {
        let mut cache = HitCache::open(hits)?;
        cache.forget_returned_urls()?;
        cache.advance_to(0);
        Ok(cache)
    };
    forage_step::rebuild(&request, io, open, open_empty)
}

/// Answers the queries of the input.
fn answer_queries(specs: &[EngineSpec], args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let engines = open_engines(specs, args)?;
    let searcher = new_searcher(specs, engines, args, io)?;
    let mut stage = answer::SearchStage::new(searcher, specs, args, io.messages.clone());
    let result = io.run_stage(&args.input, &mut stage);
    close_cache(&mut stage.searcher.cache, args, result)
}

/// Adds the in-links of the relevant pages of the input.
fn add_in_links(specs: &[EngineSpec], args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let engines = open_engines(specs, args)?;
    // Before the cache is created.
    for (spec, engine) in specs.iter().zip(&engines) {
        let checked = engine.check_in_links();
        checked.with_context(|| spec.as_str().to_owned())?;
    }
    let searcher = new_searcher(specs, engines, args, io)?;
    let mut stage = in_links::InLinksStage::new(searcher, specs, args, io.messages.clone());
    let result = io.run_stage(&args.input, &mut stage);
    close_cache(&mut stage.searcher.cache, args, result)
}

fn open_engines(specs: &[EngineSpec], args: &Args) -> anyhow::Result<Vec<Box<dyn Engine>>> {
    specs.iter().map(|spec| open_engine(spec, args)).collect()
}

/// Creates the searcher with the cache and the engines.
fn new_searcher(
    specs: &[EngineSpec],
    engines: Vec<Box<dyn Engine>>,
    args: &Args,
    io: &mut Io,
) -> anyhow::Result<Searcher> {
    let mut cache = match &args.hits {
        Some(file) => HitCache::open(file)?,
        None => HitCache::in_memory()?,
    };
    cache = cache.with_refresh(args.refresh.refresh);
    if let Some(step) = args.step.from_step {
        cache.roll_back_to(step)?;
    }
    let scope = read_scope(args, &mut cache, io)?;
    let mut searcher = Searcher::new(cache, args.limits());
    searcher.scope = scope;
    for (spec, engine) in specs.iter().zip(engines) {
        let pacer = new_pacer(spec, args, io.messages.clone());
        searcher.add_engine(engine, spec.canonical_name(), pacer);
    }
    Ok(searcher)
}

/// Merges the write-ahead log into the cache, except in a step of a pipeline. Returns the result of
/// the stage, whose error has the cache's file if it is one of the cache, or else the error of the
/// merge.
fn close_cache(
    cache: &mut HitCache,
    args: &Args,
    result: anyhow::Result<()>,
) -> anyhow::Result<()> {
    let result = result.map_err(|error| match &args.hits {
        Some(file) if error.is::<HitCacheError>() => error.context(file.display().to_string()),
        _ => error,
    });
    if args.step.is_step() {
        return result;
    }
    // Merged also if the output broke off, as what was committed until then is complete. The error
    // of the output takes precedence.
    let merged = cache.merge_wal();
    result.and(merged.map_err(Into::into))
}

/// Opens the engine with its key from the environment.
fn open_engine(spec: &EngineSpec, args: &Args) -> anyhow::Result<Box<dyn Engine>> {
    let client = http_client(spec, args)?;
    Ok(spec.open(client, |variable| {
        ApiKey::new(&std::env::var(variable).ok()?)
    })?)
}

/// Returns the client for engines on the web.
#[cfg(feature = "web")]
fn http_client(spec: &EngineSpec, args: &Args) -> anyhow::Result<HttpClient> {
    let contact = match &args.contact.contact {
        None if spec.index_folder().is_none() => forage_cli::contact_of_environment()?,
        given => given.clone(),
    };
    let connect_to = args
        .connect_to
        .as_deref()
        .map(forage_http::resolve_connect_to);
    let connect_to = connect_to.transpose().context("--connect-to")?;
    let client = engine_client::new_http_client(args.timeout, contact.as_deref(), connect_to);
    Ok(client)
}

/// Returns a client that fails with every request.
#[cfg(not(feature = "web"))]
fn http_client(_: &EngineSpec, _: &Args) -> anyhow::Result<HttpClient> {
    Ok(Box::new(|_| Err("this search has no HTTP client".into())))
}

/// Returns the time between two calls: that of the user, or else of the engine.
fn call_interval(spec: &EngineSpec, args: &Args) -> Duration {
    args.call_interval()
        .unwrap_or(spec.capabilities().call_interval)
}

/// Creates the pacer, with the interval of the user or else of the engine.
fn new_pacer(spec: &EngineSpec, args: &Args, messages: Messages) -> CallPacer {
    CallPacer {
        server: spec.server_name(),
        interval: call_interval(spec, args),
        patience: args.patience(),
        now: Box::new(forage_record::time::now),
        sleep: Box::new(std::thread::sleep),
        report_wait: Box::new(move |report| messages.warn(format_wait(report))),
    }
}

fn format_wait(report: &WaitReport) -> String {
    let WaitReport {
        failure,
        wait,
        since_first_failure,
        patience,
    } = report;
    let advice = "; Ctrl-C ends, if the address of the engine is wrong";
    let (already_waited, advice) = match since_first_failure.as_secs() {
        0 => (String::new(), advice),
        seconds => (format!(", {seconds} s so far"), ""),
    };
    format!(
        "{failure}; waiting at most {} s (--patience{already_waited}); retrying in {} s{advice}",
        patience.as_secs(),
        wait.as_secs_f64().ceil()
    )
}

/// Returns the folder of an embedded index, which an option requires.
fn index_folder<'a>(spec: &'a EngineSpec, option: &str) -> anyhow::Result<&'a Path> {
    let message = || format!("{option} requires an embedded index, as in --engine index:DIR");
    let folder = spec.index_folder().map(PathBuf::as_path);
    folder.with_context(message)
}

/// Adds the documents of the input to the embedded index.
fn add_documents(spec: &EngineSpec, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let writer = EmbeddedIndexWriter::open(index_folder(spec, "--add")?)?;
    let mut stage = add::IndexingStage::new(writer, io.messages.clone());
    io.run_stage(&args.input, &mut stage)
}

/// Removes the documents with the URLs and ids of the input from the embedded index.
fn remove_documents(spec: &EngineSpec, args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let folder = index_folder(spec, "--remove")?;
    let (mut urls, mut ids) = (HashSet::new(), HashSet::new());
    io.for_each_record(&args.input, |record| {
        urls.extend(
            record
                .string(field::URL)
                .ok()
                .flatten()
                .map(|url| url_key(&url)),
        );
        ids.extend(record.id().map(Cow::into_owned));
        Ok(())
    })?;
    let removed = forage_engines::index::remove_documents(folder, &|url, id| {
        ids.contains(id) || urls.contains(&url_key(url))
    })?;
    let removed = format_count(removed, "document");
    io.messages
        .info(format_args!("{}: {removed} removed", spec.as_str()));
    Ok(())
}

/// Adds the documents of other embedded indexes to the one of `spec`.
fn add_indexes(spec: &EngineSpec, others: &[PathBuf], io: &mut Io) -> anyhow::Result<()> {
    let folder = index_folder(spec, "--merge")?;
    let mut merged = Vec::with_capacity(others.len());
    // All of them, before the index is created or changed.
    for other in others {
        let spec = other.to_str().and_then(|spec| spec.strip_prefix("index:"));
        let path = spec.map_or(other.as_path(), Path::new);
        let found = |path: &Path| path.canonicalize().ok();
        anyhow::ensure!(
            found(path).is_none() || found(path) != found(folder),
            "--merge {}: is the index itself",
            other.display()
        );
        merged.push(MergedIndex::open(path)?);
    }
    let given: u64 = merged.iter().map(MergedIndex::count_documents).sum();
    let (before, after) = merge_indexes(folder, merged)?;
    io.messages.info(format_args!(
        "{}: {}; {} replaced by one with the same URL",
        spec.as_str(),
        format_count(after, "document"),
        (before + given).saturating_sub(after)
    ));
    Ok(())
}

/// Writes the documents of the embedded index as records.
fn write_documents(spec: &EngineSpec, io: &mut Io) -> anyhow::Result<()> {
    let index = EmbeddedIndex::open_for_documents(index_folder(spec, "--dump")?)?;
    index.for_each_document(|url, document| {
        let mut record = Record::new();
        record.set(field::URL, &url);
        record.set(field::ID, &document.id);
        if let Some(title) = &document.title {
            record.set(field::TITLE, title);
        }
        record.set(field::TEXT, &document.text);
        io.out.write_record(&record);
        io.out.flush_if_full()
    })
}
