//! What a host's robots.txt comes to when it is fetched (RFC 9309 §2.3.1).
//!
//! Here is what the file means when it can't be read, and how long an answer holds; what stands in
//! it is for [`forage_robots`].

use crate::FetchError;
use crate::cache::Held;
use forage_robots::{PRODUCT_TOKEN, RobotsTxt};
use std::sync::Arc;
use std::time::Duration;
use url::{Position, Url};

/// Bytes of the file that are read (RFC 9309 §2.5).
pub(crate) const MAX_BYTES: u64 = 500 << 10;
/// Redirects that are followed (RFC 9309 §2.3.1.2).
pub(crate) const MAX_REDIRECTS: usize = 5;
/// For how long an answer holds (RFC 9309 §2.4).
pub(crate) const FRESH: Duration = Duration::from_hours(24);
/// For how long a failure does: a host that comes back should not be lost for a day.
pub(crate) const FAILURE_FRESH: Duration = Duration::from_mins(30);

/// What a host's robots.txt comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Rules {
    /// No restrictions: there is no file.
    Everything,
    /// What the file says to us.
    Read(Arc<RobotsTxt>),
    /// Nothing may be fetched, for the host does not tell: it has an error, or too much to do.
    Nothing {
        /// The HTTP status.
        status: u16,
        /// For how long that holds.
        holds: Duration,
    },
    /// Nothing can be fetched.
    Unreachable(FetchError),
}

impl Rules {
    /// The rules of a file.
    pub fn from_file(file: &[u8]) -> Rules {
        Rules::Read(Arc::new(RobotsTxt::parse(file, PRODUCT_TOKEN)))
    }

    /// The rules where the file was not given, and may be asked for again after this time. A host
    /// that answers 429 does not say that there is none.
    pub fn from_status(status: u16, again: Option<Duration>) -> Rules {
        match status {
            429 | 500.. => Rules::Nothing {
                status,
                holds: again.unwrap_or(FAILURE_FRESH).min(FRESH),
            },
            _ => Rules::Everything,
        }
    }

    /// Whether a page may be fetched.
    ///
    /// # Errors
    /// Of kind `robots` where it may not; where the host could not be reached, what kept it away.
    pub fn permit(&self, url: &Url) -> Result<(), FetchError> {
        match self {
            Rules::Everything => Ok(()),
            Rules::Read(robots)
                if robots.allows(&url[Position::BeforePath..Position::AfterQuery]) =>
            {
                Ok(())
            }
            Rules::Read(_) => Err(FetchError::Robots("robots.txt forbids it".into())),
            Rules::Nothing { status, .. } => Err(FetchError::Robots(format!(
                "robots.txt was answered with HTTP status {status}"
            ))),
            Rules::Unreachable(
                e @ (FetchError::Redirect(_) | FetchError::BadBody(_) | FetchError::TooLarge(_)),
            ) => Err(FetchError::Robots(format!(
                "robots.txt could not be read: {e}"
            ))),
            Rules::Unreachable(e) => Err(e.clone()),
        }
    }

    /// The pause between two requests that the host asks for.
    pub fn crawl_delay(&self) -> Option<Duration> {
        if let Rules::Read(robots) = self {
            robots.crawl_delay()
        } else {
            None
        }
    }
}

impl Held for Rules {
    fn bytes(&self) -> usize {
        if let Rules::Read(robots) = self {
            robots.bytes()
        } else {
            0
        }
    }

    fn holds_for(&self) -> Duration {
        match self {
            Rules::Everything | Rules::Read(_) => FRESH,
            Rules::Nothing { holds, .. } => *holds,
            Rules::Unreachable(_) => FAILURE_FRESH,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FAILURE_FRESH, FRESH, Rules};
    use crate::FetchError;
    use crate::cache::Held;
    use std::time::Duration;
    use url::Url;

    #[test]
    fn a_missing_file_allows_and_a_failing_host_forbids() {
        let url = Url::parse("http://a.test/").unwrap();
        assert_eq!(Rules::from_status(404, None).permit(&url), Ok(()));
        for status in [429, 500, 503] {
            assert!(
                matches!(
                    Rules::from_status(status, None).permit(&url),
                    Err(FetchError::Robots(_))
                ),
                "{status}"
            );
        }
        let again = |after| Rules::from_status(429, after).holds_for();
        assert_eq!(
            (again(None), again(Some(Duration::from_secs(7)))),
            (FAILURE_FRESH, Duration::from_secs(7))
        );
        assert_eq!(again(Some(Duration::MAX)), FRESH);
        let dns = FetchError::Dns("x".into());
        assert_eq!(Rules::Unreachable(dns.clone()).permit(&url), Err(dns));
    }

    #[test]
    fn the_path_is_compared_as_it_is_sent() {
        let rules =
            Rules::from_file("User-agent: forage\nDisallow: /ž?q\nCrawl-delay: 3".as_bytes());
        let permit = |url: &str| rules.permit(&Url::parse(url).unwrap());
        assert!(permit("http://a.test/ž?q=1#x").is_err());
        assert!(permit("http://a.test/ž").is_ok());
        assert_eq!(rules.crawl_delay(), Some(Duration::from_secs(3)));
    }
}
