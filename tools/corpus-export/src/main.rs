//! corpus-export: write the documents of a corpus as JSON lines or plain text.

mod args;
mod corpus;

use args::Args;
use corpus::CorpusSet;
use forage_cli::Io;
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
    let targets = &args.documents.target;
    let mut corpora = CorpusSet::new(&args.out, &formats, targets, args.force)?;
    let classes = args
        .documents
        .for_each_document("exported", io, |document| corpora.add_document(document))?;
    classes
        .iter()
        .try_for_each(|class| corpora.open_class(class))?;
    for line in corpora.finish()? {
        io.messages.info_unprefixed(line);
    }
    Ok(())
}

/// Returns `true` if a path names a folder, which need not exist if the path ends in `/`.
fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/")
}
