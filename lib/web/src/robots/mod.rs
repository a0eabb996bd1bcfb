//! Protocols by which sites give rules to robots: robots.txt (RFC 9309), the directives of
//! `X-Robots-Tag` header fields and `<meta>` tags, and the TDM Reservation Protocol.
//!
//! The parsers are pure: no sockets, files or clock. `forage-http` fetches robots.txt and decides
//! what a missing or failing one means; `forage-extract` reads the directives of a page.
//!
//! robots.txt has a parser of ours because the crates for it are no longer maintained, and it is
//! small.

mod directives;
mod pattern;
mod reservations;
mod robots_txt;

pub use directives::parse_directives;
pub use reservations::{Reservations, parse_reservation};
pub use robots_txt::{RobotsTxt, find_sitemaps, is_url_allowed};

/// The product token of this software, by which robots.txt and directives address it.
pub const PRODUCT_TOKEN: &str = "forage";
