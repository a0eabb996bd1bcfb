//! Messages about skipped lines: the first ones, a hint for input of another kind, and at the end
//! the total. A file that holds no records would otherwise cause a message per line.

use crate::limited_warnings::LimitedWarnings;
use crate::line_source::is_web_url;
use crate::lines::LineLocation;
use crate::messages::Messages;
use crate::plain_text_check::{describe_reading, quote_for_shell};
use crate::rejected_line::{RejectedLine, RejectionReason};
use crate::table_header::table_options;
use forage_content::ContentKind;
use forage_record::field;
use std::sync::Arc;

/// Advice for a tool that reads the text of records, if its input seems to be plain text.
const TEXT_ADVICE: &str = "make records of its lines with jq -Rc '{text: .}'";
/// Advice for a tool that reads other fields.
const RECORD_ADVICE: &str = "records are JSON objects, one per line; see forage-records(5)";

/// Advice of a tool for input that is not records.
#[derive(Debug, Clone, Copy, Default)]
pub struct InputAdvice {
    /// The advice for plain text; `None` for how to make records of its lines.
    pub plain_text: Option<&'static str>,
    /// The option for a file of URLs, if the tool has one.
    pub url_list_option: Option<&'static str>,
}

/// The number of skipped lines, and what has been written about them.
#[derive(Debug)]
pub(crate) struct SkippedLines {
    warnings: LimitedWarnings,
    not_records: u64,
    /// True if `--rejects` saves the lines.
    are_saved: bool,
    /// Advice for input that seems to be plain text.
    plain_text_advice: &'static str,
    /// True if that names options of the tool.
    has_own_advice: bool,
    /// The option for a file of URLs.
    url_list_option: Option<&'static str>,
    /// The file of URLs that was reported last.
    url_list: Option<Arc<str>>,
    /// A hint that has not been written yet.
    hint: Option<String>,
    /// The remedy for lines of a list that was given last.
    remedy: Option<&'static str>,
}

impl SkippedLines {
    /// Creates the count of a tool that reads `input_fields`. `advice` replaces the general advice.
    pub(crate) fn new(input_fields: &[&str], advice: InputAdvice) -> SkippedLines {
        let general_advice = if input_fields.contains(&field::TEXT) {
            TEXT_ADVICE
        } else {
            RECORD_ADVICE
        };
        SkippedLines {
            warnings: LimitedWarnings::default(),
            not_records: 0,
            are_saved: false,
            plain_text_advice: advice.plain_text.unwrap_or(general_advice),
            has_own_advice: advice.plain_text.is_some(),
            url_list_option: advice.url_list_option,
            url_list: None,
            hint: None,
            remedy: None,
        }
    }

    /// The number of lines skipped so far.
    pub(crate) fn total(&self) -> u64 {
        self.warnings.total()
    }

    /// Counts a line, and writes a message about it unless there were enough of them. `is_saved` is
    /// true if the line was saved.
    pub(crate) fn report_line(
        &mut self,
        location: &LineLocation,
        rejected: &RejectedLine,
        is_saved: bool,
        messages: &Messages,
    ) {
        self.are_saved |= is_saved;
        if rejected.remedy.is_some() && rejected.remedy != self.remedy {
            self.remedy = rejected.remedy;
            self.hint = rejected
                .remedy
                .map(|remedy| format!("{}: {remedy}", location.file));
        }
        if rejected.reason == RejectionReason::NotRecord {
            self.not_records += 1;
            if self.report_url_list(location, rejected, messages) {
                return;
            }
            if location.line == 1 && self.hint.is_none() && self.warnings.has_room() {
                self.hint = self.describe_input(
                    &location.file,
                    rejected.bytes.as_deref().unwrap_or_default(),
                    messages.tool(),
                );
            }
        }
        let cause = &rejected.cause;
        self.report(format_args!("{location}: {cause}; line skipped"), messages);
    }

    /// Reports a file of URLs once, instead of its lines, if the tool has an option for it. Returns
    /// `true` if the line is part of one.
    fn report_url_list(
        &mut self,
        location: &LineLocation,
        rejected: &RejectedLine,
        messages: &Messages,
    ) -> bool {
        let line = rejected.bytes.as_deref().unwrap_or_default();
        let Some(option) = self.url_list_option.filter(|_| is_web_url(line)) else {
            return false;
        };
        self.warnings.count_silently();
        if self.url_list.as_ref() != Some(&location.file) {
            self.url_list = Some(location.file.clone());
            // A title or a comment before the URLs is not of another kind.
            self.hint = None;
            let file = &location.file;
            let name = if &**file == "-" { "the input" } else { file };
            messages.warn(format_args!("{name} holds URLs; use {option} {file}"));
        }
        true
    }

    /// Counts a part of the input, and writes `message` unless there were enough messages.
    pub(crate) fn report(&mut self, message: impl std::fmt::Display, messages: &Messages) {
        self.warnings.report(message, messages);
        if !self.warnings.has_room() {
            self.write_hint(messages);
        }
    }

    /// Writes the hint, if it is still to be written, and the total, unless all lines were shown.
    pub(crate) fn finish(&mut self, messages: &Messages) {
        self.write_hint(messages);
        let statement = if self.not_records == self.total() {
            "are not records and were skipped"
        } else {
            "were skipped"
        };
        let saving = if self.are_saved {
            ""
        } else {
            ", --rejects FILE saves all"
        };
        self.warnings.finish("lines", statement, saving, messages);
    }

    fn write_hint(&mut self, messages: &Messages) {
        if let Some(hint) = self.hint.take() {
            messages.warn(hint);
        }
    }

    /// Returns a hint for input of another kind, which begins with `line`.
    fn describe_input(&self, file: &str, line: &[u8], tool: &str) -> Option<String> {
        let first = line.trim_ascii_start().first()?;
        let kind = ContentKind::detect(line);
        if let ContentKind::Document(format) = kind {
            let command = Some(tool).filter(|tool| *tool != "fetch-extract");
            return Some(format!(
                "the input looks like {}; {}",
                format.name(),
                describe_reading(file, format, command)
            ));
        }
        if let ContentKind::Unread(format) = kind {
            return Some(format!("the input {format}"));
        }
        match first {
            // Damaged records.
            b'[' | b'{' => None,
            _ if kind == ContentKind::Text && line.contains(&0) => {
                let advice = match self.has_own_advice {
                    true => self.plain_text_advice.to_owned(),
                    false => format!(
                        "iconv -f UTF-16 -t UTF-8 {} makes it UTF-8; {}",
                        quote_for_shell(file),
                        self.plain_text_advice
                    ),
                };
                Some(format!("the input looks like text in UTF-16; {advice}"))
            }
            _ if line.iter().any(|byte| is_binary(*byte)) => {
                Some("the input looks like binary data, not like records".into())
            }
            _ if is_web_url(line) => Some(
                "the input looks like URLs; make records of them with jq -Rc '{url: .}'".into(),
            ),
            _ => Some(match table_options(line) {
                Some(options) => format!(
                    "the input looks like a table; make records of its rows with mlr {options} --ojsonl cat {}",
                    quote_for_shell(file)
                ),
                None => format!(
                    "the input looks like plain text; {}",
                    self.plain_text_advice
                ),
            }),
        }
    }
}

/// Returns `true` for a byte that no text in UTF-8 or a legacy encoding contains.
fn is_binary(byte: u8) -> bool {
    matches!(byte, 0..=8 | 14..=26 | 28..=31)
}

#[cfg(test)]
mod tests {
    use super::{InputAdvice, SkippedLines};

    #[test]
    fn recognises_input_of_another_kind_by_its_first_line() {
        let skipped = SkippedLines::new(&["text"], InputAdvice::default());
        for (line, hint) in [
            ("danes je lep dan", "jq -Rc '{text: .}'"),
            ("HTTP://a.test/", "jq -Rc '{url: .}'"),
            ("MZ\u{1}\0\0", "binary"),
            ("%PDF-1.7", "use fetch-extract --html 'a b' | langid"),
            (
                "PK\u{3}\u{4}\u{14}\0",
                "use fetch-extract --html 'a b' | langid",
            ),
            (
                "<!DOCTYPE html><title>a</title>",
                "use fetch-extract --html",
            ),
            ("WARC/1.0", "use fetch-extract --from-warc 'a b' | langid"),
            ("{\\rtf1\\ansi", "RTF; convert it"),
            ("id,text", "mlr --icsv"),
            ("\u{feff}D\0a\0n\0e\0s\0", "binary"),
        ] {
            let found = skipped
                .describe_input("a b", line.as_bytes(), "langid")
                .unwrap();
            assert!(found.contains(hint), "{line}: {found}");
        }
        assert_eq!(
            skipped.describe_input("-", b"{\"text\":\"cut", "langid"),
            None
        );
        let utf16: Vec<u8> = "Danes je lep dan in jutri bo tudi.\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let found = skipped
            .describe_input("-", &utf16[..utf16.len() - 1], "dedup")
            .unwrap();
        assert!(found.contains("iconv -f UTF-16 -t UTF-8 FILE"), "{found}");
        let found = skipped
            .describe_input("a.warc", b"WARC/1.1", "fetch-extract")
            .unwrap();
        assert!(
            found.ends_with("use fetch-extract --from-warc a.warc"),
            "{found}"
        );
    }

    #[test]
    fn the_advice_for_plain_text_is_that_of_the_tool() {
        for (fields, plain_text, expected) in [
            (&["query"][..], None, "forage-records(5)"),
            (&["text"], Some("use --lines"), "use --lines"),
        ] {
            let advice = InputAdvice {
                plain_text,
                url_list_option: None,
            };
            let hint = SkippedLines::new(fields, advice)
                .describe_input("-", b"danes", "langid")
                .unwrap();
            assert!(hint.contains(expected), "{hint}");
        }
    }
}
