//! The texts of a file of records as one document, and what is left out of it.

use crate::plural::format_count;
use crate::rejected_line::parse_bytes;
use crate::results::{describe_renaming, is_without_page};

/// The texts of the records of a file.
#[derive(Debug, Default)]
pub(crate) struct RecordTexts {
    texts: Vec<String>,
    pub(crate) loss: TextLoss,
}

/// The lines of a file of which there is no text.
#[derive(Debug, Default)]
pub(crate) struct TextLoss {
    lines: u64,
    not_records: u64,
    without_text: u64,
    /// The number of the first line that is not a record, and why.
    first: Option<(u64, String)>,
    /// How to rename the field that may be the text of the first record without one.
    remedy: Option<String>,
}

impl RecordTexts {
    /// Reads the texts of lines. The last line is ignored if the file `is_longer`.
    ///
    /// A record without a page, as one whose page could not be fetched, has nothing to be read.
    pub(crate) fn read(lines: &[u8], is_longer: bool) -> RecordTexts {
        let mut texts = RecordTexts::default();
        let end = match is_longer {
            true => memchr::memrchr(b'\n', lines).unwrap_or(lines.len()),
            false => lines.len(),
        };
        for (number, line) in (1..).zip(lines[..end].split(|byte| *byte == b'\n')) {
            if !line.trim_ascii().is_empty() {
                texts.add_line(number, line);
            }
        }
        texts
    }

    fn add_line(&mut self, number: u64, line: &[u8]) {
        let loss = &mut self.loss;
        loss.lines += 1;
        let record = match parse_bytes(line.to_vec()) {
            Ok(record) => record,
            Err((e, _)) => {
                loss.not_records += 1;
                loss.first.get_or_insert((number, e.to_string()));
                return;
            }
        };
        match record.text() {
            Ok(Some(text)) => self.texts.push(text.into_owned()),
            Ok(None) if record.has_error() || is_without_page(&record) => {}
            _ => {
                if loss.without_text == 0 {
                    loss.remedy = describe_renaming(&record);
                }
                loss.without_text += 1;
            }
        }
    }

    /// Returns the texts as one document; `None` if there are none.
    pub(crate) fn join(&self) -> Option<String> {
        (!self.texts.is_empty()).then(|| self.texts.join("\n"))
    }
}

impl TextLoss {
    /// Returns `true` if lines are not records.
    pub(crate) fn is_damage(&self) -> bool {
        self.not_records > 0
    }

    /// Returns what is left out, as in "2 of 9 lines are not records (line 3: ...)"; `None` if
    /// nothing is.
    pub(crate) fn describe(&self) -> Option<String> {
        let lines = format_count(self.lines, "line");
        let mut parts = Vec::new();
        if let Some((number, cause)) = &self.first {
            parts.push(format!(
                "{} of {lines} not records (line {number}: {cause})",
                self.not_records
            ));
        }
        if self.without_text > 0 {
            parts.push(format!("{} of {lines} without `text`", self.without_text));
        }
        let remedy = self.remedy.iter().map(|remedy| format!("; {remedy}"));
        (!parts.is_empty()).then(|| parts.join(", ") + &remedy.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::RecordTexts;

    fn read(lines: &str) -> (Option<String>, Option<String>) {
        let texts = RecordTexts::read(lines.as_bytes(), false);
        (texts.join(), texts.loss.describe())
    }

    #[test]
    fn what_is_left_out_is_described() {
        let (text, loss) = read("{\"text\":\"a\"}\n\n{\"te\n{\"n\":\"b\",\"body\":\"c c\"}\n{}\n");
        assert_eq!(text.as_deref(), Some("a"));
        let loss = loss.unwrap();
        for part in [
            "1 of 4 lines not records (line 3: ",
            "2 of 4 lines without `text`",
            "--text-field body",
        ] {
            assert!(loss.contains(part), "{loss}");
        }
        assert_eq!(read("{\"content\":1}\n[\n").0, None);
    }

    #[test]
    fn records_without_a_page_have_nothing_to_be_read() {
        let failed = r#"{"url":"http://a.test/","error":{"tool":"fetch-extract","kind":"connect","message":"x"}}"#;
        let lines = format!("{{\"text\":\"a\"}}\n{failed}\n{{\"text\":\"b\"}},");
        assert_eq!(read(&lines), (Some("a\nb".into()), None));
    }

    #[test]
    fn the_last_line_of_a_longer_file_is_not_a_loss() {
        let texts = RecordTexts::read(b"{\"text\":\"a\"}\n{\"text", true);
        assert_eq!(
            (texts.join().as_deref(), texts.loss.describe()),
            (Some("a"), None)
        );
    }
}
