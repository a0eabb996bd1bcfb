//! The files of a run, which lose what was taken down.

use crate::file::{self, rewrite};
use crate::records::copy_records;
use anyhow::{Context, Result};
use forage_cli::Messages;
use forage_engines::HitCache;
use forage_engines::index::remove_documents;
use forage_run::TakenDownList;
use forage_warc::copy_without_pages;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Beginnings of the paths in a run of what is derived from the journal, with the files that SQLite
/// and the tools have beside it.
const DERIVED: &str = "stats.db seen.db topic.db sites.db profiles.db frontier.db report.html \
                       report.json report-texts review/accepted.txt";

/// Beginnings of the paths of other files, which have no text, or numbers and single words.
const OTHERS: &str = "lock run.conf rules.toml hosts.db known.db hits.db args/ init/ filter/ \
                      review/ take-down.pending";

/// The endings of files that a kill has left incomplete.
const INCOMPLETE: [&str; 3] = [".new", ".forage-rebuild", file::NEW];

/// Removes what the list of a run has from a folder in it. Derived files are removed as a whole.
///
/// # Errors
/// Fails if a file cannot be read or written. The message names the file.
pub fn clean(run: &Path, folder: &Path, list: &TakenDownList, messages: &Messages) -> Result<()> {
    if folder.join("forage-index.json").is_file() {
        return clean_index(folder, list);
    }
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    for entry in entries.with_context(|| folder.display().to_string())? {
        let (path, kind) = (entry.path(), entry.file_type()?);
        let inner = path.strip_prefix(run).unwrap_or(&path).to_string_lossy();
        let has_start = |list: &str| list.split(' ').any(|start| inner.starts_with(start));
        let cleaned = if kind.is_dir() {
            clean(run, &path, list, messages)
        } else if kind.is_file() && is_derived(&inner, has_start(DERIVED)) {
            match fs::remove_file(&path) {
                // A file that a kill has left incomplete was completed meanwhile.
                Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed.map_err(Into::into),
            }
        } else if kind.is_file() && inner == "hits.db" {
            let cache = HitCache::open(&path).and_then(|mut cache| cache.remove_taken_down());
            cache.map_err(Into::into)
        } else if kind.is_file() && inner.ends_with(".warc.gz") {
            rewrite(&path, |from, to| {
                let is_removed = |url: &str| list.find_url(url).is_some();
                Ok(copy_without_pages(from, to, is_removed)? > 0)
            })
        } else if kind.is_file() && inner.ends_with(".jsonl") && inner != forage_run::TAKEN_DOWN {
            let is_journal = inner == "journal.jsonl";
            rewrite(&path, |from, to| copy_records(from, to, list, is_journal))
        } else {
            if !has_start(OTHERS) && inner != forage_run::TAKEN_DOWN {
                let name = path.display();
                messages.warn(format_args!(
                    "{name}: is no file of the run, and is left as it is"
                ));
            }
            Ok(())
        };
        cleaned.with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// Returns whether a file is removed: one that is derived, or incomplete.
fn is_derived(inner: &str, has_start: bool) -> bool {
    let name = inner.rsplit('/').next().unwrap_or(inner);
    has_start
        || inner.starts_with("corpus/") && name.ends_with(".txt")
        || name.starts_with('.') && name.contains(".forage-new")
        || INCOMPLETE.iter().any(|end| name.ends_with(end))
}

/// Removes what the list of a run has from an embedded index.
///
/// # Errors
/// Fails if it cannot be read or written. The message names the folder.
pub fn clean_index(folder: &Path, list: &TakenDownList) -> Result<()> {
    let is_listed = |url: &str, id: &str| list.find_url(url).or_else(|| list.find_id(id)).is_some();
    remove_documents(folder, &is_listed)?;
    Ok(())
}
