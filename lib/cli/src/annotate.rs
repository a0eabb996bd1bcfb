//! The ordered parallel map over lines.
//!
//! A reader thread cuts the input into numbered batches, workers serve their lines, and the main
//! thread puts the finished ones out in order. A fixed number of tokens, one for each MB under way,
//! bounds the memory; a batch is cut short when the input is idle, and the output is flushed when
//! nothing waits, so that a co-process is answered line by line.

use crate::args::Input;
use crate::bad_line::{BadLine, DEFECT, parse};
use crate::io::Io;
use crate::lines::{Line, Lines, Pause, Place};
use crate::missed::Missed;
use crate::rejects::Rejects;
use crate::writer::{Outcome, Writer};
use forage_record::{ErrorKind, Record};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Bytes and lines in a batch.
const BATCH_BYTES: usize = 1 << 17;
const BATCH_LINES: usize = 256;

/// Lines that go through together.
#[derive(Default)]
struct Batch {
    number: u64,
    lines: Vec<(Place, Line)>,
    bytes: usize,
    /// Bytes of input read up to here.
    read: u64,
    /// Tokens that it took.
    tokens: usize,
}

/// What came of a batch.
struct Done {
    number: u64,
    read: u64,
    tokens: usize,
    /// Answers, and between them lines that were left out.
    outcomes: Vec<Outcome>,
    missed: Missed,
}

impl Io {
    /// Passes each record through `work`, on `jobs` threads, order kept. Each thread makes its own
    /// scratch space.
    ///
    /// `work` changes the record, and fails only when the tool must stop. If it panics, the record
    /// goes on with an error of kind `internal`, and the others are served.
    ///
    /// # Errors
    /// When input or output fail, or `work` does.
    pub fn annotate<S>(
        &mut self,
        input: &Input,
        jobs: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &mut Record) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<()> {
        let (lines, tool) = (self.lines(input)?, self.messages.tool());
        run(
            self,
            input,
            lines,
            jobs,
            &scratch,
            |space, place, line, missed, to| {
                let mut record =
                    parse(line, input.max_line).map_err(|bad| Outcome::Bad(place, bad))?;
                missed.see(&record);
                match catch_unwind(AssertUnwindSafe(|| work(space, &mut record))) {
                    Ok(result) => result.map_err(Outcome::Fatal)?,
                    // It costs this record alone.
                    Err(_) => {
                        *space = scratch();
                        record.set_error(tool, ErrorKind::Internal, DEFECT);
                    }
                }
                record.write(to);
                Ok(())
            },
        )
    }

    /// Answers each line of plain text, blank ones too, on `jobs` threads, order kept: `work`
    /// appends the answer with its line feed. A line that is too long is told of, and answered by
    /// what `work` appends without one: so answers keep step with lines.
    ///
    /// # Errors
    /// When input or output fail.
    pub fn map_lines<S>(
        &mut self,
        input: &Input,
        jobs: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Option<&[u8]>, &mut Vec<u8>) + Sync,
    ) -> anyhow::Result<()> {
        // Of lines there is no field that they could lack.
        self.needs = &[];
        let (mut lines, rejects) = self.lines(input)?;
        lines.keeps_blank = true;
        run(
            self,
            input,
            (lines, rejects),
            jobs,
            &scratch,
            |space, place, line, _, to| {
                let start = to.len();
                let why = match line {
                    Line::TooLong(length) => BadLine::too_long(length, input.max_line),
                    Line::Bytes(line) => {
                        if catch_unwind(AssertUnwindSafe(|| work(space, Some(&line), to))).is_ok() {
                            return Ok(());
                        }
                        *space = scratch();
                        to.truncate(start);
                        BadLine::wrong(DEFECT.into(), Some(line))
                    }
                };
                work(space, None, to);
                Err(Outcome::Bad(place, why))
            },
        )
    }
}

/// Serves all lines of `input`. `serve` appends the answer to a line to some bytes; these go out,
/// whether or not the line is left out. It works in the space of its thread, which it makes anew
/// after a panic, as that may have left it half changed.
fn run<S>(
    io: &mut Io,
    input: &Input,
    (lines, rejects): (Lines, Rejects),
    jobs: usize,
    scratch: &(impl Fn() -> S + Sync),
    serve: impl Fn(&mut S, Place, Line, &mut Missed, &mut Vec<u8>) -> Result<(), Outcome> + Sync,
) -> anyhow::Result<()> {
    let none_missed = io.missed();
    let mut missed = none_missed;
    let mut writer = Writer::new(io, input, rejects);
    let (to_workers, from_reader) = channel();
    let (to_writer, from_workers) = channel();
    let (token, tokens) = channel();
    let most = 2 * jobs + 1;
    for _ in 0..most {
        let _ = token.send(());
    }
    let from_reader = Mutex::new(from_reader);
    let (from_reader, serve) = (&from_reader, &serve);
    std::thread::scope(|threads| {
        let batches = Batches {
            batch: Batch::default(),
            to_workers,
            tokens,
            most,
            taken: 0,
        };
        let reader = threads.spawn(move || read(lines, batches));
        for to_writer in std::iter::repeat_n(to_writer, jobs) {
            threads.spawn(move || work_on(from_reader, &to_writer, none_missed, scratch, serve));
        }
        let written = write(&mut writer, &mut missed, &from_workers, &token);
        // Without tokens the reader ends at its next batch, and the workers after it.
        drop((token, from_workers));
        let read = reader
            .join()
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the reader failed")));
        written.and(read)
    })?;
    missed.tell(&writer.io.messages);
    Ok(())
}

/// Cuts the input into batches.
fn read(mut lines: Lines, mut batches: Batches) -> anyhow::Result<()> {
    while let Some((place, line)) = lines.next(&mut |pause| batches.pause(pause))? {
        let is_full = batches.add(place, line, lines.bytes());
        if is_full && !batches.send() {
            return Ok(());
        }
    }
    batches.send();
    Ok(())
}

/// The batch that grows, and the way to the workers.
struct Batches {
    batch: Batch,
    to_workers: Sender<Batch>,
    tokens: Receiver<()>,
    /// All tokens that there are, and how many of them are taken for `batch`.
    most: usize,
    taken: usize,
}

impl Batches {
    /// Adds a line; `read` is how much of the input ends with it. True when the batch is full.
    fn add(&mut self, place: Place, line: Line, read: u64) -> bool {
        let batch = &mut self.batch;
        batch.read = read;
        batch.bytes += if let Line::Bytes(bytes) = &line {
            bytes.len()
        } else {
            0
        };
        batch.lines.push((place, line));
        batch.bytes >= BATCH_BYTES || batch.lines.len() >= BATCH_LINES
    }

    /// Sends what there is when the input is idle. Before a line is kept, also waits until all of
    /// it is written: then no token is under way.
    fn pause(&mut self, pause: Pause) -> anyhow::Result<()> {
        let is_wanted = self.send();
        anyhow::ensure!(
            pause == Pause::Idle || (is_wanted && self.take(self.most)),
            "nothing more can be written"
        );
        Ok(())
    }

    /// Sends a batch that isn't empty; false when nobody wants more.
    fn send(&mut self) -> bool {
        if self.batch.lines.is_empty() {
            return true;
        }
        if !self.take((self.batch.bytes >> 20).clamp(1, self.most)) {
            return false;
        }
        let next = Batch {
            number: self.batch.number + 1,
            ..Batch::default()
        };
        let mut full = std::mem::replace(&mut self.batch, next);
        full.tokens = std::mem::take(&mut self.taken);
        self.to_workers.send(full).is_ok()
    }

    /// Takes tokens until there are so many; false when nobody gives more.
    fn take(&mut self, tokens: usize) -> bool {
        while self.taken < tokens {
            if self.tokens.recv().is_err() {
                return false;
            }
            self.taken += 1;
        }
        true
    }
}

/// Takes batches until there are no more.
fn work_on<S>(
    from_reader: &Mutex<Receiver<Batch>>,
    to_writer: &Sender<Done>,
    missed: Missed,
    scratch: &impl Fn() -> S,
    serve: &impl Fn(&mut S, Place, Line, &mut Missed, &mut Vec<u8>) -> Result<(), Outcome>,
) {
    let mut space = scratch();
    loop {
        let next = from_reader
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(Batch {
            number,
            lines,
            bytes,
            read,
            tokens,
        }) = next
        else {
            return;
        };
        let mut done = Done {
            number,
            read,
            tokens,
            outcomes: Vec::with_capacity(1),
            missed,
        };
        let mut answers = Vec::with_capacity(bytes + bytes / 8);
        let mut answered = 0;
        for (place, line) in lines {
            match serve(&mut space, place, line, &mut done.missed, &mut answers) {
                Ok(()) => answered += 1,
                Err(outcome) => {
                    let (bytes, lines) =
                        (std::mem::take(&mut answers), std::mem::take(&mut answered));
                    done.outcomes
                        .extend([Outcome::Answers(bytes, lines), outcome]);
                }
            }
        }
        done.outcomes.push(Outcome::Answers(answers, answered));
        if to_writer.send(done).is_err() {
            return;
        }
    }
}

/// Puts finished batches out in order.
fn write(
    writer: &mut Writer,
    missed: &mut Missed,
    from_workers: &Receiver<Done>,
    token: &Sender<()>,
) -> anyhow::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    while let Some(done) = writer.receive(from_workers)? {
        waiting.insert(done.number, done);
        while let Some(done) = waiting.remove(&next) {
            next += 1;
            writer.read = done.read;
            missed.add(done.missed);
            done.outcomes
                .into_iter()
                .try_for_each(|outcome| writer.put(outcome))?;
            writer.show_progress();
            for _ in 0..done.tokens {
                let _ = token.send(());
            }
        }
    }
    writer.finish_progress();
    Ok(())
}
