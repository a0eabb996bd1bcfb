//! The folder of a run, which one pipeline at a time may use.

use crate::console::print_line;
use crate::files::{check_links, identity};
use crate::pipeline::has_word;
use crate::run::Run;
use crate::tools::{self, line};
use crate::totals::Totals;
use anyhow::{Context, Result, bail, ensure};
use forage_run::has_pending_take_down;
use rustix::io::{FdFlags, fcntl_setfd};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The files and folders that a start creates, before the first step.
const STARTED: &str = "init init.new args filter rules.toml journal.jsonl run.conf.new";

/// A locked folder. Tools inherit the lock, so that those which outlive a killed pipeline keep it.
pub struct Folder {
    path: PathBuf,
    /// What the start of a new run has created; `None` when the run has begun.
    start: Option<Start>,
    _lock: File,
}

struct Start {
    /// Folders that were created, the innermost first.
    new_folders: Vec<PathBuf>,
    has_new_lock: bool,
    /// The names in the folder before the start.
    earlier: BTreeSet<OsString>,
}

/// Finishes a take-down that was interrupted, before the folder is locked.
///
/// # Errors
/// Fails if the documents cannot be removed; `take-down` has printed the cause.
pub fn finish_take_down(folder: &Path) -> Result<()> {
    if has_pending_take_down(folder) {
        // It also fails if the run cannot be rebuilt, as its resumption does.
        tools::run(&line("take-down {}", [&folder.to_string_lossy()]))?;
        ensure!(!has_pending_take_down(folder), tools::Reported);
    }
    Ok(())
}

impl Folder {
    /// Locks a folder that exists.
    pub fn lock(path: &Path, trusts: bool) -> Result<Folder> {
        check_links(path, trusts)?;
        let lock = lock(path)?;
        Ok(Folder {
            path: path.into(),
            start: None,
            _lock: lock,
        })
    }

    /// Creates and locks the folder of a new run. What it creates is removed again if the start
    /// fails.
    ///
    /// # Errors
    /// Fails if the folder has a run, or files that are not from a run.
    pub fn start(path: &Path, trusts: bool) -> Result<Folder> {
        let missing = path.ancestors().take_while(|folder| !is_present(folder));
        let new_folders = missing.map(Path::to_owned).collect();
        let has_new_lock = !path.join("lock").exists();
        fs::create_dir_all(path).with_context(|| path.display().to_string())?;
        check_unused(path)?;
        let mut folder = Folder::lock(path, trusts)?;
        let names = fs::read_dir(path).with_context(|| path.display().to_string())?;
        let earlier = names.flatten().map(|entry| entry.file_name()).collect();
        folder.start = Some(Start {
            new_folders,
            has_new_lock,
            earlier,
        });
        check_unused(path)?;
        folder.remove_initial_journal()?;
        Ok(folder)
    }

    /// Removes the journal of a start that was killed, which has initial documents only.
    fn remove_initial_journal(&self) -> Result<()> {
        let journal = self.path.join("journal.jsonl");
        if fs::metadata(&journal).is_ok_and(|file| file.len() > 0) {
            let file = |name: &str| self.path.join(name).display().to_string();
            let (stats, journal) = (file("stats.db"), file("journal.jsonl"));
            let template = "update-stats --stats {} --journal {} --next-step";
            let command = line(template, [&stats, &journal]);
            let mut totals = Totals::default();
            totals.read_tally(&tools::output(&command)?)?;
            ensure!(
                totals.step <= 1,
                "{}: has the journal of a run, but no run.conf, so the run cannot be resumed; \
                 use another folder",
                self.path.display()
            );
            for name in ["journal.jsonl", "stats.db", "stats.db-wal", "stats.db-shm"] {
                remove(&self.path.join(name));
            }
        }
        Ok(())
    }

    /// The run has begun: nothing is removed any more.
    pub fn keep(&mut self) {
        self.start = None;
    }
}

impl Drop for Folder {
    /// Removes what a start has created that ends before run.conf is written. The lock is removed
    /// last, and stays if there are files of an earlier start.
    fn drop(&mut self) {
        let has_begun = self.path.join("run.conf").exists();
        let Some(start) = self.start.take().filter(|_| !has_begun) else {
            return;
        };
        let mut is_left = false;
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let text = name.to_string_lossy();
            let is_state = text.contains(".db") || text.starts_with("pages.warc.gz");
            if !is_state && !has_word(STARTED, &text) {
                continue;
            }
            match start.earlier.contains(&name) {
                true => is_left = true,
                false => remove(&entry.path()),
            }
        }
        if start.has_new_lock && !is_left {
            remove(&self.path.join("lock"));
        }
        for folder in start.new_folders {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

/// Free space below which a trial warns; a thousand pages take about 100 MB.
const LITTLE_SPACE_MB: u64 = 1024;

/// Checks that the folder of a run can be created or written, and warns if its disk is nearly full.
pub fn check_disk(run: &Run) -> Result<()> {
    let path = Path::new(&run.line.folder);
    let absolute = std::path::absolute(path)?;
    let mut folders = absolute.ancestors();
    let folder = folders.find(|folder| folder.exists());
    let folder = folder.unwrap_or(Path::new("/"));
    let named = path.ancestors().find(|folder| folder.exists());
    let named = named.filter(|folder| !folder.as_os_str().is_empty());
    let named = named.unwrap_or(Path::new(".")).display();
    let is_writable = rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok();
    if !folder.is_dir() || !is_writable {
        bail!("{named}: is not a folder that can be written");
    }
    let disk = rustix::fs::statvfs(folder)?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize) >> 20;
    print_line(format_args!("disk: {free} MB free in {named}"));
    if free < LITTLE_SPACE_MB {
        run.console.say(format_args!(
            "{named}: only {free} MB are free; a thousand pages take about 100 MB"
        ));
    }
    Ok(())
}

/// Checks that a folder has no run, and no files that one might replace. Hidden files stay; so do
/// the others if a failed start, whose files are replaced, has left a lock.
pub fn check_unused(path: &Path) -> Result<()> {
    let folder = path.display();
    if path.join("run.conf").exists() {
        bail!("{folder}: has a run already; use --resume {folder}, or another folder");
    }
    if path.join("lock").exists() {
        return Ok(());
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    if let Some(name) = names.filter(|name| !name.starts_with('.')).min() {
        bail!("{folder}: has `{name}`, which is not from a run; use another folder");
    }
    Ok(())
}

/// Returns whether there is something at a path, also a link that leads nowhere.
fn is_present(path: &Path) -> bool {
    path.as_os_str().is_empty() || fs::symlink_metadata(path).is_ok()
}

/// Removes a file or a folder, if it is there.
pub fn remove(path: &Path) {
    let _ = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
}

fn lock(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let lock = OpenOptions::new().append(true).create(true).open(&path);
    let message = || {
        format!(
            "{}: cannot be written; make the folder writable",
            path.display()
        )
    };
    let lock = lock.ok().with_context(message)?;
    take(&lock, &path)?;
    // Tools inherit it.
    fcntl_setfd(&lock, FdFlags::empty())?;
    Ok(lock)
}

/// Locks a file that was opened at a path, unless it has been removed there in the meantime.
fn take(lock: &File, path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(path).display();
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let owners = list_owners(path);
            bail!("{folder}: is in use by another pipeline{owners}")
        }
        // Also on a file system without locks, where nothing protects the folder.
        Ok(()) | Err(TryLockError::Error(_)) => {}
    }
    let own = lock.metadata().ok().map(|file| (file.dev(), file.ino()));
    if own != identity(path) {
        bail!("{folder}: another start has just been refused there; start again");
    }
    Ok(())
}

/// Writes which processes have a lock, where there is /proc.
fn list_owners(lock: &Path) -> String {
    let identity = identity(lock);
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let has_lock = |process: &Path| {
        let descriptors = fs::read_dir(process.join("fd")).into_iter().flatten();
        let mut files = descriptors
            .flatten()
            .map(|fd| crate::files::identity(&fd.path()));
        files.any(|file| file == identity)
    };
    let numbers = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    let owners: Vec<String> = numbers
        .map(|number| (number, Path::new("/proc").join(number.to_string())))
        .filter(|(number, path)| *number != std::process::id() && has_lock(path))
        .map(|(number, path)| {
            let name = fs::read_to_string(path.join("comm")).unwrap_or_default();
            format!("{number} ({})", name.trim_end())
        })
        .collect();
    match owners.join(", ").as_str() {
        "" => String::new(),
        owners => format!(", or by tools that outlive a killed one: process {owners}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_another_refused_start_has_removed_is_not_used() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let opened = File::create(&path).unwrap();
        assert!(take(&opened, &path).is_ok());
        let another = File::open(&path).unwrap();
        let error = take(&another, &path).unwrap_err().to_string();
        assert!(error.contains("is in use by another pipeline"), "{error}");
        drop(opened);
        fs::remove_file(&path).unwrap();
        let error = take(&another, &path).unwrap_err().to_string();
        assert!(error.contains("start again"), "{error}");
    }

    #[test]
    fn a_start_that_fails_leaves_what_was_there() {
        let dir = tempfile::tempdir().unwrap();
        let run = dir.path().join("runs/new");
        drop(Folder::start(&run, false).unwrap());
        assert!(!dir.path().join("runs").exists());
        fs::create_dir_all(run.join("init")).unwrap();
        let error = Folder::start(&run, false).err().unwrap().to_string();
        assert!(error.contains("not from a run"), "{error}");
        fs::remove_dir(run.join("init")).unwrap();
        for name in ["corpus", "report.json", "notes"] {
            fs::write(run.join(name), "").unwrap();
            let error = Folder::start(&run, false).err().unwrap().to_string();
            assert!(error.contains(&format!("has `{name}`")), "{error}");
            fs::remove_file(run.join(name)).unwrap();
        }
        fs::write(run.join(".notes"), "").unwrap();
        let folder = Folder::start(&run, false).unwrap();
        fs::create_dir(run.join("init")).unwrap();
        fs::write(run.join("stats.db"), "").unwrap();
        drop(folder);
        let names: Vec<_> = fs::read_dir(&run)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, [".notes"]);
    }
}
