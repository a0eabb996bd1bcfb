//! corpus-export: write the documents of a corpus in a format of other programs.

mod args;
mod corpus_format;
mod export;
mod filter;
mod folder;
mod layout;
mod metadata_table;
mod new_folder;
mod output;
mod release;
mod spool;

use args::Args;
use export::Export;
use forage_cli::Io;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let mut export = Export::new(&args, io)?;
    let classes = args
        .documents
        .for_each_document("exported", io, |document| export.add(document))?;
    export.finish(&classes, io)
}
