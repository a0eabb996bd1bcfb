//! The files of a run, which lose what was taken down.

use crate::file::{self, rewrite};
use crate::records::{copy_journal, copy_records};
use anyhow::Context;
use forage_cli::Messages;
use forage_engines::HitCache;
use forage_engines::index::remove_documents;
use forage_run::{PENDING_TAKE_DOWN, TAKEN_DOWN, TakenDownList};
use forage_warc::copy_without_pages;
use std::fs;
use std::path::Path;

/// The state files that are derived from the journal, beside which others begin with their names.
const DERIVED: [&str; 6] = [
    "stats.db",
    "seen.db",
    "topic.db",
    "sites.db",
    "profiles.db",
    "frontier.db",
];

/// Other files that are derived, by folder and name.
const RESULTS: [&str; 3] = ["report.html", "report.json", "review/accepted.txt"];

/// Folders that are derived.
const RESULT_FOLDERS: [&str; 2] = ["report-texts", "report-texts.new"];

/// Files and folders of a run that have no text, or numbers and single words; in a folder that ends
/// with a slash, all.
const OTHERS: [&str; 11] = [
    "lock",
    "run.conf",
    "rules.toml",
    "hosts.db",
    "known.db",
    "hits.db",
    "args/",
    "init/",
    "filter/",
    "review/",
    "journal.jsonl",
];

/// The endings of files that a kill has left incomplete.
const INCOMPLETE: [&str; 3] = [".new", ".forage-rebuild", file::NEW];

/// Removes what the list of a run has from all files in its folder, and from the embedded indexes
/// that it searches. Derived files are removed as a whole.
///
/// # Errors
/// Fails if a file cannot be read or written. The message names the file.
pub fn remove_listed(run: &Path, list: &TakenDownList, messages: &Messages) -> anyhow::Result<()> {
    rewrite(&run.join("journal.jsonl"), |from, to| {
        copy_journal(from, to, list)
    })?;
    let cleaner = Cleaner {
        run,
        list,
        messages,
    };
    cleaner.clean_folder(run)?;
    let settings = fs::read_to_string(run.join("run.conf")).unwrap_or_default();
    let engines = settings
        .lines()
        .filter_map(|line| line.strip_prefix("engine=index:"));
    for folder in engines.map(Path::new) {
        // It may be that of somebody else.
        if let Err(e) = cleaner.clean_index(folder) {
            messages.warn(format_args!("{e:#}; it may still have the documents"));
        }
    }
    Ok(())
}

struct Cleaner<'a> {
    run: &'a Path,
    list: &'a TakenDownList,
    messages: &'a Messages,
}

impl Cleaner<'_> {
    fn clean_folder(&self, folder: &Path) -> anyhow::Result<()> {
        if folder.join("forage-index.json").is_file() {
            return self.clean_index(folder);
        }
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        for entry in entries.with_context(|| folder.display().to_string())? {
            let (path, kind) = (entry.path(), entry.file_type()?);
            let inner = path
                .strip_prefix(self.run)
                .unwrap_or(&path)
                .to_string_lossy();
            if kind.is_dir() && RESULT_FOLDERS.contains(&&*inner) {
                fs::remove_dir_all(&path).with_context(|| path.display().to_string())?;
            } else if kind.is_dir() {
                self.clean_folder(&path)?;
            } else if kind.is_file() {
                self.clean_file(&path, &inner)?;
            } else {
                self.leave(&path);
            }
        }
        Ok(())
    }

    /// Cleans a file. `inner` is its path in the run.
    fn clean_file(&self, path: &Path, inner: &str) -> anyhow::Result<()> {
        let name = inner.rsplit('/').next().unwrap_or(inner);
        let is_corpus_text = inner.starts_with("corpus/") && name.ends_with(".txt");
        if INCOMPLETE.iter().any(|end| name.ends_with(end))
            || name.starts_with('.') && name.contains(".forage-new")
            || DERIVED.iter().any(|start| inner.starts_with(start))
            || RESULTS.contains(&inner)
            || is_corpus_text
        {
            file::remove(path)?;
        } else if inner == "hits.db" {
            let cache = HitCache::open(path).and_then(|mut cache| cache.remove_taken_down());
            cache.with_context(|| path.display().to_string())?;
        } else if [TAKEN_DOWN, PENDING_TAKE_DOWN].contains(&inner) {
        } else if name.ends_with(".warc.gz") {
            rewrite(path, |from, to| {
                let is_removed = |url: &str| self.list.find_url(url).is_some();
                Ok(copy_without_pages(from, to, is_removed)?)
            })?;
        } else if name.ends_with(".jsonl") && inner != "journal.jsonl" {
            rewrite(path, |from, to| copy_records(from, to, self.list))?;
        } else if !OTHERS.iter().any(|start| inner.starts_with(start)) {
            self.leave(path);
        }
        Ok(())
    }

    fn clean_index(&self, folder: &Path) -> anyhow::Result<()> {
        remove_documents(folder, |url, id| {
            self.list.find_url(url).is_some() || self.list.find_id(id).is_some()
        })?;
        Ok(())
    }

    fn leave(&self, path: &Path) {
        self.messages.warn(format_args!(
            "{}: is no file of the run, and was left as it is",
            path.display()
        ));
    }
}
