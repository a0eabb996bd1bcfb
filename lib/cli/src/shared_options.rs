//! Options that several tools have, and that pipelines hand on to them.

use crate::args::{parse_contact, parse_positive};
use forage_record::time::{now, parse_rfc3339};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

/// The seed of a tool that makes random choices.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Seed {
    /// Seed of the random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Who asks, for the people who run the servers.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Contact {
    /// Mail address or URL to send to hosts and engines [default: $FORAGE_CONTACT]
    ///
    /// Webmasters can reach you by it. Without one, nothing is fetched from the open web; some
    /// engines require it, too.
    #[arg(long, value_name = "MAIL", value_parser = parse_contact)]
    pub contact: Option<String>,
}

/// How pages are fetched.
#[derive(Debug, Clone, clap::Args)]
pub struct Politeness {
    /// Who asks.
    #[command(flatten)]
    pub contact: Contact,

    /// Send all connections to this address, as with curl
    ///
    /// URL and Host header stay the same.
    #[arg(long, value_name = "HOST:PORT")]
    pub connect_to: Option<String>,

    /// Pause between two requests to a host, in seconds
    ///
    /// With 0, the Crawl-delay of hosts is ignored too.
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = parse_seconds)]
    pub delay: Duration,

    /// Time limit per request, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = parse_positive_seconds)]
    pub timeout: Duration,

    /// Reject pages that opt out of text mining (noai, TDM Reservation Protocol)
    #[arg(long)]
    pub respect_optout: bool,
}

/// The pages of hits of an engine.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct Paging {
    /// Hits per page, if the engine lets the client choose
    #[arg(
        long,
        value_name = "N",
        default_value = "10",
        value_parser = parse_positive::<NonZeroU32>
    )]
    pub page_size: NonZeroU32,

    /// Maximum number of pages per query and engine, cached ones included
    #[arg(
        long,
        value_name = "N",
        default_value = "10",
        value_parser = parse_positive::<NonZeroU32>
    )]
    pub max_pages: NonZeroU32,
}

/// How old stored answers may be.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct Refresh {
    /// Ask again for what was last asked longer ago than AGE, as in 6d, 12h or 0
    ///
    /// That is answers of engines, sitemaps, feeds and fetched pages; pages conditionally, so that
    /// one that has not changed is not sent again. AGE can also be a time, as in
    /// 2026-01-05T06:00:00Z: what was asked before it is asked again.
    #[arg(long, value_name = "AGE", value_parser = parse_age)]
    pub refresh: Option<SystemTime>,
}

/// Parses an age in days or hours, or a time; returns the time before which what was asked is
/// older.
///
/// # Errors
/// Fails if `text` is neither.
pub fn parse_age(text: &str) -> Result<SystemTime, &'static str> {
    let hours = match text.split_at_checked(text.len().saturating_sub(1)) {
        _ if text == "0" => Some(0),
        Some((days, "d")) => days.parse::<u32>().ok().map(|days| u64::from(days) * 24),
        Some((hours, "h")) => hours.parse::<u32>().ok().map(u64::from),
        _ => None,
    };
    let time = match hours {
        Some(hours) => now().checked_sub(Duration::from_hours(hours)),
        None => parse_rfc3339(text),
    };
    time.ok_or("is no age, as in 6d, 12h or 0")
}

/// The hosts whose pages are taken.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Scope")]
pub struct HostLists {
    /// Only take pages of the hosts in this file, and of their subdomains
    ///
    /// One host per line; empty lines and lines that start with `#` are ignored.
    #[arg(long, value_name = "FILE")]
    pub hosts_allow: Option<PathBuf>,

    /// Take no pages of the hosts in this file, nor of their subdomains
    #[arg(long, value_name = "FILE")]
    pub hosts_deny: Option<PathBuf>,
}

/// Parses a duration in seconds, zero included.
///
/// # Errors
/// Fails if `text` is none.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let number = text
        .parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    number.ok_or_else(|| "not a number of seconds from 0, or too large".into())
}

/// Parses a duration in seconds above zero.
fn parse_positive_seconds(text: &str) -> Result<Duration, String> {
    parse_seconds(text)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "not a number of seconds above 0, or too large".into())
}
