//! report-runs: write tables and figures of what runs brought.

mod args;
mod figure;
mod plain;

use anyhow::Context;
use args::Args;
use forage_cli::{Io, put_file};
use forage_experiment::{Results, fill};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let mut results = Results::default();
    io.each_line(&args.input, |line, _| {
        if line.iter().all(u8::is_ascii_whitespace) { Ok(()) } else { results.add(&line).map_err(|e| e.to_string()) }
    })?;
    anyhow::ensure!(!results.runs().is_empty(), "there is no run to report on");
    let template = match &args.template {
        Some(file) => fs::read_to_string(file).with_context(|| file.display().to_string())?,
        None => plain::template(&results),
    };
    let filled = fill(&template, &results, |name| path_of(&args.figures, name).display().to_string());
    let filled =
        filled.with_context(|| args.template.as_deref().unwrap_or(Path::new("report")).display().to_string())?;
    let folder = args.out.parent().unwrap_or(Path::new("")).join(&args.figures);
    for order in &filled.figures {
        let svg = figure::draw(&results, order).with_context(|| format!("figure {}", order.name))?;
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        put_file(&path_of(&folder, &order.name), svg.as_bytes())?;
    }
    put_file(&args.out, filled.text.as_bytes())
}

fn path_of(folder: &Path, name: &str) -> std::path::PathBuf {
    folder.join(format!("{name}.svg"))
}
