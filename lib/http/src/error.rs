//! Errors: why a page was not fetched, with the error kind for its record; why a body is truncated;
//! and settings that the fetcher rejects.

use forage_record::ErrorKind;
use std::time::Duration;
use url::Url;

/// Why a page was not fetched. It is cheap to clone, as the error of a backed-off host is returned
/// for each of its pages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The URL is not an absolute HTTP or HTTPS URL.
    #[error("{0}")]
    BadUrl(String),
    /// The address policy excludes the host: a private address, or a public one without a contact.
    #[error("{0}")]
    Forbidden(String),
    /// The name of the host has no address.
    #[error("cannot resolve the host name: {0}")]
    Dns(String),
    /// The connection was not established, or it broke.
    #[error("{0}")]
    Connect(String),
    /// The TLS handshake failed.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// A time limit was exceeded.
    #[error("no {} within {} s", .0.missing(), .1.as_secs_f64())]
    Timeout(TimeLimit, Duration),
    /// The response has a status other than 2xx.
    #[error("HTTP status {0}")]
    Status(u16),
    /// robots.txt disallows the page.
    #[error("{0}")]
    Robots(String),
    /// The redirect has no valid target, closes a loop, or is one too many.
    #[error("{0}")]
    Redirect(String),
    /// The page redirects to this URL, whose host another process fetches.
    #[error("redirects to {0}, which is of another partition")]
    OtherPartition(Box<Url>),
    /// The body is larger than the limit, as sent or decompressed.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// The body cannot be decompressed.
    #[error("{0}")]
    BadBody(String),
    /// A previous failure: of the archived fetch that is read again, of a backed-off host, or of
    /// the request for a robots.txt by an earlier run.
    #[error("{message}")]
    Repeated {
        /// The kind of the previous failure.
        kind: ErrorKind,
        /// The message of the previous failure, and its consequence.
        message: String,
    },
    /// No page can be fetched, because of the network or of this machine: the URL is not to blame.
    #[error("{0}")]
    Outage(String),
    /// A defect: of a library that reads the page, or of the machine.
    #[error("{0}")]
    Internal(String),
}

/// What a time limit applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLimit {
    /// The time until a connection is established, with the TLS handshake.
    Connection,
    /// The time between two reads of a response.
    Read,
    /// The time until a response is complete.
    Response,
}

impl TimeLimit {
    /// Returns what was missing at the end of the time, for messages.
    fn missing(self) -> &'static str {
        match self {
            TimeLimit::Connection => "connection",
            TimeLimit::Read => "data",
            TimeLimit::Response => "complete response",
        }
    }
}

impl FetchError {
    /// Returns the kind of the error record.
    pub fn kind(&self) -> ErrorKind {
        match self {
            FetchError::BadUrl(_) => ErrorKind::BadUrl,
            FetchError::Forbidden(_) => ErrorKind::ForbiddenAddress,
            FetchError::Dns(_) => ErrorKind::Dns,
            FetchError::Connect(_) => ErrorKind::Connect,
            FetchError::Tls(_) => ErrorKind::Tls,
            FetchError::Timeout(..) => ErrorKind::Timeout,
            FetchError::Status(_) => ErrorKind::HttpStatus,
            FetchError::Robots(_) => ErrorKind::Robots,
            FetchError::Redirect(_) | FetchError::OtherPartition(_) => ErrorKind::Redirect,
            FetchError::TooLarge(_) => ErrorKind::TooLarge,
            FetchError::BadBody(_) => ErrorKind::BadBody,
            FetchError::Repeated { kind, .. } => *kind,
            FetchError::Outage(_) => ErrorKind::Connect,
            FetchError::Internal(_) => ErrorKind::Internal,
        }
    }

    /// Returns `true` if the host failed, and not the page alone. After several such failures in a
    /// row the host is backed off.
    pub(crate) fn is_host_failure(&self) -> bool {
        match self {
            FetchError::Status(status) => is_transient_status(*status),
            failure => failure.may_be_outage(),
        }
    }

    /// Returns `true` if there was no complete response, so that an outage of the network may be
    /// the cause.
    pub(crate) fn may_be_outage(&self) -> bool {
        matches!(
            self,
            FetchError::Dns(_)
                | FetchError::Connect(_)
                | FetchError::Tls(_)
                | FetchError::Timeout(..)
        )
    }

    /// Returns this failure as the reason why a host is backed off; `consequence` is appended to
    /// its message.
    pub(crate) fn to_back_off_reason(&self, consequence: &str) -> FetchError {
        FetchError::Repeated {
            kind: self.kind(),
            message: format!("{self}; {consequence}"),
        }
    }
}

/// Why a body is incomplete: the reasons of the WARC 1.1 field `WARC-Truncated`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// The body exceeds the limit of length.
    Length,
    /// The body exceeds the limit of time.
    Time,
    /// The connection broke.
    Disconnect,
}

impl Truncation {
    /// Returns the reason for a failure in the middle of a body.
    pub(crate) fn from_failure(failure: &FetchError) -> Truncation {
        match failure {
            FetchError::TooLarge(_) => Truncation::Length,
            FetchError::Timeout(..) => Truncation::Time,
            _ => Truncation::Disconnect,
        }
    }
}

/// Returns `true` if a status says that the server is overloaded or temporarily unavailable.
pub(crate) fn is_transient_status(status: u16) -> bool {
    matches!(status, 429 | 502..=504)
}

/// Settings with which nothing can be fetched.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// There is no contact, and the page is on the open web: webmasters must be able to report
    /// problems to whoever fetches from them.
    #[error("fetching from the open web requires a contact, so that webmasters can reach you")]
    NoContact,
    /// The contact contains characters that are not allowed in a header.
    #[error("the contact {0:?} is not valid in a User-Agent header")]
    Contact(String),
    /// The host store cannot be used.
    #[error("{0}")]
    HostStore(String),
    /// The address for all connections is malformed or does not exist.
    #[error("{address:?} is not a HOST:PORT to connect to: {cause}")]
    ConnectTo {
        /// The address as given.
        address: String,
        /// The reason.
        cause: String,
    },
}
