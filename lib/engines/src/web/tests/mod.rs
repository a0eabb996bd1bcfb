//! Tests of what the adapters share.

pub(super) mod helpers;

use super::{HitRange, shorten_message};
use crate::EngineCapabilities;
use helpers::{failure_message, parse_body};

/// A response with one hit from each engine that responds in JSON.
const RESPONSES: [(&str, &str); 10] = [
    ("searxng", r#"{"results":[{"url":"http://č.test/"}]}"#),
    (
        "mediawiki",
        r#"{"query":{"search":[{"title":"č","snippet":"<b>č</b> &amp;"}]}}"#,
    ),
    (
        "brave",
        r#"{"type":"search","web":{"results":[{"url":"http://č.test/"}]}}"#,
    ),
    (
        "mojeek",
        r#"{"response":{"status":"OK","results":[{"url":"http://č.test/"}]}}"#,
    ),
    ("marginalia", r#"{"results":[{"url":"http://č.test/"}]}"#),
    (
        "opensearch",
        r#"{"hits":{"hits":[{"_source":{"url":"http://č.test/"}}]}}"#,
    ),
    (
        "quickwit",
        r#"{"num_hits":1,"hits":[{"url":"http://č.test/"}]}"#,
    ),
    (
        "solr",
        r#"{"response":{"numFound":1,"docs":[{"url":"http://č.test/"}]}}"#,
    ),
    (
        "yacy",
        r#"{"channels":[{"items":[{"link":"http://č.test/"}]}]}"#,
    ),
    ("gdelt", r#"{"articles":[{"url":"http://č.test/"}]}"#),
];

#[test]
fn a_truncated_or_changed_response_never_means_no_hits() {
    for (prefix, body) in RESPONSES {
        assert_eq!(
            parse_body(prefix, 200, body).map(|page| page.hits.len()),
            Ok(1),
            "{prefix}"
        );
        for (index, _) in body.char_indices() {
            assert!(
                parse_body(prefix, 200, &body[..index]).is_err(),
                "{prefix}: {}",
                &body[..index]
            );
            for inserted in ["\u{0}", "[", "}", "\"", "9", "\\"] {
                let changed = format!("{}{inserted}{}", &body[..index], &body[index..]);
                let result = parse_body(prefix, 200, &changed);
                // Brave omits `web` if there are no hits, so a misspelled `web` means none.
                let is_empty = result.is_ok_and(|page| page.hits.is_empty());
                assert!(!is_empty || prefix == "brave", "{prefix}: {changed}");
            }
        }
    }
}

#[test]
fn messages_are_shortened_after_the_key_is_redacted() {
    let message_with_key_after = |length: usize| {
        failure_message(
            "Basic bWU6c2VzYW1l",
            &format!("{}{}", "x".repeat(length), "bWU6c2VzYW1l sesame"),
        )
    };
    for length in 300..=410 {
        let message = message_with_key_after(length);
        assert!(
            !["bWU", "c2Vz", "ses", "VzYW1"]
                .iter()
                .any(|part| message.contains(part)),
            "{message}"
        );
    }
    assert_eq!(shorten_message(&"č".repeat(500)).chars().count(), 401);
}

#[test]
fn a_range_is_within_the_limits_per_page_and_per_query() {
    let capabilities = EngineCapabilities {
        max_page_size: Some(20),
        max_hits: Some(50),
        ..EngineCapabilities::COMMON
    };
    let range = |page, size| {
        let HitRange { size, start, .. } = HitRange::for_page(&capabilities, page, size);
        (start, size)
    };
    assert_eq!(
        [range(1, 10), range(1, 100), range(3, 20), range(9, 20)],
        [(0, 10), (0, 20), (40, 10), (160, 1)]
    );
    assert!(
        HitRange::for_page(&capabilities, 2, 10).is_followed_by_hits(21)
            && !HitRange::for_page(&capabilities, 2, 10).is_followed_by_hits(20)
    );
}
