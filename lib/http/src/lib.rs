//! HTTP: exchanges, and fetching pages politely; the only crate with sockets, and the only one with
//! `async`.
//!
//! An [`Exchange`] is a request and its answer; what fetching a page brought, redirects and all, is
//! a [`FetchResult`], which archives keep. Neither knows where it came from. [`Fetcher`] fetches
//! pages: it takes URLs at once and calls back when each has come, so that to the outside nothing
//! is `async`. [`ApiClient`] asks one server after another question and waits for the answer, as a
//! search engine is asked.
//!
//! Behind the fetcher: `page_url` has the URL as it is fetched, `queue` keeps the pages that wait
//! by host, `session` follows one page along its `redirect_chain` (`soft_404` notes where the end
//! of it looks like no page), `hosts` keeps turns and delays and gives up dead hosts, `host_store`
//! what later runs should know of them, `rules` asks robots.txt for permission, `tdm` for
//! reservations, both once for each origin (`cache`), `address` and `resolve` see to it that only
//! the open web is connected to, `transport` makes one exchange, `memory_budget` bounds the memory
//! of bodies under way, and `readers` do the work on pages that have come. A client for HTTPS is
//! made with the first HTTPS page.
//!
//! What stands in a page is not read here, nor are archives: fetching knows them as
//! [`ArchivedPages`].

mod address;
mod api_client;
mod cache;
mod cookies;
mod decode;
mod error;
mod exchange;
mod failure;
mod fetch_result;
mod fetcher;
mod headers;
mod host_store;
mod hosts;
mod memory_budget;
pub mod page_url;
mod queue;
mod readers;
mod redirect_chain;
mod resolve;
mod retry_after;
mod rules;
mod session;
mod settings;
mod soft_404;
mod tdm;
pub mod time;
mod transport;

pub use api_client::{ApiClient, ApiError, ApiRequest, ApiResponse};
pub use error::{FetchError, SetupError, Truncation};
pub use exchange::{Exchange, RecordReference};
pub use fetch_result::{FetchResult, PageResponse};
pub use fetcher::Fetcher;
pub use host_store::HostStore;
pub use queue::PageRequest;
pub use settings::{ArchivedPages, Settings, resolve_connect_to};
pub use soft_404::SAME_BODY;
