//! concordance: show the occurrences of a term with their contexts.
//!
//! A `Matcher` finds the occurrences, in the text as it is; `Context` has the words before and
//! after one, and `Layout` aligns them in columns. `SortKey` orders contexts.

mod args;
mod context;
mod layout;
mod marks;
mod matcher;
mod occurrence;
mod order;
mod sort_key;
mod term;

use args::Args;
use forage_cli::{Io, format_count};
use occurrence::Occurrences;
use order::RowSorter;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let matcher = args.matcher()?;
    let occurrences = Occurrences::new(&args, io.out.terminal_columns());
    let is_terminal = io.out.terminal_columns().is_some();
    let mut sorter = RowSorter::new(args.sort);
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
                .iter()
                .try_for_each(|row| sorter.add(row, |line| occurrences.write(line, out)))
        },
    )?;
    sorter.finish(|line| {
        occurrences.write(line, &mut io.out)?;
        io.out.flush_if_full()
    })?;
    let [total, documents] = [(total, "occurrence"), (documents, "document")]
        .map(|(count, noun)| format_count(count, noun));
    let totals = format!("{total} in {documents}");
    match is_terminal {
        true => io.messages.info_unprefixed(totals),
        false => io.messages.debug(totals),
    }
    Ok(())
}
