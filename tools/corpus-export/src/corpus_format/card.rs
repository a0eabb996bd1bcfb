//! The data card of a corpus: what is in it, where it came from, and how to repeat it.
//!
//! Everything in it is counted from the documents or copied from the settings of the runs.

use crate::corpus_format::document::Document;
use forage_cli::format_count;
use forage_langid::LanguageCode;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Hosts and licences that a card names; the others are counted together.
pub(super) const MAX_NAMED: usize = 20;
/// Different values that are counted, which bounds the memory.
const MAX_COUNTED: usize = 1_000_000;

/// Facts about the documents of a corpus.
#[derive(Debug, Default)]
pub struct DataCard {
    labels: BTreeMap<String, Counts>,
    /// The languages by ISO 639-3 code, as far as they are known; else classes that are codes.
    pub(super) languages: BTreeMap<String, u64>,
    pub(super) licences: BTreeMap<String, u64>,
    optouts: BTreeMap<String, u64>,
    hosts: BTreeMap<String, u64>,
    /// Documents that are no pages of the web: local files, and records without a URL.
    local: u64,
    engines: BTreeMap<String, u64>,
    queries: BTreeSet<u64>,
    published: Period,
    retrieved: Period,
}

/// Counts of the documents with a label.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Counts {
    pub(super) documents: u64,
    pub(super) words: u64,
    characters: u64,
}

/// The first and the last date.
#[derive(Debug, Default)]
struct Period {
    first: String,
    last: String,
    documents: u64,
}

/// What a card says besides the facts about documents.
#[derive(Debug, Default)]
pub struct CardContext {
    /// The title of the corpus.
    pub title: String,
    /// What precedes the title of a released corpus, instead of [`DataCard::FIRST_LINE`].
    pub front_matter: Option<String>,
    /// The files of the export.
    pub files: Vec<String>,
    /// The command that wrote it.
    pub command: String,
    /// What was left out, with counts, such as "12 documents below the margin".
    pub left_out: Vec<String>,
    /// What was done with the documents, such as the sizes of parts.
    pub notes: Vec<String>,
    /// For each run, its name and the lines of its settings.
    pub runs: Vec<(String, Vec<String>)>,
}

impl DataCard {
    /// The first line of every card, by which one is told from another file.
    pub const FIRST_LINE: &str = "<!-- data card by corpus-export -->";

    /// Stands for the licence of documents that name none.
    pub(super) const NO_LICENCE: &str = "none named";

    /// Counts a document with so many words.
    pub fn add(&mut self, document: &Document, words: u64) {
        let counts = self.labels.entry(document.label.into()).or_default();
        counts.documents += 1;
        counts.words += words;
        counts.characters += document.text.chars().count() as u64;
        let licence = match document.licence() {
            "" => Self::NO_LICENCE,
            licence => licence,
        };
        count(&mut self.licences, licence);
        for optout in &document.fetch.optout {
            count(&mut self.optouts, optout);
        }
        let language = match document.language() {
            "" => document.label,
            code => code,
        };
        if let Ok(code) = language.parse::<LanguageCode>()
            && code != LanguageCode::UNDETERMINED
        {
            count(&mut self.languages, code.as_str());
        }
        match document.host.is_empty() {
            true => self.local += 1,
            false => count(&mut self.hosts, &document.host),
        }
        if !document.engine.is_empty() {
            count(&mut self.engines, &document.engine);
        }
        let query = match document.query_id.as_str() {
            "" => &document.query,
            id => id,
        };
        if !query.is_empty() && self.queries.len() < MAX_COUNTED {
            self.queries
                .insert(xxhash_rust::xxh3::xxh3_64(query.as_bytes()));
        }
        self.published.add(&document.date);
        self.retrieved
            .add(document.fetch.at.as_deref().unwrap_or_default());
    }

    /// Returns the card.
    pub fn render(&self, context: &CardContext) -> String {
        let mut card = match &context.front_matter {
            Some(yaml) => yaml.clone(),
            None => format!("{}\n", Self::FIRST_LINE),
        };
        let _ = writeln!(card, "# {}", context.title);
        self.push_contents(context, &mut card);
        self.push_origin(context, &mut card);
        push_section("Left out", &context.left_out, &mut card);
        self.push_rights(&mut card);
        let repeat = format!("```\n{}\n```", context.command);
        let _ = write!(
            card,
            "\n## How to repeat it\n\nBy Forage {}:\n\n{repeat}\n",
            env!("CARGO_PKG_VERSION")
        );
        self.push_citation(context, &mut card);
        card
    }

    pub(super) fn total(&self) -> Counts {
        let add = |sum: Counts, counts: &Counts| Counts {
            documents: sum.documents + counts.documents,
            words: sum.words + counts.words,
            characters: sum.characters + counts.characters,
        };
        self.labels.values().fold(Counts::default(), add)
    }

    fn push_contents(&self, context: &CardContext, card: &mut String) {
        card.push_str(
            "\n## Contents\n\n| label | documents | words | characters |\n|---|--:|--:|--:|\n",
        );
        let total = self.total();
        let mut push = |label: &str, counts: &Counts| {
            let Counts {
                documents,
                words,
                characters,
            } = counts;
            let _ = writeln!(card, "| {label} | {documents} | {words} | {characters} |");
        };
        for (label, counts) in &self.labels {
            push(&cell(if label.is_empty() { "none" } else { label }), counts);
        }
        if self.labels.len() != 1 {
            push("all", &total);
        }
        let mut lines = context
            .files
            .iter()
            .map(|file| format!("`{file}`"))
            .collect::<Vec<_>>();
        lines.extend(context.notes.iter().cloned());
        push_list(&lines, card);
    }

    /// Returns how many documents are pages of the web, and how many are one's own.
    pub(super) fn describe_origin(&self) -> String {
        let pages = match self.hosts.len() {
            1 => "Web pages of 1 host".to_owned(),
            hosts => format!("Web pages of {hosts} hosts"),
        };
        let own = format_count(self.local, "own document");
        let own = format!("{own} (local files, or without a URL)");
        match (self.hosts.len(), self.local) {
            (0, 1..) => own,
            (_, 0) => pages,
            _ => format!("{pages}, and {own}"),
        }
    }

    fn push_origin(&self, context: &CardContext, card: &mut String) {
        card.push_str("\n## Origin\n\n");
        let _ = writeln!(
            card,
            "{}: a text each, as Forage extracted it or as it was given.",
            self.describe_origin()
        );
        let mut lines = Vec::new();
        for (name, period) in [
            ("Retrieved", &self.retrieved),
            ("Published", &self.published),
        ] {
            if period.documents > 0 {
                lines.push(format!(
                    "{name}: {} to {} ({} of {} documents have the date)",
                    period.first,
                    period.last,
                    period.documents,
                    self.total().documents
                ));
            }
        }
        if !self.queries.is_empty() {
            lines.push(format!(
                "Queries that retrieved them: {}",
                self.queries.len()
            ));
        }
        for (engine, documents) in &self.engines {
            lines.push(format!("Search engine `{engine}`: {documents} documents"));
        }
        push_list(&lines, card);
        if !self.hosts.is_empty() {
            card.push_str("\nHosts with most documents:\n");
            push_counts(&self.hosts, card);
        }
        for (run, settings) in &context.runs {
            let _ = write!(
                card,
                "\nSettings of the run `{run}` (run.conf):\n\n```\n{}\n```\n",
                settings.join("\n")
            );
        }
    }

    fn push_rights(&self, card: &mut String) {
        card.push_str("\n## Licences and opt-outs\n\nThe texts belong to their authors. Licences to which the pages link:\n");
        push_counts(&self.licences, card);
        if self.optouts.is_empty() {
            card.push_str("\nNo document declares a reservation against text and data mining.\n");
        } else {
            card.push_str("\nReservations against text and data mining that pages declare:\n");
            push_counts(&self.optouts, card);
        }
    }

    fn push_citation(&self, context: &CardContext, card: &mut String) {
        let Counts {
            documents, words, ..
        } = self.total();
        let year = self
            .retrieved
            .last
            .get(..4)
            .map_or(String::new(), |year| format!(", retrieved until {year}"));
        let _ = write!(
            card,
            "\n## Citation\n\n{}: a web corpus of {documents} documents and {words} words{year}. Collected with Forage {}.\n",
            context.title,
            env!("CARGO_PKG_VERSION")
        );
    }
}

impl Period {
    /// Adds a date or time, if it begins with a year.
    fn add(&mut self, date: &str) {
        let day = date.get(..10).unwrap_or(date);
        let is_date = day.len() >= 4 && day.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        if !is_date {
            return;
        }
        if self.documents == 0 || day < self.first.as_str() {
            self.first = day.into();
        }
        if day > self.last.as_str() {
            self.last = day.into();
        }
        self.documents += 1;
    }
}

/// Counts a value, unless there are too many different ones.
fn count(counts: &mut BTreeMap<String, u64>, value: &str) {
    if let Some(count) = counts.get_mut(value) {
        *count += 1;
    } else if counts.len() < MAX_COUNTED {
        counts.insert(value.into(), 1);
    }
}

fn push_section(title: &str, lines: &[String], card: &mut String) {
    if !lines.is_empty() {
        let _ = write!(card, "\n## {title}\n");
        push_list(lines, card);
    }
}

fn push_list(lines: &[String], card: &mut String) {
    if !lines.is_empty() {
        let _ = write!(card, "\n- {}\n", lines.join("\n- "));
    }
}

/// Appends a table of counts, the highest first.
fn push_counts(counts: &BTreeMap<String, u64>, card: &mut String) {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), *name));
    card.push_str("\n| | documents |\n|---|--:|\n");
    for (name, count) in sorted.iter().take(MAX_NAMED) {
        let _ = writeln!(card, "| {} | {count} |", cell(name));
    }
    let rest: u64 = sorted
        .iter()
        .skip(MAX_NAMED)
        .map(|(_, count)| **count)
        .sum();
    if rest > 0 {
        let _ = writeln!(card, "| {} others | {rest} |", sorted.len() - MAX_NAMED);
    }
}

/// Returns a text for a cell of a table: on one line, without markup.
fn cell(text: &str) -> String {
    let line = crate::corpus_format::xml::one_line(text)
        .replace('|', "\\|")
        .replace('<', "&lt;");
    line.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::{CardContext, DataCard};
    use crate::corpus_format::document::tests::with_document;

    #[test]
    fn queries_are_counted_by_id_and_local_folders_are_not_published() {
        let mut card = DataCard::default();
        for (id, terms) in [
            ("q", r#"["a","b"]"#),
            ("q", r#"["b","a"]"#),
            ("r", r#"["c"]"#),
        ] {
            let json = format!(
                r#"{{"text":"x","hit":{{"engine":"index:/home/me/web"}},"query":{{"id":"{id}","include":{terms}}}}}"#
            );
            with_document(&json, |document| card.add(document, 1));
        }
        let text = card.render(&CardContext::default());
        assert!(text.contains("Queries that retrieved them: 2\n"), "{text}");
        assert!(
            text.contains("`index:web`: 3 documents") && !text.contains("/home"),
            "{text}"
        );
    }

    #[test]
    fn a_card_has_the_facts() {
        let mut card = DataCard::default();
        for json in [
            r#"{"url":"http://a.test/1","text":"Lep dan","label":"slv","hit":{"engine":"index","calls":1},
                "query":{"include":["a"],"exclude":[]},
                "fetch":{"at":"2025-03-01T00:00:00Z","licence":"http://l.test/|","optout":["noai"]}}"#,
            r#"{"url":"http://a.test/2","text":"Noč","label":"hrv","fetch":{"at":"2025-01-01T00:00:00Z"}}"#,
        ] {
            with_document(json, |document| card.add(document, 2));
        }
        let text = card.render(&CardContext {
            title: "c.csv".into(),
            command: "corpus-export run".into(),
            left_out: vec!["3 documents that opt out".into()],
            runs: vec![("run".into(), vec!["target=slv".into()])],
            ..CardContext::default()
        });
        assert!(text.starts_with(DataCard::FIRST_LINE));
        for part in [
            "\n# c.csv\n",
            "| slv | 1 | 2 | 7 |\n| all | 2 | 4 | 10 |",
            "of 1 host:",
            "Retrieved: 2025-01-01 to 2025-03-01 (2 of 2 documents",
            "Queries that retrieved them: 1",
            "| http://l.test/\\| | 1 |",
            "| noai | 1 |",
            "- 3 documents that opt out",
            "target=slv\n```",
            "a web corpus of 2 documents and 4 words, retrieved until 2025",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
