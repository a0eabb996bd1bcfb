//! What a search engine is to the tools.

use crate::SignedTerms;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A search engine: answers a query with pages of hits.
pub trait Engine {
    /// What it can express.
    fn abilities(&self) -> Abilities;

    /// One call: page `number` (from 1) of the query's hits, `size` a page where the engine lets us choose.
    ///
    /// # Errors
    /// When the engine refuses, asks to wait, or gives no answer. "No hits" is a page, not an error.
    fn page(&mut self, terms: &SignedTerms, number: u32, size: u32) -> Result<Page, EngineError>;

    /// The document behind a hit, where the engine holds documents; most don't.
    ///
    /// # Errors
    /// When the engine should have it and can't read it.
    fn document(&mut self, _url: &str) -> Result<Option<Document>, EngineError> {
        Ok(None)
    }
}

/// What an engine can express of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Abilities {
    /// How far exclusion terms can be relied on.
    pub exclusion: Exclusion,
    /// Whether a query must have an inclusion term.
    pub needs_inclusion: bool,
    /// Whether it can be asked for documents that are like one that it has.
    pub like: bool,
}

/// How far an engine's exclusion can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exclusion {
    /// No hit ever contains an excluded term.
    Exact,
    /// It is asked for, but what lies behind may pass over it: hits are looked at once more.
    Unsure,
    /// It can't be asked for: hits whose title or snippet hold an excluded term are skipped.
    Absent,
}

/// One page of hits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The hits in the engine's order.
    pub hits: Vec<PageHit>,
    /// Whether a further page may have hits.
    pub more: bool,
}

/// A hit as the engine gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageHit {
    /// The hit's URL.
    pub url: String,
    /// Its title, where the engine gives one with the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A piece of its text, where the engine gives one with the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
}

/// A document that an engine holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The document's identity.
    pub id: String,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its text.
    pub text: String,
}

/// Why an engine did not answer. None of these means "no hits".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// It will not answer this query, or not to us: asking again changes nothing.
    #[error("{0}")]
    Refused(String),
    /// It asks to wait.
    #[error("{message}{}", wait(.retry_after))]
    Throttled {
        /// What it said.
        message: String,
        /// How long to wait, if it said so.
        retry_after: Option<Duration>,
    },
    /// No connection, no answer in time, or none that can be read.
    #[error("{0}")]
    Down(String),
}

fn wait(retry_after: &Option<Duration>) -> String {
    retry_after.map(|time| format!("; it asks to wait {} s", time.as_secs())).unwrap_or_default()
}
