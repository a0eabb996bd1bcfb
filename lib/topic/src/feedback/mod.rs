//! Relevance feedback: a judge that learns from the sample articles and from all articles that a
//! run has retrieved (Rocchio 1971; Salton & Buckley 1990).
//!
//! An article is a vector of the words of its keyphrases ([`ArticleWords`]), weighted by frequency
//! and inverse document frequency (`vectors`). The samples of a subject are a query (`subjects`).
//! Retrieved articles near the query move it towards them, and all others away from them
//! (pseudo-relevance feedback, `rocchio`). The result is a [`FeedbackModel`], of two kinds:
//!
//! * [`FeedbackModel::train_query`] expands the query, for decisions during a run.
//! * [`FeedbackModel::train_classifier`] starts from the expanded query and trains a Rocchio
//!   classifier on its own decisions, for the final decision about all articles.
//!
//! ```
//! use forage_record::Keyphrase;
//! use forage_topic::feedback::{ArticleWords, FeedbackModel, TrainingArticle};
//!
//! let article = |key: &str, is_sample| TrainingArticle {
//!     words: ArticleWords::from_keyphrases(&[Keyphrase {
//!         phrase: key.into(),
//!         score: 1.5,
//!         key: key.into(),
//!     }]),
//!     is_sample,
//! };
//! let articles = [
//!     article("gold mine", true),
//!     article("nevada gold mine", false),
//!     article("wheat export", false),
//!     article("corn harvest", false),
//! ];
//! let model = FeedbackModel::train_classifier(&articles);
//! assert!(model.score(&articles[1].words) >= FeedbackModel::CLASSIFIER_THRESHOLD);
//! assert!(model.score(&articles[3].words) < FeedbackModel::CLASSIFIER_THRESHOLD);
//! ```

mod article_words;
mod model;
mod rocchio;
mod subjects;
mod vectors;

pub use article_words::ArticleWords;
pub use model::FeedbackModel;

/// An article from which a model is trained.
#[derive(Debug, Clone)]
pub struct TrainingArticle {
    /// The words of the article.
    pub words: ArticleWords,
    /// True for an article that the user has given, false for one that the run has retrieved.
    pub is_sample: bool,
}

#[cfg(test)]
mod tests;
