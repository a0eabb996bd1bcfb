//! A client for HTTP APIs: sends one request after another and waits for each response, within
//! limits of time and size.
//!
//! It is made for search engines. An API key is sent only to the host that it is meant for:
//! redirects to other hosts are not followed, an error never contains the URL, and a local API is
//! requested without a proxy.

use crate::FetchError;
use crate::address::is_localhost_name;
use crate::content_coding::decompress;
use crate::headers::content_codings;
use crate::request_error::{innermost_cause, is_early_end};
use crate::retry_after::RetryAfter;
use crate::transport::{build_client, host_and_port, resolve_to, with_address};
use forage_content::Compression;
use forage_record::time::now;
use reqwest::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Client, Response};
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, timeout_at};
use url::{Host, Url};

/// Largest body in bytes: that of a sitemap (sitemaps.org). A page of hits has about 50 kB.
const MAX_BYTES: usize = 50 << 20;

/// Redirects that are followed, all on the origin of the API.
const MAX_REDIRECTS: usize = 5;

/// Longest time that is returned for `Retry-After`: a month.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(31 * 86_400);

/// A request: POST if it has a JSON body, else GET.
pub struct ApiRequest<'a> {
    /// The URL.
    pub url: &'a Url,
    /// Names and values of header fields that contain keys.
    pub secrets: Vec<(&'a str, &'a str)>,
    /// The JSON body.
    pub json: Option<&'a str>,
}

/// A response, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiResponse {
    /// The status code.
    pub status: u16,
    /// The time to wait according to `Retry-After`, at most a month; zero if its date is past.
    pub retry_after: Option<Duration>,
    /// The header fields that are ASCII text, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    pub body: Vec<u8>,
    /// True if the body is cut or damaged: it is what was received and could be decompressed.
    pub is_truncated: bool,
    /// The URL of the response, after redirects.
    pub url: Url,
}

/// Why there is no response. The message contains neither the URL, which may contain a query, nor a
/// key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ApiError(String);

/// A client for APIs. It starts its event loop and opens connections with the first request.
pub struct ApiClient {
    user_agent: String,
    timeout: Duration,
    /// The addresses to which all connections go; `None` if names are resolved.
    connect_to: Option<Vec<SocketAddr>>,
    runtime: Option<Runtime>,
    clients: HashMap<ClientKind, Client>,
}

/// The properties of a URL that require a client of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct ClientKind {
    is_https: bool,
    /// True if the host is local. A proxy must not see the keys of local APIs, and cannot reach
    /// them.
    is_local: bool,
}

impl ApiClient {
    /// Returns a client with a user agent, and a time limit from the request to the last byte. With
    /// `connect_to`, all connections go to these addresses.
    pub fn new(
        user_agent: String,
        timeout: Duration,
        connect_to: Option<Vec<SocketAddr>>,
    ) -> ApiClient {
        ApiClient {
            user_agent,
            timeout,
            connect_to,
            runtime: None,
            clients: HashMap::new(),
        }
    }

    /// Sends a request and waits for the response.
    ///
    /// # Errors
    /// Fails if there is no complete response. A status other than 2xx is not an error.
    pub fn send(&mut self, request: &ApiRequest) -> Result<ApiResponse, ApiError> {
        let client = self.client(request.url)?;
        let timeout = self.timeout;
        let deadline = Instant::now() + timeout;
        let address = self.connect_to.iter().flatten().next().copied();
        let response = send_request(&client, request, address, timeout);
        let response = async { timeout_at(deadline, response).await };
        self.runtime()?
            .block_on(response)
            .unwrap_or_else(|_| Err(timeout_error(timeout)))
    }

    /// Returns the client for a URL, which is built when it is first used.
    fn client(&mut self, url: &Url) -> Result<Client, ApiError> {
        let kind = ClientKind {
            is_https: url.scheme() == "https",
            is_local: is_local(url),
        };
        if let Some(client) = self.clients.get(&kind) {
            return Ok(client.clone());
        }
        let client = build_api_client(self, kind)?;
        self.clients.insert(kind, client.clone());
        Ok(client)
    }

    /// Returns the event loop. It has a thread, so that a connection that is closed between two
    /// requests is noticed.
    fn runtime(&mut self) -> Result<&Runtime, ApiError> {
        Ok(match &mut self.runtime {
            Some(runtime) => runtime,
            none => {
                let started = Builder::new_multi_thread()
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
            // Not waited for: a name look-up can block for long.
            runtime.shutdown_background();
        }
    }
}

/// Returns `true` if a host is this machine or in a private network, by its name or address (RFC
/// 6761, section 6.3; RFC 1918; RFC 4193).
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_localhost_name(name),
        Some(Host::Ipv4(ip)) => is_local_v4(ip),
        Some(Host::Ipv6(ip)) => match ip.to_canonical() {
            IpAddr::V4(ip) => is_local_v4(ip),
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

fn is_local_v4(ip: Ipv4Addr) -> bool {
    ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
}

/// Builds a client that follows redirects on the origin of the API only.
fn build_api_client(api: &ApiClient, kind: ClientKind) -> Result<Client, ApiError> {
    let user_agent = HeaderValue::from_str(&api.user_agent)
        .map_err(|_| ApiError("the contact is not valid in a User-Agent header".into()))?;
    let client = Client::builder()
        .user_agent(user_agent)
        .referer(false)
        .redirect(Policy::custom(follow_on_same_origin));
    let client = match &api.connect_to {
        Some(addresses) => resolve_to(client.no_proxy(), addresses),
        None if kind.is_local => client.no_proxy(),
        None => client,
    };
    build_client(client, kind.is_https).map_err(|e| describe_error(e, api.timeout))
}

/// Follows a redirect on the origin of the API, up to [`MAX_REDIRECTS`]. Another host must not
/// receive the key; the response is the redirect then.
fn follow_on_same_origin(attempt: Attempt) -> Action {
    let is_same_origin = attempt
        .previous()
        .first()
        .is_some_and(|first| first.origin() == attempt.url().origin());
    if is_same_origin && attempt.previous().len() <= MAX_REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

async fn send_request(
    client: &Client,
    request: &ApiRequest<'_>,
    address: Option<SocketAddr>,
    timeout: Duration,
) -> Result<ApiResponse, ApiError> {
    let url = address.map_or_else(
        || request.url.clone(),
        |address| with_address(request.url, address),
    );
    let mut builder = match request.json {
        Some(json) => client
            .post(url)
            .header(CONTENT_TYPE, "application/json")
            .body(json.to_owned()),
        None => client.get(url),
    };
    if address.is_some() {
        builder = builder.header(HOST, host_and_port(request.url));
    }
    for (name, key) in &request.secrets {
        let mut value = HeaderValue::from_str(key)
            .map_err(|_| ApiError(format!("the key for `{name}` is not ASCII")))?;
        value.set_sensitive(true);
        builder = builder.header(*name, value);
    }
    let response = builder.send().await;
    let response = response.map_err(|e| describe_error(e, timeout))?;
    let mut response = read_response(response).await?;
    if address.is_some() {
        response.url = request.url.clone();
    }
    Ok(response)
}

async fn read_response(mut received: Response) -> Result<ApiResponse, ApiError> {
    let mut response = ApiResponse {
        status: received.status().as_u16(),
        retry_after: received
            .headers()
            .get(RETRY_AFTER)
            .and_then(|value| retry_after_delay(value.to_str().ok()?)),
        headers: text_headers(received.headers()),
        body: Vec::new(),
        is_truncated: false,
        url: received.url().clone(),
    };
    let mut codings = content_codings(received.headers());
    loop {
        let chunk = match received.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            // As for pages, what was received before an early end counts.
            Err(e) if is_early_end(&e) && !response.body.is_empty() => {
                response.is_truncated = true;
                break;
            }
            Err(e) => {
                return Err(ApiError(format!(
                    "the connection broke during the response: {}",
                    innermost_cause(&e)
                )));
            }
        };
        if response.body.len() + chunk.len() > MAX_BYTES {
            return Err(too_large());
        }
        response.body.extend_from_slice(&chunk);
    }
    // No coding is requested, but some servers send files that are compressed.
    if codings.is_empty() && Compression::detect(&response.body) == Some(Compression::Gzip) {
        codings.push("gzip".into());
    }
    if !codings.is_empty() {
        let decoded = decompress(&codings, &response.body, MAX_BYTES as u64);
        let decoded = decoded.map_err(|e| match e {
            FetchError::TooLarge(_) => too_large(),
            e => ApiError(e.to_string()),
        })?;
        response.is_truncated |= decoded.is_damaged;
        response.body = decoded.bytes.into_owned();
    }
    Ok(response)
}

fn too_large() -> ApiError {
    ApiError(format!("the response has more than {MAX_BYTES} bytes"))
}

/// Returns the time to wait for a value of `Retry-After`, at most [`MAX_RETRY_AFTER`].
fn retry_after_delay(value: &str) -> Option<Duration> {
    let delay = match RetryAfter::parse(value)? {
        RetryAfter::Delay(delay) => delay,
        RetryAfter::Date(date) => date.duration_since(now()).unwrap_or_default(),
    };
    Some(delay.min(MAX_RETRY_AFTER))
}

fn text_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().into(), value.to_str().ok()?.into())))
        .collect()
}

/// Converts an error of the client, without its URL.
fn describe_error(e: reqwest::Error, timeout: Duration) -> ApiError {
    if e.is_timeout() {
        return timeout_error(timeout);
    }
    let is_connect = e.is_connect();
    let cause = innermost_cause(&e.without_url());
    ApiError(if is_connect {
        format!("no connection: {cause}")
    } else {
        cause
    })
}

fn timeout_error(timeout: Duration) -> ApiError {
    ApiError(format!("no response within {} s", timeout.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::{is_local, retry_after_delay};
    use std::time::{Duration, SystemTime};
    use url::Url;

    #[test]
    fn retry_after_is_bounded_and_zero_for_past_dates() {
        let in_an_hour = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600));
        assert!(
            retry_after_delay(&in_an_hour).is_some_and(|time| time.as_secs().abs_diff(3600) < 60)
        );
        assert_eq!(
            retry_after_delay("Wed, 21 Oct 2015 07:28:00 GMT"),
            Some(Duration::ZERO)
        );
        assert_eq!(
            retry_after_delay("99999999999999999999"),
            Some(Duration::from_secs(31 * 86_400))
        );
    }

    #[test]
    fn this_machine_and_private_networks_are_local() {
        let is_local =
            |host: &str| is_local(&Url::parse(&format!("http://{host}:8888/search")).unwrap());
        let local = "
            localhost LOCALHOST. a.localhost 127.1.2.3 [::1] [::ffff:127.0.0.1] 192.168.1.9
            10.0.0.1 172.16.0.1 [fd00::1] [fe80::1] 0.0.0.0";
        for host in local.split_ascii_whitespace() {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "example.org",
            "localhost.example.org",
            "8.8.8.8",
            "[2001:db8::1]",
            "172.32.0.1",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
