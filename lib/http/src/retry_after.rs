//! The `Retry-After` header field (RFC 9110, section 10.2.3).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The value of `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetryAfter {
    /// A delay; numbers out of range are the longest possible one.
    Delay(Duration),
    /// A date, which may be past.
    Date(SystemTime),
}

impl RetryAfter {
    /// Parses the field: a number of seconds, or a date in a format of HTTP (RFC 9110, section
    /// 5.6.7) or of mail (RFC 2822).
    pub fn parse(value: &str) -> Option<RetryAfter> {
        let value = value.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(RetryAfter::Delay(Duration::from_secs(
                value.parse().unwrap_or(u64::MAX),
            )));
        }
        httpdate::parse_http_date(value)
            .ok()
            .or_else(|| parse_mail_date(value))
            .map(RetryAfter::Date)
    }
}

fn parse_mail_date(value: &str) -> Option<SystemTime> {
    let date = chrono::DateTime::parse_from_rfc2822(value).ok()?;
    UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(date.timestamp()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::RetryAfter;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn parses_seconds_and_dates() {
        assert_eq!(
            RetryAfter::parse(" 7 "),
            Some(RetryAfter::Delay(Duration::from_secs(7)))
        );
        let longest = Some(RetryAfter::Delay(Duration::from_secs(u64::MAX)));
        assert_eq!(RetryAfter::parse("99999999999999999999"), longest);
        let expected = Some(RetryAfter::Date(
            UNIX_EPOCH + Duration::from_secs(1_445_412_480),
        ));
        for date in [
            "Wed, 21 Oct 2015 07:28:00 GMT",
            "Wednesday, 21-Oct-15 07:28:00 GMT",
            "Wed Oct 21 07:28:00 2015",
            "Wed, 21 Oct 2015 09:28:00 +0200",
        ] {
            assert_eq!(RetryAfter::parse(date), expected, "{date}");
        }
        assert_eq!(
            (RetryAfter::parse("soon"), RetryAfter::parse("")),
            (None, None)
        );
    }
}
