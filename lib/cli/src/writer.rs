//! Writes the results of lines, in the order in which they are passed: output, or a message for a
//! skipped line.

use crate::input::Input;
use crate::io::Io;
use crate::lines::LineLocation;
use crate::ordered_map::ResultConsumer;
use crate::output::Output;
use crate::progress::Progress;
use crate::rejected_line::RejectedLine;
use crate::rejects::RejectsFile;

/// The result of one or more lines.
#[derive(Debug)]
pub(crate) enum LineResult<R> {
    /// What is written.
    Output(R),
    /// The line is skipped, and the tool continues.
    Rejected(LineLocation, RejectedLine),
    /// The tool must stop.
    Fatal(anyhow::Error),
}

/// The consumer of line results: writes them with `write`, reports skipped lines, and shows the
/// progress.
pub(crate) struct ResultWriter<'a, W> {
    io: &'a mut Io,
    input: &'a Input,
    rejects: RejectsFile,
    progress: Progress,
    bytes_read: u64,
    write: W,
}

impl<'a, W> ResultWriter<'a, W> {
    pub(crate) fn new(
        io: &'a mut Io,
        input: &'a Input,
        rejects: RejectsFile,
        write: W,
    ) -> ResultWriter<'a, W> {
        ResultWriter {
            progress: Progress::new(input, io.messages.tool()),
            io,
            input,
            rejects,
            bytes_read: 0,
            write,
        }
    }

    /// The number of records written so far.
    pub(crate) fn records(&self) -> u64 {
        self.io.out.records()
    }

    pub(crate) fn finish_progress(&self) {
        let (records, skipped) = (self.io.out.records(), self.io.skipped.total());
        self.progress.finish(self.bytes_read, records, skipped);
    }
}

impl<R, W> ResultConsumer<LineResult<R>> for ResultWriter<'_, W>
where
    W: FnMut(R, &mut Output) -> anyhow::Result<()>,
{
    fn wait(&mut self) -> anyhow::Result<()> {
        self.io.out.flush()
    }

    /// Writes a result. Flushes the output before a skipped line is reported, so that none is lost
    /// if `--strict` ends the tool.
    fn consume(&mut self, result: LineResult<R>) -> anyhow::Result<()> {
        match result {
            LineResult::Output(output) => (self.write)(output, &mut self.io.out)?,
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

    fn end_batch(&mut self, bytes_read: u64, _: bool) -> anyhow::Result<()> {
        self.bytes_read = bytes_read;
        let (records, skipped) = (self.io.out.records(), self.io.skipped.total());
        self.progress.update(bytes_read, records, skipped);
        Ok(())
    }
}
