//! topic-filter: judge whether each document is on a topic.

mod args;
mod explain;
mod feedback;
mod profile;
mod rebuild;
mod sample_file;
mod samples;
mod state;
pub mod state_files;

pub use args::{MetricArgs, SimilarityArgs};

use args::Args;
use forage_cli::Io;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    // clap does not check what an option requires if it conflicts with one that is given.
    anyhow::ensure!(
        !args.is_final || args.feedback.is_some(),
        "--final requires --feedback"
    );
    if let Some(file) = &args.profile {
        // Several metrics compare each document with a topic profile.
        return profile::run(&args, file, io);
    }
    match (&args.feedback, &args.state) {
        // A model learned from all articles of a run judges each document.
        (Some(file), _) => feedback::run(&args, file, io),
        // Each document is compared with the samples that the run has accepted so far.
        (None, Some(file)) => state::run(&args, file, io),
        (None, None) if args.explain => explain::run(&args, io),
        // Each document is compared with the samples of a file.
        (None, None) => samples::run(&args, io),
    }
}
