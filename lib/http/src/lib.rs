//! HTTP exchanges and polite fetching of pages. This is the only crate that opens sockets or uses
//! `async`.
//!
//! An [`Exchange`] is a request and its response. A [`FetchResult`] is the redirect chain of a page
//! and the exchange at its end; archives store it. Neither depends on its source, which may be the
//! network or an archive. [`Fetcher`] fetches many pages concurrently: it accepts URLs and calls
//! back when a page is complete, so its interface is not `async`. [`ApiClient`] sends one request
//! after another and waits for each response; it is made for search engines.
//!
//! Below the fetcher:
//! - `page_url` normalises URLs. `host_queues` holds waiting pages by host. `workers` process
//!   fetched pages on threads of their own.
//! - `fetch_session` fetches one page along its `redirect_chain`, with `cookies`; pages redirect,
//!   too
//!   (`refresh`). `soft_404` marks results that look like error pages.
//! - `host_scheduler` keeps the delays between requests to a host and backs off from failing hosts;
//!   `host_store` saves its state for later runs. `connectivity` distinguishes an outage of the
//!   network from hosts that are down.
//! - `robots_rules` and `tdm_reservations` interpret robots.txt and tdmrep.json, each fetched once
//!   per origin (`origin_cache`).
//! - `address` and `resolver` restrict connections to public addresses. `transport` makes one
//!   exchange; `memory_budget` bounds the memory of bodies in flight, `open_files` the connections.
//!
//! Not here: parsing of pages and reading of archives, which this crate knows only as
//! [`RefreshFinder`] and [`ArchivedPages`].

mod address;
mod api_client;
mod connectivity;
mod content_coding;
mod cookies;
mod error;
mod exchange;
mod fetch_result;
mod fetch_session;
mod fetcher;
mod headers;
mod host_queues;
mod host_scheduler;
mod host_store;
mod memory_budget;
mod open_files;
mod origin_cache;
pub mod page_url;
mod redirect_chain;
mod refresh;
mod request_error;
mod resolver;
mod retry_after;
mod robots_rules;
mod settings;
mod soft_404;
mod tdm_reservations;
mod transport;
mod workers;

pub use api_client::{ApiClient, ApiError, ApiRequest, ApiResponse};
pub use error::{FetchError, SetupError, TimeLimit, Truncation};
pub use exchange::{Exchange, RecordReference};
pub use fetch_result::{FetchResult, PageResponse};
pub use fetcher::Fetcher;
pub use headers::update_stored_headers;
pub use host_queues::PageRequest;
pub use host_store::HostStore;
pub use settings::{ArchivedPages, OutageReporter, RefreshFinder, Settings, resolve_connect_to};
pub use soft_404::SAME_BODY;
