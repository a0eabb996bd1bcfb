//! What an HTTP status says of an engine, and what the engine says beside it.

use super::read::one_line;
use crate::{Answer, EngineError, KeyVariable};
use serde_json::Value;

/// Where engines put what went wrong in their JSON (as JSON pointers, RFC 6901).
const PLACES: [&str; 10] = [
    "/error/detail",
    "/error/reason",
    "/error/msg",
    "/error/message",
    "/error/info",
    "/errors/0/detail",
    "/message",
    "/detail",
    "/response/status",
    "/error",
];

/// The failure that an answer's status means; none for success (2xx).
///
/// "Too many requests" is an engine that asks to wait, a server's error one that is down; all else
/// is a refusal, as asking again would change nothing (RFC 9110, 15).
pub(super) fn failure(
    engine: &str,
    key: Option<KeyVariable>,
    answer: &Answer,
) -> Option<EngineError> {
    let status = answer.status;
    let told = |meaning: &str| {
        let said = said(&answer.body)
            .map(|said| format!(": {said}"))
            .unwrap_or_default();
        format!("{engine} answers {status}{meaning}{said}")
    };
    Some(match status {
        200..=299 => return None,
        300..=399 => EngineError::Refused(told(", which leads elsewhere; is the address right?")),
        401 | 403 => EngineError::Refused(told(&format!(", not allowed{}", advice(key)))),
        402 => EngineError::Refused(told(", the quota is used up or not paid")),
        404 => EngineError::Refused(told("; is the address right?")),
        429 => EngineError::Throttled {
            message: told(", too many requests"),
            retry_after: answer.retry_after,
        },
        400..=499 if status != 408 => EngineError::Refused(told("")),
        _ => match answer.retry_after {
            Some(retry_after) => EngineError::Unavailable {
                message: told(""),
                retry_after,
            },
            None => EngineError::Down(told("")),
        },
    })
}

/// What an engine means by words beside a status of success: that it wants to be asked later, or
/// that it refuses.
pub(super) fn told(message: String, asks_to_wait: bool, answer: &Answer) -> EngineError {
    if asks_to_wait {
        EngineError::Throttled {
            message,
            retry_after: answer.retry_after,
        }
    } else {
        EngineError::Refused(message)
    }
}

fn advice(key: Option<KeyVariable>) -> String {
    key.map(|key| {
        format!(
            " (its key is taken from the environment variable {})",
            key.name
        )
    })
    .unwrap_or_default()
}

/// What the engine says in the body of a failure: in its JSON, or as plain text.
pub(super) fn said(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if let Ok(json) = serde_json::from_str::<Value>(text) {
        return PLACES
            .iter()
            .find_map(|place| json.pointer(place)?.as_str())
            .map(one_line);
    }
    (!text.is_empty() && !text.starts_with('<')).then(|| one_line(text))
}

#[cfg(test)]
mod tests {
    use super::failure;
    use crate::{Answer, EngineError, KeyVariable};
    use std::time::Duration;

    fn of(status: u16, body: &str) -> EngineError {
        let key = KeyVariable {
            name: "X_KEY",
            is_needed: true,
            holds: "a key",
        };
        let retry_after = Some(Duration::from_secs(7));
        let answer = Answer {
            status,
            retry_after,
            body: body.into(),
            ..Answer::default()
        };
        failure("X", Some(key), &answer).unwrap()
    }

    #[test]
    fn each_status_has_its_kind() {
        for status in [301, 400, 401, 402, 403, 404, 422] {
            assert!(
                matches!(of(status, ""), EngineError::Refused(_)),
                "{status}"
            );
        }
        for status in [408, 500, 502, 503, 504, 999] {
            assert_eq!(
                of(status, "").to_string(),
                format!("X answers {status}; it asks to wait 7 s")
            );
            let answer = Answer {
                status,
                ..Answer::default()
            };
            assert!(
                matches!(failure("X", None, &answer), Some(EngineError::Down(_))),
                "{status}"
            );
        }
        assert_eq!(
            of(429, "").to_string(),
            "X answers 429, too many requests; it asks to wait 7 s"
        );
        assert_eq!(
            failure(
                "X",
                None,
                &Answer {
                    status: 204,
                    ..Answer::default()
                }
            ),
            None
        );
    }

    #[test]
    fn what_the_engine_says_is_passed_on_unless_it_is_a_page() {
        assert_eq!(
            of(400, r#"{"error":{"reason":"no such index"}}"#).message(),
            "X answers 400: no such index"
        );
        assert_eq!(
            of(500, " out of\n memory ").message(),
            "X answers 500: out of memory"
        );
        assert_eq!(of(500, "<html>oops</html>").message(), "X answers 500");
        let denied =
            "X answers 403, not allowed (its key is taken from the environment variable X_KEY)";
        assert_eq!(of(403, "").message(), denied);
    }
}
