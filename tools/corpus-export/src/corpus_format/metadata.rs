//! What programs read of a released corpus: the YAML of the card, `croissant.json`, `CITATION.cff`.
//!
//! What is not known is left out rather than made up: who publishes the corpus, when and where.

use crate::corpus_format::Format;
use crate::corpus_format::card::{DataCard, MAX_NAMED};
use crate::corpus_format::document::COLUMN_NAMES;
use crate::corpus_format::licence::licence_name;
use crate::corpus_format::split::Part;
use crate::corpus_format::xml::one_line;
use forage_langid::{language_name, language_tag};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The formats that readers of data sets load, the best first.
const LOADED: [Format; 4] = [Format::Jsonl, Format::Parquet, Format::Csv, Format::Tsv];

/// The columns that a line of jsonl and a row of parquet have besides those of a table.
pub(crate) const FURTHER_COLUMNS: [&str; 3] = ["language", "retrieved", "optout"];

/// The licences of Creative Commons that the Hugging Face Hub knows; all are in SPDX.
const HUB_LICENCES: &str = "cc0-1.0 cc-by-2.0 cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 \
    cc-by-sa-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nd-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 \
    cc-by-nc-sa-2.0 cc-by-nc-sa-3.0 cc-by-nc-sa-4.0";

/// The Hub's classes of size, each ten times the one before.
const SIZES: &str = "n<1K 1K<n<10K 10K<n<100K 100K<n<1M 1M<n<10M 10M<n<100M 100M<n<1B 1B<n<10B";

/// A file of a release with documents.
#[derive(Debug)]
pub struct DataFile {
    /// Its name.
    pub name: String,
    /// Its name without extension: that of its class or part.
    pub base: String,
    /// Its part, of all classes.
    pub part: Option<Part>,
    /// Its format.
    pub format: Format,
    /// The number of its documents.
    pub documents: u64,
}

/// The name of any file of a release, its size, and its digest (SHA-256) in hexadecimal.
pub type ReleasedFile = (String, u64, String);

impl DataFile {
    /// Returns the configuration and the split of the Hub to which the file belongs: a
    /// configuration per class, or one with a split per part.
    fn place(&self) -> (&str, &'static str) {
        match self.part {
            None => (&self.base, "train"),
            Some(Part::Dev) => ("default", "validation"),
            Some(part) => ("default", part.name()),
        }
    }

    fn columns(&self) -> impl Iterator<Item = &'static str> {
        let (further, name): (&[_], fn(_) -> _) = match self.format {
            Format::Csv | Format::Tsv => (&[], |column| column),
            Format::Jsonl => (&FURTHER_COLUMNS, name_in_jsonl),
            _ => (&FURTHER_COLUMNS, |column| column),
        };
        let columns = COLUMN_NAMES.iter().chain(&["text"]).chain(further);
        columns.map(move |column| name(column))
    }
}

/// Returns the name of a column in jsonl, where pandas takes a `date` for a time.
pub(crate) fn name_in_jsonl(column: &'static str) -> &'static str {
    match column {
        "date" => "published",
        column => column,
    }
}

/// Returns the media type of a file, as Croissant has it.
fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("jsonl") => "application/jsonlines",
        Some("parquet") => "application/x-parquet",
        Some("csv") => "text/csv",
        Some("tsv") => "text/tab-separated-values",
        _ => "text/plain",
    }
}

pub(crate) fn is_number(column: &str) -> bool {
    matches!(column, "score" | "margin")
}

/// Returns the files that readers of data sets load: those of one format, for each document once.
/// No reader takes an empty file.
fn loaded(files: &[DataFile]) -> impl Iterator<Item = &DataFile> {
    let has = |format: &Format| files.iter().any(|file| file.format == *format);
    let format = LOADED.into_iter().find(has);
    files
        .iter()
        .filter(move |file| Some(file.format) == format && file.documents > 0)
}

/// Returns fields as YAML, an item of a list per line. The values are JSON, which is YAML: nothing
/// is taken for something else, as YAML 1.1 reads `no` as false and `1.10` as 1.1.
fn to_yaml(fields: &Value) -> String {
    let mut yaml = String::new();
    for (name, value) in fields.as_object().into_iter().flatten() {
        let lines = match value.as_array() {
            None => format!(" {value}"),
            Some(items) => items.iter().map(|item| format!("\n- {item}")).collect(),
        };
        // A key without a value is null.
        if !lines.is_empty() {
            let _ = writeln!(yaml, "{name}:{lines}");
        }
    }
    yaml
}

impl DataCard {
    /// Returns the codes of the languages, that of most documents first. One of less than a
    /// hundredth of the documents is left out as misidentified (set by judgement, not measured).
    fn main_languages(&self) -> Vec<&str> {
        let least = self.total().documents.div_ceil(100);
        let mut languages: Vec<_> = self
            .languages
            .iter()
            .filter(|(_, n)| **n >= least)
            .collect();
        languages.sort_by_key(|(_, documents)| Reverse(**documents));
        languages.into_iter().map(|(code, _)| &**code).collect()
    }

    fn language_tags(&self) -> Vec<&str> {
        self.main_languages()
            .into_iter()
            .map(language_tag)
            .collect()
    }

    /// Returns the title of a release.
    pub fn release_title(&self, release: &str) -> String {
        let languages = self.main_languages();
        let name = |code: &&str| code.parse().ok().and_then(language_name);
        let names = languages
            .iter()
            .map(|code| name(code).unwrap_or_else(|| (*code).into()));
        match languages.len() {
            0 => format!("Text corpus, release {release}"),
            1..4 => format!(
                "{} text corpus, release {release}",
                names.collect::<Vec<_>>().join(", ")
            ),
            _ => format!("Multilingual text corpus, release {release}"),
        }
    }

    /// Returns the licences by the names of the Hub: those of all documents, or one that stands for
    /// others.
    fn hub_licences(&self) -> BTreeSet<String> {
        let is_known = |licence: &String| HUB_LICENCES.split(' ').any(|known| known == *licence);
        let names = self
            .licences
            .keys()
            .map(|licence| licence_name(licence).to_lowercase());
        let names: BTreeSet<String> = names.collect();
        let is_unknown = self
            .licences
            .keys()
            .all(|licence| licence == Self::NO_LICENCE);
        match is_unknown || !names.iter().all(is_known) {
            true => [if is_unknown { "unknown" } else { "other" }.to_owned()].into(),
            false => names,
        }
    }

    /// Returns a sentence on what the corpus is.
    fn description(&self) -> String {
        let (total, origin) = (self.total(), self.describe_origin());
        let (documents, words) = (total.documents, total.words);
        format!("{documents} documents with {words} words. {origin}. Collected with Forage.")
    }

    /// Returns the YAML at the start of the card, by which hubs know the corpus and `datasets` its
    /// files. Without `configs`, `datasets` chooses files by words in their names, such as `dev`;
    /// without types, it takes them from the first 10 MB.
    pub fn front_matter(&self, release: &str, files: &[DataFile]) -> String {
        let mut configs: BTreeMap<&str, (Vec<Value>, Value)> = BTreeMap::new();
        for file in loaded(files) {
            let (config, split) = file.place();
            let (paths, features) = configs.entry(config).or_default();
            paths.push(json!({"split": split, "path": file.name}));
            let kind = |column| ["string", "float64"][usize::from(is_number(column))];
            *features = file
                .columns()
                .map(|name| json!({"name": name, "dtype": kind(name)}))
                .collect();
        }
        let size = self.total().documents.max(1).ilog10().saturating_sub(2);
        let fields = json!({
            "pretty_name": self.release_title(release),
            "language": self.language_tags(),
            "license": self.hub_licences(),
            "task_categories": ["text-generation", "fill-mask"],
            "size_categories": [SIZES.split(' ').nth(size as usize)],
            "source_datasets": ["original"],
            "configs": configs.iter().map(|(config, (paths, _))| {
                json!({"config_name": config, "data_files": paths})
            }).collect::<Value>(),
            "dataset_info": configs.iter().map(|(config, (_, features))| {
                json!({"config_name": config, "features": features})
            }).collect::<Value>(),
        });
        format!("---\n{}---\n", to_yaml(&fields))
    }

    /// Returns `CITATION.cff` (Citation File Format 1.2).
    pub fn citation(&self, release: &str) -> String {
        let mut fields = json!({
            "cff-version": "1.2.0",
            "message": "Please cite this corpus, and name the sites of the texts that you quote.",
            "type": "dataset",
            "title": self.release_title(release),
            "version": release,
            "authors": [{"name": "The collectors of the corpus"}],
            "abstract": self.description(),
        });
        // It has one licence, no list.
        if let [licence] = &Vec::from_iter(self.hub_licences())[..]
            && licence.starts_with("cc")
        {
            fields["license"] = licence.to_uppercase().into();
        }
        to_yaml(&fields)
    }

    /// Returns `croissant.json` (Croissant 1.0). `released` are the files of the release.
    pub fn croissant(
        &self,
        release: &str,
        files: &[DataFile],
        released: &[ReleasedFile],
    ) -> String {
        let kind = |column| ["sc:Text", "sc:Float"][usize::from(is_number(column))];
        let licences = self
            .licences
            .keys()
            .filter(|licence| **licence != Self::NO_LICENCE);
        let known = json!({
            "name": self.release_title(release),
            "description": self.description(),
            "version": release,
            "inLanguage": self.language_tags(),
            "license": licences.take(MAX_NAMED).map(|licence| one_line(licence)).collect::<Value>(),
            "distribution": released.iter().map(|(name, bytes, sha256)| json!({
                "@type": "cr:FileObject", "@id": name, "name": name, "contentUrl": name,
                "contentSize": format!("{bytes} B"), "encodingFormat": media_type(name),
                "sha256": sha256,
            })).collect::<Value>(),
            "recordSet": loaded(files).map(|file| json!({
                "@type": "cr:RecordSet", "@id": file.base, "name": file.base,
                "field": file.columns().map(|column| json!({
                    "@type": "cr:Field", "@id": format!("{}/{column}", file.base), "name": column,
                    "dataType": kind(column),
                    "source": {"fileObject": {"@id": file.name}, "extract": {"column": column}},
                })).collect::<Value>(),
            })).collect::<Value>(),
        });
        let template = serde_json::from_str(include_str!("croissant.json"));
        let mut croissant: Map<String, Value> = template.unwrap_or_default();
        croissant.extend(known.as_object().cloned().unwrap_or_default());
        format!("{:#}\n", Value::from(croissant))
    }
}
