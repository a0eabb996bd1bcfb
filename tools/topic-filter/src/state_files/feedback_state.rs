//! The articles from which relevance feedback learns, as a projection of the journal: the samples
//! and all retrieved articles of a run, as word counts.

use crate::state_files::feedback_store::{self, FEEDBACK_FILE_KIND};
use forage_record::Step;
use forage_run::{Event, StepProjection};
use forage_state::{StateError, StepFile, sqlite_step};
use forage_topic::feedback::{ArticleWords, TrainingArticle};
use forage_topic::samples::article_id;
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum number of articles from which a model is trained, so that a step takes less than 100 ms
/// in a collection of any size. Set by judgement; the time is measured.
const MAX_TRAINING_ARTICLES: usize = 1500;

/// The samples and the retrieved articles of a run.
#[derive(Debug)]
pub struct FeedbackState {
    file: StepFile,
    /// The label of samples.
    sample_label: String,
}

impl FeedbackState {
    /// Opens the state at `path`, or creates an empty one if the file does not exist. Initial
    /// documents with the label `sample_label` are samples.
    ///
    /// # Errors
    /// Fails if the file cannot be opened or is of another kind.
    pub fn open(path: &Path, sample_label: &str) -> Result<FeedbackState, StateError> {
        let file = StepFile::open(path, &FEEDBACK_FILE_KIND)?;
        Ok(FeedbackState::with_file(file, sample_label))
    }

    /// Opens the state at `path` for reading only.
    ///
    /// # Errors
    /// Fails if the file does not exist or is of another kind.
    pub fn open_read_only(path: &Path, sample_label: &str) -> Result<FeedbackState, StateError> {
        let file = StepFile::new(forage_state::open_read_only(path, &FEEDBACK_FILE_KIND)?)?;
        Ok(FeedbackState::with_file(file, sample_label))
    }

    /// Opens the state at `path` and empties it, to be rebuilt. Other processes see the old
    /// content until [`FeedbackState::commit`].
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, or is of another kind.
    pub fn open_empty(path: &Path, sample_label: &str) -> Result<FeedbackState, StateError> {
        let mut state = FeedbackState::open(path, sample_label)?;
        state.file.begin_clearing(&[])?;
        Ok(state)
    }

    fn with_file(file: StepFile, sample_label: &str) -> FeedbackState {
        FeedbackState {
            file,
            sample_label: sample_label.to_owned(),
        }
    }

    /// Returns the articles to train a model from, in the order in which they were added: all, or
    /// if there are more than 1,500, the samples and a systematic sample of the others.
    ///
    /// # Errors
    /// Fails if the file cannot be read, is damaged, or has no sample.
    pub fn training_articles(&self) -> Result<Vec<TrainingArticle>, StateError> {
        let samples = self.file.run(feedback_store::sample_numbers)?;
        if samples.is_empty() {
            return Err(self.mismatch(format!(
                "has no sample; a sample is an initial document of the journal that has the label \
                 {}; rebuild the file from the journal with --rebuild",
                self.sample_label
            )));
        }
        let last = self.file.run(feedback_store::last_number)?;
        select_numbers(&samples, last, MAX_TRAINING_ARTICLES)
            .into_iter()
            .map(|number| self.training_article(number))
            .collect()
    }

    fn training_article(&self, number: i64) -> Result<TrainingArticle, StateError> {
        let stored = self.file.run(|db| feedback_store::article(db, number))?;
        stored
            .and_then(|article| {
                Some(TrainingArticle {
                    words: ArticleWords::decode(&article.words)?,
                    is_sample: article.is_sample,
                })
            })
            .ok_or_else(|| {
                let cause = format!("is damaged at article {number}; rebuild it from the journal");
                self.mismatch(cause)
            })
    }

    fn mismatch(&self, cause: String) -> StateError {
        StateError::Mismatch(self.file.display_path().into(), cause)
    }
}

impl StepProjection for FeedbackState {
    fn file(&self) -> &StepFile {
        &self.file
    }

    /// Adds a sample or a retrieved article. Duplicates, and documents that are judged again, are
    /// not added.
    fn apply_event(&mut self, event: &Event) -> Result<(), StateError> {
        let complete = event.step.as_ref().map_or(0, Step::last_complete_step);
        self.file.advance_to(complete);
        let is_sample = event.step.is_none();
        if !event.is_document
            || event.is_duplicate()
            || event.is_retry
            || is_sample && event.label.as_deref() != Some(&*self.sample_label)
        {
            return Ok(());
        }
        // Keyphrases of the wrong type have caused an error record.
        let Some(words) = ArticleWords::of_record(event.record()).ok().flatten() else {
            return Ok(());
        };
        self.file.begin()?;
        let id = article_id(event.record()).ok().flatten();
        let (step, bytes) = (sqlite_step(event.step_number()), words.encode());
        self.file
            .run(|db| feedback_store::add_article(db, step, id.as_deref(), is_sample, &bytes))
    }

    fn remove_from(&mut self, step: u64) -> Result<(), StateError> {
        self.file.begin_removal_from(step)?;
        let step = sqlite_step(step);
        self.file.run(|db| feedback_store::remove_from(db, step))
    }
}

/// Returns the numbers of at most `limit` of the articles 1 to `last`, in ascending order: half of
/// them may be samples, the rest are a systematic sample of all articles.
fn select_numbers(samples: &[i64], last: i64, limit: usize) -> Vec<i64> {
    if usize::try_from(last).is_ok_and(|last| last <= limit) {
        return (1..=last).collect();
    }
    let mut selected: BTreeSet<i64> = spread(samples.len(), limit / 2)
        .map(|position| samples[position])
        .collect();
    let count = limit - selected.len();
    let all = usize::try_from(last).unwrap_or(usize::MAX);
    selected.extend(spread(all, count).map(|position| position as i64 + 1));
    selected.into_iter().collect()
}

/// Returns at most `count` of the positions before `all`, at equal distances.
fn spread(all: usize, count: usize) -> impl Iterator<Item = usize> {
    let count = count.min(all);
    (0..count).map(move |number| (number as u128 * all as u128 / count as u128) as usize)
}

#[cfg(test)]
mod tests {
    use super::select_numbers;

    #[test]
    fn all_articles_are_selected_up_to_the_limit() {
        assert_eq!(select_numbers(&[1], 5, 5), [1, 2, 3, 4, 5]);
        assert!(select_numbers(&[], 0, 5).is_empty());
    }

    #[test]
    fn of_more_articles_the_samples_and_a_systematic_sample_are_selected() {
        // One sample, and nine of 90 articles: 1, 11, 21, …
        assert_eq!(
            select_numbers(&[2], 90, 10),
            [1, 2, 11, 21, 31, 41, 51, 61, 71, 81]
        );
        // Of 90 samples, half of the limit.
        let samples: Vec<i64> = (1..=90).collect();
        let selected = select_numbers(&samples, 1_000, 10);
        assert!(selected.len() <= 10 && selected.starts_with(&[1, 19, 37, 55, 73]));
        assert_eq!(select_numbers(&[1], i64::MAX, 4).len(), 3);
    }
}
