//! Tools with state: records in order, and commits of what they change.

use crate::input::Input;
use crate::io::Io;
use crate::lines::LineLocation;
use crate::ordered_map::{MapLimits, ResultConsumer, map_in_order};
use crate::output::Output;
use crate::progress::Progress;
use crate::rejected_line::{INTERNAL_ERROR, RejectedLine, parse_record};
use crate::rejects::RejectsFile;
use crate::results::InputCheck;
use forage_record::{ErrorKind, Record};
use std::panic::{AssertUnwindSafe, catch_unwind};

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
    /// reported. Not called if state is committed before output: in a pipeline, the process of the
    /// next step opens the file again.
    ///
    /// # Errors
    /// Fails if the state cannot be written.
    fn close(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// A record and what was prepared for it; nothing if that panicked.
type PreparedRecord<P> = (LineLocation, Result<(Record, Option<P>), RejectedLine>);

impl Io {
    /// Passes each record, in order, to a tool with state. For a tool that passes none on, warns
    /// if no record has a field that it needs.
    ///
    /// # Errors
    /// Fails if the input, the output or the stage does.
    pub fn run_stage(&mut self, input: &Input, stage: &mut impl Stage) -> anyhow::Result<()> {
        let processed = self.run_unchecked_stage(input, stage);
        self.close_stage(stage, processed)
    }

    /// Passes each record, in order, with the result of `prepare` to `process`, which has the
    /// state. `prepare` runs on `jobs` threads.
    ///
    /// # Errors
    /// Fails if the input, the output or the stage does.
    pub fn run_prepared_stage<S: Stage, P: Send>(
        &mut self,
        input: &Input,
        jobs: usize,
        stage: &mut S,
        prepare: impl Fn(&Record) -> P + Sync,
        process: impl FnMut(&mut S, Record, P, &mut Output) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let tool = self.messages.tool();
        let prepare_line = |(location, line)| -> PreparedRecord<P> {
            let prepared = parse_record(line, input.max_line).map(|mut record| {
                // The panic hook has reported the cause.
                let prepared = catch_unwind(AssertUnwindSafe(|| prepare(&record))).ok();
                if prepared.is_none() {
                    record.set_error(tool, ErrorKind::Internal, INTERNAL_ERROR);
                }
                (record, prepared)
            });
            (location, prepared)
        };
        let processed = self.open_input(input).and_then(|(lines, rejects)| {
            let run = StageRun::new(self, input, rejects, stage);
            let mut consumer = PreparedRun { run, process };
            let limits = MapLimits::of_lines(jobs);
            map_in_order(lines, jobs, limits, &mut consumer, &|| (), |(), lines| {
                lines.into_iter().map(&prepare_line).collect()
            })?;
            consumer.run.finish()
        });
        self.close_stage(stage, processed)
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

    fn close_stage(
        &mut self,
        stage: &mut impl Stage,
        processed: anyhow::Result<InputCheck>,
    ) -> anyhow::Result<()> {
        let closed = match stage.commit_order() {
            CommitOrder::AfterOutput => stage.close(),
            CommitOrder::BeforeOutput => Ok(()),
        };
        let check = processed?;
        if self.fields.output.is_empty() {
            check.warn_if_all_missing(&self.messages);
        }
        closed
    }

    pub(crate) fn run_unchecked_stage(
        &mut self,
        input: &Input,
        stage: &mut impl Stage,
    ) -> anyhow::Result<InputCheck> {
        let (mut lines, rejects) = self.open_input(input)?;
        let mut run = StageRun::new(self, input, rejects, stage);
        while let Some((location, line)) = lines.next_line(&mut |_| run.commit())? {
            let record = parse_record(line, input.max_line);
            run.process(location, record, Stage::process_record)?;
            run.update_progress(lines.bytes_read());
        }
        run.finish()
    }
}

/// The loop of a stage.
struct StageRun<'a, S> {
    io: &'a mut Io,
    input: &'a Input,
    rejects: RejectsFile,
    progress: Progress,
    check: InputCheck,
    stage: &'a mut S,
    /// Records since the last commit.
    uncommitted: u64,
    bytes_read: u64,
}

impl<'a, S: Stage> StageRun<'a, S> {
    fn new(io: &'a mut Io, input: &'a Input, rejects: RejectsFile, stage: &'a mut S) -> Self {
        StageRun {
            progress: Progress::new(input, io.messages.tool()),
            check: InputCheck::new(io.fields),
            io,
            input,
            rejects,
            stage,
            uncommitted: 0,
            bytes_read: 0,
        }
    }

    /// Passes a record to `work`, or reports a line that is none, and commits if it is time.
    fn process(
        &mut self,
        location: LineLocation,
        record: Result<Record, RejectedLine>,
        work: impl FnOnce(&mut S, Record, &mut Output) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        match record {
            Ok(record) => {
                self.check.count_record(&record);
                self.stage.set_location(&location);
                work(self.stage, record, &mut self.io.out)?;
                self.uncommitted += 1;
            }
            Err(rejected) => {
                self.commit()?;
                self.io
                    .skip_line(&location, &rejected, self.input, &mut self.rejects)?;
            }
        }
        if self.io.out.buffered_bytes() >= COMMIT_BYTES
            || self.uncommitted >= COMMIT_RECORDS
            || self.stage.is_full()
        {
            self.commit_by(S::commit_in_between)?;
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        self.commit_by(S::commit)
    }

    /// Commits the state by `commit` and writes the output, in the order that the stage requires.
    fn commit_by(&mut self, commit: impl Fn(&mut S) -> anyhow::Result<()>) -> anyhow::Result<()> {
        let out = &mut self.io.out;
        if self.uncommitted == 0 && out.buffered_bytes() == 0 {
            return Ok(());
        }
        match self.stage.commit_order() {
            CommitOrder::AfterOutput => {
                out.flush()?;
                commit(self.stage)?;
            }
            CommitOrder::BeforeOutput => {
                commit(self.stage).inspect_err(|_| out.discard())?;
                out.flush()?;
            }
        }
        self.uncommitted = 0;
        Ok(())
    }

    fn update_progress(&mut self, bytes_read: u64) {
        self.bytes_read = bytes_read;
        let skipped = self.io.skipped.total();
        self.progress
            .update(bytes_read, self.io.out.records(), skipped);
    }

    /// Lets the stage write its last records, and commits.
    fn finish(mut self) -> anyhow::Result<InputCheck> {
        self.stage.finish(&mut self.io.out)?;
        self.uncommitted += 1;
        let committed = self.commit();
        let skipped = self.io.skipped.total();
        self.progress
            .finish(self.bytes_read, self.io.out.records(), skipped);
        committed.map(|()| self.check)
    }
}

/// The loop of a stage whose records are prepared by other threads.
struct PreparedRun<'a, S, F> {
    run: StageRun<'a, S>,
    process: F,
}

impl<S, P, F> ResultConsumer<PreparedRecord<P>> for PreparedRun<'_, S, F>
where
    S: Stage,
    F: FnMut(&mut S, Record, P, &mut Output) -> anyhow::Result<()>,
{
    fn consume(&mut self, (location, prepared): PreparedRecord<P>) -> anyhow::Result<()> {
        let (record, prepared) = match prepared {
            Ok((record, prepared)) => (Ok(record), prepared),
            Err(rejected) => (Err(rejected), None),
        };
        let process = &mut self.process;
        self.run
            .process(location, record, |stage, record, out| match prepared {
                Some(prepared) => process(stage, record, prepared, out),
                None => {
                    out.write_record(&record);
                    Ok(())
                }
            })
    }

    fn end_batch(&mut self, bytes_read: u64, is_pause: bool) -> anyhow::Result<()> {
        self.run.update_progress(bytes_read);
        match is_pause {
            true => self.run.commit(),
            false => Ok(()),
        }
    }
}
