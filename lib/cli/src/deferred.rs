//! The ordered parallel map over records whose work finishes late and in any order, such as
//! downloads. A slow host does not delay the others.
//!
//! A reader thread numbers the lines, and worker threads begin the work on the records. Work that
//! has to wait is started in the order of the input (`start_queue`) with a [`PendingRecord`], which
//! any thread may finish. The main thread writes the finished records in order. Records that wait
//! for an earlier one are kept in memory and, beyond a limit, in temporary files (`spool`). A
//! `window` bounds the number of records in flight.

use crate::args::Input;
use crate::interrupt::{self, Interrupted};
use crate::io::Io;
use crate::lines::{Line, LineLocation, Lines, ReadPause};
use crate::record_format::RecordFormat;
use crate::rejected_line::{INTERNAL_ERROR, parse_record};
use crate::spool::Spool;
use crate::start_queue::{StartFn, StartQueue};
use crate::window::Window;
use crate::writer::{LineResult, ResultWriter};
use anyhow::Context;
use forage_record::{ErrorKind, Record};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

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
    ticket: Ticket,
    tool: &'static str,
    format: RecordFormat,
    /// `None` after the record has been sent or dropped by [`PendingRecord::abort`].
    record: Option<Record>,
    to_writer: WriterHandle,
}

impl PendingRecord {
    /// Applies `work` to the record and sends it to the output. If `work` panics, the record is
    /// written with an error of kind `internal`.
    pub fn finish(mut self, work: impl FnOnce(&mut Record)) {
        let Some(record) = &mut self.record else {
            return;
        };
        if catch_unwind(AssertUnwindSafe(|| work(record))).is_ok() {
            self.send();
        }
    }

    /// Stops the tool because of a `cause` that affects all other records, too. The record is not
    /// written.
    pub fn abort(mut self, cause: anyhow::Error) {
        self.record = None;
        let _ = self
            .to_writer
            .send(WriterMessage::Line(self.ticket, LineResult::Fatal(cause)));
    }

    fn send(&mut self) {
        let Some(record) = self.record.take() else {
            return;
        };
        let mut line = Vec::new();
        self.format.write_record(&record, &mut line);
        // An error means that the writer has stopped.
        let _ = self.to_writer.send(WriterMessage::Line(
            self.ticket,
            LineResult::Output(line, 1),
        ));
    }
}

impl Drop for PendingRecord {
    fn drop(&mut self) {
        if let Some(record) = &mut self.record {
            record.set_error(self.tool, ErrorKind::Internal, INTERNAL_ERROR);
            self.send();
        }
    }
}

/// The number of a line, its size in bytes, and the bytes of input up to its end.
#[derive(Debug, Clone, Copy)]
struct Ticket {
    number: u64,
    bytes: usize,
    bytes_read: u64,
}

/// A line for a worker; `None` ends the worker.
type NumberedLine = Option<(Ticket, LineLocation, Line)>;

/// A message to the writer.
enum WriterMessage {
    /// The result of a line.
    Line(Ticket, LineResult),
    /// A signal was received; the tool must end.
    Interrupted(i32),
}

/// A sender to the writer, which ends when all handles are dropped.
type WriterHandle = Arc<Sender<WriterMessage>>;

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
        resume: ResumeOptions,
        begin: impl Fn(&mut Record) -> anyhow::Result<Annotation> + Sync,
    ) -> anyhow::Result<()> {
        let workers = workers.max(1);
        let (lines, rejects) = self.open_input(input)?;
        let window = Arc::new(Window::default());
        let (to_workers, from_reader) = channel();
        let (to_writer, from_workers) = channel();
        let to_writer = WriterHandle::new(to_writer);
        interrupt::watch_signals({
            let to_writer = Arc::downgrade(&to_writer);
            move |signal| {
                // If no handle is left, all records are written, and there is nothing to interrupt.
                if let Some(to_writer) = to_writer.upgrade() {
                    let _ = to_writer.send(WriterMessage::Interrupted(signal));
                }
            }
        })?;
        let worker = Worker {
            tool: self.messages.tool(),
            format: self.out.format().clone(),
            max_line: input.max_line,
            from_reader: &Mutex::new(from_reader),
            begin: &begin,
            starts: &StartQueue::default(),
        };
        let reader = std::thread::Builder::new().name("lines".into()).spawn({
            let window = window.clone();
            let to_workers = to_workers.clone();
            move || {
                let read = read_lines(lines, &window, resume.skip, &to_workers);
                end_workers(&to_workers, workers);
                read
            }
        })?;
        let mut ordered = OrderedWriter {
            writer: ResultWriter::new(self, input, rejects),
            window: &window,
            next: 0,
            outputs: Spool::default(),
            other_results: BTreeMap::new(),
            advice: resume.advice,
        };
        std::thread::scope(|threads| {
            for to_writer in std::iter::repeat_n(to_writer, workers) {
                threads.spawn(|| worker.run(to_writer));
            }
            let written = ordered.run(&from_workers);
            window.close();
            drop(from_workers);
            end_workers(&to_workers, workers);
            written
        })?;
        // All results are written, so the reader has ended. If the tool stops with an error, it
        // does not wait for the reader, which may be blocked on input that never arrives.
        reader
            .join()
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the reader thread panicked")))?;
        Ok(())
    }
}

/// Ends the workers after the lines that are queued.
fn end_workers(to_workers: &Sender<NumberedLine>, workers: usize) {
    for _ in 0..workers {
        let _ = to_workers.send(None);
    }
}

/// Numbers the lines and sends them to the workers, as far as the window permits.
fn read_lines(
    mut lines: Lines,
    window: &Window,
    mut skip: SkipFn,
    to_workers: &Sender<NumberedLine>,
) -> anyhow::Result<()> {
    let mut number = 0;
    // Before a line that is too long is saved, all lines before it must be written.
    let mut on_pause = |pause: ReadPause| {
        anyhow::ensure!(
            pause == ReadPause::Idle || window.wait_until_empty(),
            "the output is closed"
        );
        Ok(())
    };
    while let Some((location, line)) = lines.next_line(&mut on_pause)? {
        let bytes = match &line {
            Line::Bytes(bytes) if skip(bytes) => continue,
            Line::Bytes(bytes) => bytes.len(),
            Line::TooLong(_) => 0,
            Line::Unconverted(error) => error.line.len(),
        };
        let ticket = Ticket {
            number,
            bytes,
            bytes_read: lines.bytes_read(),
        };
        if !window.enter(bytes) || to_workers.send(Some((ticket, location, line))).is_err() {
            return Ok(());
        }
        number += 1;
    }
    Ok(())
}

/// Begins the work on records; shared by all worker threads.
struct Worker<'a, B> {
    tool: &'static str,
    format: RecordFormat,
    max_line: usize,
    from_reader: &'a Mutex<Receiver<NumberedLine>>,
    begin: &'a B,
    starts: &'a StartQueue,
}

impl<B: Fn(&mut Record) -> anyhow::Result<Annotation>> Worker<'_, B> {
    /// The loop of a worker thread.
    fn run(&self, to_writer: WriterHandle) {
        loop {
            let received = self
                .from_reader
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv();
            let Ok(Some((ticket, location, line))) = received else {
                return;
            };
            let start = self
                .begin_line(ticket, location, line, &to_writer)
                .unwrap_or_else(|result| {
                    // An error means that the writer has stopped.
                    let _ = to_writer.send(WriterMessage::Line(ticket, result));
                    None
                });
            self.starts.push(ticket.number, start);
        }
    }

    /// Begins the work on a line. Returns the function that starts its deferred work, or `None` if
    /// the record is finished. Any other result of the line is returned as the error.
    fn begin_line(
        &self,
        ticket: Ticket,
        location: LineLocation,
        line: Line,
        to_writer: &WriterHandle,
    ) -> Result<Option<StartFn>, LineResult> {
        let mut record = parse_record(line, self.max_line)
            .map_err(|rejected| LineResult::Rejected(location, rejected))?;
        let annotation = match catch_unwind(AssertUnwindSafe(|| (self.begin)(&mut record))) {
            Ok(annotation) => annotation.map_err(LineResult::Fatal)?,
            Err(_) => {
                record.set_error(self.tool, ErrorKind::Internal, INTERNAL_ERROR);
                Annotation::Done
            }
        };
        let pending = PendingRecord {
            ticket,
            tool: self.tool,
            format: self.format.clone(),
            record: Some(record),
            to_writer: to_writer.clone(),
        };
        match annotation {
            Annotation::Done => {
                pending.finish(|_| ());
                Ok(None)
            }
            Annotation::Deferred(start) => Ok(Some(Box::new(move || start(pending)))),
        }
    }
}

/// Writes results in the order of the input, in whatever order they arrive.
struct OrderedWriter<'a> {
    writer: ResultWriter<'a>,
    window: &'a Window,
    /// The number of the line to be written next.
    next: u64,
    /// Waiting outputs.
    outputs: Spool,
    /// Waiting results that are not outputs.
    other_results: BTreeMap<u64, LineResult>,
    /// Advice on how to resume after a signal.
    advice: &'static str,
}

impl OrderedWriter<'_> {
    fn run(&mut self, from_workers: &Receiver<WriterMessage>) -> anyhow::Result<()> {
        while let Some(message) = self.writer.receive(from_workers)? {
            match message {
                WriterMessage::Line(ticket, result) => self.accept_result(ticket, result)?,
                WriterMessage::Interrupted(signal) => {
                    self.writer.finish_progress();
                    // On a terminal the signal may have ended the reader of the output as well.
                    let _ = self.writer.io.out.flush();
                    let records = self.writer.io.out.records();
                    return Err(Interrupted {
                        signal,
                        records,
                        advice: self.advice,
                    }
                    .into());
                }
            }
        }
        self.writer.finish_progress();
        Ok(())
    }

    /// Writes a result and those that waited for it, or stores it if an earlier one is missing.
    fn accept_result(&mut self, ticket: Ticket, result: LineResult) -> anyhow::Result<()> {
        self.window.release_bytes(ticket.bytes);
        self.writer.bytes_read = self.writer.bytes_read.max(ticket.bytes_read);
        if ticket.number != self.next {
            match result {
                LineResult::Output(line, _) => {
                    self.outputs
                        .insert(ticket.number, line)
                        .context("temporary file")?;
                }
                other => drop(self.other_results.insert(ticket.number, other)),
            }
            return Ok(());
        }
        let mut ready = Some(result);
        while let Some(result) = ready {
            self.writer.write_result(result)?;
            self.next += 1;
            self.window.leave();
            ready = match self.other_results.remove(&self.next) {
                None => {
                    let line = self.outputs.remove(self.next).context("temporary file")?;
                    line.map(|line| LineResult::Output(line, 1))
                }
                other => other,
            };
        }
        self.writer.update_progress();
        Ok(())
    }
}
