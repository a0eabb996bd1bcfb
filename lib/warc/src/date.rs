//! Dates of records.

use chrono::{DateTime, SecondsFormat, Utc};

/// Converts a `WARC-Date` to RFC 3339 in UTC, to the second. A date that is precise to the minute,
/// the day, the month or the year (WARC 1.1, section 5.4) is converted to its beginning, one
/// without a zone is in UTC, and what is no date is converted to an empty string.
pub(crate) fn normalise_date(date: &str) -> String {
    const FIRST: &str = "0000-01-01T00:00:00";
    let date = date.trim();
    let time = date.find(['T', 't']).unwrap_or(date.len());
    let zone = date[time..]
        .find(['Z', 'z', '+', '-'])
        .map_or(date.len(), |zone| time + zone);
    let (local, zone) = date.split_at(zone);
    let is_precise_to_a_unit = matches!(local.len(), 4 | 7 | 10 | 13 | 16);
    let rest = FIRST.get(local.len()..).filter(|_| is_precise_to_a_unit);
    let rest = rest.unwrap_or_default();
    let zone = if zone.is_empty() { "Z" } else { zone };
    DateTime::parse_from_rfc3339(&format!("{local}{rest}{zone}"))
        .map(|date| {
            date.with_timezone(&Utc)
                .to_rfc3339_opts(SecondsFormat::Secs, true)
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::normalise_date;

    #[test]
    fn dates_are_normalised_to_the_second() {
        for date in [
            "2020-01-02T03:04:05Z",
            "2020-01-02T03:04:05.678901Z",
            "2020-01-02T04:04:05+01:00",
        ] {
            assert_eq!(normalise_date(date), "2020-01-02T03:04:05Z");
        }
        for (vague, beginning) in [
            ("2020", "2020-01-01T00:00:00Z"),
            ("2020-02", "2020-02-01T00:00:00Z"),
            ("2020-01-02", "2020-01-02T00:00:00Z"),
            ("2020-01-02T03:04Z", "2020-01-02T03:04:00Z"),
            ("2020-01-02T03:04+01:00", "2020-01-02T02:04:00Z"),
            ("2020-01-02T03:04:05.678", "2020-01-02T03:04:05Z"),
        ] {
            assert_eq!(normalise_date(vague), beginning, "{vague}");
        }
        for wrong in [
            "",
            "20",
            "2020-13",
            "2020-01-0",
            "yesterday",
            "čebela",
            "T",
            "2020-01-02T03:04:05ZZ",
        ] {
            assert_eq!(normalise_date(wrong), "", "{wrong}");
        }
    }
}
