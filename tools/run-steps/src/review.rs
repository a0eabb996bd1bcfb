//! A review of a run: a sample is drawn once, judged, and what is accepted is written.

mod results;

use crate::child::{finish_after_interruption, is_interrupted, is_interrupted_after_failure};
use crate::files::{check_links, count_lines, last_line, list_corpora};
use crate::folder::{Folder, finish_take_down, remove};
use crate::folder_kind::describe_folder;
use crate::run::{Phase, PhaseOutput, Run};
use crate::session::ensure_success;
use crate::settings::Settings;
use crate::tools::{self, Line, Reported, line};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// The setting that says how the documents are grouped.
const BY: &str = "by";
/// Groups by the metrics of a topic profile.
const METRICS: &str = "topic.metrics";
/// Groups by class.
const TARGET: &str = "target";

/// Reviews a run. The files are in its folder `review`.
pub fn run(mut run: Run) -> Result<ExitCode> {
    let reviewed = run.folder.clone();
    let journal = run.journal();
    finish_take_down(reviewed.as_ref())?;
    match fs::metadata(&journal) {
        Ok(file) if file.len() == 0 => {
            bail!("{reviewed}: the run has no step yet (journal.jsonl is empty)")
        }
        Ok(_) => {}
        Err(_) => bail!(describe_folder(&reviewed, "journal.jsonl")),
    }
    tools::require(
        "sample review-page corpus-export update-stats ngram-profile langid topic-profile topic-filter",
    )?;
    run.folder = format!("{reviewed}/review");
    if fs::symlink_metadata(&run.folder).is_ok_and(|file| file.is_symlink()) {
        check_links(run.folder.as_ref(), run.trusts())?;
    }
    fs::create_dir_all(&run.folder).with_context(|| run.folder.clone())?;
    let _folder = Folder::lock(run.folder.as_ref(), run.trusts())?;
    read_settings(&mut run, &journal)?;
    draw_sample(&run, &reviewed)?;
    let drawn = count_lines(&run.path("sample.jsonl"))?;
    if !run.line.has("no-page") && drawn > 0 {
        judge(&run, &reviewed, drawn)?;
    }
    results::write(&run, &reviewed, drawn)?;
    Ok(ExitCode::SUCCESS)
}

fn phase(run: &Run, name: &'static str, args: Line, reviewed: &str) -> Phase {
    let person = match run.line.value("as") {
        "" => String::new(),
        person => format!("-{person}"),
    };
    let verdicts = run.file(&format!("judgements{person}.tsv"));
    Phase {
        name,
        args,
        variables: vec![("CRAWL", reviewed.into()), ("VERDICTS", verdicts)],
        // The page writes its URL.
        output: PhaseOutput::Shown,
    }
}

/// Reads the settings of the sample, or takes the given ones. The sample is drawn once: its
/// verdicts would not fit another one.
fn read_settings(run: &mut Run, journal: &Path) -> Result<()> {
    let path = run.path("review.conf");
    if !path.exists() {
        run.settings = run.line.settings.with_defaults(run.pipeline);
        return complete_settings(&mut run.settings, journal);
    }
    run.settings = Settings::read(&path, run.pipeline, run.trusts())?.with_defaults(run.pipeline);
    let given = &run.line.settings;
    let mut names = run.pipeline.settings().single.into_iter();
    let is_fixed = |name: &String| given.is_set(name) && !run.pipeline.is_changeable(name);
    if let Some(name) = names.find(is_fixed) {
        let folder = &run.folder;
        bail!("--{name}: the sample is drawn already; remove {folder} to draw another one");
    }
    let folder = run.folder.clone();
    run.settings
        .replace_by(&given.clone(), run.pipeline, &folder)
}

/// Sets what depends on the documents, unless it is given: those of a crawl by a topic profile are
/// grouped by the metrics that voted for them, others by class.
fn complete_settings(settings: &mut Settings, journal: &Path) -> Result<()> {
    if settings.is_set("share") && settings.is_set("number") {
        bail!("--share and --number exclude each other; give one of them");
    }
    if !settings.is_set(BY) {
        let by = if has_metrics(journal) {
            METRICS
        } else {
            TARGET
        };
        settings.set(BY, by);
    }
    if !settings.is_set("share") && !settings.is_set("number") {
        match settings.get(BY) {
            TARGET => settings.set("number", "30"),
            _ => settings.set("share", "0.2"),
        }
    }
    Ok(())
}

/// Returns whether metrics have judged documents of a journal.
fn has_metrics(journal: &Path) -> bool {
    let mut has_metrics = false;
    crate::files::visit_lines_with(journal, "\"metrics\"", |record| {
        has_metrics |= record["topic"]["metrics"].is_array();
    });
    has_metrics
}

fn draw_sample(run: &Run, reviewed: &str) -> Result<()> {
    let (drawn, settings) = (run.path("sample.jsonl"), run.path("review.conf"));
    let size = fs::metadata(&drawn).map_or(0, |file| file.len());
    if size > 0 && settings.exists() {
        let modified = |path| fs::metadata(path).and_then(|file| file.modified()).ok();
        if modified(Path::new(reviewed).join("journal.jsonl")) > modified(drawn) {
            run.console.say(format_args!(
                "the run has gone on since the sample was drawn; remove {} to draw another one",
                run.folder
            ));
        }
        return Ok(());
    }
    let mut args = run.settings.options_of::<sample::Drawing>();
    args.extend(final_labels(run, reviewed));
    ensure_success(&run.call(&phase(run, "draw", args, reviewed), b"")?)?;
    run.settings.write(&settings)
}

/// Returns the options that name the corpora of a run whose last filter has labelled all documents
/// again: these are the labels to review.
fn final_labels(run: &Run, reviewed: &str) -> Line {
    let filter = last_line(&Path::new(reviewed).join("args/final-filter"));
    if run.settings.get(BY) != TARGET || matches!(filter.trim(), "" | "cat") {
        return Line::new();
    }
    let files = list_corpora(reviewed.as_ref()).into_iter();
    files.map(|path| format!("--corpus={path}")).collect()
}

/// Serves the page until the user finishes the review there, or by Ctrl-C; then the results are
/// written.
fn judge(run: &Run, reviewed: &str, documents: usize) -> Result<()> {
    run.console.inform(format_args!(
        "open this page to judge {documents} documents; Ctrl-C or Finish ends"
    ));
    let mut args = line("--limit {}", [run.settings.get("limit")]);
    args.extend((!run.line.has("no-open")).then(|| "--open".into()));
    args.extend(run.quiet());
    let outcome = run.call(&phase(run, "judge", args, reviewed), b"")?;
    // A signal may also have ended the page alone.
    if !outcome.is_success()
        && outcome.code <= 128
        && !is_interrupted()
        && !is_interrupted_after_failure()
    {
        bail!(Reported);
    }
    finish_after_interruption();
    Ok(())
}

/// Removes the files of a sample without a document, so that another one can be drawn.
fn forget_sample(run: &Run) {
    let names = "sample.jsonl review.conf accepted.jsonl accepted.txt report.json";
    names.split(' ').for_each(|name| remove(&run.path(name)));
}
