//! `/.well-known/tdmrep.json`: which pages of a host are reserved against text and data mining,
//! without the network.
//!
//! The TDM Reservation Protocol (final report of the W3C Community Group, 2024, §"TDM File on the
//! Origin Server"): an array of rules, of which the first one that matches a path decides.
//! Locations match as in robots.txt, and `$` and `*` may be meant as such, as `%24` and `%2A`. What
//! is no rule is passed over.

use crate::pattern::Pattern;
use serde_json::{Value, json};

/// What a host reserves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reservations {
    /// Locations in their order, and whether each is reserved.
    rules: Vec<(Pattern, bool)>,
}

impl Reservations {
    /// Reads a file. One that is none reserves nothing.
    pub fn parse(file: &[u8]) -> Reservations {
        let file = file.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(file);
        let rules = match serde_json::from_slice(file) {
            Ok(Value::Array(rules)) => rules,
            // Some leave out the brackets around their only rule.
            Ok(rule @ Value::Object(_)) => vec![rule],
            _ => Vec::new(),
        };
        Reservations {
            rules: rules.iter().filter_map(rule).collect(),
        }
    }

    /// Whether a path, with its query, is reserved; `None` where nothing is said of it.
    pub fn is_reserved(&self, path: &str) -> Option<bool> {
        let plain = path.replace('$', "%24").replace('*', "%2A");
        let matches = |pattern: &Pattern| {
            pattern.matches(path.as_bytes()) || pattern.matches(plain.as_bytes())
        };
        self.rules
            .iter()
            .find(|(pattern, _)| matches(pattern))
            .map(|(_, is_reserved)| *is_reserved)
    }

    /// The rules as a file that says the same.
    pub fn to_text(&self) -> String {
        let rule = |(pattern, is_reserved): &(Pattern, bool)| json!({ "location": pattern.to_text(), "tdm-reservation": u8::from(*is_reserved) });
        Value::Array(self.rules.iter().map(rule).collect()).to_string()
    }

    /// Memory that the rules take, in bytes, roughly.
    pub fn heap_bytes(&self) -> usize {
        self.rules
            .iter()
            .map(|(pattern, _)| size_of::<(Pattern, bool)>() + pattern.heap_bytes())
            .sum()
    }
}

/// A location and whether it is reserved. The value is a number, and is often written as a string.
fn rule(rule: &Value) -> Option<(Pattern, bool)> {
    let location = rule.get("location")?.as_str()?.trim();
    let is_reserved = match rule.get("tdm-reservation")? {
        Value::Number(number) => number.as_u64()? == 1,
        Value::String(text) => parse_reservation(text)?,
        Value::Bool(is_reserved) => *is_reserved,
        _ => return None,
    };
    Some((Pattern::new(location.as_bytes()), is_reserved))
}

/// The value of `tdm-reservation` in a header or a `<meta>` tag; what is neither says nothing.
pub fn parse_reservation(value: &str) -> Option<bool> {
    match value.trim() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Reservations;

    const FILE: &str = r#"[
        {"location": "/open/", "tdm-reservation": 0},
        {"location": "/papers/*.pdf$", "tdm-reservation": 1, "tdm-policy": "https://a.test/policy.json"},
        {"location": "/price-%24", "tdm-reservation": "1"},
        {"location": "/\u0161ola", "tdm-reservation": true},
        {"location": 7, "tdm-reservation": 1}, "x", {"location": "/none"}
    ]"#;

    #[test]
    fn the_first_rule_that_matches_decides() {
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
    fn a_file_that_is_none_reserves_nothing() {
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
