//! The protocols by which sites address robots: robots.txt (RFC 9309), the directives of
//! `X-Robots-Tag` headers and `<meta>` tags, and the TDM Reservation Protocol.
//!
//! Bytes in, rules out: nothing here opens a socket or reads a file or a clock. Fetching
//! robots.txt, and what a missing or failing one means, is the business of `forage-http`.

mod directives;
mod pattern;
mod reservations;
mod robots_txt;

pub use directives::parse_directives;
pub use reservations::{Reservations, parse_reservation};
pub use robots_txt::{RobotsTxt, is_url_allowed};

/// The product token under which robots.txt and directives address this software.
pub const PRODUCT_TOKEN: &str = "forage";
