//! Rejected articles that are judged again by new samples.
//!
//! Each pair of a sample and a rejected article is judged once. If queries are made from samples, a
//! sample is new in the first step whose query names it; it then judges all articles that earlier
//! steps rejected. Otherwise, the articles that a step accepts are new samples at its end: they
//! judge what earlier steps rejected. What was left out then, the articles rejected in that step
//! itself and the samples that were only accepted by this judgement, follows in the next step. So
//! no step has a chain of judgements.

use crate::state::{TopicState, TopicStateError, queried_sample, sqlite_step};
use crate::store::{self, StoredSample};
use crate::word_index::WordIndex;
use forage_record::{Record, Step, field};
use forage_run::Event;
use forage_topic::samples::{Sample, article_id, read_keyphrases};
use std::collections::BTreeMap;
use std::ops::Range;

/// A rejected article that a new sample accepts.
#[derive(Debug)]
pub struct Retry {
    /// The record, with the step that accepts it and `retry`, without topic and label.
    pub record: Record,
    /// The sample to which it is most similar among the new ones.
    pub sample: Sample,
    /// The similarity to it.
    pub score: f64,
}

/// The best judgement of a rejected article.
struct Judgement {
    number: i64,
    /// The number of the sample in the list of new ones.
    sample: usize,
    score: f64,
}

impl TopicState {
    /// Returns the rejected articles of earlier steps that the new samples of a step accept, in
    /// descending order of similarity, then by id. `last` is the last record of the step; all
    /// records of the step have been applied. `threshold` is that of all samples, or `None` for
    /// their defaults.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn retries(
        &self,
        last: &Event,
        threshold: Option<f64>,
    ) -> Result<Vec<Retry>, TopicStateError> {
        let Some(step) = &last.step else {
            return Ok(Vec::new());
        };
        let new = self.new_samples(last, step.number)?;
        let mut best: BTreeMap<String, Judgement> = BTreeMap::new();
        for (place, (sample, steps)) in new.iter().enumerate() {
            let threshold = threshold.unwrap_or(sample.default_threshold);
            self.judge_rejected(sample, steps.clone(), threshold, |id, number, score| {
                let judgement = Judgement {
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
        let mut best: Vec<Judgement> = best.into_values().collect();
        // The sort is stable, so articles with equal scores stay ordered by id.
        best.sort_by(|a, b| b.score.total_cmp(&a.score));
        best.iter()
            .filter_map(|judgement| {
                let record = self.retry_record(judgement.number, step).transpose()?;
                Some(record.map(|record| Retry {
                    record,
                    sample: new[judgement.sample].0.clone(),
                    score: judgement.score,
                }))
            })
            .collect()
    }

    /// Returns the samples that are new at the end of a step, each with the steps of the rejected
    /// articles that it has not judged.
    fn new_samples(
        &self,
        last: &Event,
        step: u64,
    ) -> Result<Vec<(Sample, Range<u64>)>, TopicStateError> {
        if let Some(id) = last.query.as_ref().and_then(queried_sample) {
            if self.run(|db| store::first_query(db, id))? != Some(step) {
                return Ok(Vec::new());
            }
            let sample = self.sample_with_id(id)?;
            return Ok(sample.map(|sample| (sample, 0..step)).into_iter().collect());
        }
        let previous = step.saturating_sub(1);
        let recent = self.run(|db| store::samples_from_step(db, sqlite_step(previous)))?;
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
    ) -> Result<(), TopicStateError> {
        let steps = sqlite_step(steps.start)..sqlite_step(steps.end);
        let numbers = self.run(|db| store::rejected_in_steps(db, steps))?;
        let candidates = self.run(|db| {
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
    fn rejected_record(&self, number: i64) -> Result<Option<Record>, TopicStateError> {
        let line = self.run(|db| store::rejected_line(db, number))?;
        Ok(line.and_then(|line| Record::parse(line.into_bytes()).ok()))
    }

    /// Returns the record of a rejected article as a record of `step`.
    fn retry_record(&self, number: i64, step: &Step) -> Result<Option<Record>, TopicStateError> {
        Ok(self.rejected_record(number)?.map(|mut record| {
            let step = Step {
                last: None,
                ..step.clone()
            };
            record.set(field::STEP, &step);
            record.set(field::RETRY, &true);
            record
        }))
    }
}
