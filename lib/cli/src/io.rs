//! A tool's input and output.

use crate::args::Input;
use crate::bad_line::{BadLine, parse};
use crate::lines::{Line, Lines, Place};
use crate::missed::Missed;
use crate::output::Output;
use crate::progress::Progress;
use crate::rejects::Rejects;
use crate::speech::Messages;
use anyhow::Context;
use forage_record::Record;

/// Records, and bytes put, after which state is committed though more input is there. Many, as a
/// transaction's cost is shared by all that is in it.
const COMMIT_RECORDS: u64 = 4096;
const COMMIT_BYTES: usize = 16 << 20;

/// When state becomes durable: before or after the output that rests on it is written.
///
/// A kill, or output that can't be written, may come between the two. What the state then holds of
/// records that nobody has seen decides which of the two is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOrder {
    /// The state never holds what was not written, so that no record is lost when the same input is
    /// given again; one that was written just before a kill may come twice. The order for a tool on
    /// its own.
    AfterOutput,
    /// Whoever reads the output can rely on the state to hold it. For a step of a pipeline, which
    /// is forgotten and repeated when it breaks off (`--from-step`), and for output that reports on
    /// the state.
    BeforeOutput,
}

/// A tool with state.
pub trait Stage {
    /// Takes one record and puts what comes of it.
    ///
    /// # Errors
    /// When the tool must stop; a failure of this record alone is put as a record with `error`.
    fn process_record(&mut self, record: Record, out: &mut Output) -> anyhow::Result<()>;

    /// Makes the state durable. Called before or after what was put reaches standard output, as
    /// [`Stage::commit_order`] says; and whenever the input is idle.
    ///
    /// # Errors
    /// When the state can't be written: the tool stops.
    fn commit(&mut self) -> anyhow::Result<()>;

    /// Whether the state or the output is made durable first.
    fn commit_order(&self) -> CommitOrder {
        CommitOrder::AfterOutput
    }

    /// Whether changes that wait in memory for a commit are many, so that it should not be put off.
    fn is_full(&self) -> bool {
        false
    }

    /// All input was read. What is put here is committed and written.
    ///
    /// # Errors
    /// When the tool must stop.
    fn finish(&mut self, _out: &mut Output) -> anyhow::Result<()> {
        Ok(())
    }
}

/// A tool's input and output, and its voice.
#[derive(Debug)]
pub struct Io {
    /// Standard error.
    pub messages: Messages,
    /// Standard output.
    pub out: Output,
    /// The fields that the tool works on.
    pub(crate) needs: &'static [&'static str],
    /// Lines that were left out for any reason, so far.
    pub(crate) left_out: u64,
    /// How many of these were too long to be looked at.
    too_long: u64,
    /// Whether a check that was asked for failed.
    pub(crate) has_failed_check: bool,
}

impl Io {
    pub(crate) fn new(messages: Messages, needs: &'static [&'static str]) -> anyhow::Result<Self> {
        let out = Output::stdout().context("standard output")?;
        Ok(Io {
            messages,
            out,
            needs,
            left_out: 0,
            too_long: 0,
            has_failed_check: false,
        })
    }

    /// Copies standard input as it stands, for a tool that reads no lines.
    ///
    /// # Errors
    /// When it can't be read, or what is read not be written.
    pub fn copy_stdin(&self, to: &mut impl std::io::Write) -> std::io::Result<u64> {
        std::io::copy(&mut std::io::stdin().lock(), to)
    }

    /// To count records that have nothing for the tool to work on.
    pub(crate) fn missed(&self) -> Missed {
        Missed::new(self.messages.tool(), self.needs)
    }

    /// Lines that were looked at and not records, so far. What is too long may well be a record.
    pub fn malformed_lines(&self) -> u64 {
        self.left_out - self.too_long
    }

    /// What was to be checked does not hold: the tool will end with the exit code for that.
    pub fn fail_check(&mut self) {
        self.has_failed_check = true;
    }

    /// Passes each record, in order, to a tool with state.
    ///
    /// # Errors
    /// When input, output or the tool fail.
    pub fn run_stage(&mut self, input: &Input, stage: &mut impl Stage) -> anyhow::Result<()> {
        let missed = self.run_uncounted_stage(input, stage)?;
        missed.tell(&self.messages);
        Ok(())
    }

    fn run_uncounted_stage(
        &mut self,
        input: &Input,
        stage: &mut impl Stage,
    ) -> anyhow::Result<Missed> {
        let (mut lines, mut rejects) = self.lines(input)?;
        let mut progress = Progress::new(input, self.messages.tool());
        let mut missed = self.missed();
        let mut uncommitted = 0;
        loop {
            let next = lines.next(&mut |_| commit(stage, &mut self.out, &mut uncommitted))?;
            let Some((place, line)) = next else { break };
            match parse(line, input.max_line) {
                Ok(record) => {
                    missed.see(&record);
                    stage.process_record(record, &mut self.out)?;
                    uncommitted += 1;
                }
                Err(bad) => {
                    commit(stage, &mut self.out, &mut uncommitted)?;
                    self.leave_out(&place, &bad, input, &mut rejects)?;
                }
            }
            if self.out.gathered() >= COMMIT_BYTES
                || uncommitted >= COMMIT_RECORDS
                || stage.is_full()
            {
                commit(stage, &mut self.out, &mut uncommitted)?;
            }
            progress.show(lines.bytes(), self.out.records(), self.left_out);
        }
        stage.finish(&mut self.out)?;
        uncommitted += 1;
        let ended = commit(stage, &mut self.out, &mut uncommitted);
        progress.finish(lines.bytes(), self.out.records(), self.left_out);
        ended.map(|()| missed)
    }

    /// Passes each record, in order, to `work`; nothing is written, and nothing is to be committed
    /// before the end.
    ///
    /// # Errors
    /// When the input fails, or `work` does.
    pub fn for_each_record(
        &mut self,
        input: &Input,
        work: impl FnMut(Record) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        struct Fold<W>(W);
        impl<W: FnMut(Record) -> anyhow::Result<()>> Stage for Fold<W> {
            fn process_record(&mut self, record: Record, _: &mut Output) -> anyhow::Result<()> {
                (self.0)(record)
            }

            fn commit(&mut self) -> anyhow::Result<()> {
                Ok(())
            }
        }
        self.run_uncounted_stage(input, &mut Fold(work)).map(drop)
    }

    /// Passes each line to a tool whose input need not be records. A line that `work` gives the
    /// cause for is told of and left out, as one that is too long.
    ///
    /// # Errors
    /// When input or output fail.
    pub fn for_each_line(
        &mut self,
        input: &Input,
        mut work: impl FnMut(Vec<u8>, &mut Output) -> Result<(), String>,
    ) -> anyhow::Result<()> {
        let (mut lines, mut rejects) = self.lines(input)?;
        let mut progress = Progress::new(input, self.messages.tool());
        let mut read = 0;
        while let Some((place, line)) = lines.next(&mut |_| self.out.flush())? {
            read += 1;
            let served = match line {
                Line::Bytes(line) => {
                    let kept = input.rejects.is_some().then(|| line.clone());
                    work(line, &mut self.out).map_err(|cause| BadLine::wrong(cause, kept))
                }
                Line::TooLong(length) => Err(BadLine::too_long(length, input.max_line)),
            };
            if let Err(bad) = served {
                self.out.flush()?;
                self.leave_out(&place, &bad, input, &mut rejects)?;
            }
            self.out.flush_if_full()?;
            progress.show(lines.bytes(), read, self.left_out);
        }
        progress.finish(lines.bytes(), read, self.left_out);
        self.out.flush()
    }

    /// The input's lines, and where they are kept if they are left out; says on a terminal that
    /// they are awaited.
    pub(crate) fn lines(&self, input: &Input) -> anyhow::Result<(Lines, Rejects)> {
        if Lines::awaits_terminal(&input.files) {
            self.messages
                .info("reading from the terminal; end with Ctrl-D");
        }
        let mut lines = Lines::new(&input.files, input.max_line)?;
        if let Some(path) = input
            .rejects
            .as_ref()
            .filter(|path| Lines::read_from(&input.files, path))
        {
            anyhow::bail!(
                "--rejects {}: is read as input, and would be emptied; name another file",
                path.display()
            );
        }
        let rejects = Rejects::open(input)?;
        lines.keep_long(rejects.share()?);
        Ok((lines, rejects))
    }

    /// Tells of something that was read and is no record, for a tool that reads in a way of its
    /// own.
    pub fn report_skipped(&mut self, what: impl std::fmt::Display) {
        self.left_out += 1;
        self.messages.warn(format_args!("{what}; left out"));
    }

    /// Tells of a line that is left out, keeps it if asked to, and goes on or stops.
    pub(crate) fn leave_out(
        &mut self,
        place: &Place,
        bad: &BadLine,
        input: &Input,
        rejects: &mut Rejects,
    ) -> anyhow::Result<()> {
        self.left_out += 1;
        self.too_long += u64::from(bad.is_too_long);
        rejects.keep(bad.line.as_deref())?;
        anyhow::ensure!(!input.strict, "{place}: {}", bad.cause);
        self.messages
            .warn(format_args!("{place}: {}; left out", bad.cause));
        Ok(())
    }
}

fn commit(stage: &mut impl Stage, out: &mut Output, uncommitted: &mut u64) -> anyhow::Result<()> {
    if *uncommitted == 0 && out.gathered() == 0 {
        return Ok(());
    }
    match stage.commit_order() {
        CommitOrder::AfterOutput => {
            out.flush()?;
            stage.commit()?;
        }
        CommitOrder::BeforeOutput => {
            stage.commit().inspect_err(|_| out.discard())?;
            out.flush()?;
        }
    }
    *uncommitted = 0;
    Ok(())
}
