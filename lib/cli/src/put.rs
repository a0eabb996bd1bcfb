//! Writes a file whole or not at all, where that can be done by renaming; into devices, pipes and
//! sockets otherwise.

use crate::output::OutputError;
use anyhow::Context;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// As many symbolic links as Linux follows.
const MOST_LINKS: usize = 40;

/// Replaces the file at `path` by `bytes`, as a [`PendingFile`] does.
///
/// # Errors
/// As [`PendingFile::commit`].
pub fn replace_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut file = PendingFile::create(path)?;
    file.append(bytes)?;
    file.commit()
}

/// A file that is written beside its place, and put there whole by [`PendingFile::commit`].
///
/// A regular file is replaced, and keeps its permissions: a temporary one in the same folder is
/// written, synced and renamed. A symbolic link stays, and what it points to is replaced or made.
/// What is there and no regular file is written into; so is what the process has open, as
/// `/dev/stdout`.
#[derive(Debug)]
pub struct PendingFile {
    path: PathBuf,
    to: BufWriter<File>,
    /// The temporary file that is written, and where it belongs.
    temporary: Option<(TempPath, PathBuf)>,
}

impl PendingFile {
    /// Begins a file that will be at `path`.
    ///
    /// # Errors
    /// When nothing can be written there; the message names `path`.
    pub fn create(path: &Path) -> anyhow::Result<Self> {
        let is_special = fs::metadata(path).is_ok_and(|about| !about.is_file());
        let opened = if is_special || is_descriptor(path) {
            OpenOptions::new()
                .append(true)
                .open(path)
                .map(|file| (file, None))
        } else {
            behind_links(path).and_then(temporary)
        };
        let (file, temporary) = opened.with_context(|| path.display().to_string())?;
        Ok(PendingFile {
            path: path.into(),
            to: BufWriter::new(file),
            temporary,
        })
    }

    /// The path that the file will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds `bytes` at the end.
    ///
    /// # Errors
    /// When they can't be written; the message names the path.
    pub fn append(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.to.write_all(bytes).map_err(|e| failed(&self.path, e))
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// When that fails; the message names the path. A regular file is then as it was.
    pub fn commit(self) -> anyhow::Result<()> {
        let PendingFile {
            path,
            to,
            temporary,
        } = self;
        let commit = || {
            let file = to.into_inner().map_err(io::IntoInnerError::into_error)?;
            if let Some((temporary, place)) = temporary {
                file.sync_all()?;
                temporary.persist(place)?;
            }
            io::Result::Ok(())
        };
        commit().map_err(|e| failed(&path, e))
    }
}

/// The error of a write: that of standard output where the reader of a pipe has gone.
fn failed(path: &Path, error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => OutputError::Closed.into(),
        _ => anyhow::Error::new(error).context(path.display().to_string()),
    }
}

/// Whether the path leads to an open file, to whose end belongs what is written: who opened it may
/// write more.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/fd", "/proc"]
        .iter()
        .any(|folder| path.starts_with(folder))
        || ["/dev/stdout", "/dev/stderr"]
            .iter()
            .any(|name| path == Path::new(name))
}

/// Where the links end; nothing need be there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..=MOST_LINKS {
        // An error means that it is no link, or not there.
        let Ok(target) = fs::read_link(&path) else {
            return Ok(path);
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// A temporary file in the folder of `place`, with its permissions.
fn temporary(place: PathBuf) -> io::Result<(File, Option<(TempPath, PathBuf)>)> {
    let folder = place
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    // Without a folder the error would name the temporary file.
    fs::metadata(folder)?;
    // One name for each place, so that what a killed process left is overwritten by the next one.
    let mut name = OsString::from(".");
    name.push(place.file_name().unwrap_or_default());
    name.push(".forage-new");
    remove_left_over(&folder.join(&name))?;
    // The user's umask is taken off these.
    let mut builder = tempfile::Builder::new();
    let file = builder
        .prefix(&name)
        .rand_bytes(0)
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)?;
    // Ignored: not every file system has locks.
    let _ = file.as_file().try_lock();
    if let Ok(there) = fs::metadata(&place) {
        file.as_file().set_permissions(there.permissions())?;
    }
    let (file, temporary) = file.into_parts();
    Ok((file, Some((temporary, place))))
}

/// Removes the temporary file of a killed process; one whose process is alive is locked.
fn remove_left_over(path: &Path) -> io::Result<()> {
    match File::open(path) {
        Ok(file) => match file.try_lock() {
            Err(TryLockError::WouldBlock) => Err(io::Error::other("another process is writing it")),
            _ => fs::remove_file(path),
        },
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::{PendingFile, replace_file};
    use std::fs::{self, Permissions};
    use std::io::Write;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    #[test]
    fn replaces_a_file_whole_and_keeps_its_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        replace_file(&path, b"first").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let mut open = fs::OpenOptions::new().append(true).open(&path).unwrap();
        replace_file(&path, b"second").unwrap();
        open.write_all(b"lost").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn keeps_links_and_replaces_or_makes_what_they_point_to() {
        let dir = tempfile::tempdir().unwrap();
        let [file, link, second] = ["file", "link", "second"].map(|name| dir.path().join(name));
        symlink("file", &link).unwrap();
        symlink(&link, &second).unwrap();
        for bytes in [b"made", b"over"] {
            replace_file(&second, bytes).unwrap();
            assert_eq!(fs::read(&file).unwrap(), bytes);
        }
        assert!(link.is_symlink() && second.is_symlink());
        assert!(!file.is_symlink());
    }

    #[test]
    fn writes_into_a_pipe_and_a_device() {
        let dir = tempfile::tempdir().unwrap();
        let [pipe, link] = ["pipe", "link"].map(|name| dir.path().join(name));
        assert!(
            std::process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        symlink(&pipe, &link).unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        replace_file(&link, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo() && link.is_symlink());
        // Through a link, so that a defect would cost the link and not the device.
        let null = dir.path().join("null");
        symlink("/dev/null", &null).unwrap();
        replace_file(&null, b"x").unwrap();
        assert!(null.is_symlink());
    }

    #[test]
    fn appends_to_what_the_process_has_open() {
        use std::os::fd::AsRawFd;
        let mut open = tempfile::tempfile().unwrap();
        open.write_all(b"a").unwrap();
        let path = format!("/proc/self/fd/{}", open.as_raw_fd());
        if fs::metadata(&path).is_ok() {
            replace_file(path.as_ref(), b"b").unwrap();
            assert_eq!(fs::read(path).unwrap(), b"ab");
        }
    }

    #[test]
    fn what_a_killed_process_left_does_not_stay() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".a.forage-new"), "left").unwrap();
        replace_file(&dir.path().join("a"), b"x").unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn refuses_a_file_that_another_process_is_writing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let mut first = PendingFile::create(&path).unwrap();
        first.append(b"first").unwrap();
        let refused = format!("{:#}", replace_file(&path, b"second").unwrap_err());
        assert!(
            refused.ends_with("another process is writing it"),
            "{refused}"
        );
        first.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        replace_file(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
    }

    #[test]
    fn names_the_file_that_cannot_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let round = dir.path().join("round");
        symlink("round", &round).unwrap();
        for path in [dir.path().to_path_buf(), dir.path().join("no/file"), round] {
            let e = replace_file(&path, b"x").unwrap_err();
            assert_eq!(e.to_string(), path.display().to_string());
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
