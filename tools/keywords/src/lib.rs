//! keywords: extract the keyphrases of each document.

mod annotate;
mod args;

pub use args::LanguageArgs;

use annotate::Annotator;
use args::Args;
use forage_cli::Io;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    args.check()?;
    let messages = io.messages.clone();
    io.annotate(
        &args.input,
        args.jobs.thread_count(),
        || Annotator::new(&args, &messages),
        |annotator, record| {
            annotator.annotate(record);
            Ok(())
        },
    )
}
