//! `--check-labels`: comparison of the labels of documents with their languages.

use crate::Args;
use forage_cli::{Io, UsedRecords, why_no_document};
use forage_langid::{Identification, Identifier, LanguageCode, Scratch};
use forage_record::{Record, field};
use std::collections::BTreeMap;

/// Probability of a language from which a document may be in it. Lower than a half, because a short
/// document in one of several related languages is not evidence against its label. Set by judgement,
/// not measured.
const MIN_PROBABILITY: f64 = 0.05;

/// The documents of one label, by identified language.
#[derive(Debug, Default, PartialEq, Eq)]
struct LabelCounts {
    documents: u64,
    /// Documents that may be in the language of the label.
    agreeing: u64,
    /// Documents in no known language.
    undetermined: u64,
    /// Documents in other languages.
    others: BTreeMap<LanguageCode, u64>,
}

/// The verdict on a label most of whose documents are in another language.
const DIFFERS: &str = "differs";

impl LabelCounts {
    fn count_document(&mut self, label: &str, identified: &Identification) {
        let may_be = |(code, probability): &(LanguageCode, f64)| {
            code.as_str() == label && *probability >= MIN_PROBABILITY
        };
        self.documents += 1;
        if identified.code.as_str() == label {
            self.agreeing += 1;
        } else if identified.code == LanguageCode::UNDETERMINED {
            self.undetermined += 1;
        } else if identified.top.iter().any(may_be) {
            self.agreeing += 1;
        } else {
            *self.others.entry(identified.code).or_default() += 1;
        }
    }

    /// Returns what most documents of the label are.
    fn verdict(&self) -> &'static str {
        let differing: u64 = self.others.values().sum();
        if self.agreeing * 2 > self.documents {
            "agrees"
        } else if differing * 2 > self.documents {
            DIFFERS
        } else {
            "unknown"
        }
    }

    /// Returns the most frequent other language, the first by code of several.
    fn most_frequent_other(&self) -> Option<(LanguageCode, u64)> {
        let (code, documents) = self.others.iter().rev().max_by_key(|(_, count)| **count)?;
        Some((*code, *documents))
    }

    fn format_line(&self, label: &str) -> String {
        let (code, of_other) = self.most_frequent_other().unzip();
        let other = code.map_or(String::new(), |code| code.to_string());
        let (verdict, documents, agreeing) = (self.verdict(), self.documents, self.agreeing);
        let of_other = of_other.unwrap_or(0);
        format!("{label}\t{verdict}\t{documents}\t{agreeing}\t{other}\t{of_other}")
    }
}

/// Writes a line per label, and fails the check if a label differs.
///
/// # Errors
/// Fails if the input cannot be read.
pub(crate) fn compare_labels(
    args: &Args,
    identifier: &Identifier,
    io: &mut Io,
) -> anyhow::Result<()> {
    let mut scratch = Scratch::default();
    let mut by_label: BTreeMap<String, LabelCounts> = BTreeMap::new();
    let mut used = UsedRecords::default();
    io.for_each_record(&args.input, |record| {
        let labelled = labelled_text(&record);
        let cause = || why_no_document(&record).unwrap_or("without `label`");
        used.count(labelled.is_none().then(cause));
        if let Some((label, text)) = labelled {
            let identified = identifier.identify_with(&mut scratch, &text);
            let counts = by_label.entry(label.clone()).or_default();
            counts.count_document(&label, &identified);
        }
        Ok(())
    })?;
    used.report("compared", &io.messages);
    for (label, counts) in &by_label {
        io.out.write_line(&counts.format_line(label));
    }
    if by_label.values().any(|counts| counts.verdict() == DIFFERS) {
        io.fail_check();
    }
    Ok(())
}

/// Returns the label and the text of a document; `None` for a record without either.
fn labelled_text(record: &Record) -> Option<(String, String)> {
    if record.has_error() {
        return None;
    }
    let label = record.scalar(field::LABEL)?.into_owned();
    let text = record.text().ok().flatten()?.into_owned();
    Some((label, text))
}

#[cfg(test)]
mod tests {
    use super::LabelCounts;
    use forage_langid::Identifier;

    fn count(label: &str, texts: &[&str]) -> LabelCounts {
        let identifier = Identifier::builtin();
        let mut counts = LabelCounts::default();
        for text in texts {
            counts.count_document(label, &identifier.identify(text));
        }
        counts
    }

    #[test]
    fn most_documents_decide() {
        let slovenian = "Danes je lep dan, zato bomo šli na sprehod do jezera.";
        let english = "The train was late again, so we walked home through the snow.";
        let verdict = |texts: &[&str]| count("slv", texts).verdict();
        assert_eq!(verdict(&[slovenian, slovenian, english]), "agrees");
        assert_eq!(verdict(&[slovenian, english, english]), "differs");
        assert_eq!(verdict(&["1234", "= 0x77;"]), "unknown");
        assert_eq!(
            count("slv", &[english]).format_line("slv"),
            "slv\tdiffers\t1\t0\teng\t1"
        );
    }

    #[test]
    fn a_related_language_that_is_possible_is_no_difference() {
        assert_eq!(count("bos", &["dan je lijep"]).verdict(), "agrees");
    }
}
