//! The corpora as they are written.
//!
//! A document joins the corpus of its own class, whichever target's query brought it (AutoCor,
//! Dimalen & Roxas 2007).

use crate::args::Format;
use crate::is_folder;
use anyhow::Context;
use forage_cli::{PendingFile, format_count};
use forage_run::Event;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The name of a file of documents without a class.
const UNLABELLED: &str = "unlabelled";

/// The corpora of all classes.
#[derive(Debug)]
pub struct Corpora<'a> {
    out: &'a Path,
    formats: &'a [Format],
    targets: &'a [String],
    /// Whether what is read is a journal, in which records without a step are initial documents.
    pub of_journal: bool,
    classes: BTreeMap<String, ClassCounts>,
    /// By class, or under an empty one for all; and by format.
    files: BTreeMap<(String, Format), CorpusFile>,
}

/// What was written of a class.
#[derive(Debug, Default)]
struct ClassCounts {
    documents: u64,
    /// Documents that queries for other targets brought.
    from_others: u64,
    words: u64,
}

/// A file of the output, in one format.
#[derive(Debug)]
struct CorpusFile {
    file: PendingFile,
    is_empty: bool,
}

impl<'a> Corpora<'a> {
    /// Corpora of `targets`, or where none are given of all that a run asked for, in a folder or a
    /// file.
    ///
    /// # Errors
    /// When a file can't be made, or several formats would be written into one file.
    pub fn new(
        out: &'a Path,
        formats: &'a [Format],
        targets: &'a [String],
    ) -> anyhow::Result<Self> {
        let (classes, files) = (BTreeMap::new(), BTreeMap::new());
        let mut corpora = Corpora {
            out,
            formats,
            targets,
            of_journal: false,
            classes,
            files,
        };
        if is_folder(out) {
            fs::create_dir_all(out).with_context(|| out.display().to_string())?;
        } else {
            let [format] = formats else {
                anyhow::bail!(
                    "--out {0}: is one file, and takes one format; {0}/ would be a folder",
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
                .insert((String::new(), *format), CorpusFile::create(path)?);
        }
        targets.iter().try_for_each(|target| corpora.open(target))?;
        Ok(corpora)
    }

    /// Begins the corpus of a class, and where the output is a folder its files.
    ///
    /// # Errors
    /// When a file can't be made.
    pub fn open(&mut self, class: &str) -> anyhow::Result<()> {
        if self.classes.contains_key(class) {
            return Ok(());
        }
        self.classes.insert(class.into(), ClassCounts::default());
        if is_folder(self.out) {
            for &format in self.formats {
                let path = self
                    .out
                    .join(format!("{}.{}", file_name(class), format.extension()));
                self.files
                    .insert((class.into(), format), CorpusFile::create(&path)?);
            }
        }
        Ok(())
    }

    /// The class whose corpus a record joins, if one.
    fn class_of(&self, event: &Event) -> Option<String> {
        let is_retrieved = event.step.is_some() || !self.of_journal;
        if !event.is_document || event.is_duplicate() || !is_retrieved {
            return None;
        }
        let class = event.label.clone().unwrap_or_default();
        let is_wanted = match self.of_journal || !self.targets.is_empty() {
            true => self.classes.contains_key(&class),
            false => true,
        };
        is_wanted.then_some(class)
    }

    /// Adds the document of a record to the corpus of its class.
    ///
    /// # Errors
    /// When a file can't be written.
    pub fn add(&mut self, event: &Event) -> anyhow::Result<()> {
        if self.of_journal && self.targets.is_empty() && event.step.is_some() {
            self.open(event.target())?;
        }
        let Some(class) = self.class_of(event) else {
            return Ok(());
        };
        self.open(&class)?;
        let text = event.text();
        for &format in self.formats {
            let Some(file) = self.files.get_mut(&(file_key(self.out, &class), format)) else {
                continue;
            };
            match format {
                Format::Jsonl => file.write_record(event)?,
                Format::Text => file.write_text(text.trim())?,
            }
        }
        let counts = self.classes.entry(class).or_default();
        counts.documents += 1;
        counts.from_others += u64::from(event.step.is_some() && !event.is_relevant());
        counts.words += text.split_whitespace().count() as u64;
        Ok(())
    }

    /// Puts the files in place; returns a line per class with the size of its corpus, for a person.
    pub fn finish(self) -> anyhow::Result<Vec<String>> {
        let mut lines = Vec::new();
        for (
            class,
            ClassCounts {
                documents,
                from_others,
                words,
            },
        ) in &self.classes
        {
            let named = if class.is_empty() {
                String::new()
            } else {
                format!("{class}: ")
            };
            lines.push(format!(
                "{named}{}, {} in {}",
                format_count(*documents, "document"),
                format_count(*words, "word"),
                self.names(class)
            ));
            if *from_others > 0 {
                let were = if *from_others == 1 { "was" } else { "were" };
                lines
                    .push(format!("{named}{from_others} of its documents {were} brought by queries for other targets"));
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

    /// The paths of the files of a class; the folder is named once.
    fn names(&self, class: &str) -> String {
        let files = self
            .formats
            .iter()
            .rev()
            .filter_map(|&format| self.files.get(&(file_key(self.out, class), format)));
        let name = |(at, file): (usize, &CorpusFile)| {
            let path = file.file.path();
            if at == 0 {
                path
            } else {
                path.file_name().map_or(path, Path::new)
            }
            .display()
            .to_string()
        };
        files
            .enumerate()
            .map(name)
            .collect::<Vec<_>>()
            .join(" and ")
    }
}

impl CorpusFile {
    fn create(path: &Path) -> anyhow::Result<Self> {
        Ok(CorpusFile {
            file: PendingFile::create(path)?,
            is_empty: true,
        })
    }

    fn write_record(&mut self, event: &Event) -> anyhow::Result<()> {
        let mut line = Vec::new();
        event.record().write(&mut line);
        self.file.append(&line)
    }

    /// Writes a text; a blank line separates it from the one before.
    fn write_text(&mut self, text: &str) -> anyhow::Result<()> {
        let before = if std::mem::take(&mut self.is_empty) {
            ""
        } else {
            "\n"
        };
        self.file.append(format!("{before}{text}\n").as_bytes())
    }
}

/// Under which key the files of a class are: one for all where the output is one file.
fn file_key(out: &Path, class: &str) -> String {
    if is_folder(out) {
        class.into()
    } else {
        String::new()
    }
}

/// A name for the files of a class, another one for each: what may not be in a name is written as
/// in a URL.
fn file_name(class: &str) -> String {
    if class.is_empty() {
        return UNLABELLED.into();
    }
    let escape = |c: char| {
        c.to_string()
            .bytes()
            .map(|byte| format!("%{byte:02X}"))
            .collect::<String>()
    };
    let is_plain = |c: char| class != UNLABELLED && (c.is_alphanumeric() || matches!(c, '-' | '_'));
    class
        .chars()
        .map(|c| {
            if is_plain(c) {
                c.to_string()
            } else {
                escape(c)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn each_class_has_files_of_its_own_in_the_folder() {
        assert_eq!(file_name("slv"), "slv");
        assert_eq!(file_name("../a b"), "%2E%2E%2Fa%20b");
        assert_ne!(file_name("a.b"), file_name("a b"));
        assert_ne!(file_name(""), file_name("unlabelled"));
    }
}
