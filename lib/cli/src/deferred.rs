//! Records whose work finishes late and in any order, such as downloads. A slow host does not delay
//! the others.
//!
//! Worker threads begin the work on the records. Work that has to wait is started in the order of
//! the input (`start_queue`) with a [`PendingRecord`], which any thread may finish. Finished
//! records that wait for an earlier one are kept in memory and, beyond a limit, in temporary files
//! (`spool`).

use crate::input::Input;
use crate::interrupt::{self, Interrupted};
use crate::io::Io;
use crate::lines::{Line, LineLocation, Lines};
use crate::ordered_map::{Completion, MapLimits, OrderedMap, ResultConsumer};
use crate::output::Output;
use crate::record_format::RecordFormat;
use crate::rejected_line::{INTERNAL_ERROR, parse_record};
use crate::source::{ItemSource, OnPause};
use crate::spool::{Spool, SpooledOutput};
use crate::start_queue::{StartFn, StartQueue};
use crate::writer::{LineResult, ResultWriter};
use anyhow::Context;
use forage_record::{ErrorKind, Record};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The limits of records in flight. A finished record that waits for an earlier one takes about 100
/// bytes of memory. They keep thousands of hosts busy while one is slow.
const LIMITS: MapLimits = MapLimits {
    batch_items: 1,
    batches: 1 << 17,
    bytes: 64 << 20,
};

/// The work on a record that remains after `begin`.
pub enum Annotation {
    /// None: the record is finished.
    Done,
    /// A function that starts the remaining work, which must finish the record.
    Deferred(Box<dyn FnOnce(PendingRecord) + Send>),
}

/// A record on which the work is not finished. If it is dropped, the record is written with an
/// error of kind `internal`.
#[derive(Debug)]
pub struct PendingRecord {
    tool: &'static str,
    format: RecordFormat,
    spool: Spool,
    /// `None` after the record has been sent or dropped by [`PendingRecord::abort`].
    unfinished: Option<(Record, Completion<SpooledResult>)>,
}

/// The result of a line, which may have to wait.
type SpooledResult = LineResult<SpooledOutput>;

impl PendingRecord {
    /// Applies `work` to the record and sends it to the output. If `work` panics, the record is
    /// written with an error of kind `internal`.
    pub fn finish(mut self, work: impl FnOnce(&mut Record)) {
        let Some((record, _)) = &mut self.unfinished else {
            return;
        };
        if catch_unwind(AssertUnwindSafe(|| work(record))).is_ok() {
            self.send();
        }
    }

    /// Stops the tool because of a `cause` that affects all other records, too. The record is not
    /// written.
    pub fn abort(mut self, cause: anyhow::Error) {
        if let Some((_, completion)) = self.unfinished.take() {
            completion.finish(vec![LineResult::Fatal(cause)]);
        }
    }

    fn send(&mut self) {
        let Some((record, mut completion)) = self.unfinished.take() else {
            return;
        };
        let mut line = Vec::new();
        self.format.write_record(&record, &mut line);
        let stored = self.spool.store(line).context("temporary file");
        completion.release_bytes();
        completion.finish(vec![
            stored.map_or_else(LineResult::Fatal, LineResult::Output),
        ]);
    }
}

impl Drop for PendingRecord {
    fn drop(&mut self) {
        if let Some((record, _)) = &mut self.unfinished {
            record.set_error(self.tool, ErrorKind::Internal, INTERNAL_ERROR);
            self.send();
        }
    }
}

/// Returns `true` for a line that an earlier run has processed, which is then skipped.
type SkipFn = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// Options to resume an interrupted run.
pub struct ResumeOptions {
    /// Returns `true` for an input line that an earlier run has processed. Called in the order of
    /// the input.
    pub skip: SkipFn,
    /// Advice on how to resume, for the message after a signal.
    pub advice: &'static str,
}

/// The lines that an earlier run has not processed.
struct UnskippedLines {
    lines: Lines,
    skip: SkipFn,
}

impl ItemSource for UnskippedLines {
    type Item = (LineLocation, Line);

    fn next_item(&mut self, on_pause: &mut OnPause<'_>) -> anyhow::Result<Option<Self::Item>> {
        loop {
            match self.lines.next_line(on_pause)? {
                Some((_, Line::Bytes(line))) if (self.skip)(&line) => {}
                next => return Ok(next),
            }
        }
    }

    fn item_bytes(line: &Self::Item) -> usize {
        Lines::item_bytes(line)
    }

    fn bytes_read(&self) -> u64 {
        self.lines.bytes_read()
    }
}

impl Io {
    /// Passes each record to `begin` on one of `workers` threads, as [`Io::annotate`] does. `begin`
    /// may defer the remaining work of a record, so that others are processed in the meantime.
    ///
    /// The output keeps the order of the input. Records that wait for an earlier one are spooled to
    /// disk beyond a limit. Lines for which `resume.skip` returns `true` are treated as absent.
    /// After SIGINT or SIGTERM, the finished records up to the first unfinished one are written.
    ///
    /// # Errors
    /// Fails if the input, the output, a temporary file or `begin` does, or after a signal.
    pub fn annotate_deferred(
        &mut self,
        input: &Input,
        workers: usize,
        ResumeOptions { skip, advice }: ResumeOptions,
        begin: impl Fn(&mut Record) -> anyhow::Result<Annotation> + Sync,
    ) -> anyhow::Result<()> {
        let (lines, rejects) = self.open_input(input)?;
        let map = OrderedMap::new(LIMITS);
        let stop = map.stopper();
        interrupt::watch_signals(move |signal| stop(Interrupted::new(signal, advice).into()))?;
        let spool = Spool::default();
        let worker = Worker {
            tool: self.messages.tool(),
            format: self.out.format().clone(),
            max_line: input.max_line,
            spool: spool.clone(),
            begin,
            starts: StartQueue::default(),
        };
        let write = |output: SpooledOutput, out: &mut Output| {
            out.write_serialised(&spool.load(output).context("temporary file")?, 1);
            Ok(())
        };
        let mut writer = ResultWriter::new(self, input, rejects, write);
        let source = UnskippedLines { lines, skip };
        let process = |(): &mut (), lines: Vec<_>, completion| {
            worker.begin_batch(lines, completion);
        };
        let written = map.run(source, workers, &mut writer, &|| (), process);
        let written = written.map_err(|mut e| {
            if let Some(interrupted) = e.downcast_mut::<Interrupted>() {
                // On a terminal the signal may have ended the reader of the output as well.
                let _ = writer.wait();
                interrupted.records = writer.records();
                writer.finish_progress();
            }
            e
        });
        written?;
        writer.finish_progress();
        Ok(())
    }
}

/// Begins the work on records; shared by all worker threads.
struct Worker<B> {
    tool: &'static str,
    format: RecordFormat,
    max_line: usize,
    spool: Spool,
    begin: B,
    starts: StartQueue,
}

impl<B: Fn(&mut Record) -> anyhow::Result<Annotation>> Worker<B> {
    /// Begins the work on a batch, which has one line, or none if the input is idle.
    fn begin_batch(&self, lines: Vec<(LineLocation, Line)>, completion: Completion<SpooledResult>) {
        let number = completion.number();
        let start = match lines.into_iter().next() {
            Some((location, line)) => self.begin_line(location, line, completion),
            None => {
                completion.finish(Vec::new());
                None
            }
        };
        self.starts.push(number, start);
    }

    /// Begins the work on a line. Returns the function that starts its deferred work, or `None` if
    /// the line is finished.
    fn begin_line(
        &self,
        location: LineLocation,
        line: Line,
        completion: Completion<SpooledResult>,
    ) -> Option<StartFn> {
        let mut record = match parse_record(line, self.max_line) {
            Ok(record) => record,
            Err(rejected) => {
                completion.finish(vec![LineResult::Rejected(location, rejected)]);
                return None;
            }
        };
        let annotation = match catch_unwind(AssertUnwindSafe(|| (self.begin)(&mut record))) {
            Ok(Ok(annotation)) => annotation,
            Ok(Err(e)) => {
                completion.finish(vec![LineResult::Fatal(e)]);
                return None;
            }
            Err(_) => {
                record.set_error(self.tool, ErrorKind::Internal, INTERNAL_ERROR);
                Annotation::Done
            }
        };
        let pending = PendingRecord {
            tool: self.tool,
            format: self.format.clone(),
            spool: self.spool.clone(),
            unfinished: Some((record, completion)),
        };
        match annotation {
            Annotation::Done => {
                pending.finish(|_| ());
                None
            }
            Annotation::Deferred(start) => Some(Box::new(move || start(pending))),
        }
    }
}
