//! Names of the top-level keys.

/// The step that the record belongs to; by `gen-query`.
pub const STEP: &str = "step";
/// The query that brought the record; by `gen-query`.
pub const QUERY: &str = "query";
/// The absolute URL; by `search` or the user.
pub const URL: &str = "url";
/// How a search engine answered; by `search`.
pub const HIT: &str = "hit";
/// The document's identity; by `fetch-extract`, the index, or the user.
pub const ID: &str = "id";
/// The document's title; by whoever wrote the text.
pub const TITLE: &str = "title";
/// The document's text: NFC, paragraphs separated by one line feed.
pub const TEXT: &str = "text";
/// A page as it came, to be extracted without the network; by the user.
pub const HTML: &str = "html";
/// What fetching the page brought beside its text; by `fetch-extract`.
pub const FETCH: &str = "fetch";
/// The page's links; by `fetch-extract --links`.
pub const LINKS: &str = "links";
/// Whether the document is a twin of an earlier one; by `dedup`.
pub const DEDUP: &str = "dedup";
/// The language of the text; by `langid`.
pub const LANGID: &str = "langid";
/// The class of the document; by `langid`, another filter, or the user.
pub const LABEL: &str = "label";
/// Why a tool could not serve the record; by any tool.
pub const ERROR: &str = "error";
