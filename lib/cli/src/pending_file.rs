//! Atomic replacement of files.
//!
//! A regular file is written under a temporary name and renamed, so that readers see either the old
//! or the new content, never a part. Devices, pipes and sockets are written directly. What may be
//! replaced is decided by `output_guard`.

use crate::output::OutputError;
use crate::output_guard::{check_earlier_version, check_replaceable};
use anyhow::Context;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// Longest chain of symbolic links that is followed; the limit of Linux (path_resolution(7)).
const MAX_SYMLINKS: usize = 40;

/// Bytes of the content by which an earlier version is recognised.
const FORMAT_BYTES: usize = 4096;

/// Replaces the content of the file at `path` by `bytes`, atomically if it is a regular file. With
/// `force`, also that of a file that is no earlier version.
///
/// # Errors
/// Fails as [`PendingFile::create`] and [`PendingFile::commit`] do.
pub fn replace_file(path: &Path, bytes: &[u8], force: bool) -> anyhow::Result<()> {
    let mut file = PendingFile::create(path, force)?;
    file.append(bytes)?;
    file.commit()
}

/// A file that appears under its name, complete, at [`PendingFile::commit`].
///
/// The bytes go to a temporary file in the same folder, which is synced and renamed: of several
/// processes that write the same file, the last to commit wins, with all of its content. A replaced
/// file keeps its permissions. A symbolic link stays, and its target is replaced or created. An
/// existing path that is not a regular file is written directly, and so is a descriptor of the
/// process, such as `/dev/stdout`, or `-` for it.
#[derive(Debug)]
pub struct PendingFile {
    path: PathBuf,
    writer: BufWriter<File>,
    /// The temporary file and its final path; `None` if the file is written directly.
    temporary: Option<(TempPath, PathBuf)>,
    /// The first bytes of the content, by which an earlier version is recognised.
    head: Vec<u8>,
    /// True if a file that is no earlier version may be replaced.
    force: bool,
}

impl PendingFile {
    /// Starts a file that will appear at `path`. With `force`, it may replace any file that this
    /// command does not read and no run is continued from.
    ///
    /// # Errors
    /// Fails if `path` cannot be written, or has a file that must not be replaced. The message
    /// names it.
    pub fn create(path: &Path, force: bool) -> anyhow::Result<Self> {
        let is_special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        let is_direct = is_special || is_descriptor(path);
        if !is_direct {
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
            if let Some(folder) = folder.filter(|folder| !folder.exists()) {
                let (path, folder) = (path.display(), folder.display());
                anyhow::bail!("{path}: the folder {folder} does not exist");
            }
            check_replaceable(path, force)
                .map_err(|cause| anyhow::anyhow!("{}: {cause}", path.display()))?;
        }
        let opened = if let Some(stream) = open_standard_stream(path) {
            stream.map(|file| (file, None))
        } else if is_direct {
            OpenOptions::new()
                .append(true)
                .open(path)
                .map(|file| (file, None))
        } else {
            resolve_symlinks(path).and_then(create_temporary)
        };
        let (file, temporary) = opened.with_context(|| path.display().to_string())?;
        Ok(PendingFile {
            path: path.into(),
            writer: BufWriter::new(file),
            temporary,
            head: Vec::new(),
            force,
        })
    }

    /// The final path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends `bytes`.
    ///
    /// # Errors
    /// Fails if they cannot be written. The message names the path.
    pub fn append(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.write_all(bytes)
            .map_err(|e| write_error(&self.path, e))
    }

    /// Returns the error of a failed write to this file, with its path.
    pub fn to_error(&self, error: io::Error) -> anyhow::Error {
        write_error(&self.path, error)
    }

    /// Returns `true` if the file is written directly: a pipe, a device, or a descriptor.
    pub fn is_direct(&self) -> bool {
        self.temporary.is_none()
    }

    /// Writes what is buffered to the disk, and checks what the file would replace. Of files that
    /// belong together, none is committed before all are complete.
    ///
    /// # Errors
    /// Fails if the file cannot be written or synced, or would replace a file that is no earlier
    /// version. The message names the path.
    pub fn complete(&mut self) -> anyhow::Result<()> {
        if self.temporary.is_some() && !self.force {
            check_earlier_version(&self.path, &self.head)
                .map_err(|cause| anyhow::anyhow!("{}: {cause}", self.path.display()))?;
        }
        let synced = self.writer.flush().and_then(|()| match self.is_direct() {
            true => Ok(()),
            false => self.writer.get_ref().sync_all(),
        });
        synced.map_err(|e| write_error(&self.path, e))
    }

    /// Makes the file appear at its path.
    ///
    /// # Errors
    /// Fails as [`PendingFile::complete`], or if the file cannot be renamed. A previous regular
    /// file is left unchanged.
    pub fn commit(mut self) -> anyhow::Result<()> {
        self.complete()?;
        match self.temporary {
            Some((temporary, target)) => temporary
                .persist(target)
                .map_err(|e| write_error(&self.path, e.error)),
            None => Ok(()),
        }
    }
}

/// For formats that write to any [`Write`]. [`PendingFile::to_error`] names the path in their
/// errors.
impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let missing = FORMAT_BYTES.saturating_sub(self.head.len());
        let written = self.writer.write(bytes)?;
        self.head.extend(bytes[..written].iter().take(missing));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Returns the error of a failed write. A closed pipe is reported as if it were standard output,
/// which is not an error of the tool.
fn write_error(path: &Path, error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => OutputError::Closed.into(),
        _ => anyhow::Error::new(error).context(path.display().to_string()),
    }
}

/// Returns `true` if the path names a file descriptor; `-` is standard output. Output is appended
/// there, because the process that opened it may write more.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/fd", "/proc"]
        .iter()
        .any(|folder| path.starts_with(folder))
        || ["-", "/dev/stdout", "/dev/stderr"]
            .iter()
            .any(|name| path == Path::new(name))
}

/// Duplicates the descriptor of standard output (also `-`) or standard error, if the path names
/// one. Opened anew, it would have an offset of its own, so that the next command of a group in a
/// shell would overwrite it, and a socket or a file of another user could not be opened.
pub(crate) fn open_standard_stream(path: &Path) -> Option<io::Result<File>> {
    let names = |standard: &str, number: &str| {
        let folders = ["/dev/fd", "/proc/self/fd"].iter();
        path == Path::new(standard) || folders.clone().any(|f| path == Path::new(f).join(number))
    };
    let descriptor = if path == Path::new("-") || names("/dev/stdout", "1") {
        io::stdout().as_fd().try_clone_to_owned()
    } else if names("/dev/stderr", "2") {
        io::stderr().as_fd().try_clone_to_owned()
    } else {
        return None;
    };
    Some(descriptor.map(File::from))
}

/// Follows symbolic links to their end, where no file needs to exist.
fn resolve_symlinks(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..=MAX_SYMLINKS {
        // An error means that the path is not a link, or does not exist.
        let Ok(target) = fs::read_link(&path) else {
            return Ok(path);
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Creates a temporary file in the folder of `target`, with the permissions of `target`.
fn create_temporary(target: PathBuf) -> io::Result<(File, Option<(TempPath, PathBuf)>)> {
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    // If the folder is missing, the error of the next calls would name the temporary file.
    fs::metadata(folder)?;
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".forage-new");
    remove_stale_temporaries(folder, &prefix);
    let file = loop {
        // The umask of the user is applied to this mode.
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(folder)?;
        if lock_temporary(file.as_file()) {
            break file;
        }
    };
    if let Ok(existing) = fs::metadata(&target) {
        file.as_file().set_permissions(existing.permissions())?;
    }
    let (file, temporary) = file.into_parts();
    Ok((file, Some((temporary, target))))
}

/// Locks a new temporary file, which tells other processes that its process is alive. Returns
/// `false` if one of them took it for a stale file and removed it before it was locked.
fn lock_temporary(file: &File) -> bool {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => false,
        // Without locks in the file system, no process removes the file of another.
        _ => file.metadata().is_ok_and(|metadata| metadata.nlink() > 0),
    }
}

/// Removes the temporary files of killed processes: regular files in `folder` whose names start
/// with `prefix` and that no process has locked. Files that cannot be opened or locked are left.
fn remove_stale_temporaries(folder: &Path, prefix: &OsStr) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let is_temporary = entry.file_name().as_bytes().starts_with(prefix.as_bytes())
            && entry.file_type().is_ok_and(|file_type| file_type.is_file());
        if !is_temporary {
            continue;
        }
        let path = entry.path();
        // A temporary file has the permissions of its target, which may be for writing only.
        let opened = File::open(&path).or_else(|_| OpenOptions::new().append(true).open(&path));
        let Ok(file) = opened else { continue };
        // The lock is held until the file is removed, so that its process does not get it.
        if file.try_lock().is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PendingFile, replace_file};
    use std::fs::{self, Permissions};
    use std::io::Write;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    #[test]
    fn replaces_a_file_atomically_and_keeps_its_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        replace_file(&path, b"first", true).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let mut open = fs::OpenOptions::new().append(true).open(&path).unwrap();
        replace_file(&path, b"second", true).unwrap();
        open.write_all(b"lost").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o640
        );
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn keeps_symlinks_and_replaces_or_creates_their_target() {
        let dir = tempfile::tempdir().unwrap();
        let [file, link, second] = ["file", "link", "second"].map(|name| dir.path().join(name));
        symlink("file", &link).unwrap();
        symlink(&link, &second).unwrap();
        for bytes in [b"made", b"over"] {
            replace_file(&second, bytes, true).unwrap();
            assert_eq!(fs::read(&file).unwrap(), bytes);
        }
        assert!(link.is_symlink() && second.is_symlink());
        assert!(!file.is_symlink());
    }

    #[test]
    fn writes_directly_to_a_pipe_and_a_device() {
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
        replace_file(&link, b"through", true).unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo() && link.is_symlink());
        // Through a link, so that a bug would destroy the link, not the device.
        let null = dir.path().join("null");
        symlink("/dev/null", &null).unwrap();
        replace_file(&null, b"x", true).unwrap();
        assert!(null.is_symlink());
    }

    #[test]
    fn appends_to_an_open_descriptor() {
        use std::os::fd::AsRawFd;
        let mut open = tempfile::tempfile().unwrap();
        open.write_all(b"a").unwrap();
        let path = format!("/proc/self/fd/{}", open.as_raw_fd());
        if fs::metadata(&path).is_ok() {
            replace_file(path.as_ref(), b"b", true).unwrap();
            assert_eq!(fs::read(path).unwrap(), b"ab");
        }
    }

    #[test]
    fn removes_the_temporary_files_of_killed_processes() {
        let dir = tempfile::tempdir().unwrap();
        for (name, mode) in [(".a.forage-new", 0o600), (".a.forage-newXyz123", 0o200)] {
            let path = dir.path().join(name);
            fs::write(&path, "left").unwrap();
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        }
        replace_file(&dir.path().join("a"), b"x", true).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn of_several_writers_the_last_to_commit_wins() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        let mut first = PendingFile::create(&path, true).unwrap();
        first.append(b"first").unwrap();
        replace_file(&path, b"second", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        first.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn concurrent_writers_publish_complete_files_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..50 {
                        replace_file(path, &[b'0' + writer; 1000], true).unwrap();
                        let bytes = fs::read(path).unwrap();
                        let is_complete =
                            bytes.len() == 1000 && bytes.iter().all(|b| *b == bytes[0]);
                        assert!(is_complete, "{bytes:?}");
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_error_names_the_file_that_cannot_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let cycle = dir.path().join("cycle");
        symlink("cycle", &cycle).unwrap();
        for path in [dir.path().to_path_buf(), dir.path().join("no/file"), cycle] {
            let e = replace_file(&path, b"x", true).unwrap_err();
            assert!(
                e.to_string().starts_with(&path.display().to_string()),
                "{e}"
            );
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
