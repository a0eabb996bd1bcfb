//! Occurrences of a term or a regular expression in a text, and the contexts in which they are shown.
//!
//! A [`Matcher`] finds the occurrences, in the text as it is; [`Context`] has the words before and
//! after one, and [`Layout`] aligns them in columns. [`SortKey`] orders contexts.

mod context;
mod layout;
mod marks;
mod matcher;
mod sort_key;
mod term;

pub use context::Context;
pub use layout::Layout;
pub use matcher::{Matcher, MatcherError};
pub use sort_key::SortKey;
