//! What can go wrong with one page, and the kind under which a record tells of it.

use forage_record::ErrorKind;
use std::time::Duration;

/// Why a page has no document. Cheap to copy: a host's failure is remembered and told again.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// Not an absolute HTTP or HTTPS URL.
    #[error("{0}")]
    BadUrl(String),
    /// An address that is not of the open web, or one that is, without a contact.
    #[error("{0}")]
    Forbidden(String),
    /// The host's name has no address.
    #[error("no address for the host: {0}")]
    Dns(String),
    /// No connection, or it broke.
    #[error("{0}")]
    Connect(String),
    /// No agreement on a secure connection.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// The time limit was reached.
    #[error("no complete answer within {} s", .0.as_secs_f64())]
    Timeout(Duration),
    /// An answer that is no success.
    #[error("HTTP status {0}")]
    Status(u16),
    /// robots.txt forbids it.
    #[error("{0}")]
    Robots(String),
    /// A redirect that leads nowhere, back, or too far.
    #[error("{0}")]
    Redirect(String),
    /// The body is larger than the limit, as sent or decompressed.
    #[error("larger than {0} bytes")]
    TooLarge(u64),
    /// The body can't be decompressed.
    #[error("{0}")]
    BadBody(String),
    /// An earlier failure, told again: the answer broke off when it was fetched, as its archive
    /// tells, or the host is not asked for a while, as it failed, or asks for it.
    #[error("{message}")]
    Repeated {
        /// The kind of what failed.
        kind: ErrorKind,
        /// The message of what failed, and what was concluded.
        message: String,
    },
    /// A defect: of a library that reads the page, or of the machine's.
    #[error("{0}")]
    Internal(String),
}

impl FetchError {
    /// The kind of the error record.
    pub fn kind(&self) -> ErrorKind {
        match self {
            FetchError::BadUrl(_) => ErrorKind::BadUrl,
            FetchError::Forbidden(_) => ErrorKind::Forbidden,
            FetchError::Dns(_) => ErrorKind::Dns,
            FetchError::Connect(_) => ErrorKind::Connect,
            FetchError::Tls(_) => ErrorKind::Tls,
            FetchError::Timeout(_) => ErrorKind::Timeout,
            FetchError::Status(_) => ErrorKind::HttpStatus,
            FetchError::Robots(_) => ErrorKind::Robots,
            FetchError::Redirect(_) => ErrorKind::Redirect,
            FetchError::TooLarge(_) => ErrorKind::TooLarge,
            FetchError::BadBody(_) => ErrorKind::BadBody,
            FetchError::Repeated { kind, .. } => *kind,
            FetchError::Internal(_) => ErrorKind::Internal,
        }
    }

    /// Whether the host failed, and not the page: where that goes on, the host is given up.
    pub(crate) fn is_of_host(&self) -> bool {
        match self {
            FetchError::Dns(_)
            | FetchError::Connect(_)
            | FetchError::Tls(_)
            | FetchError::Timeout(_) => true,
            FetchError::Status(status) => is_passing(*status),
            _ => false,
        }
    }

    /// The same, as the reason why a host is not asked for a while.
    pub(crate) fn backed_off(&self, conclusion: &str) -> FetchError {
        FetchError::Repeated {
            kind: self.kind(),
            message: format!("{self}; {conclusion}"),
        }
    }
}

/// Why a body has more than was read; the reasons of archives (WARC 1.1 §5.13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// It was longer than is read.
    Length,
    /// It took too long.
    Time,
    /// The connection broke.
    Disconnect,
}

impl Truncation {
    /// The reason that a failure in the middle of a body stands for.
    pub(crate) fn from_failure(failure: &FetchError) -> Truncation {
        match failure {
            FetchError::TooLarge(_) => Truncation::Length,
            FetchError::Timeout(_) => Truncation::Time,
            _ => Truncation::Disconnect,
        }
    }
}

/// Whether a status says that the server has too much to do, or is away for a while.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 429 | 502..=504)
}

/// Settings with which nothing can be fetched.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Webmasters must be able to tell whoever fetches from them what goes wrong.
    #[error("a contact is needed to fetch from the open web, so that webmasters can reach you")]
    NoContact,
    /// The contact can't stand in a header.
    #[error("the contact {0:?} can't stand in a user agent")]
    Contact(String),
    /// The file of hosts can't be used.
    #[error("{0}")]
    HostStore(String),
    /// The address that all connections go to is none.
    #[error("{place:?} is no HOST:PORT to connect to: {cause}")]
    ConnectTo {
        /// As it was given.
        place: String,
        /// What is wrong with it.
        cause: String,
    },
}
