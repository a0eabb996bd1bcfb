//! Failures of the embedded index in plain words, and the mode of its files.
//!
//! Tantivy's messages show the Rust structures of the error. It writes `meta.json` and
//! `.managed.json` through temporary files, which only their owner can read, so that an index could
//! not be read by other users.

use super::EmbeddedIndexError;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use tantivy::TantivyError;
use tantivy::directory::error::{LockError, OpenDirectoryError, OpenReadError, OpenWriteError};

/// Files that Tantivy replaces through a temporary file.
const REPLACED_FILES: [&str; 2] = ["meta.json", ".managed.json"];

/// A file that is created for a moment to learn the mode of new files. Hidden, as an index folder
/// with nothing else counts as empty.
const MODE_PROBE: &str = ".mode-probe";

/// Returns the failure of an index that Tantivy reports, in plain words.
pub(super) fn index_error(folder: &Path, cause: &TantivyError) -> EmbeddedIndexError {
    let Some((io_error, path, verb)) = io_failure(cause) else {
        return EmbeddedIndexError::Failed(folder.into(), cause.to_string());
    };
    // Segment files are named relative to the folder.
    let path = path.map(|path| folder.join(path));
    match io_error.kind() {
        ErrorKind::PermissionDenied => denied_error(folder, path.as_deref(), verb),
        _ => {
            let place = path.map_or_else(String::new, |path| format!("{}: ", path.display()));
            EmbeddedIndexError::Failed(folder.into(), format!("{place}{io_error}"))
        }
    }
}

/// Returns the failure of an index whose file at `path`, or whose folder, must not be read or
/// written.
pub(super) fn denied_error(
    folder: &Path,
    path: Option<&Path>,
    verb: &'static str,
) -> EmbeddedIndexError {
    let owner = path
        .and_then(owner_name)
        .or_else(|| owner_name(folder))
        .map(|owner| format!(" (owned by {owner})"));
    EmbeddedIndexError::Denied {
        folder: folder.into(),
        verb,
        owner: owner.unwrap_or_default(),
    }
}

/// Returns the I/O error in a failure, the file that it concerns, and `read` or `written`.
fn io_failure(cause: &TantivyError) -> Option<(&io::Error, Option<&PathBuf>, &'static str)> {
    match cause {
        TantivyError::OpenReadError(OpenReadError::IoError { io_error, filepath }) => {
            Some((io_error, Some(filepath), "read"))
        }
        TantivyError::OpenDirectoryError(OpenDirectoryError::IoError {
            io_error,
            directory_path,
        }) => Some((io_error, Some(directory_path), "read")),
        TantivyError::OpenDirectoryError(OpenDirectoryError::FailedToCreateTempDir(io_error)) => {
            Some((io_error, None, "written"))
        }
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => {
            Some((io_error, Some(filepath), "written"))
        }
        TantivyError::LockFailure(LockError::IoError(io_error), _) => {
            Some((io_error, None, "written"))
        }
        TantivyError::IoError(io_error) => Some((io_error, None, "read or written")),
        _ => None,
    }
}

/// Returns the name of the user who owns a file, or the user's number; `None` if it is unknown.
#[cfg(unix)]
fn owner_name(path: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let user = fs::metadata(path).ok()?.uid().to_string();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1) == Some(&user)).then(|| name.to_owned())
    });
    Some(name.unwrap_or_else(|| format!("user {user}")))
}

#[cfg(not(unix))]
fn owner_name(_: &Path) -> Option<String> {
    None
}

/// Gives the files that Tantivy replaced the mode of the other new files, which the umask
/// determines.
///
/// # Errors
/// Fails if the folder cannot be written.
#[cfg(unix)]
pub(super) fn apply_umask(folder: &Path) -> io::Result<()> {
    let probe = folder.join(MODE_PROBE);
    ignore_missing(fs::remove_file(&probe))?;
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&probe)?;
    let permissions = file.metadata()?.permissions();
    fs::remove_file(&probe)?;
    for name in REPLACED_FILES {
        ignore_missing(fs::set_permissions(folder.join(name), permissions.clone()))?;
    }
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn apply_umask(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::index_error;
    use std::io;
    use std::path::Path;
    use tantivy::TantivyError;
    use tantivy::directory::error::{LockError, OpenReadError, OpenWriteError};

    #[test]
    fn errors_are_in_plain_words() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let message = |cause| {
            let message = index_error(folder, &cause).to_string();
            message.replace(folder.to_str().unwrap(), "DIR")
        };
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let read = OpenReadError::wrap_io_error(denied(), "meta.json".into());
        let message_for_reading = message(TantivyError::OpenReadError(read));
        assert!(
            message_for_reading.starts_with("index:DIR: cannot be read: permission denied"),
            "{message_for_reading}"
        );
        let lock = TantivyError::LockFailure(LockError::wrap_io_error(denied()), None);
        assert!(message(lock).starts_with("index:DIR: cannot be written: permission denied"));
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let text = full.to_string();
        let write = OpenWriteError::wrap_io_error(full, Path::new("a.store").into());
        assert_eq!(
            message(TantivyError::OpenWriteError(write)),
            format!("DIR: DIR/a.store: {text}")
        );
    }

    #[cfg(unix)]
    #[test]
    fn replaced_files_have_the_mode_of_new_files() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let mode = |name: &str| {
            let file = dir.path().join(name);
            file.metadata().unwrap().permissions().mode() & 0o777
        };
        std::fs::write(dir.path().join("new"), "").unwrap();
        let meta = dir.path().join("meta.json");
        std::fs::write(&meta, "").unwrap();
        std::fs::set_permissions(&meta, PermissionsExt::from_mode(0o600)).unwrap();
        super::apply_umask(dir.path()).unwrap();
        assert_eq!(mode("meta.json"), mode("new"));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    }
}
