//! The file to which each verdict is appended.

use anyhow::Context;
use forage_review::{Verdict, parse_judgement};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file of judgements, open for appending, and locked against another session.
#[derive(Debug)]
pub(crate) struct VerdictFile {
    file: File,
    path: PathBuf,
    /// The size in bytes.
    length: u64,
}

/// A judgement in the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SavedVerdict {
    pub(crate) id: String,
    pub(crate) verdict: Verdict,
    /// The position of its line in bytes.
    pub(crate) offset: u64,
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
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(name)?;
        let mut verdicts = VerdictFile {
            file,
            path: path.into(),
            length: bytes.len() as u64,
        };
        let saved = verdicts.parse_lines(&bytes)?;
        Ok((verdicts, saved))
    }

    fn parse_lines(&mut self, bytes: &[u8]) -> anyhow::Result<Vec<SavedVerdict>> {
        let mut saved = Vec::new();
        let mut offset = 0;
        for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let is_complete = line.ends_with(b"\n");
            let content = line.strip_suffix(b"\n").unwrap_or(line);
            let content = content.strip_suffix(b"\r").unwrap_or(content);
            let content = match content.strip_prefix(b"\xef\xbb\xbf") {
                Some(rest) if index == 0 => rest,
                _ => content,
            };
            match parse_judgement(content) {
                Ok(judgement) => saved.extend(judgement.map(|(id, verdict)| SavedVerdict {
                    id: id.into(),
                    verdict,
                    offset,
                })),
                Err(_) if !is_complete => self.truncate(offset)?,
                Err(e) => anyhow::bail!("{}:{}: {e}", self.path.display(), index + 1),
            }
            if !is_complete && self.length > offset {
                self.append_bytes(b"\n")?;
            }
            offset += line.len() as u64;
        }
        Ok(saved)
    }

    /// Appends a judgement, which is then safe from a crash of the machine. Returns the position of
    /// its line.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn append(&mut self, id: &str, verdict: Verdict) -> anyhow::Result<u64> {
        let offset = self.length;
        self.append_bytes(format!("{id}\t{}\n", verdict.name()).as_bytes())?;
        Ok(offset)
    }

    fn append_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let written = self
            .file
            .seek(SeekFrom::Start(self.length))
            .and_then(|_| self.file.write_all(bytes))
            .and_then(|()| self.file.sync_data());
        written.with_context(|| self.path.display().to_string())?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Removes the file's content from `offset`.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn truncate(&mut self, offset: u64) -> anyhow::Result<()> {
        let truncated = self
            .file
            .set_len(offset)
            .and_then(|()| self.file.sync_data());
        truncated.with_context(|| self.path.display().to_string())?;
        self.length = offset;
        Ok(())
    }
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
        let (mut file, saved) = VerdictFile::open(&path).unwrap();
        let ids: Vec<_> = saved.iter().map(|verdict| verdict.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
        let offset = file.append("c", Verdict::Relevant).unwrap();
        file.append("d", Verdict::Nonrelevant).unwrap();
        file.truncate(offset).unwrap();
        file.append("e", Verdict::Nonrelevant).unwrap();
        drop(file);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text, "\u{feff}# mine\r\na\tyes\r\nb\tno\ne\tno\n");
        assert_eq!(VerdictFile::open(&path).unwrap().1[2].offset, offset);
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
