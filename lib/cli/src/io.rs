//! The input, output and messages of a tool.

use crate::args::Input;
use crate::lines::{ExpectedLines, Line, LineLocation, Lines};
use crate::messages::Messages;
use crate::output::Output;
use crate::progress::Progress;
use crate::record_format::RecordFormat;
use crate::rejected_line::{RejectedLine, parse_bytes, parse_record};
use crate::rejects::RejectsFile;
use crate::results::{InputCheck, ToolFields};
use crate::skipped_lines::{InputAdvice, SkippedLines};
use anyhow::Context;
use forage_content::ContentKind;
use forage_record::Record;

/// Records after which state is committed while more input is available. A transaction has a fixed
/// cost, so a large one is cheaper per record.
const COMMIT_RECORDS: u64 = 4096;
/// Bytes of buffered output after which state is committed.
const COMMIT_BYTES: usize = 16 << 20;

/// The order in which a tool makes its state durable and writes the output that depends on it.
///
/// A kill or a write error can happen between the two. The right order depends on whether the state
/// may then contain records that were never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOrder {
    /// Output first. The state never contains an unwritten record, so no record is lost if the
    /// input is processed again, but records written just before a kill may be written twice. For a
    /// tool that runs on its own, outside of a pipeline.
    AfterOutput,
    /// State first. The state contains every record that the reader of the output has received. For
    /// a step of a pipeline, which is removed and repeated if it is interrupted (`--from-step`),
    /// and for output that reports on the state.
    BeforeOutput,
}

/// A tool with state.
pub trait Stage {
    /// Called with the location of a record before it is processed, for messages about it.
    fn set_location(&mut self, _location: &LineLocation) {}

    /// Processes one record, and writes the resulting records to `out`.
    ///
    /// # Errors
    /// Fails if the tool must stop. A failure that concerns this record only is written as a record
    /// with `error`.
    fn process_record(&mut self, record: Record, out: &mut Output) -> anyhow::Result<()>;

    /// Makes the state durable. Called before or after the output is written, according to
    /// [`Stage::commit_order`], and whenever the input is idle.
    ///
    /// # Errors
    /// Fails if the state cannot be written. The tool then stops.
    fn commit(&mut self) -> anyhow::Result<()>;

    /// Called instead of [`Stage::commit`] after a number of records, if more input is available: a
    /// stage may then keep its changes until it is full.
    ///
    /// # Errors
    /// Fails as [`Stage::commit`].
    fn commit_in_between(&mut self) -> anyhow::Result<()> {
        self.commit()
    }

    /// Returns the order of commit and output.
    fn commit_order(&self) -> CommitOrder {
        CommitOrder::AfterOutput
    }

    /// Returns `true` if the uncommitted changes in memory should be committed now.
    fn is_full(&self) -> bool {
        false
    }

    /// Called at the end of the input. Records written here are committed and output like all
    /// others.
    ///
    /// # Errors
    /// Fails if the tool must stop.
    fn finish(&mut self, _out: &mut Output) -> anyhow::Result<()> {
        Ok(())
    }

    /// Makes the state file complete, for example by merging its WAL. Called last, also if the
    /// output broke off: what was committed before is complete. That failure is then the one
    /// reported.
    ///
    /// # Errors
    /// Fails if the state cannot be written.
    fn close(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

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

    /// Passes each record, in order, to a tool with state. For a tool that passes none on, warns
    /// if no record has a field that it needs.
    ///
    /// # Errors
    /// Fails if the input, the output or the stage does.
    pub fn run_stage(&mut self, input: &Input, stage: &mut impl Stage) -> anyhow::Result<()> {
        let processed = self.run_unchecked_stage(input, stage);
        let closed = stage.close();
        let check = processed?;
        if self.fields.output.is_empty() {
            check.warn_if_all_missing(&self.messages);
        }
        closed
    }

    fn run_unchecked_stage(
        &mut self,
        input: &Input,
        stage: &mut impl Stage,
    ) -> anyhow::Result<InputCheck> {
        let (mut lines, mut rejects) = self.open_input(input)?;
        let mut progress = Progress::new(input, self.messages.tool());
        let mut check = InputCheck::new(self.fields);
        let mut uncommitted = 0;
        loop {
            let next =
                lines.next_line(&mut |_| commit_stage(stage, &mut self.out, &mut uncommitted))?;
            let Some((location, line)) = next else { break };
            match parse_record(line, input.max_line) {
                Ok(record) => {
                    check.count_record(&record);
                    stage.set_location(&location);
                    stage.process_record(record, &mut self.out)?;
                    uncommitted += 1;
                }
                Err(rejected) => {
                    commit_stage(stage, &mut self.out, &mut uncommitted)?;
                    self.skip_line(&location, &rejected, input, &mut rejects)?;
                }
            }
            if self.out.buffered_bytes() >= COMMIT_BYTES
                || uncommitted >= COMMIT_RECORDS
                || stage.is_full()
            {
                commit_stage_by(
                    Stage::commit_in_between,
                    stage,
                    &mut self.out,
                    &mut uncommitted,
                )?;
            }
            progress.update(lines.bytes_read(), self.out.records(), self.skipped.total());
        }
        stage.finish(&mut self.out)?;
        uncommitted += 1;
        let committed = commit_stage(stage, &mut self.out, &mut uncommitted);
        progress.finish(lines.bytes_read(), self.out.records(), self.skipped.total());
        committed.map(|()| check)
    }

    /// Passes each record, in order, to `work`, for a tool that writes no output per record and has
    /// no state to commit.
    ///
    /// # Errors
    /// Fails if the input or `work` does.
    pub fn for_each_record(
        &mut self,
        input: &Input,
        work: impl FnMut(Record) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        struct StatelessStage<W>(W);
        impl<W: FnMut(Record) -> anyhow::Result<()>> Stage for StatelessStage<W> {
            fn process_record(&mut self, record: Record, _: &mut Output) -> anyhow::Result<()> {
                (self.0)(record)
            }

            fn commit(&mut self) -> anyhow::Result<()> {
                Ok(())
            }
        }
        self.run_unchecked_stage(input, &mut StatelessStage(work))
            .map(drop)
    }

    /// Passes each line to `work`, in UTF-8 whatever the encoding of the file, for a tool whose input
    /// need not be records. If `work` returns an error, the line is reported with this cause and
    /// skipped, like a line that is too long.
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

    /// Passes each record, or each line of text, to `work`: each file is read by its content, not by
    /// its name. If `work` returns an error, the line is reported with this cause and skipped, like
    /// a line that is not a record, or too long.
    ///
    /// # Errors
    /// Fails if the input does, or if a file is neither records nor text. The remedy is then to pipe
    /// its text to `command`.
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
        let sources = input.line_sources();
        if Lines::reads_terminal(&sources) {
            self.messages
                .info("reading from the terminal; end with Ctrl-D");
        }
        if let Some(name) = Lines::find_stdout(&sources) {
            anyhow::bail!("{name}: the input is also the output");
        }
        let mut lines = Lines::new(sources, input.max_line)?;
        let rejects = RejectsFile::create(input)?;
        lines.save_long_lines(rejects.try_clone()?);
        Ok((lines, rejects))
    }

    /// Reports that malformed input was skipped, for a tool that reads its input itself.
    pub fn report_skipped(&mut self, cause: impl std::fmt::Display) {
        self.skipped
            .report(format_args!("{cause}; skipped"), &self.messages);
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

/// Commits the state and writes the output.
fn commit_stage(
    stage: &mut impl Stage,
    out: &mut Output,
    uncommitted: &mut u64,
) -> anyhow::Result<()> {
    commit_stage_by(Stage::commit, stage, out, uncommitted)
}

/// Commits the state by `commit` and writes the output, in the order that the stage requires.
fn commit_stage_by<S: Stage>(
    commit: impl Fn(&mut S) -> anyhow::Result<()>,
    stage: &mut S,
    out: &mut Output,
    uncommitted: &mut u64,
) -> anyhow::Result<()> {
    if *uncommitted == 0 && out.buffered_bytes() == 0 {
        return Ok(());
    }
    match stage.commit_order() {
        CommitOrder::AfterOutput => {
            out.flush()?;
            commit(stage)?;
        }
        CommitOrder::BeforeOutput => {
            commit(stage).inspect_err(|_| out.discard())?;
            out.flush()?;
        }
    }
    *uncommitted = 0;
    Ok(())
}
