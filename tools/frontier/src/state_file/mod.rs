//! The frontier of a focused crawler: the URLs that wait to be fetched, ordered by the scores of
//! the pages that link to them, in one SQLite file.
//!
//! # Order
//!
//! The score of a URL is the mean score of its *parents*, the judged pages that are connected to it
//! by a link (Kluev 2000): those that link to it, and those whose in-links name it. A page is a
//! parent once, however many links there are between the two, and whatever its label. A further
//! parent changes the score and the place of a URL that waits, and nothing about one that was
//! given. URLs with equal scores are in the order of discovery. Seeds come first. Unlike the paper,
//! the list of visited URLs is never cleared, so that no URL is given twice.
//!
//! The targets of redirects are known like URLs that were given. Two URLs that lead to one page
//! make it a parent once. A page that is judged again changes nothing.
//!
//! Scores are integers (`score`): sums do not depend on the order of the parents, and a removed
//! parent leaves exactly what was there before.
//!
//! One index has this order, and another one that of the greatest score of the parents. What is
//! known of a host, a directory or a word changes for many URLs at once, so other orders
//! ([`LinkOrder`]) rest on these: [`Frontier::take_batch`] reads the best links by mean or by
//! greatest score, and orders them again by an estimate (`priority`).
//!
//! # Hosts and traps
//!
//! After two dead links in a row, a host is backed off, and its next URL is given only after other
//! URLs, whose number doubles with each further dead link (`hosts`). URLs are counted, not time, so
//! that equal input gives an equal order. Links out of the scope, and URLs of crawler traps, are
//! left out when they are found ([`CrawlScope`]).
//!
//! # Partitions
//!
//! A crawl of many machines has a frontier for each [partition](forage_web::page_url::Partition) of
//! the web, as those of BUbiNG and StormCrawler: it has the URLs of some hosts, and the pages that
//! link to them, from any host. Here, no links are sent: each frontier reads the pages of all, and
//! ignores those without a link to its hosts. A page of another partition is stored like the target
//! of a redirect, as judged but not requested, so that it counts once and can be removed. The file
//! names its partition, and is refused with another one (`stored_partition`).
//!
//! # State
//!
//! The frontier is a projection of the journal: records without a step and text are seeds, and
//! those with a step are URLs that were given and judged. A frontier that grew gives the same URLs
//! in the same order as one that was rebuilt. In the latter, a URL may get parents from its own
//! step before it is given, which changes nothing but the file.
//!
//! Each judged page is stored with what it has changed: the URLs that it is a parent of, the
//! greatest scores of their parents that it raised (`stored_links`), and the dead links of its host
//! before. So [`StepProjection::remove_from`](forage_run::StepProjection::remove_from) can take
//! back the last steps (`undo`). URLs and hosts are numbered in the order of discovery, and the
//! numbers of removed ones are used again, so that a repeated step gives the same order.
//!
//! # Cost
//!
//! A link costs a look-up by its 64-bit key, and writes in four tables and an index, of which four
//! are at or near the place of the last write. The open transaction keeps the URLs that it has
//! looked up in memory, up to a limit, and writes each once (`url_cache`). No step reads a whole
//! table; only [`Frontier::report`] does.

mod batch;
mod crawl_url;
mod frontier;
mod hosts;
mod outcomes;
mod priority;
mod projection;
mod report;
mod scope;
mod score;
mod score_field;
mod store;
mod stored_links;
mod stored_partition;
mod undo;
mod url_cache;
mod words;

pub use batch::{BatchRequest, QueuedUrl};
pub use frontier::{Frontier, JudgedPage};
pub use priority::LinkOrder;
pub use report::FrontierReport;
pub use scope::CrawlScope;
pub use score_field::{ScoreField, ScoreFieldError};
