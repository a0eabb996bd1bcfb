//! The files that a crawl starts from, and their copies in the folder of the run.

use super::FocusedCrawl;
use crate::files;
use crate::initial::{copy_host_lists, fill_folder};
use crate::run::Run;
use crate::tools::{self, line};
use anyhow::{Context, Result, anyhow, bail, ensure};
use forage_cli::{ContentKind, GivenFile};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

impl FocusedCrawl {
    /// Copies core, seeds, hosts and profile to RUN/init, so that the run can be repeated without
    /// the original files.
    pub(super) fn copy_initial_files(&self, run: &mut Run) -> Result<()> {
        fill_folder(run, |new| self.fill(run, new))?;
        if !self.core.is_empty() {
            let core = format!("{}=init/core.jsonl", run.settings.get("target"));
            *run.settings.list_mut("init") = vec![core];
        }
        Ok(())
    }

    fn fill(&self, run: &Run, new: &Path) -> Result<()> {
        if !self.core.is_empty() {
            let mut core = File::create(new.join("core.jsonl"))?;
            for file in &self.core {
                append_core_file(run, file, &mut core).map_err(|e| {
                    match e.is::<tools::Reported>() {
                        true => anyhow!("--core {file}: cannot be read"),
                        false => e.context(format!("--core {file}")),
                    }
                })?;
            }
        }
        copy_seeds(run, &self.seeds, &new.join("seeds.jsonl"))?;
        copy_host_lists(run, new)?;
        let profile = run.settings.get("profile");
        if !profile.is_empty() {
            fs::copy(profile, new.join("filter.tsv"))
                .with_context(|| format!("--profile {profile}"))?;
        }
        Ok(())
    }
}

/// Appends the records of a file of the core: its records, its text, or one document of any format
/// that fetch-extract reads. One that cannot be read is left out; a text with the markup of a
/// format that is not read is refused.
fn append_core_file(run: &Run, file: &str, core: &mut File) -> Result<()> {
    let content = forage_cli::open_given_file(Path::new(file))?;
    if content.kind() == ContentKind::Records {
        if let Some(text_field) = run.text_field() {
            let init = format!("{}={file}", run.settings.get("target"));
            let read = line(
                "update-stats --init {} --init-records {}",
                [&init, &text_field],
            );
            return Ok(core.write_all(tools::output(&read)?.as_bytes())?);
        }
        std::io::copy(&mut content.into_lines(), core)?;
        // Blank lines are skipped.
        return Ok(core.write_all(b"\n")?);
    }
    if content.kind() == ContentKind::Text
        && let GivenFile::Text { text, .. } = forage_cli::read_given_file(Path::new(file))?
        && !text.trim().is_empty()
    {
        let record = serde_json::json!({ "id": file, "text": text.trim() });
        return Ok(writeln!(core, "{record}")?);
    }
    let record = tools::output(&line("fetch-extract --html={}", [file]))?;
    let parsed = files::parse_record(&record);
    match parsed["error"]["message"].as_str() {
        Some(message) => {
            run.console
                .say(format_args!("--core {file}: {message}; left out"));
        }
        None => core.write_all(record.as_bytes())?,
    }
    Ok(())
}

/// Copies the seeds of a file of URLs or records, as records. Lines that are no seeds are reported.
fn copy_seeds(run: &Run, file: &str, copy: &Path) -> Result<()> {
    let dir = tempfile::tempdir()?;
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (records, given, state) = (path("records"), path("given"), path("seeds.db"));
    let content = forage_cli::open_given_file(Path::new(file)).with_context(|| file.to_owned())?;
    if !matches!(content.kind(), ContentKind::Records | ContentKind::Text) {
        bail!("--seeds {file}: is not plain text; write one URL per line");
    }
    let mut source = BufReader::new(content.into_lines());
    let mut output = BufWriter::new(File::create(&records)?);
    let mut bytes = Vec::new();
    while source.read_until(b'\n', &mut bytes)? > 0 {
        writeln!(output, "{}", seed_record(&String::from_utf8_lossy(&bytes)))?;
        bytes.clear();
    }
    output.flush()?;
    let (code, _, messages) =
        tools::run_silently(&line("frontier --state {} --add -- {}", [&state, &records]))?;
    for message in messages.lines() {
        let message = message.strip_prefix("frontier: ").unwrap_or(message);
        let place = message.strip_prefix(&records).unwrap_or(message);
        run.console.say(format_args!("{file}{place}"));
    }
    // With 1, some lines were left out, as the messages say.
    ensure!(code <= 1, tools::Reported);
    let next = line("frontier --state {} --next 1000000000", [&state]);
    ensure!(
        tools::run_to(Path::new(&given), &next)?.success(),
        tools::Reported
    );
    let mut seeds = BufWriter::new(File::create(copy)?);
    for record in BufReader::new(File::open(&given)?).lines() {
        let record = files::parse_record(&record?);
        if let Some(url) = record["url"].as_str() {
            writeln!(seeds, "{}", serde_json::json!({ "url": url }))?;
        }
    }
    seeds.flush()?;
    ensure!(fs::metadata(copy)?.len() != 0, "--seeds {file}: has no URL");
    Ok(())
}

/// Converts a line of a file of seeds to a record. Comments become empty lines, so that messages
/// have the right numbers.
fn seed_record(line: &str) -> String {
    let line = line.trim_start_matches('\u{feff}').trim();
    match line.chars().next() {
        None | Some('#') => String::new(),
        Some('{') => line.to_owned(),
        _ => serde_json::json!({ "url": line }).to_string(),
    }
}
