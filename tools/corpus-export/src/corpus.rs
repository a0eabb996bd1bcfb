//! Assigns documents to corpora and writes their files.
//!
//! The files appear under their names when all input
//! has been read.

use crate::args::Format;
use crate::is_folder;
use anyhow::Context;
use forage_cli::{PendingFile, format_count};
use forage_run::Event;
use forage_step::SelectedDocument;
use forage_text::count_words;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The name of the files of documents without a class.
const UNLABELLED: &str = "unlabelled";

/// The corpora of all classes.
#[derive(Debug)]
pub struct CorpusSet<'a> {
    out: &'a Path,
    formats: &'a [Format],
    /// True if files in another format may be replaced.
    force: bool,
    classes: BTreeMap<String, ClassCounts>,
    /// By class and format. The class is empty if the output is one file for all classes.
    files: BTreeMap<(String, Format), CorpusFile>,
}

/// Counts of the documents written for a class.
#[derive(Debug, Default)]
struct ClassCounts {
    documents: u64,
    /// Documents retrieved by queries for other targets.
    from_other_targets: u64,
    words: u64,
}

/// An output file in one format.
#[derive(Debug)]
struct CorpusFile {
    file: PendingFile,
    is_empty: bool,
}

impl<'a> CorpusSet<'a> {
    /// Creates the corpora of `targets` in `out`, a folder or a file. Those of further classes are
    /// created with their first document.
    ///
    /// # Errors
    /// Fails if a file cannot be created, or several formats would be written to one file.
    pub fn new(
        out: &'a Path,
        formats: &'a [Format],
        targets: &[String],
        force: bool,
    ) -> anyhow::Result<Self> {
        let mut corpora = CorpusSet {
            out,
            formats,
            force,
            classes: BTreeMap::new(),
            files: BTreeMap::new(),
        };
        if is_folder(out) {
            fs::create_dir_all(out).with_context(|| out.display().to_string())?;
        } else {
            let [format] = formats else {
                anyhow::bail!(
                    "--out {0}: is a file, which has one format; use {0}/ for a folder",
                    out.display()
                );
            };
            let path = if out == Path::new("-") {
                Path::new("/dev/stdout")
            } else {
                out
            };
            corpora
                .files
                .insert((String::new(), *format), CorpusFile::create(path, force)?);
        }
        targets
            .iter()
            .try_for_each(|target| corpora.open_class(target))?;
        Ok(corpora)
    }

    /// Starts the corpus of a class, with its files if the output is a folder.
    ///
    /// # Errors
    /// Fails if a file cannot be created.
    pub fn open_class(&mut self, class: &str) -> anyhow::Result<()> {
        if self.classes.contains_key(class) {
            return Ok(());
        }
        self.classes.insert(class.into(), ClassCounts::default());
        if is_folder(self.out) {
            for &format in self.formats {
                let path = self
                    .out
                    .join(format!("{}.{}", file_name(class), format.extension()));
                self.files.insert(
                    (class.into(), format),
                    CorpusFile::create(&path, self.force)?,
                );
            }
        }
        Ok(())
    }

    /// Adds a document to the corpus of its class.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn add_document(&mut self, document: &SelectedDocument) -> anyhow::Result<()> {
        let SelectedDocument { event, class, .. } = *document;
        self.open_class(class)?;
        let text = event.text();
        for &format in self.formats {
            let Some(file) = self.files.get_mut(&(file_key(self.out, class), format)) else {
                continue;
            };
            match format {
                Format::Jsonl => file.write_record(event)?,
                Format::Text => file.write_text(text.trim())?,
            }
        }
        let counts = self.classes.entry(class.into()).or_default();
        counts.documents += 1;
        counts.from_other_targets += u64::from(event.step.is_some() && !event.is_relevant());
        counts.words += count_words(&text);
        Ok(())
    }

    /// Makes the files appear under their names. Returns lines for the user with the size of each
    /// corpus.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn finish(self) -> anyhow::Result<Vec<String>> {
        let mut lines = Vec::new();
        for (class, counts) in &self.classes {
            let prefix = if class.is_empty() {
                String::new()
            } else {
                format!("{class}: ")
            };
            lines.push(format!(
                "{prefix}{}, {} in {}",
                format_count(counts.documents, "document"),
                format_count(counts.words, "word"),
                self.format_paths(class)
            ));
            if counts.from_other_targets > 0 {
                lines.push(format!(
                    "{prefix}{} retrieved by queries for other targets",
                    format_count(counts.from_other_targets, "document")
                ));
            }
        }
        if self.classes.is_empty() {
            lines.push(format!("no documents for {}", self.out.display()));
        }
        self.files
            .into_values()
            .try_for_each(|file| file.file.commit())?;
        Ok(lines)
    }

    /// Formats the paths of the files of a class. Only the first one includes the folder.
    fn format_paths(&self, class: &str) -> String {
        self.formats
            .iter()
            .rev()
            .filter_map(|&format| self.files.get(&(file_key(self.out, class), format)))
            .enumerate()
            .map(|(index, file)| {
                let path = file.file.path();
                let shown = if index == 0 {
                    path
                } else {
                    path.file_name().map_or(path, Path::new)
                };
                shown.display().to_string()
            })
            .collect::<Vec<_>>()
            .join(" and ")
    }
}

impl CorpusFile {
    fn create(path: &Path, force: bool) -> anyhow::Result<Self> {
        Ok(CorpusFile {
            file: PendingFile::create(path, force)?,
            is_empty: true,
        })
    }

    fn write_record(&mut self, event: &Event) -> anyhow::Result<()> {
        let mut line = Vec::new();
        event.record().write(&mut line);
        self.file.append(&line)
    }

    /// Writes a text, after a blank line if it is not the first one.
    fn write_text(&mut self, text: &str) -> anyhow::Result<()> {
        let separator = if std::mem::take(&mut self.is_empty) {
            ""
        } else {
            "\n"
        };
        self.file.append(format!("{separator}{text}\n").as_bytes())
    }
}

/// Returns the key of the files of a class: the class, or empty if the output is one file.
fn file_key(out: &Path, class: &str) -> String {
    if is_folder(out) {
        class.into()
    } else {
        String::new()
    }
}

/// Returns the name of the files of a class without extension. Names are unique: characters that
/// are not letters, digits, `-` or `_` are percent-encoded, and so is all of a class that would
/// collide with [`UNLABELLED`].
fn file_name(class: &str) -> String {
    if class.is_empty() {
        return UNLABELLED.into();
    }
    class
        .chars()
        .map(|c| {
            let is_safe = c.is_alphanumeric() || matches!(c, '-' | '_');
            if is_safe && class != UNLABELLED {
                c.to_string()
            } else {
                percent_encode(c)
            }
        })
        .collect()
}

fn percent_encode(c: char) -> String {
    c.to_string()
        .bytes()
        .map(|byte| format!("%{byte:02X}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn each_class_has_a_unique_file_name() {
        assert_eq!(file_name("slv"), "slv");
        assert_eq!(file_name("../a b"), "%2E%2E%2Fa%20b");
        assert_ne!(file_name("a.b"), file_name("a b"));
        assert_ne!(file_name(""), file_name("unlabelled"));
    }
}
