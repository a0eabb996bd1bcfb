//! Messages about files whose text is not read, grouped by the kind of problem, and the exit code
//! that follows from them.

use crate::io::Io;
use crate::limited_warnings::LimitedWarnings;
use crate::messages::Messages;
use crate::plural::format_count;
use std::collections::BTreeMap;
use std::fmt::Display;

/// A reason why the text of a file or folder is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileProblem {
    /// The file does not exist, or reading it failed.
    Unreadable,
    /// The file is a pipe, device or socket.
    NotRegular,
    /// The file is binary data.
    Binary,
    /// The file is a page or another document.
    NotPlainText,
    /// The file is longer than `--max-line` and is left unread.
    TooLong,
    /// The file is cut or damaged, or has lines that are not records. The rest may be read.
    Incomplete,
    /// The file has records without a text, and the others are read.
    WithoutText,
    /// The file is longer than `--max-line`, and its beginning is read.
    Cut,
    /// A folder has no file whose text was read.
    EmptyFolder,
}

impl FileProblem {
    /// Returns the noun and the statement of a message that counts such files.
    fn describe(self) -> (&'static str, &'static str) {
        match self {
            FileProblem::Unreadable => ("files", "could not be read"),
            FileProblem::NotRegular => ("files", "are not regular files"),
            FileProblem::Binary => ("files", "are binary data"),
            FileProblem::NotPlainText => ("files", "are not plain text"),
            FileProblem::TooLong => ("files", "are longer than --max-line and were not read"),
            FileProblem::Incomplete => ("files", "could not be read completely"),
            FileProblem::WithoutText => ("files", "have records without a text"),
            FileProblem::Cut => ("files", "are longer than --max-line and were read in part"),
            FileProblem::EmptyFolder => ("folders", "have no text file"),
        }
    }

    /// Returns `true` if a file was left unread, so that the exit code is 1.
    fn is_failure(self) -> bool {
        !matches!(
            self,
            FileProblem::WithoutText | FileProblem::Cut | FileProblem::EmptyFolder
        )
    }

    /// Returns `true` if a file could not be read, so that `--strict` stops.
    pub(crate) fn is_damage(self) -> bool {
        matches!(self, FileProblem::Unreadable | FileProblem::Incomplete)
    }
}

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
