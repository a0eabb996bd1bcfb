//! report-runs: write tables, figures and findings of what runs brought.

mod args;
mod figure;
mod report;

use anyhow::{Context, anyhow};
use args::Args;
use forage_cli::{Io, replace_file};
use forage_experiment::{Results, judge_findings};
use report::report;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let read = |file: &Path| fs::read_to_string(file).with_context(|| file.display().to_string());
    let introduction = args
        .introduction
        .as_deref()
        .map_or(Ok("# Experiment".into()), read)?;
    let mut results = Results::default();
    io.for_each_line(&args.input, |line, _| match line.trim_ascii() {
        [] => Ok(()),
        _ => results.add(&line),
    })?;
    anyhow::ensure!(!results.runs().is_empty(), "there is no run to report on");
    let judged = |file: &Path| {
        judge_findings(&read(file)?, &results).map_err(|why| anyhow!("{}: {why}", file.display()))
    };
    let findings = args.findings.as_deref().map_or(Ok(String::new()), judged)?;
    let path_of = |folder: &Path, name: &str| folder.join(format!("{name}.svg"));
    let (text, figures) = report(&results, &introduction, &findings, |name| {
        path_of(&args.figures, name).display().to_string()
    });
    let folder = args
        .out
        .parent()
        .unwrap_or(Path::new(""))
        .join(&args.figures);
    for figure in &figures {
        let svg =
            figure::draw(&results, figure).with_context(|| format!("figure {}", figure.name))?;
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        replace_file(&path_of(&folder, &figure.name), svg.as_bytes())?;
    }
    replace_file(&args.out, text.as_bytes())
}
