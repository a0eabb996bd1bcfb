//! `--check-labels`: comparison of the labels of documents with their languages.

use crate::Args;
use forage_cli::{Io, UsedRecords, why_no_document};
use forage_langid::{
    Identification, Identifier, LanguageCode, Scratch, UnknownLanguage, macrolanguage_members,
};
use forage_record::{Record, field};
use std::collections::BTreeMap;

/// Probability of a language from which a document may be in it. Lower than a half, because a short
/// document in one of several related languages is not evidence against its label. Set by
/// judgement, not measured.
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
    fn count_document(&mut self, languages: &[LanguageCode], identified: &Identification) {
        let may_be = |(code, probability): &(LanguageCode, f64)| {
            languages.contains(code) && *probability >= MIN_PROBABILITY
        };
        self.documents += 1;
        if languages.contains(&identified.code) {
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

/// Returns the languages of a label, as `--resolve` knows them: that of its code or tag, and those
/// of a group that it is the code of. Empty for another label.
fn languages_of(label: &str, identifier: &Identifier) -> Vec<LanguageCode> {
    let Ok(code) = LanguageCode::from_tag(label) else {
        return Vec::new();
    };
    match identifier.check_code(code) {
        Err(
            UnknownLanguage::Macrolanguage(_, members) | UnknownLanguage::Collection(_, members),
        ) => members,
        _ => {
            let typed = label.trim().split(['-', '_']).next().unwrap_or_default();
            // `zho` and `zh` are all Chinese languages, and `cmn` is one of them, though its texts
            // are labelled `zho`.
            let is_whole = typed.len() == 2 || typed.eq_ignore_ascii_case(code.as_str());
            let members = macrolanguage_members().filter(|(whole, _)| is_whole && *whole == code);
            members.map(|(_, member)| member).chain([code]).collect()
        }
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
    let mut by_label: BTreeMap<String, (Vec<LanguageCode>, LabelCounts)> = BTreeMap::new();
    let mut used = UsedRecords::default();
    io.for_each_record(&args.input, |record| {
        let labelled = labelled_text(&record);
        let cause = || why_no_document(&record).unwrap_or("without `label`");
        used.count(labelled.is_none().then(cause));
        if let Some((label, text)) = labelled {
            let identified = identifier.identify_with(&mut scratch, &text);
            let counts = by_label.entry(label).or_insert_with_key(|label| {
                let languages = languages_of(label, identifier);
                (languages, LabelCounts::default())
            });
            counts.1.count_document(&counts.0, &identified);
        }
        Ok(())
    })?;
    used.report("compared", &io.messages);
    for (label, (_, counts)) in &by_label {
        io.out.write_line(&counts.format_line(label));
    }
    if by_label
        .values()
        .any(|(_, counts)| counts.verdict() == DIFFERS)
    {
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
    use super::{LabelCounts, languages_of};
    use forage_langid::Identifier;

    fn count(label: &str, texts: &[&str]) -> LabelCounts {
        let identifier = Identifier::builtin();
        let mut counts = LabelCounts::default();
        for text in texts {
            counts.count_document(
                &languages_of(label, &identifier),
                &identifier.identify(text),
            );
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
    fn labels_are_compared_by_their_languages() {
        let slovenian = "Danes je lep dan, zato bomo šli na sprehod do jezera.";
        for label in ["sl", "SLV", " slv", "slv_Latn", "sl-SI"] {
            assert_eq!(count(label, &[slovenian]).verdict(), "agrees", "{label}");
        }
        for label in ["hun", "hun_Latn", "slovenian", "", "hbs"] {
            assert_eq!(count(label, &[slovenian]).verdict(), "differs", "{label}");
        }
        let identifier = Identifier::builtin();
        let languages = |label| {
            let languages = languages_of(label, &identifier);
            languages
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert!(languages("zho").contains(&"yue".into()) && languages("zh").len() > 1);
        assert_eq!(languages("cmn"), ["zho"]);
        assert!(languages("hbs").contains(&"hrv".into()));
        assert_eq!(languages("wen"), ["dsb", "hsb"]);
    }

    #[test]
    fn a_related_language_that_is_possible_is_no_difference() {
        assert_eq!(count("bos", &["dan je lijep"]).verdict(), "agrees");
    }
}
