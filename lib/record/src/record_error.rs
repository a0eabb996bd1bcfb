//! The field `error`: failures of one record, which are data.

use serde::{Deserialize, Serialize};
use std::fmt;

/// `error`: the reason why a tool could not process the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordError {
    /// The name of the tool.
    pub tool: String,
    /// The kind of failure.
    pub kind: ErrorKind,
    /// A message for users.
    #[serde(default)]
    pub message: String,
}

/// `error.kind`: the kind of failure, from a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// A field has the wrong type.
    BadField,
    /// The URL is not absolute or not HTTP.
    BadUrl,
    /// The engine, or `search` on its behalf, refuses the query.
    Refused,
    /// The engine limits the rate of calls.
    Throttled,
    /// The engine does not respond.
    EngineDown,
    /// The engine has never returned a hit, for many different queries.
    NoHits,
    /// The budget of calls or queries is exhausted.
    Budget,
    /// The address is not on the public internet.
    ForbiddenAddress,
    /// The host name cannot be resolved.
    Dns,
    /// The connection to the host failed or broke.
    Connect,
    /// TLS failed.
    Tls,
    /// The host did not respond in time.
    Timeout,
    /// The HTTP status is not a success.
    HttpStatus,
    /// robots.txt forbids the URL, or could not be read.
    Robots,
    /// The redirect chain is too long, a loop, or ends at a target that is invalid, or that another
    /// process fetches.
    Redirect,
    /// The body is larger than the limit.
    TooLarge,
    /// The page declares a reservation against text and data mining.
    OptOut,
    /// The page, its host or its text was taken down.
    TakenDown,
    /// No extractor reads the media type.
    UnsupportedType,
    /// The body could not be decompressed or decoded.
    BadBody,
    /// The page has no text.
    NoText,
    /// A bug of the tool, which affects this record only.
    Internal,
    /// An unknown kind, from another tool or version.
    #[serde(other)]
    Other,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.serialize(f)
    }
}

impl ErrorKind {
    /// Returns `true` if the search engine did not answer the query. Such a query does not count as
    /// sent, and is no evidence about the index.
    pub fn is_engine_failure(self) -> bool {
        matches!(
            self,
            ErrorKind::Refused
                | ErrorKind::Throttled
                | ErrorKind::EngineDown
                | ErrorKind::NoHits
                | ErrorKind::Budget
        )
    }
}
