//! The lines of several files as one stream, in bounded memory.
//!
//! A file is read by its content (`forage-content`): it is decompressed, records of an array are
//! lines, and text in any encoding becomes UTF-8.
//!
//! A line longer than the limit is skipped without holding it in memory; with `--rejects` it is
//! saved while it is read. Before a read that would block, it reports that the input is idle, so
//! that a tool that runs as a co-process can answer each line before the next one arrives.

use crate::file_walk::IS_A_FOLDER;
use crate::line_source::{ConvertLine, LineSource, ListLineError};
use crate::output_guard::is_stdout;
use crate::plain_text_check::{PlainTextCheck, describe_other_content};
use crate::rejects::RejectsFile;
use crate::source::{ItemSource, OnPause, ReadPause};
use crate::text_document::open_as_document;
use anyhow::Context;
use forage_content::{ByteReader, Content, ContentKind, TextEncoding};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal, Read};
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;

/// Bytes per read.
const CHUNK_BYTES: usize = 1 << 18;

/// What a file of text is to a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TextUse {
    /// Lines.
    #[default]
    Lines,
    /// Lines without the markup of the format of another program.
    Sample,
    /// The same, as the text of a record whose `id` is the name of the file.
    Document,
}

/// The location of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineLocation {
    /// The name of the file, `-` for standard input.
    pub file: Arc<str>,
    /// The number of the line in that file, from 1.
    pub line: u64,
}

impl std::fmt::Display for LineLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A line without its line ending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The bytes of the line.
    Bytes(Vec<u8>),
    /// A line longer than the limit, with its size in bytes.
    TooLong(u64),
    /// A line of a list that cannot be converted to a record.
    Unconverted(ListLineError),
}

/// The kind of lines that a tool expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExpectedLines {
    /// Records: lines of other files are returned, but are not converted.
    Records,
    /// Lines of text, also of a file of records.
    Text,
    /// Records or lines of text. Other content is refused, and the remedy is to pipe its text to
    /// this command.
    Any(&'static str),
}

/// A reader of the lines of several files.
pub struct Lines {
    /// True if blank lines are returned; otherwise they are skipped.
    pub keeps_blank: bool,
    pub(crate) expected: ExpectedLines,
    pub(crate) text_use: TextUse,
    /// The files whose encoding is not UTF-8, with its name.
    pub(crate) converted_files: Vec<(Arc<str>, &'static str)>,
    unopened: VecDeque<LineSource>,
    max_line: usize,
    open_file: Option<OpenFile>,
    chunk: Box<[u8]>,
    /// The part of `chunk` that has not been returned yet.
    unread: std::ops::Range<usize>,
    bytes_read: u64,
    /// The file for lines that are too long.
    rejects: RejectsFile,
    /// The check of the first bytes of each file.
    check: Option<PlainTextCheck>,
}

struct OpenFile {
    file: File,
    /// The reader of the content; `None` until it is opened, which may block.
    reader: Option<ByteReader>,
    /// The kind of the content; that of text until the first bytes are read.
    kind: ContentKind,
    encoding: TextEncoding,
    name: Arc<str>,
    /// The conversion of its lines, for a list.
    convert: Option<ConvertLine>,
    line: u64,
    /// True if a read may block.
    may_block: bool,
    /// True if the last line of a list ended with CR. A LF that follows belongs to it.
    ended_with_cr: bool,
}

impl OpenFile {
    fn new(file: File, name: Arc<str>, convert: Option<ConvertLine>) -> OpenFile {
        let may_block = !file.metadata().is_ok_and(|metadata| metadata.is_file());
        OpenFile {
            file,
            reader: None,
            kind: ContentKind::Text,
            encoding: TextEncoding::default(),
            name,
            convert,
            line: 0,
            may_block,
            ended_with_cr: false,
        }
    }

    fn read(&mut self, chunk: &mut [u8]) -> anyhow::Result<usize> {
        let Some(reader) = &mut self.reader else {
            return Ok(0);
        };
        loop {
            match reader.read(chunk) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                result => return result.with_context(|| self.name.to_string()),
            }
        }
    }

    /// Opens the content of the file, whose kind is determined by its beginning.
    fn open_content(
        &mut self,
        expected: ExpectedLines,
        text_use: TextUse,
        max_line: usize,
    ) -> anyhow::Result<()> {
        let name = || self.name.to_string();
        let file = self.file.try_clone().with_context(name)?;
        let content = Content::open(Box::new(file)).with_context(name)?;
        let (is_list, is_text) = (self.convert.is_some(), expected == ExpectedLines::Text);
        if let Some((compression, command)) = content.unread_compression().filter(|_| !is_text) {
            let name = name();
            anyhow::bail!("{name}: is compressed with {compression}; unpack it with {command}");
        }
        self.kind = content.kind();
        self.encoding = content.encoding();
        if let ExpectedLines::Any(command) = expected
            && let Some(cause) = describe_other_content(&self.name, self.kind, command)
        {
            anyhow::bail!(cause);
        }
        self.reader = Some(match content.kind() {
            _ if is_list => content.into_unicode(),
            ContentKind::Unread(format) if text_use != TextUse::Lines => {
                return Err(format).with_context(name);
            }
            ContentKind::Records if is_text => content.into_text(),
            ContentKind::Text if text_use == TextUse::Document => {
                open_as_document(&self.name, content, max_line).with_context(name)?
            }
            ContentKind::Text if text_use == TextUse::Sample => {
                content.into_sample().with_context(name)?
            }
            ContentKind::Text if expected == ExpectedLines::Records => content.into_bytes(),
            _ => content.into_lines(),
        });
        Ok(())
    }
}

impl Lines {
    /// Creates a reader of `sources`. Lines longer than `max_line` bytes are skipped.
    ///
    /// # Errors
    /// Fails if a file is missing or is a folder. The check comes first, so that no record is
    /// processed if a later file is missing.
    pub fn new(sources: Vec<LineSource>, max_line: usize) -> anyhow::Result<Self> {
        let paths = sources.iter().filter_map(LineSource::path);
        for path in paths.filter(|path| !is_stdin(path)) {
            let metadata = std::fs::metadata(path).with_context(|| path.display().to_string())?;
            anyhow::ensure!(!metadata.is_dir(), "{}: {IS_A_FOLDER}", path.display());
        }
        Ok(Lines::with(sources.into(), None, max_line))
    }

    /// Creates a reader of the lines of an open regular file, from its current position.
    pub(crate) fn of_open_file(file: File, max_line: usize) -> Self {
        let open = OpenFile::new(file, "-".into(), None);
        Lines::with(VecDeque::new(), Some(open), max_line)
    }

    fn with(unopened: VecDeque<LineSource>, open_file: Option<OpenFile>, max_line: usize) -> Self {
        Lines {
            keeps_blank: false,
            expected: ExpectedLines::Records,
            text_use: TextUse::Lines,
            converted_files: Vec::new(),
            unopened,
            max_line,
            open_file,
            chunk: vec![0; CHUNK_BYTES].into(),
            unread: 0..0,
            bytes_read: 0,
            rejects: RejectsFile::default(),
            check: None,
        }
    }

    /// From now on, copies each line that is too long to `rejects` while it is read.
    pub(crate) fn save_long_lines(&mut self, rejects: RejectsFile) {
        self.rejects = rejects;
    }

    /// From now on, warns about files that are not plain text in UTF-8.
    pub(crate) fn check_plain_text(&mut self, check: PlainTextCheck) {
        self.check = Some(check);
    }

    /// Returns `true` if input comes from a user at a terminal.
    pub fn reads_terminal(sources: &[LineSource]) -> bool {
        reads_stdin(sources) && io::stdin().is_terminal()
    }

    /// Returns the name of the source that is standard output, too, under any path or link, if
    /// there is one: what is written would be read again, without end.
    pub fn find_stdout(sources: &[LineSource]) -> Option<String> {
        Lines::find_file(sources, is_stdout)
    }

    /// Returns the name of the first source whose file `is_file` accepts, if there is one.
    pub(crate) fn find_file(
        sources: &[LineSource],
        is_file: impl Fn(&Metadata) -> bool,
    ) -> Option<String> {
        sources
            .iter()
            .filter_map(LineSource::path)
            .find(|path| {
                let metadata = match is_stdin(path) {
                    true => stdin().and_then(|file| file.metadata()),
                    false => std::fs::metadata(path),
                };
                metadata.is_ok_and(|file| is_file(&file))
            })
            .map(|path| path.display().to_string())
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Returns the next line with its location; `None` at the end of all files. Removes a
    /// byte-order mark at the start of a file, and a CR at the end of a line. Calls `on_pause` at
    /// each [`ReadPause`].
    ///
    /// # Errors
    /// Fails if a file cannot be read, a line cannot be saved, or `on_pause` fails.
    pub fn next_line(
        &mut self,
        on_pause: &mut OnPause<'_>,
    ) -> anyhow::Result<Option<(LineLocation, Line)>> {
        loop {
            if self.open_file.is_none() {
                match self.unopened.pop_front() {
                    None => return Ok(None),
                    Some(LineSource::Argument(line)) => return Ok(Some(argument_line(line))),
                    Some(LineSource::File(path)) => self.open_path(&path, None)?,
                    Some(LineSource::List(path, convert)) => {
                        self.open_path(&path, Some(convert))?;
                    }
                }
            }
            match self.read_line(on_pause)? {
                None => self.close_file(),
                Some((_, Line::Bytes(line)))
                    if !self.keeps_blank && line.iter().all(u8::is_ascii_whitespace) => {}
                Some((location, line)) => {
                    if let Some(line) = self.convert_line(line) {
                        return Ok(Some((location, line)));
                    }
                }
            }
        }
    }

    fn close_file(&mut self) {
        if let Some(open) = self.open_file.take()
            && let Some(encoding) = open.encoding.name()
        {
            self.converted_files.push((open.name, encoding));
        }
    }

    /// Returns the kind of the open file, from which the last line is.
    pub(crate) fn kind(&self) -> ContentKind {
        let open = self.open_file.as_ref();
        open.map_or(ContentKind::Records, |open| open.kind)
    }

    /// Converts a line of a list; `None` if it is to be ignored.
    fn convert_line(&self, line: Line) -> Option<Line> {
        match (line, self.open_file.as_ref().and_then(|open| open.convert)) {
            (Line::Bytes(line), Some(convert)) => match convert(line) {
                Ok(converted) => converted.map(Line::Bytes),
                Err(e) => Some(Line::Unconverted(e)),
            },
            (line, _) => Some(line),
        }
    }

    /// Opens a file, whose lines are converted with `convert`.
    fn open_path(&mut self, path: &Path, convert: Option<ConvertLine>) -> anyhow::Result<()> {
        let (file, name) = if is_stdin(path) {
            (stdin()?, "-".into())
        } else {
            (
                File::open(path).with_context(|| path.display().to_string())?,
                path.to_string_lossy().into(),
            )
        };
        self.unread = 0..0;
        self.open_file = Some(OpenFile::new(file, name, convert));
        Ok(())
    }

    /// Returns the next line of the open file, blank or not; `None` at the end of the file.
    fn read_line(
        &mut self,
        on_pause: &mut OnPause<'_>,
    ) -> anyhow::Result<Option<(LineLocation, Line)>> {
        let mut line = Vec::new();
        let mut length = 0_u64;
        loop {
            if self.unread.is_empty() && !self.fill_chunk(on_pause)? {
                return if length > 0 {
                    self.finish_line(line, length).map(Some)
                } else {
                    Ok(None)
                };
            }
            if self.skip_second_line_end() {
                continue;
            }
            let unread = &self.chunk[self.unread.clone()];
            let end = self.find_line_end(unread);
            let part = &unread[..end.unwrap_or(unread.len())];
            let was_short = length <= self.max_line as u64;
            length += part.len() as u64;
            if length <= self.max_line as u64 {
                line.extend_from_slice(part);
            } else if self.rejects.is_enabled() {
                if was_short {
                    on_pause(ReadPause::SavingLongLine)?;
                }
                self.rejects.write_bytes(&std::mem::take(&mut line))?;
                self.rejects.write_bytes(part)?;
            } else {
                line = Vec::new();
            }
            let has_cr = end.is_some_and(|end| unread[end] == b'\r');
            self.unread.start += part.len() + usize::from(end.is_some());
            if let Some(open) = &mut self.open_file {
                open.ended_with_cr = has_cr;
            }
            if end.is_some() {
                return self.finish_line(line, length).map(Some);
            }
        }
    }

    /// Returns the position of the next line end. In a list, that may be a lone CR.
    fn find_line_end(&self, unread: &[u8]) -> Option<usize> {
        match &self.open_file {
            Some(open) if open.convert.is_some() => memchr::memchr2(b'\n', b'\r', unread),
            _ => memchr::memchr(b'\n', unread),
        }
    }

    /// Skips the LF of a CR LF. Returns `true` if there was one.
    fn skip_second_line_end(&mut self) -> bool {
        let ended_with_cr = self
            .open_file
            .as_mut()
            .is_some_and(|open| std::mem::take(&mut open.ended_with_cr));
        let is_second = ended_with_cr && self.chunk[self.unread.start] == b'\n';
        self.unread.start += usize::from(is_second);
        is_second
    }

    /// Reads the next chunk of the open file; returns `false` at the end of the file.
    fn fill_chunk(&mut self, on_pause: &mut OnPause<'_>) -> anyhow::Result<bool> {
        let Some(open) = &mut self.open_file else {
            return Ok(false);
        };
        if open.may_block && !is_ready(&open.file) {
            on_pause(ReadPause::Idle)?;
        }
        if open.reader.is_none() {
            open.open_content(self.expected, self.text_use, self.max_line)?;
            if let Some(check) = &self.check {
                check.examine(&open.name, open.kind);
            }
        }
        let bytes = open.read(&mut self.chunk)?;
        self.bytes_read += bytes as u64;
        self.unread = 0..bytes;
        Ok(bytes > 0)
    }

    /// Returns a line with its location, without byte-order mark and CR. `length` is its size in
    /// bytes; `line` is incomplete if that exceeds the maximum.
    fn finish_line(
        &mut self,
        mut line: Vec<u8>,
        length: u64,
    ) -> anyhow::Result<(LineLocation, Line)> {
        let (file, number) = match &mut self.open_file {
            Some(open) => {
                open.line += 1;
                (open.name.clone(), open.line)
            }
            None => ("-".into(), 0),
        };
        let location = LineLocation { file, line: number };
        if length > self.max_line as u64 {
            self.rejects.write_bytes(b"\n")?;
            return Ok((location, Line::TooLong(length)));
        }
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        if number == 1 && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        Ok((location, Line::Bytes(line)))
    }
}

impl ItemSource for Lines {
    type Item = (LineLocation, Line);

    fn next_item(&mut self, on_pause: &mut OnPause<'_>) -> anyhow::Result<Option<Self::Item>> {
        self.next_line(on_pause)
    }

    fn item_bytes((_, line): &Self::Item) -> usize {
        match line {
            Line::Bytes(bytes) => bytes.len(),
            Line::TooLong(_) => 0,
            Line::Unconverted(error) => error.line.len(),
        }
    }

    fn bytes_read(&self) -> u64 {
        self.bytes_read
    }
}

fn stdin() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Returns the line of an argument, with a location for messages.
fn argument_line(line: Vec<u8>) -> (LineLocation, Line) {
    let location = LineLocation {
        file: "arguments".into(),
        line: 1,
    };
    (location, Line::Bytes(line))
}

fn reads_stdin(sources: &[LineSource]) -> bool {
    sources.iter().filter_map(LineSource::path).any(is_stdin)
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns `true` if a read would not block, or if the file cannot be polled.
fn is_ready(file: &File) -> bool {
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&now)).map_or(true, |ready| ready > 0)
}

#[cfg(test)]
mod tests;
