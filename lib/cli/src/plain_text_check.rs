//! Warnings about files that are read as lines of UTF-8 text but are something else.

use crate::limited_warnings::LimitedWarnings;
use crate::messages::Messages;
use forage_media::{FileKind, foreign_encoding};
use std::sync::{Arc, Mutex, PoisonError};

/// A check of the first bytes of each file. Clones share the number of warnings.
#[derive(Debug, Clone)]
pub(crate) struct PlainTextCheck {
    messages: Messages,
    /// The command that reads the converted text.
    command: String,
    warnings: Arc<Mutex<LimitedWarnings>>,
}

impl PlainTextCheck {
    /// Creates a check whose remedies end in `command`, which reads the converted text.
    pub(crate) fn new(messages: Messages, command: String) -> Self {
        PlainTextCheck {
            messages,
            command,
            warnings: Arc::default(),
        }
    }

    /// Warns if the file `name`, which begins with `head`, is not text in UTF-8.
    pub(crate) fn examine(&self, name: &str, head: &[u8]) {
        let file = if name == "-" { "FILE" } else { name };
        let command = &self.command;
        let warning = match FileKind::detect(head) {
            FileKind::Document(format) => format!(
                "{name}: is {}, not plain text; use fetch-extract --html {file} | jq -r .text | \
                 {command}",
                format.name()
            ),
            FileKind::Binary => format!("{name}: is binary data, not text"),
            FileKind::PlainText => match foreign_encoding(head) {
                None => return,
                Some(encoding) => format!(
                    "{name}: is not UTF-8, but probably {encoding}; use iconv -f {encoding} -t \
                     UTF-8 {file} | {command}"
                ),
            },
        };
        self.lock().report(warning, &self.messages);
    }

    /// Writes the number of files, if not all warnings were written.
    pub(crate) fn finish(&self) {
        self.lock()
            .finish("files", "are not plain text in UTF-8", "", &self.messages);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, LimitedWarnings> {
        self.warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
