//! report-runs: report on runs with tables, figures and findings.

mod args;
mod figure;
mod report;

use anyhow::{Context, anyhow};
use args::Args;
use forage_cli::{Io, replace_file};
use forage_experiment::{ExperimentResults, evaluate_findings};
use report::build_report;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let introduction = match &args.introduction {
        Some(file) => read_text(file)?,
        None => "# Experiment".into(),
    };
    let mut results = ExperimentResults::default();
    io.for_each_line(&args.input, |line, _| match line.trim_ascii() {
        [] => Ok(()),
        _ => results.add_line(&line),
    })?;
    anyhow::ensure!(!results.runs().is_empty(), "no run to report on");
    let findings = match &args.findings {
        Some(file) => evaluate_findings(&read_text(file)?, &results)
            .map_err(|reason| anyhow!("{}: {reason}", file.display()))?,
        None => String::new(),
    };
    let (text, figures) = build_report(&results, &introduction, &findings, |name| {
        figure_path(&args.figures, name).display().to_string()
    });
    let folder = args
        .out
        .parent()
        .unwrap_or(Path::new(""))
        .join(&args.figures);
    for figure in &figures {
        let svg = figure::draw_figure(&results, figure)
            .with_context(|| format!("figure {}", figure.name))?;
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        replace_file(&figure_path(&folder, &figure.name), svg.as_bytes())?;
    }
    replace_file(&args.out, text.as_bytes())
}

fn read_text(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

fn figure_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.svg"))
}
