//! `--feedback`: judgements of a model that learns from all articles of a run.

use crate::args::Args;
use crate::rebuild::rebuild_file;
use crate::state::check_fields;
use crate::state_files::{FeedbackState, TopicLabels};
use forage_cli::{CommitOrder, Io, Messages, Output, Stage, Tool};
use forage_record::{BadField, ErrorKind, Record, Step, Topic, field};
use forage_run::{Event, StepProjection};
use forage_topic::feedback::{ArticleWords, FeedbackModel};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// The name of this method in `topic.measure`.
const MEASURE: &str = "feedback";

/// Number of indicative words in messages. Set by judgement.
const SHOWN_WORDS: usize = 10;

/// Rebuilds the state, judges a step, or judges all documents of a journal.
pub(crate) fn run(args: &Args, path: &Path, io: &mut Io) -> anyhow::Result<()> {
    anyhow::ensure!(
        args.is_final || args.similarity.threshold.is_none(),
        "--threshold: with --feedback, it applies to --final only"
    );
    match (&args.step.rebuild, args.step.from_step) {
        (Some(journal), _) => {
            let label = &args.labels.accepted;
            let open = || FeedbackState::open(path, label);
            let open_empty = || FeedbackState::open_empty(path, label);
            rebuild_file(args, (path, journal), io, open, open_empty)
        }
        (None, Some(step)) => judge_steps(args, path, step, io),
        (None, None) if args.is_final => judge_journal(args, path, io),
        (None, None) => {
            anyhow::bail!("--feedback requires --from-step, --rebuild or --final")
        }
    }
}

/// Judges the records of steps, and adds them to the state.
fn judge_steps(args: &Args, path: &Path, from_step: u64, io: &mut Io) -> anyhow::Result<()> {
    let mut state = FeedbackState::open(path, &args.labels.accepted)?;
    state.remove_from(from_step)?;
    state.commit()?;
    let mut stage = FeedbackStage {
        state,
        labels: args.labels.clone(),
        force: args.force,
        records: Vec::new(),
        messages: io.messages.clone(),
    };
    io.run_stage(&args.input, &mut stage)
}

/// Judges all documents of a journal by a classifier that is trained with the whole state.
fn judge_journal(args: &Args, path: &Path, io: &mut Io) -> anyhow::Result<()> {
    let state = FeedbackState::open_read_only(path, &args.labels.accepted)?;
    let articles = state.training_articles()?;
    let threshold = args.similarity.threshold;
    let judge = FeedbackJudge {
        model: FeedbackModel::train_classifier(&articles),
        threshold: threshold.unwrap_or(FeedbackModel::CLASSIFIER_THRESHOLD),
        labels: args.labels.clone(),
        judged: AtomicU64::new(0),
        accepted: AtomicU64::new(0),
    };
    io.annotate(
        &args.input,
        args.jobs.thread_count(),
        || (),
        |(), record| {
            if has_step(record) && !record.has_error() {
                judge.annotate(record)?;
            }
            Ok(())
        },
    )?;
    judge.report(&io.messages);
    Ok(())
}

/// A trained model with the labels that it sets.
#[derive(Debug)]
struct FeedbackJudge {
    model: FeedbackModel,
    /// The least score of an accepted article.
    threshold: f64,
    labels: TopicLabels,
    judged: AtomicU64,
    accepted: AtomicU64,
}

impl FeedbackJudge {
    /// Sets `topic` and `label` of a document with keyphrases.
    fn annotate(&self, record: &mut Record) -> Result<(), BadField> {
        let words = ArticleWords::of_record(record)?;
        let Some(words) = words.filter(|_| record.has_value(field::TEXT)) else {
            return Ok(());
        };
        let score = self.model.score(&words);
        let is_accepted = score >= self.threshold;
        self.judged.fetch_add(1, Ordering::Relaxed);
        self.accepted
            .fetch_add(u64::from(is_accepted), Ordering::Relaxed);
        let topic = Topic {
            score: Some(score),
            measure: Some(MEASURE.into()),
            ..Topic::default()
        };
        record.set(field::TOPIC, &topic);
        record.set(field::LABEL, &self.labels.of(is_accepted));
        Ok(())
    }

    /// Reports, with `-v`, how many articles were accepted and why.
    fn report(&self, messages: &Messages) {
        if messages.is_verbose() {
            messages.debug(format_args!(
                "{} of {} articles accepted; the most indicative words: {}",
                self.accepted.load(Ordering::Relaxed),
                self.judged.load(Ordering::Relaxed),
                self.model.indicative_words(SHOWN_WORDS).join(", ")
            ));
        }
    }
}

/// Judges the records of a step when its last one has arrived.
struct FeedbackStage {
    state: FeedbackState,
    labels: TopicLabels,
    /// True if records that have `topic` are judged again.
    force: bool,
    /// The records of the current step.
    records: Vec<Record>,
    messages: Messages,
}

impl Stage for FeedbackStage {
    fn process_record(&mut self, mut record: Record, out: &mut Output) -> anyhow::Result<()> {
        if !record.has_error()
            && let Err(e) = check_fields(&record)
        {
            record.set_error(Args::NAME, ErrorKind::BadField, e);
        }
        let ends_step = Event::from_record(&record).ends_step();
        self.records.push(record);
        if ends_step {
            self.finish_step(out)?;
        }
        Ok(())
    }

    fn commit(&mut self) -> anyhow::Result<()> {
        Ok(self.state.commit()?)
    }

    fn commit_order(&self) -> CommitOrder {
        CommitOrder::BeforeOutput
    }

    fn finish(&mut self, out: &mut Output) -> anyhow::Result<()> {
        self.finish_step(out)
    }
}

impl FeedbackStage {
    /// Adds the buffered records to the state, trains a model, and judges and writes them.
    fn finish_step(&mut self, out: &mut Output) -> anyhow::Result<()> {
        let mut records = std::mem::take(&mut self.records);
        for record in &records {
            self.state.apply_event(&Event::from_record(record))?;
        }
        let is_judged = |record: &Record| {
            record.should_add(field::TOPIC, self.force)
                && record.has_value(field::TEXT)
                && record.has_value(field::KEYWORDS)
                && has_step(record)
        };
        if records.iter().any(is_judged) {
            let judge = FeedbackJudge {
                model: FeedbackModel::train_query(&self.state.training_articles()?),
                threshold: FeedbackModel::QUERY_THRESHOLD,
                labels: self.labels.clone(),
                judged: AtomicU64::new(0),
                accepted: AtomicU64::new(0),
            };
            for record in records.iter_mut().filter(|record| is_judged(record)) {
                // The types of the fields have been checked.
                judge.annotate(record)?;
            }
            judge.report(&self.messages);
        }
        records.iter().for_each(|record| out.write_record(record));
        Ok(())
    }
}

/// Returns `true` if a step has retrieved the record.
fn has_step(record: &Record) -> bool {
    matches!(record.view::<Step>(field::STEP), Ok(Some(_)))
}
