//! The TDM file `/.well-known/tdmrep.json`: the paths of a host that are reserved against text and
//! data mining.
//!
//! The TDM Reservation Protocol (final report of the W3C Community Group, 2024, "TDM File on the
//! Origin Server") defines an array of rules; the first rule that matches a path decides. Locations
//! match as in robots.txt; `%24` and `%2A` stand for literal `$` and `*`. Invalid rules are
//! skipped.

use crate::robots::pattern::{Pattern, comparable_path};
use serde_json::{Value, json};

/// The reservations of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reservations {
    /// The rules in their order: a location, and true if it is reserved.
    rules: Vec<(Pattern, bool)>,
}

impl Reservations {
    /// Parses a file. An invalid file has no rules.
    pub fn parse(file: &[u8]) -> Reservations {
        let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        let rules = match serde_json::from_slice(file) {
            Ok(Value::Array(rules)) => rules,
            // Some files have a single rule without the array.
            Ok(rule @ Value::Object(_)) => vec![rule],
            _ => Vec::new(),
        };
        Reservations {
            rules: rules.iter().filter_map(parse_rule).collect(),
        }
    }

    /// Returns `true` if a path with its query is reserved, `false` if a rule says that it is not,
    /// and `None` if no rule matches it.
    pub fn is_reserved(&self, path: &str) -> Option<bool> {
        let path = comparable_path(path);
        self.rules
            .iter()
            .find(|(pattern, _)| pattern.matches(path.as_bytes()))
            .map(|(_, is_reserved)| *is_reserved)
    }

    /// Formats the rules as a file.
    pub fn to_text(&self) -> String {
        let rules = self.rules.iter().map(|(pattern, is_reserved)| {
            json!({
                "location": pattern.to_text(),
                "tdm-reservation": u8::from(*is_reserved),
            })
        });
        Value::Array(rules.collect()).to_string()
    }

    /// Returns the approximate memory of the rules, in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.rules
            .iter()
            .map(|(pattern, _)| size_of::<(Pattern, bool)>() + pattern.heap_bytes())
            .sum()
    }
}

/// Parses a rule: its location, and its reservation, which should be a number but is often written
/// as a string.
fn parse_rule(rule: &Value) -> Option<(Pattern, bool)> {
    let location = rule.get("location")?.as_str()?.trim();
    let is_reserved = match rule.get("tdm-reservation")? {
        Value::Number(number) => parse_reservation(&number.to_string())?,
        Value::String(text) => parse_reservation(text)?,
        Value::Bool(is_reserved) => *is_reserved,
        _ => return None,
    };
    Some((Pattern::new(location.as_bytes()), is_reserved))
}

/// Parses the value of `tdm-reservation` in a header field or a `<meta>` tag: `true` for 1, `false`
/// for 0, `None` for other values. Of several values, as repeated fields are joined (RFC 9110,
/// section 5.3), any 1 reserves.
pub fn parse_reservation(value: &str) -> Option<bool> {
    let parse = |value: &str| match value.trim().parse() {
        Ok(0.0) => Some(false),
        Ok(1.0) => Some(true),
        _ => None,
    };
    value.split(',').filter_map(parse).max()
}

#[cfg(test)]
mod tests {
    use super::{Reservations, parse_reservation};

    #[test]
    fn any_of_several_values_reserves() {
        for (value, expected) in [
            ("0, 1", Some(true)),
            ("1, 1", Some(true)),
            ("1.0", Some(true)),
            ("0, x", Some(false)),
            ("2", None),
            ("", None),
        ] {
            assert_eq!(parse_reservation(value), expected, "{value}");
        }
        let file = Reservations::parse(br#"[{"location": "/", "tdm-reservation": 1.0}]"#);
        assert_eq!(file.is_reserved("/"), Some(true));
    }

    const FILE: &str = r#"[
        {"location": "/open/", "tdm-reservation": 0},
        {"location": "/papers/*.pdf$", "tdm-reservation": 1,
            "tdm-policy": "https://a.test/policy.json"},
        {"location": "/price-%24", "tdm-reservation": "1"},
        {"location": "/\u0161ola", "tdm-reservation": true},
        {"location": 7, "tdm-reservation": 1}, "x", {"location": "/none"}
    ]"#;

    #[test]
    fn the_first_matching_rule_decides() {
        let file = Reservations::parse(FILE.as_bytes());
        assert_eq!(file.is_reserved("/open/papers/x.pdf"), Some(false));
        assert_eq!(file.is_reserved("/papers/2024/x.pdf"), Some(true));
        assert_eq!(
            (
                file.is_reserved("/papers/x.pdf?y"),
                file.is_reserved("/none"),
                file.is_reserved("/Open/")
            ),
            (None, None, None)
        );
        assert_eq!(
            (
                file.is_reserved("/price-$9"),
                file.is_reserved("/%C5%A1ola/1")
            ),
            (Some(true), Some(true))
        );
        assert_eq!(Reservations::parse(file.to_text().as_bytes()), file);
    }

    #[test]
    fn an_invalid_file_reserves_nothing() {
        for file in [
            &b""[..],
            b"<html>",
            b"{}",
            b"[1, null, {}]",
            b"\xff\xfe",
            &b"[".repeat(100_000),
        ] {
            assert_eq!(Reservations::parse(file).is_reserved("/"), None);
        }
        assert_eq!(
            Reservations::parse(b"\xEF\xBB\xBF{\"location\":\"/\",\"tdm-reservation\":1}")
                .is_reserved("/"),
            Some(true)
        );
    }
}
