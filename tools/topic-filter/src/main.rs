//! topic-filter: judge whether each document is on the topic of sample articles.

mod annotate;
mod args;
mod explain;
mod sample_file;

use annotate::TopicJudge;
use args::Args;
use forage_cli::Io;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let judge = TopicJudge {
        samples: sample_file::read_samples(&args.samples, &io.messages)?,
        measure: args.measure,
        threshold: args.threshold,
        labels: args.labels.clone(),
        with_all_measures: args.all_measures,
    };
    if args.explain {
        explain::explain_records(&args, &judge, io)
    } else {
        annotate::annotate_records(&args, &judge, io)
    }
}
