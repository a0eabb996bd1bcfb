//! report-runs: report on runs with tables, figures and findings.

mod args;
mod figure;
mod page;
mod report;

use anyhow::{Context, anyhow};
use args::Args;
use figure::SvgFigure;
use forage_cli::{Io, replace_file};
use forage_experiment::{
    ExperimentResults, MeasuredTables, evaluate_findings, evaluate_table_findings,
};
use page::fill_template;
use report::build_report;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let (text, figures) = match &args.template {
        Some(template) => report_on_tables(&args, template, io)?,
        None => report_on_runs(&args, io)?,
    };
    let folder = args
        .out
        .parent()
        .unwrap_or(Path::new(""))
        .join(&args.figures);
    for figure in &figures {
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        replace_file(&figure_path(&folder, &figure.name), figure.svg.as_bytes())?;
    }
    replace_file(&args.out, text.as_bytes())
}

/// Returns the report on measured runs, and its figures.
fn report_on_runs(args: &Args, io: &mut Io) -> anyhow::Result<(String, Vec<SvgFigure>)> {
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
    let findings = evaluate(args, |findings| evaluate_findings(findings, &results))?;
    let (text, figures) = build_report(&results, &introduction, &findings, |name| {
        figure_path(&args.figures, name).display().to_string()
    });
    let figures: anyhow::Result<Vec<SvgFigure>> = figures
        .iter()
        .map(|figure| {
            figure::draw_figure(&results, figure).with_context(|| format!("figure {}", figure.name))
        })
        .collect();
    Ok((text, figures?))
}

/// Returns the page of a template, filled from measured tables, and its figures.
fn report_on_tables(
    args: &Args,
    template: &Path,
    io: &mut Io,
) -> anyhow::Result<(String, Vec<SvgFigure>)> {
    let text = read_text(template)?;
    let mut tables = MeasuredTables::default();
    io.for_each_line(&args.input, |line, _| match line.trim_ascii() {
        [] => Ok(()),
        _ => tables.add_line(&line),
    })?;
    anyhow::ensure!(!tables.is_empty(), "no table to report on");
    let findings = evaluate(args, |findings| evaluate_table_findings(findings, &tables))?;
    fill_template(&text, &tables, &findings, |name| {
        figure_path(&args.figures, name).display().to_string()
    })
    .with_context(|| template.display().to_string())
}

/// Evaluates the findings of `--findings`. Returns them in Markdown; empty if there are none.
fn evaluate(
    args: &Args,
    evaluate: impl FnOnce(&str) -> Result<String, String>,
) -> anyhow::Result<String> {
    let Some(file) = &args.findings else {
        return Ok(String::new());
    };
    evaluate(&read_text(file)?).map_err(|reason| anyhow!("{}: {reason}", file.display()))
}

fn read_text(file: &Path) -> anyhow::Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

fn figure_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.svg"))
}
