//! A review of a crawl: a sample is drawn once, judged, and what is accepted is written.

use crate::child::{finish_after_interruption, is_interrupted, is_interrupted_after_failure};
use crate::files::{check_links, count_lines};
use crate::folder::Folder;
use crate::run::{Phase, PhaseOutput, Run};
use crate::session::ensure_success;
use crate::settings::Settings;
use crate::tools::{self, Line, Reported, line};
use anyhow::{Context, Result, bail};
use std::fs;
use std::process::ExitCode;

/// Reviews a run. The files are in its folder `review`.
pub fn run(mut run: Run) -> Result<ExitCode> {
    let crawl = run.folder.clone();
    let journal = run.journal();
    if fs::metadata(&journal).map_or(0, |file| file.len()) == 0 {
        bail!("{crawl}: is not a run folder, or has no step yet (there is no journal.jsonl)");
    }
    tools::require(&["sample", "review-page", "corpus-export", "update-stats"])?;
    run.folder = format!("{crawl}/review");
    if fs::symlink_metadata(&run.folder).is_ok_and(|file| file.is_symlink()) {
        check_links(run.folder.as_ref(), run.trusts())?;
    }
    fs::create_dir_all(&run.folder).with_context(|| run.folder.clone())?;
    let _folder = Folder::lock(run.folder.as_ref(), run.trusts())?;
    read_settings(&mut run)?;
    draw_sample(&run, &crawl)?;
    let drawn = count_lines(&run.path("sample.jsonl"))?;
    if !run.line.has("no-page") && drawn > 0 {
        judge(&run, &crawl, drawn)?;
    }
    let mut args = Line::new();
    run.append_options(&["by", "limit"], &mut args);
    let outcome = run.call(&phase("results", args, &crawl), b"")?;
    ensure_success(&outcome)?;
    let accepted = count_lines(&run.path("accepted.jsonl"))?;
    run.console.inform(format_args!(
        "{accepted} documents in {}, accepted.txt; precision and recall in report.json",
        run.file("accepted.jsonl")
    ));
    Ok(ExitCode::SUCCESS)
}

fn phase(name: &'static str, args: Line, crawl: &str) -> Phase {
    Phase {
        name,
        args,
        variables: vec![("CRAWL", crawl.into())],
        // The page writes its URL.
        output: PhaseOutput::Shown,
    }
}

/// Reads the settings of the sample, or takes the given ones. The sample is drawn once: its verdicts
/// would not fit another one.
fn read_settings(run: &mut Run) -> Result<()> {
    let path = run.path("review.conf");
    if !path.exists() {
        run.settings = run.line.settings.with_defaults(run.spec);
        return Ok(());
    }
    run.settings = Settings::read(&path, run.spec, run.trusts())?.with_defaults(run.spec);
    let given = &run.line.settings;
    for name in run.spec.single_settings().filter(|name| given.is_set(name)) {
        if !run
            .spec
            .setting(name)
            .is_some_and(|option| option.is_changeable)
        {
            bail!(
                "--{name}: the sample is drawn already; remove {} to draw another one",
                run.folder
            );
        }
    }
    let folder = run.folder.clone();
    run.settings.replace_by(&given.clone(), run.spec, &folder)
}

fn draw_sample(run: &Run, crawl: &str) -> Result<()> {
    let (drawn, settings) = (run.path("sample.jsonl"), run.path("review.conf"));
    let size = fs::metadata(&drawn).map_or(0, |file| file.len());
    if size > 0 && settings.exists() {
        let modified = |path| fs::metadata(path).and_then(|file| file.modified()).ok();
        if modified(std::path::Path::new(crawl).join("journal.jsonl")) > modified(drawn) {
            run.console.say(format_args!(
                "the crawl has gone on since the sample was drawn; remove {} to draw another one",
                run.folder
            ));
        }
        return Ok(());
    }
    let mut args = Line::new();
    run.append_options(&["by", "share", "rejected", "seed"], &mut args);
    ensure_success(&run.call(&phase("draw", args, crawl), b"")?)?;
    run.settings.write(&settings)
}

/// Serves the page until the user finishes the review there, or by Ctrl-C; then the results are
/// written.
fn judge(run: &Run, crawl: &str, documents: usize) -> Result<()> {
    run.console.inform(format_args!(
        "open this page to judge {documents} documents; Ctrl-C or Finish ends"
    ));
    let mut args = line(["--limit", run.settings.get("limit")]);
    args.extend((!run.line.has("no-open")).then(|| "--open".into()));
    args.extend(run.quiet());
    let outcome = run.call(&phase("judge", args, crawl), b"")?;
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
