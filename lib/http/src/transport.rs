//! The transport: makes one HTTP exchange within limits of time and size.
//!
//! There is one client for HTTP and one for HTTPS, each built when it is first used: reading the
//! system's certificates takes milliseconds that plain HTTP need not spend. With `connect_to`, URLs
//! get that port and all names resolve to that address; the `Host` header field and the name in TLS
//! remain those of the page.

use crate::address::AddressPolicy;
use crate::content_coding;
use crate::error::Truncation;
use crate::exchange::Exchange;
use crate::memory_budget::MemoryBudget;
use crate::request_error::{classify_error, is_early_end};
use crate::resolver::{FixedResolver, Resolver};
use crate::settings::{CONNECT_TIMEOUT, READ_TIMEOUT, Settings};
use crate::{FetchError, SetupError, TimeLimit};
use forage_record::time::now_rfc3339;
use forage_web::robots::PRODUCT_TOKEN;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, HOST, HeaderMap, HeaderValue, TRANSFER_ENCODING, USER_AGENT,
};
use reqwest::redirect::Policy as RedirectPolicy;
use reqwest::{Client, ClientBuilder, Response};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};
use url::{Host, Url};

// The times and sizes below are set by judgement, not measured.

/// Longest time until the response to a probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time after which the rate of a body is checked, against servers that send it very slowly to hold
/// the connection.
const RATE_CHECK_AFTER: Duration = Duration::from_secs(10);
/// Minimum average rate of a body.
const MIN_BYTES_PER_SECOND: u64 = 512;
/// Time after which an idle connection is closed: short, as most hosts are requested once among
/// thousands.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// The value of `Accept`: the media types that can be read, for servers that have a page in several
/// formats.
const MEDIA_TYPES: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1";
/// Bytes that are read of the body of a response other than 2xx. It is not used, but the connection
/// can be reused only after a complete response.
const ERROR_BODY_BYTES: u64 = 64 << 10;
/// Time for reading the body of a response other than 2xx.
const ERROR_BODY_TIME: Duration = Duration::from_secs(2);
/// Maximum number of header fields of a response.
const MAX_HEADER_FIELDS: usize = 1000;

/// The limit of a body in bytes, and the consequence of exceeding it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BodyLimit {
    /// A larger body is an error.
    Reject(u64),
    /// The rest of a larger body is not read.
    Truncate(u64),
}

/// The HTTP clients with their settings.
#[derive(Debug)]
pub(crate) struct Transport {
    /// The header fields of every request.
    headers: HeaderMap,
    connect_to: Option<Vec<SocketAddr>>,
    timeout: Duration,
    policy: AddressPolicy,
    budget: MemoryBudget,
    resolver: Resolver,
    /// Maximum number of idle connections to a host.
    max_idle: usize,
    /// The clients for HTTP and for HTTPS.
    clients: [OnceLock<Result<Client, FetchError>>; 2],
}

impl Transport {
    /// Returns a transport. With `keeps_idle_connections`, a connection stays open for a while
    /// after its request.
    pub fn new(settings: &Settings, keeps_idle_connections: bool) -> Result<Self, SetupError> {
        let headers = HeaderMap::from_iter([
            (USER_AGENT, user_agent(settings.contact.as_deref())?),
            (ACCEPT, HeaderValue::from_static(MEDIA_TYPES)),
            (
                ACCEPT_ENCODING,
                HeaderValue::from_static(content_coding::ACCEPT_ENCODING),
            ),
        ]);
        Ok(Transport {
            headers,
            connect_to: settings.connect_to.clone(),
            timeout: settings.timeout,
            policy: settings.address_policy(),
            budget: MemoryBudget::new(settings.max_bytes),
            resolver: Resolver::new(settings.address_policy()),
            max_idle: usize::from(keeps_idle_connections),
            clients: Default::default(),
        })
    }

    /// Checks that the host of a URL may be connected to, as far as this is possible without
    /// resolving its name; the resolver checks its addresses.
    pub fn check_host(&self, url: &Url) -> Result<(), FetchError> {
        self.policy.check_host(url)
    }

    /// Requests `url` with additional header fields and reads the response, within the time limit.
    /// An incomplete response is returned as far as it was received, with its failure.
    ///
    /// # Errors
    /// Fails if there is no response.
    pub async fn get(
        &self,
        url: &Url,
        limit: BodyLimit,
        extra_headers: &HeaderMap,
    ) -> Result<Exchange, FetchError> {
        self.check_host(url)?;
        let (target, mut request_headers) = self.request_target(url)?;
        request_headers.extend(extra_headers.clone());
        let client = self.client(url)?;
        let mut headers = request_headers.clone();
        if self.connect_to.is_none() {
            // The client adds its own, or the `:authority` of HTTP/2.
            headers.remove(HOST);
        }
        let deadline = Instant::now() + self.timeout;
        let response = timeout_at(deadline, client.get(target).headers(headers).send())
            .await
            .map_err(|_| self.timeout_error())?
            .map_err(|e| classify_error(&e, self.timeout))?;
        Ok(self
            .receive(url, request_headers, response, limit, deadline)
            .await)
    }

    /// Returns `true` if the server of an origin responds, with any status.
    pub async fn has_response(&self, origin: &Url) -> bool {
        self.forget_lookup_failures();
        let (Ok((target, headers)), Ok(client)) = (
            origin
                .join("/robots.txt")
                .map_err(|e| FetchError::BadUrl(e.to_string()))
                .and_then(|url| self.request_target(&url)),
            self.client(origin),
        ) else {
            return false;
        };
        let request = client.head(target).headers(headers);
        timeout(PROBE_TIMEOUT.min(self.timeout), request.send())
            .await
            .is_ok_and(|response| response.is_ok())
    }

    /// Forgets that names had no address, as they may have had none because of an outage.
    pub fn forget_lookup_failures(&self) {
        self.resolver.forget_failures();
    }

    /// Reads a response into an exchange, as far as it is received.
    async fn receive(
        &self,
        url: &Url,
        request_headers: HeaderMap,
        mut response: Response,
        limit: BodyLimit,
        deadline: Instant,
    ) -> Exchange {
        let status = response.status().as_u16();
        let headers = std::mem::take(response.headers_mut());
        let mut exchange = Exchange {
            date: now_rfc3339(),
            request_headers,
            ..Exchange::new(url.clone(), status, headers)
        };
        let is_success = response.status().is_success();
        let (limit, deadline) = if is_success {
            (limit, deadline)
        } else {
            (
                BodyLimit::Truncate(ERROR_BODY_BYTES),
                Instant::now() + ERROR_BODY_TIME,
            )
        };
        let read = timeout_at(
            deadline,
            self.read_body(&mut response, limit, &mut exchange),
        )
        .await;
        match read.unwrap_or_else(|_| Err(self.timeout_error())) {
            Ok(()) => {}
            Err(e) if is_success => exchange.truncate_body(e),
            // The body is not used, so this is not an error.
            Err(e) => exchange.truncated = Some(Truncation::from_failure(&e)),
        }
        exchange
    }

    /// Reads the body of a response into an exchange. If the server ends it early, marks it as
    /// truncated.
    async fn read_body(
        &self,
        response: &mut Response,
        limit: BodyLimit,
        exchange: &mut Exchange,
    ) -> Result<(), FetchError> {
        let start = Instant::now();
        let expected = response.content_length();
        let (BodyLimit::Reject(max_bytes) | BodyLimit::Truncate(max_bytes)) = limit;
        if let BodyLimit::Reject(max_bytes) = limit
            && expected.is_some_and(|size| size > max_bytes)
        {
            return Err(FetchError::TooLarge(max_bytes));
        }
        loop {
            let chunk = match response.chunk().await {
                Ok(Some(chunk)) => chunk,
                Ok(None) => return Ok(()),
                Err(e) if is_early_end(&e) && !exchange.body.is_empty() => {
                    // Without a declared length, the end of the connection is that of the body.
                    let has_length =
                        expected.is_some() || exchange.headers.contains_key(TRANSFER_ENCODING);
                    exchange.truncated = has_length.then_some(Truncation::Disconnect);
                    return Ok(());
                }
                Err(e) => return Err(classify_error(&e, self.timeout)),
            };
            let remaining = usize::try_from(max_bytes).unwrap_or(usize::MAX) - exchange.body.len();
            let kept = chunk.len().min(remaining);
            self.budget
                .grow(&mut exchange.permit, exchange.body.len() + kept, expected)
                .await;
            exchange.body.extend_from_slice(&chunk[..kept]);
            if chunk.len() > remaining {
                exchange.truncated = Some(Truncation::Length);
                return match limit {
                    BodyLimit::Reject(max_bytes) => Err(FetchError::TooLarge(max_bytes)),
                    BodyLimit::Truncate(_) => Ok(()),
                };
            }
            let elapsed = start.elapsed();
            if elapsed > RATE_CHECK_AFTER
                && (exchange.body.len() as u64) < elapsed.as_secs() * MIN_BYTES_PER_SECOND
            {
                return Err(FetchError::Timeout(TimeLimit::Response, elapsed));
            }
        }
    }

    fn timeout_error(&self) -> FetchError {
        FetchError::Timeout(TimeLimit::Response, self.timeout)
    }

    /// Returns the URL that the client requests, and the header fields of the request.
    fn request_target(&self, url: &Url) -> Result<(Url, HeaderMap), FetchError> {
        let mut headers = self.headers.clone();
        let host = HeaderValue::from_str(&host_and_port(url));
        headers.insert(HOST, host.map_err(|e| FetchError::BadUrl(e.to_string()))?);
        let address = self
            .connect_to
            .as_ref()
            .and_then(|addresses| addresses.first());
        let target = address.map_or_else(|| url.clone(), |address| with_address(url, *address));
        Ok((target, headers))
    }

    /// Returns the client for a URL, which is built when it is first used.
    fn client(&self, url: &Url) -> Result<&Client, FetchError> {
        let is_https = url.scheme() == "https";
        let client = self.clients[usize::from(is_https)].get_or_init(|| self.build(is_https));
        client.as_ref().map_err(Clone::clone)
    }

    fn build(&self, is_https: bool) -> Result<Client, FetchError> {
        let builder = Client::builder()
            .redirect(RedirectPolicy::none())
            .connect_timeout(CONNECT_TIMEOUT.min(self.timeout))
            .read_timeout(READ_TIMEOUT.min(self.timeout))
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(self.max_idle)
            .no_proxy();
        let builder = match &self.connect_to {
            Some(addresses) => resolve_to(builder, addresses),
            None => builder.dns_resolver(Arc::new(self.resolver.clone())),
        };
        // The URL is not known here: an error of the builder is one of the certificates.
        build_client(builder, is_https).map_err(|e| match classify_error(&e, self.timeout) {
            FetchError::BadUrl(cause) => FetchError::Tls(cause),
            other => other,
        })
    }
}

/// Builds a client for HTTPS, or one for plain HTTP only. The latter trusts no certificates, since
/// it needs none: reading those of the system takes milliseconds.
///
/// # Errors
/// Fails if the system's certificates cannot be read.
pub(crate) fn build_client(builder: ClientBuilder, is_https: bool) -> reqwest::Result<Client> {
    // It fails if another provider is installed, which also serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // As lenient as browsers: a response is not lost because of a malformed header field.
    let builder = builder
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .http1_allow_spaces_after_header_name_in_responses(true)
        .http1_ignore_invalid_headers_in_responses(true)
        .http1_max_headers(MAX_HEADER_FIELDS);
    if is_https {
        builder
    } else {
        builder.tls_certs_only([])
    }
    .build()
}

/// Returns the value of the `Host` header field for a URL.
pub(crate) fn host_and_port(url: &Url) -> String {
    let name = url.host_str().unwrap_or_default();
    url.port()
        .map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"))
}

/// Makes a client resolve all names to these addresses. HTTP/2 has no separate `Host` header field.
pub(crate) fn resolve_to(builder: ClientBuilder, addresses: &[SocketAddr]) -> ClientBuilder {
    let resolver = FixedResolver(addresses.to_vec());
    builder.http1_only().dns_resolver(Arc::new(resolver))
}

/// Returns a URL with the port of `address`, and with its IP address if the host is an IP address;
/// names are resolved to it.
pub(crate) fn with_address(url: &Url, address: SocketAddr) -> Url {
    let mut target = url.clone();
    if matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_))) {
        let _ = target.set_ip_host(address.ip());
    }
    let _ = target.set_port(Some(address.port()));
    target
}

/// Returns the user agent, as in `forage/0.1.0 (+mailto:somebody@example.org)`.
fn user_agent(contact: Option<&str>) -> Result<HeaderValue, SetupError> {
    let version = env!("CARGO_PKG_VERSION");
    let agent = match contact {
        None => format!("{PRODUCT_TOKEN}/{version}"),
        Some(contact) if contact.contains('@') && !contact.contains(':') => {
            format!("{PRODUCT_TOKEN}/{version} (+mailto:{contact})")
        }
        Some(contact) => format!("{PRODUCT_TOKEN}/{version} (+{contact})"),
    };
    HeaderValue::from_str(&agent)
        .map_err(|_| SetupError::Contact(contact.unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Transport, user_agent};
    use crate::Settings;
    use crate::page_url;
    use reqwest::header::HOST;
    use url::Url;

    #[test]
    fn builds_both_clients() {
        let transport = Transport::new(&Settings::default(), true).unwrap();
        assert!(
            transport
                .client(&Url::parse("http://a.test/").unwrap())
                .is_ok()
        );
        // Without certificates on the machine there is no HTTPS, but an error, not a panic.
        let _ = transport.client(&Url::parse("https://a.test/").unwrap());
    }

    #[test]
    fn the_user_agent_contains_the_contact() {
        let agent = |contact| user_agent(contact).unwrap().to_str().unwrap().to_owned();
        assert!(agent(None).starts_with("forage/") && !agent(None).contains('('));
        assert!(agent(Some("a@b.test")).ends_with(" (+mailto:a@b.test)"));
        assert!(agent(Some("https://b.test/bot")).ends_with(" (+https://b.test/bot)"));
    }

    #[test]
    fn connect_to_changes_only_port_and_address() {
        let connect_to = Some(vec!["127.0.0.1:8080".parse().unwrap()]);
        let settings = Settings {
            connect_to,
            ..Settings::default()
        };
        let transport = Transport::new(&settings, true).unwrap();
        let target_and_host = |url: &str| {
            let (target, headers) = transport
                .request_target(&page_url::normalise_url(url).unwrap())
                .unwrap();
            (
                target.to_string(),
                headers[HOST].to_str().unwrap().to_owned(),
            )
        };
        assert_eq!(
            target_and_host("http://a.test/x?y"),
            ("http://a.test:8080/x?y".into(), "a.test".into())
        );
        assert_eq!(
            target_and_host("https://a.test:81/"),
            ("https://a.test:8080/".into(), "a.test:81".into())
        );
        assert_eq!(
            target_and_host("http://[::1]:99/"),
            ("http://127.0.0.1:8080/".into(), "[::1]:99".into())
        );
    }
}
