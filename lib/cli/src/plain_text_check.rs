//! Messages about files that are expected to be text but are something else.

use crate::limited_warnings::LimitedWarnings;
use crate::messages::Messages;
use forage_content::{ContentKind, PageFormat};
use parking_lot::Mutex;
use std::sync::Arc;

/// A check of the kind of each file. Clones share the number of warnings.
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

    /// Warns if the file `name`, whose content is of this kind, is not text.
    pub(crate) fn examine(&self, name: &str, kind: ContentKind) {
        let command = format!("jq -r .text | {}", self.command);
        if let Some(warning) = describe_other_content(name, kind, &command) {
            self.warnings.lock().report(warning, &self.messages);
        }
    }

    /// Writes the number of files, if not all warnings were written.
    pub(crate) fn finish(&self) {
        self.warnings
            .lock()
            .finish("files", "are not plain text", "", &self.messages);
    }
}

/// Returns a message about a file that is neither records nor text. `command` reads the records of
/// pages.
pub(crate) fn describe_other_content(
    name: &str,
    kind: ContentKind,
    command: &str,
) -> Option<String> {
    match kind {
        ContentKind::Records | ContentKind::Text => None,
        ContentKind::Unread(format) => Some(format!("{name}: {format}")),
        ContentKind::Binary => Some(format!("{name}: is binary data, not text")),
        ContentKind::Document(format) => Some(format!(
            "{name}: is {}, not plain text; {}",
            format.name(),
            describe_reading(name, format, Some(command))
        )),
    }
}

/// Returns how to read a file of a format that is no text: the command whose records `command`
/// reads, if it is another one, or what to convert it to.
pub(crate) fn describe_reading(name: &str, format: PageFormat, command: Option<&str>) -> String {
    let option = match (format, format.remedy()) {
        (PageFormat::Warc, _) => "--from-warc",
        (_, Some(remedy)) => return remedy.into(),
        _ => "--html",
    };
    let pipe = command.map(|command| format!(" | {command}"));
    let name = quote_for_shell(name);
    format!(
        "use fetch-extract {option} {name}{}",
        pipe.unwrap_or_default()
    )
}

/// Returns a path as one word of a shell command; `FILE` for standard input.
pub fn quote_for_shell(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    if path == "-" {
        "FILE".into()
    } else if path.chars().all(is_plain) {
        path.into()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::quote_for_shell;

    #[test]
    fn a_path_is_one_word_of_a_command() {
        for (path, expected) in [
            ("texts/a.html", "texts/a.html"),
            ("b c.html", "'b c.html'"),
            ("it's", r"'it'\''s'"),
            ("-", "FILE"),
        ] {
            assert_eq!(quote_for_shell(path), expected);
        }
    }
}
