//! Typed views: what one tool reads or writes of a record.
//!
//! Fields that are absent when unknown are `Option`s that are not written; a view reads leniently
//! (what it does not know it passes over), as a user's script may have written the record.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Largest integer that every JSON reader takes exactly: 2^53.
const LARGEST: u64 = 1 << 53;

/// A number that no reader rounds.
fn exact<'de, D: Deserializer<'de>>(number: D) -> Result<u64, D::Error> {
    let number = u64::deserialize(number)?;
    if number > LARGEST {
        Err(D::Error::custom(format!("{number} is larger than 2^53")))
    } else {
        Ok(number)
    }
}

/// The same, of a number that may be absent.
fn maybe_exact<'de, D: Deserializer<'de>>(number: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    struct Exact(#[serde(deserialize_with = "exact")] u64);
    Ok(Option::<Exact>::deserialize(number)?.map(|Exact(number)| number))
}

/// The probability of something that happened.
fn probability<'de, D: Deserializer<'de>>(number: D) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(number)? {
        Some(number) if !(number > 0.0 && number <= 1.0) => Err(D::Error::custom(format!(
            "{number} is no probability above 0 and at most 1"
        ))),
        number => Ok(number),
    }
}

/// `step`: the unit of a run that is counted, repeated and resumed as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Number of the step, from 1.
    #[serde(default, deserialize_with = "exact")]
    pub number: u64,
    /// The class that the step looks for.
    #[serde(default)]
    pub target: String,
    /// True on the last record of the step. A tool that makes several records of one moves it to
    /// the last of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<bool>,
}

impl Step {
    /// Whether the record is known to be the last one of its step.
    pub fn is_last(&self) -> bool {
        self.last == Some(true)
    }

    /// The number of the last step that is complete with the record: its own, if it is the last one
    /// of that.
    pub fn last_complete_step(&self) -> u64 {
        if self.is_last() {
            self.number
        } else {
            self.number.saturating_sub(1)
        }
    }
}

/// `query`: which terms a document must and must not contain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// Hash of the sorted, signed terms: the same terms in any order are the same query.
    #[serde(default)]
    pub id: String,
    /// Terms that a document must contain.
    #[serde(default)]
    pub include: Vec<String>,
    /// Terms that a document must not contain.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The URL of a document that others are to be like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub like: Option<String>,
    /// The strategy that put the query together, with its parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<QueryStrategy>,
}

impl Query {
    /// The query's strategy, if that has this name.
    pub fn strategy_named(&self, name: &str) -> Option<&QueryStrategy> {
        self.strategy
            .as_ref()
            .filter(|strategy| strategy.name == name)
    }
}

/// `query.strategy`: the name of a strategy, and those of the parameters that it has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct QueryStrategy {
    /// The strategy.
    #[serde(default)]
    pub name: String,
    /// How the terms were selected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<SelectionMethods>,
    /// How far down the ranking the recovery has gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<RecoveryOffsets>,
    /// The learner of methods and lengths, as in `ltm/ii`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learner: Option<String>,
    /// The literals of the region that is asked for, in the order in which it was split.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub literals: Option<Vec<String>>,
    /// The inclusion probability of the region of a probe.
    #[serde(
        default,
        deserialize_with = "probability",
        skip_serializing_if = "Option::is_none"
    )]
    pub probability: Option<f64>,
}

impl QueryStrategy {
    /// A strategy without parameters.
    pub fn new(name: &str) -> Self {
        QueryStrategy {
            name: name.into(),
            ..QueryStrategy::default()
        }
    }
}

/// `query.strategy.method`: the selection methods, each with its length, as in `or:3`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectionMethods {
    /// For inclusion terms.
    pub include: String,
    /// For exclusion terms.
    pub exclude: String,
}

/// `query.strategy.offset`: ranks that the recovery skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveryOffsets {
    /// Among the inclusion terms.
    pub include: u32,
    /// Among the exclusion terms.
    pub exclude: u32,
    /// By how many inclusion terms the query was made shorter.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub shorter: u32,
}

/// `hit`: how the engine answered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The engine, as it was named to `search`.
    pub engine: String,
    /// Rank among the query's hits, from 1.
    #[serde(
        default,
        deserialize_with = "maybe_exact",
        skip_serializing_if = "Option::is_none"
    )]
    pub rank: Option<u64>,
    /// Title, as the engine gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Snippet, as the engine gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Calls to the engine that this record cost.
    #[serde(default, deserialize_with = "exact")]
    pub calls: u64,
    /// What came; absent on a record with `error`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<HitOutcome>,
    /// On the last record of a step: unseen hits of the query in the cache, retrieved from the
    /// engine and not yet returned. Earlier journals call the field `left`.
    #[serde(
        default,
        alias = "left",
        deserialize_with = "exact",
        skip_serializing_if = "is_zero"
    )]
    pub unseen: u64,
    /// On the last record of a step: what the engine has behind the pages that came; absent for
    /// nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub more: Option<MoreHits>,
    /// On the last record of a step: documents that match the query, by the engine's count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// On the last record of a step: documents that hold a word of the query, by the engine's
    /// count.
    #[serde(default, skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub df: std::collections::BTreeMap<String, u64>,
}

/// A number that is left out where it is 0.
fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

impl Hit {
    /// Returns `true` if the query is exhausted after its step: the cache has no unseen hit of it,
    /// and no further page may be requested.
    pub fn is_exhausted(&self) -> bool {
        self.unseen == 0 && self.more != Some(MoreHits::Pages)
    }
}

/// `hit.more`: what an engine has for a query behind the pages that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoreHits {
    /// Pages that can be asked for.
    Pages,
    /// Hits behind the last page that may be asked for.
    Hidden,
}

/// `hit.outcome`: what a query brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HitOutcome {
    /// A URL not seen before in this run.
    Hit,
    /// The engine answered that there is nothing.
    Empty,
    /// All that the engine has for the query was seen before.
    Exhausted,
}

/// `fetch`: what fetching the page brought beside its text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fetch {
    /// The final URL, after redirects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// When it was fetched, RFC 3339 in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The media type, without parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The character encoding that was decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charset: Option<String>,
    /// Size of the body in bytes, decompressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// BLAKE3 of the body, hex.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The language that the page claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html_lang: Option<String>,
    /// The address that the page wants to be known by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// When the page was published, by its own account: a date, or a time of RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// What robots.txt and the page's robots directives say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<String>,
    /// Reservations against text mining that the page declares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub optout: Vec<String>,
    /// The licence that the page links to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Why the page may be none, though it was answered with success: `root-redirect`, `same-body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_404: Option<String>,
    /// Whether the page came as an earlier archive keeps it; told where it did.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unchanged: bool,
    /// Where the exchange is archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warc: Option<WarcLocation>,
}

/// `fetch.warc`: a place in an archive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WarcLocation {
    /// The archive's file name.
    pub file: String,
    /// Offset of the record in bytes.
    pub offset: u64,
}

/// One of `links`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Absolute URL.
    pub url: String,
    /// Anchor text.
    pub text: String,
    /// The `rel` attribute.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rel: Option<String>,
}

/// `dedup`: whether the document is a twin of an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dedup {
    /// New, or how it is a twin.
    pub status: DedupStatus,
    /// `id` of the document that it is a twin of; null where that has none.
    #[serde(default)]
    pub of: Option<String>,
    /// Resemblance to it, 0 to 1 (Broder 1997).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resemblance: Option<f64>,
}

/// `dedup.status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DedupStatus {
    /// No earlier document is like it.
    New,
    /// An earlier document has the same text.
    Exact,
    /// An earlier document resembles it at least as much as the threshold says.
    Near,
}

/// `langid`: the language of the text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LangId {
    /// ISO 639-3, or `und`.
    pub code: String,
    /// ISO 15924.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Calibrated probability that `code` is right, 0 to 1.
    pub score: f64,
    /// Distance to the best other language.
    pub margin: f64,
    /// The best languages, best first.
    pub top: Vec<(String, f64)>,
    /// With `--paragraphs`: share of the text by language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<std::collections::BTreeMap<String, f64>>,
}

/// `error`: why a tool could not serve the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordError {
    /// The tool.
    pub tool: String,
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What happened, for a person.
    pub message: String,
}

/// `error.kind`: a closed list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// A field has the wrong type.
    BadField,
    /// The URL can't be fetched: not absolute, not HTTP.
    BadUrl,
    /// The engine, or `search` for it, refuses the query.
    Refused,
    /// The engine asks to wait.
    Throttled,
    /// The engine gives no answer.
    EngineDown,
    /// The budget of calls is spent.
    Budget,
    /// The address is not one of the open web.
    #[serde(rename = "forbidden-address")]
    Forbidden,
    /// The host's name has no address.
    Dns,
    /// No connection to the host, or it broke.
    Connect,
    /// TLS failed.
    Tls,
    /// The host took too long.
    Timeout,
    /// The host answered with a status that is no success.
    HttpStatus,
    /// robots.txt forbids it, or could not be read.
    Robots,
    /// Too many redirects, or a loop of them.
    Redirect,
    /// Larger than the limit.
    TooLarge,
    /// The page reserves itself against text mining.
    #[serde(rename = "opt-out")]
    OptOut,
    /// Of a media type that no extractor reads.
    UnsupportedType,
    /// The body could not be decompressed or decoded.
    BadBody,
    /// The page has no text.
    NoText,
    /// A defect of ours, met by this record alone.
    Internal,
    /// A kind that this version does not know, by another tool.
    #[serde(other)]
    Other,
}

impl ErrorKind {
    /// Whether the engine did not answer: the query was not counted as sent, and says nothing of
    /// what there is.
    pub fn is_engine_failure(self) -> bool {
        matches!(
            self,
            ErrorKind::Refused | ErrorKind::Throttled | ErrorKind::EngineDown | ErrorKind::Budget
        )
    }
}
