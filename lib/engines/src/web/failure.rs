//! Classification of failures by HTTP status, and the error messages in responses.

use super::response::collapse_white_space;
use crate::{EngineError, EngineResponse, KeyVariable};
use serde_json::Value;

/// Fields in which engines put error messages, as JSON pointers (RFC 6901), the most specific
/// first.
const MESSAGE_POINTERS: &str = "\
    /error/detail /error/reason /error/msg /error/message /error/info /errors/0/detail /message \
    /detail /response/status /error";

/// Returns the failure that the status of a response means; `None` for success (2xx).
///
/// Status 429 means that the engine asks to wait, a server error (5xx) or 408 that it is down, or
/// unavailable until the time that it states. Any other status is a refusal, as asking again would
/// change nothing (RFC 9110, section 15).
pub(super) fn failure_from_status(
    engine: &str,
    key_variable: Option<KeyVariable>,
    response: &EngineResponse,
) -> Option<EngineError> {
    let status = response.status;
    let message = |meaning: &str| {
        let detail = error_message(&response.body).map(|detail| format!(": {detail}"));
        let detail = detail.unwrap_or_default();
        format!("{engine} returned status {status}{meaning}{detail}")
    };
    Some(match status {
        200..=299 => return None,
        300..=399 => EngineError::Refused(message(", a redirect; check the address")),
        401 | 403 => EngineError::Refused(message(&match key_variable {
            Some(KeyVariable { name, .. }) => {
                format!(", access denied (the key is read from the environment variable {name})")
            }
            None => ", access denied".into(),
        })),
        402 => EngineError::Refused(message(", the quota is exhausted or unpaid")),
        404 => EngineError::Refused(message("; check the address")),
        429 => EngineError::Throttled {
            message: message(", too many requests"),
            retry_after: response.retry_after,
        },
        400..=499 if status != 408 => EngineError::Refused(message("")),
        _ => match response.retry_after {
            Some(retry_after) => EngineError::Unavailable {
                message: message(""),
                retry_after,
            },
            None => EngineError::Down(message("")),
        },
    })
}

/// Returns the failure that an error message in a response with a status of success means: the
/// engine asks to wait, or refuses.
pub(super) fn failure_from_message(
    message: String,
    asks_to_wait: bool,
    response: &EngineResponse,
) -> EngineError {
    if asks_to_wait {
        EngineError::Throttled {
            message,
            retry_after: response.retry_after,
        }
    } else {
        EngineError::Refused(message)
    }
}

/// Returns the error message in the body of a response: a field of its JSON, or the body itself if
/// it is plain text.
pub(super) fn error_message(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{feff}').trim();
    if let Ok(json) = serde_json::from_str::<Value>(text) {
        let mut pointers = MESSAGE_POINTERS.split(' ');
        let message = pointers.find_map(|pointer| json.pointer(pointer)?.as_str());
        return message.map(collapse_white_space);
    }
    (!text.is_empty() && !text.starts_with('<')).then(|| collapse_white_space(text))
}

#[cfg(test)]
mod tests {
    use super::failure_from_status;
    use crate::{EngineError, EngineResponse, KeyVariable};
    use std::time::Duration;

    fn failure(status: u16, body: &str) -> EngineError {
        let key = KeyVariable {
            name: "X_KEY",
            is_required: true,
            content: "a key",
            place: crate::KeyPlace::Header("x-key"),
        };
        let retry_after = Some(Duration::from_secs(7));
        let response = EngineResponse {
            status,
            retry_after,
            body: body.into(),
            ..EngineResponse::default()
        };
        failure_from_status("X", Some(key), &response).unwrap()
    }

    #[test]
    fn classifies_failures_by_status() {
        for status in [301, 400, 401, 402, 403, 404, 422] {
            assert!(
                matches!(failure(status, ""), EngineError::Refused(_)),
                "{status}"
            );
        }
        for status in [408, 500, 502, 503, 504, 999] {
            assert_eq!(
                failure(status, "").to_string(),
                format!("X returned status {status}; it asks to wait 7 s")
            );
            let response = EngineResponse {
                status,
                ..EngineResponse::default()
            };
            assert!(
                matches!(
                    failure_from_status("X", None, &response),
                    Some(EngineError::Down(_))
                ),
                "{status}"
            );
        }
        assert_eq!(
            failure(429, "").to_string(),
            "X returned status 429, too many requests; it asks to wait 7 s"
        );
        assert_eq!(
            failure_from_status(
                "X",
                None,
                &EngineResponse {
                    status: 204,
                    ..EngineResponse::default()
                }
            ),
            None
        );
    }

    #[test]
    fn passes_on_the_error_message_unless_it_is_a_web_page() {
        assert_eq!(
            failure(400, r#"{"error":{"reason":"no such index"}}"#).message(),
            "X returned status 400: no such index"
        );
        assert_eq!(
            failure(500, " out of\n memory ").message(),
            "X returned status 500: out of memory"
        );
        assert_eq!(
            failure(500, "<html>oops</html>").message(),
            "X returned status 500"
        );
        let denied = "X returned status 403, access denied \
                      (the key is read from the environment variable X_KEY)";
        assert_eq!(failure(403, "").message(), denied);
    }
}
