//! The states of `topic-filter`, each in one SQLite file that is a projection of the journal.
//! Records are applied in order, whether they come from the filter or from a journal, so that a
//! file that grew during a run and one that was rebuilt give the same results.
//!
//! - [`TopicState`] has the sample articles of a special-domain collection and the rejected
//!   articles, which are judged again by later samples (Bracewell, Ren & Kuroiwa 2007, section IV).
//! - [`FeedbackState`] has the words of all articles instead (`feedback_store`). Relevance feedback
//!   trains a model on them at each step, and the last model labels the journal again for the
//!   corpus.
//! - [`SiteState`] has what the hosts and directories of a focused crawl have brought; `look_back`
//!   finds the rejected pages of a directory that turns out to be relevant.
//! - `retries` finds the rejected articles that a new sample accepts.
//! - `store` has the tables, and `word_index` the index of words by which articles are found
//!   without comparing all of them.

mod feedback_state;
mod feedback_store;
mod look_back;
mod rejected_table;
mod retries;
mod site_state;
mod state;
mod store;
mod word_index;

pub use feedback_state::FeedbackState;
pub use retries::{Retries, Retry};
pub use site_state::SiteState;
pub use state::{TopicLabels, TopicState};
