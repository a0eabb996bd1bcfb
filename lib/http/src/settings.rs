//! Settings of the fetcher.

use crate::SetupError;
use crate::address::AddressPolicy;
use crate::exchange::Exchange;
use crate::host_store::HostStore;
use forage_web::page_url::Partition;
use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;
use url::Url;

// Set by judgement, not measured.
/// Longest time until a connection is established; the time limit of the request may be shorter.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest time between two reads of a response; the time limit of the request may be shorter.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(15);

/// Pages of earlier archives, which are requested conditionally.
///
/// This is all that fetching knows of archives; `forage-warc` implements it.
pub trait ArchivedPages: fmt::Debug + Send + Sync {
    /// Returns the latest archived exchange of a URL with status 200 and a complete body, if there
    /// is one.
    fn find_page(&self, url: &Url) -> Option<Exchange>;
}

/// A function that gets messages about outages of the network.
#[derive(Clone)]
pub struct OutageReporter(pub Arc<dyn Fn(&str) + Send + Sync>);

impl fmt::Debug for OutageReporter {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("OutageReporter")
    }
}

/// A function that returns the URL that a page redirects to in its head. It gets the URL of the
/// page, its `Content-Type` and the beginning of its body.
///
/// This is all that fetching knows of the content of pages.
pub type RefreshFinder = fn(&Url, Option<&str>, &[u8]) -> Option<Url>;

/// Settings of the fetcher.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The mail address or page of whoever runs the fetcher, sent in the user agent so that
    /// webmasters can respond. Without it the open web is not fetched from.
    pub contact: Option<String>,
    /// The addresses that all connections go to, whatever the host and port of the URL, which are
    /// still sent in the request.
    pub connect_to: Option<Vec<SocketAddr>>,
    /// True if private addresses may be connected to: this machine, its network.
    pub allow_private: bool,
    /// The time between the end of a request to a host and the next one to it. Zero also turns off
    /// `Crawl-delay`, but not `Retry-After` and the delays of retries; requests to one host never
    /// overlap.
    pub delay: Duration,
    /// The time limit of one request, from the connection to the last byte.
    pub timeout: Duration,
    /// Retries of a request after a transient failure.
    pub retries: u32,
    /// Maximum size of a body in bytes, as sent and decompressed.
    pub max_bytes: u64,
    /// Maximum number of concurrent connections.
    pub connections: usize,
    /// Threads that process fetched pages.
    pub worker_threads: usize,
    /// Pages of earlier archives, requested conditionally.
    pub archived_pages: Option<Arc<dyn ArchivedPages>>,
    /// The state of hosts that earlier runs have saved.
    pub host_store: Option<Arc<HostStore>>,
    /// The longest outage of the network that requests wait for; then they fail with
    /// [`FetchError::Outage`](crate::FetchError::Outage). Without it, an outage is not told from
    /// hosts that are down.
    pub patience: Option<Duration>,
    /// Called when an outage begins or ends.
    pub outage_reporter: Option<OutageReporter>,
    /// Finds redirects in the heads of pages; without it, only header fields redirect.
    pub refresh_finder: Option<RefreshFinder>,
    /// The partition of which hosts are asked for pages; redirects to others are not followed.
    pub partition: Option<Partition>,
    /// True if the `/.well-known/tdmrep.json` of each host is fetched, which costs a request per
    /// host.
    pub fetch_tdm_files: bool,
}

impl Settings {
    /// Returns the addresses that may be connected to. It does not apply to those of `connect_to`,
    /// which the user has chosen.
    pub(crate) fn address_policy(&self) -> AddressPolicy {
        AddressPolicy {
            allows_private: self.allow_private,
            allows_public: self.contact.is_some() || self.connect_to.is_some(),
        }
    }

    /// Returns `true` if no page can be fetched: there is no contact, and no addresses are allowed
    /// that need none.
    pub(crate) fn allows_nothing(&self) -> bool {
        self.contact.is_none() && self.connect_to.is_none() && !self.allow_private
    }
}

/// Resolves `HOST:PORT` to addresses for [`Settings::connect_to`].
///
/// # Errors
/// Fails if the form is another, or the host has no address.
pub fn resolve_connect_to(address: &str) -> Result<Vec<SocketAddr>, SetupError> {
    let error = |cause: String| SetupError::ConnectTo {
        address: address.to_owned(),
        cause,
    };
    let addresses: Vec<SocketAddr> = address
        .to_socket_addrs()
        .map_err(|e| error(e.to_string()))?
        .collect();
    if addresses.is_empty() {
        Err(error("it has no address".into()))
    } else {
        Ok(addresses)
    }
}

/// Settings for tests. A program sets each of them by an option.
#[cfg(test)]
impl Default for Settings {
    fn default() -> Self {
        Settings {
            contact: None,
            connect_to: None,
            allow_private: false,
            delay: Duration::from_secs(1),
            timeout: Duration::from_secs(30),
            retries: 2,
            max_bytes: 16 << 20,
            connections: 1024,
            worker_threads: 1,
            archived_pages: None,
            host_store: None,
            patience: None,
            outage_reporter: None,
            refresh_finder: None,
            partition: None,
            fetch_tdm_files: false,
        }
    }
}
