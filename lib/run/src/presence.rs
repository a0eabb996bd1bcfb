//! Whether a page that is asked for again is still there.

use forage_record::time::parse_rfc3339;
use forage_record::{Fetch, Previous, Record, field};
use std::time::Duration;

/// How long a page must be away before it is gone: a server may lose its pages for an hour.
const AWAY: Duration = Duration::from_hours(24);

/// What the answer to a request for a page that was known says of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is there, or the server has failed.
    There,
    /// It is away, and may come back.
    Away,
    /// It was away a day ago, too.
    Gone,
}

/// Returns what a record says of the page that it asks for again.
pub(crate) fn presence(record: &Record, previous: &Previous) -> Presence {
    let fetch = fetch_of(record);
    let mut robots = fetch.robots.iter().flat_map(|robots| robots.split(','));
    let is_closed = robots.any(|word| matches!(word.trim(), "noindex" | "none"));
    if !is_closed && !matches!(fetch.status, Some(404 | 410)) {
        return Presence::There;
    }
    let time = |text: &Option<String>| parse_rfc3339(text.as_deref()?);
    match (time(&previous.away), time(&fetch.at)) {
        (Some(since), Some(at)) if at >= since + AWAY => Presence::Gone,
        _ => Presence::Away,
    }
}

/// Returns what a record says of its fetched page.
pub(crate) fn fetch_of(record: &Record) -> Fetch {
    record.view(field::FETCH).ok().flatten().unwrap_or_default()
}
