//! The rules of a host's robots.txt, by the outcome of fetching it (RFC 9309, section 2.3.1).
//!
//! This module interprets missing and failing files and decides how long a result is fresh. The
//! file itself is parsed by [`forage_web::robots`].

use crate::FetchError;
use crate::origin_cache::Cacheable;
use forage_web::robots::{PRODUCT_TOKEN, RobotsTxt};
use std::sync::Arc;
use std::time::Duration;
use url::{Position, Url};

/// Bytes of a robots.txt that are read (RFC 9309, section 2.5).
pub(crate) const MAX_BYTES: u64 = 500 << 10;
/// Redirects that are followed from a robots.txt (RFC 9309, section 2.3.1.2).
pub(crate) const MAX_REDIRECTS: usize = 5;
/// Maximum age of a robots.txt (RFC 9309, section 2.4).
pub(crate) const MAX_AGE: Duration = Duration::from_hours(24);
/// Maximum age of a failure to fetch a robots.txt: shorter, so that a host that recovers is not
/// lost for a day. Set by judgement, not measured.
pub(crate) const FAILURE_MAX_AGE: Duration = Duration::from_mins(30);

/// The rules of a host for this robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RobotsRules {
    /// Everything is allowed: there is no robots.txt.
    AllowAll,
    /// The rules of the file.
    File(Arc<RobotsTxt>),
    /// Everything is disallowed: the host responded with a server error or "too many requests".
    DisallowAll {
        /// The HTTP status.
        status: u16,
        /// The maximum age of this result.
        max_age: Duration,
    },
    /// Everything is disallowed: the file could not be fetched.
    Unreachable(FetchError),
}

impl RobotsRules {
    /// Parses the rules of a file.
    pub fn from_file(file: &[u8]) -> RobotsRules {
        RobotsRules::File(Arc::new(RobotsTxt::parse(file, PRODUCT_TOKEN)))
    }

    /// Returns the rules for a response other than 2xx; `retry_after` is its `Retry-After`. Status
    /// 429 disallows everything, as it does not say that there is no file.
    pub fn from_status(status: u16, retry_after: Option<Duration>) -> RobotsRules {
        match status {
            429 | 500.. => RobotsRules::DisallowAll {
                status,
                max_age: retry_after.unwrap_or(FAILURE_MAX_AGE).min(MAX_AGE),
            },
            _ => RobotsRules::AllowAll,
        }
    }

    /// Checks that a page may be fetched.
    ///
    /// # Errors
    /// Fails with [`FetchError::Robots`] if it may not, and with the failure of the host if that
    /// was unreachable.
    pub fn check_url(&self, url: &Url) -> Result<(), FetchError> {
        match self {
            RobotsRules::AllowAll => Ok(()),
            RobotsRules::File(robots)
                if robots.allows(&url[Position::BeforePath..Position::AfterQuery]) =>
            {
                Ok(())
            }
            RobotsRules::File(_) => Err(FetchError::Robots("robots.txt disallows the page".into())),
            RobotsRules::DisallowAll { status, .. } => Err(FetchError::Robots(format!(
                "robots.txt is unavailable: HTTP status {status}"
            ))),
            RobotsRules::Unreachable(
                e @ (FetchError::Redirect(_) | FetchError::BadBody(_) | FetchError::TooLarge(_)),
            ) => Err(FetchError::Robots(format!(
                "robots.txt could not be read: {e}"
            ))),
            RobotsRules::Unreachable(e) => Err(e.clone()),
        }
    }

    /// Returns the `Crawl-delay` of the file: the requested time between two requests.
    pub fn crawl_delay(&self) -> Option<Duration> {
        if let RobotsRules::File(robots) = self {
            robots.crawl_delay()
        } else {
            None
        }
    }
}

impl Cacheable for RobotsRules {
    fn heap_bytes(&self) -> usize {
        if let RobotsRules::File(robots) = self {
            robots.heap_bytes()
        } else {
            0
        }
    }

    fn max_age(&self) -> Duration {
        match self {
            RobotsRules::AllowAll | RobotsRules::File(_) => MAX_AGE,
            RobotsRules::DisallowAll { max_age, .. } => *max_age,
            RobotsRules::Unreachable(_) => FAILURE_MAX_AGE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FAILURE_MAX_AGE, MAX_AGE, RobotsRules};
    use crate::FetchError;
    use crate::origin_cache::Cacheable;
    use std::time::Duration;
    use url::Url;

    #[test]
    fn a_missing_file_allows_all_and_a_server_error_disallows_all() {
        let url = Url::parse("http://a.test/").unwrap();
        assert_eq!(RobotsRules::from_status(404, None).check_url(&url), Ok(()));
        for status in [429, 500, 503] {
            assert!(
                matches!(
                    RobotsRules::from_status(status, None).check_url(&url),
                    Err(FetchError::Robots(_))
                ),
                "{status}"
            );
        }
        let max_age = |retry_after| RobotsRules::from_status(429, retry_after).max_age();
        assert_eq!(
            (max_age(None), max_age(Some(Duration::from_secs(7)))),
            (FAILURE_MAX_AGE, Duration::from_secs(7))
        );
        assert_eq!(max_age(Some(Duration::MAX)), MAX_AGE);
        let dns = FetchError::Dns("x".into());
        assert_eq!(
            RobotsRules::Unreachable(dns.clone()).check_url(&url),
            Err(dns)
        );
    }

    #[test]
    fn compares_the_path_as_sent() {
        let rules =
            RobotsRules::from_file("User-agent: forage\nDisallow: /ž?q\nCrawl-delay: 3".as_bytes());
        let check_url = |url: &str| rules.check_url(&Url::parse(url).unwrap());
        assert!(check_url("http://a.test/ž?q=1#x").is_err());
        assert!(check_url("http://a.test/ž").is_ok());
        assert_eq!(rules.crawl_delay(), Some(Duration::from_secs(3)));
    }
}
