//! Search engines behind one trait, and the cache of their hits.
//!
//! An [`Engine`] answers a query of signed terms with pages of hits, or says in one of three ways
//! why it does not: the embedded index ([`index`], over Tantivy), and those on the web, an adapter
//! each (`remote`). [`Spec`] is how a user names one. A [`Searcher`] stands between engine and
//! user: it keeps every page that came ([`HitCache`]), knows which URLs were handed out, asks for a
//! further page only when it must, and not more often than the engine likes. [`canary`] finds out
//! whether an engine honours exclusion.
//!
//! Nothing here opens a socket: an engine on the web is given an [`Http`] to ask with.

mod abilities;
mod cache;
pub mod canary;
mod engine;
mod http;
pub mod index;
mod key;
mod pace;
mod remote;
mod searcher;
mod snippet;
mod spec;
mod terms;

pub use abilities::{Abilities, Exclusion, Longest};
pub use cache::{CacheError, HitCache};
pub use engine::{Counts, Document, Engine, EngineError, Page, PageHit};
pub use http::{Answer, Http, Request};
pub use key::{Key, KeyVariable};
pub use pace::{Pace, Patience, Waited};
pub use searcher::{Ask, Found, Limits, Picked, Reply, Rest, Searcher, Why};
pub use spec::{EngineInfo, OpenError, Spec, SpecError, engines};
pub use terms::SignedTerms;
