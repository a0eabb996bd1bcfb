//! A page on loopback in which people judge a sample of documents.
//!
//! A [`ReviewSession`] holds the documents and their verdicts, which it saves in a file one by one.
//! A [`ReviewServer`] serves the page (`page/`) and the session to a browser on the same machine,
//! over HTTP/1.1 with one request per connection. It is not meant for a network: it listens on
//! 127.0.0.1 alone, and its URL contains a random token, so that other pages in the browser and
//! other users of the machine can neither read the documents nor judge them.
//!
//! Documents come from the web. They are sent as JSON and inserted as text; the page loads nothing
//! but its own files, by its Content-Security-Policy.

mod response;
mod server;
mod session;
mod verdict_file;

pub use server::ReviewServer;
pub use session::ReviewSession;
