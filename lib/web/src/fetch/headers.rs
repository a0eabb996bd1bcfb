//! What an answer's headers say of the page.

use super::AGENT;
use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderName, RETRY_AFTER};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Header of the TDM Reservation Protocol (W3C Community Group report, 2024).
const TDM_RESERVATION: HeaderName = HeaderName::from_static("tdm-reservation");

/// A header's value; of several, the first.
pub(super) fn value(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

/// Whether text and data mining is reserved; `None` where the header does not say.
pub(super) fn tdm_reservation(headers: &HeaderMap) -> Option<bool> {
    crate::reservations::flag(&value(headers, TDM_RESERVATION)?)
}

/// The content codings in the order in which they were applied.
pub(super) fn codings(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all(CONTENT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|coding| coding.trim().to_ascii_lowercase()).collect()
}

/// How long to wait before asking again: seconds or a date (RFC 9110 §10.2.3).
pub(super) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = value(headers, RETRY_AFTER)?;
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = chrono::DateTime::parse_from_rfc2822(&value).ok()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    let seconds = u64::try_from(date.timestamp()).ok()?.checked_sub(now)?;
    Some(Duration::from_secs(seconds))
}

/// The directives of `X-Robots-Tag`, without those that name another robot.
pub(super) fn robots_tag(headers: &HeaderMap) -> Vec<String> {
    let mut found = Vec::new();
    for value in headers.get_all("x-robots-tag").iter().filter_map(|value| value.to_str().ok()) {
        let value = value.to_ascii_lowercase();
        let directives = match value.split_once(':') {
            Some((agent, rest)) if agent.trim() == AGENT => rest,
            // These directives have a value of their own; any other word before a colon is a robot's name.
            Some((word, _)) if !has_value(word) => continue,
            _ => &value,
        };
        found.extend(directives.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned));
    }
    found
}

fn has_value(word: &str) -> bool {
    let last = word.rsplit(',').next().unwrap_or_default().trim();
    matches!(last, "unavailable_after" | "max-snippet" | "max-image-preview" | "max-video-preview")
}

#[cfg(test)]
mod tests {
    use super::{retry_after, robots_tag};
    use reqwest::header::{HeaderMap, HeaderValue, RETRY_AFTER};
    use std::time::Duration;

    #[test]
    fn directives_for_other_robots_are_passed_over() {
        let mut headers = HeaderMap::new();
        for value in ["noindex, NoAI", "otherbot: nofollow", "forage: noarchive", "unavailable_after: 1 Jan 2030"] {
            headers.append("x-robots-tag", HeaderValue::from_static(value));
        }
        assert_eq!(robots_tag(&headers), ["noindex", "noai", "noarchive", "unavailable_after: 1 jan 2030"]);
    }

    #[test]
    fn the_time_to_wait_is_seconds_or_a_date() {
        let after = |value| retry_after(&HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static(value))]));
        assert_eq!(after("120"), Some(Duration::from_secs(120)));
        assert_eq!(after("soon"), None);
        assert_eq!(after("Wed, 21 Oct 2015 07:28:00 GMT"), None);
        assert!(after("Wed, 21 Oct 2150 07:28:00 GMT").is_some());
    }
}
