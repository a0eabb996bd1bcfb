//! One exchange over HTTP: a request, and its answer within limits of time and size.
//!
//! There are two clients, each made when it is first needed: reading the system's certificates
//! takes milliseconds that plain HTTP need not pay. With `connect_to`, URLs get that port and all
//! names resolve to that address, while the `Host` header and the name in TLS stay those of the
//! page.

use crate::address::Policy;
use crate::decode::ACCEPTED;
use crate::error::Truncation;
use crate::exchange::Exchange;
use crate::failure::explain;
use crate::memory_budget::MemoryBudget;
use crate::resolve::{Fixed, Resolver};
use crate::settings::Settings;
use crate::time::now_rfc3339;
use crate::{FetchError, SetupError};
use forage_robots::PRODUCT_TOKEN;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HOST, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::redirect::Policy as Redirects;
use reqwest::{Client, ClientBuilder, Response};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

/// Time for a connection; the time limit of the whole request may be shorter.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time without a byte after which a server is thought to be asleep.
const READ_TIMEOUT: Duration = Duration::from_secs(15);
/// After so long a body must have come at this rate, or the server is one that drips to hold us up.
const SLOW_AFTER: Duration = Duration::from_secs(10);
const SLOW_BYTES_PER_SECOND: u64 = 512;
/// Idle connections are closed after this, as thousands of hosts are visited once.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Media types that are read, so that a server that has several forms of a page may choose.
const MEDIA: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,*/*;q=0.1";
/// Of an answer that is no success, so many bytes are read, and for so long: enough to keep the
/// connection.
const OTHER_BYTES: u64 = 64 << 10;
const OTHER_TIME: Duration = Duration::from_secs(2);
/// Lines of an answer's head that are read.
const MOST_HEADERS: usize = 1000;

/// What happens to a body that is larger than so many bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BodyLimit {
    /// It is an error.
    Refuse(u64),
    /// What goes beyond is not read.
    Truncation(u64),
}

#[derive(Debug)]
pub(crate) struct Transport {
    headers: HeaderMap,
    connect_to: Option<Vec<SocketAddr>>,
    timeout: Duration,
    policy: Policy,
    budget: MemoryBudget,
    /// For HTTP, and for HTTPS.
    clients: [OnceLock<Result<Client, FetchError>>; 2],
}

impl Transport {
    pub fn new(settings: &Settings) -> Result<Self, SetupError> {
        let headers = HeaderMap::from_iter([
            (USER_AGENT, user_agent(settings.contact.as_deref())?),
            (ACCEPT, HeaderValue::from_static(MEDIA)),
            (ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED)),
        ]);
        Ok(Transport {
            headers,
            connect_to: settings.connect_to.clone(),
            timeout: settings.timeout,
            policy: settings.policy(),
            budget: MemoryBudget::new(settings.max_bytes),
            clients: Default::default(),
        })
    }

    /// Whether a URL's host may be asked, as far as its spelling tells; a name is judged when it is
    /// resolved.
    pub fn permit(&self, url: &Url) -> Result<(), FetchError> {
        self.policy.check_host(url)
    }

    /// Requests `url`, with further headers, and reads the answer, all within the time limit. One
    /// that breaks off is given as far as it came, with its failure.
    ///
    /// # Errors
    /// Whatever kept the answer away.
    pub async fn get(
        &self,
        url: &Url,
        limit: BodyLimit,
        further: &HeaderMap,
    ) -> Result<Exchange, FetchError> {
        self.permit(url)?;
        let (target, mut request) = self.request(url)?;
        request.extend(further.clone());
        let client = self.client(url)?;
        let mut headers = request.clone();
        if self.connect_to.is_none() {
            // The client writes its own, as HTTP/2 wants it elsewhere.
            headers.remove(HOST);
        }
        let end = Instant::now() + self.timeout;
        let sent = timeout_at(end, client.get(target).headers(headers).send()).await;
        let answer = sent
            .map_err(|_| self.late())?
            .map_err(|e| explain(&e, self.timeout))?;
        Ok(self.receive(url, request, answer, limit, end).await)
    }

    /// Reads an answer as far as it comes.
    async fn receive(
        &self,
        url: &Url,
        request: HeaderMap,
        mut answer: Response,
        limit: BodyLimit,
        end: Instant,
    ) -> Exchange {
        let (status, headers) = (
            answer.status().as_u16(),
            std::mem::take(answer.headers_mut()),
        );
        let at = now_rfc3339();
        let mut exchange = Exchange {
            at,
            request,
            ..Exchange::new(url.clone(), status, headers)
        };
        let is_success = answer.status().is_success();
        let other = (
            BodyLimit::Truncation(OTHER_BYTES),
            Instant::now() + OTHER_TIME,
        );
        let (limit, end) = if is_success { (limit, end) } else { other };
        let read = timeout_at(end, self.read(&mut answer, limit, &mut exchange)).await;
        match read.unwrap_or_else(|_| Err(self.late())) {
            Ok(()) => {}
            Err(e) if is_success => exchange.break_off(e),
            // What it says beside its status is no matter.
            Err(e) => exchange.truncated = Some(Truncation::from_failure(&e)),
        }
        exchange
    }

    /// Reads the body.
    async fn read(
        &self,
        answer: &mut Response,
        limit: BodyLimit,
        to: &mut Exchange,
    ) -> Result<(), FetchError> {
        let (start, expected) = (Instant::now(), answer.content_length());
        let (BodyLimit::Refuse(most) | BodyLimit::Truncation(most)) = limit;
        if let BodyLimit::Refuse(most) = limit
            && expected.is_some_and(|size| size > most)
        {
            return Err(FetchError::TooLarge(most));
        }
        while let Some(chunk) = answer
            .chunk()
            .await
            .map_err(|e| explain(&e, self.timeout))?
        {
            let room = usize::try_from(most).unwrap_or(usize::MAX) - to.body.len();
            let kept = chunk.len().min(room);
            self.budget
                .grow(&mut to.permit, to.body.len() + kept, expected)
                .await;
            to.body.extend_from_slice(&chunk[..kept]);
            if chunk.len() > room {
                to.truncated = Some(Truncation::Length);
                return if let BodyLimit::Refuse(most) = limit {
                    Err(FetchError::TooLarge(most))
                } else {
                    Ok(())
                };
            }
            let elapsed = start.elapsed();
            if elapsed > SLOW_AFTER
                && (to.body.len() as u64) < elapsed.as_secs() * SLOW_BYTES_PER_SECOND
            {
                return Err(FetchError::Timeout(elapsed));
            }
        }
        Ok(())
    }

    fn late(&self) -> FetchError {
        FetchError::Timeout(self.timeout)
    }

    /// Where the request goes, and its headers.
    fn request(&self, url: &Url) -> Result<(Url, HeaderMap), FetchError> {
        let name = url.host_str().unwrap_or_default();
        let host = url
            .port()
            .map_or_else(|| name.to_owned(), |port| format!("{name}:{port}"));
        let mut headers = self.headers.clone();
        headers.insert(
            HOST,
            HeaderValue::from_str(&host).map_err(|e| FetchError::BadUrl(e.to_string()))?,
        );
        let address = self
            .connect_to
            .as_ref()
            .and_then(|addresses| addresses.first());
        Ok((
            address.map_or_else(|| url.clone(), |address| redirected(url, *address)),
            headers,
        ))
    }

    fn client(&self, url: &Url) -> Result<&Client, FetchError> {
        let is_secure = url.scheme() == "https";
        let client = self.clients[usize::from(is_secure)].get_or_init(|| self.build(is_secure));
        client.as_ref().map_err(Clone::clone)
    }

    fn build(&self, is_secure: bool) -> Result<Client, FetchError> {
        let builder = Client::builder()
            .redirect(Redirects::none())
            .connect_timeout(CONNECT_TIMEOUT.min(self.timeout))
            .read_timeout(READ_TIMEOUT.min(self.timeout))
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(1)
            // As browsers read what servers send; a page is not lost for a line of its head.
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_max_headers(MOST_HEADERS)
            .no_proxy();
        let builder = match &self.connect_to {
            // HTTP/2 has no Host header of its own.
            Some(addresses) => builder
                .http1_only()
                .dns_resolver(Arc::new(Fixed(addresses.clone()))),
            None => builder.dns_resolver(Arc::new(Resolver::new(self.policy))),
        };
        build_client(builder, is_secure).map_err(|e| match explain(&e, self.timeout) {
            FetchError::BadUrl(cause) => FetchError::Tls(cause),
            other => other,
        })
    }
}

/// A client for `https` URLs, or one for plain HTTP alone. That one trusts no certificate, since it
/// needs none: reading the system's takes milliseconds.
///
/// # Errors
/// When the system's certificates can't be read.
pub(crate) fn build_client(builder: ClientBuilder, is_secure: bool) -> reqwest::Result<Client> {
    // It fails where another provider was installed, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    if is_secure {
        builder
    } else {
        builder.tls_certs_only([])
    }
    .build()
}

/// The URL with which the client goes to `address`.
fn redirected(url: &Url, address: SocketAddr) -> Url {
    let mut target = url.clone();
    if matches!(url.host(), Some(Host::Ipv4(_) | Host::Ipv6(_))) {
        let _ = target.set_ip_host(address.ip());
    }
    let _ = target.set_port(Some(address.port()));
    target
}

/// `forage/0.1.0 (+mailto:somebody@example.org)`.
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
    fn both_clients_can_be_made() {
        let transport = Transport::new(&Settings::default()).unwrap();
        assert!(
            transport
                .client(&Url::parse("http://a.test/").unwrap())
                .is_ok()
        );
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
        let connect_to = Some(vec!["127.0.0.1:8080".parse().unwrap()]);
        let transport = Transport::new(&Settings {
            connect_to,
            ..Settings::default()
        })
        .unwrap();
        let shown = |url: &str| {
            let (target, headers) = transport
                .request(&page_url::normalize_url(url).unwrap())
                .unwrap();
            (
                target.to_string(),
                headers[HOST].to_str().unwrap().to_owned(),
            )
        };
        assert_eq!(
            shown("http://a.test/x?y"),
            ("http://a.test:8080/x?y".into(), "a.test".into())
        );
        assert_eq!(
            shown("https://a.test:81/"),
            ("https://a.test:8080/".into(), "a.test:81".into())
        );
        assert_eq!(
            shown("http://[::1]:99/"),
            ("http://127.0.0.1:8080/".into(), "[::1]:99".into())
        );
    }
}
