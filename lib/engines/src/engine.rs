//! What a search engine is to the tools.

use crate::{Abilities, SignedTerms};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A search engine: answers a query with pages of hits.
pub trait Engine {
    /// What it can express.
    fn abilities(&self) -> Abilities;

    /// One call: page `number` (from 1) of the query's hits, `size` a page where the engine lets us
    /// choose.
    ///
    /// # Errors
    /// When the engine refuses, asks to wait, or gives no answer. "No hits" is a page, not an
    /// error.
    fn page(&mut self, terms: &SignedTerms, number: u32, size: u32) -> Result<Page, EngineError>;

    /// What its user should know of the pages since this was last asked: that one is not all that
    /// the engine has.
    fn caveat(&mut self) -> Option<String> {
        None
    }

    /// The document behind a hit, where the engine holds documents; most don't.
    ///
    /// # Errors
    /// When the engine should have it and can't read it.
    fn document(&mut self, _url: &str) -> Result<Option<Document>, EngineError> {
        Ok(None)
    }
}

/// One page of hits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The hits in the engine's order.
    pub hits: Vec<PageHit>,
    /// Whether a further page may have hits.
    pub more: bool,
    /// What the engine counted.
    pub counts: Counts,
}

/// Numbers of documents that an engine tells beside a page of hits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Documents that match the query, exactly or about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Documents that hold a word of the query, by word.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub df: BTreeMap<String, u64>,
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
    /// It will not answer this query, or not to us, or not today: asking again soon changes
    /// nothing.
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
    /// It is overloaded or being mended, and names the time to wait (RFC 9110, 15.6.4).
    #[error("{message}{}", wait(&Some(*.retry_after)))]
    Unavailable {
        /// What it said.
        message: String,
        /// How long to wait.
        retry_after: Duration,
    },
    /// No connection, no answer in time, or none that can be read.
    #[error("{0}")]
    Down(String),
}

impl EngineError {
    /// How long the engine asks to wait, where it says so.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            EngineError::Throttled { retry_after, .. } => *retry_after,
            EngineError::Unavailable { retry_after, .. } => Some(*retry_after),
            EngineError::Refused(_) | EngineError::Down(_) => None,
        }
    }

    /// What the engine said, without the time to wait.
    pub(crate) fn message(&self) -> &str {
        let (Self::Refused(message)
        | Self::Down(message)
        | Self::Throttled { message, .. }
        | Self::Unavailable { message, .. }) = self;
        message
    }

    /// The same failure with what it says changed.
    pub(crate) fn map_message(mut self, change: impl Fn(&str) -> String) -> Self {
        let (Self::Refused(message)
        | Self::Down(message)
        | Self::Throttled { message, .. }
        | Self::Unavailable { message, .. }) = &mut self;
        *message = change(message);
        self
    }
}

fn wait(retry_after: &Option<Duration>) -> String {
    retry_after
        .map(|time| format!("; it asks to wait {} s", time.as_secs()))
        .unwrap_or_default()
}
