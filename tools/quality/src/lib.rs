//! quality: mark documents that are no prose, with the reasons.

mod args;
mod host_lines;
mod language;
mod line;
mod marker;
mod measures;
mod repetition;
mod rules;
mod share;
mod usual;

use args::Args;
use forage_cli::Io;
use marker::Marker;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let mut marker = Marker::default();
    io.run_prepared_stage(
        &args.input,
        args.jobs.thread_count(),
        &mut marker,
        |record| marker::measure(record, args.force),
        |marker, record, measured, out| {
            out.write_record(&marker.mark(record, measured));
            Ok(())
        },
    )
}
