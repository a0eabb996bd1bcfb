//! The documents of runs and files, for a tool about the corpora that they make up.

use crate::repeats::RepeatFilter;
use forage_cli::{Input, Io, Messages, TextUse, UsedRecords, why_no_document};
use forage_record::{Record, field};
use forage_run::{
    DocumentSelection, DocumentSource, Event, NotSelected, TAKEN_DOWN, TakenDownList, Versions,
};
use std::io;
use std::path::{Path, PathBuf};

/// The options by which a tool selects documents.
///
/// Of a run, the documents are those of its targets; duplicates, initial documents and records with
/// an error are left out. Of other files, they are all documents but duplicates; a file of plain
/// text, or of a format of texts with markup such as CoNLL-U, is a document, whose id is its name.
#[derive(Debug, Clone, clap::Args)]
pub struct DocumentArgs {
    /// Classes of the documents, separated by commas [default: all targets]
    ///
    /// The default is, for a run, the targets in its run.conf; for another journal, the targets of
    /// its steps; for other input, all classes.
    #[arg(long, value_name = "CLASSES", value_delimiter = ',')]
    pub target: Vec<String>,

    /// Read the input as a journal: skip its initial documents
    #[arg(long)]
    pub journal: bool,

    /// The input. A folder is the folder of a run.
    #[command(flatten)]
    pub input: Input,
}

/// The folder of the run of which a pipeline pipes the journal into a tool.
const RUN_VARIABLE: &str = "FORAGE_RUN";

/// A selected document.
#[derive(Debug, Clone, Copy)]
pub struct SelectedDocument<'a> {
    /// The record.
    pub event: &'a Event<'a>,
    /// Its class; empty if it has no label.
    pub class: &'a str,
    /// The index of its input among those that were given.
    pub input: usize,
}

impl DocumentArgs {
    /// Passes each selected document to `work`, in the order of the input. Returns the selected
    /// classes, which may have no document.
    ///
    /// A document that reads the same as one of an earlier input is left out, and named on standard
    /// error. What else was left out is counted there, where `verb` says what was to be done with
    /// it, such as "exported".
    ///
    /// # Errors
    /// Fails if an input cannot be read, or `work` fails.
    pub fn for_each_document(
        &self,
        verb: &str,
        io: &mut Io,
        mut work: impl FnMut(&SelectedDocument) -> anyhow::Result<()>,
    ) -> anyhow::Result<Vec<String>> {
        let mut reader = DocumentReader {
            selection: DocumentSelection::new(&self.target),
            used: UsedRecords::default(),
            repeats: None,
            taken_down: TakenDownList::default(),
        };
        let files = self.list_files()?;
        reader.taken_down = list_taken_down(&files)?;
        if files.is_empty() {
            reader.selection.start_input(self.journal, &[]);
            if let Some(run) = std::env::var_os(RUN_VARIABLE).filter(|_| self.journal) {
                let journal = Path::new(&run).join("journal.jsonl");
                reader.selection.select_versions(Versions::read(&journal)?);
            }
            reader.read(&self.input, self.journal, 0, io, &mut work)?;
        }
        if files.len() > 1 {
            reader.repeats = Some(RepeatFilter::default());
        }
        let (sources, mut versions) = self.open_sources(&files)?;
        for (index, (path, source)) in files.iter().zip(&sources).enumerate() {
            warn_of_later_labels(source, verb, &io.messages);
            let is_journal = self.journal || source.is_run;
            reader.selection.start_input(is_journal, &source.targets);
            let versions = std::mem::take(&mut versions[index]);
            reader.selection.select_versions(versions);
            let input = self.input.with_file(&source.file);
            reader.read(&input, is_journal, index, io, &mut work)?;
            if let Some(repeats) = &mut reader.repeats {
                repeats.finish_input(path, &io.messages);
            }
        }
        reader.used.report(verb, &io.messages);
        Ok(reader.selection.classes().map(str::to_owned).collect())
    }

    /// Opens inputs, and reads which versions of pages their journals have.
    pub(crate) fn open_sources(
        &self,
        files: &[PathBuf],
    ) -> anyhow::Result<(Vec<DocumentSource>, Vec<Versions>)> {
        let sources = files.iter().map(|path| DocumentSource::open(path));
        let sources: Vec<DocumentSource> = sources.collect::<std::io::Result<_>>()?;
        let journals = sources.iter().map(|source| {
            let is_journal = self.journal || source.is_run;
            is_journal.then_some(source.file.as_path())
        });
        let versions = Versions::read_all(&journals.collect::<Vec<_>>())?;
        Ok((sources, versions))
    }

    /// Returns the inputs: runs, and files, with `--recursive` those in folders that are no runs.
    pub(crate) fn list_files(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for path in &self.input.files {
            match DocumentSource::open(path) {
                Ok(_) => files.push(path.clone()),
                Err(_) if self.input.recursive && path.is_dir() => {
                    files.extend(self.input.list_files(std::slice::from_ref(path))?);
                }
                Err(e) => return Err(e.into()),
            }
        }
        Ok(files)
    }
}

/// Returns what was taken down in one of several inputs, which the others may still have.
pub(crate) fn list_taken_down(files: &[PathBuf]) -> io::Result<TakenDownList> {
    let mut all = TakenDownList::default();
    for path in files.iter().filter(|path| files.len() > 1 && path.is_dir()) {
        all.read(&path.join(TAKEN_DOWN))?;
    }
    Ok(all)
}

/// Warns of a run whose labels in the journal are not final.
pub(crate) fn warn_of_later_labels(source: &DocumentSource, verb: &str, messages: &Messages) {
    if source.has_later_labels() {
        let path = source.path.display();
        messages.warn(format_args!(
            "{path}: has a bootstrapped filter; the {verb} labels are those of its journal, and \
             {path}/corpus has those of the last profile"
        ));
    }
}

/// What is known of the inputs so far.
#[derive(Debug)]
struct DocumentReader {
    selection: DocumentSelection,
    /// The records that were selected, and why others were not.
    used: UsedRecords,
    /// The texts of earlier inputs, if there are several.
    repeats: Option<RepeatFilter>,
    taken_down: TakenDownList,
}

impl DocumentReader {
    fn read(
        &mut self,
        input: &Input,
        is_journal: bool,
        index: usize,
        io: &mut Io,
        work: &mut impl FnMut(&SelectedDocument) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let messages = io.messages.clone();
        let input = input.with_text_use(TextUse::Document);
        io.for_each_record(&input, |record| {
            let event = if is_journal {
                Event::from_journal(&record)?
            } else {
                Event::from_record(&record)
            };
            let class = match self.selection.class_of(&event) {
                Ok(class) => class,
                Err(cause) => {
                    // A query without a hit is nothing that could be used.
                    if let Some(cause) = describe(cause, &record) {
                        self.used.count(Some(cause));
                    }
                    return Ok(());
                }
            };
            if self.taken_down.find(&event).is_some() {
                self.used.count(Some("taken down"));
                return Ok(());
            }
            self.used.count(None::<&str>);
            let repeats = self.repeats.as_mut();
            if repeats.is_some_and(|repeats| repeats.is_repeat(&event, &messages)) {
                return Ok(());
            }
            work(&SelectedDocument {
                event: &event,
                class,
                input: index,
            })
        })
    }
}

/// Returns why a record is not selected, for [`UsedRecords`]; `None` if it reports a query without
/// a hit.
pub fn describe(cause: NotSelected, record: &Record) -> Option<&'static str> {
    match cause {
        NotSelected::NoDocument if record.has_field(field::TAKEN_DOWN) => Some("taken down"),
        NotSelected::NoDocument => why_no_document(record),
        NotSelected::DamagedStep => Some("with a damaged `step`"),
        NotSelected::Duplicate => Some("duplicate"),
        NotSelected::Initial => Some("initial"),
        NotSelected::OtherVersion => Some("another version of the page"),
        NotSelected::OtherClass => Some("of another class"),
    }
}
