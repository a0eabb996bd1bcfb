//! Fetching pages, and archives of what was fetched: the only crate with sockets, and the only one with `async`.
//!
//! To the outside nothing is `async`: [`Fetcher::submit`] takes a URL and calls back when the page has come, and the
//! event loop behind it starts with the first page that is really fetched.

mod error;
pub mod fetch;
pub mod warc;

pub use error::{FetchError, SetupError};
pub use fetch::{Fetcher, Response, Settings, Visit};
