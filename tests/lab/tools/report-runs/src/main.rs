//! report-runs: report on runs with tables, figures and findings.

mod args;
mod figure;
mod figure_table;
mod page;
mod query_tables;
mod report;
mod series;

use anyhow::{Context, anyhow};
use args::Args;
use figure::SvgFigure;
use figure_table::draw_figure_table;
use forage_cli::{Io, replace_file};
use forage_experiment::{
    ExperimentResults, MeasuredTables, evaluate_findings, evaluate_table_findings,
};
use page::fill_template;
use report::{ReportParts, build_report, build_tables, settings_section};
use std::collections::BTreeSet;
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
    let folder = folder_of(&args.out).join(&args.figures);
    for figure in &figures {
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        replace_file(
            &figure_path(&folder, &figure.name),
            figure.svg.as_bytes(),
            true,
        )?;
    }
    replace_file(&args.out, text.as_bytes(), true)
}

/// Returns the report on measured runs, and its figures. Writes the tables of `--tables`.
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
    let path_of = |name: &str| figure_path(&args.figures, name).display().to_string();
    let (figure_section, mut figures) = match &args.figure_table {
        Some(file) => draw_figure_table(&read_text(file)?, &results, path_of)
            .map_err(|reason| anyhow!("{}: {reason}", file.display()))?,
        None => Default::default(),
    };
    let settings = args.settings.as_deref().map(read_text).transpose()?;
    let parts = ReportParts {
        introduction,
        settings: settings.as_deref().map_or(String::new(), settings_section),
        findings: evaluate(args, |findings| evaluate_findings(findings, &results))?,
        figures: figure_section,
    };
    let mut text = build_report(&results, &parts);
    let (tables, figures_of_tables) = build_tables(&results, path_of);
    match &args.tables {
        Some(file) => write_tables(file, &args.out, &tables)?,
        None => text.push_str(&tables),
    }
    for figure in figures_of_tables {
        let drawn = figure::draw_figure(&results, &figure);
        figures.push(drawn.with_context(|| format!("figure {}", figure.name))?);
    }
    let mut names = BTreeSet::new();
    if let Some(figure) = figures.iter().find(|figure| !names.insert(&figure.name)) {
        anyhow::bail!("two figures have the name {}; rename one", figure.name);
    }
    Ok((text, figures))
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

/// Writes the tables as a page of their own, with a link to the report.
fn write_tables(file: &Path, report: &Path, tables: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        folder_of(file) == folder_of(report) && file != report,
        "--tables {}: expected another file in the folder of --out, as the pages share figures",
        file.display()
    );
    let name = report.file_name().unwrap_or_default().to_string_lossy();
    let page = format!(
        "# Tables of the runs\n\nThe runs, and the definitions of the numbers, are in the \
         [report]({name}).\n{tables}"
    );
    replace_file(file, page.as_bytes(), true)
}

fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new(""))
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
