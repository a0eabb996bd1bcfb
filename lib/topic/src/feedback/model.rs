//! The trained judge.

use super::TrainingArticle;
use super::article_words::ArticleWords;
use super::rocchio::{BEST_ARTICLES, TrainingVectors};
use super::vectors::Collection;
use crate::samples::round_similarity;

/// The smallest distance between relevant and nonrelevant articles that tells them apart. Below it
/// there are only rounding errors.
const MIN_DISTANCE: f64 = 1e-9;

/// Similarity to the samples that has the score 1 while few articles are retrieved. Half of it is
/// the threshold.
///
/// Of .8, .55 and .4, the last has the highest precision at the end of runs (BENCHMARKS.md, "Subjects
/// in any language").
const FIRST_FULL_SIMILARITY: f64 = 0.4;

/// A judge of articles that is trained with the samples and the retrieved articles of a run.
#[derive(Debug, Clone)]
pub struct FeedbackModel {
    collection: Collection,
    /// The vector that articles are compared with, by the numbers of the collection.
    query: Vec<f64>,
    /// Subtracted from the dot product with the query.
    offset: f64,
    /// Number by which the difference is multiplied.
    scale: f64,
}

impl FeedbackModel {
    /// Score from which a model of [`FeedbackModel::train_query`] accepts an article. Chosen on eight
    /// domains of Reuters-21578.
    pub const QUERY_THRESHOLD: f64 = 0.5;

    /// Score from which a model of [`FeedbackModel::train_classifier`] accepts an article: nearer to
    /// the mean of the relevant articles than to that of the nonrelevant ones (BENCHMARKS.md,
    /// "Relevance feedback").
    pub const CLASSIFIER_THRESHOLD: f64 = 0.5;

    /// Expands the query that the samples are, by pseudo-relevance feedback (Rocchio 1971). The
    /// score of an article is relative to the mean of the ten best retrieved articles (of fewer than
    /// 30 articles, the best third), whose score is 1.
    ///
    /// As long as at most ten articles are retrieved, which may all be relevant, the score is the
    /// cosine of an article and the mean of the samples, divided by 0.4. All scores are 0 if the best articles are no nearer to the query than
    /// the mean of all. Equal articles in equal order result in equal models.
    pub fn train_query(articles: &[TrainingArticle]) -> FeedbackModel {
        let collection = Collection::new(articles);
        let training = TrainingVectors::new(articles, &collection);
        if has_few_articles(articles) {
            return FeedbackModel::compare_with_samples(collection, &training);
        }
        let query = training.expand_query();
        let best = training.mean_of_best(&query);
        let is_significant = best > MIN_DISTANCE;
        FeedbackModel {
            collection,
            query,
            offset: 0.0,
            scale: if is_significant { 1.0 / best } else { 0.0 },
        }
    }

    /// Trains a Rocchio classifier, which starts from the expanded query. The score of an article is
    /// 1 for the mean of the articles that the classifier was trained with as relevant, and 0 for
    /// that of the nonrelevant ones; all are 0 if these cannot be told apart.
    ///
    /// As long as at most ten articles are retrieved, the decision is that of
    /// [`FeedbackModel::train_query`]. Equal articles in equal order result in equal models.
    pub fn train_classifier(articles: &[TrainingArticle]) -> FeedbackModel {
        if has_few_articles(articles) {
            return FeedbackModel::train_query(articles);
        }
        FeedbackModel::train_on_decisions(articles)
    }

    /// Trains the classifier of any number of articles.
    pub(super) fn train_on_decisions(articles: &[TrainingArticle]) -> FeedbackModel {
        let collection = Collection::new(articles);
        let training = TrainingVectors::new(articles, &collection);
        let projection = training.train_classifier(&training.expand_query());
        let distance = projection.relevant_mean - projection.nonrelevant_mean;
        let is_significant = distance > MIN_DISTANCE;
        FeedbackModel {
            collection,
            query: projection.direction,
            offset: projection.nonrelevant_mean,
            scale: if is_significant { 1.0 / distance } else { 0.0 },
        }
    }

    /// Returns the model for few retrieved articles: the cosine with the samples.
    fn compare_with_samples(collection: Collection, training: &TrainingVectors) -> FeedbackModel {
        FeedbackModel {
            query: training.mean_of_samples().to_vec(),
            collection,
            offset: 0.0,
            scale: 1.0 / FIRST_FULL_SIMILARITY,
        }
    }

    /// Returns the score of an article, rounded to nine decimals; 0 for one without a weighted word.
    pub fn score(&self, words: &ArticleWords) -> f64 {
        let vector = self.collection.vector(words);
        if vector.is_empty() {
            return 0.0;
        }
        let score = (vector.dot(&self.query) - self.offset) * self.scale;
        // No negative zero, which JSON would show.
        round_similarity(score) + 0.0
    }

    /// Returns the `count` words that raise the score of an article most, the best first.
    pub fn indicative_words(&self, count: usize) -> Vec<&str> {
        self.collection.highest_terms(&self.query, count)
    }
}

/// Returns `true` if so few articles are retrieved that all of them may be relevant.
fn has_few_articles(articles: &[TrainingArticle]) -> bool {
    let retrieved = articles.iter().filter(|article| !article.is_sample).count();
    retrieved <= BEST_ARTICLES
}
