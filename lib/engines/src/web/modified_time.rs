//! Times of feeds and sitemaps: those of W3CDTF (www.w3.org/TR/NOTE-datetime), which Atom and
//! sitemaps have, and of RFC 822, which RSS has.

use chrono::{DateTime, Datelike, NaiveDate};

/// Returns a date or time of W3CDTF, of any precision, as it is, and one of RFC 822 as one of RFC
/// 3339; only the date if its time cannot be read. `None` if it is none of the web.
pub(super) fn parse_time(text: &str) -> Option<String> {
    if let Some(time) = parse_rfc822(text) {
        return Some(time);
    }
    let (date, time) = text.split_at_checked(10).unwrap_or((text, ""));
    let rest = "0000-01-01".get(date.len()..)?;
    let day = NaiveDate::parse_from_str(&format!("{date}{rest}"), "%F").ok()?;
    let is_whole = date.starts_with(|c: char| c.is_ascii_digit())
        && (time.is_empty() || time.starts_with(['T', 't', 'Z', '+', ' ']));
    let is_date = matches!(date.len(), 4 | 7 | 10) && (1990..2100).contains(&day.year());
    let is_time = ["%FT%T%.f%#z", "%FT%R%#z"]
        .iter()
        .any(|form| DateTime::parse_from_str(text, form).is_ok());
    (is_date && is_whole).then(|| if is_time { text } else { date }.to_owned())
}

/// Returns a time of RFC 822, in which many writers have a wrong day of the week, whole names, or
/// zones of their own: the date counts then, or if there is no time.
fn parse_rfc822(text: &str) -> Option<String> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let mut words = text[start..].split_whitespace();
    let (day, month, year) = (words.next()?, words.next()?.get(..3)?, words.next()?);
    let parse = |time: &str| DateTime::parse_from_rfc2822(&format!("{day} {month} {year} {time}"));
    if let Ok(time) = parse(&words.collect::<Vec<_>>().join(" ")) {
        return Some(time.to_rfc3339());
    }
    Some(parse("00:00 GMT").ok()?.date_naive().to_string())
}

#[cfg(test)]
mod tests {
    use super::parse_time;

    #[test]
    fn dates_are_those_of_w3cdtf_and_rfc_822() {
        for (text, expected) in [
            ("2024", Some("2024")),
            ("2024-03", Some("2024-03")),
            ("2024-03-05", Some("2024-03-05")),
            ("2024-03-05T10:00+01:00", Some("2024-03-05T10:00+01:00")),
            ("2024-03-05T10:00:00.5Z", Some("2024-03-05T10:00:00.5Z")),
            ("2024-03-05 10:00:00", Some("2024-03-05")),
            ("0000-00-00", None),
            ("0001-01-01T00:00:00Z", None),
            ("2024-13-45", None),
            ("2024-3-5", None),
            ("+2024-03-15", None),
            ("2024-03-055", None),
            ("2024-03-05-06", None),
            ("2024-03-05x", None),
            ("20", None),
            ("yesterday, at ž", None),
            (
                "Tue, 05 Mar 2024 10:00:00 +0100",
                Some("2024-03-05T10:00:00+01:00"),
            ),
            (
                "Monday 5 March 24 10:00 EST",
                Some("2024-03-05T10:00:00-05:00"),
            ),
            ("Tue, 05 Mar 2024 10:00:00 CET", Some("2024-03-05")),
            ("Tue, 05 Mar 2024", Some("2024-03-05")),
            ("Tue, 35 Mar 2024 10:00:00 GMT", None),
        ] {
            assert_eq!(parse_time(text).as_deref(), expected, "{text}");
        }
    }
}
