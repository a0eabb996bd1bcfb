//! Judgement by the samples of `--samples`: `topic` and `label`.

use crate::args::Args;
use crate::sample_file::read_given_samples;
use crate::state_files::TopicLabels;
use forage_cli::Io;
use forage_record::{BadField, Query, Record, Topic, field};
use forage_topic::samples::{Sample, SampleSet, read_keyphrases, round_similarity};
use forage_topic::similarity::{ArticleComparison, KeyphraseVector, SimilarityMeasure};

/// Judges articles by their similarity to sample articles.
#[derive(Debug)]
pub(crate) struct TopicJudge {
    pub(crate) measure: SimilarityMeasure,
    /// The threshold for all samples; `None` for the default of each sample's language.
    pub(crate) threshold: Option<f64>,
    pub(crate) labels: TopicLabels,
    /// True if the values of all measures are written.
    pub(crate) with_all_measures: bool,
}

/// Annotates the records of the input.
pub(crate) fn run(args: &Args, io: &mut Io) -> anyhow::Result<()> {
    let judge = TopicJudge::new(args);
    let samples = read_given_samples(args, io)?;
    let selection = args.selection();
    io.annotate(
        &args.input,
        args.jobs.thread_count(),
        || (),
        |(), record| {
            if selection.includes(record) {
                judge.annotate(&samples, record)?;
            }
            Ok(())
        },
    )
}

/// Returns the id of the sample that the query was made from, if it was.
pub(crate) fn queried_sample(record: &Record) -> Result<Option<String>, BadField> {
    let query: Option<Query> = record.view(field::QUERY)?;
    Ok(query.and_then(|query| query.strategy?.sample))
}

impl TopicJudge {
    /// Creates the judge that the arguments describe.
    pub(crate) fn new(args: &Args) -> TopicJudge {
        TopicJudge {
            measure: args.similarity.measure,
            threshold: args.similarity.threshold,
            labels: args.labels.clone(),
            with_all_measures: args.all_measures,
        }
    }

    fn annotate(&self, samples: &SampleSet, record: &mut Record) -> Result<(), BadField> {
        let Some(article) = read_keyphrases(record)? else {
            return Ok(());
        };
        if let Some((sample, score)) = self.sample_for(samples, record, &article)? {
            self.set_fields(record, sample, score, &article);
        }
        Ok(())
    }

    /// Returns the sample with which the article of a record is compared, and the similarity: the
    /// sample that the query was made from, or else the nearest one.
    pub(crate) fn sample_for<'a>(
        &self,
        samples: &'a SampleSet,
        record: &Record,
        article: &KeyphraseVector,
    ) -> Result<Option<(&'a Sample, f64)>, BadField> {
        let id = queried_sample(record)?;
        Ok(match id.and_then(|id| samples.with_id(&id)) {
            Some(sample) => Some((sample, sample.similarity(self.measure, article))),
            None => samples.nearest(self.measure, article),
        })
    }

    /// Sets `topic`, and replaces `label`: the last filter of a pipe decides about the class.
    pub(crate) fn set_fields(
        &self,
        record: &mut Record,
        sample: &Sample,
        score: f64,
        article: &KeyphraseVector,
    ) {
        record.set(field::TOPIC, &self.topic(sample, score, article));
        record.set(field::LABEL, &self.label(sample, score));
    }

    fn topic(&self, sample: &Sample, score: f64, article: &KeyphraseVector) -> Topic {
        let comparison = self
            .with_all_measures
            .then(|| ArticleComparison::new(&sample.keyphrases, article));
        let scores = comparison.iter().flat_map(|comparison| {
            SimilarityMeasure::ALL.iter().map(move |measure| {
                let score = round_similarity(measure.evaluate(comparison));
                (measure.name().to_owned(), score)
            })
        });
        Topic {
            score: Some(score),
            measure: Some(self.measure.name().into()),
            sample: sample.id.clone(),
            metrics: None,
            threshold_factor: None,
            scores: scores.collect(),
        }
    }

    /// Returns the threshold over which an article is on the topic of a sample.
    pub(crate) fn threshold(&self, sample: &Sample) -> f64 {
        self.threshold.unwrap_or(sample.default_threshold)
    }

    /// Returns the label of an article with this similarity to a sample.
    pub(crate) fn label(&self, sample: &Sample, score: f64) -> &str {
        self.labels.of(score > self.threshold(sample))
    }
}
