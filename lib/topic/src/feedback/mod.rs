//! Relevance feedback: a judge that learns from the sample articles and from all articles that a
//! run has retrieved (Rocchio 1971; Salton & Buckley 1990).
//!
//! An article is a vector of its stems ([`ArticleWords`]), weighted by frequency and inverse
//! document frequency (`vectors`). The samples are the query. Retrieved articles near the query
//! move it towards them, and all others away from them (pseudo-relevance feedback, `rocchio`). The
//! result is a [`FeedbackModel`], of two kinds:
//!
//! * [`FeedbackModel::train_query`] expands the query, for decisions during a run.
//! * [`FeedbackModel::train_classifier`] starts from the expanded query and trains a Rocchio
//!   classifier on its own decisions, for the final decision about all articles.
//!
//! ```
//! use forage_topic::feedback::{FeedbackModel, TrainingArticle, WordCounter};
//! use forage_topic::keyphrases::Article;
//!
//! let mut counter = WordCounter::new("eng".parse().unwrap());
//! let mut article = |text, is_sample| TrainingArticle {
//!     words: counter.count(Article { title: None, text }),
//!     is_sample,
//! };
//! let articles = [
//!     article("Gold mining in Nevada", true),
//!     article("The gold mines of Nevada", false),
//!     article("Wheat exports rose", false),
//!     article("Corn and wheat harvest", false),
//! ];
//! let model = FeedbackModel::train_classifier(&articles);
//! assert!(model.score(&articles[1].words) >= FeedbackModel::CLASSIFIER_THRESHOLD);
//! assert!(model.score(&articles[3].words) < FeedbackModel::CLASSIFIER_THRESHOLD);
//! ```

mod article_words;
mod model;
mod rocchio;
mod vectors;

pub use article_words::{ArticleWords, WordCounter};
pub use model::FeedbackModel;

/// An article from which a model is trained.
#[derive(Debug, Clone)]
pub struct TrainingArticle {
    /// The stems of the article.
    pub words: ArticleWords,
    /// True for an article that the user has given, false for one that the run has retrieved.
    pub is_sample: bool,
}

#[cfg(test)]
mod tests;
