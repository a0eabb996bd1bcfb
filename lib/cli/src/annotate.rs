//! The ordered parallel map over lines.
//!
//! A reader thread cuts the input into numbered batches, worker threads process their lines, and
//! the main thread writes the finished batches in order. A fixed number of tokens bounds the
//! memory: a batch in flight holds one for each MB. When the input is idle, an incomplete batch is
//! sent, and the output is flushed when no result is waiting, so that a co-process answers line by
//! line.

use crate::args::Input;
use crate::io::Io;
use crate::lines::{ExpectedLines, Line, LineLocation, Lines, ReadPause};
use crate::plain_text_check::PlainTextCheck;
use crate::rejected_line::{INTERNAL_ERROR, RejectedLine, parse_record};
use crate::rejects::RejectsFile;
use crate::writer::{LineResult, ResultWriter};
use forage_record::{ErrorKind, Record};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Bytes at which a batch is sent, which bound its memory.
const BATCH_BYTES: usize = 1 << 17;
/// Lines at which a batch is sent.
const BATCH_LINES: usize = 256;

/// Lines that are processed together.
#[derive(Default)]
struct LineBatch {
    number: u64,
    lines: Vec<(LineLocation, Line)>,
    bytes: usize,
    /// Bytes of input up to the end of this batch.
    bytes_read: u64,
    /// Tokens that the batch holds.
    tokens: usize,
    /// True if the input is idle after the batch.
    is_pause: bool,
}

/// The results of a batch.
struct BatchResult<R> {
    number: u64,
    bytes_read: u64,
    tokens: usize,
    is_pause: bool,
    results: Vec<R>,
}

/// What takes the results of lines, in the order of the input.
pub(crate) trait ResultConsumer<R> {
    /// Called when no result is waiting.
    fn wait(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    /// Takes a result.
    fn consume(&mut self, result: R) -> anyhow::Result<()>;

    /// Called after the results of some lines, which end at byte `bytes_read` of the input. If
    /// `is_pause`, the input is idle.
    fn end_batch(&mut self, bytes_read: u64, is_pause: bool) -> anyhow::Result<()>;
}

impl ResultConsumer<LineResult> for ResultWriter<'_> {
    fn wait(&mut self) -> anyhow::Result<()> {
        self.io.out.flush()
    }

    fn consume(&mut self, result: LineResult) -> anyhow::Result<()> {
        self.write_result(result)
    }

    fn end_batch(&mut self, bytes_read: u64, _: bool) -> anyhow::Result<()> {
        self.bytes_read = bytes_read;
        self.update_progress();
        Ok(())
    }
}

impl Io {
    /// Passes each record through `work` on `jobs` threads, and writes them in the order of the
    /// input. Each thread has its own scratch space, created by `new_scratch`.
    ///
    /// `work` changes the record, and fails only if the tool must stop. If it panics, the record is
    /// written with an error of kind `internal`, and the others are processed.
    ///
    /// # Errors
    /// Fails if the input, the output or `work` does.
    pub fn annotate<S>(
        &mut self,
        input: &Input,
        jobs: usize,
        new_scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &mut Record) -> anyhow::Result<()> + Sync,
    ) -> anyhow::Result<()> {
        let opened = self.open_input(input)?;
        let tool = self.messages.tool();
        let format = self.out.format().clone();
        process_lines(
            self,
            input,
            opened,
            jobs,
            &new_scratch,
            |scratch, location, line, output| {
                let mut record = parse_record(line, input.max_line)
                    .map_err(|rejected| LineResult::Rejected(location, rejected))?;
                match catch_unwind(AssertUnwindSafe(|| work(scratch, &mut record))) {
                    Ok(result) => result.map_err(LineResult::Fatal)?,
                    // The panic affects this record only.
                    Err(_) => {
                        *scratch = new_scratch();
                        record.set_error(tool, ErrorKind::Internal, INTERNAL_ERROR);
                    }
                }
                format.write_record(&record, output);
                Ok(())
            },
        )
    }

    /// Maps each line of plain text, including blank ones, to one line of output on `jobs` threads,
    /// in the order of the input. `work` appends the output with its line feed.
    ///
    /// A line that is too long, or on which `work` panics, is reported, and `work` is called
    /// without a line, so that the output has as many lines as the input. Lines are in UTF-8, whatever
    /// the encoding of the file. A file that is not text is reported, with a remedy that ends in
    /// `command`.
    ///
    /// # Errors
    /// Fails if the input or the output does.
    pub fn map_lines<S>(
        &mut self,
        input: &Input,
        jobs: usize,
        command: &str,
        new_scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, Option<&[u8]>, &mut Vec<u8>) + Sync,
    ) -> anyhow::Result<()> {
        let (mut lines, rejects) = self.open_input(input)?;
        lines.keeps_blank = true;
        lines.expected = ExpectedLines::Text;
        let plain_text = PlainTextCheck::new(self.messages.clone(), command.to_owned());
        lines.check_plain_text(plain_text.clone());
        let processed = process_lines(
            self,
            input,
            (lines, rejects),
            jobs,
            &new_scratch,
            |scratch, location, line, output| {
                let start = output.len();
                let rejected = match line {
                    Line::TooLong(length) => RejectedLine::too_long(length, input.max_line),
                    Line::Unconverted(error) => RejectedLine::unconverted(error),
                    Line::Bytes(line) => {
                        let result =
                            catch_unwind(AssertUnwindSafe(|| work(scratch, Some(&line), output)));
                        if result.is_ok() {
                            return Ok(());
                        }
                        *scratch = new_scratch();
                        output.truncate(start);
                        RejectedLine::malformed(INTERNAL_ERROR.into(), Some(line))
                    }
                };
                work(scratch, None, output);
                Err(LineResult::Rejected(location, rejected))
            },
        );
        plain_text.finish();
        processed
    }
}

/// Processes all lines of `input` in parallel, and writes the results in order.
///
/// `process` appends the output of a line to its last argument; these bytes are written even if it
/// returns the line as rejected. Its first argument is the scratch space of the thread, which it
/// must replace after a panic, because it may be in an inconsistent state.
fn process_lines<S>(
    io: &mut Io,
    input: &Input,
    (lines, rejects): (Lines, RejectsFile),
    jobs: usize,
    new_scratch: &(impl Fn() -> S + Sync),
    process: impl Fn(&mut S, LineLocation, Line, &mut Vec<u8>) -> Result<(), LineResult> + Sync,
) -> anyhow::Result<()> {
    let mut writer = ResultWriter::new(io, input, rejects);
    process_batches(lines, jobs, &mut writer, new_scratch, |scratch, lines| {
        let bytes = lines
            .iter()
            .map(|(_, line)| line_bytes(line))
            .sum::<usize>();
        let mut output = Vec::with_capacity(bytes + bytes / 8);
        let mut output_lines = 0;
        // Output, and between its parts the lines that are skipped.
        let mut results = Vec::with_capacity(1);
        for (location, line) in lines {
            match process(scratch, location, line, &mut output) {
                Ok(()) => output_lines += 1,
                Err(result) => {
                    let before = LineResult::Output(
                        std::mem::take(&mut output),
                        std::mem::take(&mut output_lines),
                    );
                    results.extend([before, result]);
                }
            }
        }
        results.push(LineResult::Output(output, output_lines));
        results
    })?;
    writer.finish_progress();
    Ok(())
}

/// Passes batches of lines to `process`, on `jobs` threads, and its results to `consumer`, on this
/// one, in the order of the input. The first argument of `process` is the scratch space of the thread.
///
/// # Errors
/// Fails if the input or the consumer does.
pub(crate) fn process_batches<S, R: Send>(
    lines: Lines,
    jobs: usize,
    consumer: &mut impl ResultConsumer<R>,
    new_scratch: &(impl Fn() -> S + Sync),
    process: impl Fn(&mut S, Vec<(LineLocation, Line)>) -> Vec<R> + Sync,
) -> anyhow::Result<()> {
    let (to_workers, from_reader) = channel();
    let (to_writer, from_workers) = channel();
    let (token_sender, tokens) = channel();
    let total_tokens = 2 * jobs + 1;
    for _ in 0..total_tokens {
        let _ = token_sender.send(());
    }
    let from_reader = Mutex::new(from_reader);
    let from_reader = &from_reader;
    let process = &process;
    std::thread::scope(|threads| {
        let batches = BatchSender {
            batch: LineBatch::default(),
            to_workers,
            tokens,
            total_tokens,
            held_tokens: 0,
            has_paused: true,
        };
        let reader = threads.spawn(move || read_batches(lines, batches));
        for to_writer in std::iter::repeat_n(to_writer, jobs) {
            threads.spawn(move || work(from_reader, &to_writer, new_scratch, process));
        }
        let written = consume_batches(consumer, &from_workers, &token_sender);
        // Without tokens the reader ends at its next batch, and then the workers end.
        drop((token_sender, from_workers));
        let read = reader
            .join()
            .unwrap_or_else(|_| Err(anyhow::anyhow!("the reader thread panicked")));
        written.and(read)
    })
}

/// Cuts the input into batches and sends them to the workers.
fn read_batches(mut lines: Lines, mut batches: BatchSender) -> anyhow::Result<()> {
    loop {
        let next = lines.next_line(&mut |pause| batches.handle_pause(pause));
        let Ok(Some((location, line))) = next else {
            // The lines before a failure, such as that of a truncated archive, are processed.
            batches.send(false);
            return next.map(drop);
        };
        let is_full = batches.add_line(location, line, lines.bytes_read());
        if is_full && !batches.send(false) {
            return Ok(());
        }
    }
}

/// The batch that is being filled, and its way to the workers.
struct BatchSender {
    batch: LineBatch,
    to_workers: Sender<LineBatch>,
    tokens: Receiver<()>,
    /// The number of all tokens.
    total_tokens: usize,
    /// Tokens acquired for `batch`.
    held_tokens: usize,
    /// True if the last batch that was sent ended with a pause.
    has_paused: bool,
}

impl BatchSender {
    /// Adds a line that ends at byte `bytes_read` of the input. Returns `true` if the batch is
    /// full.
    fn add_line(&mut self, location: LineLocation, line: Line, bytes_read: u64) -> bool {
        let batch = &mut self.batch;
        batch.bytes_read = bytes_read;
        batch.bytes += line_bytes(&line);
        batch.lines.push((location, line));
        batch.bytes >= BATCH_BYTES || batch.lines.len() >= BATCH_LINES
    }

    /// Sends the incomplete batch when the input is idle. Before a long line is saved, also waits
    /// until all batches are written, which is when this thread can acquire all tokens.
    fn handle_pause(&mut self, pause: ReadPause) -> anyhow::Result<()> {
        let is_open = self.send(true);
        anyhow::ensure!(
            pause == ReadPause::Idle || (is_open && self.acquire_tokens(self.total_tokens)),
            "the output is closed"
        );
        Ok(())
    }

    /// Sends the batch unless it is empty; one that is empty too, if the input is idle, and the last
    /// batch does not say so. Returns `false` if the receivers are gone.
    fn send(&mut self, is_pause: bool) -> bool {
        if self.batch.lines.is_empty() && (!is_pause || self.has_paused) {
            return true;
        }
        self.has_paused = is_pause;
        if !self.acquire_tokens((self.batch.bytes >> 20).clamp(1, self.total_tokens)) {
            return false;
        }
        let next = LineBatch {
            number: self.batch.number + 1,
            bytes_read: self.batch.bytes_read,
            ..LineBatch::default()
        };
        let mut full = std::mem::replace(&mut self.batch, next);
        full.tokens = std::mem::take(&mut self.held_tokens);
        full.is_pause = is_pause;
        self.to_workers.send(full).is_ok()
    }

    /// Waits until this thread holds `tokens` tokens. Returns `false` if the writer has stopped.
    fn acquire_tokens(&mut self, tokens: usize) -> bool {
        while self.held_tokens < tokens {
            if self.tokens.recv().is_err() {
                return false;
            }
            self.held_tokens += 1;
        }
        true
    }
}

fn line_bytes(line: &Line) -> usize {
    match line {
        Line::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

/// Processes batches until there are no more: the loop of a worker thread.
fn work<S, R>(
    from_reader: &Mutex<Receiver<LineBatch>>,
    to_writer: &Sender<BatchResult<R>>,
    new_scratch: &impl Fn() -> S,
    process: &impl Fn(&mut S, Vec<(LineLocation, Line)>) -> Vec<R>,
) {
    let mut scratch = new_scratch();
    loop {
        let received = from_reader
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .recv();
        let Ok(batch) = received else {
            return;
        };
        let done = BatchResult {
            number: batch.number,
            bytes_read: batch.bytes_read,
            tokens: batch.tokens,
            is_pause: batch.is_pause,
            results: process(&mut scratch, batch.lines),
        };
        if to_writer.send(done).is_err() {
            return;
        }
    }
}

/// Passes the results of finished batches to the consumer in order, and returns their tokens to the
/// reader.
fn consume_batches<R>(
    consumer: &mut impl ResultConsumer<R>,
    from_workers: &Receiver<BatchResult<R>>,
    token_sender: &Sender<()>,
) -> anyhow::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    loop {
        let received = match from_workers.try_recv() {
            Ok(done) => Ok(done),
            Err(_) => {
                consumer.wait()?;
                from_workers.recv()
            }
        };
        let Ok(done) = received else {
            return Ok(());
        };
        waiting.insert(done.number, done);
        while let Some(done) = waiting.remove(&next) {
            next += 1;
            done.results
                .into_iter()
                .try_for_each(|result| consumer.consume(result))?;
            consumer.end_batch(done.bytes_read, done.is_pause)?;
            for _ in 0..done.tokens {
                let _ = token_sender.send(());
            }
        }
    }
}
