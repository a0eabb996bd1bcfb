//! Replacement of a state file by one that is derived again.

use crate::{LOCK_WAIT, StateError, StateFile, StateFileKind, lock, open};
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// Replaces the file at `path` by a new one, which `fill` writes and closes. Used if the content
/// has to be derived again, from data outside of the file.
///
/// The new file is beside the old one until it is complete, so a failure or a kill leaves the old
/// file unchanged. The old file is locked meanwhile; its version does not matter.
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
    let _lock = lock(path)?;
    // A symbolic link is kept.
    let old = path.canonicalize().map_err(io_error)?;
    let new = with_suffix(&old, ".forage-rebuild");
    remove_database(&new).map_err(io_error)?;
    let result = open(&new, kind)
        .map_err(E::from)
        .and_then(fill)
        .and_then(|value| {
            merge_wal_into(&old).map_err(|e| StateError::Sql(path.into(), e))?;
            copy_access(&old, &new).map_err(io_error)?;
            std::fs::rename(&new, &old).map_err(io_error)?;
            Ok(value)
        });
    if result.is_err() {
        let _ = remove_database(&new);
    }
    result
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
