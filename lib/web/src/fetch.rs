//! From a URL to a response: politely, within limits, to the end of its redirects.
//!
//! [`Fetcher`] is the synchronous face. Behind it: `hosts` keeps the delay for each host, `robots` asks for
//! permission, `transport` makes one exchange, `decode` undoes compression. The client and its event loop come to
//! life with the first page that is fetched, those for HTTPS with the first HTTPS page, so that a run that only passes
//! records on pays for neither.

mod decode;
mod failure;
mod hosts;
pub mod robots;
mod transport;

use crate::{FetchError, SetupError};
use hosts::Hosts;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use robots::Rules;
use std::collections::HashSet;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::OnceLock;
use std::time::Duration;
use tokio::runtime::Runtime;
use transport::{Exchange, Limit, Transport};
use url::Url;

/// Redirects that are followed for one page, as browsers do.
const MAX_REDIRECTS: usize = 20;
/// Threads of the event loop; the work on a page is done on the caller's.
const LOOP_THREADS: usize = 2;
/// Under which name robots.txt may speak of us.
pub const AGENT: &str = "forage";

/// How pages are fetched.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whom a webmaster may write to: an address of mail or of a page, told in the user agent.
    pub contact: Option<String>,
    /// Where all connections go, whatever the URL's host and port, which stay in the request.
    pub connect_to: Option<Vec<SocketAddr>>,
    /// Time between the end of a request to a host and the next one to it; requests to one host don't overlap. Zero
    /// lifts both rules.
    pub delay: Duration,
    /// Time for one request, from the connection to the last byte.
    pub timeout: Duration,
    /// Largest body, as sent and decompressed.
    pub max_bytes: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            contact: None,
            connect_to: None,
            delay: Duration::from_secs(1),
            timeout: Duration::from_secs(30),
            max_bytes: 16 << 20,
        }
    }
}

/// The addresses of `HOST:PORT`, for [`Settings::connect_to`].
///
/// # Errors
/// When it has another form, or the host has no address.
pub fn connect_to(place: &str) -> Result<Vec<SocketAddr>, SetupError> {
    let wrong = |cause: String| SetupError::ConnectTo { place: place.to_owned(), cause };
    let addresses: Vec<SocketAddr> = place.to_socket_addrs().map_err(|e| wrong(e.to_string()))?.collect();
    if addresses.is_empty() { Err(wrong("it has no address".into())) } else { Ok(addresses) }
}

/// A page as it came.
#[derive(Debug, Clone)]
pub struct Response {
    /// The final URL, after redirects, without its fragment.
    pub url: Url,
    /// The HTTP status, a success.
    pub status: u16,
    /// When the answer began, RFC 3339 in UTC, to the second.
    pub at: String,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// Directives of `X-Robots-Tag` headers that are meant for everyone or for us, in lower case.
    pub robots: Vec<String>,
    /// Whether the header `TDM-Reservation` reserves text and data mining.
    pub tdm_reservation: bool,
    /// The body, decompressed.
    pub body: Vec<u8>,
}

/// Fetches pages. May be shared by threads.
#[derive(Debug)]
pub struct Fetcher {
    settings: Settings,
    transport: Transport,
    hosts: Hosts,
    robots: robots::Cache,
    runtime: OnceLock<Result<Runtime, String>>,
}

impl Fetcher {
    /// A fetcher; nothing is opened yet.
    ///
    /// # Errors
    /// When the contact can't stand in a header.
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let transport = Transport::new(&settings)?;
        let (hosts, robots) = (Hosts::new(settings.delay), robots::Cache::default());
        Ok(Fetcher { settings, transport, hosts, robots, runtime: OnceLock::new() })
    }

    /// Fetches a page: asks robots.txt, waits for the host's turn, follows redirects (asking and waiting again for
    /// each), undoes compression. Blocks until done.
    ///
    /// # Errors
    /// Whatever kept the page away; an answer that is no success is an error too.
    pub fn fetch(&self, url: &str) -> Result<Response, FetchError> {
        let url = checked(Url::parse(url).map_err(|e| FetchError::BadUrl(e.to_string()))?)?;
        let runtime = self.runtime.get_or_init(|| start_loop().map_err(|e| e.to_string()));
        let runtime = runtime.as_ref().map_err(|e| FetchError::Internal(e.clone()))?;
        let (url, exchange) = runtime.block_on(self.follow(url))?;
        let body = decode::decompress(&codings(&exchange.headers), exchange.body, self.settings.max_bytes)?;
        Ok(Response {
            url,
            status: exchange.status.as_u16(),
            at: exchange.at,
            content_type: header(&exchange.headers, CONTENT_TYPE),
            robots: robots_tag(&exchange.headers),
            tdm_reservation: header(&exchange.headers, TDM_RESERVATION).as_deref() == Some("1"),
            body,
        })
    }

    /// One exchange after the other, until one is no redirect.
    async fn follow(&self, start: Url) -> Result<(Url, Exchange), FetchError> {
        let mut url = start;
        let mut seen = HashSet::new();
        while seen.len() <= MAX_REDIRECTS {
            if !seen.insert(url.clone()) {
                return Err(FetchError::Redirect(format!("redirects lead back to {url}")));
            }
            self.permit(&url).await?;
            let exchange = self.exchange(&url, Limit::Refuse(self.settings.max_bytes)).await?;
            if exchange.status.is_success() {
                return Ok((url, exchange));
            }
            if !exchange.status.is_redirection() || exchange.status.as_u16() == 304 {
                return Err(FetchError::Status(exchange.status.as_u16()));
            }
            url = target(&url, &exchange.headers)?;
        }
        Err(FetchError::Redirect(format!("more than {MAX_REDIRECTS} redirects")))
    }

    /// One request, when it is the host's turn.
    async fn exchange(&self, url: &Url, limit: Limit) -> Result<Exchange, FetchError> {
        let host = url.host_str().unwrap_or_default();
        self.hosts.turn(host, self.transport.get(url, limit)).await
    }

    /// Whether the host's robots.txt allows the page.
    async fn permit(&self, url: &Url) -> Result<(), FetchError> {
        let origin = url.origin().ascii_serialization();
        let rules = self.robots.rules(origin, || self.read_robots(url)).await;
        rules.permit(url)
    }

    /// What robots.txt says (RFC 9309): 4xx allows everything, 5xx and no answer forbid it. Up to five redirects are
    /// followed, to other hosts too; where there are more the file counts as missing.
    async fn read_robots(&self, page: &Url) -> Rules {
        let Ok(mut url) = page.join("/robots.txt") else { return Rules::Everything };
        let _ = (url.set_username(""), url.set_password(None));
        for _ in 0..=robots::MAX_REDIRECTS {
            let exchange = match self.exchange(&url, Limit::Cut(robots::MAX_BYTES)).await {
                Ok(exchange) => exchange,
                Err(e) => return Rules::Unreachable(e),
            };
            if exchange.status.is_success() {
                let body = decode::decompress(&codings(&exchange.headers), exchange.body, robots::MAX_BYTES);
                return Rules::read(body);
            }
            if !exchange.status.is_redirection() {
                return Rules::of_status(exchange.status.as_u16());
            }
            match target(&url, &exchange.headers) {
                Ok(next) => url = next,
                Err(_) => return Rules::Everything,
            }
        }
        Rules::Everything
    }
}

fn start_loop() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(LOOP_THREADS).thread_name("fetch").enable_all().build()
}

/// A URL that can be fetched, without its fragment.
fn checked(mut url: Url) -> Result<Url, FetchError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::BadUrl(format!("{}: only http and https are fetched", url.scheme())));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Where a redirect leads.
fn target(from: &Url, headers: &HeaderMap) -> Result<Url, FetchError> {
    let wrong = |cause: String| FetchError::Redirect(cause);
    let location = headers.get(LOCATION).ok_or_else(|| wrong("a redirect without a target".into()))?;
    let location = String::from_utf8_lossy(location.as_bytes());
    let next = from.join(&location).map_err(|e| wrong(format!("a redirect to {location:?}: {e}")))?;
    checked(next).map_err(|e| wrong(format!("a redirect to {location:?}: {e}")))
}

/// Header of the TDM Reservation Protocol (W3C Community Group report, 2024).
const TDM_RESERVATION: HeaderName = HeaderName::from_static("tdm-reservation");

fn header(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

/// The content codings in the order in which they were applied.
fn codings(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(CONTENT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|coding| coding.trim().to_ascii_lowercase()).collect()
}

/// The directives of `X-Robots-Tag`, without those that name another robot.
fn robots_tag(headers: &HeaderMap) -> Vec<String> {
    let mut found = Vec::new();
    for value in headers.get_all("x-robots-tag").iter().filter_map(|value| value.to_str().ok()) {
        let value = value.to_ascii_lowercase();
        let directives = match value.split_once(':') {
            Some((agent, rest)) if agent.trim() == AGENT => rest,
            // These directives have a value of their own; any other word before a colon is a robot's name.
            Some((word, _)) if !has_value(word) => continue,
            _ => &value,
        };
        found.extend(directives.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned));
    }
    found
}

fn has_value(word: &str) -> bool {
    let last = word.rsplit(',').next().unwrap_or_default().trim();
    matches!(last, "unavailable_after" | "max-snippet" | "max-image-preview" | "max-video-preview")
}

#[cfg(test)]
mod tests {
    use super::{Fetcher, Settings, checked, robots_tag, target};
    use crate::FetchError;
    use reqwest::header::{HeaderMap, HeaderValue};
    use url::Url;

    #[test]
    fn only_absolute_http_urls_are_fetched() {
        let fetcher = Fetcher::new(Settings::default()).unwrap();
        for url in ["", "a.test/x", "ftp://a.test/", "file:///etc/passwd", "http://", "javascript:1", "http://[::1"] {
            assert!(matches!(fetcher.fetch(url), Err(FetchError::BadUrl(_))), "{url}");
        }
    }

    #[test]
    fn a_redirect_is_resolved_and_must_stay_on_the_web() {
        let from = Url::parse("http://a.test/x/y").unwrap();
        let to = |location: &'static str| {
            let headers = HeaderMap::from_iter([(super::LOCATION, HeaderValue::from_static(location))]);
            target(&from, &headers)
        };
        assert_eq!(to("../z#f").unwrap().as_str(), "http://a.test/z");
        assert_eq!(to("//b.test").unwrap().as_str(), "http://b.test/");
        assert!(matches!(to("file:///etc/passwd"), Err(FetchError::Redirect(_))));
        assert!(matches!(target(&from, &HeaderMap::new()), Err(FetchError::Redirect(_))));
    }

    #[test]
    fn directives_for_other_robots_are_passed_over() {
        let mut headers = HeaderMap::new();
        for value in ["noindex, NoAI", "otherbot: nofollow", "forage: noarchive", "unavailable_after: 1 Jan 2030"] {
            headers.append("x-robots-tag", HeaderValue::from_static(value));
        }
        assert_eq!(robots_tag(&headers), ["noindex", "noai", "noarchive", "unavailable_after: 1 jan 2030"]);
    }

    #[test]
    fn a_contact_that_breaks_the_header_is_refused() {
        let settings = Settings { contact: Some("a\r\nb".into()), ..Settings::default() };
        assert!(Fetcher::new(settings).is_err());
        assert!(checked(Url::parse("https://a.test/#x").unwrap()).unwrap().fragment().is_none());
    }
}
