//! What the standards of the web say of a URL, as pure functions: no sockets, files or clock.
//!
//! - [`page_url`]: one spelling per page, hosts, directories and partitions.
//! - [`robots`]: robots.txt, robots directives, and opt-outs from text mining.

pub mod page_url;
pub mod robots;
