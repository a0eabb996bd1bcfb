//! langid: identify the language of each document.

use crate::list::{self, LabelCoverage};
use crate::{
    Args, annotate_files, annotate_lines, annotate_records, check_labels, load_identifier, resolve,
    state,
};
use anyhow::Context;
use forage_cli::Io;
use forage_langid::Identifier;
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    if let Some(path) = &args.state {
        return state::run(&args, path, io);
    }
    let mut identifier = load_identifier(&args)?;
    // Before the candidates are restricted, so that --only does not hide which other languages the
    // models distinguish from the listed ones.
    let coverage = (args.list || !args.resolve.is_empty()).then(|| LabelCoverage::new(&identifier));
    restrict_candidates(&mut identifier, &args)?;
    if let Some(coverage) = coverage {
        if !args.list {
            return resolve::write_labels(&args.resolve, &identifier, &coverage, io);
        }
        list::list_classes(&identifier, &coverage, io);
        Ok(())
    } else if args.check_labels {
        check_labels::compare_labels(&args, &identifier, io)
    } else if args.files.as_documents {
        annotate_files(&args, &identifier, io)
    } else if args.lines {
        annotate_lines(&args, &identifier, io)
    } else {
        annotate_records(&args, &identifier, io)
    }
}

/// Restricts the candidates to the languages of --only, if there are any.
fn restrict_candidates(identifier: &mut Identifier, args: &Args) -> anyhow::Result<()> {
    if !args.only.is_empty() {
        identifier.restrict_to(&args.only).context("--only")?;
    }
    anyhow::ensure!(
        identifier.classes().next().is_some(),
        "no language is left; check --only and --without"
    );
    Ok(())
}
