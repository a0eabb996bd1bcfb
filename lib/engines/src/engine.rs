//! The interface of a search engine: queries in, pages of hits out.

use crate::{EngineCapabilities, EngineQuery};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// A search engine. It answers a query with pages of hits.
pub trait Engine {
    /// Returns the kinds of query that the engine supports, and its limits.
    fn capabilities(&self) -> EngineCapabilities;

    /// Checks that the engine can answer in-link queries ([`EngineQuery::links_to`]).
    ///
    /// # Errors
    /// Refuses them with the reason.
    fn check_in_links(&self) -> EngineResult<()> {
        if self.capabilities().supports_in_links {
            return Ok(());
        }
        let message = "this engine does not support in-link queries (`query.links_to`); \
                       use index:DIR, mediawiki: or yacy:";
        Err(EngineError::Refused(message.into()))
    }

    /// Requests page `number` (from 1) of a query's hits. Each request counts as one call. `size`
    /// is the number of hits per page, for engines that let the client choose it.
    ///
    /// # Errors
    /// Fails if the engine refuses the query, asks to wait, or returns no readable response. A page
    /// without hits is not an error.
    fn request_page(
        &mut self,
        query: &EngineQuery,
        number: u32,
        size: u32,
    ) -> EngineResult<HitPage>;

    /// Requests a file that an earlier page named ([`HitPage::files`]), as a page of hits. Each
    /// request counts as one call.
    ///
    /// # Errors
    /// Fails as [`Engine::request_page`] does.
    fn request_file(&mut self, _url: &str) -> EngineResult<HitPage> {
        Err(EngineError::Refused("this engine has no files".into()))
    }

    /// Returns the document of a hit if the engine stores documents, as the embedded index does.
    ///
    /// # Errors
    /// Fails if the engine stores the document but cannot read it.
    fn document(&mut self, _url: &str) -> EngineResult<Option<EngineDocument>> {
        Ok(None)
    }
}

/// A page of hits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HitPage {
    /// The hits in the engine's order.
    pub hits: Vec<EngineHit>,
    /// True if a further page may have hits.
    pub has_more: bool,
    /// Document counts that the engine reports.
    pub counts: EngineCounts,
    /// Parts of the engine whose hits are missing.
    pub missing: Vec<MissingPart>,
    /// URLs of files that have the further hits, in order, as an index of sitemaps names them. Each
    /// is a page of hits, after this one and before the files that earlier pages named.
    pub files: Vec<String>,
}

/// A part of an engine that did not answer, such as an engine behind a metasearch engine: the page
/// lacks its hits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingPart {
    /// Name of the part.
    pub name: String,
    /// The reason why it did not answer; empty if it is unknown.
    pub reason: String,
}

impl fmt::Display for MissingPart {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.name)?;
        if self.reason.is_empty() {
            return Ok(());
        }
        write!(f, ": {}", self.reason)
    }
}

/// Document counts that an engine reports together with a page of hits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineCounts {
    /// Number of documents that match the query, exact or estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Document frequency of words of the query.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub df: BTreeMap<String, u64>,
}

impl EngineCounts {
    /// Returns the counts of an engine that reports no document frequencies.
    #[cfg(feature = "adapters")]
    pub(crate) fn from_total(total: Option<u64>) -> EngineCounts {
        EngineCounts {
            total,
            ..EngineCounts::default()
        }
    }
}

/// A hit as the engine returned it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineHit {
    /// URL of the document.
    pub url: String,
    /// Title, if the page of hits has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Excerpt of the text, if the page of hits has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Time of the last change of the document, as the engine writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modified: Option<String>,
    /// URLs of the document in other languages, by language.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub alternates: BTreeMap<String, String>,
    /// URL of the licence of the document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
}

/// A document that an engine stores.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineDocument {
    /// Identifier of the document (`id` of its record).
    pub id: String,
    /// Title, if the document has one.
    pub title: Option<String>,
    /// Text of the document.
    pub text: String,
}

/// The result of a call of an engine.
pub type EngineResult<T> = Result<T, EngineError>;

/// The reason why an engine did not answer a query. None of these means "no hits".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The engine rejects the query or the client, or the client's quota is exhausted. Retrying
    /// soon is of no use.
    #[error("{0}")]
    Refused(String),
    /// The engine limits the rate of calls and asks to wait.
    #[error("{message}{}", format_retry_after(.retry_after))]
    Throttled {
        /// Description of the failure.
        message: String,
        /// Time to wait, if the engine states it.
        retry_after: Option<Duration>,
    },
    /// The engine is overloaded or under maintenance, and states the time to wait (RFC 9110,
    /// section 15.6.4).
    #[error("{message}{}", format_retry_after(&Some(*.retry_after)))]
    Unavailable {
        /// Description of the failure.
        message: String,
        /// Time to wait.
        retry_after: Duration,
    },
    /// No connection, no response in time, or no readable response.
    #[error("{0}")]
    Down(String),
    /// The response is not in the engine's form: an error page, or something else is at its
    /// address. The searcher returns it as `Refused` if the engine has never answered, and else as
    /// `Down`.
    #[error("{0}")]
    Unreadable(String),
    /// No hits, and parts of the engine did not respond, perhaps all. The searcher returns it as a
    /// page without hits if the engine has hits without those parts, and else as `failure`.
    #[error("{failure}")]
    Incomplete {
        /// The parts that did not respond.
        missing: Vec<MissingPart>,
        /// The failure if all parts are silent.
        failure: Box<EngineError>,
    },
}

impl EngineError {
    /// Returns the time that the engine asks the client to wait, if it states one.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            EngineError::Throttled { retry_after, .. } => *retry_after,
            EngineError::Unavailable { retry_after, .. } => Some(*retry_after),
            EngineError::Incomplete { failure, .. } => failure.retry_after(),
            EngineError::Refused(_) | EngineError::Down(_) | EngineError::Unreadable(_) => None,
        }
    }

    /// Returns the description of the failure without the time to wait.
    pub fn message(&self) -> &str {
        match self {
            Self::Refused(message)
            | Self::Down(message)
            | Self::Unreadable(message)
            | Self::Throttled { message, .. }
            | Self::Unavailable { message, .. } => message,
            Self::Incomplete { failure, .. } => failure.message(),
        }
    }

    /// Returns the failure with its message replaced by `change(message)`.
    pub(crate) fn map_message(mut self, change: impl Fn(&str) -> String) -> Self {
        match &mut self {
            Self::Refused(message)
            | Self::Down(message)
            | Self::Unreadable(message)
            | Self::Throttled { message, .. }
            | Self::Unavailable { message, .. } => *message = change(message),
            Self::Incomplete { failure, .. } => {
                **failure = failure.as_ref().clone().map_message(change);
            }
        }
        self
    }
}

fn format_retry_after(retry_after: &Option<Duration>) -> String {
    retry_after
        .map(|time| format!("; it asks to wait {} s", time.as_secs()))
        .unwrap_or_default()
}
