//! The corpora as they are written.
//!
//! A document joins the corpus of its own class, whichever target's query brought it (AutoCor, Dimalen & Roxas 2007).

use crate::args::Format;
use crate::is_folder;
use anyhow::Context;
use forage_run::{BoxError, Event, Projection};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The corpora of all classes, as a projection of a journal.
#[derive(Debug)]
pub struct Corpora<'a> {
    out: &'a Path,
    formats: &'a [Format],
    targets: &'a [String],
    /// Whether what is read is a journal, in which records without a step are initial documents.
    pub of_journal: bool,
    classes: BTreeMap<String, ClassCounts>,
    /// By class, or under an empty one for all; and by format.
    files: BTreeMap<(String, Format), PendingFile>,
}

/// What was written of a class.
#[derive(Debug, Default)]
struct ClassCounts {
    documents: u64,
    /// Documents that queries for other targets brought.
    from_others: u64,
    words: u64,
}

/// A file that is written beside its place.
#[derive(Debug)]
struct PendingFile {
    path: PathBuf,
    beside: PathBuf,
    to: BufWriter<File>,
    is_empty: bool,
}

impl<'a> Corpora<'a> {
    /// Corpora of `targets`, or where none are given of all that a run asked for, in a folder or a file.
    ///
    /// # Errors
    /// When a file can't be made, or several formats would be written into one file.
    pub fn new(out: &'a Path, formats: &'a [Format], targets: &'a [String]) -> anyhow::Result<Self> {
        if is_folder(out) {
            fs::create_dir_all(out).with_context(|| out.display().to_string())?;
        } else {
            anyhow::ensure!(formats.len() == 1, "--out {}: is one file, and takes one format", out.display());
        }
        let (classes, files) = (BTreeMap::new(), BTreeMap::new());
        let mut corpora = Corpora { out, formats, targets, of_journal: false, classes, files };
        targets.iter().try_for_each(|target| corpora.open(target))?;
        Ok(corpora)
    }

    /// Opens the files of a class.
    fn open(&mut self, class: &str) -> anyhow::Result<()> {
        if self.classes.contains_key(class) {
            return Ok(());
        }
        self.classes.insert(class.into(), ClassCounts::default());
        for &format in self.formats {
            let path = match is_folder(self.out) {
                true => self.out.join(format!("{}.{}", file_name(class), format.extension())),
                false => self.out.to_path_buf(),
            };
            if let std::collections::btree_map::Entry::Vacant(place) =
                self.files.entry((file_key(self.out, class), format))
            {
                place.insert(PendingFile::create(path)?);
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

    /// Puts the files in place; a line per class says what it has.
    pub fn finish(self) -> anyhow::Result<Vec<String>> {
        let mut lines = Vec::new();
        for (class, ClassCounts { documents, from_others, words }) in &self.classes {
            let key = file_key(self.out, class);
            let files = self.formats.iter().rev().filter_map(|format| self.files.get(&(key.clone(), *format)));
            let names: Vec<String> = files.enumerate().map(|(at, file)| file.name(at == 0)).collect();
            let named = if class.is_empty() { String::new() } else { format!("{class}: ") };
            lines.push(format!("{named}{documents} documents, {words} words in {}", names.join(" and ")));
            if *from_others > 0 {
                let were = if *from_others == 1 { "was" } else { "were" };
                lines
                    .push(format!("{named}{from_others} of its documents {were} brought by queries for other targets"));
            }
        }
        self.files.into_values().try_for_each(PendingFile::put_in_place)?;
        Ok(lines)
    }
}

impl Projection for Corpora<'_> {
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        if self.of_journal && self.targets.is_empty() && event.step.is_some() {
            self.open(event.target())?;
        }
        let Some(class) = self.class_of(event) else { return Ok(()) };
        self.open(&class)?;
        let text = event.text();
        for &format in self.formats {
            let Some(file) = self.files.get_mut(&(file_key(self.out, &class), format)) else { continue };
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
}

impl PendingFile {
    fn create(path: PathBuf) -> anyhow::Result<Self> {
        let beside = path.with_added_extension("new");
        let file = File::create(&beside).with_context(|| beside.display().to_string())?;
        Ok(PendingFile { path, beside, to: BufWriter::new(file), is_empty: true })
    }

    /// Its path, or where the folder was named before, its name alone.
    fn name(&self, is_first: bool) -> String {
        match is_first {
            true => self.path.display().to_string(),
            false => self.path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    fn write_record(&mut self, event: &Event) -> anyhow::Result<()> {
        let mut line = Vec::new();
        event.record().write(&mut line);
        self.to.write_all(&line).with_context(|| self.beside.display().to_string())
    }

    /// Writes a text; a blank line separates it from the one before.
    fn write_text(&mut self, text: &str) -> anyhow::Result<()> {
        let before = if std::mem::take(&mut self.is_empty) { "" } else { "\n" };
        writeln!(self.to, "{before}{text}").with_context(|| self.beside.display().to_string())
    }

    fn put_in_place(mut self) -> anyhow::Result<()> {
        let mut put = || {
            self.to.flush()?;
            self.to.get_ref().sync_all()?;
            fs::rename(&self.beside, &self.path)
        };
        put().with_context(|| self.path.display().to_string())
    }
}

/// Under which key the files of a class are: one for all where the output is one file.
fn file_key(out: &Path, class: &str) -> String {
    if is_folder(out) { class.into() } else { String::new() }
}

/// A name for the files of a class, another one for each: what may not be in a name is written as in a URL.
fn file_name(class: &str) -> String {
    let escape = |c: char| c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    class.chars().map(|c| if is_plain(c) { c.to_string() } else { escape(c) }).collect()
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn each_class_has_files_of_its_own_in_the_folder() {
        assert_eq!(file_name("slv"), "slv");
        assert_eq!(file_name("../a b"), "%2E%2E%2Fa%20b");
        assert_ne!(file_name("a.b"), file_name("a b"));
    }
}
