//! Rejected articles that are judged again by new samples.
//!
//! A retry is a record of the step that accepts the article, marked `retry`. It counts neither as
//! retrieved nor as a call, because nothing was fetched.
//!
//! Each pair of a sample and a rejected article is judged once. If queries are made from samples, a
//! sample is new in the first step whose query names it; it then judges all articles that earlier
//! steps rejected. Otherwise, the articles that a step accepts are new samples at its end: they
//! judge what earlier steps rejected. What was left out then, the articles rejected in that step
//! itself and the samples that were only accepted by this judgement, follows in the next step. So
//! no step has a chain of judgements.

use crate::state_files::state::{TopicState, queried_sample};
use crate::state_files::store::{self, StoredSample};
use crate::state_files::word_index::WordIndex;
use forage_record::{Record, Step, field};
use forage_run::Event;
use forage_state::{StateError, sqlite_step};
use forage_topic::samples::{Sample, article_id, read_keyphrases};
use std::collections::BTreeMap;
use std::ops::Range;

/// The rejected articles that the new samples of a step accept.
#[derive(Debug)]
pub struct Retries {
    /// The new samples.
    pub samples: Vec<Sample>,
    /// The articles, in descending order of similarity, then by id.
    pub accepted: Vec<Retry>,
}

/// A rejected article that a new sample accepts. Its record is read by
/// [`TopicState::retry_record`], so that the records of a step need not be in memory together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    number: i64,
    /// The position in [`Retries::samples`] of the sample to which it is most similar.
    pub sample: usize,
    /// The similarity to that sample.
    pub score: f64,
}

impl TopicState {
    /// Returns the rejected articles of earlier steps that the new samples of a step accept, in
    /// descending order of similarity, then by id. `last` is the last record of the step; all
    /// records of the step have been applied. `threshold` is that of all samples, or `None` for
    /// their defaults.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn retries(&self, last: &Event, threshold: Option<f64>) -> Result<Retries, StateError> {
        let new = match &last.step {
            Some(step) => self.new_samples(last, step.number)?,
            None => Vec::new(),
        };
        let mut best: BTreeMap<String, Retry> = BTreeMap::new();
        for (place, (sample, steps)) in new.iter().enumerate() {
            let threshold = threshold.unwrap_or(sample.default_threshold);
            self.judge_rejected(sample, steps.clone(), threshold, |id, number, score| {
                let judgement = Retry {
                    number,
                    sample: place,
                    score,
                };
                match best.get_mut(&id) {
                    Some(other) if other.score >= score => {}
                    Some(other) => *other = judgement,
                    None => drop(best.insert(id, judgement)),
                }
            })?;
        }
        let mut accepted: Vec<Retry> = best.into_values().collect();
        // The sort is stable, so articles with equal scores stay ordered by id.
        accepted.sort_by(|a, b| b.score.total_cmp(&a.score));
        let samples = new.into_iter().map(|(sample, _)| sample).collect();
        Ok(Retries { samples, accepted })
    }

    /// Returns the samples that are new at the end of a step, each with the steps of the rejected
    /// articles that it has not judged.
    fn new_samples(
        &self,
        last: &Event,
        step: u64,
    ) -> Result<Vec<(Sample, Range<u64>)>, StateError> {
        if let Some(id) = last.query.as_ref().and_then(queried_sample) {
            if self.file.run(|db| store::first_query(db, id))? != Some(step) {
                return Ok(Vec::new());
            }
            let sample = self.sample_with_id(id)?;
            return Ok(sample.map(|sample| (sample, 0..step)).into_iter().collect());
        }
        let previous = step.saturating_sub(1);
        let recent = self
            .file
            .run(|db| store::samples_from_step(db, sqlite_step(previous)))?;
        let unjudged = |stored: StoredSample| {
            let steps = match (stored.step == step, stored.is_retry) {
                (true, true) => return None,
                (true, false) | (false, true) => 0..step,
                (false, false) => previous..step,
            };
            Some((stored.sample, steps))
        };
        Ok(recent.into_iter().filter_map(unjudged).collect())
    }

    /// Calls `accept` with id, number and score of each article rejected in `steps` that is over
    /// the threshold.
    fn judge_rejected(
        &self,
        sample: &Sample,
        steps: Range<u64>,
        threshold: f64,
        mut accept: impl FnMut(String, i64, f64),
    ) -> Result<(), StateError> {
        let steps = sqlite_step(steps.start)..sqlite_step(steps.end);
        let numbers = self.file.run(|db| store::rejected_in_steps(db, steps))?;
        let candidates = self.file.run(|db| {
            let (measure, keyphrases) = (self.measure, &sample.keyphrases);
            WordIndex::Rejected.candidates(db, measure, keyphrases, numbers, threshold)
        })?;
        for (number, _) in candidates {
            let Some(record) = self.rejected_record(number)? else {
                continue;
            };
            let (Ok(Some(id)), Ok(Some(article))) = (article_id(&record), read_keyphrases(&record))
            else {
                continue;
            };
            let score = sample.similarity(self.measure, &article);
            if score > threshold {
                accept(id, number, score);
            }
        }
        Ok(())
    }

    /// Returns the record of a rejected article; `None` if it was accepted later.
    fn rejected_record(&self, number: i64) -> Result<Option<Record>, StateError> {
        let line = self.file.run(|db| store::rejected_line(db, number))?;
        Ok(line.and_then(|line| Record::parse(line.into_bytes()).ok()))
    }

    /// Returns the record of a rejected article as a record of `step`, with `retry`, and without
    /// topic and label; `None` if it was accepted in the meantime.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn retry_record(&self, retry: &Retry, step: &Step) -> Result<Option<Record>, StateError> {
        Ok(self.rejected_record(retry.number)?.map(|mut record| {
            record.set(field::STEP, &step.unmarked());
            record.set(field::RETRY, &true);
            record
        }))
    }
}
