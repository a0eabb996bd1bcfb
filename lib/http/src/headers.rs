//! What an answer's headers say of the page.

use crate::retry_after::RetryAfter;
use forage_robots::{PRODUCT_TOKEN, parse_directives, parse_reservation};
use reqwest::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, RETRY_AFTER, TRANSFER_ENCODING,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Header of the TDM Reservation Protocol (W3C Community Group report, 2024).
const TDM_RESERVATION: HeaderName = HeaderName::from_static("tdm-reservation");

/// A header's value; of several, the first.
pub(crate) fn value(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers
        .get(name)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

/// Whether text and data mining is reserved; `None` where the header does not say.
pub(crate) fn tdm_reservation(headers: &HeaderMap) -> Option<bool> {
    parse_reservation(&value(headers, TDM_RESERVATION)?)
}

/// The content codings in the order in which they were applied.
pub(crate) fn codings(headers: &HeaderMap) -> Vec<String> {
    let values = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .map(|coding| coding.trim().to_ascii_lowercase())
        .collect()
}

/// Longer than anybody waits; of numbers above it nothing more is asked.
const LONGEST: Duration = Duration::from_hours(24 * 365);

/// How long to wait before asking again, by `Retry-After`; nothing where its date is past.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = value(headers, RETRY_AFTER)?;
    Some(LONGEST.min(match RetryAfter::parse(&value)? {
        RetryAfter::Delay(time) => time,
        RetryAfter::At(time) => {
            // To the second, as dates are.
            let [at, now] = [time, SystemTime::now()]
                .map(|time| time.duration_since(UNIX_EPOCH).unwrap_or_default());
            Duration::from_secs(at.as_secs().checked_sub(now.as_secs())?)
        }
    }))
}

/// The directives of `X-Robots-Tag`, without those that name another robot.
pub(crate) fn robots_tag(headers: &HeaderMap) -> Vec<String> {
    let values = headers.get_all("x-robots-tag").iter();
    values
        .flat_map(|value| {
            parse_directives(&String::from_utf8_lossy(value.as_bytes()), PRODUCT_TOKEN)
        })
        .collect()
}

/// Headers that are kept with what they say of the body, though an answer without one says
/// something else (RFC 9111 §3.2).
const OF_BODY: [HeaderName; 6] = [
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_RANGE,
    CONTENT_TYPE,
    TRANSFER_ENCODING,
    CONNECTION,
];

/// The headers of a page that has not changed, with what the answer that says so adds or says anew
/// (RFC 9111 §4.3.4).
pub(crate) fn updated(mut kept: HeaderMap, now: &HeaderMap) -> HeaderMap {
    for name in now.keys().filter(|name| !OF_BODY.contains(name)) {
        kept.remove(name);
        for value in now.get_all(name) {
            kept.append(name, value.clone());
        }
    }
    kept
}

/// The headers that ask for a page only if it has changed since it came with these (RFC 9110 §13).
pub(crate) fn conditions(kept: &HeaderMap) -> HeaderMap {
    let pairs = [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)];
    pairs
        .into_iter()
        .filter_map(|(name, condition)| Some((condition, kept.get(name)?.clone())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{conditions, retry_after, robots_tag, updated};
    use reqwest::header::{ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, RETRY_AFTER};
    use std::time::Duration;

    #[test]
    fn directives_for_other_robots_are_passed_over() {
        let mut headers = HeaderMap::new();
        for value in [
            "noindex, NoAI",
            "otherbot: nofollow",
            "forage: noarchive",
            "unavailable_after: 1 Jan 2030",
        ] {
            headers.append("x-robots-tag", HeaderValue::from_static(value));
        }
        assert_eq!(
            robots_tag(&headers),
            [
                "noindex",
                "noai",
                "noarchive",
                "unavailable_after: 1 jan 2030"
            ]
        );
    }

    #[test]
    fn what_a_page_says_anew_replaces_what_it_said_and_not_what_its_body_is() {
        let headers = |list: &[(&'static str, &'static str)]| -> HeaderMap {
            let mut headers = HeaderMap::new();
            for (name, value) in list {
                headers.append(*name, HeaderValue::from_static(value));
            }
            headers
        };
        let kept = headers(&[
            ("content-type", "text/html"),
            ("x-robots-tag", "all"),
            ("etag", "1"),
            ("a", "b"),
        ]);
        let now = [
            ("content-type", "x"),
            ("content-length", "0"),
            ("x-robots-tag", "noai"),
            ("x-robots-tag", "none"),
        ];
        let expected = [("content-type", "text/html"), ("etag", "1"), ("a", "b")];
        let expected = headers(
            &[
                &expected[..],
                &[("x-robots-tag", "noai"), ("x-robots-tag", "none")],
            ]
            .concat(),
        );
        assert_eq!(updated(kept, &headers(&now)), expected);
    }

    #[test]
    fn validators_become_conditions() {
        let kept = HeaderMap::from_iter([(ETAG, HeaderValue::from_static("\"x\""))]);
        assert_eq!(conditions(&kept)[IF_NONE_MATCH], "\"x\"");
        assert!(conditions(&HeaderMap::new()).is_empty());
    }

    #[test]
    fn the_time_to_wait_is_seconds_or_a_date() {
        let after = |value| {
            retry_after(&HeaderMap::from_iter([(
                RETRY_AFTER,
                HeaderValue::from_static(value),
            )]))
        };
        assert_eq!(after("120"), Some(Duration::from_secs(120)));
        assert_eq!(after("99999999999999999999"), after("18446744073709551615"));
        assert_eq!(
            after("99999999999999999999"),
            Some(Duration::from_hours(24 * 365))
        );
        assert_eq!(after("soon"), None);
        assert_eq!(after("Wed, 21 Oct 2015 07:28:00 GMT"), None);
        assert!(after("Wed, 21 Oct 2150 07:28:00 GMT").is_some());
    }
}
