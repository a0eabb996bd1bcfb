//! Failures of the embedded index in plain words.

use super::EmbeddedIndexError;
use std::error::Error;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// A result whose error lacks the folder of the index.
pub(super) type IndexResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Returns a function that adds the path of a file to an error, and keeps its kind.
pub(super) fn at_path(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |e| io::Error::new(e.kind(), format!("{}: {e}", path.display()))
}

/// Returns a function that makes an error one of the index in `folder`. `verb` is `read` or
/// `written`.
pub(super) fn index_error<E: Into<Box<dyn Error + Send + Sync>>>(
    folder: &Path,
    verb: &'static str,
) -> impl Fn(E) -> EmbeddedIndexError {
    move |cause| {
        let cause = match cause.into().downcast::<EmbeddedIndexError>() {
            Ok(error) => return *error,
            Err(cause) => cause,
        };
        let io_kind = cause.downcast_ref().map(io::Error::kind);
        let message = match cause.downcast_ref() {
            Some(e) => forage_state::describe_sqlite_error(e),
            None => cause.to_string(),
        };
        match io_kind {
            Some(ErrorKind::PermissionDenied) => EmbeddedIndexError::Denied {
                folder: folder.into(),
                verb,
                owner: owner_name(folder)
                    .map_or_else(String::new, |name| format!(" (owned by {name})")),
            },
            _ => EmbeddedIndexError::Failed(folder.into(), message),
        }
    }
}
/// Returns the name of the user who owns a file, or the user's number; `None` if it is unknown.
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

#[cfg(test)]
mod tests {
    use super::{at_path, index_error};
    use std::io;

    #[test]
    fn errors_are_in_plain_words() {
        let dir = tempfile::tempdir().unwrap();
        let message = |verb, kind| {
            let error = at_path(&dir.path().join("1.segment"))(io::Error::from(kind));
            let message = index_error(dir.path(), verb)(error).to_string();
            message.replace(dir.path().to_str().unwrap(), "DIR")
        };
        for verb in ["read", "written"] {
            let message = message(verb, io::ErrorKind::PermissionDenied);
            let start = format!("index:DIR: cannot be {verb}: permission denied (owned by ");
            assert!(message.starts_with(&start), "{message}");
        }
        assert_eq!(
            message("written", io::ErrorKind::StorageFull),
            "DIR: DIR/1.segment: no storage space"
        );
    }
}
