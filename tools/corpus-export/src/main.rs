//! corpus-export: write the documents of a corpus as JSON lines or plain text.

mod args;
mod corpus;
mod repeats;

use anyhow::Context;
use args::Args;
use corpus::CorpusSet;
use forage_cli::{Input, Io};
use forage_run::Event;
use repeats::RepeatFilter;
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
    let mut corpora = CorpusSet::new(&args.out, &formats, &args.target, args.force)?;
    if args.input.files.is_empty() {
        corpora.is_journal = args.journal;
        read_input(&args.input, &mut corpora, None, io)?;
    }
    let mut repeats = (args.input.files.len() > 1).then(RepeatFilter::default);
    for path in &args.input.files {
        let is_run = path.is_dir();
        corpora.is_journal = args.journal || is_run;
        if is_run && path.join("filter/drift.jsonl").exists() {
            let path = path.display();
            io.messages.warn(format_args!(
                "{path}: has a bootstrapped filter; the exported labels are those of its journal, \
                 and {path}/corpus has those of the last profile"
            ));
        }
        if is_run && args.target.is_empty() {
            read_targets(path)?
                .iter()
                .try_for_each(|target| corpora.open_class(target))?;
        }
        let file = if is_run {
            path.join("journal.jsonl")
        } else {
            path.clone()
        };
        let input = args.input.with_file(&file);
        read_input(&input, &mut corpora, repeats.as_mut(), io)?;
        if let Some(repeats) = &mut repeats {
            repeats.finish_input(path, &io.messages);
        }
    }
    corpora.used.report("exported", &io.messages);
    for line in corpora.finish()? {
        io.messages.info_unprefixed(line);
    }
    Ok(())
}

fn read_input(
    input: &Input,
    corpora: &mut CorpusSet<'_>,
    mut repeats: Option<&mut RepeatFilter>,
    io: &mut Io,
) -> anyhow::Result<()> {
    let is_journal = corpora.is_journal;
    let messages = io.messages.clone();
    io.for_each_record(input, |record| {
        let event = if is_journal {
            Event::from_journal(&record)?
        } else {
            Event::from_record(&record)
        };
        corpora.open_target(&event)?;
        let class = corpora.class_of(&event);
        corpora.used.count(class.as_ref().err().copied().flatten());
        let Ok(class) = class else {
            return Ok(());
        };
        let is_repeat = match &mut repeats {
            Some(repeats) => repeats.is_repeat(&event, &messages),
            None => false,
        };
        match is_repeat {
            true => Ok(()),
            false => corpora.add_document(&event, class),
        }
    })
}

/// Returns the targets in the `run.conf` of a run; none if the file does not exist. The journal
/// alone is not enough, because a target may have documents before the first step for it.
fn read_targets(run: &Path) -> anyhow::Result<Vec<String>> {
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

/// Returns `true` if a path names a folder, which need not exist if the path ends in `/`.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}
