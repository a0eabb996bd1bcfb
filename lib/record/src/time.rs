//! The clock of all programs, and times as in records and archives: RFC 3339 in UTC, to the second.
//!
//! [`now`] is the only reader of the time of day. Tests of what a program does a week later set it
//! with `FORAGE_NOW`; it goes on from there, so that intervals pass as usual.

use chrono::{DateTime, NaiveDate};
use std::ops::Range;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The environment variable with the time at which the clock of a program starts, in RFC 3339.
const START_VARIABLE: &str = "FORAGE_NOW";

/// Returns the current time.
pub fn now() -> SystemTime {
    static START: OnceLock<Option<(SystemTime, Instant)>> = OnceLock::new();
    let start = START.get_or_init(|| {
        let start = std::env::var(START_VARIABLE).ok()?;
        Some((parse_rfc3339(&start)?, Instant::now()))
    });
    match start {
        Some((time, at)) => *time + at.elapsed(),
        None => SystemTime::now(),
    }
}

/// Checks the time that the environment sets, which a program would ignore if it cannot be read.
///
/// # Errors
/// Fails with a message if it is not a time in RFC 3339.
pub fn check_clock() -> Result<(), String> {
    match std::env::var_os(START_VARIABLE) {
        Some(start) if start.to_str().and_then(parse_rfc3339).is_none() => Err(format!(
            "{START_VARIABLE}: `{}` is not a time in RFC 3339, as in 2026-01-05T06:00:00Z",
            start.display()
        )),
        _ => Ok(()),
    }
}

/// Returns the current time in RFC 3339, in UTC, to the second.
pub fn now_rfc3339() -> String {
    format_rfc3339(now())
}

/// Formats a time in RFC 3339, in UTC, to the second.
pub fn format_rfc3339(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    time.unwrap_or_default()
        .to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

/// Parses a time in RFC 3339, from 1970 on; `None` if it is none.
pub fn parse_rfc3339(text: &str) -> Option<SystemTime> {
    to_system_time(DateTime::parse_from_rfc3339(text).ok()?.timestamp())
}

/// Returns the times that a date or time of W3CDTF (www.w3.org/TR/NOTE-datetime) may mean: of a
/// year, a month or a day from its start in the first time zone to its end in the last one.
pub fn parse_range(text: &str) -> Option<Range<SystemTime>> {
    let second = DateTime::parse_from_rfc3339(text).map(|time| (time, 1));
    let minute = || DateTime::parse_from_str(text, "%FT%R%#z").map(|time| (time, 60));
    if let Ok((time, precision)) = second.or_else(|_| minute()) {
        let start = time.timestamp();
        return Some(to_system_time(start)?..to_system_time(start + precision)?);
    }
    let rest = "0000-01-01".get(text.len()..)?;
    let first = NaiveDate::parse_from_str(&format!("{text}{rest}"), "%F").ok()?;
    let end = match text.len() {
        4 => first.checked_add_months(chrono::Months::new(12))?,
        7 => first.checked_add_months(chrono::Months::new(1))?,
        10 => first.succ_opt()?,
        _ => return None,
    };
    let seconds = |date: NaiveDate| date.and_time(chrono::NaiveTime::MIN).and_utc().timestamp();
    Some(to_system_time(seconds(first) - FIRST_ZONE)?..to_system_time(seconds(end) + LAST_ZONE)?)
}

/// The seconds by which a day begins before that of UTC, at most, and ends after it.
const FIRST_ZONE: i64 = 14 * 3600;
const LAST_ZONE: i64 = 12 * 3600;

fn to_system_time(seconds: i64) -> Option<SystemTime> {
    UNIX_EPOCH.checked_add(Duration::from_secs(seconds.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339_in_utc() {
        let now = now_rfc3339();
        assert!(
            now.len() == 20 && now.ends_with('Z') && now.starts_with("20"),
            "{now}"
        );
        assert_eq!(parse_rfc3339(&now).map(format_rfc3339), Some(now));
        assert_eq!(parse_rfc3339("2026-01-05"), None);
    }

    #[test]
    fn a_date_without_a_time_is_a_range() {
        let range = |text: &str| {
            parse_range(text).map(|range| [range.start, range.end].map(format_rfc3339).join(" "))
        };
        for (text, expected) in [
            ("2024", "2023-12-31T10:00:00Z 2025-01-01T12:00:00Z"),
            ("2024-03", "2024-02-29T10:00:00Z 2024-04-01T12:00:00Z"),
            ("2024-03-05", "2024-03-04T10:00:00Z 2024-03-06T12:00:00Z"),
            (
                "2024-03-05T10:00+01:00",
                "2024-03-05T09:00:00Z 2024-03-05T09:01:00Z",
            ),
            (
                "2024-03-05T10:00:00.5Z",
                "2024-03-05T10:00:00Z 2024-03-05T10:00:01Z",
            ),
        ] {
            assert_eq!(range(text).as_deref(), Some(expected), "{text}");
        }
        for text in ["", "24", "2024-3", "2024-13", "ž", "yesterday!"] {
            assert_eq!(range(text), None, "{text}");
        }
    }
}
