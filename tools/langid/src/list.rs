//! The list of languages that `--list` prints.

use crate::facts::{FactTable, LanguageFacts};
use forage_cli::Io;
use forage_langid::{Identifier, LanguageClass, LanguageCode, code_aliases, macrolanguage_members};
use std::collections::{BTreeMap, BTreeSet};

/// The codes that labels stand for, given the labels that an identifier can assign.
#[derive(Debug)]
pub(crate) struct LabelCoverage {
    /// Other codes of each label: aliases that are not labels themselves.
    aliases: BTreeMap<LanguageCode, Vec<&'static str>>,
    /// The macrolanguage of each member, and of each macrolanguage: itself.
    macrolanguages: BTreeMap<LanguageCode, LanguageCode>,
    /// The labels in each macrolanguage.
    labels: BTreeMap<LanguageCode, BTreeSet<LanguageCode>>,
}

impl LabelCoverage {
    /// Returns the coverage of the labels of `identifier`.
    pub(crate) fn new(identifier: &Identifier) -> Self {
        let labels: BTreeSet<LanguageCode> = identifier.classes().map(|class| class.code).collect();
        let mut aliases: BTreeMap<_, Vec<_>> = BTreeMap::new();
        // A model can have a class whose code has become an alias since it was packed.
        let is_label = |code: &str| labels.iter().any(|label| label.as_str() == code);
        for (alias, code) in code_aliases().filter(|(alias, _)| !is_label(alias)) {
            aliases.entry(code).or_default().push(alias);
        }
        let macrolanguages: BTreeMap<_, _> = macrolanguage_members()
            .flat_map(|(whole, member)| [(whole, whole), (member, whole)])
            .collect();
        let mut by_macrolanguage: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for label in labels {
            if let Some(whole) = macrolanguages.get(&label) {
                by_macrolanguage.entry(*whole).or_default().insert(label);
            }
        }
        Self {
            aliases,
            macrolanguages,
            labels: by_macrolanguage,
        }
    }

    /// Returns the other labels in the macrolanguage of `label`, sorted.
    pub(crate) fn other_labels(&self, label: LanguageCode) -> Vec<&str> {
        let whole = self.macrolanguages.get(&label);
        let labels = whole.and_then(|whole| self.labels.get(whole));
        let others = labels
            .into_iter()
            .flatten()
            .filter(|other| **other != label);
        others.map(LanguageCode::as_str).collect()
    }

    /// Returns three fields: the other codes of `label`, its macrolanguage, and the other labels in
    /// that macrolanguage. A field without a value is empty.
    fn fields(&self, label: LanguageCode) -> [String; 3] {
        let aliases = self.aliases.get(&label).map_or(&[][..], Vec::as_slice);
        let whole = self.macrolanguages.get(&label);
        [
            // ISO 639-1 codes first.
            sorted_by_length(aliases).join(" "),
            whole.map(ToString::to_string).unwrap_or_default(),
            self.other_labels(label).join(" "),
        ]
    }
}

/// Returns the codes with the shorter ones first, otherwise in their order.
fn sorted_by_length<'a>(codes: &[&'a str]) -> Vec<&'a str> {
    let mut sorted = codes.to_vec();
    sorted.sort_by_key(|code| code.len());
    sorted
}

/// Headings of the columns that a terminal shows, in which sources would not fit.
const HEADINGS: [&str; 7] = [
    "code",
    "script",
    "name",
    "words",
    "learned from",
    "correct",
    "nearest",
];

/// Prints the classes of `identifier`: on a terminal a table of the most important fields,
/// otherwise all, one class per line.
pub(crate) fn list_classes(identifier: &Identifier, coverage: &LabelCoverage, io: &mut Io) {
    let mut classes: Vec<LanguageClass<'_>> = identifier.classes().collect();
    classes.sort_by_key(|class| (class.code, class.script));
    // Two samples of one source, whose codes ISO 639-3 has merged, are one class to users.
    let table = FactTable::builtin();
    classes.dedup_by(|next, class| {
        let key = |class: &LanguageClass<'_>| (class.code, class.script, class.name.to_owned());
        // A profile of the user may have a source of any name.
        let is_same = table.is_builtin(next) && table.is_builtin(class) && key(class) == key(next);
        class.sample_tokens += if is_same { next.sample_tokens } else { 0 };
        is_same
    });
    let is_terminal = io.out.terminal_columns().is_some();
    let fields =
        |class: &LanguageClass<'_>| class_fields(class, table.facts(class), coverage, is_terminal);
    let rows: Vec<Vec<String>> = classes.iter().map(fields).collect();
    let rows = rows
        .iter()
        .map(|row| row.iter().map(String::as_str).collect());
    io.out.write_table(&HEADINGS, &rows.collect::<Vec<_>>());
}

/// Returns the fields of a class; for a terminal those of [`HEADINGS`].
fn class_fields(
    class: &LanguageClass<'_>,
    facts: LanguageFacts,
    coverage: &LabelCoverage,
    is_terminal: bool,
) -> Vec<String> {
    let (code, size) = (class.code.to_string(), class.sample_tokens.to_string());
    let mut fields = vec![code, class.script.to_string(), class.name.to_owned(), size];
    if !is_terminal {
        fields.push(class.source.to_owned());
        fields.extend(coverage.fields(class.code));
    }
    fields.extend([facts.kinds, facts.accuracy].map(str::to_owned));
    fields.extend((!is_terminal).then(|| facts.sentences.to_owned()));
    fields.push(facts.relatives.to_owned());
    fields
}
