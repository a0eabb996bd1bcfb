//! The input, output and messages of a tool.

use crate::input::Input;
use crate::line_source::LineSource;
use crate::lines::{ExpectedLines, Line, LineLocation, Lines};
use crate::messages::Messages;
use crate::output::Output;
use crate::progress::Progress;
use crate::record_format::RecordFormat;
use crate::rejected_line::{RejectedLine, parse_bytes};
use crate::rejects::RejectsFile;
use crate::results::ToolFields;
use crate::skipped_lines::{InputAdvice, SkippedLines};
use anyhow::Context;
use forage_content::ContentKind;
use forage_record::Record;

/// A part of a file that may have records or text.
#[derive(Debug)]
pub enum GivenLine {
    /// A record.
    Record(Record),
    /// A line of text.
    Text(String),
}

/// The input, output and messages of a tool.
#[derive(Debug)]
pub struct Io {
    /// Standard error.
    pub messages: Messages,
    /// Standard output.
    pub out: Output,
    /// The fields that the tool reads and adds.
    pub(crate) fields: ToolFields,
    /// Lines skipped so far for any reason.
    pub(crate) skipped: SkippedLines,
    /// True if a requested check failed.
    pub(crate) has_failed_check: bool,
}

impl Io {
    pub(crate) fn new(
        messages: Messages,
        fields: ToolFields,
        advice: InputAdvice,
        format: RecordFormat,
    ) -> anyhow::Result<Self> {
        let out = Output::stdout(format).context("standard output")?;
        Ok(Io {
            messages,
            out,
            fields,
            skipped: SkippedLines::new(fields.input, advice),
            has_failed_check: false,
        })
    }

    /// Copies standard input to `to`, for a tool that does not read lines. Returns the number of
    /// bytes.
    ///
    /// # Errors
    /// Fails if standard input cannot be read, or `to` cannot be written.
    pub fn copy_stdin(&self, to: &mut impl std::io::Write) -> std::io::Result<u64> {
        std::io::copy(&mut std::io::stdin().lock(), to)
    }

    /// Records that a requested check failed, which sets the exit code to 1.
    pub fn fail_check(&mut self) {
        self.has_failed_check = true;
    }

    /// Passes each line to `work`, in UTF-8 whatever the encoding of the file, for a tool whose
    /// input need not be records. If `work` returns an error, the line is reported with this cause
    /// and skipped, like a line that is too long.
    ///
    /// # Errors
    /// Fails if the input or the output does.
    pub fn for_each_line(
        &mut self,
        input: &Input,
        mut work: impl FnMut(Vec<u8>, &mut Output) -> Result<(), String>,
    ) -> anyhow::Result<()> {
        self.for_each_line_of(input, ExpectedLines::Text, |line, _, out| work(line, out))
    }

    /// Passes each record, or each line of text, to `work`: each file is read by its content, not
    /// by its name. If `work` returns an error, the line is reported with this cause and skipped,
    /// like a line that is not a record, or too long.
    ///
    /// # Errors
    /// Fails if the input does, or if a file is neither records nor text. The remedy is then to
    /// pipe its text to `command`.
    pub fn for_each_given(
        &mut self,
        input: &Input,
        command: &'static str,
        mut work: impl FnMut(GivenLine) -> Result<(), String>,
    ) -> anyhow::Result<()> {
        self.for_each_line_of(input, ExpectedLines::Any(command), |line, kind, _| {
            work(match kind {
                ContentKind::Records => {
                    GivenLine::Record(parse_bytes(line).map_err(|(e, _)| e.to_string())?)
                }
                _ => GivenLine::Text(String::from_utf8_lossy(&line).into_owned()),
            })
        })
    }

    fn for_each_line_of(
        &mut self,
        input: &Input,
        expected: ExpectedLines,
        mut work: impl FnMut(Vec<u8>, ContentKind, &mut Output) -> Result<(), String>,
    ) -> anyhow::Result<()> {
        let (mut lines, mut rejects) = self.open_input(input)?;
        lines.expected = expected;
        let mut progress = Progress::new(input, self.messages.tool());
        let mut lines_read = 0;
        while let Some((location, line)) = lines.next_line(&mut |_| self.out.flush())? {
            lines_read += 1;
            let result = match line {
                Line::Bytes(line) => {
                    let saved = input.rejects.is_some().then(|| line.clone());
                    work(line, lines.kind(), &mut self.out)
                        .map_err(|cause| RejectedLine::malformed(cause, saved))
                }
                Line::TooLong(length) => Err(RejectedLine::too_long(length, input.max_line)),
                Line::Unconverted(error) => Err(RejectedLine::unconverted(error)),
            };
            if let Err(rejected) = result {
                self.out.flush()?;
                self.skip_line(&location, &rejected, input, &mut rejects)?;
            }
            self.out.flush_if_full()?;
            progress.update(lines.bytes_read(), lines_read, self.skipped.total());
        }
        progress.finish(lines.bytes_read(), lines_read, self.skipped.total());
        for (name, encoding) in &lines.converted_files {
            self.messages
                .info(format_args!("{name}: was read as {encoding}"));
        }
        self.out.flush()
    }

    /// Opens the input, and the file for skipped lines. Reports that the tool reads from a
    /// terminal, if it does.
    pub(crate) fn open_input(&self, input: &Input) -> anyhow::Result<(Lines, RejectsFile)> {
        let sources = input.line_sources()?;
        if Lines::reads_terminal(&sources) {
            self.messages
                .info("reading from the terminal; end with Ctrl-D");
        }
        for path in sources.iter().filter_map(LineSource::path) {
            if path
                .metadata()
                .is_ok_and(|file| file.is_file() && file.len() == 0)
            {
                self.messages
                    .warn(format_args!("{}: is empty", path.display()));
            }
        }
        if let Some(name) = Lines::find_stdout(&sources) {
            anyhow::bail!("{name}: the input is also the output");
        }
        let mut lines = Lines::new(sources, input.max_line)?;
        lines.text_use = input.text_use;
        let rejects = RejectsFile::create(input.rejects.as_deref())?;
        lines.save_long_lines(rejects.try_clone()?);
        Ok((lines, rejects))
    }

    /// Reports that malformed input was skipped, for a tool that reads its input itself.
    pub fn report_skipped(&mut self, cause: impl std::fmt::Display) {
        self.skipped
            .report(format_args!("{cause}; skipped"), &self.messages);
    }

    /// Returns the number of lines that were skipped so far.
    pub fn skipped_lines(&self) -> u64 {
        self.skipped.total()
    }

    /// Counts a skipped line, reports it if it is among the first ones, and saves it with
    /// `--rejects`.
    ///
    /// # Errors
    /// Fails with `--strict`, or if the line cannot be saved.
    pub(crate) fn skip_line(
        &mut self,
        location: &LineLocation,
        rejected: &RejectedLine,
        input: &Input,
        rejects: &mut RejectsFile,
    ) -> anyhow::Result<()> {
        rejects.write_line(rejected.bytes.as_deref())?;
        anyhow::ensure!(!input.strict, "{location}: {}", rejected.cause);
        self.skipped
            .report_line(location, rejected, rejects.is_enabled(), &self.messages);
        Ok(())
    }
}
