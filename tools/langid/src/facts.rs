//! What is known of the languages of the built-in model: a table that `report-langid`
//! (`tests/lab/tools/langid-model`) wrote when the model was measured.

use forage_langid::{Identifier, LanguageClass};
use std::collections::{BTreeMap, BTreeSet};

/// Lines of code, script, and the fields of [`LanguageFacts`], separated by tabs.
const TABLE: &str = include_str!("languages.tsv");

/// What is known of a class; a field without a value is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LanguageFacts {
    /// Kinds of the texts of its sample, each with the number of its sentences.
    pub(crate) kinds: &'static str,
    /// Share of the sentences that are identified correctly by a model without their source.
    pub(crate) accuracy: &'static str,
    /// The number of these sentences.
    pub(crate) sentences: &'static str,
    /// The nearest languages, each with the share of the sentences that are taken for it.
    pub(crate) relatives: &'static str,
}

/// The facts of the classes of the built-in model.
#[derive(Debug)]
pub(crate) struct FactTable {
    facts: BTreeMap<(&'static str, &'static str), LanguageFacts>,
    /// Code, script and source of the classes of the built-in model.
    builtin: BTreeSet<(String, String, String)>,
}

impl FactTable {
    /// Reads the table of the built-in model.
    pub(crate) fn builtin() -> Self {
        let builtin = Identifier::builtin();
        Self {
            facts: TABLE.lines().filter_map(parse_line).collect(),
            builtin: builtin.classes().map(|class| to_key(&class)).collect(),
        }
    }

    /// Returns the facts of a class, which are empty if it is not one of the built-in model: a
    /// profile learned of the same language was not measured.
    pub(crate) fn facts(&self, class: &LanguageClass<'_>) -> LanguageFacts {
        let key = (class.code.as_str(), class.script.as_str());
        let facts = self.facts.get(&key).filter(|_| self.is_builtin(class));
        facts.copied().unwrap_or_default()
    }

    /// Returns `true` for a class of the built-in model.
    pub(crate) fn is_builtin(&self, class: &LanguageClass<'_>) -> bool {
        self.builtin.contains(&to_key(class))
    }
}

fn to_key(class: &LanguageClass<'_>) -> (String, String, String) {
    let [code, script] = [class.code.as_str(), class.script.as_str()].map(str::to_owned);
    (code, script, class.source.to_owned())
}

/// Returns code, script and facts, or `None` if the line has other fields.
fn parse_line(line: &'static str) -> Option<((&'static str, &'static str), LanguageFacts)> {
    let mut fields = line.split('\t');
    let [code, script, kinds, accuracy, sentences, relatives] =
        std::array::from_fn(|_| fields.next());
    let facts = LanguageFacts {
        kinds: kinds?,
        accuracy: accuracy?,
        sentences: sentences?,
        relatives: relatives?,
    };
    match fields.next() {
        Some(_) => None,
        None => Some(((code?, script?), facts)),
    }
}

#[cfg(test)]
mod tests {
    use super::{FactTable, LanguageFacts, TABLE, parse_line};
    use forage_langid::Identifier;
    use std::collections::BTreeSet;

    #[test]
    fn a_line_has_six_fields() {
        let (key, facts) = parse_line("bos\tLatn\tlaw:45 news\t0.500\t100\thrv:0.24 slv").unwrap();
        assert_eq!(key, ("bos", "Latn"));
        assert_eq!(facts.kinds, "law:45 news");
        assert_eq!((facts.accuracy, facts.sentences), ("0.500", "100"));
        assert_eq!(facts.relatives, "hrv:0.24 slv");
        let (_, untested) = parse_line("xyz\tLatn\tn-grams\t\t\tbos").unwrap();
        assert_eq!((untested.accuracy, untested.sentences), ("", ""));
        assert_eq!(parse_line("bos\tLatn\tlaw\t\t"), None);
        assert_eq!(parse_line("bos\tLatn\tlaw\t\t\thrv\tslv"), None);
    }

    #[test]
    fn the_table_has_a_line_for_each_class_of_the_built_in_model() {
        let identifier = Identifier::builtin();
        let classes: BTreeSet<String> = identifier
            .classes()
            .map(|class| format!("{}\t{}", class.code, class.script))
            .collect();
        let lines: Vec<_> = TABLE
            .lines()
            .map(|line| parse_line(line).expect(line))
            .collect();
        let keys: BTreeSet<String> = lines
            .iter()
            .map(|((code, script), _)| format!("{code}\t{script}"))
            .collect();
        assert_eq!(keys, classes, "run make -C tests/lab leave-one-out");
        assert_eq!(lines.len(), keys.len());
        let codes: BTreeSet<&str> = lines.iter().map(|((code, _), _)| *code).collect();
        for (
            (code, _),
            LanguageFacts {
                kinds,
                accuracy,
                sentences,
                relatives,
            },
        ) in lines
        {
            assert!(!kinds.is_empty(), "{code}");
            let is_tested = accuracy
                .parse()
                .is_ok_and(|share: f64| (0.0..=1.0).contains(&share))
                && sentences.parse().is_ok_and(|number: u64| number > 0);
            assert!(
                is_tested || accuracy.is_empty() && sentences.is_empty(),
                "{code}"
            );
            for relative in relatives.split_terminator(' ') {
                let other = relative.split(':').next().unwrap();
                assert!(codes.contains(other) && other != code, "{code} {relative}");
            }
        }
    }

    #[test]
    fn classes_of_other_models_have_no_facts() {
        let identifier = Identifier::builtin();
        let mut class = identifier.classes().next().unwrap();
        let table = FactTable::builtin();
        assert_ne!(table.facts(&class), LanguageFacts::default());
        class.source = "a profile";
        assert_eq!(table.facts(&class), LanguageFacts::default());
    }
}
