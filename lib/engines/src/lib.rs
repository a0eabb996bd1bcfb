//! Search engines behind one trait, and the cache of their hits.
//!
//! An [`Engine`] answers a query of signed terms with pages of hits, or says in one of three ways why it does not.
//! Two exist: the embedded index ([`index`], over Tantivy) and SearXNG ([`searxng`]). [`Spec`] is how a user names
//! one. A [`Searcher`] stands between engine and user: it keeps every page that came ([`HitCache`]), knows which
//! URLs were handed out, and asks for a further page only when it must.
//!
//! Nothing here opens a socket: an engine on the web is given an [`Http`] to ask with.

mod cache;
mod engine;
mod http;
pub mod index;
mod searcher;
pub mod searxng;
mod snippet;
mod spec;
mod terms;

pub use cache::{CacheError, HitCache};
pub use engine::{Abilities, Document, Engine, EngineError, Exclusion, Page, PageHit};
pub use http::{Answer, Http};
pub use searcher::{Ask, Found, Limits, Picked, Reply, Rest, Searcher, Why};
pub use spec::{ENGINES, EngineInfo, OpenError, Spec, SpecError};
pub use terms::SignedTerms;
