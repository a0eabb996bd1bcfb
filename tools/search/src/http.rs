//! How engines on the web are asked: one request after the other, within limits of time and size.

use forage_engines::{Answer, Http};
use reqwest::blocking::{Client, Response};
use reqwest::header::RETRY_AFTER;
use std::error::Error;
use std::io::Read;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};
use url::Url;

/// Longest answer in bytes. A page of results has some 50 kB; what is much longer is none.
const MAX_BYTES: u64 = 16 << 20;

/// How this program names itself to engines.
const USER_AGENT: &str = concat!("forage-search/", env!("CARGO_PKG_VERSION"));

/// A client that gives up after `timeout_s` seconds. It is made with the first request: an index alone needs none.
pub fn client(timeout_s: NonZeroU32) -> Http {
    let mut client = None;
    Box::new(move |url: &Url| {
        let client = match &mut client {
            Some(client) => client,
            none => none.insert(connect(timeout_s)?),
        };
        let start = Instant::now();
        let response = client.get(url.clone()).send().map_err(|e| describe(e, timeout_s))?;
        read(response, start, timeout_s)
    })
}

fn connect(timeout_s: NonZeroU32) -> Result<Client, String> {
    // Fails only if there is a provider already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let timeout = Duration::from_secs(timeout_s.get().into());
    Client::builder().user_agent(USER_AGENT).timeout(timeout).build().map_err(|e| describe(e, timeout_s))
}

fn read(response: Response, start: Instant, timeout_s: NonZeroU32) -> Result<Answer, String> {
    let status = response.status().as_u16();
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let mut response = response.take(MAX_BYTES + 1);
    let (mut body, mut chunk) = (Vec::new(), vec![0; 1 << 16]);
    // The client's timeout is one of each read: what comes drop by drop would never end.
    while start.elapsed() < Duration::from_secs(timeout_s.get().into()) {
        match response.read(&mut chunk) {
            Ok(0) if body.len() as u64 > MAX_BYTES => return Err(format!("an answer of more than {MAX_BYTES} bytes")),
            Ok(0) => return Ok(Answer { status, retry_after: retry_after.map(Duration::from_secs), body }),
            Ok(read) => body.extend_from_slice(&chunk[..read]),
            Err(e) if e.kind() == std::io::ErrorKind::TimedOut => break,
            Err(e) => return Err(format!("the answer broke off: {}", cause(&e))),
        }
    }
    Err(too_slow(timeout_s))
}

/// What went wrong, without the URL: the query is in the record already.
fn describe(e: reqwest::Error, timeout_s: NonZeroU32) -> String {
    match (e.is_timeout(), e.is_connect()) {
        (true, _) => too_slow(timeout_s),
        (_, true) => format!("no connection: {}", cause(&e)),
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
