//! The ordered map over records whose work ends late, and in any order: a slow host holds up no
//! other.
//!
//! A reader numbers the lines, and workers begin what is to be done. What can't be done at once
//! goes on elsewhere, in the order of the input (`starts`), with a [`PendingRecord`] record, which may be
//! answered from any thread. The main thread puts the answers out in that order, too; those that
//! must wait for an earlier one go to files when they are many (`spool`), and a `window` bounds how
//! much is under way.

use crate::args::Input;
use crate::bad_line::{DEFECT, parse};
use crate::interrupt::{self, Interrupted};
use crate::io::Io;
use crate::lines::{Line, Lines, Pause, Place};
use crate::missed::Missed;
use crate::spool::Spool;
use crate::starts::{Start, Starts};
use crate::window::Window;
use crate::writer::{Outcome, Writer};
use anyhow::Context;
use forage_record::{ErrorKind, Record};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// What is still to be done when a record was looked at.
pub enum Annotation {
    /// Nothing: the record is answered.
    Done,
    /// This, which sees to it that the record is answered.
    Deferred(Box<dyn FnOnce(PendingRecord) + Send>),
}

/// A record that waits for its answer. It goes out when it is answered, and with an error if it is
/// dropped.
#[derive(Debug)]
pub struct PendingRecord {
    ticket: Ticket,
    tool: &'static str,
    record: Option<Record>,
    to_writer: ToWriter,
}

impl PendingRecord {
    /// Changes the record and lets it go out. If `work` panics, it goes with an error of kind
    /// `internal`.
    pub fn answer(mut self, work: impl FnOnce(&mut Record)) {
        let Some(record) = &mut self.record else {
            return;
        };
        if catch_unwind(AssertUnwindSafe(|| work(record))).is_ok() {
            self.send();
        }
    }

    /// Stops the tool: what the record needs can't be done, and for no other one either. It is not
    /// answered.
    pub fn stop(mut self, cause: anyhow::Error) {
        self.record = None;
        let _ = self
            .to_writer
            .send(Message::Served(self.ticket, Outcome::Fatal(cause)));
    }

    fn send(&mut self) {
        let Some(record) = self.record.take() else {
            return;
        };
        let mut line = Vec::new();
        record.write(&mut line);
        // Nobody may want it any more.
        let _ = self
            .to_writer
            .send(Message::Served(self.ticket, Outcome::Answers(line, 1)));
    }
}

impl Drop for PendingRecord {
    fn drop(&mut self) {
        if let Some(record) = &mut self.record {
            record.set_error(self.tool, ErrorKind::Internal, DEFECT);
            self.send();
        }
    }
}

/// A line's place in the order, its size, and how much of the input ends with it.
#[derive(Debug, Clone, Copy)]
struct Ticket {
    number: u64,
    bytes: usize,
    read: u64,
}

/// A line on its way to a worker; none when there are no more.
type Numbered = Option<(Ticket, Place, Line)>;

/// What the writer is told.
enum Message {
    /// What came of a line.
    Served(Ticket, Outcome),
    /// A signal asks the tool to end.
    Interrupted(i32),
}

/// The way to the writer, which ends when nobody has it any more.
type ToWriter = Arc<Sender<Message>>;

/// Whether a line is passed over, as it was answered in an earlier run.
type Skip = Box<dyn FnMut(&[u8]) -> bool + Send>;

/// How a run goes on that was broken off.
pub struct ResumeOptions {
    /// What is done already.
    pub skip: Skip,
    /// What the user is told to do when this run is interrupted.
    pub advice: &'static str,
}

impl Io {
    /// As [`Io::annotate`], for work that waits: `begin` looks at each record on one of `workers`
    /// threads, and what it can't do at once goes on elsewhere, while the other records are served.
    /// Order is kept; answers that wait for an earlier one are spooled to disk when they are many.
    ///
    /// Lines that `resume` takes, in the order of the input, are passed over as if they were not
    /// there. When the process is told to end (SIGINT, SIGTERM), what is answered goes out, as far
    /// as nothing before it is missing.
    ///
    /// # Errors
    /// When input, output or a temporary file fail, `begin` does, or a signal came.
    pub fn annotate_deferred(
        &mut self,
        input: &Input,
        workers: usize,
        resume: ResumeOptions,
        begin: impl Fn(&mut Record) -> anyhow::Result<Annotation> + Sync,
    ) -> anyhow::Result<()> {
        let workers = workers.max(1);
        let (lines, rejects) = self.lines(input)?;
        let window = Arc::new(Window::default());
        let missed = Mutex::new(self.missed());
        let (to_workers, from_reader) = channel();
        let (to_writer, from_workers) = channel();
        let to_writer = ToWriter::new(to_writer);
        interrupt::watch({
            let to_writer = Arc::downgrade(&to_writer);
            // Where nobody has it any more all is done.
            move |signal| {
                drop(
                    to_writer
                        .upgrade()
                        .map(|to| to.send(Message::Interrupted(signal))),
                )
            }
        })?;
        let worker = Worker {
            tool: self.messages.tool(),
            max_line: input.max_line,
            missed: &missed,
            from_reader: &Mutex::new(from_reader),
            begin: &begin,
            starts: &Starts::default(),
        };
        let reader = std::thread::Builder::new().name("lines".into()).spawn({
            let (window, to_workers) = (window.clone(), to_workers.clone());
            move || {
                let read = read(lines, &window, resume.skip, &to_workers);
                end(&to_workers, workers);
                read
            }
        })?;
        let mut in_order = InOrder {
            writer: Writer::new(self, input, rejects),
            window: &window,
            next: 0,
            answers: Spool::default(),
            others: BTreeMap::new(),
            how: resume.advice,
        };
        std::thread::scope(|threads| {
            for to_writer in std::iter::repeat_n(to_writer, workers) {
                threads.spawn(|| worker.run(to_writer));
            }
            let written = in_order.run(&from_workers);
            window.close();
            drop(from_workers);
            end(&to_workers, workers);
            written
        })?;
        // All is written, so all was read. Where the tool must stop, the reader is not waited for:
        // it may wait for a line that never comes.
        reader
            .join()
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the reader failed")))?;
        missed
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
            .tell(&self.messages);
        Ok(())
    }
}

/// Tells the workers that there is nothing more.
fn end(to_workers: &Sender<Numbered>, workers: usize) {
    for _ in 0..workers {
        let _ = to_workers.send(None);
    }
}

/// Numbers the lines, as the window has room for them.
fn read(
    mut lines: Lines,
    window: &Window,
    mut skip: Skip,
    to_workers: &Sender<Numbered>,
) -> anyhow::Result<()> {
    let mut number = 0;
    // Before a line is kept that is too long, all before it must be out.
    let mut pause = |pause: Pause| {
        anyhow::ensure!(
            pause == Pause::Idle || window.wait_empty(),
            "nothing more can be written"
        );
        Ok(())
    };
    while let Some((place, line)) = lines.next(&mut pause)? {
        let bytes = match &line {
            Line::Bytes(bytes) if skip(bytes) => continue,
            Line::Bytes(bytes) => bytes.len(),
            Line::TooLong(_) => 0,
        };
        let ticket = Ticket {
            number,
            bytes,
            read: lines.bytes(),
        };
        if !window.enter(bytes) || to_workers.send(Some((ticket, place, line))).is_err() {
            return Ok(());
        }
        number += 1;
    }
    Ok(())
}

/// Begins the work on records.
struct Worker<'a, B> {
    tool: &'static str,
    max_line: usize,
    missed: &'a Mutex<Missed>,
    from_reader: &'a Mutex<Receiver<Numbered>>,
    begin: &'a B,
    starts: &'a Starts,
}

impl<B: Fn(&mut Record) -> anyhow::Result<Annotation>> Worker<'_, B> {
    fn run(&self, to_writer: ToWriter) {
        loop {
            let next = self
                .from_reader
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv();
            let Ok(Some((ticket, place, line))) = next else {
                return;
            };
            let start = self
                .serve(ticket, place, line, &to_writer)
                .unwrap_or_else(|outcome| {
                    // Nobody may want it any more.
                    let _ = to_writer.send(Message::Served(ticket, outcome));
                    None
                });
            self.starts.note(ticket.number, start);
        }
    }

    /// Answers a record, or tells what is to be started for it; what else there is to say of the
    /// line is the error.
    fn serve(
        &self,
        ticket: Ticket,
        place: Place,
        line: Line,
        to_writer: &ToWriter,
    ) -> Result<Option<Start>, Outcome> {
        let mut record = parse(line, self.max_line).map_err(|bad| Outcome::Bad(place, bad))?;
        self.missed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .see(&record);
        let next = match catch_unwind(AssertUnwindSafe(|| (self.begin)(&mut record))) {
            Ok(next) => next.map_err(Outcome::Fatal)?,
            Err(_) => {
                record.set_error(self.tool, ErrorKind::Internal, DEFECT);
                Annotation::Done
            }
        };
        let pending = PendingRecord {
            ticket,
            tool: self.tool,
            record: Some(record),
            to_writer: to_writer.clone(),
        };
        match next {
            Annotation::Done => pending.answer(|_| ()),
            Annotation::Deferred(start) => return Ok(Some(Box::new(move || start(pending)))),
        }
        Ok(None)
    }
}

/// Puts answers out in order, whatever the order in which they come.
struct InOrder<'a> {
    writer: Writer<'a>,
    window: &'a Window,
    /// The number of the record that is next to go out.
    next: u64,
    answers: Spool,
    /// What is no answer, and waits too.
    others: BTreeMap<u64, Outcome>,
    /// How to go on after a signal.
    how: &'static str,
}

impl InOrder<'_> {
    fn run(&mut self, from_workers: &Receiver<Message>) -> anyhow::Result<()> {
        while let Some(message) = self.writer.receive(from_workers)? {
            match message {
                Message::Served(ticket, outcome) => self.take(ticket, outcome)?,
                Message::Interrupted(signal) => {
                    self.writer.finish_progress();
                    // The signal may have ended the reader, too, as on a terminal.
                    let _ = self.writer.io.out.flush();
                    let records = self.writer.io.out.records();
                    return Err(Interrupted {
                        signal,
                        records,
                        how: self.how,
                    }
                    .into());
                }
            }
        }
        self.writer.finish_progress();
        Ok(())
    }

    /// Puts out what has come, if it is its turn, and what waited for it; keeps it otherwise.
    fn take(&mut self, ticket: Ticket, outcome: Outcome) -> anyhow::Result<()> {
        self.window.answered(ticket.bytes);
        self.writer.read = self.writer.read.max(ticket.read);
        if ticket.number != self.next {
            match outcome {
                Outcome::Answers(line, _) => {
                    self.answers
                        .keep(ticket.number, line)
                        .context("a temporary file")?;
                }
                other => drop(self.others.insert(ticket.number, other)),
            }
            return Ok(());
        }
        let mut outcome = Some(outcome);
        while let Some(ready) = outcome {
            self.writer.put(ready)?;
            self.next += 1;
            self.window.put();
            outcome = match self.others.remove(&self.next) {
                None => {
                    let line = self.answers.take(self.next).context("a temporary file")?;
                    line.map(|line| Outcome::Answers(line, 1))
                }
                other => other,
            };
        }
        self.writer.show_progress();
        Ok(())
    }
}
