//! `--corpus`: the documents of each target in a journal, as JSON lines and as plain text.
//!
//! A document joins the corpus of its own class, whichever target's query brought it (AutoCor, Dimalen & Roxas 2007).
//! The files are put in place by renaming, so that a corpus is there whole or not at all.

use anyhow::Context;
use forage_query::{Event, Figures};
use forage_record::{Record, field};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// What was written for a target.
pub struct Part {
    pub target: String,
    documents: u64,
    /// Those of them that queries for other targets brought.
    from_others: u64,
    words: u64,
    records: Pending,
    texts: Pending,
}

impl Part {
    /// Two lines for a person; a third one where other targets' queries brought documents, and where something could not
    /// be had.
    pub fn describe(&self, figures: &Figures) -> Vec<String> {
        let Part { target, documents, from_others, words, records, texts } = self;
        let Figures { steps, queries, calls, documents: retrieved, pos_docs, pos_queries, pos_calls, .. } = figures;
        let share = |share: &Option<f64>| share.map_or("–".into(), |share| format!("{share:.3}"));
        let (text, json) = (texts.path.display(), records.path.file_name().unwrap_or_default().to_string_lossy());
        let (docs, per_query, per_call) = (share(pos_docs), share(pos_queries), share(pos_calls));
        let mut lines = vec![
            format!("{target}: {documents} documents, {words} words in {text} and {json}"),
            format!(
                "{target}: of {retrieved} documents retrieved in {steps} steps, by {queries} queries and {calls} calls: \
                 PosDocs {docs}, PosQueries {per_query}, PosCalls {per_call}"
            ),
        ];
        if *from_others > 0 {
            let were = if *from_others == 1 { "was" } else { "were" };
            lines.push(format!("{target}: {from_others} of its documents {were} brought by queries for other targets"));
        }
        let errors: Vec<String> = figures.errors.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        if !errors.is_empty() {
            lines.push(format!("{target}: could not be had, by kind of error: {}", errors.join(", ")));
        }
        lines
    }
}

/// A file that is written beside its place.
struct Pending {
    path: PathBuf,
    beside: PathBuf,
    to: BufWriter<File>,
}

impl Pending {
    fn new(path: PathBuf) -> anyhow::Result<Self> {
        let beside = path.with_added_extension("new");
        let file = File::create(&beside).with_context(|| beside.display().to_string())?;
        Ok(Pending { path, beside, to: BufWriter::new(file) })
    }

    fn put_in_place(&mut self) -> anyhow::Result<()> {
        let mut put = || {
            self.to.flush()?;
            self.to.get_ref().sync_all()?;
            fs::rename(&self.beside, &self.path)
        };
        put().with_context(|| self.path.display().to_string())
    }
}

/// Writes the corpus of each of `targets`, and of each further target of the journal from its first query on.
pub fn write(journal: &Path, folder: &Path, targets: BTreeSet<String>) -> anyhow::Result<Vec<Part>> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut parts: BTreeMap<String, Part> = BTreeMap::new();
    for target in targets {
        parts.insert(target.clone(), part(folder, &target)?);
    }
    let file = File::open(journal).with_context(|| journal.display().to_string())?;
    for (line, number) in BufReader::new(file).split(b'\n').zip(1_u64..) {
        let at = || format!("{}:{number}", journal.display());
        let record = Record::parse(line.with_context(at)?).map_err(|(why, _)| why).with_context(at)?;
        let event = Event::of(&record);
        let Some(query) = &event.query else { continue };
        if !parts.contains_key(&query.target) {
            parts.insert(query.target.clone(), part(folder, &query.target)?);
        }
        if let Some(part) = event.retrieved_label().and_then(|label| parts.get_mut(label)) {
            part.add(&record)?;
            part.from_others += u64::from(!event.is_relevant());
        }
    }
    let mut parts: Vec<Part> = parts.into_values().collect();
    for part in &mut parts {
        part.records.put_in_place()?;
        part.texts.put_in_place()?;
    }
    Ok(parts)
}

fn part(folder: &Path, target: &str) -> anyhow::Result<Part> {
    let name = file_name(target);
    let pending = |extension: &str| Pending::new(folder.join(format!("{name}.{extension}")));
    let (records, texts) = (pending("jsonl")?, pending("txt")?);
    Ok(Part { target: target.into(), documents: 0, from_others: 0, words: 0, records, texts })
}

/// A name for the files of a target, another one for each: what may not stand in a name is written as in a URL.
fn file_name(target: &str) -> String {
    let escape = |c: char| c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    target.chars().map(|c| if is_plain(c) { c.to_string() } else { escape(c) }).collect()
}

impl Part {
    /// Adds a document; in the plain text a blank line stands between two.
    fn add(&mut self, record: &Record) -> anyhow::Result<()> {
        let mut line = Vec::new();
        record.write(&mut line);
        self.records.to.write_all(&line).with_context(|| self.records.beside.display().to_string())?;
        let text = record.string(field::TEXT)?.unwrap_or_default();
        let before = if self.documents > 0 { "\n" } else { "" };
        let written = writeln!(self.texts.to, "{before}{}", text.trim());
        written.with_context(|| self.texts.beside.display().to_string())?;
        self.documents += 1;
        self.words += text.split_whitespace().count() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn each_target_has_files_of_its_own_in_the_folder() {
        assert_eq!(file_name("slv"), "slv");
        assert_eq!(file_name("../a b"), "%2E%2E%2Fa%20b");
        assert_ne!(file_name("a.b"), file_name("a b"));
    }
}
