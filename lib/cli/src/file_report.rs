//! Messages about files whose text is not read, grouped by the kind of problem, and the exit code
//! that follows from them.

use crate::file_problem::FileProblem;
use crate::io::Io;
use crate::limited_warnings::LimitedWarnings;
use crate::messages::Messages;
use crate::plural::format_count;
use std::collections::BTreeMap;
use std::fmt::Display;

/// What has been written about the files so far.
#[derive(Debug, Default)]
pub(crate) struct FileReport {
    /// Files with a line or a record in the output.
    pub(crate) answers: u64,
    /// Bytes read.
    pub(crate) bytes: u64,
    /// Binary files and archives in folders, which are left out.
    pub(crate) left_out: u64,
    warnings: BTreeMap<FileProblem, LimitedWarnings>,
}

impl FileReport {
    /// Counts a problem, and writes `message` if it is among the first of its kind.
    pub(crate) fn report(
        &mut self,
        problem: FileProblem,
        message: impl Display,
        messages: &Messages,
    ) {
        let warnings = self.warnings.entry(problem).or_default();
        warnings.report(message, messages);
    }

    /// Returns the number of files that were not read.
    pub(crate) fn failures(&self) -> u64 {
        let failures = self.warnings.iter().filter(|(kind, _)| kind.is_failure());
        failures.map(|(_, warnings)| warnings.total()).sum()
    }

    /// Writes the totals. Sets the exit code to 1 if a file was not read.
    ///
    /// # Errors
    /// Fails if files were named, and the output has none of them.
    pub(crate) fn finish(&mut self, io: &mut Io) -> anyhow::Result<()> {
        for (problem, warnings) in &mut self.warnings {
            let (noun, statement) = problem.describe();
            warnings.finish(noun, statement, "", &io.messages);
        }
        if self.left_out > 0 {
            io.messages.warn(format_args!(
                "left out {} in folders: binary data or zip archives",
                format_count(self.left_out, "file")
            ));
        }
        if self.failures() > 0 {
            anyhow::ensure!(self.answers > 0, "no file could be read");
            io.fail_check();
        }
        Ok(())
    }
}
