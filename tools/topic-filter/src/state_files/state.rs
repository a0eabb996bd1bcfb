//! The state as a whole: opening, applying records, removing steps, looking up samples.

use crate::state_files::store::{self, StoredSample, TOPIC_FILE_KIND};
use crate::state_files::word_index::WordIndex;
use forage_record::{DedupStatus, Query, Record, Step, field};
use forage_run::{Event, StepProjection};
use forage_state::{StateError, StepFile, sqlite_step};
use forage_topic::samples::{Sample, article_id, read_keyphrases};
use forage_topic::similarity::{KeyphraseVector, SimilarityMeasure};
use std::path::Path;

/// Size of SQLite's page cache in kB, which bounds the memory for a state of any size. The file is
/// not memory-mapped, because mapped pages would count as memory of the process, too. As in the
/// duplicate index.
const CACHE_KB: i64 = 32 * 1024;
/// Number of articles that one statement selects for removal.
const REMOVAL_BATCH: u32 = 100;

/// The labels by which accepted and rejected articles are recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicLabels {
    /// The label of a sample: an initial document, or an accepted article.
    pub accepted: String,
    /// The label of a rejected article.
    pub rejected: String,
}

impl TopicLabels {
    /// Returns the label of an accepted or a rejected article.
    pub fn of(&self, is_accepted: bool) -> &str {
        match is_accepted {
            true => &self.accepted,
            false => &self.rejected,
        }
    }
}

/// The samples and the rejected articles of a run.
#[derive(Debug)]
pub struct TopicState {
    pub(crate) file: StepFile,
    pub(crate) measure: SimilarityMeasure,
    labels: TopicLabels,
}

impl TopicState {
    /// Opens the state at `path`, or creates an empty one if the file does not exist.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, is of another kind, or was made for another measure.
    pub fn open(
        path: &Path,
        measure: SimilarityMeasure,
        labels: TopicLabels,
    ) -> Result<TopicState, StateError> {
        let state = TopicState::connect(path, measure, labels)?;
        match state.file.run(store::measure)? {
            None => {
                state.file.begin()?;
                state
                    .file
                    .run(|db| store::set_measure(db, measure.name()))?;
                state.file.commit()?;
            }
            Some(found) if found != measure.name() => {
                return Err(StateError::Mismatch(
                    path.into(),
                    format!(
                        "was made for --measure {found}; use that, or rebuild it from the journal"
                    ),
                ));
            }
            Some(_) => {}
        }
        Ok(state)
    }

    /// Opens the state at `path` and empties it, to be rebuilt. Other processes see the old content
    /// until [`TopicState::commit`].
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, or is of another kind.
    pub fn open_empty(
        path: &Path,
        measure: SimilarityMeasure,
        labels: TopicLabels,
    ) -> Result<TopicState, StateError> {
        let mut state = TopicState::connect(path, measure, labels)?;
        state.file.begin_clearing(&[])?;
        state
            .file
            .run(|db| store::set_measure(db, measure.name()))?;
        Ok(state)
    }

    fn connect(
        path: &Path,
        measure: SimilarityMeasure,
        labels: TopicLabels,
    ) -> Result<TopicState, StateError> {
        let file = StepFile::open(path, &TOPIC_FILE_KIND)?;
        file.run(|db| db.pragma_update(None, "mmap_size", 0))?;
        file.run(|db| db.pragma_update(None, "cache_size", -CACHE_KB))?;
        Ok(TopicState {
            file,
            measure,
            labels,
        })
    }

    /// Returns the sample with this id.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn sample_with_id(&self, id: &str) -> Result<Option<Sample>, StateError> {
        let stored = self.file.run(|db| store::sample_with_id(db, id))?;
        Ok(stored.map(|stored| stored.sample))
    }

    /// Returns the sample that an article is most similar to, and the similarity. Of several, the
    /// first by id; if the article has no word in common with any, the first sample by step and id.
    /// `None` if there is no sample.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn nearest_sample(
        &self,
        article: &KeyphraseVector,
    ) -> Result<Option<(Sample, f64)>, StateError> {
        let candidates = self
            .file
            .run(|db| WordIndex::Samples.candidates(db, self.measure, article, 0..i64::MAX, 0.0))?;
        let mut nearest: Option<(Sample, f64)> = None;
        for (number, bound) in candidates {
            if nearest.as_ref().is_some_and(|(_, score)| bound < *score) {
                break;
            }
            let sample = self.file.run(|db| store::sample(db, number))?.sample;
            let score = sample.similarity(self.measure, article);
            let is_nearer = nearest.as_ref().is_none_or(|(other, highest)| {
                score > *highest || (score == *highest && sample.id < other.id)
            });
            if is_nearer {
                nearest = Some((sample, score));
            }
        }
        if nearest.as_ref().is_some_and(|(_, score)| *score > 0.0) {
            return Ok(nearest);
        }
        let first = self.file.run(store::first_sample)?;
        Ok(first.map(|StoredSample { sample, .. }| {
            let score = sample.similarity(self.measure, article);
            (sample, score)
        }))
    }

    fn add_sample(&self, event: &Event, id: &str) -> Result<(), StateError> {
        let Ok(sample) = Sample::from_record(event.record()) else {
            return Ok(());
        };
        let step = sqlite_step(event.step_number());
        let keywords = event.record().raw_json(field::KEYWORDS).unwrap_or("[]");
        let threshold = sample.default_threshold;
        self.file.run(|db| {
            if event.is_retry {
                store::accept(db, id, step)?;
            }
            let added = store::add_sample(db, (step, event.is_retry), id, threshold, keywords)?;
            match added {
                Some(number) => {
                    WordIndex::Samples.add(db, self.measure, number, &sample.keyphrases)
                }
                None => Ok(()),
            }
        })
    }

    /// Adds a rejected article, unless an article with its id was accepted.
    fn add_rejected(
        &self,
        event: &Event,
        id: &str,
        article: &KeyphraseVector,
    ) -> Result<(), StateError> {
        let step = sqlite_step(event.step_number());
        let line = stored_line(event);
        self.file.run(|db| {
            if store::sample_with_id(db, id)?.is_some() {
                return Ok(());
            }
            match store::add_rejected(db, step, id, &line)? {
                Some(number) => WordIndex::Rejected.add(db, self.measure, number, article),
                None => Ok(()),
            }
        })
    }
}

impl StepProjection for TopicState {
    fn file(&self) -> &StepFile {
        &self.file
    }

    /// Adds a sample or a rejected article, and notes the sample of a query.
    fn apply_event(&mut self, event: &Event) -> Result<(), StateError> {
        let complete = event.step.as_ref().map_or(0, Step::last_complete_step);
        self.file.advance_to(complete);
        let step = sqlite_step(event.step_number());
        if let Some(id) = event.query.as_ref().and_then(queried_sample) {
            self.file.begin()?;
            self.file.run(|db| store::note_query(db, id, step))?;
        }
        let is_new = event.dedup.is_none_or(|status| status == DedupStatus::New);
        let Some(label) = event.label.as_deref().filter(|_| is_new) else {
            return Ok(());
        };
        let record = event.record();
        let (Ok(Some(id)), Ok(Some(article))) = (article_id(record), read_keyphrases(record))
        else {
            return Ok(());
        };
        self.file.begin()?;
        if label == self.labels.accepted {
            self.add_sample(event, &id)?;
        } else if label == self.labels.rejected && event.step.is_some() {
            self.add_rejected(event, &id, &article)?;
        }
        Ok(())
    }

    fn remove_from(&mut self, step: u64) -> Result<(), StateError> {
        self.file.begin_removal_from(step)?;
        let step = sqlite_step(step);
        self.file.run(|db| store::forget_decisions(db, step))?;
        for stored in self.file.run(|db| store::samples_from_step(db, step))? {
            let (number, keyphrases) = (stored.number, &stored.sample.keyphrases);
            self.file
                .run(|db| WordIndex::Samples.remove(db, self.measure, number, keyphrases))?;
            self.file.run(|db| store::delete_sample(db, number))?;
        }
        loop {
            let rejected = self
                .file
                .run(|db| store::rejected_from_step(db, step, REMOVAL_BATCH))?;
            if rejected.is_empty() {
                return Ok(());
            }
            for (number, line) in rejected {
                if let Some(article) = parse_keyphrases(line) {
                    self.file
                        .run(|db| WordIndex::Rejected.remove(db, self.measure, number, &article))?;
                }
                self.file.run(|db| store::delete_rejected(db, number))?;
            }
        }
    }
}

/// Returns the id of the sample that the query was made from.
pub(crate) fn queried_sample(query: &Query) -> Option<&str> {
    query.strategy.as_ref()?.sample.as_deref()
}

/// Returns the record of a rejected article as it is stored: without the fields that its step, its
/// query and the filter have determined, and without white space between fields, so that a record
/// from the filter and one from the journal are stored alike.
fn stored_line(event: &Event) -> String {
    let mut record = event.record().clone();
    for key in [field::QUERY, field::HIT, field::TOPIC, field::LABEL] {
        record.remove(key);
    }
    let step = Step {
        number: event.step_number(),
        target: event.target().into(),
        last: None,
    };
    // Replacing a field of the line causes all of it to be assembled again.
    record.set(field::STEP, &step);
    record.to_json()
}

/// Returns the keyphrases of a stored record.
fn parse_keyphrases(line: String) -> Option<KeyphraseVector> {
    let record = Record::parse(line.into_bytes()).ok()?;
    read_keyphrases(&record).ok().flatten()
}
