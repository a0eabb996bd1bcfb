//! Dates of publication in the forms in which pages declare them: ISO 8601 and its short forms, RFC
//! 822, numbers between slashes, dots or hyphens, and names of months.

use crate::month_names::find_date;
use chrono::{DateTime, NaiveDate, SecondsFormat};
use regex::{Captures, Regex};
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Years in which a page of the web can be published: others are defaults such as 0001 or 1970,
/// numbers that are no years, or years of another calendar.
const YEARS: RangeInclusive<i32> = 1990..=2099;
/// Length of a text, in bytes, above which it is more than a date.
const MAX_BYTES: usize = 100;

/// The order of day and month in a date such as `05/03/2024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DateOrder {
    DayFirst,
    MonthFirst,
    /// A date is only read if one of its numbers cannot be a month, or if both are the same.
    Unknown,
}

impl DateOrder {
    /// Returns the order that is usual in a language: the day is first, except in English, where it
    /// depends on the region.
    pub fn of_language(language: Option<&str>) -> DateOrder {
        let language = language.unwrap_or_default().to_ascii_lowercase();
        let mut subtags = language.split(['-', '_']);
        let region = |subtags: std::str::Split<'_, _>| {
            subtags
                .into_iter()
                .find(|subtag| subtag.len() == 2)
                .map(str::to_owned)
        };
        match subtags.next() {
            None | Some("" | "und" | "mul") => DateOrder::Unknown,
            Some("en") => match region(subtags).as_deref() {
                None | Some("ca" | "ph") => DateOrder::Unknown,
                Some("us") => DateOrder::MonthFirst,
                Some(_) => DateOrder::DayFirst,
            },
            Some(_) => DateOrder::DayFirst,
        }
    }
}

/// Compiles a pattern of this module, which is constant.
fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a constant pattern is valid")
}

/// Year, month and day, and what follows. The hours after eight digits are ignored.
static YEAR_FIRST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) (?:^|[^0-9./-]) (?:
            (?<year>[0-9]{4}) \s*[-/.年년]\s* (?<month>[0-9]{1,2}) \s*[-/.月월]\s* (?<day>[0-9]{1,2})
            | (?<y>[0-9]{4}) (?<m>[0-9]{2}) (?<d>[0-9]{2}) (?:T?[0-9]{4}(?:[0-9]{2})?)?
        ) (?<rest>$|[^0-9].*)",
    )
});
/// Day and month in either order, and the year.
static YEAR_LAST: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x) (?:^|[^0-9./-]) (?<one>[0-9]{1,2}) \s*(?<separator>[-/.])\s* (?<two>[0-9]{1,2})
          \s*[-/.]\s* (?<year>[0-9]{4}) (?:$|[^0-9])",
    )
});
/// An English name of a month with a day before or after it, and the year.
static MONTH_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi) (?: \b(?<before>[0-9]{1,2}) (?:st|nd|rd|th)? [\s.-]+ (?:of\s+)? )?
          \b (?<name>jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec) (?<end>[a-z]*)
          [\s.,-]+ (?: (?<after>[0-9]{1,2}) (?:st|nd|rd|th)? [\s,]+ )?
          (?: [0-9]{1,2}:[0-9:]+ \s+ (?:[a-z]{3,4}\s+)? )? (?<year>[0-9]{4}) \b",
    )
});

const MONTHS: &str = "january february march april may june july august september october \
                      november december";

/// Returns the date that a text declares, or the date and time if it has the form of RFC 3339, ISO
/// 8601 or RFC 822: `2024-03-05`, `2024-03-05T10:00:00+01:00`. `order` is the order of a date whose
/// form does not tell it. Returns `None` if there is no date, or none of the web.
pub(crate) fn parse_date(text: &str, order: DateOrder) -> Option<String> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    // ISO 8601 has the minus sign of Unicode before an offset.
    let text = text.replace('\u{2212}', "-");
    let text: String = text.chars().map(ascii_digit).collect();
    if let Ok(time) = DateTime::parse_from_rfc2822(&text) {
        plausible(Some(time.date_naive()))?;
        return Some(time.to_rfc3339());
    }
    if let Some(parts) = YEAR_FIRST.captures(&text) {
        return parse_year_first(&parts);
    }
    if let Some(parts) = YEAR_LAST.captures(&text) {
        return parse_year_last(&parts, order);
    }
    let english = MONTH_NAME.captures(&text);
    let english = english.and_then(|parts| parse_month_name(&parts));
    let named = english.or_else(|| plausible(find_date(&text)));
    named.or_else(|| parse_seconds(&text))
}

/// Returns the ASCII digit for a digit of another script.
fn ascii_digit(c: char) -> char {
    const ZEROS: [char; 8] = ['٠', '۰', '०', '০', '๐', '០', '၀', '０'];
    let value = |zero: &char| {
        (c as u32)
            .checked_sub(*zero as u32)
            .filter(|value| *value < 10)
    };
    let digit = ZEROS.iter().find_map(value);
    digit
        .and_then(|digit| char::from_digit(digit, 10))
        .unwrap_or(c)
}

/// Returns a date as text if it is one of the web.
fn plausible(date: Option<NaiveDate>) -> Option<String> {
    use chrono::Datelike;
    date.filter(|date| YEARS.contains(&date.year()))
        .map(|date| date.to_string())
}

/// Returns the number that a group matched.
fn number<T: std::str::FromStr>(parts: &Captures, name: &str) -> Option<T> {
    parts.name(name)?.as_str().parse().ok()
}

fn parse_year_first(parts: &Captures) -> Option<String> {
    let year = number(parts, "year").or_else(|| number(parts, "y"))?;
    let month = number(parts, "month").or_else(|| number(parts, "m"))?;
    let day = number(parts, "day").or_else(|| number(parts, "d"))?;
    let date = plausible(NaiveDate::from_ymd_opt(year, month, day))?;
    let rest = parts.name("rest").map_or("", |rest| rest.as_str());
    let time = rest.starts_with('T').then(|| date.clone() + rest);
    Some(time.and_then(complete_time).unwrap_or(date))
}

/// Returns a time of ISO 8601 as one of RFC 3339, which has seconds, and minutes of the offset.
/// `None` if it has no offset, or is no time.
fn complete_time(time: String) -> Option<String> {
    if DateTime::parse_from_rfc3339(&time).is_ok() {
        return Some(time);
    }
    let forms = ["%FT%T%.f%#z", "%FT%R%#z"];
    let parse = |form: &str| DateTime::parse_from_str(&time, form).ok();
    let time = forms.into_iter().find_map(parse)?;
    Some(time.to_rfc3339_opts(SecondsFormat::AutoSi, true))
}

fn parse_year_last(parts: &Captures, order: DateOrder) -> Option<String> {
    let (one, two): (u32, u32) = (number(parts, "one")?, number(parts, "two")?);
    let is_dotted = parts
        .name("separator")
        .is_some_and(|separator| separator.as_str() == ".");
    let is_day_first = match order {
        _ if one > 12 || one == two => true,
        _ if two > 12 => false,
        _ if is_dotted => true,
        DateOrder::DayFirst => true,
        DateOrder::MonthFirst => false,
        DateOrder::Unknown => return None,
    };
    let (day, month) = if is_day_first { (one, two) } else { (two, one) };
    plausible(NaiveDate::from_ymd_opt(number(parts, "year")?, month, day))
}

fn parse_month_name(parts: &Captures) -> Option<String> {
    let name = (parts["name"].to_owned() + &parts["end"]).to_ascii_lowercase();
    let is_month = |month: &str| month.starts_with(&name) || name == "sept" && month == "september";
    let month = MONTHS.split(' ').position(is_month)? as u32 + 1;
    let day = number(parts, "after").or_else(|| number(parts, "before"))?;
    plausible(NaiveDate::from_ymd_opt(number(parts, "year")?, month, day))
}

/// Returns the time of a text that is a number of seconds or milliseconds since 1970.
fn parse_seconds(text: &str) -> Option<String> {
    let seconds: i64 = match text.len() {
        10 => text.parse().ok()?,
        13 => text.parse::<i64>().ok()? / 1000,
        _ => return None,
    };
    let time = DateTime::from_timestamp(seconds, 0)?;
    plausible(Some(time.date_naive()))?;
    Some(time.to_rfc3339_opts(SecondsFormat::Secs, true))
}

#[cfg(test)]
mod tests {
    use super::{DateOrder, parse_date};
    use proptest::prelude::*;

    fn parse(text: &str) -> Option<String> {
        parse_date(text, DateOrder::Unknown)
    }

    #[test]
    fn reads_the_usual_forms() {
        for text in [
            "2024-03-05",
            " 2024-03-05 10:00 ",
            "2024/03/05",
            "2024.3.5",
            "2024年3月5日",
            "2024년 3월 5일",
            "20240305",
            "20240305101500",
            "20240305T1015",
            "5. 3. 2024",
            "05.03.2024, 10:15",
            "٢٠٢٤/٠٣/٠٥",
            "२०२४-०३-०५",
            "5 March 2024",
            "5th of March, 2024",
            "March 5th, 2024 at 3 pm",
            "Mar. 5, 2024",
            "05-Mar-2024",
            "Tue Mar 05 2024 10:00:00 GMT+0100 (CET)",
            "Tue Mar  5 10:00:00 CET 2024",
            "Wed, 05 Mar 2024 10:00:00 +0100",
            "Objavljeno: 2024-03-05",
        ] {
            assert_eq!(parse(text).as_deref(), Some("2024-03-05"), "{text}");
        }
        for (text, time) in [
            (
                "Tue, 05 Mar 2024 10:00:00 +0100",
                "2024-03-05T10:00:00+01:00",
            ),
            ("5 Mar 2024 10:00:00 GMT", "2024-03-05T10:00:00+00:00"),
            ("2024-03-05T10:00:00.000Z", "2024-03-05T10:00:00.000Z"),
            ("2024-03-05T10:00+01:00", "2024-03-05T10:00:00+01:00"),
            ("2024-03-05T10:00Z", "2024-03-05T10:00:00Z"),
            ("2024-03-05T10:00:00+0100", "2024-03-05T10:00:00+01:00"),
            ("2024-03-05T10:00:00-07", "2024-03-05T10:00:00-07:00"),
            (
                "2024-03-05T10:00:00\u{2212}07:00",
                "2024-03-05T10:00:00-07:00",
            ),
            ("1709629200", "2024-03-05T09:00:00Z"),
            ("1709629200000", "2024-03-05T09:00:00Z"),
            ("30 Sept 2023", "2023-09-30"),
            ("Dec 31 2023", "2023-12-31"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(time), "{text}");
        }
    }

    #[test]
    fn the_language_decides_if_the_day_or_the_month_is_first() {
        let slashes = |language, text| parse_date(text, DateOrder::of_language(language));
        for language in ["sl", "fr-FR", "en-GB", "en_IN", "pt-BR", "ar"] {
            let date = slashes(Some(language), "05/03/2024");
            assert_eq!(date.as_deref(), Some("2024-03-05"), "{language}");
        }
        for language in ["en-US", "en-Latn-US"] {
            let date = slashes(Some(language), "03-05-2024");
            assert_eq!(date.as_deref(), Some("2024-03-05"), "{language}");
        }
        for language in [None, Some("en"), Some("en-CA"), Some("")] {
            assert_eq!(slashes(language, "05/03/2024"), None);
            assert_eq!(
                slashes(language, "25/03/2024").as_deref(),
                Some("2024-03-25")
            );
            assert_eq!(
                slashes(language, "03/25/2024").as_deref(),
                Some("2024-03-25")
            );
            assert_eq!(
                slashes(language, "03/03/2024").as_deref(),
                Some("2024-03-03")
            );
        }
    }

    #[test]
    fn rejects_texts_that_are_no_plausible_dates() {
        for text in [
            "",
            "yesterday",
            "ččččččč",
            "2024",
            "2024-03",
            "2024-13-05",
            "2024-02-30",
            "0001-01-01",
            "0001-01-01T00:00:00Z",
            "1970-01-01",
            "Thu, 01 Jan 1970 00:00:00 GMT",
            "9999-12-31",
            "1403/01/15",
            "05/03/2567",
            "12345678",
            "2024030",
            "0",
            "1.2.3",
            "10.0.0.2024",
            "May be 2024",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn reads_any_date_in_each_form(year in 1990..2100_i32, month in 1..13_u32, day in 1..29_u32) {
            let iso = format!("{year}-{month:02}-{day:02}");
            let date = chrono::NaiveDate::from_ymd_opt(year, month, day).unwrap();
            for form in ["%Y/%m/%d", "%Y%m%d", "%d.%m.%Y", "%-d. %-m. %Y", "%d %b %Y", "%B %-d, %Y"] {
                let text = date.format(form).to_string();
                prop_assert_eq!(parse(&text), Some(iso.clone()), "{}", text);
            }
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "[0-9A-Za-z/.: ,年+-]{0,30}") {
            let _ = parse(&text);
        }
    }
}
