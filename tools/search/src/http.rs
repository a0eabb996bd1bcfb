//! How engines on the web are asked: one request after the other, within limits of time and size.

use forage_engines::{Answer, Http, Request};
use reqwest::blocking::{Client, Response};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::redirect::{Attempt, Policy};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::error::Error;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::time::{Duration, Instant, SystemTime};
use url::{Host, Url};

/// Longest answer in bytes. A page of results has some 50 kB; what is much longer is none.
const MAX_BYTES: u64 = 16 << 20;

/// Redirects that are followed, on the engine's own host.
const MAX_REDIRECTS: usize = 5;

/// Longest time that an engine is believed to want to be left alone.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(31 * 86_400);

/// How this program names itself to engines.
const AGENT: &str = concat!("forage-search/", env!("CARGO_PKG_VERSION"));

/// A client that gives up after `timeout_s` seconds, and tells engines the `contact`. It is made with the first request:
/// an index alone needs none.
pub fn client(timeout_s: NonZeroU32, contact: Option<&str>) -> Http {
    let agent = contact.map_or(AGENT.into(), |contact| format!("{AGENT} (+{contact})"));
    let mut clients: HashMap<Way, Client> = HashMap::new();
    Box::new(move |request: &Request| {
        let way = Way { is_secure: request.url.scheme() == "https", is_near: is_near(&request.url) };
        let client = match clients.entry(way) {
            Entry::Occupied(client) => client.into_mut(),
            Entry::Vacant(none) => none.insert(connect(&agent, way, timeout_s)?),
        };
        let start = Instant::now();
        read(send(client, request, timeout_s)?, start, timeout_s)
    })
}

/// What clients differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Way {
    is_secure: bool,
    /// A proxy is for the web: it must not learn the key of an engine on this machine or network, and can't reach it.
    is_near: bool,
}

/// Whether a host is this machine or one of a private network, by its name or address (RFC 6761, 6.3; RFC 1918; RFC 4193).
fn is_near(url: &Url) -> bool {
    let is_near_v4 = |ip: Ipv4Addr| ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified();
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(ip)) => is_near_v4(ip),
        Some(Host::Ipv6(ip)) => match ip.to_canonical() {
            IpAddr::V4(ip) => is_near_v4(ip),
            IpAddr::V6(ip) => {
                ip.is_loopback() || ip.is_unspecified() || ip.is_unique_local() || ip.is_unicast_link_local()
            }
        },
        None => false,
    }
}

/// A client; reading the system's certificates takes more time than a plain request, which needs none.
fn connect(agent: &str, way: Way, timeout_s: NonZeroU32) -> Result<Client, String> {
    // Fails only if there is a provider already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let timeout = Duration::from_secs(timeout_s.get().into());
    let agent = HeaderValue::from_str(agent).map_err(|_| "the contact can't stand in a header".to_owned())?;
    let client = Client::builder().user_agent(agent).timeout(timeout).referer(false).redirect(Policy::custom(redirect));
    let client = if way.is_secure { client } else { client.tls_certs_only([]) };
    let client = if way.is_near { client.no_proxy() } else { client };
    client.build().map_err(|e| describe(e, timeout_s))
}

/// Follows a redirect on the engine's own host. Another host must not learn the key; the answer is the redirect then.
fn redirect(attempt: Attempt) -> reqwest::redirect::Action {
    let is_own = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if is_own && attempt.previous().len() <= MAX_REDIRECTS { attempt.follow() } else { attempt.stop() }
}

fn send(client: &Client, request: &Request, timeout_s: NonZeroU32) -> Result<Response, String> {
    let mut sent = match &request.json {
        Some(json) => client.post(request.url.clone()).header(CONTENT_TYPE, "application/json").body(json.clone()),
        None => client.get(request.url.clone()),
    };
    for (name, key) in &request.headers {
        let mut value =
            HeaderValue::from_str(key.reveal()).map_err(|_| format!("the key for `{name}` is not ASCII"))?;
        value.set_sensitive(true);
        sent = sent.header(*name, value);
    }
    sent.send().map_err(|e| describe(e, timeout_s))
}

fn read(response: Response, start: Instant, timeout_s: NonZeroU32) -> Result<Answer, String> {
    let mut answer = Answer {
        status: response.status().as_u16(),
        retry_after: response.headers().get(RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?)),
        headers: texts(response.headers()),
        body: Vec::new(),
    };
    let mut response = response.take(MAX_BYTES + 1);
    let mut chunk = vec![0; 1 << 16];
    // The client's timeout is one of each read: what comes drop by drop would never end.
    while start.elapsed() < Duration::from_secs(timeout_s.get().into()) {
        match response.read(&mut chunk) {
            Ok(0) if answer.body.len() as u64 > MAX_BYTES => {
                return Err(format!("an answer of more than {MAX_BYTES} bytes"));
            }
            Ok(0) => return Ok(answer),
            Ok(read) => answer.body.extend_from_slice(&chunk[..read]),
            Err(e) if e.kind() == std::io::ErrorKind::TimedOut => break,
            Err(e) => return Err(format!("the answer broke off: {}", cause(&e))),
        }
    }
    Err(too_slow(timeout_s))
}

/// Seconds, or the time until a date (RFC 9110, 10.2.3); a month at most, and that for a number past all bounds.
fn retry_after(value: &str) -> Option<Duration> {
    let value = value.trim();
    let time = if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        Duration::from_secs(value.parse().unwrap_or(u64::MAX))
    } else {
        httpdate::parse_http_date(value).ok()?.duration_since(SystemTime::now()).unwrap_or_default()
    };
    Some(time.min(LONGEST_RETRY_AFTER))
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str().into(), value.to_str().ok()?.into()))).collect()
}

/// What went wrong, without the URL: the query is in the record already, and the key in no record.
fn describe(e: reqwest::Error, timeout_s: NonZeroU32) -> String {
    match (e.is_timeout(), e.is_connect()) {
        (true, _) => too_slow(timeout_s),
        (_, true) => format!("no connection: {}", cause(&e.without_url())),
        _ => cause(&e.without_url()),
    }
}

fn too_slow(timeout_s: NonZeroU32) -> String {
    format!("no answer within {timeout_s} s")
}

/// The innermost cause; those around it only say that something failed.
fn cause(e: &dyn Error) -> String {
    let mut e = e;
    while let Some(source) = e.source() {
        e = source;
    }
    e.to_string()
}

#[cfg(test)]
mod tests {
    use super::{is_near, retry_after};
    use std::time::{Duration, SystemTime};
    use url::Url;

    #[test]
    fn a_time_to_wait_may_be_seconds_or_a_date() {
        assert_eq!(retry_after(" 7 "), Some(Duration::from_secs(7)));
        let in_an_hour = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600));
        assert!(retry_after(&in_an_hour).is_some_and(|time| time.as_secs().abs_diff(3600) < 60));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert_eq!((retry_after("soon"), retry_after("")), (None, None));
        assert_eq!(retry_after("99999999999999999999"), Some(Duration::from_secs(31 * 86_400)));
    }

    #[test]
    fn this_machine_and_private_networks_are_near() {
        let is_near = |host: &str| is_near(&Url::parse(&format!("http://{host}:8888/search")).unwrap());
        for host in [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "127.1.2.3",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "192.168.1.9",
            "10.0.0.1",
            "172.16.0.1",
            "[fd00::1]",
            "[fe80::1]",
            "0.0.0.0",
        ] {
            assert!(is_near(host), "{host}");
        }
        for host in ["example.org", "localhost.example.org", "8.8.8.8", "[2001:db8::1]", "172.32.0.1"] {
            assert!(!is_near(host), "{host}");
        }
    }
}
