//! `--state`: samples that a run has accepted, and rejected documents that are judged again.

use crate::args::{Args, Selection};
use crate::rebuild::rebuild_file;
use crate::sample_file::read_given_samples;
use crate::samples::{TopicJudge, queried_sample};
use crate::state_files::TopicState;
use forage_cli::{CommitOrder, Io, Output, Stage, Tool, absorb_bad_field};
use forage_record::{BadField, ErrorKind, Keyphrase, Query, Record, Step, field};
use forage_run::{Event, StepProjection};
use forage_topic::samples::{Sample, SampleSet, read_keyphrases};
use forage_topic::similarity::KeyphraseVector;
use std::path::Path;

/// Rebuilds the state, or judges records.
pub(crate) fn run(args: &Args, path: &Path, io: &mut Io) -> anyhow::Result<()> {
    let Some(journal) = &args.step.rebuild else {
        return judge_records(args, path, io);
    };
    let labels = || args.labels.clone();
    let open = || TopicState::open(path, args.similarity.measure, labels());
    let open_empty = || TopicState::open_empty(path, args.similarity.measure, labels());
    rebuild_file(args, (path, journal), io, open, open_empty)
}

/// Judges the records of the input by the samples of the state, and adds them to it.
fn judge_records(args: &Args, path: &Path, io: &mut Io) -> anyhow::Result<()> {
    let samples = read_given_samples(args, io)?;
    let mut state = TopicState::open(path, args.similarity.measure, args.labels.clone())?;
    if let Some(step) = args.step.from_step {
        state.remove_from(step)?;
        state.commit()?;
    }
    let mut stage = TopicStage {
        judge: TopicJudge::new(args),
        samples,
        state,
        path,
        selection: args.selection(),
        is_step: args.step.is_step(),
    };
    io.run_stage(&args.input, &mut stage)
}

/// Checks the types of the fields that a state is made of.
pub(crate) fn check_fields(record: &Record) -> Result<(), BadField> {
    record.text()?;
    record.get::<Vec<Keyphrase>>(field::KEYWORDS)?;
    record.view::<Step>(field::STEP)?;
    record.view::<Query>(field::QUERY)?;
    Ok(())
}

/// Judges records, and at the end of a step the documents that earlier steps rejected.
struct TopicStage<'a> {
    judge: TopicJudge,
    /// The samples of `--samples`.
    samples: SampleSet,
    state: TopicState,
    /// The file of the state, for messages.
    path: &'a Path,
    selection: Selection,
    /// True if the input is a step of a pipeline, which is repeated if it is interrupted.
    is_step: bool,
}

impl Stage for TopicStage<'_> {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if !record.has_error()
            && let Err(e) = check_fields(&record)
        {
            record.set_error(Args::NAME, ErrorKind::BadField, e);
        } else if self.selection.includes(&record) {
            let annotated = self.annotate(&mut record);
            annotated.or_else(|e| absorb_bad_field(e, &mut record, Args::NAME))?;
        }
        let event = Event::from_record(&record);
        self.state.apply_event(&event)?;
        if event.ends_step() {
            self.write_retries(&event, out)?;
        }
        out.write_record(&record);
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.state.commit()?)
    }

    fn commit_order(&self) -> CommitOrder {
        forage_step::commit_order(self.is_step)
    }

    fn close(&mut self) -> anyhow::Result<()> {
        Ok(self.state.merge_wal()?)
    }
}

impl TopicStage<'_> {
    /// Adds `topic` and `label` to a record. A [`BadField`] concerns this record only.
    fn annotate(&self, record: &mut Record) -> anyhow::Result<()> {
        let (article, id) = (read_keyphrases(record)?, queried_sample(record)?);
        let Some(article) = article else {
            return Ok(());
        };
        let (sample, score) = self.sample_for(id.as_deref(), &article)?;
        self.judge.set_fields(record, &sample, score, &article);
        Ok(())
    }

    /// Returns the sample with which an article is compared, and the similarity: the sample of the
    /// query, if it is known, or else the nearest one.
    fn sample_for(
        &self,
        id: Option<&str>,
        article: &KeyphraseVector,
    ) -> anyhow::Result<(Sample, f64)> {
        let measure = self.judge.measure;
        if let Some(id) = id {
            let given = self.samples.with_id(id).cloned();
            let named = given.map_or_else(|| self.state.sample_with_id(id), |s| Ok(Some(s)))?;
            if let Some(sample) = named {
                let score = sample.similarity(measure, article);
                return Ok((sample, score));
            }
        }
        let given = self.samples.nearest(measure, article);
        let accepted = self.state.nearest_sample(article)?;
        match (given, accepted) {
            (Some((_, score)), Some(accepted)) if accepted.1 > score => Ok(accepted),
            (Some((sample, score)), _) => Ok((sample.clone(), score)),
            (None, Some(accepted)) => Ok(accepted),
            (None, None) => anyhow::bail!(
                "{}: has no sample; a sample is an initial document of the journal that has \
                 `keywords`, an `id` or a `url`, and the label {}",
                self.path.display(),
                self.judge.labels.accepted
            ),
        }
    }

    /// Writes the documents of earlier steps that the new samples of a step accept.
    fn write_retries(&mut self, last: &Event, out: &mut Output) -> anyhow::Result<()> {
        let Some(step) = &last.step else {
            return Ok(());
        };
        let retries = self.state.retries(last, self.judge.threshold)?;
        for retry in &retries.accepted {
            let Some(mut record) = self.state.retry_record(retry, step)? else {
                continue;
            };
            let article = read_keyphrases(&record)?.unwrap_or_default();
            let sample = &retries.samples[retry.sample];
            self.judge
                .set_fields(&mut record, sample, retry.score, &article);
            self.state.apply_event(&Event::from_record(&record))?;
            out.write_record(&record);
        }
        Ok(())
    }
}
