//! corpus-export: write the documents of a corpus as JSON lines or plain text.

mod args;
mod corpus;

use anyhow::Context;
use args::Args;
use corpus::Corpora;
use forage_cli::{Input, Io};
use forage_run::Event;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let formats: Vec<_> = BTreeSet::from_iter(args.format.iter().copied())
        .into_iter()
        .collect();
    let mut corpora = Corpora::new(&args.out, &formats, &args.target)?;
    if args.input.files.is_empty() {
        corpora.of_journal = args.journal;
        read(&args.input, &mut corpora, io)?;
    }
    for path in &args.input.files {
        let is_run = path.is_dir();
        corpora.of_journal = args.journal || is_run;
        if is_run && path.join("filter/drift.jsonl").exists() {
            let path = path.display();
            io.messages.warn(format_args!(
                "{path}: has a bootstrapped filter; these are the labels of its journal, and {path}/corpus has those of \
                 the last profile"
            ));
        }
        if is_run && args.target.is_empty() {
            targets_of(path)?
                .iter()
                .try_for_each(|target| corpora.open(target))?;
        }
        let file = if is_run {
            path.join("journal.jsonl")
        } else {
            path.clone()
        };
        read(
            &Input {
                files: vec![file],
                ..args.input.clone()
            },
            &mut corpora,
            io,
        )?;
    }
    for line in corpora.finish()? {
        io.messages.info_unprefixed(line);
    }
    Ok(())
}

fn read(input: &Input, corpora: &mut Corpora<'_>, io: &mut Io) -> anyhow::Result<()> {
    let of_journal = corpora.of_journal;
    io.for_each_record(input, |record| {
        corpora.add(&if of_journal {
            Event::from_journal(&record)?
        } else {
            Event::from_record(&record)
        })
    })
}

/// The targets of a run, by its `run.conf`; none where that is not there. A target may have
/// documents before the first step that asks for it.
fn targets_of(run: &Path) -> anyhow::Result<Vec<String>> {
    let path = run.join("run.conf");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let settings = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let targets = settings
        .lines()
        .find_map(|line| line.strip_prefix("target="));
    Ok(targets
        .into_iter()
        .flat_map(|targets| targets.split(','))
        .map(str::to_owned)
        .collect())
}

/// Whether a path names a folder, also one that is not there yet.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}
