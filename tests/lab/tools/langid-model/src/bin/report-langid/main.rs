//! Reports what the built-in model knows: `report-langid LEFT_OUT SOURCES LANGUAGES FIGURES`.
//!
//! LEFT_OUT is a folder that `build-langid-model --leave-one-out` wrote, and gets `results`, SOURCES
//! the `SOURCES.tsv` of the model. Writes what `langid --list` shows of each language to the file
//! LANGUAGES, three figures to the folder FIGURES, and a section of `docs/LANGID.md` to standard
//! output. Equal inputs give equal
//! bytes.

mod facts;
mod figures;
mod groups;
mod measure;
mod results;
mod tables;

use anyhow::Context;
use results::{read_results, read_sources};
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [left_out, sources, languages, figures] = arguments.as_slice() else {
        anyhow::bail!("usage: report-langid LEFT_OUT SOURCES LANGUAGES FIGURES");
    };
    let results_text = measure::measure_left_out(left_out)?;
    write(&left_out.join("results"), &results_text)?;
    let results = read_results(&results_text)?;
    let sources_text = read(sources)?;
    let sources = read_sources(&sources_text).with_context(|| sources.display().to_string())?;
    write(languages, &facts::format_facts(&sources, &results))?;
    write(
        &figures.join("langid-lengths.svg"),
        &figures::draw_lengths(&results)?,
    )?;
    write(
        &figures.join("langid-samples.svg"),
        &figures::draw_samples(&results)?,
    )?;
    write(
        &figures.join("langid-groups.svg"),
        &groups::draw_groups(&results)?,
    )?;
    let section = tables::format_section(&sources, &results);
    Ok(std::io::stdout().lock().write_all(section.as_bytes())?)
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(file, text).with_context(|| file.display().to_string())
}
