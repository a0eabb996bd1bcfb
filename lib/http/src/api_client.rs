//! A client for one API after another request: each question waits for its answer, within limits of
//! time and size.
//!
//! It is made for search engines. A key goes to the host that it is meant for alone: redirects to
//! others are not followed, an error never names the URL, and what is on this machine or network is
//! asked without a proxy.

use crate::address::is_local_name;
use crate::failure::innermost;
use crate::retry_after::RetryAfter;
use crate::transport::build_client;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, Response};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, SystemTime};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

/// Longest answer in bytes. A page of results has some 50 kB; what is much longer is none.
const MAX_BYTES: usize = 16 << 20;

/// Redirects that are followed, on the API's own host.
const MAX_REDIRECTS: usize = 5;

/// Longest time that an API is believed to want to be backed off for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(31 * 86_400);

/// A request: GET, or POST if there is JSON.
pub struct ApiRequest<'a> {
    /// Where to.
    pub url: &'a Url,
    /// Headers that hold keys: names and values.
    pub secrets: Vec<(&'a str, &'a str)>,
    /// JSON to be posted.
    pub json: Option<&'a str>,
}

/// An answer, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiResponse {
    /// The status code.
    pub status: u16,
    /// The time to wait by the `Retry-After` header, a month at most; zero for a date that is past.
    pub retry_after: Option<Duration>,
    /// The headers that are text, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// Why an API gave no answer. It names neither the URL, which may hold a query, nor a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ApiError(String);

/// A client for APIs. Nothing is opened, and no event loop runs, before the first request.
pub struct ApiClient {
    agent: String,
    timeout: Duration,
    runtime: Option<Runtime>,
    clients: HashMap<Way, Client>,
}

/// What clients differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Way {
    is_secure: bool,
    /// A proxy is for the web: it must not learn the key of an API on this machine or network, and
    /// can't reach it.
    is_near: bool,
}

impl ApiClient {
    /// A client with this user agent, which gives up after `timeout`, from the request to the last
    /// byte.
    pub fn new(agent: String, timeout: Duration) -> ApiClient {
        ApiClient {
            agent,
            timeout,
            runtime: None,
            clients: HashMap::new(),
        }
    }

    /// Sends a request and waits for the answer.
    ///
    /// # Errors
    /// Whatever kept the answer away. A status that is no success is an answer.
    pub fn send(&mut self, request: &ApiRequest) -> Result<ApiResponse, ApiError> {
        let (client, timeout) = (self.client(request.url)?, self.timeout);
        let end = Instant::now() + timeout;
        let exchange = async { timeout_at(end, exchange(&client, request, timeout)).await };
        self.runtime()?
            .block_on(exchange)
            .unwrap_or_else(|_| Err(late(timeout)))
    }

    fn client(&mut self, url: &Url) -> Result<Client, ApiError> {
        let way = Way {
            is_secure: url.scheme() == "https",
            is_near: is_near(url),
        };
        Ok(match self.clients.entry(way) {
            Entry::Occupied(client) => client.get().clone(),
            Entry::Vacant(none) => none
                .insert(connect(&self.agent, way, self.timeout)?)
                .clone(),
        })
    }

    /// The event loop. It has a thread, so that a connection that ends between two requests is
    /// noticed.
    fn runtime(&mut self) -> Result<&Runtime, ApiError> {
        Ok(match &mut self.runtime {
            Some(runtime) => runtime,
            none => {
                let mut builder = Builder::new_multi_thread();
                let started = builder
                    .worker_threads(1)
                    .thread_name("api")
                    .enable_all()
                    .build();
                none.insert(started.map_err(|e| ApiError(e.to_string()))?)
            }
        })
    }
}

impl Drop for ApiClient {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A look-up of a name may hang for long.
            runtime.shutdown_background();
        }
    }
}

/// Whether a host is this machine or one of a private network, by its name or address (RFC 6761,
/// 6.3; RFC 1918; RFC 4193).
fn is_near(url: &Url) -> bool {
    let is_near_v4 = |ip: Ipv4Addr| {
        ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
    };
    match url.host() {
        Some(Host::Domain(name)) => is_local_name(name),
        Some(Host::Ipv4(ip)) => is_near_v4(ip),
        Some(Host::Ipv6(ip)) => match ip.to_canonical() {
            IpAddr::V4(ip) => is_near_v4(ip),
            IpAddr::V6(ip) => {
                ip.is_loopback()
                    || ip.is_unspecified()
                    || ip.is_unique_local()
                    || ip.is_unicast_link_local()
            }
        },
        None => false,
    }
}

/// A client that follows redirects on the API's own host alone.
fn connect(agent: &str, way: Way, timeout: Duration) -> Result<Client, ApiError> {
    let wrong = |_| ApiError("the contact can't stand in a header".into());
    let agent = HeaderValue::from_str(agent).map_err(wrong)?;
    let client = Client::builder()
        .user_agent(agent)
        .referer(false)
        .redirect(Policy::custom(redirect));
    let client = if way.is_near {
        client.no_proxy()
    } else {
        client
    };
    build_client(client, way.is_secure).map_err(|e| explain(e, timeout))
}

/// Follows a redirect on the API's own host. Another host must not learn the key; the answer is the
/// redirect then.
fn redirect(attempt: Attempt) -> Action {
    let is_own = attempt
        .previous()
        .first()
        .is_some_and(|first| first.origin() == attempt.url().origin());
    if is_own && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

async fn exchange(
    client: &Client,
    request: &ApiRequest<'_>,
    timeout: Duration,
) -> Result<ApiResponse, ApiError> {
    let url = request.url.clone();
    let mut sent = match request.json {
        Some(json) => client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(json.to_owned()),
        None => client.get(url),
    };
    for (name, key) in &request.secrets {
        let wrong = |_| ApiError(format!("the key for `{name}` is not ASCII"));
        let mut value = HeaderValue::from_str(key).map_err(wrong)?;
        value.set_sensitive(true);
        sent = sent.header(*name, value);
    }
    read(sent.send().await.map_err(|e| explain(e, timeout))?).await
}

async fn read(mut response: Response) -> Result<ApiResponse, ApiError> {
    let mut answer = ApiResponse {
        status: response.status().as_u16(),
        retry_after: response
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| retry_after(value.to_str().ok()?)),
        headers: texts(response.headers()),
        body: Vec::new(),
    };
    let broken = |e| ApiError(format!("the answer broke off: {}", innermost(&e)));
    while let Some(chunk) = response.chunk().await.map_err(broken)? {
        if answer.body.len() + chunk.len() > MAX_BYTES {
            return Err(ApiError(format!(
                "an answer of more than {MAX_BYTES} bytes"
            )));
        }
        answer.body.extend_from_slice(&chunk);
    }
    Ok(answer)
}

/// The time to wait; a month at most, and that for a number past all bounds.
fn retry_after(value: &str) -> Option<Duration> {
    let time = match RetryAfter::parse(value)? {
        RetryAfter::Delay(time) => time,
        RetryAfter::At(time) => time.duration_since(SystemTime::now()).unwrap_or_default(),
    };
    Some(time.min(LONGEST_RETRY_AFTER))
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().into(), value.to_str().ok()?.into())))
        .collect()
}

/// What went wrong, without the URL.
fn explain(e: reqwest::Error, timeout: Duration) -> ApiError {
    match (e.is_timeout(), e.is_connect()) {
        (true, _) => late(timeout),
        (_, true) => ApiError(format!("no connection: {}", innermost(&e.without_url()))),
        _ => ApiError(innermost(&e.without_url())),
    }
}

fn late(timeout: Duration) -> ApiError {
    ApiError(format!("no answer within {} s", timeout.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::{is_near, retry_after};
    use std::time::{Duration, SystemTime};
    use url::Url;

    #[test]
    fn a_time_to_wait_is_bounded_and_that_until_a_date_that_is_past_is_none() {
        let in_an_hour = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600));
        assert!(retry_after(&in_an_hour).is_some_and(|time| time.as_secs().abs_diff(3600) < 60));
        assert_eq!(
            retry_after("Wed, 21 Oct 2015 07:28:00 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(
            retry_after("99999999999999999999"),
            Some(Duration::from_secs(31 * 86_400))
        );
    }

    #[test]
    fn this_machine_and_private_networks_are_near() {
        let is_near =
            |host: &str| is_near(&Url::parse(&format!("http://{host}:8888/search")).unwrap());
        let near = "
            localhost LOCALHOST. a.localhost 127.1.2.3 [::1] [::ffff:127.0.0.1] 192.168.1.9
            10.0.0.1 172.16.0.1 [fd00::1] [fe80::1] 0.0.0.0";
        for host in near.split_ascii_whitespace() {
            assert!(is_near(host), "{host}");
        }
        for host in [
            "example.org",
            "localhost.example.org",
            "8.8.8.8",
            "[2001:db8::1]",
            "172.32.0.1",
        ] {
            assert!(!is_near(host), "{host}");
        }
    }
}
