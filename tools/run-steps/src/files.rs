//! Files of a run folder.

use anyhow::{Context, Result, bail};
use forage_cli::ContentKind;
use forage_record::replace_unpaired_surrogates;
use memchr::memmem;
use serde_json::Value;
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

/// Returns the paths of the corpora of a run, sorted.
pub fn list_corpora(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run.join("corpus"))
        .into_iter()
        .flatten()
        .flatten();
    let paths = entries.map(|entry| entry.path().display().to_string());
    let mut paths: Vec<String> = paths.filter(|path| path.ends_with(".jsonl")).collect();
    paths.sort();
    paths
}

/// Returns whether a file that a user gives has records, by its content.
pub fn has_records(path: &str) -> Result<bool> {
    let content = forage_cli::open_given_file(Path::new(path))?;
    Ok(content.kind() == ContentKind::Records)
}

/// Parses a record; `Null` if it is none.
pub fn parse_record(line: &str) -> Value {
    let readable = replace_unpaired_surrogates(line);
    serde_json::from_str(readable.as_deref().unwrap_or(line)).unwrap_or_default()
}

/// Returns a label: a string, or a number or Boolean as text, as [`Record::scalar`] does.
///
/// [`Record::scalar`]: forage_record::Record::scalar
pub fn label_of(record: &Value) -> Option<String> {
    match &record["label"] {
        Value::String(label) => Some(label.clone()),
        label @ (Value::Number(_) | Value::Bool(_)) => Some(label.to_string()),
        _ => None,
    }
}

/// Writes counts by name, as in `slv 12, hrv 3`.
pub fn format_counts(counts: impl IntoIterator<Item = (String, u64)>) -> String {
    let counts = counts.into_iter();
    let shown: Vec<String> = counts
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    shown.join(", ")
}

/// Calls `visit` with each line of a file that contains `text`, parsed as JSON. Other lines are not
/// parsed.
pub fn visit_lines_with(path: &Path, text: &str, mut visit: impl FnMut(Value)) {
    let Ok(file) = File::open(path) else { return };
    let mut reader = BufReader::new(file);
    let finder = memmem::Finder::new(text);
    let mut line = Vec::new();
    while reader
        .read_until(b'\n', &mut line)
        .is_ok_and(|bytes| bytes > 0)
    {
        if finder.find(&line).is_some() {
            let record = parse_record(&String::from_utf8_lossy(&line));
            if !record.is_null() {
                visit(record);
            }
        }
        line.clear();
    }
}

/// Returns the number of line feeds in a file.
pub fn count_lines(path: &Path) -> Result<usize> {
    let mut count = 0;
    visit_chunks(path, |bytes| {
        count += memchr::memchr_iter(b'\n', bytes).count();
        true
    })
    .with_context(|| path.display().to_string())?;
    Ok(count)
}

/// Returns whether a file has more than white space.
pub fn has_text(path: &Path) -> bool {
    let mut has_text = false;
    let read = visit_chunks(path, |bytes| {
        has_text = bytes.iter().any(|byte| !byte.is_ascii_whitespace());
        !has_text
    });
    read.is_ok() && has_text
}

/// Calls `visit` with the content of a file, in parts, until it returns `false`.
fn visit_chunks(path: &Path, mut visit: impl FnMut(&[u8]) -> bool) -> std::io::Result<()> {
    let mut reader = BufReader::new(File::open(path)?);
    loop {
        let bytes = reader.fill_buf()?;
        let length = bytes.len();
        if length == 0 || !visit(bytes) {
            return Ok(());
        }
        reader.consume(length);
    }
}

/// Returns whether two files have the same content.
pub fn have_same_content(a: &Path, b: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).map(|file| file.len()).ok();
    if length(a).is_none() || length(a) != length(b) {
        return false;
    }
    fs::read(a).is_ok_and(|content| fs::read(b).is_ok_and(|other| other == content))
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
    fn the_content_of_files_is_compared_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = dir.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let long = "line\n".repeat(20_000);
        let [a, b] = ["a", "b"].map(|name| write(name, &long));
        let other = write("other", &(long[..99_999].to_owned() + "x"));
        assert!(have_same_content(&a, &b) && !have_same_content(&a, &other));
        assert!(!have_same_content(&a, &dir.path().join("none")));
        assert_eq!(
            (count_lines(&a).unwrap(), count_lines(&other).unwrap()),
            (20_000, 19_999)
        );
        assert!(has_text(&a) && !has_text(&write("blank", &" \n".repeat(9_000))));
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
