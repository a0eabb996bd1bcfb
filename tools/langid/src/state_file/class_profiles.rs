//! The profiles of the classes of a run, as a projection of its journal.

use crate::state_file::store::{self, PROFILES_FILE_KIND};
use forage_langid::{Identifier, LanguageCode, Method, Model, ModelError, NGram, NGramSample};
use forage_record::{LangId, Step, field};
use forage_run::{BoxError, Event, Projection, ProjectionFile};
use forage_state::{StateError, StateFile, StepFile, sqlite_step};
use std::collections::BTreeMap;
use std::path::Path;

/// The reason why the profiles cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ClassProfilesError {
    /// The file cannot be opened, read or written, or is of another kind.
    #[error(transparent)]
    State(#[from] StateError),
    /// There are more profiles than a model can number.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The profiles contain documents of a step that has to be repeated.
    #[error("{0}: contains documents of step {1} and cannot go back to it; use --rebuild")]
    ContainsStep(String, u64),
    /// An initial document has a label by which no text can be labelled.
    #[error("label `{0}` of an initial document: expected a code of ISO 639-3, as in slv")]
    InvalidLabel(String),
}

/// The n-gram profiles of the classes of a run, one per class and script.
///
/// The classes are the labels of the initial documents. Each document with one of these labels that
/// is not a duplicate, and whose margin is sufficient, belongs to the profile of its class in its
/// script. It waits in the file until its step is complete: the profiles of step N contain the
/// documents of the steps before N, so that a step that is repeated labels its documents as before.
#[derive(Debug)]
pub struct ClassProfiles {
    file: StepFile,
    /// The step before which all documents are counted.
    counted_before: u64,
    /// Minimum margin of a retrieved document that is added.
    min_margin: f64,
}

impl ClassProfiles {
    /// Minimum margin of documents from which a class learns, if the user gives none. Chosen on
    /// six languages with initial documents of about 300 words, where it excludes 91 % of the wrong
    /// labels and 9 % of the right ones; see BENCHMARKS, "The run's own classifier".
    pub const MIN_MARGIN: f64 = 0.03;

    /// Opens the profiles at `path`, or creates an empty file if there is none. Retrieved documents
    /// are added if [`Identification::margin`](forage_langid::Identification::margin) is at least
    /// `min_margin`.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or is of another kind.
    pub fn open(path: &Path, min_margin: f64) -> Result<Self, ClassProfilesError> {
        Self::with_file(StepFile::open(path, &PROFILES_FILE_KIND)?, min_margin)
    }

    /// Creates empty profiles in memory. `min_margin` is as for [`ClassProfiles::open`].
    ///
    /// # Errors
    /// Fails if SQLite cannot create the tables.
    pub fn in_memory(min_margin: f64) -> Result<Self, ClassProfilesError> {
        Self::with_file(StepFile::in_memory(&PROFILES_FILE_KIND)?, min_margin)
    }

    fn with_file(file: StepFile, min_margin: f64) -> Result<Self, ClassProfilesError> {
        let counted_before = file.run(|db| store::counted_before(db))?;
        Ok(ClassProfiles {
            file,
            counted_before,
            min_margin,
        })
    }

    /// Opens the profiles at `path` and empties them, to be rebuilt. Other processes see the old
    /// content until [`ClassProfiles::commit`].
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, or is of another kind.
    pub fn open_empty(path: &Path, min_margin: f64) -> Result<Self, ClassProfilesError> {
        let mut profiles = Self::open(path, min_margin)?;
        profiles.file.begin_clearing(&[])?;
        profiles.counted_before = 0;
        Ok(profiles)
    }

    /// Prepares the profiles for `step`: removes the documents of this and later steps, and counts
    /// those of earlier ones.
    ///
    /// # Errors
    /// Fails if documents of this step have been counted already, or the file cannot be written.
    pub fn prepare_step(&mut self, step: u64) -> Result<(), ClassProfilesError> {
        self.remove_waiting_from(step)?;
        self.advance_to(step)?;
        Ok(())
    }

    /// Counts the documents of the steps before `step`. Returns `true` if a profile has changed.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written.
    pub fn advance_to(&mut self, step: u64) -> Result<bool, ClassProfilesError> {
        Ok(step > self.counted_before && self.count_steps_before(step)?)
    }

    /// Returns an identifier by out-of-place distance (Cavnar & Trenkle 1994) whose only languages
    /// are the classes of the run.
    ///
    /// # Errors
    /// Fails if the file cannot be read, or has more profiles than a model can number.
    pub fn identifier(&self) -> Result<Identifier, ClassProfilesError> {
        let profiles = self.file.run(|db| store::read_profiles(db))?;
        let model = Model::from_profiles(&profiles)?;
        Ok(Identifier::new(model).with_method(Method::OutOfPlace))
    }

    /// Applies the next record, which has its label. Duplicates, documents that are judged again,
    /// and those with a small margin are not added.
    ///
    /// # Errors
    /// Fails if the file cannot be read or written, or if the label of an initial document is not a
    /// language code.
    pub fn apply_event(&mut self, event: &Event) -> Result<(), ClassProfilesError> {
        let complete = event.step.as_ref().map_or(0, Step::last_complete_step);
        self.file.advance_to(complete);
        let is_initial = event.step.is_none();
        let Some(label) = &event.label else {
            return Ok(());
        };
        if event.is_duplicate() || event.is_retry {
            return Ok(());
        }
        if is_initial {
            check_label(label)?;
            self.file.begin()?;
            self.file.run(|db| store::add_class(db, label))?;
        } else if margin_of(event) < self.min_margin
            || !self.file.run(|db| store::has_class(db, label))?
        {
            return Ok(());
        }
        // An initial document of step N waits like a document of the step before.
        let counted_from = event.counted_from().saturating_sub(1);
        let step = sqlite_step(event.step_number().max(counted_from));
        let text = event.text();
        self.file.begin()?;
        let added = |db: &StateFile| store::add_waiting(db, step, is_initial, label, &text);
        Ok(self.file.run(added)?)
    }

    /// Commits the open transaction and makes it durable.
    ///
    /// # Errors
    /// Fails if the file cannot be written; all changes since the last commit are then lost.
    pub fn commit(&mut self) -> Result<(), ClassProfilesError> {
        Ok(self.file.commit()?)
    }

    /// Counts the documents of the steps before `step`. Returns `true` if there are any.
    fn count_steps_before(&mut self, step: u64) -> Result<bool, ClassProfilesError> {
        self.file.begin()?;
        let waiting = self
            .file
            .run(|db| store::take_waiting_before(db, sqlite_step(step)))?;
        let mut sums = BTreeMap::<_, ClassSums>::new();
        for (code, text) in waiting {
            let sample = NGramSample::from_text(&text);
            if !sample.ngrams.is_empty() {
                sums.entry((code, sample.script)).or_default().add(sample);
            }
        }
        for ((code, script), sum) in &sums {
            let (key, size) = (
                (code.as_str(), script.as_str()),
                (sum.documents, sum.tokens),
            );
            self.file
                .run(|db| store::add_to_profile(db, key, size, &sum.counts))?;
        }
        self.counted_before = step;
        self.file.run(|db| store::set_counted_before(db, step))?;
        Ok(!sums.is_empty())
    }

    /// Removes the documents of `step` and of later steps, unless some are counted already.
    fn remove_waiting_from(&mut self, step: u64) -> Result<(), ClassProfilesError> {
        if self.counted_before > step {
            let path = self.file.display_path();
            return Err(ClassProfilesError::ContainsStep(path, step));
        }
        self.file.begin_removal_from(step)?;
        let step = sqlite_step(step);
        Ok(self.file.run(|db| store::remove_waiting_from(db, step))?)
    }
}

/// The sums of several documents of one class in one script.
#[derive(Debug, Default)]
struct ClassSums {
    documents: u64,
    tokens: u64,
    counts: BTreeMap<NGram, u64>,
}

impl ClassSums {
    fn add(&mut self, sample: NGramSample) {
        self.documents += 1;
        self.tokens += sample.tokens;
        for (ngram, count) in sample.ngrams {
            *self.counts.entry(ngram).or_default() += count;
        }
    }
}

impl Projection for ClassProfiles {
    /// Applies a record of a journal. The documents of earlier steps are counted, so that few wait.
    fn apply(&mut self, event: &Event) -> Result<(), BoxError> {
        self.advance_to(event.step_number())?;
        Ok(self.apply_event(event)?)
    }
}

impl ProjectionFile for ClassProfiles {
    fn lacks_steps_before(&self, next: u64) -> bool {
        self.file.lacks_steps_before(next)
    }

    fn remove_steps_from(&mut self, step: u64) -> Result<(), BoxError> {
        Ok(self.remove_waiting_from(step)?)
    }

    fn save(&mut self) -> Result<(), BoxError> {
        self.commit()?;
        Ok(self.file.merge_wal()?)
    }

    /// Also returns `false` if documents of `next` are counted, which cannot be removed.
    fn keep_steps_before(&mut self, next: u64) -> Result<bool, BoxError> {
        if self.lacks_steps_before(next) || self.counted_before > next {
            return Ok(false);
        }
        self.remove_steps_from(next)?;
        self.save().map(|()| true)
    }
}

/// Checks that a label is a code that a text can be labelled with.
fn check_label(label: &str) -> Result<(), ClassProfilesError> {
    match label.parse::<LanguageCode>() {
        Ok(code) if code.as_str() == label && code != LanguageCode::UNDETERMINED => Ok(()),
        _ => Err(ClassProfilesError::InvalidLabel(label.into())),
    }
}

/// Returns the margin by which a document was identified; 1 if another program or a person has
/// labelled it.
fn margin_of(event: &Event) -> f64 {
    let identified: Option<LangId> = event.record().view(field::LANGID).ok().flatten();
    identified.map_or(1.0, |langid| langid.margin)
}
