//! corpus-report: show what runs brought, in one HTML page.

mod args;
pub mod report;

use crate::report::{RunData, TextFolder, render_page};
use anyhow::Context;
use args::Args;
use forage_cli::{Input, Io, PendingFile};
use forage_query::{Statistics, build_report};
use forage_run::{DocumentSource, Event, Versions, is_journal_record};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let out = args.out.as_deref().unwrap_or(Path::new("-"));
    let mut file = PendingFile::create(out, args.force)?;
    let mut texts = start_texts(&args)?;
    let runs = args
        .runs
        .iter()
        .map(|run| read_run(run, texts.as_mut(), io));
    let mut runs = runs.collect::<anyhow::Result<Vec<_>>>()?;
    let names: BTreeSet<&String> = runs.iter().map(|run| &run.name).collect();
    if names.len() < runs.len() {
        for (run, path) in runs.iter_mut().zip(&args.runs) {
            run.name = name_of(path, 2);
        }
    }
    let page = render_page(runs);
    if let Some(texts) = texts {
        texts.commit().context("the texts")?;
    }
    file.append(page.as_bytes())?;
    file.commit()
}

/// Starts the folder of texts, if the page is in the folder of the only run.
fn start_texts(args: &Args) -> anyhow::Result<Option<TextFolder>> {
    let ([run], Some(out)) = (&args.runs[..], &args.out) else {
        return Ok(None);
    };
    let parent = match out.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => return Ok(None),
    };
    let is_beside = run.is_dir() && same_file(parent, run);
    is_beside
        .then(|| TextFolder::create(parent).with_context(|| parent.display().to_string()))
        .transpose()
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// Reads a run: the folder, or its journal.
fn read_run(
    run: &Path,
    mut texts: Option<&mut TextFolder>,
    io: &mut Io,
) -> anyhow::Result<RunData> {
    let source = DocumentSource::open(run)?;
    let journal = &source.file;
    anyhow::ensure!(
        journal.exists(),
        "{}: is not the folder of a run (there is no such file)",
        run.display()
    );
    let mut damaged = Vec::new();
    let settings = read_settings(&run.join("run.conf"), &mut damaged)?;
    let mut data = RunData::new(&name_of(run, 1), &settings);
    data.has_texts = texts.is_some();
    let skipped = io.skipped_lines();
    let (mut records, mut known) = (0_u64, 0_u64);
    let versions = Versions::read(journal)?;
    io.for_each_record(&Input::from_files(vec![journal.clone()]), |record| {
        records += 1;
        known += u64::from(is_journal_record(&record));
        let event = Event::from_journal(&record).with_context(|| journal.display().to_string())?;
        let event = match versions.is_superseded(&event) {
            true => event.without_document(),
            false => event,
        };
        data.add(&event, texts.as_deref_mut()).context("the texts")
    })?;
    anyhow::ensure!(
        records == 0 || known > 0,
        "{}: is not a journal: no record has a step, a text or a url",
        journal.display()
    );
    data.skipped_lines = io.skipped_lines() - skipped;
    if source.is_run {
        data.statistics = read_statistics(run, &mut damaged);
        data.corpus_size = count_corpus(&run.join("corpus"), &data.targets)?;
    }
    for file in &damaged {
        io.messages.warn(file);
    }
    if let Some(fields) = data.describe_damaged_fields() {
        let journal = journal.display();
        io.messages.warn(format_args!(
            "{journal}: fields of the wrong type count as absent: {fields}"
        ));
    }
    // The page does not publish the folder.
    let folder = format!("{}/", run.display());
    let shown = damaged.iter().map(|file| file.replace(&folder, ""));
    data.damaged_files = shown.collect();
    Ok(data)
}

/// Returns the name of a run: the last parts of its path.
fn name_of(run: &Path, parts: usize) -> String {
    let path = run.canonicalize().unwrap_or_else(|_| PathBuf::from(run));
    let before = path.components().count().saturating_sub(parts);
    let name: PathBuf = path.components().skip(before).collect();
    name.to_string_lossy().into_owned()
}

/// Reads the settings of a run; empty if there are none.
fn read_settings(path: &Path, damaged: &mut Vec<String>) -> anyhow::Result<String> {
    if !path.exists() {
        return Ok(String::new());
    }
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    if let Some(line) = text.lines().position(|line| !line.contains('=')) {
        let cause = anyhow::anyhow!("line {} is not a setting", line + 1);
        damaged.push(describe(path, &cause));
    }
    Ok(text)
}

/// Returns the report of the statistics: of their present state, or else the last one that the run
/// has written. The page can do without.
fn read_statistics(run: &Path, damaged: &mut Vec<String>) -> Value {
    for name in ["stats.db", "report.json"] {
        let path = run.join(name);
        let read = || match name {
            "stats.db" => report_on(&path),
            _ => read_report(&path),
        };
        match path.exists().then(read) {
            Some(Ok(report)) => return report,
            Some(Err(cause)) => damaged.push(describe(&path, &cause)),
            None => {}
        }
    }
    Value::Null
}

/// Returns an error with the name of its file.
fn describe(path: &Path, cause: &anyhow::Error) -> String {
    let (path, cause) = (path.display(), format!("{cause:#}"));
    match cause.starts_with(&format!("{path}: ")) {
        true => cause,
        false => format!("{path}: {cause}"),
    }
}

fn report_on(statistics: &Path) -> anyhow::Result<Value> {
    let statistics = Statistics::open_read_only(statistics)?;
    Ok(serde_json::to_value(build_report(&statistics, &[])?)?)
}

fn read_report(path: &Path) -> anyhow::Result<Value> {
    let report: Value = serde_json::from_slice(&fs::read(path)?)?;
    anyhow::ensure!(report.is_object(), "is not a report");
    Ok(report)
}

/// Counts the documents in the files of the targets of a run; `None` if there is none.
fn count_corpus(folder: &Path, targets: &BTreeSet<String>) -> anyhow::Result<Option<u64>> {
    let mut documents = None;
    for target in targets {
        let path = folder.join(format!("{target}.jsonl"));
        let Ok(file) = File::open(&path) else {
            continue;
        };
        let mut lines = BufReader::new(file);
        documents.get_or_insert(0);
        while lines
            .skip_until(b'\n')
            .with_context(|| path.display().to_string())?
            > 0
        {
            documents = documents.map(|count| count + 1);
        }
    }
    Ok(documents)
}
