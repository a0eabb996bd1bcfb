//! Lines of several files as one stream, in bounded memory.
//!
//! A line longer than the limit is read past without being held, and kept on the way where that is
//! wanted. Before a read that would block, the caller is told that the input is idle, so that a
//! tool can answer line by line when it sits in a co-process.

use crate::rejects::Rejects;
use anyhow::Context;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Bytes read at once.
const CHUNK: usize = 1 << 18;

/// Where a line stands: file and number, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name, `-` for standard input.
    pub file: Arc<str>,
    /// The line's number in that file.
    pub line: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A line, without its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// It is longer than the limit; its size in bytes.
    TooLong(u64),
}

/// What the caller is told before the lines go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// The next read would block.
    Idle,
    /// A line that is too long is about to be kept: the lines before it must be done with.
    Keeping,
}

/// The lines of some files.
#[derive(Debug)]
pub struct Lines {
    /// Whether blank ones are lines as others are; between records they are no matter.
    pub keeps_blank: bool,
    waiting: VecDeque<PathBuf>,
    max_line: usize,
    open: Option<Source>,
    chunk: Box<[u8]>,
    /// The part of `chunk` that is read but not handed out.
    unread: std::ops::Range<usize>,
    bytes: u64,
    /// Where lines that are too long are kept.
    rejects: Rejects,
}

#[derive(Debug)]
struct Source {
    file: File,
    name: Arc<str>,
    line: u64,
    /// Whether reading it may block.
    may_block: bool,
}

impl Lines {
    /// The lines of `files`, `-` or none meaning standard input, each at most `max_line` bytes.
    ///
    /// # Errors
    /// When a named file is missing or a folder: better said before the first record than after the
    /// last.
    pub fn new(files: &[PathBuf], max_line: usize) -> anyhow::Result<Self> {
        for path in files.iter().filter(|path| !is_stdin(path)) {
            let about = std::fs::metadata(path).with_context(|| path.display().to_string())?;
            anyhow::ensure!(!about.is_dir(), "{}: is a folder", path.display());
        }
        let waiting = if files.is_empty() {
            VecDeque::from([PathBuf::from("-")])
        } else {
            files.to_vec().into()
        };
        Ok(Lines {
            keeps_blank: false,
            waiting,
            max_line,
            open: None,
            chunk: vec![0; CHUNK].into(),
            unread: 0..0,
            bytes: 0,
            rejects: Rejects::default(),
        })
    }

    /// Lets lines that are too long be kept, whole, as they are read past.
    pub(crate) fn keep_long(&mut self, rejects: Rejects) {
        self.rejects = rejects;
    }

    /// Whether nobody but a person at a terminal will write the input.
    pub fn awaits_terminal(files: &[PathBuf]) -> bool {
        reads_stdin(files) && io::stdin().is_terminal()
    }

    /// Whether the regular file at `path` is among `files`, be it by another path or link, or as
    /// standard input.
    pub fn read_from(files: &[PathBuf], path: &Path) -> bool {
        let Ok(file) = std::fs::metadata(path) else {
            return false;
        };
        let is_same = |about: io::Result<Metadata>| {
            about.is_ok_and(|about| (about.dev(), about.ino()) == (file.dev(), file.ino()))
        };
        let is_named = || {
            files
                .iter()
                .any(|path| !is_stdin(path) && is_same(std::fs::metadata(path)))
        };
        let is_redirected =
            || reads_stdin(files) && is_same(stdin().and_then(|stdin| stdin.metadata()));
        file.is_file() && (is_named() || is_redirected())
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The next line; `None` when all files are read. A byte-order mark at the start of a file and
    /// a CR before the line's end are taken away. Tells `pause` what stands before it.
    ///
    /// # Errors
    /// When a file can't be read, a line can't be kept, or `pause` fails.
    pub fn next(
        &mut self,
        pause: &mut dyn FnMut(Pause) -> anyhow::Result<()>,
    ) -> anyhow::Result<Option<(Place, Line)>> {
        while self.open.is_some() || self.open_next()? {
            match self.line(pause)? {
                None => self.open = None,
                Some((_, Line::Bytes(line)))
                    if !self.keeps_blank && line.iter().all(u8::is_ascii_whitespace) => {}
                Some(found) => return Ok(Some(found)),
            }
        }
        Ok(None)
    }

    fn open_next(&mut self) -> anyhow::Result<bool> {
        let Some(path) = self.waiting.pop_front() else {
            return Ok(false);
        };
        let (file, name) = if is_stdin(&path) {
            (stdin()?, "-".into())
        } else {
            (
                File::open(&path).with_context(|| path.display().to_string())?,
                path.to_string_lossy().into(),
            )
        };
        let may_block = !file.metadata().is_ok_and(|about| about.is_file());
        self.unread = 0..0;
        self.open = Some(Source {
            file,
            name,
            line: 0,
            may_block,
        });
        Ok(true)
    }

    /// The next line of the open file, blank or not; `None` at its end.
    fn line(
        &mut self,
        pause: &mut dyn FnMut(Pause) -> anyhow::Result<()>,
    ) -> anyhow::Result<Option<(Place, Line)>> {
        let mut line = Vec::new();
        let mut length = 0_u64;
        loop {
            if self.unread.is_empty() && !self.fill(pause)? {
                return if length > 0 {
                    self.finish(line, length).map(Some)
                } else {
                    Ok(None)
                };
            }
            let unread = &self.chunk[self.unread.clone()];
            let end = memchr::memchr(b'\n', unread);
            let piece = &unread[..end.unwrap_or(unread.len())];
            let was_short = length <= self.max_line as u64;
            length += piece.len() as u64;
            if length <= self.max_line as u64 {
                line.extend_from_slice(piece);
            } else if self.rejects.is_wanted() {
                if was_short {
                    pause(Pause::Keeping)?;
                }
                self.rejects.put(&std::mem::take(&mut line))?;
                self.rejects.put(piece)?;
            } else {
                line = Vec::new();
            }
            self.unread.start += piece.len() + usize::from(end.is_some());
            if end.is_some() {
                return self.finish(line, length).map(Some);
            }
        }
    }

    /// Reads more of the open file; false at its end.
    fn fill(&mut self, pause: &mut dyn FnMut(Pause) -> anyhow::Result<()>) -> anyhow::Result<bool> {
        let Some(source) = &mut self.open else {
            return Ok(false);
        };
        if source.may_block && !is_ready(&source.file) {
            pause(Pause::Idle)?;
        }
        let read = loop {
            match source.file.read(&mut self.chunk) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                read => break read.with_context(|| source.name.to_string())?,
            }
        };
        self.bytes += read as u64;
        self.unread = 0..read;
        Ok(read > 0)
    }

    fn finish(&mut self, mut line: Vec<u8>, length: u64) -> anyhow::Result<(Place, Line)> {
        let (file, number) = match &mut self.open {
            Some(source) => {
                source.line += 1;
                (source.name.clone(), source.line)
            }
            None => ("-".into(), 0),
        };
        let place = Place { file, line: number };
        if length > self.max_line as u64 {
            self.rejects.put(b"\n")?;
            return Ok((place, Line::TooLong(length)));
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if number == 1 && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        Ok((place, Line::Bytes(line)))
    }
}

fn stdin() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

fn reads_stdin(files: &[PathBuf]) -> bool {
    files.is_empty() || files.iter().any(|path| is_stdin(path))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether a read would return at once. What can't be asked is taken to be ready.
fn is_ready(file: &File) -> bool {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&now)).map_or(true, |ready| ready > 0)
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};
    use proptest::prelude::*;
    use std::io::Write;

    fn read(texts: &[&[u8]], max_line: usize) -> Vec<(u64, Line)> {
        let dir = tempfile::tempdir().unwrap();
        let mut files = Vec::new();
        for (i, text) in texts.iter().enumerate() {
            files.push(dir.path().join(i.to_string()));
            std::fs::File::create(&files[i])
                .unwrap()
                .write_all(text)
                .unwrap();
        }
        let mut lines = Lines::new(&files, max_line).unwrap();
        let mut found = Vec::new();
        while let Some((place, line)) = lines.next(&mut |_| Ok(())).unwrap() {
            found.push((place.line, line));
        }
        found
    }

    fn bytes(text: &[u8]) -> Line {
        Line::Bytes(text.to_vec())
    }

    #[test]
    fn reads_several_files_as_one_stream() {
        assert_eq!(
            read(&[b"a\nb", b"", b"c\n"], 10),
            [(1, bytes(b"a")), (2, bytes(b"b")), (1, bytes(b"c"))]
        );
    }

    #[test]
    fn passes_over_blank_lines_a_byte_order_mark_and_cr() {
        assert_eq!(
            read(&[b"\xef\xbb\xbfa\r\n\r\n  \nb\r\n"], 10),
            [(1, bytes(b"a")), (4, bytes(b"b"))]
        );
    }

    #[test]
    fn leaves_out_a_line_that_is_too_long_and_goes_on() {
        let long = b"x".repeat(700_000);
        let text = [b"a\n", long.as_slice(), b"\nb\n"].concat();
        assert_eq!(
            read(&[&text], 5),
            [
                (1, bytes(b"a")),
                (2, Line::TooLong(700_000)),
                (3, bytes(b"b"))
            ]
        );
    }

    #[test]
    fn names_a_missing_file_and_a_folder() {
        assert!(Lines::new(&["/no/such/file".into()], 9).is_err());
        assert!(
            Lines::new(&["/".into()], 9)
                .unwrap_err()
                .to_string()
                .contains("folder")
        );
    }

    #[test]
    fn knows_a_file_that_it_reads_by_any_name() {
        let dir = tempfile::tempdir().unwrap();
        let [file, other, link, twin] =
            ["file", "other", "link", "twin"].map(|name| dir.path().join(name));
        std::fs::write(&file, "a").unwrap();
        std::fs::write(&other, "a").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        std::fs::hard_link(&file, &twin).unwrap();
        let files = ["/dev/null".into(), file.clone()];
        for same in [file, link, twin, dir.path().join("./file")] {
            assert!(Lines::read_from(&files, &same), "{}", same.display());
        }
        for another in [other, dir.path().join("none"), "/dev/null".into()] {
            assert!(!Lines::read_from(&files, &another), "{}", another.display());
        }
    }

    proptest! {
        #[test]
        fn gives_each_line_once_in_order(texts in prop::collection::vec("[a-z]{1,9}", 0..50)) {
            let found: Vec<String> = read(&[texts.join("\n").as_bytes()], 100).into_iter().map(|(_, line)| match line {
                Line::Bytes(line) => String::from_utf8(line).unwrap(),
                Line::TooLong(_) => unreachable!(),
            }).collect();
            prop_assert_eq!(found, texts);
        }
    }
}
