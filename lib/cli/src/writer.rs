//! Puts out what came of lines, as it comes in their order: answers, and lines that are left out.

use crate::args::Input;
use crate::bad_line::BadLine;
use crate::io::Io;
use crate::lines::Place;
use crate::progress::Progress;
use crate::rejects::Rejects;
use std::sync::mpsc::Receiver;

/// What came of a line, or of several.
pub(crate) enum Outcome {
    /// Bytes, and how many lines they answer.
    Answers(Vec<u8>, u64),
    /// The line is left out, and the others go on.
    Bad(Place, BadLine),
    /// The tool must stop.
    Fatal(anyhow::Error),
}

pub(crate) struct Writer<'a> {
    pub io: &'a mut Io,
    input: &'a Input,
    rejects: Rejects,
    progress: Progress,
    /// Bytes of input that are read, as far as is known here.
    pub read: u64,
}

impl<'a> Writer<'a> {
    pub fn new(io: &'a mut Io, input: &'a Input, rejects: Rejects) -> Self {
        let progress = Progress::new(input, io.messages.tool());
        Writer {
            io,
            input,
            rejects,
            progress,
            read: 0,
        }
    }

    /// What comes next; nothing when nobody sends any more. Before it is waited for, all is
    /// written.
    pub fn receive<T>(&mut self, from: &Receiver<T>) -> anyhow::Result<Option<T>> {
        if let Ok(next) = from.try_recv() {
            return Ok(Some(next));
        }
        self.io.out.flush()?;
        Ok(from.recv().ok())
    }

    /// Puts out what came of a line. What came before a line that is left out is written before
    /// that is told of, so that `--strict` loses nothing.
    pub fn put(&mut self, outcome: Outcome) -> anyhow::Result<()> {
        match outcome {
            Outcome::Answers(bytes, lines) => self.io.out.written(&bytes, lines),
            Outcome::Bad(place, bad) => {
                self.io.out.flush()?;
                self.io
                    .leave_out(&place, &bad, self.input, &mut self.rejects)?;
            }
            Outcome::Fatal(e) => {
                self.io.out.flush()?;
                return Err(e);
            }
        }
        self.io.out.flush_if_full()
    }

    pub fn show_progress(&mut self) {
        self.progress
            .show(self.read, self.io.out.records(), self.io.left_out);
    }

    pub fn finish_progress(&mut self) {
        self.progress
            .finish(self.read, self.io.out.records(), self.io.left_out);
    }
}
