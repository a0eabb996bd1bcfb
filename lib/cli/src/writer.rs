//! Writes the results of lines, in the order in which they are passed: output, or a message for a
//! skipped line.

use crate::args::Input;
use crate::io::Io;
use crate::lines::LineLocation;
use crate::progress::Progress;
use crate::rejected_line::RejectedLine;
use crate::rejects::RejectsFile;
use std::sync::mpsc::Receiver;

/// The result of one or more lines.
pub(crate) enum LineResult {
    /// Serialised output, and the number of input lines that it results from.
    Output(Vec<u8>, u64),
    /// The line is skipped, and the tool continues.
    Rejected(LineLocation, RejectedLine),
    /// The tool must stop.
    Fatal(anyhow::Error),
}

/// The consumer of line results: writes them, reports skipped lines, and shows the progress.
pub(crate) struct ResultWriter<'a> {
    pub(crate) io: &'a mut Io,
    input: &'a Input,
    rejects: RejectsFile,
    progress: Progress,
    /// Bytes of input up to the end of the last line whose result has arrived.
    pub(crate) bytes_read: u64,
}

impl<'a> ResultWriter<'a> {
    pub(crate) fn new(io: &'a mut Io, input: &'a Input, rejects: RejectsFile) -> Self {
        let progress = Progress::new(input, io.messages.tool());
        ResultWriter {
            io,
            input,
            rejects,
            progress,
            bytes_read: 0,
        }
    }

    /// Receives the next message; `None` if all senders are gone. Flushes the output before it
    /// blocks.
    pub(crate) fn receive<T>(&mut self, from: &Receiver<T>) -> anyhow::Result<Option<T>> {
        if let Ok(message) = from.try_recv() {
            return Ok(Some(message));
        }
        self.io.out.flush()?;
        Ok(from.recv().ok())
    }

    /// Writes a result. Flushes the output before a skipped line is reported, so that none is lost
    /// if `--strict` ends the tool.
    pub(crate) fn write_result(&mut self, result: LineResult) -> anyhow::Result<()> {
        match result {
            LineResult::Output(bytes, lines) => self.io.out.write_serialised(&bytes, lines),
            LineResult::Rejected(location, rejected) => {
                self.io.out.flush()?;
                self.io
                    .skip_line(&location, &rejected, self.input, &mut self.rejects)?;
            }
            LineResult::Fatal(e) => {
                self.io.out.flush()?;
                return Err(e);
            }
        }
        self.io.out.flush_if_full()
    }

    pub(crate) fn update_progress(&mut self) {
        self.progress.update(
            self.bytes_read,
            self.io.out.records(),
            self.io.skipped.total(),
        );
    }

    pub(crate) fn finish_progress(&mut self) {
        self.progress.finish(
            self.bytes_read,
            self.io.out.records(),
            self.io.skipped.total(),
        );
    }
}
