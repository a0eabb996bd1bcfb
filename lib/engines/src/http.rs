//! The HTTP client that engines on the web are called with, reduced to what they need.
//!
//! This crate opens no socket. The caller passes in an [`HttpClient`].

use crate::ApiKey;
use std::time::Duration;
use url::Url;

/// Sends a request and returns the response, whatever its status. The error is the reason why no
/// response arrived.
///
/// It is called for the first time when the first request is due, so that nothing is started for a
/// query that the cache can answer. It must not follow a redirect to another host, as that host
/// would receive the key. Its errors must not contain the URL, which may hold a key.
pub type HttpClient = Box<dyn FnMut(&EngineRequest) -> Result<EngineResponse, String>>;

/// An HTTP request: GET, or POST if it has a body. It may hold a key, and so does not implement
/// `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct EngineRequest {
    /// URL of the request.
    pub url: Url,
    /// Name and value of the header that holds the engine's key, in addition to the headers of
    /// every request.
    pub key_header: Option<(&'static str, ApiKey)>,
    /// JSON body to be posted.
    pub json: Option<String>,
}

/// An HTTP response.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineResponse {
    /// Status code.
    pub status: u16,
    /// Time to wait from the `Retry-After` header, given in seconds or as a date (RFC 9110, section
    /// 10.2.3).
    pub retry_after: Option<Duration>,
    /// Headers, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Body, decompressed.
    pub body: Vec<u8>,
    /// True if the body is cut or damaged.
    pub is_truncated: bool,
    /// URL after redirects, by which relative URLs in the body are resolved (RFC 3986, section
    /// 5.1.3); `None` for that of the request.
    pub url: Option<Url>,
}

impl EngineResponse {
    /// Returns the value of the header `name`, which is given in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
    }
}
