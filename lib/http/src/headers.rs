//! Header fields of requests and responses.

use crate::retry_after::RetryAfter;
use forage_record::time::now;
use forage_web::robots::{PRODUCT_TOKEN, parse_directives, parse_reservation};
use reqwest::header::{
    CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderMap,
    HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, RETRY_AFTER, TRANSFER_ENCODING,
};
use std::time::{Duration, UNIX_EPOCH};

/// Header field of the TDM Reservation Protocol (W3C Community Group report, 2024).
const TDM_RESERVATION: HeaderName = HeaderName::from_static("tdm-reservation");

/// Returns the value of a header field; the first, if there are several.
pub(crate) fn header_value(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    headers
        .get(name)
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
}

/// Returns the value of `Content-Type`; several are joined.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<String> {
    joined_values(headers, CONTENT_TYPE)
}

/// Returns the values of a header field, joined by commas (RFC 9110, section 5.3).
pub(crate) fn joined_values(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let values = headers.get_all(name).iter();
    values
        .map(|value| String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
        .reduce(|all, value| format!("{all}, {value}"))
}

/// Returns `true` if text and data mining is reserved, `false` if it is not, and `None` if the
/// header field is missing or malformed.
pub(crate) fn tdm_reservation(headers: &HeaderMap) -> Option<bool> {
    parse_reservation(&joined_values(headers, TDM_RESERVATION)?)
}

/// Returns the content codings in the order of their application, in lower case.
pub(crate) fn content_codings(headers: &HeaderMap) -> Vec<String> {
    headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|coding| coding.trim().to_ascii_lowercase())
        .collect()
}

/// Longest delay that is returned for `Retry-After`. It exceeds every limit of the callers, so
/// larger values are equivalent.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(24 * 365);

/// Returns the delay that `Retry-After` requests; `None` if it is missing or malformed, or its date
/// is past.
pub(crate) fn retry_after_delay(headers: &HeaderMap) -> Option<Duration> {
    let value = header_value(headers, RETRY_AFTER)?;
    let delay = match RetryAfter::parse(&value)? {
        RetryAfter::Delay(delay) => delay,
        RetryAfter::Date(date) => {
            // Compared in whole seconds, the resolution of HTTP dates.
            let [date, now] =
                [date, now()].map(|time| time.duration_since(UNIX_EPOCH).unwrap_or_default());
            Duration::from_secs(date.as_secs().checked_sub(now.as_secs())?)
        }
    };
    Some(delay.min(MAX_RETRY_AFTER))
}

/// Returns the directives of `X-Robots-Tag`, without those for other robots.
pub(crate) fn robots_directives(headers: &HeaderMap) -> Vec<String> {
    headers
        .get_all("x-robots-tag")
        .iter()
        .flat_map(|value| {
            parse_directives(&String::from_utf8_lossy(value.as_bytes()), PRODUCT_TOKEN)
        })
        .collect()
}

/// Header fields that describe the stored body or the connection. A 304 response does not update
/// them, even if it contains them (RFC 9111, section 3.2).
const NOT_UPDATED: [HeaderName; 6] = [
    CONTENT_ENCODING,
    CONTENT_LENGTH,
    CONTENT_RANGE,
    CONTENT_TYPE,
    TRANSFER_ENCODING,
    CONNECTION,
];

/// Returns the header fields of a stored response, updated by those of a 304 response (RFC 9111,
/// section 4.3.4).
pub fn update_stored_headers(mut stored: HeaderMap, not_modified: &HeaderMap) -> HeaderMap {
    for name in not_modified
        .keys()
        .filter(|name| !NOT_UPDATED.contains(name))
    {
        stored.remove(name);
        for value in not_modified.get_all(name) {
            stored.append(name, value.clone());
        }
    }
    stored
}

/// Returns `true` if a 304 response is about a stored one: both have the same `ETag` or, if the 304
/// response has none, the same `Last-Modified` (RFC 9111, section 4.3.4).
pub(crate) fn confirms_stored(not_modified: &HeaderMap, stored: &HeaderMap) -> bool {
    let validator = |headers, name: &HeaderName| {
        header_value(headers, name.clone()).map(|value| value.trim_start_matches("W/").to_owned())
    };
    let mut names = [ETAG, LAST_MODIFIED].into_iter();
    let name = names.find(|name| not_modified.contains_key(name));
    name.is_none_or(|name| validator(not_modified, &name) == validator(stored, &name))
}

/// Returns the header fields of a conditional request with the validators of a stored response (RFC
/// 9110, section 13.1).
pub(crate) fn conditional_headers(stored: &HeaderMap) -> HeaderMap {
    let pairs = [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)];
    pairs
        .into_iter()
        .filter_map(|(validator, condition)| Some((condition, stored.get(validator)?.clone())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{conditional_headers, retry_after_delay, robots_directives, update_stored_headers};
    use reqwest::header::{ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, RETRY_AFTER};
    use std::time::Duration;

    #[test]
    fn skips_directives_for_other_robots() {
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
            robots_directives(&headers),
            [
                "noindex",
                "noai",
                "noarchive",
                "unavailable_after: 1 jan 2030"
            ]
        );
    }

    #[test]
    fn a_304_response_updates_headers_except_those_of_the_body() {
        let headers = |list: &[(&'static str, &'static str)]| -> HeaderMap {
            let mut headers = HeaderMap::new();
            for (name, value) in list {
                headers.append(*name, HeaderValue::from_static(value));
            }
            headers
        };
        let stored = headers(&[
            ("content-type", "text/html"),
            ("x-robots-tag", "all"),
            ("etag", "1"),
            ("a", "b"),
        ]);
        let not_modified = [
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
        assert_eq!(
            update_stored_headers(stored, &headers(&not_modified)),
            expected
        );
    }

    #[test]
    fn validators_become_preconditions() {
        let stored = HeaderMap::from_iter([(ETAG, HeaderValue::from_static("\"x\""))]);
        assert_eq!(conditional_headers(&stored)[IF_NONE_MATCH], "\"x\"");
        assert!(conditional_headers(&HeaderMap::new()).is_empty());
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let delay = |value| {
            retry_after_delay(&HeaderMap::from_iter([(
                RETRY_AFTER,
                HeaderValue::from_static(value),
            )]))
        };
        assert_eq!(delay("120"), Some(Duration::from_secs(120)));
        assert_eq!(delay("99999999999999999999"), delay("18446744073709551615"));
        assert_eq!(
            delay("99999999999999999999"),
            Some(Duration::from_hours(24 * 365))
        );
        assert_eq!(delay("soon"), None);
        assert_eq!(delay("Wed, 21 Oct 2015 07:28:00 GMT"), None);
        assert!(delay("Wed, 21 Oct 2150 07:28:00 GMT").is_some());
    }
}
