//! The `Retry-After` header: when a server wants to be asked again (RFC 9110 §10.2.3).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// When a server wants to be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryAfter {
    /// After this time; a number past all bounds is the longest there is.
    Delay(Duration),
    /// At this time, which may be past.
    At(SystemTime),
}

impl RetryAfter {
    /// Reads a header: seconds, or a date in any form of HTTP (RFC 9110 §5.6.7) or of mail (RFC
    /// 2822).
    pub fn parse(value: &str) -> Option<RetryAfter> {
        let value = value.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(RetryAfter::Delay(Duration::from_secs(
                value.parse().unwrap_or(u64::MAX),
            )));
        }
        let of_mail = || {
            let seconds = chrono::DateTime::parse_from_rfc2822(value)
                .ok()?
                .timestamp();
            UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))
        };
        httpdate::parse_http_date(value)
            .ok()
            .or_else(of_mail)
            .map(RetryAfter::At)
    }
}

#[cfg(test)]
mod tests {
    use super::RetryAfter;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn a_time_to_wait_is_seconds_or_a_date() {
        assert_eq!(
            RetryAfter::parse(" 7 "),
            Some(RetryAfter::Delay(Duration::from_secs(7)))
        );
        let longest = Some(RetryAfter::Delay(Duration::from_secs(u64::MAX)));
        assert_eq!(RetryAfter::parse("99999999999999999999"), longest);
        let at = Some(RetryAfter::At(
            UNIX_EPOCH + Duration::from_secs(1_445_412_480),
        ));
        for date in [
            "Wed, 21 Oct 2015 07:28:00 GMT",
            "Wednesday, 21-Oct-15 07:28:00 GMT",
            "Wed Oct 21 07:28:00 2015",
            "Wed, 21 Oct 2015 09:28:00 +0200",
        ] {
            assert_eq!(RetryAfter::parse(date), at, "{date}");
        }
        assert_eq!(
            (RetryAfter::parse("soon"), RetryAfter::parse("")),
            (None, None)
        );
    }
}
