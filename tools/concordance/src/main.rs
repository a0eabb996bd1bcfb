//! concordance: show the occurrences of a term with their contexts.

mod args;
mod occurrence;
mod order;

use args::Args;
use forage_cli::Io;
use occurrence::Occurrences;
use order::Sorter;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let matcher = args.matcher()?;
    let occurrences = Occurrences::new(&args, io.out.terminal_columns());
    let mut sorter = Sorter::new(args.sort);
    args.documents.search_documents(
        io,
        args.jobs.thread_count(),
        |line| matcher.may_match(line),
        |event| occurrences.find(&matcher, event),
        |found, out| {
            found
                .into_iter()
                .try_for_each(|row| sorter.add(row, |row| row.write(out)))
        },
    )?;
    sorter.finish(|row| {
        row.write(&mut io.out);
        io.out.flush_if_full()
    })
}
