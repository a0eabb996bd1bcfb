//! Plain text, cut into batches of whole lines as it comes.
//!
//! `forage_cli` reads lines that are records or nothing, and passes over blank ones. Here each line is to be answered,
//! blank or not, so that answers keep step with lines. A read gives what is there and no more, so no line waits for one
//! that is still to come.

use anyhow::Context;
use forage_cli::Input;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 17;

/// Lines that go through together.
#[derive(Debug)]
pub(crate) struct Batch {
    /// The file's name, `-` for standard input.
    pub(crate) file: Arc<str>,
    /// The number of the first line in that file, from 1.
    pub(crate) first: u64,
    pub(crate) lines: Lines,
}

#[derive(Debug)]
pub(crate) enum Lines {
    /// Whole lines, each with its end.
    Whole(Vec<u8>),
    /// One of so many bytes, which is too long to be held.
    TooLong(u64),
}

/// The files to read.
///
/// # Errors
/// When a named one is missing or a folder: better said before the first answer than after the last.
pub(crate) fn files(input: &Input) -> anyhow::Result<Vec<PathBuf>> {
    for path in input.files.iter().filter(|path| !is_stdin(path)) {
        let about = std::fs::metadata(path).with_context(|| path.display().to_string())?;
        anyhow::ensure!(!about.is_dir(), "{}: is a folder", path.display());
    }
    Ok(if input.files.is_empty() { vec!["-".into()] } else { input.files.clone() })
}

pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Gives all lines of `files` to `take`, in their order, until it wants no more.
///
/// # Errors
/// When a file can't be read.
pub(crate) fn read(files: &[PathBuf], max_line: usize, mut take: impl FnMut(Batch) -> bool) -> anyhow::Result<()> {
    for path in files {
        let name: Arc<str> = path.to_string_lossy().into();
        let file =
            if is_stdin(path) { io::stdin().as_fd().try_clone_to_owned().map(File::from) } else { File::open(path) };
        let cutter = Cutter { file: name.clone(), next: 1, pending: Vec::new(), skipped: 0, max_line };
        if !file.and_then(|file| cutter.run(file, &mut take)).with_context(|| name.to_string())? {
            break;
        }
    }
    Ok(())
}

/// Cuts one file.
struct Cutter {
    file: Arc<str>,
    /// The number of the next line.
    next: u64,
    /// The start of a line whose end is not read.
    pending: Vec<u8>,
    /// Bytes of a line that is too long, which are not held; 0 where there is none.
    skipped: usize,
    max_line: usize,
}

impl Cutter {
    /// Whether more is wanted.
    fn run(mut self, mut file: File, take: &mut impl FnMut(Batch) -> bool) -> io::Result<bool> {
        let mut chunk = vec![0; CHUNK];
        loop {
            let read = match file.read(&mut chunk) {
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                read => read?,
            };
            let goes_on = if read == 0 { self.end(take) } else { self.cut(&chunk[..read], take) };
            if !goes_on || read == 0 {
                return Ok(goes_on);
            }
        }
    }

    fn cut(&mut self, mut chunk: &[u8], take: &mut impl FnMut(Batch) -> bool) -> bool {
        if self.skipped > 0 {
            let end = chunk.iter().position(|byte| *byte == b'\n');
            self.skipped += end.unwrap_or(chunk.len());
            let Some(end) = end else { return true };
            chunk = &chunk[end + 1..];
            if !self.end(take) {
                return false;
            }
        }
        let whole = chunk.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let mut goes_on = true;
        if whole > 0 {
            self.pending.extend_from_slice(&chunk[..whole]);
            goes_on = self.hand_on(take);
        }
        self.pending.extend_from_slice(&chunk[whole..]);
        if self.pending.len() > self.max_line {
            self.skipped = self.pending.len();
            self.pending = Vec::new();
        }
        goes_on
    }

    /// Hands on the line that ends here though no line feed may have ended it.
    fn end(&mut self, take: &mut impl FnMut(Batch) -> bool) -> bool {
        match std::mem::take(&mut self.skipped) {
            0 if self.pending.is_empty() => true,
            0 => {
                self.pending.push(b'\n');
                self.hand_on(take)
            }
            length => self.batch(1, Lines::TooLong(length as u64), take),
        }
    }

    fn hand_on(&mut self, take: &mut impl FnMut(Batch) -> bool) -> bool {
        let lines = std::mem::take(&mut self.pending);
        let number = lines.iter().filter(|byte| **byte == b'\n').count() as u64;
        self.batch(number, Lines::Whole(lines), take)
    }

    fn batch(&mut self, number: u64, lines: Lines, take: &mut impl FnMut(Batch) -> bool) -> bool {
        let first = self.next;
        self.next += number;
        take(Batch { file: self.file.clone(), first, lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(chunks: &[&str], max_line: usize) -> Vec<(u64, String)> {
        let mut found = Vec::new();
        let mut take = |batch: Batch| {
            let lines = match batch.lines {
                Lines::Whole(lines) => String::from_utf8(lines).unwrap(),
                Lines::TooLong(length) => length.to_string(),
            };
            found.push((batch.first, lines));
            true
        };
        let mut cutter = Cutter { file: "-".into(), next: 1, pending: Vec::new(), skipped: 0, max_line };
        assert!(chunks.iter().all(|chunk| cutter.cut(chunk.as_bytes(), &mut take)) && cutter.end(&mut take));
        found
    }

    #[test]
    fn batches_are_whole_lines_as_they_come() {
        let found = cut(&["a\n\nb", "c\nd\n", "e"], 9);
        assert_eq!(found, [(1, "a\n\n".into()), (3, "bc\nd\n".into()), (5, "e\n".into())]);
    }

    #[test]
    fn a_line_that_is_too_long_is_not_held() {
        let found = cut(&["a\nbbbb", "bbbb", "bb\nc\n", "ddddddd"], 3);
        assert_eq!(found, [(1, "a\n".into()), (2, "10".into()), (3, "c\n".into()), (4, "7".into())]);
    }
}
