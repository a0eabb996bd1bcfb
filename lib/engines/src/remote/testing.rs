//! What the adapters' unit tests share: an adapter's requests and answers without a server.

use super::registry::ONLINE;
use crate::{Answer, Engine, EngineError, Http, Key, Page, Request, SignedTerms};
use std::cell::RefCell;
use std::rc::Rc;
use url::Url;

pub(super) fn terms(include: &[&str], exclude: &[&str]) -> SignedTerms {
    SignedTerms::new(include, exclude)
}

/// The engine of that kind at `base`, with this key if it takes one, over `http`.
pub(super) fn open(kind: &str, base: &str, key: &str, http: Http) -> Box<dyn Engine> {
    let online = ONLINE.iter().find(|online| online.kind == kind).unwrap();
    online
        .open(Url::parse(base).unwrap(), |_| Key::new(key), http)
        .unwrap()
}

/// What is sent for page `number` of ten hits: the URL, or for a POST the URL, a blank and the
/// body; then each header on a line.
pub(super) fn sent(kind: &str, base: &str, terms: &SignedTerms, number: u32) -> String {
    let seen = Rc::new(RefCell::new(String::new()));
    let note = Rc::clone(&seen);
    let http: Http = Box::new(move |request: &Request| {
        let json = request
            .json
            .as_ref()
            .map(|json| format!(" {json}"))
            .unwrap_or_default();
        let header = |(name, key): &(&str, Key)| format!("\n{name}: {}", key.reveal());
        let header: String = request.header.iter().map(header).collect();
        *note.borrow_mut() = format!("{}{json}{header}", request.url);
        Err("not asked".into())
    });
    let _ = open(kind, base, "secret", http).page(terms, number, 10);
    seen.take()
}

/// What comes of an answer to the first page of ten hits for a query of one term.
pub(super) fn answered(kind: &str, status: u16, body: &str) -> Result<Page, EngineError> {
    answered_with(
        kind,
        Answer {
            status,
            body: body.into(),
            ..Answer::default()
        },
    )
}

pub(super) fn answered_with(kind: &str, answer: Answer) -> Result<Page, EngineError> {
    let http: Http = Box::new(move |_| Ok(answer.clone()));
    open(kind, "http://engine.test/web", "secret", http).page(&terms(&["dan"], &[]), 1, 10)
}

/// "url | title | snippet" of each hit, and whether there is more.
pub(super) fn shown(page: &Page) -> (Vec<String>, bool) {
    let part = |text: &Option<String>| text.clone().unwrap_or("-".into());
    let hits = page.hits.iter().map(|hit| {
        format!(
            "{} | {} | {}",
            hit.url,
            part(&hit.title),
            part(&hit.snippet)
        )
    });
    (hits.collect(), page.more)
}

/// What is said of an answer of status 500 with this body when the key is this.
pub(super) fn answered_with_key(key: &str, body: &str) -> String {
    let answer = Answer {
        status: 500,
        body: body.into(),
        ..Answer::default()
    };
    let http: Http = Box::new(move |_| Ok(answer.clone()));
    let mut engine = open("searxng", "http://e.test/", key, http);
    engine
        .page(&terms(&["dan"], &[]), 1, 10)
        .unwrap_err()
        .to_string()
}
