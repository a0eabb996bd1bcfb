//! The documents of a run, or of files, that make up its corpora, and the class of each.
//!
//! A document belongs to the class of its label, whatever the target of the query that retrieved it
//! (AutoCor, Dimalen & Roxas 2007). Duplicates are in no corpus, and neither are the initial
//! documents of a run. A run has the corpora of its targets; other files have those of all classes.

use crate::event::Event;
use crate::taken_down::has_pending_take_down;
use crate::versions::Versions;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of the records of a run.
const JOURNAL: &str = "journal.jsonl";

/// The file of the settings of a run.
const SETTINGS: &str = "run.conf";

/// An input of documents: the folder of a run, or a file of records.
#[derive(Debug, Clone)]
pub struct DocumentSource {
    /// The path as given.
    pub path: PathBuf,
    /// The file of the records: the journal if the input is a run.
    pub file: PathBuf,
    /// True if the input is the folder of a run.
    pub is_run: bool,
    /// The targets in the settings of the run; empty if they do not name them.
    pub targets: Vec<String>,
}

impl DocumentSource {
    /// Finds out what is at `path`, which may also be `-`. A folder is that of a run.
    ///
    /// # Errors
    /// Fails if a folder has no journal, or documents that are being removed, or the settings of
    /// the run exist and cannot be read. The message names the path.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut source = DocumentSource {
            path: path.into(),
            file: path.into(),
            is_run: path.is_dir(),
            targets: Vec::new(),
        };
        if source.is_run {
            source.file.push(JOURNAL);
            if !source.file.exists() {
                let path = path.display();
                let cause = format!("{path}: is not the folder of a run (there is no {JOURNAL})");
                return Err(io::Error::new(io::ErrorKind::NotFound, cause));
            }
            if has_pending_take_down(path) {
                let path = path.display();
                let cause =
                    format!("{path}: a removal was interrupted; finish it: take-down {path}");
                return Err(io::Error::other(cause));
            }
            source.targets = read_targets(&path.join(SETTINGS))?;
        }
        Ok(source)
    }

    /// Returns `true` if the labels in the journal are not final: the pipeline labelled all
    /// documents again for its corpora, by the filter that the run has learned.
    pub fn has_later_labels(&self) -> bool {
        self.is_run && self.path.join("filter/drift.jsonl").exists()
    }
}

/// Returns the targets in the settings of a run; none if the file does not exist. The journal alone
/// is not enough, because a target may have documents before the first step for it.
fn read_targets(settings: &Path) -> io::Result<Vec<String>> {
    let text = match std::fs::read_to_string(settings) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => {
            let message = format!("{}: {e}", settings.display());
            return Err(io::Error::new(e.kind(), message));
        }
        Ok(text) => text,
    };
    let targets = text.lines().find_map(|line| line.strip_prefix("target="));
    let targets = targets.into_iter().flat_map(|targets| targets.split(','));
    Ok(targets.map(str::to_owned).collect())
}

/// Why a record is not a document of any corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotSelected {
    /// It has no text, or an error. A record of a query without a hit is one.
    NoDocument,
    /// Its `step` is damaged, so that it is not known whether it is an initial document.
    DamagedStep,
    /// It is a duplicate.
    Duplicate,
    /// It is a version of a page that is not that of the corpus.
    OtherVersion,
    /// It is an initial document of a run.
    Initial,
    /// Its class is not one of those that are selected.
    OtherClass,
}

/// Selects the documents of one input after another.
#[derive(Debug, Clone, Default)]
pub struct DocumentSelection {
    /// True if the classes were given.
    is_given: bool,
    /// The classes that are selected, as far as they are known.
    classes: BTreeSet<String>,
    is_journal: bool,
    versions: Arc<Versions>,
}

impl DocumentSelection {
    /// Creates a selection of the documents of `classes`; if there are none, of all targets of a
    /// run, and of all classes of other input.
    pub fn new(classes: &[String]) -> Self {
        DocumentSelection {
            is_given: !classes.is_empty(),
            classes: classes.iter().cloned().collect(),
            is_journal: false,
            versions: Arc::default(),
        }
    }

    /// Starts an input: a journal, in which records without a step are initial documents, or other
    /// records. `targets` are those of the run, as far as its settings name them.
    pub fn start_input(&mut self, is_journal: bool, targets: &[String]) {
        self.is_journal = is_journal;
        self.versions = Arc::default();
        if !self.is_given {
            self.classes.extend(targets.iter().cloned());
        }
    }

    /// Selects, in the input that was started, those versions of pages that the corpus has.
    pub fn select_versions(&mut self, versions: Versions) {
        self.versions = Arc::new(versions);
    }

    /// Returns the selected classes, sorted: those that were given, the targets so far, and the
    /// classes of documents that were selected. One may have no document.
    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.classes.iter().map(String::as_str)
    }

    /// Returns the class of a document, empty if it has no label; or why the record is not
    /// selected. All records of an input must be passed, in their order.
    pub fn class_of<'e>(&mut self, event: &'e Event) -> Result<&'e str, NotSelected> {
        if self.is_journal && !self.is_given && event.step.is_some() {
            self.add_class(event.target());
        }
        if !event.is_document {
            return Err(match event.has_text && !event.record().has_error() {
                true if event.previous.is_some() => NotSelected::OtherVersion,
                true => NotSelected::DamagedStep,
                false => NotSelected::NoDocument,
            });
        }
        if event.is_duplicate() {
            return Err(NotSelected::Duplicate);
        }
        if self.is_journal && event.step.is_none() {
            return Err(NotSelected::Initial);
        }
        if self.versions.is_superseded(event) {
            return Err(NotSelected::OtherVersion);
        }
        let class = event.label.as_deref().unwrap_or_default();
        if !self.is_journal && !self.is_given {
            self.add_class(class);
        }
        match self.classes.contains(class) {
            true => Ok(class),
            false => Err(NotSelected::OtherClass),
        }
    }

    fn add_class(&mut self, class: &str) {
        if !self.classes.contains(class) {
            self.classes.insert(class.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DocumentSelection, DocumentSource, NotSelected};
    use crate::event::Event;
    use forage_record::Record;

    fn class_of(selection: &mut DocumentSelection, json: &str) -> Result<String, NotSelected> {
        let record = Record::parse(json.as_bytes().to_vec()).unwrap();
        let event = Event::from_record(&record);
        selection.class_of(&event).map(str::to_owned)
    }

    #[test]
    fn a_journal_has_the_documents_of_its_targets() {
        let mut selection = DocumentSelection::new(&[]);
        selection.start_input(true, &["slv".into()]);
        let mut class = |json: &str| class_of(&mut selection, json);
        assert_eq!(
            class(r#"{"text":"a","label":"slv"}"#),
            Err(NotSelected::Initial)
        );
        let step = r#""step":{"number":1,"target":"hrv"},"text":"a""#;
        assert_eq!(
            class(&format!(r#"{{{step},"label":"slv"}}"#)),
            Ok("slv".into())
        );
        assert_eq!(
            class(&format!(r#"{{{step},"label":"hrv"}}"#)),
            Ok("hrv".into())
        );
        assert_eq!(
            class(&format!(r#"{{{step},"label":"eng"}}"#)),
            Err(NotSelected::OtherClass)
        );
        let duplicate = format!(r#"{{{step},"label":"slv","dedup":{{"status":"near"}}}}"#);
        assert_eq!(class(&duplicate), Err(NotSelected::Duplicate));
        assert_eq!(class(r#"{"url":"u"}"#), Err(NotSelected::NoDocument));
        assert!(selection.classes().eq(["hrv", "slv"]));
    }

    #[test]
    fn other_records_have_the_documents_of_all_classes_or_of_the_given_ones() {
        let (slv, none) = (r#"{"text":"a","label":"slv"}"#, r#"{"text":"a"}"#);
        let mut selection = DocumentSelection::new(&[]);
        assert_eq!(class_of(&mut selection, slv), Ok("slv".into()));
        assert_eq!(class_of(&mut selection, none), Ok(String::new()));
        assert!(selection.classes().eq(["", "slv"]));
        let mut selection = DocumentSelection::new(&["slv".into()]);
        assert_eq!(class_of(&mut selection, slv), Ok("slv".into()));
        assert_eq!(class_of(&mut selection, none), Err(NotSelected::OtherClass));
    }

    #[test]
    fn the_targets_of_a_run_are_read_from_its_settings() {
        let dir = tempfile::tempdir().unwrap();
        let error = DocumentSource::open(dir.path()).unwrap_err().to_string();
        assert!(error.contains("is not the folder of a run"), "{error}");
        std::fs::write(dir.path().join("journal.jsonl"), "").unwrap();
        let source = DocumentSource::open(dir.path()).unwrap();
        assert!(source.is_run && source.targets.is_empty() && !source.has_later_labels());
        assert!(source.file.ends_with("journal.jsonl"));
        std::fs::write(dir.path().join("run.conf"), "seed=0\ntarget=slv,hrv\n").unwrap();
        let source = DocumentSource::open(dir.path()).unwrap();
        assert_eq!(source.targets, ["slv", "hrv"]);
        let source = DocumentSource::open("-".as_ref()).unwrap();
        assert!(!source.is_run && source.file == source.path);
    }
}
