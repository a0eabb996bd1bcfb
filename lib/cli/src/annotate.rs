//! The ordered parallel map over lines.
//!
//! A reader thread cuts the input into numbered batches, workers serve their lines, and the main thread puts
//! the finished ones out in order. A fixed number of tokens, one for each MB under way, bounds the memory; a
//! batch is cut short when the input is idle, and the output is flushed when nothing waits, so that a co-process is
//! answered line by line.

use crate::args::Input;
use crate::bad_line::BadLine;
use crate::io::Io;
use crate::lines::{Blank, Line, Lines, Pause, Place};
use crate::missed::Missed;
use crate::progress::Progress;
use crate::rejects::Rejects;
use crate::serve::{Plain, Records, Serve, Unserved};
use forage_record::Record;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

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
    pieces: Vec<Piece>,
    missed: Missed,
}

enum Piece {
    /// Bytes, and how many lines they answer.
    Answers(Vec<u8>, u64),
    Bad(Place, BadLine),
    Fatal(anyhow::Error),
}

impl Io {
    /// Passes each record through `work`, on `jobs` threads, order kept. Each thread makes its own scratch space.
    ///
    /// `work` changes the record, and fails only when the tool must stop. If it panics, the record goes on with an
    /// error of kind `internal`, and the others are served.
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
        let server = Records { tool: self.say.tool(), max_line: input.max_line, scratch, work };
        run(self, input, jobs, Blank::Skipped, &server)
    }

    /// Answers each line of plain text, blank ones too, on `jobs` threads, order kept: `work` appends the answer with
    /// its line feed. A line that is too long is told of, and answered by what `work` appends without one: so answers
    /// keep step with lines.
    ///
    /// # Errors
    /// When input or output fail.
    pub fn answer_lines<S>(
        &mut self,
        input: &Input,
        jobs: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Option<&[u8]>, &mut Vec<u8>) + Sync,
    ) -> anyhow::Result<()> {
        // Of lines there is no field that they could lack.
        self.needs = &[];
        run(self, input, jobs, Blank::Kept, &Plain { max_line: input.max_line, scratch, work })
    }
}

/// Serves all lines of `input`.
fn run(io: &mut Io, input: &Input, jobs: usize, blank: Blank, server: &impl Serve) -> anyhow::Result<()> {
    let (mut lines, rejects) = io.lines(input)?;
    lines.blank = blank;
    let mut writer = Writer::new(io, input, rejects);
    let missed = writer.missed;
    let (to_workers, from_reader) = channel();
    let (to_writer, from_workers) = channel();
    let (token, tokens) = channel();
    let most = 2 * jobs + 1;
    for _ in 0..most {
        let _ = token.send(());
    }
    let from_reader = Mutex::new(from_reader);
    let from_reader = &from_reader;
    std::thread::scope(|threads| {
        let reader = threads.spawn(move || Reader { lines, batches: Batches::new(to_workers, tokens, most) }.run());
        for _ in 0..jobs {
            let to_writer = to_writer.clone();
            threads.spawn(move || work_on(missed, from_reader, &to_writer, server));
        }
        drop(to_writer);
        let written = writer.run(&from_workers, &token);
        // Without tokens the reader ends at its next batch, and the workers after it.
        drop((token, from_workers));
        let read = reader.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the reader failed")));
        written.and(read)
    })?;
    writer.missed.tell(&writer.io.say);
    Ok(())
}

/// Cuts the input into batches.
struct Reader {
    lines: Lines,
    batches: Batches,
}

impl Reader {
    fn run(mut self) -> anyhow::Result<()> {
        let batches = &mut self.batches;
        while let Some((place, line)) = self.lines.next(&mut |pause| batches.pause(pause))? {
            let is_full = batches.add(place, line, self.lines.bytes());
            if is_full && !batches.send() {
                return Ok(());
            }
        }
        batches.send();
        Ok(())
    }
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
    fn new(to_workers: Sender<Batch>, tokens: Receiver<()>, most: usize) -> Self {
        Batches { batch: Batch::default(), to_workers, tokens, most, taken: 0 }
    }

    /// Adds a line; `read` is how much of the input ends with it. True when the batch is full.
    fn add(&mut self, place: Place, line: Line, read: u64) -> bool {
        let batch = &mut self.batch;
        batch.read = read;
        batch.bytes += if let Line::Bytes(bytes) = &line { bytes.len() } else { 0 };
        batch.lines.push((place, line));
        batch.bytes >= BATCH_BYTES || batch.lines.len() >= BATCH_LINES
    }

    /// Sends what there is when the input is idle. Before a line is kept, also waits until all of it is written:
    /// then no token is under way.
    fn pause(&mut self, pause: Pause) -> anyhow::Result<()> {
        let is_wanted = self.send();
        anyhow::ensure!(pause == Pause::Idle || (is_wanted && self.take(self.most)), "nothing more can be written");
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
        let next = Batch { number: self.batch.number + 1, ..Batch::default() };
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
fn work_on(missed: Missed, from_reader: &Mutex<Receiver<Batch>>, to_writer: &Sender<Done>, server: &impl Serve) {
    let mut space = server.space();
    loop {
        let next = match from_reader.lock() {
            Ok(queue) => queue.recv(),
            Err(_) => return,
        };
        let Ok(batch) = next else { return };
        let (number, read, tokens) = (batch.number, batch.read, batch.tokens);
        let mut done = Done { number, read, tokens, pieces: Vec::with_capacity(1), missed };
        let mut bytes = Vec::with_capacity(batch.bytes + batch.bytes / 8);
        let mut answered = 0;
        for (place, line) in batch.lines {
            let served = server.serve(&mut space, line, &mut done.missed, &mut bytes);
            answered += u64::from(served.is_ok());
            let piece = match served {
                Ok(()) => continue,
                Err(Unserved::Bad(bad)) => Piece::Bad(place, bad),
                Err(Unserved::Fatal(e)) => Piece::Fatal(e),
            };
            done.pieces.push(Piece::Answers(std::mem::take(&mut bytes), std::mem::take(&mut answered)));
            done.pieces.push(piece);
        }
        done.pieces.push(Piece::Answers(bytes, answered));
        if to_writer.send(done).is_err() {
            return;
        }
    }
}

/// Puts finished batches out in order.
struct Writer<'a> {
    io: &'a mut Io,
    input: &'a Input,
    rejects: Rejects,
    progress: Progress,
    missed: Missed,
    read: u64,
}

impl<'a> Writer<'a> {
    fn new(io: &'a mut Io, input: &'a Input, rejects: Rejects) -> Self {
        let progress = Progress::new(input, io.say.tool());
        let missed = io.missed();
        Writer { io, input, rejects, progress, missed, read: 0 }
    }

    fn run(&mut self, from_workers: &Receiver<Done>, token: &Sender<()>) -> anyhow::Result<()> {
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        loop {
            let done = match from_workers.try_recv() {
                Ok(done) => done,
                Err(_) => {
                    self.io.out.flush()?;
                    match from_workers.recv() {
                        Ok(done) => done,
                        Err(_) => break,
                    }
                }
            };
            waiting.insert(done.number, done);
            while let Some(done) = waiting.remove(&next) {
                next += 1;
                let tokens = done.tokens;
                self.put(done)?;
                for _ in 0..tokens {
                    let _ = token.send(());
                }
            }
        }
        self.progress.finish(self.read, self.io.out.records(), self.io.all_left_out());
        Ok(())
    }

    fn put(&mut self, done: Done) -> anyhow::Result<()> {
        self.read = done.read;
        self.missed.add(done.missed);
        for piece in done.pieces {
            match piece {
                Piece::Answers(bytes, lines) => self.io.out.written(&bytes, lines),
                Piece::Bad(place, bad) => {
                    // What came before the line is out before it is told of, so that `--strict` loses nothing.
                    self.io.out.flush()?;
                    self.io.leave_out(&place, &bad, self.input, &mut self.rejects)?;
                }
                Piece::Fatal(e) => {
                    self.io.out.flush()?;
                    return Err(e);
                }
            }
        }
        if self.io.out.is_full() {
            self.io.out.flush()?;
        }
        self.progress.show(self.read, self.io.out.records(), self.io.all_left_out());
        Ok(())
    }
}
