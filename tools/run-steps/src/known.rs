//! What an earlier corpus has is skipped: its URLs by `search`, before they are fetched, its texts
//! by `dedup`.

use crate::files;
use crate::folder::remove;
use crate::run::Run;
use crate::settings::is_storable;
use crate::tools::{self, line};
use anyhow::{Result, bail, ensure};
use forage_run::{TAKEN_DOWN, TakenDownList};
use std::fs;
use std::path::Path;

/// Replaces the folders among the files of `--known`, which are runs, by the files of their
/// corpora, and makes the paths absolute, so that the run can be resumed from any folder.
pub fn expand_known(run: &mut Run) -> Result<()> {
    let mut known = Vec::new();
    for path in run.settings.list("known") {
        let mut paths = vec![path.clone()];
        if Path::new(path).is_dir() {
            paths = files::list_corpora(path.as_ref());
            ensure!(
                !paths.is_empty(),
                "--known {path}: has no corpus/*.jsonl; name the files of an earlier corpus, or \
                 its run"
            );
        }
        for path in paths {
            files::check_readable("--known ", &path)?;
            match files::absolute(&path).filter(|path| is_storable(path)) {
                Some(path) => known.push(path),
                None => bail!("the name of a file in run.conf cannot have a control character"),
            }
        }
    }
    *run.settings.list_mut("known") = known;
    Ok(())
}

/// Indexes the texts of an earlier corpus, which the run compares its documents with. A kill leaves
/// no partial index.
pub fn index_known(run: &Run) -> Result<()> {
    let known = run.settings.list("known");
    if known.is_empty() {
        return Ok(());
    }
    for file in known {
        if !files::has_text(Path::new(file)) {
            run.console
                .say(format_args!("--known {file}: has no records"));
        }
    }
    add_taken_down(run)?;
    let list = known.join(", ");
    run.console
        .inform(format_args!("reading the earlier corpus: {list}"));
    let new = run.file("known.db.new");
    for suffix in ["", "-wal", "-shm", "-keys"] {
        remove(Path::new(&format!("{new}{suffix}")));
    }
    let mut dedup = line("dedup --index {} --force", [&new]);
    dedup.extend(known.iter().cloned());
    if !tools::run_to(Path::new("/dev/null"), &dedup)?.success() {
        bail!("--known: a line of {list} is not a record; name files of records with url and text");
    }
    // The table first: an index without its table is one whose every reader builds it in memory.
    fs::rename(format!("{new}-keys"), run.path("known.db-keys"))?;
    fs::rename(&new, run.path("known.db"))?;
    Ok(())
}

/// Adds what the runs of the earlier corpus have taken down to the list of this run.
fn add_taken_down(run: &Run) -> Result<()> {
    let own = run.path(TAKEN_DOWN);
    let mut list = TakenDownList::beside(Some(&own))?;
    for file in run.settings.list("known") {
        // RUN/corpus/CLASS.jsonl
        list.read(&Path::new(file).with_file_name("..").join(TAKEN_DOWN))?;
    }
    match list.entries() {
        [] => Ok(()),
        _ => files::replace(&own, list.to_lines().as_bytes()),
    }
}

/// Checks the files of an earlier corpus before a run is resumed. If one has changed, all are
/// indexed again, unless the run is only checked. `search` is the command of the run.
pub fn check_known(run: &Run, search: &[String], is_trial: bool) -> Result<()> {
    let modified = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    let indexed = modified(&run.path("known.db"));
    let known = run.settings.list("known").iter();
    let (present, lost): (Vec<&String>, Vec<&String>) =
        known.partition(|file| fs::File::open(file).is_ok() && Path::new(file).is_file());
    let changed: Vec<&str> = present
        .into_iter()
        .filter(|file| modified(Path::new(file)) > indexed)
        .map(String::as_str)
        .collect();
    if !lost.is_empty() && (!changed.is_empty() || !has_read_known(run, search)?) {
        let lost: Vec<&str> = lost.into_iter().map(String::as_str).collect();
        bail!(
            "--known {}: does not exist any more, or cannot be read; restore it, or start a new run",
            lost.join(", ")
        );
    }
    if !changed.is_empty() {
        let list = changed.join(", ");
        run.console.say(format_args!(
            "--known {list}: has changed since the run read it"
        ));
        if !is_trial {
            index_known(run)?;
        }
    }
    Ok(())
}

/// Returns whether all that is needed of the earlier corpus is in the run, so that its files need
/// not be there any more.
fn has_read_known(run: &Run, search: &[String]) -> Result<bool> {
    if !run.path("known.db").is_file() || !run.path("hits.db").is_file() {
        return Ok(false);
    }
    let mut search = search.to_vec();
    search.extend(line("--hits {}", [&run.file("hits.db")]));
    Ok(tools::run_silently(&search)?.0 == 0)
}
