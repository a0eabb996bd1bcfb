//! draw-documents: draw documents of given classes and lengths at random.

mod args;
mod checksum;

use anyhow::Context;
use args::Args;
use checksum::posix_checksum;
use forage_cli::{Input, Io, Messages};
use forage_experiment::Truth;
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
        "files are needed: they are read twice"
    );
    for file in &args.input.files {
        let is_special =
            file.as_os_str() == "-" || file.metadata().is_ok_and(|about| !about.is_file());
        anyhow::ensure!(
            !is_special,
            "{}: is no file; it would have to be read twice",
            file.display()
        );
    }
    let candidates = candidates(&args, io)?;
    let mut drawn = draw(&args, &candidates, &io.messages)?;
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    if drawn.is_empty() {
        return Ok(());
    }
    let messages = io.messages.clone();
    io.for_each_record(&args.input, |record| {
        let Some((url, text)) = document(&record) else {
            return Ok(());
        };
        // The first document of a URL counts.
        for path in drawn.remove(&url).into_iter().flatten() {
            forage_cli::replace_file(&path, format!("{text}\n").as_bytes())?;
            messages.info_unprefixed(format_args!(
                "{}: {} words of {url}",
                path.display(),
                count_words(&text)
            ));
        }
        Ok(())
    })
}

/// The URLs of the documents of each class that are long enough.
fn candidates(args: &Args, io: &mut Io) -> anyhow::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut truth = Truth::default();
    let lines = Input {
        strict: true,
        ..Input::from_files(vec![args.truth.clone()])
    };
    io.for_each_line(&lines, |line, _| truth.add(&line))
        .context("--truth")?;
    let mut lengths: HashMap<String, usize> = HashMap::new();
    io.for_each_record(&args.input, |record| {
        if let Some((url, text)) = document(&record) {
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

/// The files to write, by the URL of the document that was drawn for them.
fn draw(
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
            let at = posix_checksum(format!("{class} {seed}").as_bytes()) as usize % urls.len();
            if path.exists() {
                messages.info_unprefixed(format_args!("{}: is there, and kept", path.display()));
            } else if let Some(url) = urls.iter().nth(at) {
                drawn.entry(url.clone()).or_default().push(path);
            }
        }
    }
    Ok(drawn)
}

/// URL and text of a document.
fn document(record: &Record) -> Option<(String, String)> {
    let url = record.string(field::URL).ok().flatten()?;
    Some((url.into_owned(), record.text().ok().flatten()?.into_owned()))
}

/// Words, as blanks separate them.
fn count_words(text: &str) -> usize {
    text.split('\n')
        .filter(|line| !line.is_empty())
        .map(|line| line.split(' ').count())
        .sum()
}
