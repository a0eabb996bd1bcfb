//! Files of a run folder.

use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Replaces a file, atomically.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let new = PathBuf::from(name);
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().with_context(|| path.display().to_string())
}

/// Checks that a path is a regular file that can be read.
pub fn check_readable(option: &str, path: &str) -> Result<()> {
    let is_file = Path::new(path).is_file();
    if !is_file || File::open(path).is_err() {
        bail!("{option}{path}: the file does not exist or cannot be read");
    }
    Ok(())
}

/// Checks that a folder that may be from somebody else has no links, through which files elsewhere
/// could be replaced, and no pipes, which would block.
pub fn check_links(folder: &Path, trusts: bool) -> Result<()> {
    if let Some(path) = find_link(folder, MAX_DEPTH)
        && !trusts
    {
        bail!(
            "{}: is a symbolic link, or no file, and files elsewhere could be replaced; if you \
             made it, add --trust",
            path.display()
        );
    }
    Ok(())
}

/// Folders in a run folder are not nested more deeply.
const MAX_DEPTH: u32 = 3;

fn find_link(folder: &Path, depth: u32) -> Option<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).ok()?.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::path);
    entries.into_iter().find_map(|entry| {
        let kind = entry.file_type().ok()?;
        match kind.is_dir() {
            true if depth > 1 => find_link(&entry.path(), depth - 1),
            true => None,
            false => (!kind.is_file()).then(|| entry.path()),
        }
    })
}

/// Returns the device and the inode of a file, by which two paths of one file are recognised.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Returns the last line of a file; empty if there is none.
pub fn last_line(path: &Path) -> String {
    /// The tail that is read first; a longer last line needs further reads.
    const TAIL_BYTES: u64 = 64 << 10;
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut tail = TAIL_BYTES;
        loop {
            let start = length.saturating_sub(tail);
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::new();
            Read::by_ref(&mut file)
                .take(length - start)
                .read_to_end(&mut bytes)?;
            let content = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
            if let Some(at) = content.iter().rposition(|byte| *byte == b'\n') {
                return Ok(content[at + 1..].to_vec());
            }
            if start == 0 {
                return Ok(content.to_vec());
            }
            tail *= 8;
        }
    };
    String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
}

/// Calls `visit` with each line of a file that contains `text`, parsed as JSON. Other lines are not
/// parsed.
pub fn visit_lines_with(path: &Path, text: &str, mut visit: impl FnMut(serde_json::Value)) {
    let Ok(file) = File::open(path) else { return };
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    while reader
        .read_until(b'\n', &mut line)
        .is_ok_and(|bytes| bytes > 0)
    {
        let is_match = line
            .windows(text.len())
            .any(|window| window == text.as_bytes());
        if is_match && let Ok(record) = serde_json::from_slice(&line) {
            visit(record);
        }
        line.clear();
    }
}

/// Returns the absolute path of a file or folder; `None` if there is none.
pub fn absolute(path: &str) -> Option<String> {
    // A link stays a link, so that it can be repointed.
    let absolute = std::path::absolute(path)
        .ok()
        .filter(|path| path.exists())?;
    absolute.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_is_read_from_the_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lines");
        let long = "x".repeat(200_000);
        for (text, last) in [
            ("", ""),
            ("a", "a"),
            ("a\nb\n", "b"),
            (&format!("a\n{long}\n"), long.as_str()),
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(last_line(&path), last);
        }
    }

    #[test]
    fn links_and_pipes_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("corpus")).unwrap();
        fs::write(dir.path().join("corpus/a"), "").unwrap();
        assert!(check_links(dir.path(), false).is_ok());
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("corpus/b")).unwrap();
        assert!(check_links(dir.path(), false).is_err());
        assert!(check_links(dir.path(), true).is_ok());
    }
}
