//! draw-documents: draw documents of given classes and lengths at random.

mod args;
mod checksum;

use anyhow::Context;
use args::Args;
use checksum::posix_checksum;
use forage_cli::{Input, Io, Messages, format_count};
use forage_experiment::TrueClasses;
use forage_record::{Record, field};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    anyhow::ensure!(
        !args.input.files.is_empty(),
        "no input files; standard input is not supported, because the input is read twice"
    );
    for file in &args.input.files {
        let is_special =
            file.as_os_str() == "-" || file.metadata().is_ok_and(|metadata| !metadata.is_file());
        anyhow::ensure!(
            !is_special,
            "{}: not a regular file; the input is read twice",
            file.display()
        );
    }
    let candidates = find_candidates(&args, io)?;
    let mut drawn = draw_documents(&args, &candidates, &io.messages)?;
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    if drawn.is_empty() {
        return Ok(());
    }
    let messages = io.messages.clone();
    io.for_each_record(&args.input, |record| {
        let Some((url, text)) = read_document(&record) else {
            return Ok(());
        };
        // `remove` makes the first document of a URL count.
        for path in drawn.remove(&url).into_iter().flatten() {
            forage_cli::replace_file(&path, format!("{text}\n").as_bytes())?;
            messages.info_unprefixed(format_args!(
                "{}: {} of {url}",
                path.display(),
                format_count(count_words(&text), "word")
            ));
        }
        Ok(())
    })
}

/// Returns the URLs of the documents of each class that have the right length.
fn find_candidates(args: &Args, io: &mut Io) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut truth = TrueClasses::default();
    let lines = Input {
        strict: true,
        ..Input::from_files(vec![args.truth.clone()])
    };
    io.for_each_line(&lines, |line, _| truth.add_line(&line))
        .context("--truth")?;
    let mut lengths: HashMap<String, usize> = HashMap::new();
    io.for_each_record(&args.input, |record| {
        if let Some((url, text)) = read_document(&record) {
            lengths.entry(url).or_insert_with(|| count_words(&text));
        }
        Ok(())
    })?;
    let mut candidates: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (url, words) in lengths {
        if let Some(class) = truth.class(&url).filter(|_| args.words.contains(&words)) {
            candidates.entry(class.into()).or_default().insert(url);
        }
    }
    Ok(candidates)
}

/// Draws a document for each class and seed. Returns the files to write by the URL of their
/// document.
fn draw_documents(
    args: &Args,
    candidates: &BTreeMap<String, BTreeSet<String>>,
    messages: &Messages,
) -> anyhow::Result<HashMap<String, Vec<PathBuf>>> {
    let mut drawn: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for class in args.class.iter().collect::<BTreeSet<_>>() {
        let (from, to) = args.words.clone().into_inner();
        let urls = candidates
            .get(class)
            .with_context(|| format!("no document of {class} has {from}-{to} words"))?;
        for seed in &args.seed {
            let path = args.out.join(format!("{class}-{seed}.txt"));
            let checksum = posix_checksum(format!("{class} {seed}").as_bytes());
            if path.exists() {
                messages.info_unprefixed(format_args!("{}: exists; kept", path.display()));
            } else if let Some(url) = urls.iter().nth(checksum as usize % urls.len()) {
                drawn.entry(url.clone()).or_default().push(path);
            }
        }
    }
    Ok(drawn)
}

/// Returns the URL and text of a document; `None` if the record lacks one of them.
fn read_document(record: &Record) -> Option<(String, String)> {
    let url = record.string(field::URL).ok().flatten()?;
    Some((url.into_owned(), record.text().ok().flatten()?.into_owned()))
}

/// Returns the number of words, which are separated by spaces and line feeds.
fn count_words(text: &str) -> usize {
    text.split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| line.split(' ').count())
        .sum()
}
