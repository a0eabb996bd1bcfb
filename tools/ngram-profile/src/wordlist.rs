//! A list of words: "word, tab, frequency", line by line.

use forage_cli::Io;
use forage_langid::ProfileLearner;

/// What was read of a list.
#[derive(Debug, Default)]
pub(crate) struct WordList {
    lines: u64,
    words: u64,
    /// Frequencies under 1.
    small: u64,
    /// Lines that were not in this form, comments and a heading aside, and the first of them.
    passed_over: u64,
    example: Option<String>,
    /// Whether that one is the list's first line: it may be a heading.
    is_heading: bool,
}

impl WordList {
    /// Learns the word of a line; passes over one that is not in this form.
    pub(crate) fn line(&mut self, line: &str, learner: &mut ProfileLearner) {
        self.lines += 1;
        if line.starts_with('#') {
            return;
        }
        let mut fields = line.split('\t');
        match (fields.next(), fields.next().and_then(frequency)) {
            (Some(word), Some(frequency)) => {
                self.words += 1;
                self.small += u64::from(frequency > 0.0 && frequency < 1.0);
                learner.add_word(word, count(frequency));
            }
            _ => {
                self.passed_over += 1;
                if self.example.is_none() {
                    (self.example, self.is_heading) = (Some(line.to_owned()), self.lines == 1);
                }
            }
        }
    }

    /// Says what was passed over.
    ///
    /// # Errors
    /// If that is all.
    pub(crate) fn tell(&self, io: &Io) -> anyhow::Result<()> {
        /// Characters of a line that are shown.
        const SHOWN: usize = 60;
        let Self {
            words,
            small,
            passed_over,
            ..
        } = self;
        if let Some(line) = &self.example {
            let line: String = line.chars().take(SHOWN).collect();
            anyhow::ensure!(
                *words > 0,
                "no line is \"word, tab, frequency\", such as {line:?}"
            );
            if *passed_over > 1 || !self.is_heading {
                io.messages.warn(format_args!(
                    "{passed_over} lines are not \"word, tab, frequency\" and were passed over, such as {line:?}"
                ));
            }
        }
        if *small > 0 {
            io.messages.warn(format_args!(
                "words whose frequency is under 1, and was taken for 1: {small}; numbers of occurrences are better"
            ));
        }
        Ok(())
    }
}

/// A frequency as it is written: 12, 1.5, 1e3.
fn frequency(written: &str) -> Option<f64> {
    let number: f64 = written.trim().parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// The nearest number of occurrences, which is one at least for a word that does occur; the
/// greatest there is where it has no room.
fn count(frequency: f64) -> u64 {
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
    fn frequencies_may_be_decimal_and_of_any_size() {
        let read = |written| frequency(written).map(count);
        let written = [
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
        assert_eq!(written.map(read), expected.map(Some));
        assert_eq!(
            ["", "x", "-1", "NaN", "inf", "1e999", "1,5"].map(read),
            [None; 7]
        );
    }
}
