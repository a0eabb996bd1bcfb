//! Replacement of a state file by one that is derived as a whole.

use crate::{LOCK_WAIT, StateError, StateFile, StateFileKind, lock, open};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// Replaces the file at `path`, if there is one, by a new one, which `fill` writes and closes. Used
/// if the whole content is derived from data outside of the file.
///
/// The new file is beside the old one until it is complete, so a failure or a kill leaves the old
/// file unchanged. The old file is locked meanwhile; its version does not matter. Until then, a
/// crash loses the new file, which is therefore written without a journal of SQLite.
///
/// # Errors
/// Fails if `fill` fails, another process writes or reads the old file, or a file cannot be
/// written.
pub fn replace<T, E: From<StateError>>(
    path: &Path,
    kind: &StateFileKind,
    fill: impl FnOnce(StateFile) -> Result<T, E>,
) -> Result<T, E> {
    let io_error = |source| StateError::Replace(path.into(), source);
    let _lock = path.exists().then(|| lock(path)).transpose()?;
    // A symbolic link is kept.
    let old = match &_lock {
        Some(_) => path.canonicalize().map_err(io_error)?,
        None => path.to_owned(),
    };
    let new = with_suffix(&old, ".forage-rebuild");
    // Another process may be writing it, if there is no old file to lock.
    if new.exists() {
        lock(&new)?;
    }
    remove_database(&new).map_err(io_error)?;
    let result = open(&new, kind)
        .and_then(|file| match write_without_journal(&file) {
            Ok(()) => Ok(file),
            Err(e) => Err(file.sqlite_error(e)),
        })
        .map_err(E::from)
        .and_then(fill)
        .and_then(|value| {
            if _lock.is_some() {
                merge_wal_into(&old).map_err(|e| StateError::Sql(path.into(), e))?;
                copy_access(&old, &new).map_err(io_error)?;
            }
            let written = std::fs::File::open(&new).and_then(|file| file.sync_all());
            written.map_err(io_error)?;
            std::fs::rename(&new, &old).map_err(io_error)?;
            Ok(value)
        });
    if result.is_err() {
        let _ = remove_database(&new);
    }
    result
}

/// Makes SQLite write the pages of a file once, without a sync.
fn write_without_journal(file: &StateFile) -> rusqlite::Result<()> {
    file.pragma_update(None, "journal_mode", "OFF")?;
    file.pragma_update(None, "synchronous", "OFF")?;
    file.pragma_update(None, "cache_size", -65_536)
}

/// Gives a file the mode of another, and its owner if the process may.
fn copy_access(from: &Path, to: &Path) -> std::io::Result<()> {
    let access = std::fs::metadata(from)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let _ = std::os::unix::fs::chown(to, Some(access.uid()), Some(access.gid()));
    }
    std::fs::set_permissions(to, access.permissions())
}

/// Merges the WAL of a database into it, because it would be applied to a file that takes its
/// place.
fn merge_wal_into(path: &Path) -> rusqlite::Result<()> {
    let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.busy_timeout(LOCK_WAIT)?;
    db.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))
}

/// Removes a database and its WAL, if they exist.
fn remove_database(path: &Path) -> std::io::Result<()> {
    for suffix in ["", "-wal", "-shm"] {
        match std::fs::remove_file(with_suffix(path, suffix)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the path with a suffix added to the file name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}
