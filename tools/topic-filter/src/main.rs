//! topic-filter: judge whether each document is on the topic of sample articles.

mod annotate;
mod args;
mod explain;
mod feedback;
mod sample_file;
mod stage;

use annotate::TopicJudge;
use args::Args;
use forage_cli::Io;
use forage_topic::samples::SampleSet;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let Some(path) = &args.feedback {
        return feedback::run(&args, path, io);
    }
    let samples = match &args.samples {
        Some(path) => sample_file::read_samples(path, &io.messages)?,
        None => SampleSet::default(),
    };
    let judge = TopicJudge {
        measure: args.measure,
        threshold: args.threshold,
        labels: args.labels.clone(),
        with_all_measures: args.all_measures,
    };
    match (&args.state, &args.rebuild) {
        (Some(state), Some(journal)) => stage::rebuild_state(&args, state, journal, io),
        (Some(state), None) => stage::judge_with_state(&args, state, judge, samples, io),
        (None, _) if args.explain => explain::explain_records(&args, &judge, &samples, io),
        (None, _) => annotate::annotate_records(&args, &judge, &samples, io),
    }
}
