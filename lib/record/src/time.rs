//! Times as in records and archives: RFC 3339 in UTC, to the second.

use std::time::{SystemTime, UNIX_EPOCH};

/// Returns the current time in RFC 3339, in UTC, to the second.
pub fn now_rfc3339() -> String {
    format_rfc3339(SystemTime::now())
}

/// Formats a time in RFC 3339, in UTC, to the second.
pub fn format_rfc3339(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let time = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| chrono::DateTime::from_timestamp(seconds, 0));
    time.unwrap_or_default()
        .to_rfc3339_opts(chrono::SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::now_rfc3339;

    #[test]
    fn times_are_rfc_3339_in_utc() {
        let now = now_rfc3339();
        assert!(
            now.len() == 20 && now.ends_with('Z') && now.starts_with("20"),
            "{now}"
        );
    }
}
