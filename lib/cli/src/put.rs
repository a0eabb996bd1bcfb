//! Writes a file whole or not at all, where that can be done by renaming; into devices, pipes and sockets otherwise.

use anyhow::Context;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// As many symbolic links as Linux follows.
const MOST_LINKS: usize = 40;

/// Puts `bytes` at `path`.
///
/// A regular file is replaced, and keeps its permissions: a temporary one in the same folder is written, synced and
/// renamed. A symbolic link stays, and what it points to is replaced or made. What is there and no regular file is
/// written into; so is what the process has open, as `/dev/stdout`.
///
/// # Errors
/// When the file can't be written; the message names it. A regular file is then as it was.
pub fn put_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let is_special = fs::metadata(path).is_ok_and(|about| !about.is_file());
    let put = || {
        if is_special || is_descriptor(path) { write_into(path, bytes) } else { replace(&behind_links(path)?, bytes) }
    };
    put().with_context(|| path.display().to_string())
}

/// Whether the path leads to an open file, to whose end belongs what is written: who opened it may write more.
fn is_descriptor(path: &Path) -> bool {
    ["/dev/fd", "/proc"].iter().any(|folder| path.starts_with(folder))
        || ["/dev/stdout", "/dev/stderr"].iter().any(|name| path == Path::new(name))
}

fn write_into(path: &Path, bytes: &[u8]) -> io::Result<()> {
    OpenOptions::new().append(true).open(path)?.write_all(bytes)
}

/// Where the links end; nothing need be there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..=MOST_LINKS {
        // An error means that it is no link, or not there.
        let Ok(target) = fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    Err(io::Error::other("too many symbolic links"))
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Without a folder the error would name the temporary file.
    fs::metadata(folder)?;
    // The user's umask is taken off these.
    let mut file = tempfile::Builder::new().permissions(Permissions::from_mode(0o666)).tempfile_in(folder)?;
    if let Ok(there) = fs::metadata(path) {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::put_file;
    use std::fs::{self, Permissions};
    use std::io::Write;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

    #[test]
    fn replaces_a_file_whole_and_keeps_its_permissions() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        put_file(&path, b"first").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        let mut open = fs::OpenOptions::new().append(true).open(&path).unwrap();
        put_file(&path, b"second").unwrap();
        open.write_all(b"lost").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn keeps_links_and_replaces_or_makes_what_they_point_to() {
        let dir = tempfile::tempdir().unwrap();
        let [file, link, second] = ["file", "link", "second"].map(|name| dir.path().join(name));
        symlink("file", &link).unwrap();
        symlink(&link, &second).unwrap();
        for bytes in [b"made", b"over"] {
            put_file(&second, bytes).unwrap();
            assert_eq!(fs::read(&file).unwrap(), bytes);
        }
        assert!(link.is_symlink() && second.is_symlink());
        assert!(!file.is_symlink());
    }

    #[test]
    fn writes_into_a_pipe_and_a_device() {
        let dir = tempfile::tempdir().unwrap();
        let [pipe, link] = ["pipe", "link"].map(|name| dir.path().join(name));
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        symlink(&pipe, &link).unwrap();
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        put_file(&link, b"through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo() && link.is_symlink());
        // Through a link, so that a defect would cost the link and not the device.
        let null = dir.path().join("null");
        symlink("/dev/null", &null).unwrap();
        put_file(&null, b"x").unwrap();
        assert!(null.is_symlink());
    }

    #[test]
    fn appends_to_what_the_process_has_open() {
        use std::os::fd::AsRawFd;
        let mut open = tempfile::tempfile().unwrap();
        open.write_all(b"a").unwrap();
        let path = format!("/proc/self/fd/{}", open.as_raw_fd());
        if fs::metadata(&path).is_ok() {
            put_file(path.as_ref(), b"b").unwrap();
            assert_eq!(fs::read(path).unwrap(), b"ab");
        }
    }

    #[test]
    fn names_the_file_that_cannot_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let round = dir.path().join("round");
        symlink("round", &round).unwrap();
        for path in [dir.path().to_path_buf(), dir.path().join("no/file"), round] {
            let e = put_file(&path, b"x").unwrap_err();
            assert_eq!(e.to_string(), path.display().to_string());
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
