//! The file to which each verdict is appended.
//!
//! The file may be edited during a review, and most editors put another file in its place. So it is
//! opened by its path for each change.

use anyhow::Context;
use forage_review::{Verdict, parse_judgement};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The path of a file of judgements, and a lock against another session.
#[derive(Debug)]
pub(crate) struct VerdictFile {
    path: PathBuf,
    /// The file that was opened first. The lock does not hold for one that replaces it, to which
    /// two sessions may append, but neither loses a verdict by that.
    _locked: File,
}

/// A judgement in the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SavedVerdict {
    pub(crate) id: String,
    pub(crate) verdict: Verdict,
    /// The position of its line in bytes.
    offset: u64,
}

impl VerdictFile {
    /// Opens or creates the file at `path`, and returns its judgements in order. A last line that
    /// is incomplete, because its writer was killed, is cut off.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, if another session has it open, or if a line is
    /// malformed.
    pub(crate) fn open(path: &Path) -> anyhow::Result<(VerdictFile, Vec<SavedVerdict>)> {
        let name = || path.display().to_string();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .with_context(name)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                anyhow::bail!("{}: is open in another review; finish it first", name())
            }
            Err(TryLockError::Error(e)) => return Err(e).with_context(name),
        }
        let (saved, length) = read_verdicts(&mut file, path)?;
        if length < file.metadata().with_context(name)?.len() {
            truncate(&file, length).with_context(name)?;
        }
        let verdicts = VerdictFile {
            path: path.into(),
            _locked: file,
        };
        Ok((verdicts, saved))
    }

    /// Appends a judgement, which is then safe from a crash of the machine. If the file has been
    /// removed, it is created again.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn append(&self, id: &str, verdict: Verdict) -> anyhow::Result<()> {
        let line = format!("{id}\t{}\n", verdict.name());
        self.append_line(line)
            .with_context(|| self.path.display().to_string())
    }

    fn append_line(&self, mut line: String) -> io::Result<()> {
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(&self.path)?;
        let length = file.metadata()?.len();
        if !ends_with_line_feed(&file, length)? {
            line.insert(0, '\n');
        }
        let written = file
            .write_all(line.as_bytes())
            .and_then(|()| file.sync_data());
        if written.is_err() {
            // A part of the line would make the file malformed. If it cannot be removed either, the
            // first error is the one to report.
            let _ = file.set_len(length);
        }
        written
    }

    /// Removes the last judgement, which must be this one, and all lines after it.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written, or if another program has changed it so that
    /// its last judgement is a different one.
    pub(crate) fn remove_last(&self, id: &str, verdict: Verdict) -> anyhow::Result<()> {
        let name = || self.path.display().to_string();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&self.path)
            .with_context(name)?;
        let (saved, _) = read_verdicts(&mut file, &self.path)?;
        let last = saved
            .last()
            .filter(|last| last.id == id && last.verdict == verdict)
            .with_context(|| format!("{}: was edited, and has another last verdict", name()))?;
        truncate(&file, last.offset).with_context(name)
    }
}

/// Reads the judgements of a file, and the length of its lines without a last one that is
/// incomplete and malformed.
///
/// # Errors
/// Fails if the file cannot be read, or if another line is malformed.
fn read_verdicts(file: &mut File, path: &Path) -> anyhow::Result<(Vec<SavedVerdict>, u64)> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .with_context(|| path.display().to_string())?;
    let mut saved = Vec::new();
    let mut offset = 0;
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let is_complete = line.ends_with(b"\n");
        match parse_judgement(line_content(line, index == 0)) {
            Ok(judgement) => saved.extend(judgement.map(|(id, verdict)| SavedVerdict {
                id: id.into(),
                verdict,
                offset,
            })),
            Err(_) if !is_complete && may_be_cut_short(line, !saved.is_empty()) => break,
            Err(e) => anyhow::bail!("{}:{}: {e}", path.display(), index + 1),
        }
        offset += line.len() as u64;
    }
    Ok((saved, offset))
}

/// Returns `true` if a line without a line feed is the beginning of a verdict, so that its writer
/// may have been killed. Without verdicts before, the file may be something else.
fn may_be_cut_short(line: &[u8], has_earlier: bool) -> bool {
    let Ok(text) = std::str::from_utf8(line) else {
        return false;
    };
    let is_id = |id: &str| !id.is_empty() && !id.contains(|c: char| c.is_control() || c == ' ');
    match text.split_once('\t') {
        Some((id, verdict)) => {
            is_id(id) && ["yes", "no"].iter().any(|word| word.starts_with(verdict))
        }
        None => has_earlier && is_id(text),
    }
}

/// Returns a line without its end, and the first line without a byte order mark.
fn line_content(line: &[u8], is_first: bool) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) if is_first => rest,
        _ => line,
    }
}

/// Returns `true` if a file of `length` bytes is empty or its last line is complete.
fn ends_with_line_feed(file: &File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else {
        return Ok(true);
    };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}

/// Removes the file's content from `offset`.
fn truncate(file: &File, offset: u64) -> io::Result<()> {
    file.set_len(offset)?;
    file.sync_data()
}

#[cfg(test)]
mod tests {
    use super::VerdictFile;
    use forage_review::Verdict;
    use std::fs;

    #[test]
    fn verdicts_are_appended_removed_and_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.tsv");
        fs::write(&path, "\u{feff}# mine\r\na\tyes\r\nb\tno").unwrap();
        let (file, saved) = VerdictFile::open(&path).unwrap();
        let ids: Vec<_> = saved.iter().map(|verdict| verdict.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
        file.append("c", Verdict::Relevant).unwrap();
        file.append("d", Verdict::Nonrelevant).unwrap();
        file.remove_last("d", Verdict::Nonrelevant).unwrap();
        file.remove_last("c", Verdict::Relevant).unwrap();
        file.append("e", Verdict::Nonrelevant).unwrap();
        drop(file);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "\u{feff}# mine\r\na\tyes\r\nb\tno\ne\tno\n");
        assert_eq!(VerdictFile::open(&path).unwrap().1.len(), 3);
    }

    #[test]
    fn an_incomplete_last_line_is_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.tsv");
        fs::write(&path, "a\tyes\nb\ty").unwrap();
        assert_eq!(VerdictFile::open(&path).unwrap().1.len(), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\tyes\n");
    }

    #[test]
    fn a_file_of_something_else_keeps_its_last_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.tsv");
        for text in [
            "notes",
            "SQLite format 3\0",
            "a\tyes\nmy notes",
            "a\tyes\nb\tyeah",
            "a\tb",
        ] {
            fs::write(&path, text).unwrap();
            assert!(VerdictFile::open(&path).is_err(), "{text}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn malformed_lines_and_a_second_session_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j.tsv");
        fs::write(&path, "a\tyes\nb\n").unwrap();
        let message = VerdictFile::open(&path).unwrap_err().to_string();
        assert!(message.contains("j.tsv:2: "), "{message}");
        fs::write(&path, "").unwrap();
        let _open = VerdictFile::open(&path).unwrap();
        let message = VerdictFile::open(&path).unwrap_err().to_string();
        assert!(message.contains("another review"), "{message}");
    }
}
