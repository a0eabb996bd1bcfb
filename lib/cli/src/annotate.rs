//! Records and lines of text, each of which is processed independently of the others.

use crate::input::Input;
use crate::io::Io;
use crate::lines::{ExpectedLines, Line, LineLocation, Lines};
use crate::ordered_map::{MapLimits, map_in_order};
use crate::output::Output;
use crate::plain_text_check::PlainTextCheck;
use crate::rejected_line::{INTERNAL_ERROR, RejectedLine, absorb_bad_field, parse_record};
use crate::rejects::RejectsFile;
use crate::source::ItemSource;
use crate::writer::{LineResult, ResultWriter};
use forage_record::{ErrorKind, Record};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Serialised output, and the number of input lines that it results from.
type LinesOutput = (Vec<u8>, u64);

/// What a line has instead of output, or beside it.
type LineFailure = LineResult<LinesOutput>;

impl Io {
    /// Passes each record through `work` on `jobs` threads, and writes them in the order of the
    /// input. Each thread has its own scratch space, created by `new_scratch`.
    ///
    /// `work` changes the record, and fails only if a field has a wrong type, which becomes the
    /// error of the record, or if the tool must stop. If it panics, the record is written with an
    /// error of kind `internal`, and the others are processed.
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
                    Ok(result) => result
                        .or_else(|e| absorb_bad_field(e, &mut record, tool))
                        .map_err(LineResult::Fatal)?,
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
    /// without a line, so that the output has as many lines as the input. Lines are in UTF-8,
    /// whatever the encoding of the file. A file that is not text is reported, with a remedy that
    /// ends in `command`.
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

    /// Converts each item of a source that the tool reads itself, such as the pages of an archive,
    /// to a record, on `workers` threads, and writes the records in the order of the items. Returns
    /// the source at its end. The files of `input` are those of the source, for the progress.
    ///
    /// # Errors
    /// Fails if the output, the source or `to_record` does, or if that panics. Records of the items
    /// before the failure are written.
    pub fn produce_records<I: ItemSource>(
        &mut self,
        input: &Input,
        source: I,
        workers: usize,
        to_record: impl Fn(I::Item) -> anyhow::Result<Record> + Sync,
    ) -> anyhow::Result<I> {
        let write = |record: Record, out: &mut Output| {
            out.write_record(&record);
            Ok(())
        };
        let mut writer = ResultWriter::new(self, input, RejectsFile::default(), write);
        let convert = |item| {
            // The panic hook has reported the cause.
            let record = catch_unwind(AssertUnwindSafe(|| to_record(item)))
                .unwrap_or_else(|_| Err(anyhow::anyhow!("internal error")));
            record.map_or_else(LineResult::Fatal, LineResult::Output)
        };
        let limits = MapLimits::of_files(workers);
        let source = map_in_order(source, workers, limits, &mut writer, &|| (), |(), items| {
            items.into_iter().map(convert).collect()
        })?;
        writer.finish_progress();
        Ok(source)
    }

    /// Passes each record that may be of use through `work`, on `jobs` threads, and its result to
    /// `consume`, on this one, in the order of the input.
    ///
    /// `may_match` sees the line. If it returns `false`, the line is passed over if it is in
    /// braces; only others are parsed, to report what is no record.
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
        let mut writer = ResultWriter::new(self, input, rejects, consume);
        let search = |line: Line| {
            let is_match = matches!(&line, Line::Bytes(bytes) if may_match(bytes));
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
        let limits = MapLimits::of_lines(jobs);
        map_in_order(lines, jobs, limits, &mut writer, &|| (), |(), lines| {
            let found = lines
                .into_iter()
                .filter_map(|(location, line)| match search(line) {
                    Ok(found) => found.map(LineResult::Output),
                    Err(rejected) => Some(LineResult::Rejected(location, rejected)),
                });
            found.collect()
        })?;
        writer.finish_progress();
        self.out.flush()
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
    process: impl Fn(&mut S, LineLocation, Line, &mut Vec<u8>) -> Result<(), LineFailure> + Sync,
) -> anyhow::Result<()> {
    let write = |(bytes, lines): LinesOutput, out: &mut Output| {
        out.write_serialised(&bytes, lines);
        Ok(())
    };
    let mut writer = ResultWriter::new(io, input, rejects, write);
    let process = |scratch: &mut S, lines: Vec<(LineLocation, Line)>| {
        let bytes = lines.iter().map(Lines::item_bytes).sum::<usize>();
        let mut output = Vec::with_capacity(bytes + bytes / 8);
        let mut output_lines = 0;
        // Output, and between its parts the lines that are skipped.
        let mut results = Vec::with_capacity(1);
        for (location, line) in lines {
            match process(scratch, location, line, &mut output) {
                Ok(()) => output_lines += 1,
                Err(result) => {
                    let before = (
                        std::mem::take(&mut output),
                        std::mem::take(&mut output_lines),
                    );
                    results.extend([LineResult::Output(before), result]);
                }
            }
        }
        results.push(LineResult::Output((output, output_lines)));
        results
    };
    let limits = MapLimits::of_lines(jobs);
    map_in_order(lines, jobs, limits, &mut writer, new_scratch, process)?;
    writer.finish_progress();
    Ok(())
}

/// Returns `true` for a line that looks like a record: one that was cut off does not.
fn is_in_braces(line: &Line) -> bool {
    let Line::Bytes(bytes) = line else {
        return false;
    };
    let line = bytes.trim_ascii();
    line.starts_with(b"{") && line.ends_with(b"}")
}
