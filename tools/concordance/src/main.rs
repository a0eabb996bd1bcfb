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
    let is_terminal = io.out.terminal_columns().is_some();
    let mut sorter = Sorter::new(args.sort);
    let [mut total, mut documents] = [0_u64; 2];
    args.documents.search_documents(
        io,
        args.jobs.thread_count(),
        |line| matcher.may_match(line),
        |event| occurrences.find(&matcher, event),
        |found, out| {
            total += found.len() as u64;
            documents += 1;
            found
                .into_iter()
                .try_for_each(|row| sorter.add(row, |row| row.write(out)))
        },
    )?;
    sorter.finish(|row| {
        row.write(&mut io.out);
        io.out.flush_if_full()
    })?;
    let totals = format!("{total} occurrences in {documents} documents");
    match is_terminal {
        true => io.messages.info_unprefixed(totals),
        false => io.messages.debug(totals),
    }
    Ok(())
}
