//! The trained judge.

use super::TrainingArticle;
use super::article_words::ArticleWords;
use super::rocchio::{BEST_ARTICLES, Subject, TrainingVectors};
use super::vectors::{Collection, TermVector};
use crate::samples::round_similarity;

/// The smallest distance between relevant and nonrelevant articles that tells them apart. Below it
/// there are only rounding errors.
const MIN_DISTANCE: f64 = 1e-9;

/// Similarity to the samples that has the score 1 while few articles are retrieved. Half of it is
/// the threshold.
///
/// With .4 instead of .8, runs in English end with a precision of .728 instead of .720 (.446
/// instead of .464 on further topics), in Japanese of .647 instead of .590 (BENCHMARKS.md,
/// "Relevance feedback").
const FIRST_FULL_SIMILARITY: f64 = 0.4;

/// Smallest mean score of the best articles for a subject, as a share of the greatest one, by which
/// articles of the subject are retrieved. Set by judgement, not measured.
const MIN_SHARE_OF_NEAREST: f64 = 0.5;

/// A judge of articles that is trained with the samples and the retrieved articles of a run. It
/// accepts an article for the subject of one of the samples.
#[derive(Debug, Clone)]
pub struct FeedbackModel {
    collection: Collection,
    subjects: Vec<SubjectQuery>,
}

/// The judge of one subject.
#[derive(Debug, Clone)]
pub(super) struct SubjectQuery {
    /// The vector that articles are compared with, by the numbers of the collection.
    direction: Vec<f64>,
    /// Subtracted from the dot product with the query.
    offset: f64,
    /// Number by which the difference is multiplied.
    scale: f64,
}

impl FeedbackModel {
    /// Score from which a model of [`FeedbackModel::train_query`] accepts an article. Chosen on
    /// eight domains of Reuters-21578.
    pub const QUERY_THRESHOLD: f64 = 0.5;

    /// Score from which a model of [`FeedbackModel::train_classifier`] accepts an article: nearer
    /// to the mean of the relevant articles than to that of the nonrelevant ones (BENCHMARKS.md,
    /// "Relevance feedback").
    pub const CLASSIFIER_THRESHOLD: f64 = 0.5;

    /// Expands the queries that the samples are, by pseudo-relevance feedback (Rocchio 1971). The
    /// score of an article is the greatest one for a sample: relative to the mean of the ten best
    /// retrieved articles (of fewer than 30 articles, the best third), whose score is 1.
    ///
    /// As long as at most ten articles are retrieved, which may all be relevant, or none seems to
    /// be on the subject of a sample, the score is the cosine of an article and the sample, divided
    /// by 0.4. All scores are 0 if the best articles are no nearer to the query than the mean of
    /// all. Equal articles in equal order result in equal models.
    pub fn train_query(articles: &[TrainingArticle]) -> FeedbackModel {
        let expand = |_: &_, _: &_, query, best| SubjectQuery {
            direction: query,
            offset: 0.0,
            scale: if best > MIN_DISTANCE { 1.0 / best } else { 0.0 },
        };
        FeedbackModel::train(articles, has_few_articles(articles), expand)
    }

    /// Trains a Rocchio classifier, which starts from the expanded query. The score of an article
    /// is 1 for the mean of the articles that the classifier was trained with as relevant, and 0
    /// for that of the nonrelevant ones; all are 0 if these cannot be told apart.
    ///
    /// As long as at most ten articles are retrieved, the decision is that of
    /// [`FeedbackModel::train_query`]. Equal articles in equal order result in equal models.
    pub fn train_classifier(articles: &[TrainingArticle]) -> FeedbackModel {
        let is_few = has_few_articles(articles);
        FeedbackModel::train(articles, is_few, SubjectQuery::train_classifier)
    }

    /// Trains the judge of each subject, given its expanded query and the mean score of the best
    /// articles. The samples alone judge if there are few articles, or none of the subject.
    pub(super) fn train(
        articles: &[TrainingArticle],
        is_few: bool,
        train: impl Fn(&TrainingVectors, &Subject, Vec<f64>, f64) -> SubjectQuery,
    ) -> FeedbackModel {
        let collection = Collection::new(articles);
        let training = TrainingVectors::new(articles, &collection);
        let expanded: Vec<(Subject, Vec<f64>, f64)> = training
            .subjects()
            .into_iter()
            .map(|subject| {
                let query = training.expand_query(&subject);
                let best = training.mean_of_best(&query);
                (subject, query, best)
            })
            .collect();
        let nearest = expanded
            .iter()
            .map(|(_, _, best)| *best)
            .fold(0.0, f64::max);
        let is_compared = |best: f64| {
            let is_far = nearest > MIN_DISTANCE && best < MIN_SHARE_OF_NEAREST * nearest;
            is_far || is_few
        };
        let judge = |(subject, query, best): (Subject, Vec<f64>, f64)| match is_compared(best) {
            true => SubjectQuery::compare_with(subject),
            false => train(&training, &subject, query, best),
        };
        FeedbackModel {
            subjects: expanded.into_iter().map(judge).collect(),
            collection,
        }
    }

    /// Returns the score of an article, rounded to nine decimals; 0 for one without a weighted
    /// word.
    pub fn score(&self, words: &ArticleWords) -> f64 {
        let vector = self.collection.vector(words);
        if vector.is_empty() {
            return 0.0;
        }
        let scores = self.subjects.iter().map(|subject| subject.score(&vector));
        let greatest = scores.reduce(f64::max).unwrap_or(0.0);
        // No negative zero, which JSON would show.
        round_similarity(greatest) + 0.0
    }

    /// Returns the `count` words that raise the scores of articles most, over all subjects, the
    /// best first.
    pub fn indicative_words(&self, count: usize) -> Vec<&str> {
        let mut sum = vec![0.0; self.collection.term_count()];
        for subject in &self.subjects {
            let pairs = sum.iter_mut().zip(&subject.direction);
            pairs.for_each(|(sum, weight)| *sum += weight);
        }
        self.collection.highest_terms(&sum, count)
    }
}

impl SubjectQuery {
    /// Returns the judge by the cosine with the samples of the subject.
    fn compare_with(subject: Subject) -> SubjectQuery {
        SubjectQuery {
            direction: subject.mean,
            offset: 0.0,
            scale: 1.0 / FIRST_FULL_SIMILARITY,
        }
    }

    /// Trains a Rocchio classifier, which starts from the expanded query.
    pub(super) fn train_classifier(
        training: &TrainingVectors,
        subject: &Subject,
        query: Vec<f64>,
        _: f64,
    ) -> SubjectQuery {
        let projection = training.train_classifier(subject, &query);
        let distance = projection.relevant_mean - projection.nonrelevant_mean;
        let is_significant = distance > MIN_DISTANCE;
        SubjectQuery {
            direction: projection.direction,
            offset: projection.nonrelevant_mean,
            scale: if is_significant { 1.0 / distance } else { 0.0 },
        }
    }

    fn score(&self, vector: &TermVector) -> f64 {
        (vector.dot(&self.direction) - self.offset) * self.scale
    }
}

/// Returns `true` if so few articles are retrieved that all of them may be relevant.
fn has_few_articles(articles: &[TrainingArticle]) -> bool {
    let retrieved = articles.iter().filter(|article| !article.is_sample).count();
    retrieved <= BEST_ARTICLES
}
