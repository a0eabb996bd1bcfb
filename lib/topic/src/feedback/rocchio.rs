//! Rocchio's method with pseudo-relevance feedback: the articles that are ranked first are taken
//! for relevant ones, and the query is moved towards their mean and away from that of the others
//! (J. J. Rocchio 1971; G. Salton & C. Buckley 1990).

use super::TrainingArticle;
use super::vectors::{Collection, TermVector, centroid, normalise_length};

/// Numbers of articles taken for relevant in the rounds of the query expansion. They grow, because
/// a better query ranks more relevant articles first. Chosen on domains of Reuters-21578; not
/// measured since.
const EXPANSION_ROUNDS: [usize; 3] = [10, 20, 40];
/// Share of the mean score of the best articles from which an article counts as relevant in the
/// training of the classifier. It decides about the size of a collection: lower values collect more
/// articles, with lower precision (BENCHMARKS.md, "Relevance feedback").
const MIN_SHARE_OF_BEST_SCORE: f64 = 0.4;
/// Minimum number of articles taken for relevant in a round of the classifier, if there are enough.
/// Set by judgement: the centroid of fewer is that of single articles.
const MIN_CLASSIFIER_ARTICLES: usize = 5;
/// Rounds of the classifier (BENCHMARKS.md, "Relevance feedback").
const CLASSIFIER_ROUNDS: usize = 4;
/// Share of the samples in the expanded query; the rest are the articles taken for relevant
/// (BENCHMARKS.md, "Relevance feedback").
const SAMPLE_SHARE_OF_QUERY: f64 = 0.5;
/// Of `n` articles, at most `n` divided by this are taken for relevant. Set by judgement
/// (BENCHMARKS.md, "Relevance feedback").
const MIN_ARTICLES_PER_RELEVANT: usize = 3;
/// Maximum number of best articles to whose mean score that of others is compared.
pub(crate) const BEST_ARTICLES: usize = 10;

/// The vectors of the articles from which a model is trained.
#[derive(Debug)]
pub(crate) struct TrainingVectors {
    pub(super) vectors: Vec<TermVector>,
    is_sample: Vec<bool>,
    term_count: usize,
}

/// A direction in which articles are projected, with the scores of the articles taken for relevant
/// and for nonrelevant.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) direction: Vec<f64>,
    /// The mean projection of articles taken for nonrelevant.
    pub(crate) nonrelevant_mean: f64,
    /// The mean projection of articles taken for relevant.
    pub(crate) relevant_mean: f64,
}

/// The samples of one subject.
#[derive(Debug)]
pub(crate) struct Subject {
    /// The positions of its samples among the articles.
    pub(super) samples: Vec<usize>,
    /// Their mean, of length 1.
    pub(super) mean: Vec<f64>,
}

impl TrainingVectors {
    pub(crate) fn new(articles: &[TrainingArticle], collection: &Collection) -> TrainingVectors {
        let vector = |article: &TrainingArticle| collection.vector(&article.words);
        TrainingVectors {
            vectors: articles.iter().map(vector).collect(),
            is_sample: articles.iter().map(|article| article.is_sample).collect(),
            term_count: collection.term_count(),
        }
    }

    /// Returns the positions of the samples, or of all other articles.
    pub(super) fn positions(&self, of_samples: bool) -> impl Iterator<Item = usize> {
        let marks = self.is_sample.iter().enumerate();
        marks
            .filter_map(move |(position, is_sample)| (*is_sample == of_samples).then_some(position))
    }

    pub(super) fn centroid(&self, positions: &[usize]) -> Vec<f64> {
        let vectors = positions.iter().map(|position| &self.vectors[*position]);
        centroid(vectors, self.term_count)
    }

    fn scores(&self, query: &[f64]) -> Vec<f64> {
        self.vectors
            .iter()
            .map(|vector| vector.dot(query))
            .collect()
    }

    /// Returns the number of articles taken for relevant, if there are enough articles for `most`.
    fn relevant_count(&self, most: usize) -> usize {
        most.min((self.vectors.len() / MIN_ARTICLES_PER_RELEVANT).max(1))
    }

    /// Returns the expanded query of a subject. Without retrieved articles, it is the mean of the
    /// samples.
    pub(crate) fn expand_query(&self, subject: &Subject) -> Vec<f64> {
        let retrieved: Vec<usize> = self.positions(false).collect();
        if retrieved.is_empty() {
            return subject.mean.clone();
        }
        let all: Vec<usize> = (0..self.vectors.len()).collect();
        let mean = self.centroid(&all);
        let mut query = subject.mean.clone();
        for most in EXPANSION_ROUNDS {
            let mut ranking = rank(retrieved.clone(), &self.scores(&query));
            ranking.truncate(self.relevant_count(most));
            let relevant = normalise_length(self.centroid(&ranking));
            query = combine(&subject.mean, &relevant, SAMPLE_SHARE_OF_QUERY);
            subtract(&mut query, &mean);
        }
        query
    }

    /// Returns the mean score of the ten best retrieved articles, or of a third of all if they are
    /// fewer than 30: the mean of more would depend on nonrelevant ones. 0 if there is none.
    pub(crate) fn mean_of_best(&self, query: &[f64]) -> f64 {
        let scores = self.scores(query);
        let mut ranking = rank(self.positions(false).collect(), &scores);
        ranking.truncate(self.relevant_count(BEST_ARTICLES));
        mean_score(&ranking, &scores)
    }

    /// Returns the number of articles, with the samples of the subject, that `query` ranks near the
    /// best ones.
    fn count_near_best(&self, subject: &Subject, query: &[f64]) -> usize {
        let least = MIN_SHARE_OF_BEST_SCORE * self.mean_of_best(query);
        let scores = self.scores(query);
        let near = self.positions(false).filter(|p| scores[*p] >= least);
        let count = subject.samples.len() + near.count();
        self.relevant_count(count.max(MIN_CLASSIFIER_ARTICLES))
    }

    /// Trains a Rocchio classifier on its own decisions, which starts from those of `query`. The
    /// samples of the subject are always relevant.
    pub(crate) fn train_classifier(&self, subject: &Subject, query: &[f64]) -> Projection {
        let samples = &subject.samples;
        let retrieved: Vec<usize> = self.positions(false).collect();
        let count = self.count_near_best(subject, query);
        let mut scores = self.scores(query);
        let mut projection = Projection {
            direction: query.to_vec(),
            nonrelevant_mean: 0.0,
            relevant_mean: 0.0,
        };
        for _ in 0..CLASSIFIER_ROUNDS {
            let mut ranking = samples.clone();
            ranking.extend(rank(retrieved.clone(), &scores));
            let (relevant, rest) = ranking.split_at(count.max(samples.len()).min(ranking.len()));
            // As many articles between the two sides are too uncertain for either.
            let nonrelevant = rest.get(count..).unwrap_or_default();
            let mut direction = self.centroid(relevant);
            subtract(&mut direction, &self.centroid(nonrelevant));
            scores = self.scores(&direction);
            projection = Projection {
                direction,
                nonrelevant_mean: mean_score(nonrelevant, &scores),
                relevant_mean: mean_score(relevant, &scores),
            };
        }
        projection
    }
}

/// Returns positions in descending order of their scores; those with equal scores in their order.
pub(super) fn rank(mut positions: Vec<usize>, scores: &[f64]) -> Vec<usize> {
    // The sort is stable.
    positions.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    positions
}

/// Returns the mean of the scores at some positions; 0 if there is none.
fn mean_score(positions: &[usize], scores: &[f64]) -> f64 {
    let sum = positions
        .iter()
        .fold(0.0, |sum, position| sum + scores[*position]);
    sum / positions.len().max(1) as f64
}

/// Returns share·a + (1 − share)·b.
fn combine(a: &[f64], b: &[f64], share: f64) -> Vec<f64> {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| share * a + (1.0 - share) * b).collect()
}

fn subtract(from: &mut [f64], vector: &[f64]) {
    from.iter_mut().zip(vector).for_each(|(a, b)| *a -= b);
}
