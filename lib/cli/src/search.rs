//! A search through records, most of which are of no use and are not parsed.

use crate::annotate::{ResultConsumer, process_batches};
use crate::args::Input;
use crate::io::Io;
use crate::lines::{Line, LineLocation};
use crate::output::Output;
use crate::rejected_line::{INTERNAL_ERROR, RejectedLine, parse_record};
use crate::writer::{LineResult, ResultWriter};
use forage_record::Record;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a line that was not passed over.
enum Finding<R> {
    Found(R),
    Rejected(LineLocation, RejectedLine),
}

/// The consumer of a search: passes results on, and reports skipped lines.
struct FindingConsumer<'a, C> {
    writer: ResultWriter<'a>,
    consume: C,
}

impl<R, C> ResultConsumer<Finding<R>> for FindingConsumer<'_, C>
where
    C: FnMut(R, &mut Output) -> anyhow::Result<()>,
{
    fn wait(&mut self) -> anyhow::Result<()> {
        self.writer.io.out.flush()
    }

    fn consume(&mut self, finding: Finding<R>) -> anyhow::Result<()> {
        match finding {
            Finding::Found(result) => {
                (self.consume)(result, &mut self.writer.io.out)?;
                self.writer.io.out.flush_if_full()
            }
            Finding::Rejected(location, rejected) => self
                .writer
                .write_result(LineResult::Rejected(location, rejected)),
        }
    }

    fn end_batch(&mut self, bytes_read: u64, _: bool) -> anyhow::Result<()> {
        self.writer.bytes_read = bytes_read;
        self.writer.update_progress();
        Ok(())
    }
}

impl Io {
    /// Passes each record that may be of use through `work`, on `jobs` threads, and its result to
    /// `consume`, on this one, in the order of the input.
    ///
    /// `may_match` sees the line. If it returns `false`, the line is passed over if it is in braces;
    /// only others are parsed, to report what is no record.
    ///
    /// # Errors
    /// Fails if the input, the output or `consume` does.
    pub fn search_records<R: Send>(
        &mut self,
        input: &Input,
        jobs: usize,
        may_match: impl Fn(&[u8]) -> bool + Sync,
        work: impl Fn(Record) -> Option<R> + Sync,
        consume: impl FnMut(R, &mut Output) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let (lines, rejects) = self.open_input(input)?;
        let mut consumer = FindingConsumer {
            writer: ResultWriter::new(self, input, rejects),
            consume,
        };
        let search = |line: Line| {
            let is_match = match &line {
                Line::Bytes(bytes) => may_match(bytes),
                _ => false,
            };
            if !is_match && is_in_braces(&line) {
                return Ok(None);
            }
            let record = parse_record(line, input.max_line)?;
            if !is_match {
                return Ok(None);
            }
            // A panic affects this record only.
            catch_unwind(AssertUnwindSafe(|| work(record)))
                .map_err(|_| RejectedLine::malformed(INTERNAL_ERROR.into(), None))
        };
        process_batches(lines, jobs, &mut consumer, &|| (), |(), lines| {
            let findings = lines
                .into_iter()
                .filter_map(|(location, line)| match search(line) {
                    Ok(found) => found.map(Finding::Found),
                    Err(rejected) => Some(Finding::Rejected(location, rejected)),
                });
            findings.collect()
        })?;
        consumer.writer.finish_progress();
        self.out.flush()
    }
}

/// Returns `true` for a line that looks like a record: one that was cut off does not.
fn is_in_braces(line: &Line) -> bool {
    let Line::Bytes(bytes) = line else {
        return false;
    };
    let line = bytes.trim_ascii();
    line.starts_with(b"{") && line.ends_with(b"}")
}
