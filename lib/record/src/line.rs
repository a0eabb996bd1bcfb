//! One line of JSON that is carried, not re-encoded.
//!
//! Parsing checks the whole line and notes where each top-level key and value lies. Values are
//! decoded only when asked for. Writing copies the line up to its closing brace and puts added keys
//! there; only where a key was replaced or removed is the line put together anew, from the raw
//! values.

use crate::{ErrorKind, RecordError, field};
use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Why a line is not a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordParseError {
    /// The bytes are not UTF-8.
    #[error("invalid UTF-8 at byte {0}")]
    Utf8(usize),
    /// The line is not JSON, or JSON but not an object.
    #[error("{0}")]
    Json(String),
}

/// A field whose value has the wrong type.
#[derive(Debug, thiserror::Error)]
#[error("`{field}` {cause}")]
pub struct BadField {
    /// The key.
    pub field: String,
    /// What is wrong with its value.
    pub cause: String,
}

/// A JSON object: its top-level fields in their order.
#[derive(Debug, Clone)]
pub struct Record {
    line: String,
    fields: Vec<Field>,
    /// Whether a field of the line was replaced or removed, so that splicing will not do.
    rewritten: bool,
}

#[derive(Debug, Clone)]
struct Field {
    /// The key as it stands in the line, quotes and all, or as it was added.
    key: Part,
    value: Part,
}

/// A piece of JSON: where it lies in the line, or new.
#[derive(Debug, Clone)]
enum Part {
    Kept(Range<usize>),
    New(String),
}

impl Record {
    /// Reads one line, without its line end.
    ///
    /// # Errors
    /// When the line is not UTF-8, not JSON, or not an object; the line is given back.
    pub fn parse(line: Vec<u8>) -> Result<Record, (RecordParseError, Vec<u8>)> {
        let line = match String::from_utf8(line) {
            Ok(line) => line,
            Err(e) => {
                return Err((
                    RecordParseError::Utf8(e.utf8_error().valid_up_to() + 1),
                    e.into_bytes(),
                ));
            }
        };
        match spans(&line) {
            Ok(fields) => Ok(Record {
                line,
                fields,
                rewritten: false,
            }),
            Err(why) => Err((why, line.into_bytes())),
        }
    }

    /// A record without a field.
    pub fn new() -> Record {
        Record {
            line: String::from("{}"),
            fields: Vec::new(),
            rewritten: false,
        }
    }

    fn part<'a>(&'a self, part: &'a Part) -> &'a str {
        match part {
            Part::Kept(range) => &self.line[range.clone()],
            Part::New(json) => json,
        }
    }

    /// Where the field stands; of equal keys the last one counts, as in other JSON tools.
    fn position(&self, key: &str) -> Option<usize> {
        self.fields
            .iter()
            .rposition(|field| is_key(self.part(&field.key), key))
    }

    /// The field's value as JSON.
    pub fn raw_json(&self, key: &str) -> Option<&str> {
        self.position(key)
            .map(|at| self.part(&self.fields[at].value))
    }

    /// Whether the field is there, be it null.
    pub fn has_field(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Whether a tool could not serve this record, so that later ones pass it on untouched.
    pub fn has_error(&self) -> bool {
        self.has_value(field::ERROR)
    }

    /// Whether a field is there and is not `null`.
    pub fn has_value(&self, key: &str) -> bool {
        self.raw_json(key).is_some_and(|json| json != "null")
    }

    /// Whether a tool that adds `key` has something to do here: it is not there yet (or `force`),
    /// and nothing failed before.
    pub fn should_add(&self, key: &str, force: bool) -> bool {
        !self.has_error() && (force || !self.has_field(key))
    }

    /// The field's value; `None` where it is absent or null.
    ///
    /// # Errors
    /// When the value is not a `T`.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, BadField> {
        match self.raw_json(key) {
            None | Some("null") => Ok(None),
            Some(json) => serde_json::from_str(json)
                .map(Some)
                .map_err(|e| bad_field(key, &e)),
        }
    }

    /// The field's value, an object; `None` where it is absent or null.
    ///
    /// # Errors
    /// When the value is no object (an array is none, though a view could be read from its items),
    /// or not a `T`.
    pub fn view<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, BadField> {
        match self.raw_json(key) {
            Some(json) if json != "null" && !json.starts_with('{') => Err(BadField {
                field: key.into(),
                cause: "is not an object".into(),
            }),
            _ => self.get(key),
        }
    }

    /// The field's value, a string; borrowed where nothing in it is escaped. `None` where it is
    /// absent or null.
    ///
    /// # Errors
    /// When the value is not a string, or holds half of a surrogate pair.
    pub fn string(&self, key: &str) -> Result<Option<Cow<'_, str>>, BadField> {
        let Some(json) = self.raw_json(key).filter(|json| *json != "null") else {
            return Ok(None);
        };
        match unescaped(json) {
            Some(text) => Ok(Some(Cow::Borrowed(text))),
            None => serde_json::from_str(json)
                .map(|text| Some(Cow::Owned(text)))
                .map_err(|e| bad_field(key, &e)),
        }
    }

    /// The document's text, as [`Record::string`].
    ///
    /// # Errors
    /// When `text` is not a string.
    pub fn text(&self) -> Result<Option<Cow<'_, str>>, BadField> {
        self.string(field::TEXT)
    }

    /// Puts a value under `key`: in place where the key is there, else at the end.
    pub fn set(&mut self, key: &str, value: &impl Serialize) {
        let json = serde_json::to_string(value)
            .expect("our values have string keys and no failing serializer");
        self.set_raw(key, json);
    }

    /// As [`Record::set`], with a value that is JSON already.
    pub fn set_raw(&mut self, key: &str, json: String) {
        if let Some(at) = self.position(key) {
            self.rewritten |= matches!(self.fields[at].value, Part::Kept(_));
            self.fields[at].value = Part::New(json);
        } else {
            let key = serde_json::to_string(key).expect("a string is always JSON");
            self.fields.push(Field {
                key: Part::New(key),
                value: Part::New(json),
            });
        }
    }

    /// Takes every field of that name away.
    pub fn remove(&mut self, key: &str) {
        while let Some(at) = self.position(key) {
            self.rewritten |= matches!(self.fields[at].key, Part::Kept(_));
            self.fields.remove(at);
        }
    }

    /// Notes that `tool` could not serve this record.
    pub fn set_error(&mut self, tool: &str, kind: ErrorKind, message: impl fmt::Display) {
        self.set(
            field::ERROR,
            &RecordError {
                tool: tool.into(),
                kind,
                message: message.to_string(),
            },
        );
    }

    /// Appends the record and a line feed to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (kept, mut first) = if self.rewritten {
            out.push(b'{');
            (0, true)
        } else {
            // The line was checked: it ends with the brace that closes the object.
            let end = self.line.trim_end().len() - 1;
            out.extend_from_slice(&self.line.as_bytes()[..end]);
            let kept = self
                .fields
                .iter()
                .take_while(|field| matches!(field.key, Part::Kept(_)))
                .count();
            (kept, kept == 0)
        };
        for field in &self.fields[kept..] {
            if !std::mem::take(&mut first) {
                out.push(b',');
            }
            out.extend_from_slice(self.part(&field.key).as_bytes());
            out.push(b':');
            out.extend_from_slice(self.part(&field.value).as_bytes());
        }
        out.extend_from_slice(b"}\n");
    }
}

impl Default for Record {
    fn default() -> Self {
        Record::new()
    }
}

/// Two records are equal when they are written alike.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        self.write(&mut a);
        other.write(&mut b);
        a == b
    }
}

/// Whether a key as it stands in JSON is `key`.
fn is_key(json: &str, key: &str) -> bool {
    match unescaped(json) {
        Some(plain) => plain == key,
        None => serde_json::from_str::<String>(json).is_ok_and(|decoded| decoded == key),
    }
}

/// The text of a JSON string in which nothing is escaped.
fn unescaped(json: &str) -> Option<&str> {
    json.strip_prefix('"')?
        .strip_suffix('"')
        .filter(|text| !text.contains('\\'))
}

fn bad_field(key: &str, error: &serde_json::Error) -> BadField {
    // serde_json's position is one inside the value; in a message about the record it would
    // mislead.
    let cause = error.to_string();
    let cause = cause.split(" at line ").next().unwrap_or_default();
    BadField {
        field: key.into(),
        cause: format!("is not what it should be: {cause}"),
    }
}

/// Checks the line and finds its fields.
fn spans(line: &str) -> Result<Vec<Field>, RecordParseError> {
    let wrong = |e: serde_json::Error| RecordParseError::Json(describe(&e));
    let mut json = serde_json::Deserializer::from_str(line);
    let fields = json.deserialize_map(Fields { line }).map_err(wrong)?;
    json.end().map_err(wrong)?;
    Ok(fields)
}

fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let cause = text.split(" at line ").next().unwrap_or_default();
    if error.is_data() {
        format!("not a JSON object: {cause}")
    } else {
        format!("not JSON: {cause} at column {}", error.column())
    }
}

/// Collects where the fields of an object lie.
struct Fields<'a> {
    line: &'a str,
}

impl Fields<'_> {
    fn part(&self, json: &RawValue) -> Part {
        let start = json.get().as_ptr() as usize - self.line.as_ptr() as usize;
        Part::Kept(start..start + json.get().len())
    }
}

impl<'de> Visitor<'de> for Fields<'de> {
    type Value = Vec<Field>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut found = Vec::with_capacity(8);
        // Keys are not decoded: half a surrogate pair may stand in them, as in values (RFC 8259,
        // section 8.2).
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            found.push(Field {
                key: self.part(key),
                value: self.part(value),
            });
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{Record, RecordParseError};
    use proptest::prelude::*;

    fn parse(line: &str) -> Record {
        Record::parse(line.as_bytes().to_vec()).unwrap()
    }

    fn written(record: &Record) -> String {
        let mut out = Vec::new();
        record.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn carries_a_line_byte_for_byte() {
        for line in [
            r#"{}"#,
            r#"{ "a" : 1e5 , "b":[1, 2],"c":"\u00e9\/" }"#,
            r#"{"n":123456789012345678901234567890}"#,
        ] {
            assert_eq!(
                written(&parse(line)),
                line.trim_end_matches('}').to_owned() + "}\n"
            );
        }
    }

    #[test]
    fn carries_half_a_surrogate_pair_in_a_key_as_in_a_value() {
        let mut record = parse(r#"{"\ud800":1,"a\"b":"\udfff","text":"Danes"}"#);
        assert_eq!(record.text().unwrap().as_deref(), Some("Danes"));
        record.set("text", &"x");
        record.set("\u{fffd}", &2);
        assert_eq!(
            written(&record),
            "{\"\\ud800\":1,\"a\\\"b\":\"\\udfff\",\"text\":\"x\",\"\u{fffd}\":2}\n"
        );
    }

    #[test]
    fn splices_an_added_key_in_at_the_end() {
        let mut record = parse(r#"{"text":"\u010das" }"#);
        record.set("label", &"slv");
        assert_eq!(
            written(&record),
            "{\"text\":\"\\u010das\" ,\"label\":\"slv\"}\n"
        );
        let mut empty = parse("{ }");
        empty.set("label", &"slv");
        assert_eq!(written(&empty), "{ \"label\":\"slv\"}\n");
    }

    #[test]
    fn replaces_in_place_and_keeps_the_others_as_they_were() {
        let mut record = parse(r#"{"a":1e5,"label":"x","k\u0062":"\u00e9"}"#);
        record.set("label", &"y");
        assert_eq!(
            written(&record),
            "{\"a\":1e5,\"label\":\"y\",\"k\\u0062\":\"\\u00e9\"}\n"
        );
        record.remove("a");
        assert_eq!(
            written(&record),
            "{\"label\":\"y\",\"k\\u0062\":\"\\u00e9\"}\n"
        );
    }

    #[test]
    fn reads_an_escaped_key_and_the_last_of_equal_keys() {
        let record = parse(r#"{"t\u0065xt":"a","text":"b"}"#);
        assert_eq!(record.text().unwrap().as_deref(), Some("b"));
        assert_eq!(
            parse(r#"{"t\u0065xt":"a"}"#).text().unwrap().as_deref(),
            Some("a")
        );
    }

    #[test]
    fn tells_absent_and_null_from_a_wrong_type() {
        assert!(parse("{}").text().unwrap().is_none());
        assert!(parse(r#"{"text":null}"#).text().unwrap().is_none());
        assert!(
            parse(r#"{"text":3}"#)
                .text()
                .unwrap_err()
                .to_string()
                .starts_with("`text` is not")
        );
        assert!(parse(r#"{"text":"\ud800"}"#).text().is_err());
        assert!(
            parse(r#"{"query":["a",1]}"#)
                .view::<crate::Query>("query")
                .is_err()
        );
    }

    #[test]
    fn says_why_a_line_is_not_a_record() {
        let why = |line: &[u8]| Record::parse(line.to_vec()).unwrap_err().0;
        assert!(matches!(
            why(b"{\"a\":\"\xff\"}"),
            RecordParseError::Utf8(7)
        ));
        assert!(why(b"[1]").to_string().starts_with("not a JSON object: "));
        for line in [
            "{\"a\":",
            "{} {}",
            "{\"a\":\"\0\"}",
            "{\"\t\":1}",
            r#"{"\ud8":1}"#,
            "{1:1}",
        ] {
            assert!(
                why(line.as_bytes()).to_string().starts_with("not JSON: "),
                "{line:?}"
            );
        }
    }

    fn json() -> impl Strategy<Value = serde_json::Value> {
        let leaf = prop_oneof![
            Just(serde_json::Value::Null),
            any::<i64>().prop_map(Into::into),
            any::<bool>().prop_map(Into::into),
            ".{0,12}".prop_map(Into::into),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Into::into),
                prop::collection::hash_map(".{0,6}", inner, 0..4)
                    .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_record_read_and_written_is_the_same_bytes(map in prop::collection::hash_map(".{0,8}", json(), 0..6)) {
            let line = serde_json::to_string(&map).unwrap();
            prop_assert_eq!(written(&parse(&line)), line + "\n");
        }

        #[test]
        fn what_is_set_is_read_back(map in prop::collection::hash_map(".{0,8}", json(), 0..6), key in ".{1,8}", value in ".{0,20}") {
            let mut record = parse(&serde_json::to_string(&map).unwrap());
            record.set(&key, &value);
            let again = parse(&written(&record));
            prop_assert_eq!(again.get::<String>(&key).unwrap(), Some(value));
            for (other, json) in map.iter().filter(|(other, _)| **other != key) {
                prop_assert_eq!(again.get::<serde_json::Value>(other).unwrap().unwrap_or_default(), json.clone());
            }
        }

        #[test]
        fn no_bytes_make_it_panic(line in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Record::parse(line);
        }
    }
}
