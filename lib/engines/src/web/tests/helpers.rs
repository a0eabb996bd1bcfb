//! Helpers of the adapters' unit tests: requests and responses of an adapter without a server.

use crate::web::WEB_ENGINES;
use crate::{
    ApiKey, Engine, EngineQuery, EngineRequest, EngineResponse, EngineResult, HitPage, HttpClient,
};
use std::cell::RefCell;
use std::rc::Rc;
use url::Url;

pub(in crate::web) fn query(include: &[&str], exclude: &[&str]) -> EngineQuery {
    EngineQuery::new(include, exclude)
}

/// Opens the engine with a prefix at `address`. An engine that takes a key gets `key`.
pub(in crate::web) fn open_engine(
    prefix: &str,
    address: &str,
    key: &str,
    http: HttpClient,
) -> Box<dyn Engine> {
    let entry = WEB_ENGINES
        .iter()
        .find(|entry| entry.prefix == prefix)
        .unwrap();
    entry
        .open(Url::parse(address).unwrap(), |_| ApiKey::new(key), http)
        .unwrap()
}

/// Returns the request for a page of ten hits: the URL, for a POST followed by a blank and the
/// body, then the key header on a line of its own.
pub(in crate::web) fn format_request(
    prefix: &str,
    address: &str,
    query: &EngineQuery,
    page: u32,
) -> String {
    let sent = Rc::new(RefCell::new(String::new()));
    let log = Rc::clone(&sent);
    let http: HttpClient = Box::new(move |request: &EngineRequest| {
        let json = request
            .json
            .as_ref()
            .map(|json| format!(" {json}"))
            .unwrap_or_default();
        let header = |(name, key): &(&str, ApiKey)| format!("\n{name}: {}", key.reveal());
        let header: String = request.key_header.iter().map(header).collect();
        *log.borrow_mut() = format!("{}{json}{header}", request.url);
        // A site without robots.txt.
        let status = (request.url.path() == "/robots.txt").then_some(404);
        let response = |status| EngineResponse {
            status,
            ..EngineResponse::default()
        };
        status.map(response).ok_or_else(|| "not sent".into())
    });
    let _ = open_engine(prefix, address, "secret", http).request_page(query, page, 10);
    sent.take()
}

/// Returns the page that a response to the first page of ten hits is parsed as.
pub(in crate::web) fn parse_body(prefix: &str, status: u16, body: &str) -> EngineResult<HitPage> {
    parse_response(
        prefix,
        EngineResponse {
            status,
            body: body.into(),
            ..EngineResponse::default()
        },
    )
}

pub(in crate::web) fn parse_response(
    prefix: &str,
    response: EngineResponse,
) -> EngineResult<HitPage> {
    let http: HttpClient = Box::new(move |_| Ok(response.clone()));
    open_engine(prefix, "http://engine.test/web", "secret", http).request_page(
        &query(&["dan"], &[]),
        1,
        10,
    )
}

/// Formats each hit as "url | title | snippet". The flag is true if there are further pages.
pub(in crate::web) fn format_hits(page: &HitPage) -> (Vec<String>, bool) {
    let or_dash = |text: &Option<String>| text.clone().unwrap_or("-".into());
    let hits = page.hits.iter().map(|hit| {
        format!(
            "{} | {} | {}",
            hit.url,
            or_dash(&hit.title),
            or_dash(&hit.snippet)
        )
    });
    (hits.collect(), page.has_more)
}

/// Returns the message of the failure if an engine with this key responds with status 500 and
/// `body`.
pub(in crate::web) fn failure_message(key: &str, body: &str) -> String {
    let response = EngineResponse {
        status: 500,
        body: body.into(),
        ..EngineResponse::default()
    };
    let http: HttpClient = Box::new(move |_| Ok(response.clone()));
    let mut engine = open_engine("searxng", "http://e.test/", key, http);
    engine
        .request_page(&query(&["dan"], &[]), 1, 10)
        .unwrap_err()
        .to_string()
}
