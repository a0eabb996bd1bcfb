//! Search engines behind one trait, and the cache of their hits.
//!
//! An [`Engine`] answers an [`EngineQuery`] with pages of hits, or fails with an [`EngineError`].
//! Engines are the embedded index ([`index`]) and those on the web (`web`, one adapter per engine).
//! Users name an engine by an [`EngineSpec`]. A [`Searcher`] selects the hits of a query: it stores
//! every page in the [`HitCache`], remembers which URLs were returned, requests a further page only
//! if the stored ones do not suffice, and keeps to the engine's rate limit. [`canary`] tests
//! whether an engine honours exclusion terms.
//!
//! Nothing here opens a socket: engines on the web are called with an [`HttpClient`] that the
//! caller passes in.

mod api_key;
mod cache;
pub mod canary;
mod capabilities;
mod engine;
mod hit_scope;
mod hits_db;
mod http;
pub mod index;
mod pacing;
mod query;
mod reply_records;
mod searcher;
mod snippet;
mod spec;
// Without adapters, nothing calls what they share.
#[cfg_attr(not(feature = "adapters"), allow(dead_code))]
mod web;

pub use api_key::{ApiKey, KeyPlace, KeyVariable};
pub use cache::{HitCache, HitCacheError};
pub use capabilities::{EngineCapabilities, ExclusionSupport, MEANINGS, QueryLengthLimit};
pub use engine::{
    Engine, EngineCounts, EngineDocument, EngineError, EngineHit, EngineResult, HitPage,
    MissingPart,
};
pub use hit_scope::HitScope;
pub use http::{EngineRequest, EngineResponse, HttpClient};
pub use pacing::{CallPacer, Patience, WaitReport};
pub use query::EngineQuery;
pub use reply_records::reply_records;
pub use searcher::{
    HitSelection, QueryReply, RankedHit, RemainingHits, SearchError, SearchLimits, SearchOutcome,
    Searcher,
};
pub use spec::{EngineInfo, EngineSpec, EngineSpecError, OpenEngineError, engines};
