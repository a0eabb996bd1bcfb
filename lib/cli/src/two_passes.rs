//! Input that is read twice, for a tool that chooses records when it has seen all of them.
//!
//! Regular files are opened again. Standard input and pipes, which can be read once only, are
//! copied to a temporary file without a name, which the system removes even if the tool is killed.

use crate::input::Input;
use crate::io::Io;
use crate::line_source::LineSource;
use crate::lines::Lines;
use crate::rejected_line::parse_record;
use anyhow::Context;
use forage_record::Record;
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;

/// The input of a second pass.
#[derive(Debug)]
pub struct SecondPass<'a> {
    input: &'a Input,
    /// The records of an input that can be read once only.
    copy: Option<File>,
}

impl Io {
    /// Passes each record with its number, from 0, to `work`, and returns the input for a second
    /// pass.
    ///
    /// # Errors
    /// Fails if the input, the temporary file or `work` does.
    pub fn read_first_pass<'a>(
        &mut self,
        input: &'a Input,
        mut work: impl FnMut(u64, &Record) -> anyhow::Result<()>,
    ) -> anyhow::Result<SecondPass<'a>> {
        const TEMPORARY_FILE: &str = "temporary file for standard input";
        let is_read_once = |source: &LineSource| !source.path().is_some_and(is_regular);
        let is_repeatable = !input.line_sources()?.iter().any(is_read_once);
        let mut copy = (!is_repeatable)
            .then(|| tempfile::tempfile().map(BufWriter::new))
            .transpose()
            .context(TEMPORARY_FILE)?;
        let mut number = 0;
        let mut line = Vec::new();
        self.for_each_record(input, |record| {
            if let Some(copy) = &mut copy {
                line.clear();
                record.write(&mut line);
                copy.write_all(&line).context(TEMPORARY_FILE)?;
            }
            work(number, &record)?;
            number += 1;
            Ok(())
        })?;
        let copy = copy
            .map(|copy| {
                copy.into_inner()
                    .map_err(std::io::IntoInnerError::into_error)
            })
            .transpose()
            .context(TEMPORARY_FILE)?;
        Ok(SecondPass { input, copy })
    }

    /// Passes the records with the given numbers, which must ascend, to `work`. Lines that are not
    /// records are not reported again.
    ///
    /// # Errors
    /// Fails if the input ends before the last of these records, because a file has changed, or if
    /// `work` or the output fails.
    pub fn read_second_pass(
        &mut self,
        second: SecondPass<'_>,
        numbers: impl IntoIterator<Item = u64>,
        mut work: impl FnMut(Record, &mut crate::Output),
    ) -> anyhow::Result<()> {
        let max_line = second.input.max_line;
        let mut lines = match second.copy {
            Some(mut copy) => {
                copy.rewind().context("temporary file for standard input")?;
                // A record that was parsed is never too long.
                Lines::of_open_file(copy, usize::MAX)
            }
            None => Lines::new(second.input.line_sources()?, max_line)?,
        };
        let mut next_number = 0;
        for number in numbers {
            loop {
                let (_, line) = lines
                    .next_line(&mut |_| Ok(()))?
                    .context("the input has changed while it was read; run the command again")?;
                let Ok(record) = parse_record(line, max_line) else {
                    continue;
                };
                next_number += 1;
                if next_number > number {
                    work(record, &mut self.out);
                    self.out.flush_if_full()?;
                    break;
                }
            }
        }
        self.out.flush()
    }
}

fn is_regular(path: &Path) -> bool {
    path.as_os_str() != "-" && path.metadata().is_ok_and(|metadata| metadata.is_file())
}
