//! The border to the network: what an engine on the web needs of an HTTP client, and no more.

use std::time::Duration;
use url::Url;

/// Asks for a URL and gives the answer, whatever its status; the error says why none came.
///
/// Made by whoever owns sockets. It is called when the engine is first asked, so that nothing is started for a query
/// that the cache can answer.
pub type Http = Box<dyn FnMut(&Url) -> Result<Answer, String>>;

/// An HTTP answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The `Retry-After` header, if it gives seconds.
    pub retry_after: Option<Duration>,
    /// The body, decompressed.
    pub body: Vec<u8>,
}
