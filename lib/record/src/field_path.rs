//! Paths of nested fields, for output that is not JSON.

use crate::Record;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

/// The path of a field, such as `url` or `langid.code`: names separated by dots. A name of digits
/// selects an element of an array, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPath(String);

/// The text is not a path of a field.
#[derive(Debug, thiserror::Error)]
#[error("a name is empty; write fields as url,langid.code")]
pub struct FieldPathError;

impl FromStr for FieldPath {
    type Err = FieldPathError;

    /// Parses a path. Blanks around it are ignored.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        if text.split('.').any(str::is_empty) {
            return Err(FieldPathError);
        }
        Ok(FieldPath(text.to_owned()))
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FieldPath {
    /// Returns the value of the field as text: empty if it is null, and `None` if it is absent.
    ///
    /// A string is decoded, an array of simple values is joined by blanks, and any other value is
    /// its JSON text. A top-level field whose name has dots takes precedence over a path.
    pub fn read_text<'a>(&self, record: &'a Record) -> Option<Cow<'a, str>> {
        let whole = record.raw_json(&self.0);
        let json = whole.or_else(|| {
            let mut names = self.0.split('.');
            let top = record.raw_json(names.next()?)?;
            names.try_fold(top, child)
        });
        json.map(to_text)
    }

    /// Returns the name of the top-level field that the path begins with.
    pub fn top_level_name(&self) -> &str {
        self.0.split('.').next().unwrap_or_default()
    }
}

/// Returns the JSON text of a member of an object or of an element of an array.
fn child<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let value: Option<&'a RawValue> = if json.starts_with('{') {
        let members: HashMap<Cow<str>, &'a RawValue> = serde_json::from_str(json).ok()?;
        members.get(name).copied()
    } else {
        let elements: Vec<&'a RawValue> = serde_json::from_str(json).ok()?;
        elements.get(name.parse::<usize>().ok()?).copied()
    };
    value.map(RawValue::get)
}

fn to_text(json: &str) -> Cow<'_, str> {
    match json.as_bytes().first() {
        Some(b'"') => serde_json::from_str(json)
            .map(Cow::Owned)
            .unwrap_or(Cow::Borrowed(json)),
        Some(b'n') => Cow::Borrowed(""),
        Some(b'[') => join_elements(json).map_or(Cow::Borrowed(json), Cow::Owned),
        _ => Cow::Borrowed(json),
    }
}

/// Joins the elements of an array by blanks; `None` if one of them is an object or an array.
fn join_elements(json: &str) -> Option<String> {
    let elements: Vec<&RawValue> = serde_json::from_str(json).ok()?;
    let is_simple = |element: &&RawValue| !element.get().starts_with(['[', '{']);
    elements.iter().all(is_simple).then(|| {
        let texts: Vec<Cow<str>> = elements
            .iter()
            .map(|element| to_text(element.get()))
            .collect();
        texts.join(" ")
    })
}

#[cfg(test)]
mod tests {
    use super::FieldPath;
    use crate::Record;

    #[track_caller]
    fn assert_text(path: &str, expected: &str) {
        let line = r#"{"url":"http://a.test/\u010d","n":1e5,"gone":null,"a.b":"dotted",
            "langid":{"code":"slv","top":[["slv",0.9],["hrv",0.1]]},"ok":true,
            "query":{"include":["lep dan","sonce"],"exclude":[]}}"#;
        let record = Record::parse(line.replace('\n', "").into_bytes()).unwrap();
        let path: FieldPath = path.parse().unwrap();
        let text = path.read_text(&record).unwrap_or_default();
        assert_eq!(text, expected, "{path}");
    }

    #[test]
    fn reads_fields_within_fields() {
        for (path, expected) in [
            ("url", "http://a.test/č"),
            ("n", "1e5"),
            ("ok", "true"),
            ("gone", ""),
            ("none", ""),
            ("a.b", "dotted"),
            ("langid.code", "slv"),
            ("langid.top.1.0", "hrv"),
            ("langid.top", r#"[["slv",0.9],["hrv",0.1]]"#),
            ("langid.none", ""),
            ("langid.code.deeper", ""),
            ("query.include", "lep dan sonce"),
            ("query.exclude", ""),
            ("query", r#"{"include":["lep dan","sonce"],"exclude":[]}"#),
        ] {
            assert_text(path, expected);
        }
    }

    #[test]
    fn a_null_is_present_and_blanks_around_a_path_are_ignored() {
        let record = Record::parse(br#"{"gone":null,"a":{"b":1}}"#.to_vec()).unwrap();
        let read = |path: &str| path.parse::<FieldPath>().unwrap().read_text(&record);
        assert_eq!(read("gone"), Some("".into()));
        assert_eq!(read(" a.b\t"), Some("1".into()));
        assert_eq!(read("a.c"), None);
    }

    #[test]
    fn an_empty_name_is_refused() {
        for path in ["", " ", ".", "langid.", "a..b"] {
            assert!(path.parse::<FieldPath>().is_err(), "{path}");
        }
    }
}
