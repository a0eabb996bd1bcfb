//! Plain text: a line in, "code, tab, score, tab, line" out, for each line.
//!
//! A reader deals the batches out to the workers in turn, and the answers are taken from them in the same turn: so they
//! come out in order. Channels of one batch bound the memory.

use crate::annotate::round;
use crate::args::Args;
use crate::plain::{self, Batch, Lines};
use forage_cli::Io;
use forage_langid::{Identifier, Scratch};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// What came of a batch.
#[derive(Debug, Default)]
struct Answers {
    text: String,
    /// Lines that were too long to be looked at: where, and how long.
    too_long: Vec<String>,
}

/// Identifies the lines of the input; bytes that are not UTF-8 are replaced, and what is too long is as if it were blank.
pub(crate) fn identify(args: &Args, identifier: &Identifier, io: &mut Io) -> anyhow::Result<()> {
    let files = plain::files(&args.input)?;
    if files.iter().any(|file| plain::is_stdin(file)) && std::io::stdin().is_terminal() {
        io.say.warn("reading from the terminal; end with Ctrl-D");
    }
    std::thread::scope(|threads| {
        let (mut to_workers, mut from_workers) = (Vec::new(), Vec::new());
        for _ in 0..args.jobs.number() {
            let (to_worker, batches) = sync_channel(1);
            let (to_writer, answers) = sync_channel(1);
            threads.spawn(move || work(args, identifier, &batches, &to_writer));
            to_workers.push(to_worker);
            from_workers.push(answers);
        }
        let reader = threads.spawn(move || {
            let mut turns = to_workers.iter().cycle();
            plain::read(&files, args.input.max_line, |batch| turns.next().is_some_and(|next| next.send(batch).is_ok()))
        });
        // It takes the channels with it when it ends, and the workers and the reader with them.
        let written = write(args, from_workers, io);
        let read = reader.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the reader failed")));
        written.and(read)
    })
}

/// Takes batches until there are no more.
fn work(args: &Args, identifier: &Identifier, batches: &Receiver<Batch>, to_writer: &SyncSender<Answers>) {
    let mut scratch = Scratch::new();
    for batch in batches {
        if to_writer.send(answer(args, identifier, &mut scratch, &batch)).is_err() {
            return;
        }
    }
}

fn answer(args: &Args, identifier: &Identifier, scratch: &mut Scratch, batch: &Batch) -> Answers {
    let mut answers = Answers::default();
    let max_line = args.input.max_line;
    match &batch.lines {
        Lines::TooLong(length) => answers.pass_over(batch, batch.first, *length, max_line),
        Lines::Whole(lines) => {
            for (number, line) in (batch.first..).zip(lines.split_inclusive(|byte| *byte == b'\n')) {
                let line = line.strip_suffix(b"\n").unwrap_or(line);
                if line.len() <= max_line {
                    answers.add(identifier, scratch, plain_line(line, number));
                } else {
                    answers.pass_over(batch, number, line.len() as u64, max_line);
                    if args.input.strict {
                        break;
                    }
                }
            }
        }
    }
    answers
}

/// The line without a byte-order mark at the file's start, and CR at its end.
fn plain_line(line: &[u8], number: u64) -> &[u8] {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if number == 1 { line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line) } else { line }
}

impl Answers {
    fn add(&mut self, identifier: &Identifier, scratch: &mut Scratch, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let found = identifier.identify_with(scratch, &text);
        // Writing to a string can't fail.
        let _ = writeln!(self.text, "{}\t{}\t{text}", found.code, round(found.score));
    }

    fn pass_over(&mut self, batch: &Batch, number: u64, length: u64, max_line: usize) {
        self.text.push_str("und\t0\t\n");
        let file = &batch.file;
        self.too_long.push(format!("{file}:{number}: a line of {length} bytes, longer than --max-line {max_line}"));
    }
}

/// Puts the answers out, in order; flushes when nothing waits, so that a co-process is answered line by line.
fn write(args: &Args, from_workers: Vec<Receiver<Answers>>, io: &mut Io) -> anyhow::Result<()> {
    for from_worker in from_workers.iter().cycle() {
        let answers = match from_worker.try_recv() {
            Ok(answers) => answers,
            Err(_) => {
                io.out.flush()?;
                // The first one in turn that has no more was the last.
                let Ok(answers) = from_worker.recv() else { break };
                answers
            }
        };
        put(args, &answers, io)?;
    }
    Ok(())
}

fn put(args: &Args, answers: &Answers, io: &mut Io) -> anyhow::Result<()> {
    if let Some(text) = answers.text.strip_suffix('\n') {
        io.out.line(text);
    }
    for said in &answers.too_long {
        io.out.flush()?;
        anyhow::ensure!(!args.input.strict, "{said}");
        io.say.warn(format_args!("{said}; taken to be blank"));
    }
    io.out.spill()
}
