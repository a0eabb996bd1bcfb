//! A JSON object on one line, edited without re-encoding it.
//!
//! Parsing validates the line and records the position of each top-level key and value. Values are
//! decoded on access. Writing copies the line up to its closing brace and appends the added fields.
//! Only if a field of the line was replaced or removed is the line assembled again, from the
//! original text of the other fields.
//!
//! Unpaired surrogates are read as U+FFFD, and written as they were.

use crate::json_text::push_string;
use crate::surrogates::replace_unpaired_surrogates;
use crate::{ErrorKind, RecordError, field};
use memchr::memchr;
use serde::Serialize;
use serde::de::{DeserializeOwned, Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::string::FromUtf8Error;

/// Bytes for which there is room at first in the text that is added.
const ADDED_BYTES: usize = 256;

/// The beginning of the key, in JSON, of a field of another program that was moved.
const FOREIGN_KEY: &str = "\"foreign_";

/// The reason why a line is not a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordParseError {
    /// The line is not UTF-8; the position of the first invalid byte, from 1.
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
    /// The name of the field.
    pub field: String,
    /// The problem with its value.
    pub cause: String,
}

/// A JSON object with its top-level fields in their original order.
#[derive(Debug, Clone)]
pub struct Record {
    line: String,
    /// The line with U+FFFD in place of each unpaired surrogate, in as many bytes; `None` if it has
    /// none.
    readable_line: Option<String>,
    /// The JSON text of all keys and values that were added.
    added: String,
    fields: Vec<RecordField>,
    /// True if a field of the line was replaced or removed, so that its beginning cannot be copied.
    is_rewritten: bool,
}

#[derive(Debug, Clone)]
struct RecordField {
    /// The key as a JSON string, with its quotes.
    key: JsonText,
    value: JsonText,
}

/// A piece of JSON text.
#[derive(Debug, Clone)]
enum JsonText {
    /// Its position in the line.
    Original(Range<usize>),
    /// Its position in the text that was added.
    New(Range<usize>),
}

impl JsonText {
    fn is_new(&self) -> bool {
        matches!(self, JsonText::New(_))
    }
}

impl Record {
    /// Parses one line, given without its line ending.
    ///
    /// # Errors
    /// Fails if the line is not UTF-8, not JSON, or not an object. The error contains the line.
    pub fn parse(line: Vec<u8>) -> Result<Record, (RecordParseError, Vec<u8>)> {
        let line = match decode_utf8(line) {
            Ok(line) => line,
            Err(e) => {
                return Err((
                    RecordParseError::Utf8(e.utf8_error().valid_up_to() + 1),
                    e.into_bytes(),
                ));
            }
        };
        match parse_fields(&line) {
            Ok(fields) => Ok(Record {
                readable_line: replace_unpaired_surrogates(&line),
                line,
                added: String::new(),
                fields,
                is_rewritten: false,
            }),
            Err(e) => Err((e, line.into_bytes())),
        }
    }

    /// Creates a record without fields.
    pub fn new() -> Record {
        Record {
            line: String::from("{}"),
            readable_line: None,
            added: String::new(),
            fields: Vec::new(),
            is_rewritten: false,
        }
    }

    /// Returns a piece of JSON text as it is written.
    fn json<'a>(&'a self, text: &'a JsonText) -> &'a str {
        match text {
            JsonText::Original(range) => &self.line[range.clone()],
            JsonText::New(range) => &self.added[range.clone()],
        }
    }

    /// Adds the JSON text that `push` appends.
    fn add_text(&mut self, push: impl FnOnce(&mut String)) -> JsonText {
        let start = self.added.len();
        push(&mut self.added);
        JsonText::New(start..self.added.len())
    }

    /// Returns `true` if a value of the line has unpaired surrogates, which are read as U+FFFD.
    pub fn has_unpaired_surrogate(&self) -> bool {
        self.readable_line.as_ref().is_some_and(|readable| {
            self.fields.iter().any(|field| match &field.value {
                JsonText::Original(range) => self.line[range.clone()] != readable[range.clone()],
                JsonText::New(_) => false,
            })
        })
    }

    /// Returns the index of a field. If a key is repeated, the last one counts, as in other JSON
    /// tools.
    fn position(&self, key: &str) -> Option<usize> {
        self.fields
            .iter()
            .rposition(|field| is_key(self.json(&field.key), key))
    }

    /// Returns the value of a field as JSON text, without unpaired surrogates.
    pub fn raw_json(&self, key: &str) -> Option<&str> {
        let value = &self.fields[self.position(key)?].value;
        Some(match (value, &self.readable_line) {
            (JsonText::Original(range), Some(line)) => &line[range.clone()],
            _ => self.json(value),
        })
    }

    /// Returns `true` if the field is present, even if it is `null`.
    pub fn has_field(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Returns `true` if a tool could not process this record, so that later tools pass it through.
    /// An `error` of another form is a field of another program.
    pub fn has_error(&self) -> bool {
        self.has_field(field::ERROR) && self.error().is_some()
    }

    /// Returns the error of the tool that could not process this record.
    pub fn error(&self) -> Option<RecordError> {
        self.view(field::ERROR).ok().flatten()
    }

    /// Returns `true` if a field was added, replaced or removed since the line was parsed.
    pub fn is_changed(&self) -> bool {
        self.is_rewritten || self.fields.last().is_some_and(|field| field.value.is_new())
    }

    /// Returns the error that was set since the line was parsed.
    pub fn new_error(&self) -> Option<RecordError> {
        let index = self.is_changed().then(|| self.position(field::ERROR))??;
        self.fields[index].value.is_new().then(|| self.error())?
    }

    /// Returns the identity of the record, as [`Record::scalar`] does.
    pub fn id(&self) -> Option<Cow<'_, str>> {
        self.scalar(field::ID)
    }

    /// Returns a value that is a string, a number or a Boolean, as text; `None` if it is absent,
    /// `null` or composite.
    pub fn scalar(&self, key: &str) -> Option<Cow<'_, str>> {
        match self.raw_json(key)? {
            json if json.starts_with('"') => self.string(key).ok().flatten(),
            json if json == "null" || json.starts_with(['{', '[']) => None,
            json => Some(Cow::Borrowed(json)),
        }
    }

    /// Returns `true` if the field has a value of the form that Forage gives it. A value of another
    /// form is that of another program.
    pub fn has_own_value(&self, key: &str) -> bool {
        self.has_value(key) && !self.is_foreign(key)
    }

    /// Returns `true` if the field has a value of another program.
    fn is_foreign(&self, key: &str) -> bool {
        self.raw_json(key)
            .is_some_and(|json| json != "null" && !field::is_own_form(key, json))
    }

    /// Returns the fields of another program that were moved since the line was parsed, because a
    /// tool has set a field of that name.
    pub fn moved_fields(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().filter_map(|field| match &field.key {
            key @ JsonText::New(_) if !field.value.is_new() => {
                let key = self.json(key);
                key.strip_prefix(FOREIGN_KEY)?.strip_suffix('"')
            }
            _ => None,
        })
    }

    /// Returns `true` if the field is present and not `null`.
    pub fn has_value(&self, key: &str) -> bool {
        self.raw_json(key).is_some_and(|json| json != "null")
    }

    /// Returns `true` if a tool that adds the field `key` should process this record: no earlier
    /// tool failed, and the field is absent, `null` or of another program, or `force` is given.
    pub fn should_add(&self, key: &str, force: bool) -> bool {
        !self.has_error() && (force || !self.has_own_value(key))
    }

    /// Returns the value of a field; `None` if it is absent or `null`.
    ///
    /// # Errors
    /// Fails if the value is not a `T`.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, BadField> {
        match self.raw_json(key) {
            None | Some("null") => Ok(None),
            Some(json) => serde_json::from_str(json)
                .map(Some)
                .map_err(|e| bad_field(key, &e)),
        }
    }

    /// Returns the value of a field that is an object; `None` if it is absent, `null` or of another
    /// program.
    ///
    /// # Errors
    /// Fails if the value is not an object or not a `T`. An array is refused, although serde can
    /// read a struct from its items.
    pub fn view<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, BadField> {
        match self.raw_json(key) {
            Some(_) if self.is_foreign(key) => Ok(None),
            Some(json) if json != "null" && !json.starts_with('{') => Err(BadField {
                field: key.into(),
                cause: "is not an object".into(),
            }),
            _ => self.get(key),
        }
    }

    /// Returns the value of a field that is a string, borrowed if it contains no escapes; `None` if
    /// the field is absent or `null`.
    ///
    /// # Errors
    /// Fails if the value is not a string.
    pub fn string(&self, key: &str) -> Result<Option<Cow<'_, str>>, BadField> {
        let Some(json) = self.raw_json(key).filter(|json| *json != "null") else {
            return Ok(None);
        };
        match unescaped_string(json) {
            Some(text) => Ok(Some(Cow::Borrowed(text))),
            None => serde_json::from_str(json)
                .map(|text| Some(Cow::Owned(text)))
                .map_err(|e| bad_field(key, &e)),
        }
    }

    /// Returns the text of the document, as [`Record::string`] does.
    ///
    /// # Errors
    /// Fails if `text` is not a string.
    pub fn text(&self) -> Result<Option<Cow<'_, str>>, BadField> {
        self.string(field::TEXT)
    }

    /// Returns the name of the field with the longest string of several words: the
    /// one that is most probably the text if there is no `text`.
    pub fn longest_text_field(&self) -> Option<String> {
        let is_text =
            |json: &str| json.starts_with('"') && json.trim_matches('"').trim().contains(' ');
        let fields = self
            .fields
            .iter()
            .map(|field| (self.json(&field.key), self.json(&field.value)));
        fields
            .filter(|(_, value)| is_text(value))
            .max_by_key(|(_, value)| value.len())
            .and_then(|(key, _)| serde_json::from_str(key).ok())
    }

    /// Sets the field `key`: replaces its value in place, or adds the field at the end.
    pub fn set(&mut self, key: &str, value: &impl Serialize) {
        let json = serde_json::to_string(value)
            .expect("values of this crate have string keys and serializers that cannot fail");
        self.set_raw(key, &json);
    }

    /// Sets the field `key` to a value that is JSON text, as [`Record::set`] does.
    pub fn set_raw(&mut self, key: &str, json: &str) {
        self.set_with(key, |added| added.push_str(json));
    }

    /// Sets the field `key` to a value whose JSON text `push` appends, as [`Record::set`] does.
    ///
    /// A value of another program is kept under the name `foreign_KEY`, or `foreign_KEY_2` if that
    /// is taken, and so on.
    pub fn set_with(&mut self, key: &str, push: impl FnOnce(&mut String)) {
        self.move_foreign(key);
        if self.added.is_empty() {
            self.added.reserve(ADDED_BYTES);
        }
        let value = self.add_text(push);
        if let Some(index) = self.position(key) {
            self.is_rewritten |= !self.fields[index].value.is_new();
            self.fields[index].value = value;
        } else {
            let key = self.add_text(|added| push_string(added, key));
            self.fields.push(RecordField { key, value });
        }
    }

    /// Returns a free name for a value of another program in the field `key`.
    fn foreign_name(&mut self, key: &str) -> JsonText {
        let mut name = format!("foreign_{key}");
        let mut number = 2;
        while self.has_field(&name) {
            name = format!("foreign_{key}_{number}");
            number += 1;
        }
        self.add_text(|added| push_string(added, &name))
    }

    /// Renames the field `key` if its value is that of another program.
    fn move_foreign(&mut self, key: &str) {
        if let Some(index) = self.position(key)
            && !self.fields[index].value.is_new()
            && self.is_foreign(key)
        {
            self.fields[index].key = self.foreign_name(key);
            self.is_rewritten = true;
        }
    }

    /// Renames the field `key`, if it is present, to `text`. A field `text` that is not `null` is
    /// then of another program.
    pub fn read_text_from(&mut self, key: &str) {
        let Some(index) = self.position(key).filter(|_| key != field::TEXT) else {
            return;
        };
        if !self.has_value(field::TEXT) {
            self.remove(field::TEXT);
        }
        if let Some(text) = self.position(field::TEXT) {
            self.fields[text].key = self.foreign_name(field::TEXT);
        }
        // The removal may have moved it.
        let index = self.position(key).unwrap_or(index);
        self.fields[index].key = self.add_text(|added| push_string(added, field::TEXT));
        self.is_rewritten = true;
    }

    /// Removes all fields with this name.
    pub fn remove(&mut self, key: &str) {
        while let Some(index) = self.position(key) {
            self.is_rewritten |= !self.fields[index].key.is_new();
            self.fields.remove(index);
        }
    }

    /// Sets `error`: `tool` could not process this record.
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

    /// Appends the record as JSON, with a line feed, to `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (copied_fields, mut is_first) = if self.is_rewritten {
            out.push(b'{');
            (0, true)
        } else {
            // The line is valid, so it ends with the closing brace of the object.
            let end = self.line.trim_end().len() - 1;
            out.extend_from_slice(&self.line.as_bytes()[..end]);
            let original_fields = self
                .fields
                .iter()
                .take_while(|field| !field.key.is_new())
                .count();
            (original_fields, original_fields == 0)
        };
        for field in &self.fields[copied_fields..] {
            if !std::mem::take(&mut is_first) {
                out.push(b',');
            }
            out.extend_from_slice(self.json(&field.key).as_bytes());
            out.push(b':');
            out.extend_from_slice(self.json(&field.value).as_bytes());
        }
        out.extend_from_slice(b"}\n");
    }

    /// Returns the record as JSON, without a line feed.
    pub fn to_json(&self) -> String {
        let mut line = Vec::new();
        self.write(&mut line);
        String::from_utf8_lossy(line.trim_ascii_end()).into_owned()
    }
}

impl Default for Record {
    fn default() -> Self {
        Record::new()
    }
}

/// Two records are equal if they are written as equal bytes.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }
}

/// Returns `true` if the JSON string `json` is `key`.
fn is_key(json: &str, key: &str) -> bool {
    // An escape is longer than what it stands for. Most keys differ in length.
    match json.len().cmp(&(key.len() + 2)) {
        Ordering::Less => false,
        Ordering::Equal => json[1..].starts_with(key) && !json.as_bytes().contains(&b'\\'),
        Ordering::Greater => {
            // Keys are shorter than the texts for which `has_escape` is faster.
            json.as_bytes().contains(&b'\\')
                && serde_json::from_str::<String>(json).is_ok_and(|decoded| decoded == key)
        }
    }
}

/// Returns the text of a JSON string without escapes; `None` for other values.
fn unescaped_string(json: &str) -> Option<&str> {
    json.strip_prefix('"')?
        .strip_suffix('"')
        .filter(|text| !has_escape(text))
}

fn has_escape(json: &str) -> bool {
    memchr(b'\\', json.as_bytes()).is_some()
}

fn bad_field(key: &str, error: &serde_json::Error) -> BadField {
    // The position that serde_json reports is relative to the value, and would mislead.
    let cause = error.to_string();
    let cause = cause.split(" at line ").next().unwrap_or_default();
    BadField {
        field: key.into(),
        cause: format!("is invalid: {cause}"),
    }
}

/// Returns bytes as a string, as [`String::from_utf8`] does, but checks many bytes at a time.
#[expect(unsafe_code, reason = "the bytes are checked, but by another crate")]
fn decode_utf8(bytes: Vec<u8>) -> Result<String, FromUtf8Error> {
    match simdutf8::basic::from_utf8(&bytes) {
        // SAFETY: the check shows that the bytes are UTF-8.
        Ok(_) => Ok(unsafe { String::from_utf8_unchecked(bytes) }),
        Err(_) => String::from_utf8(bytes),
    }
}

/// Validates the line and returns its fields.
fn parse_fields(line: &str) -> Result<Vec<RecordField>, RecordParseError> {
    let to_parse_error =
        |e: serde_json::Error| RecordParseError::Json(describe_json_error(&e, line));
    if line.trim() == "[" {
        return Err(RecordParseError::Json(OPEN_ARRAY.into()));
    }
    let mut json = serde_json::Deserializer::from_str(line);
    let fields = json
        .deserialize_map(FieldVisitor { line })
        .map_err(to_parse_error)?;
    json.end().map_err(to_parse_error)?;
    Ok(fields)
}

/// The message for a line that stands for an array whose end is missing.
const OPEN_ARRAY: &str = "not JSON: the array has no end (`]`); the file may be cut";

fn describe_json_error(error: &serde_json::Error, line: &str) -> String {
    let text = error.to_string();
    let cause = text.split(" at line ").next().unwrap_or_default();
    if error.is_data() {
        return format!("not a JSON object: {cause}");
    }
    let column = error.column();
    // Columns are bytes, from 1.
    let rest = line.as_bytes().get(column.saturating_sub(1)..);
    let rest = rest.unwrap_or_default().trim_ascii_start();
    let is_number = |name: &&&str| rest.starts_with(name.as_bytes());
    if let Some(name) = ["NaN", "-Infinity", "Infinity", "nan"]
        .iter()
        .find(is_number)
    {
        return format!("not JSON: {name} at column {column} is no number in JSON; write null");
    }
    if cause == "trailing characters" && rest.starts_with(b"{") {
        return format!("several objects on one line, the second at column {column}");
    }
    format!("not JSON: {cause} at column {column}")
}

/// Collects the positions of the fields of an object.
struct FieldVisitor<'a> {
    line: &'a str,
}

impl FieldVisitor<'_> {
    fn locate(&self, json: &RawValue) -> JsonText {
        let start = json.get().as_ptr() as usize - self.line.as_ptr() as usize;
        JsonText::Original(start..start + json.get().len())
    }
}

impl<'de> Visitor<'de> for FieldVisitor<'de> {
    type Value = Vec<RecordField>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut fields = Vec::with_capacity(8);
        // Keys are not decoded, because they may contain unpaired surrogates, as values may (RFC
        // 8259, section 8.2).
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            fields.push(RecordField {
                key: self.locate(key),
                value: self.locate(value),
            });
        }
        Ok(fields)
    }
}

#[cfg(test)]
mod tests;
