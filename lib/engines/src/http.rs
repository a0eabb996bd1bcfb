//! The border to the network: what an engine on the web needs of an HTTP client, and no more.

use crate::Key;
use std::time::Duration;
use url::Url;

/// Sends a request and gives the answer, whatever its status; the error says why none came.
///
/// Made by whoever owns sockets. It is called when the engine is first asked, so that nothing is
/// started for a query that the cache can answer. It must not follow a redirect to another host,
/// which would learn the key, and its errors must not name the URL.
pub type Http = Box<dyn FnMut(&Request) -> Result<Answer, String>>;

/// An HTTP request: GET, or POST if there is a body. It may hold a key, and so can't be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Request {
    /// Where to.
    pub url: Url,
    /// The header that holds the engine's key, beside those of every request.
    pub header: Option<(&'static str, Key)>,
    /// JSON to be posted.
    pub json: Option<String>,
}

/// An HTTP answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// The time to wait by the `Retry-After` header, of seconds or a date (RFC 9110, 10.2.3).
    pub retry_after: Option<Duration>,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    pub body: Vec<u8>,
}

impl Answer {
    /// A header's value; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
    }
}
