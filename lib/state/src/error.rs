//! Why a state file could not be opened or used.

use crate::StateFileKind;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The reason why a state file could not be opened or used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The file does not exist, and the tool only reads it.
    #[error("{}: no such file (expected {})", .0.display(), .1)]
    Missing(PathBuf, &'static str),
    /// The file is not a database, or not of this kind.
    #[error(
        "{}: is not a file of {}; left unchanged; move it away to create a new one",
        .0.display(), .1
    )]
    Foreign(PathBuf, &'static str),
    /// The file was written by a newer Forage.
    #[error(
        "{}: contains {name} of version {found}, but this program supports versions up to \
         {supported}; use a newer Forage",
        .path.display()
    )]
    Newer {
        /// The path of the file.
        path: PathBuf,
        /// Its content, from [`StateFileKind::name`].
        name: &'static str,
        /// Its version.
        found: i32,
        /// The newest version that this program supports.
        supported: i32,
    },
    /// Another process has locked the file; its number, if the system tells it.
    #[error(
        "{}: another process{} is writing it; wait until it has finished",
        .0.display(),
        .1.map_or_else(String::new, |process| format!(" ({process})"))
    )]
    InUse(PathBuf, Option<u32>),
    /// Opening, reading or writing the file failed in SQLite. The error is no `source`, because the
    /// message contains it.
    #[error("{}: {}", .0.display(), describe_sqlite_error(.1))]
    Sql(PathBuf, rusqlite::Error),
    /// The file cannot be opened or created; the path and the cause.
    #[error("{}: {}", .0.display(), .1)]
    CannotOpen(PathBuf, String),
    /// The file was written by an older Forage.
    #[error(
        "{}: contains {name} of version {found}, which is no longer supported; move it away and \
         rebuild it from the journal",
        .path.display()
    )]
    Older {
        /// The path of the file.
        path: PathBuf,
        /// Its content, from [`StateFileKind::name`].
        name: &'static str,
        /// Its version.
        found: i32,
    },
    /// The file could not be replaced by a new one.
    #[error("{}: cannot be replaced: {}", .0.display(), .1)]
    Replace(PathBuf, #[source] std::io::Error),
    /// The file was made with other options than it is opened with; what differs.
    #[error("{}: {}", .0.display(), .1)]
    Mismatch(PathBuf, String),
    /// The file system could not lock the file.
    #[error("{}: cannot be locked: {}", .0.display(), .1)]
    Lock(PathBuf, #[source] std::io::Error),
}

impl StateError {
    /// Returns `true` if the content of the file is damaged.
    pub fn is_damage(&self) -> bool {
        let corrupt = Some(rusqlite::ErrorCode::DatabaseCorrupt);
        matches!(self, StateError::Sql(_, error) if error.sqlite_error_code() == corrupt)
    }
}

/// Formats an SQLite error without error codes. For a damaged file, the text includes the remedy.
pub fn describe_sqlite_error(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => match code.code {
            rusqlite::ErrorCode::DatabaseCorrupt => {
                "is damaged; move it away, and resume the run, or make the file again from its input"
                    .into()
            }
            rusqlite::ErrorCode::ReadOnly => {
                "is read-only; check the permissions of the file and its folder".into()
            }
            _ => message.clone().unwrap_or_else(|| error.to_string()),
        },
        _ => error.to_string(),
    }
}

pub(crate) fn open_error(path: &Path, kind: &StateFileKind, source: rusqlite::Error) -> StateError {
    match source.sqlite_error_code() {
        Some(rusqlite::ErrorCode::NotADatabase) => StateError::Foreign(path.into(), kind.name),
        Some(rusqlite::ErrorCode::CannotOpen) => {
            StateError::CannotOpen(path.into(), describe_open_failure(path))
        }
        _ => StateError::Sql(path.into(), source),
    }
}

/// Returns the reason why a file cannot be opened. SQLite's message has none, but repeats the path.
pub(crate) fn describe_open_failure(path: &Path) -> String {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    if path.is_dir() {
        return "is a folder".into();
    }
    if let Some(folder) = folder.filter(|folder| !folder.exists()) {
        return format!("the folder {} does not exist", folder.display());
    }
    match File::options().read(true).write(true).open(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => e.to_string(),
        _ => "cannot be opened or created; check the permissions of its folder".into(),
    }
}

/// Returns the error of a damaged file.
pub(crate) fn damage(path: &Path) -> StateError {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    StateError::Sql(path.into(), rusqlite::Error::SqliteFailure(code, None))
}

pub(crate) fn older_error(path: &Path, kind: &StateFileKind, found: i32) -> StateError {
    StateError::Older {
        path: path.into(),
        name: kind.name,
        found,
    }
}
