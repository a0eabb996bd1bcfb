//! corpus-export: write the documents of a corpus as JSON lines or plain text.

mod args;
mod corpus;

use args::Args;
use corpus::Corpora;
use forage_cli::{Input, Io};
use forage_run::Event;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let mut corpora = Corpora::new(&args.out, &args.format, &args.target)?;
    if args.input.files.is_empty() {
        corpora.of_journal = args.journal;
        read(&args.input, &mut corpora, io)?;
    }
    for path in &args.input.files {
        let is_run = path.is_dir();
        corpora.of_journal = args.journal || is_run;
        if is_run && path.join("filter/drift.jsonl").exists() {
            let path = path.display();
            io.say.warn(format_args!(
                "{path}: has a bootstrapped filter; these are the labels of its journal, and {path}/corpus has those of \
                 the last profile"
            ));
        }
        let file = if is_run { path.join("journal.jsonl") } else { path.clone() };
        read(&Input { files: vec![file], ..args.input.clone() }, &mut corpora, io)?;
    }
    for line in corpora.finish()? {
        io.say.plain(line);
    }
    Ok(())
}

fn read(input: &Input, corpora: &mut Corpora<'_>, io: &mut Io) -> anyhow::Result<()> {
    io.fold(input, |record| corpora.add(&Event::from_record(&record)))
}

/// Whether a path names a folder, also one that is not there yet.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}
