//! One exchange over HTTP: a request, and its answer within limits of time and size.
//!
//! There are two clients, each made when it is first needed: reading the system's certificates takes milliseconds
//! that plain HTTP need not pay. With `connect_to`, URLs get that port and all names resolve to that address, while
//! the `Host` header and the name in TLS stay those of the page.

use super::decode::ACCEPTED;
use super::failure::explain;
use super::{AGENT, Settings};
use crate::{FetchError, SetupError};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HOST, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, RequestBuilder, StatusCode};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use url::{Host, Url};

/// Time for a connection; the time limit of the whole request may be shorter.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle connections are closed after this, as thousands of hosts are visited once.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Media types that are read, so that a server that has several forms of a page may choose.
const MEDIA: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1";

/// What happens to a body that is larger than so many bytes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Limit {
    /// It is an error.
    Refuse(u64),
    /// What goes beyond is not read.
    Cut(u64),
}

/// An answer. The body is as it was sent, and read only where the status is a success.
#[derive(Debug)]
pub(super) struct Exchange {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
    /// When the answer began.
    pub at: String,
}

#[derive(Debug)]
pub(super) struct Transport {
    user_agent: HeaderValue,
    connect_to: Option<Vec<SocketAddr>>,
    timeout: Duration,
    plain: OnceLock<Result<Client, FetchError>>,
    secure: OnceLock<Result<Client, FetchError>>,
}

impl Transport {
    pub fn new(settings: &Settings) -> Result<Self, SetupError> {
        Ok(Transport {
            user_agent: user_agent(settings.contact.as_deref())?,
            connect_to: settings.connect_to.clone(),
            timeout: settings.timeout,
            plain: OnceLock::new(),
            secure: OnceLock::new(),
        })
    }

    /// Requests `url` and reads the answer, all within the time limit.
    pub async fn get(&self, url: &Url, limit: Limit) -> Result<Exchange, FetchError> {
        let request = self.request(url)?;
        match tokio::time::timeout(self.timeout, self.exchange(request, limit)).await {
            Ok(result) => result,
            Err(_) => Err(FetchError::Timeout(self.timeout)),
        }
    }

    async fn exchange(&self, request: RequestBuilder, limit: Limit) -> Result<Exchange, FetchError> {
        let explain = |e: reqwest::Error| explain(&e, self.timeout);
        let mut answer = request.send().await.map_err(explain)?;
        let (status, headers, at) = (answer.status(), std::mem::take(answer.headers_mut()), now());
        let mut body = Vec::new();
        if status.is_success() {
            let (Limit::Refuse(most) | Limit::Cut(most)) = limit;
            while let Some(chunk) = answer.chunk().await.map_err(explain)? {
                let room = usize::try_from(most).unwrap_or(usize::MAX) - body.len();
                body.extend_from_slice(&chunk[..chunk.len().min(room)]);
                if chunk.len() > room {
                    match limit {
                        Limit::Refuse(most) => return Err(FetchError::TooLarge(most)),
                        Limit::Cut(_) => break,
                    }
                }
            }
        }
        Ok(Exchange { status, headers, body, at })
    }

    fn request(&self, url: &Url) -> Result<RequestBuilder, FetchError> {
        let client = self.client(url)?;
        let Some(address) = self.connect_to.as_ref().and_then(|addresses| addresses.first()) else {
            return Ok(client.get(url.clone()));
        };
        let (target, host) = redirected(url, *address);
        let host = HeaderValue::from_str(&host).map_err(|e| FetchError::BadUrl(e.to_string()))?;
        Ok(client.get(target).header(HOST, host))
    }

    fn client(&self, url: &Url) -> Result<&Client, FetchError> {
        let client = if url.scheme() == "https" {
            self.secure.get_or_init(|| self.build(self.builder()))
        } else {
            // No certificate is trusted by this one, since none is needed.
            self.plain.get_or_init(|| self.build(self.builder().tls_certs_only([])))
        };
        client.as_ref().map_err(Clone::clone)
    }

    fn builder(&self) -> ClientBuilder {
        let headers = HeaderMap::from_iter([
            (ACCEPT, HeaderValue::from_static(MEDIA)),
            (ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED)),
        ]);
        let builder = Client::builder()
            .user_agent(self.user_agent.clone())
            .default_headers(headers)
            .redirect(Policy::none())
            .connect_timeout(CONNECT_TIMEOUT.min(self.timeout))
            .pool_idle_timeout(IDLE_TIMEOUT)
            .no_proxy();
        match &self.connect_to {
            // HTTP/2 has no Host header of its own.
            Some(addresses) => builder.http1_only().dns_resolver(Arc::new(Fixed(addresses.clone()))),
            None => builder,
        }
    }

    fn build(&self, builder: ClientBuilder) -> Result<Client, FetchError> {
        // It fails where another one was installed, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        builder.build().map_err(|e| match explain(&e, self.timeout) {
            FetchError::BadUrl(cause) => FetchError::Tls(cause),
            other => other,
        })
    }
}

/// The URL with which the client goes to `address`, and the `Host` header of the one that was meant.
fn redirected(url: &Url, address: SocketAddr) -> (Url, String) {
    let name = url.host_str().unwrap_or_default();
    let host = url.port().map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
    let mut target = url.clone();
    if matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_))) {
        let _ = target.set_ip_host(address.ip());
    }
    let _ = target.set_port(Some(address.port()));
    (target, host)
}

/// Resolves every name to the same addresses.
struct Fixed(Vec<SocketAddr>);

impl Resolve for Fixed {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

/// `forage/0.1.0 (+mailto:somebody@example.org)`.
fn user_agent(contact: Option<&str>) -> Result<HeaderValue, SetupError> {
    let version = env!("CARGO_PKG_VERSION");
    let agent = match contact.map(str::trim).filter(|contact| !contact.is_empty()) {
        None => format!("{AGENT}/{version}"),
        Some(contact) if contact.contains('@') && !contact.contains(':') => {
            format!("{AGENT}/{version} (+mailto:{contact})")
        }
        Some(contact) => format!("{AGENT}/{version} (+{contact})"),
    };
    HeaderValue::from_str(&agent).map_err(|_| SetupError::Contact(contact.unwrap_or_default().to_owned()))
}

/// The time, RFC 3339 in UTC, to the second.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let time = i64::try_from(seconds).ok().and_then(|seconds| chrono::DateTime::from_timestamp(seconds, 0));
    time.unwrap_or_default().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::{Transport, now, redirected, user_agent};
    use crate::Settings;
    use url::Url;

    #[test]
    fn both_clients_can_be_made() {
        let transport = Transport::new(&Settings::default()).unwrap();
        assert!(transport.client(&Url::parse("http://a.test/").unwrap()).is_ok());
        // Without certificates on the machine there is no HTTPS, but an error, not a panic.
        let _ = transport.client(&Url::parse("https://a.test/").unwrap());
    }

    #[test]
    fn the_user_agent_names_the_contact() {
        let shown = |contact| user_agent(contact).unwrap().to_str().unwrap().to_owned();
        assert!(shown(None).starts_with("forage/") && !shown(None).contains('('));
        assert!(shown(Some("a@b.test")).ends_with(" (+mailto:a@b.test)"));
        assert!(shown(Some("https://b.test/bot")).ends_with(" (+https://b.test/bot)"));
    }

    #[test]
    fn only_port_and_address_are_redirected() {
        let to = "127.0.0.1:8080".parse().unwrap();
        let shown = |url: &str| {
            let (target, host) = redirected(&Url::parse(url).unwrap(), to);
            (target.to_string(), host)
        };
        assert_eq!(shown("http://a.test/x?y"), ("http://a.test:8080/x?y".into(), "a.test".into()));
        assert_eq!(shown("https://a.test:81/"), ("https://a.test:8080/".into(), "a.test:81".into()));
        assert_eq!(shown("http://[::1]:99/"), ("http://127.0.0.1:8080/".into(), "[::1]:99".into()));
    }

    #[test]
    fn times_are_rfc_3339_in_utc() {
        let now = now();
        assert!(now.len() == 20 && now.ends_with('Z') && now.starts_with("20"), "{now}");
    }
}
