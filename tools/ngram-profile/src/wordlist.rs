//! Word lists: lines of "word, tab, frequency".

use forage_cli::{Io, format_count};
use forage_langid::ProfileLearner;

/// A reader of a word list, with counts for its report.
#[derive(Debug, Default)]
pub(crate) struct WordListReader {
    lines: u64,
    words: u64,
    /// Words with a frequency between 0 and 1.
    small_frequencies: u64,
    /// Number of lines without the required form; comments do not count.
    skipped: u64,
    /// The first of these.
    first_skipped: Option<String>,
    /// True if the first of these is the first line of the list, and may be its heading.
    may_be_heading: bool,
}

impl WordListReader {
    /// Adds the word of a line to `learner`; skips a line that does not have the form.
    pub(crate) fn add_line(&mut self, line: &str, learner: &mut ProfileLearner) {
        self.lines += 1;
        if line.starts_with('#') {
            return;
        }
        let mut fields = line.split('\t');
        match (fields.next(), fields.next().and_then(parse_frequency)) {
            (Some(word), Some(frequency)) => {
                self.words += 1;
                self.small_frequencies += u64::from(frequency > 0.0 && frequency < 1.0);
                learner.add_word(word, to_count(frequency));
            }
            _ => {
                self.skipped += 1;
                if self.first_skipped.is_none() {
                    self.first_skipped = Some(line.to_owned());
                    self.may_be_heading = self.lines == 1;
                }
            }
        }
    }

    /// Warns of skipped lines and of small frequencies.
    ///
    /// # Errors
    /// Fails if all lines were skipped.
    pub(crate) fn report_skipped(&self, io: &Io) -> anyhow::Result<()> {
        /// Maximum number of characters of a line that are shown.
        const MAX_SHOWN: usize = 60;
        if let Some(line) = &self.first_skipped {
            let line: String = line.chars().take(MAX_SHOWN).collect();
            anyhow::ensure!(
                self.words > 0,
                "no line has the form \"word, tab, frequency\"; the first is {line:?}"
            );
            if self.skipped > 1 || !self.may_be_heading {
                io.messages.warn(format_args!(
                    "skipped {} without the form \"word, tab, frequency\"; the first is {line:?}",
                    format_count(self.skipped, "line")
                ));
            }
        }
        if self.small_frequencies > 0 {
            io.messages.warn(format_args!(
                "counted {} with a frequency below 1 as one occurrence; use numbers of occurrences",
                format_count(self.small_frequencies, "word")
            ));
        }
        Ok(())
    }
}

/// Parses a frequency: 12, 1.5, 1e3.
fn parse_frequency(text: &str) -> Option<f64> {
    let number: f64 = text.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// Rounds a frequency to a number of occurrences, at least 1 for a word that occurs. Saturates.
fn to_count(frequency: f64) -> u64 {
    if frequency > 0.0 {
        frequency.round().max(1.0) as u64
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_decimal_and_large_frequencies() {
        let parse = |text| parse_frequency(text).map(to_count);
        let texts = [
            "3",
            " 4 ",
            "1.5",
            "1e3",
            "0.2",
            "0",
            "0.0",
            "99999999999999999999",
        ];
        let expected = [3, 4, 2, 1000, 1, 0, 0, u64::MAX];
        assert_eq!(texts.map(parse), expected.map(Some));
        assert_eq!(
            ["", "x", "-1", "NaN", "inf", "1e999", "1,5"].map(parse),
            [None; 7]
        );
    }
}
