//! Sources of lines: files, lists that are converted to records, and arguments.

use std::path::{Path, PathBuf};

/// Converts a line of a list to the line of a record; `None` for a line to ignore.
pub type ConvertLine = fn(Vec<u8>) -> Result<Option<Vec<u8>>, ListLineError>;

/// A line of a list cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListLineError {
    /// The cause, for the message about this line.
    pub cause: String,
    /// The remedy, which is written once for all lines.
    pub remedy: Option<&'static str>,
    /// The line.
    pub line: Vec<u8>,
}

/// A source of input lines.
#[derive(Debug, Clone)]
pub enum LineSource {
    /// A file of records; `-` is standard input.
    File(PathBuf),
    /// A file of other lines, each of which is converted to a record; `-` is standard input. A lone
    /// CR ends a line, too.
    List(PathBuf, ConvertLine),
    /// The line of a record that an argument stands for.
    Argument(Vec<u8>),
}

impl LineSource {
    /// Returns the path of the file, if the source is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            LineSource::File(path) | LineSource::List(path, _) => Some(path),
            LineSource::Argument(_) => None,
        }
    }
}

/// Returns `true` for a line or an argument that begins like the address of a web page.
pub fn is_web_url(text: &[u8]) -> bool {
    let has_scheme = |scheme: &[u8]| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    has_scheme(b"http://") || has_scheme(b"https://")
}
