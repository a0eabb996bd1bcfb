//! Fetching pages and extracting their main text: the only crate with sockets, and the only one with `async`.
//!
//! Two halves that meet in [`document`]. [`fetch`] turns a URL into a [`Response`]: politely (robots.txt, a delay for
//! each host), within limits of time and size, following redirects. [`extract()`] turns HTML into a [`Page`]: main
//! text, title, links and what the page says about itself. The second half knows nothing of the network, and is what
//! serves pages that come from a file or an archive.
//!
//! To the outside nothing is `async`: [`Fetcher::submit`] takes a URL and calls back when the page has come, and the
//! event loop behind it starts with the first page that is really fetched.

mod apart;
mod charset;
pub mod document;
mod error;
pub mod extract;
pub mod fetch;
mod formats;
mod media;
pub mod warc;
mod watched;

pub use document::Document;
pub use error::{FetchError, SetupError};
pub use extract::{Defect, Page, extract};
pub use fetch::{Fetcher, Response, Settings, Visit};
pub use formats::{read_apart, read_pdf};
