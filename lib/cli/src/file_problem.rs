//! Why the text of a file is not read.

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
    pub(crate) fn describe(self) -> (&'static str, &'static str) {
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
    pub(crate) fn is_failure(self) -> bool {
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
