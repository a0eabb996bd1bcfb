//! The reader of JSON that is not valid, as programs write it without a library, and pages embed
//! it.
//!
//! Characters are repaired first: control characters, escapes and words that JSON does not have,
//! and commas before a bracket. What is around the value is left out, as a warning of PHP or
//! the call of JSONP. What a remaining fault costs depends on the text:
//!
//! - [`read_faulty_json`]: a response of a server. A fault costs the innermost object of a list
//!   that
//!   it is in, which becomes `null`, so that a list of results never becomes empty by that.
//! - [`read_json_values`]: a script of a page. A fault ends the values; a text that breaks off has
//!   what
//!   precedes its end.

use serde_json::{Deserializer, Value};

/// Limit of the bytes that are parsed again because of faults.
const MAX_PARSED_BYTES: usize = 256 << 20;
/// What a value that is not valid JSON begins and ends with, and strings.
const DELIMITERS: [char; 3] = ['{', '[', '"'];

/// Returns the objects and arrays of a text, one after another, or else of what follows its first
/// bracket. Of one that breaks off, the first value is read as far as it goes.
pub fn read_json_values(text: &str) -> Vec<Value> {
    let values = read_leading_values(&repair_characters(text, true));
    let start = text.find(['{', '[']).filter(|_| values.is_empty());
    let Some(start) = start else { return values };
    let mut text = repair_characters(&text[start..], true);
    let values = read_leading_values(&text);
    if !values.is_empty() {
        return values;
    }
    let (is_string, brackets) = missing_ends(&text);
    text.extend(is_string.then_some('"'));
    read_leading_values(&repair_characters(&(text + &brackets), true))
}

/// Returns the objects and arrays that a text begins with.
fn read_leading_values(text: &str) -> Vec<Value> {
    let values = Deserializer::from_str(text).into_iter();
    values
        .map_while(Result::ok)
        .take_while(|value: &Value| value.is_object() || value.is_array())
        .collect()
}

/// Returns the value of a text that is not valid JSON, or `None` if there is none that can be read.
pub fn read_faulty_json(text: &str) -> Option<Value> {
    // A warning before the value may have a bracket.
    let starts = [text.find(['{', '[']), text.find('{')];
    let value = starts.into_iter().flatten().find_map(|start| {
        let before = text[..start].to_ascii_lowercase();
        let is_web_page = ["<html", "<!doctype"]
            .iter()
            .any(|tag| before.contains(tag));
        (!is_web_page).then(|| read_value(repair_characters(&text[start..], false)))?
    })?;
    // An empty value may mean "no hits", which must not come from a fault.
    let is_empty = value.as_object().is_some_and(|object| object.is_empty())
        || value.as_array().is_some_and(Vec::is_empty);
    (!is_empty).then_some(value)
}

/// Returns the value that a text begins with, without the objects that have a fault.
fn read_value(mut text: String) -> Option<Value> {
    let mut bytes_left = MAX_PARSED_BYTES;
    loop {
        let position = match parse_beginning(&text) {
            Ok((value, end)) => return (!text[end..].contains(DELIMITERS)).then_some(value),
            Err(position) => position,
        };
        let repairs = repair_fault(&text, position).into_iter();
        let repaired = repairs.min_by_key(|repaired| unread_bytes(repaired))?;
        if unread_bytes(&repaired) >= unread_bytes(&text) {
            return None;
        }
        bytes_left = bytes_left.checked_sub(5 * text.len())?;
        text = repaired;
    }
}

/// Returns the number of bytes from the first fault on; 0 if there is none.
fn unread_bytes(text: &str) -> usize {
    parse_beginning(text).map_or_else(|position| text.len() - position + 1, |_| 0)
}

/// Parses the value that a text begins with. Returns it and its end, or the position of a fault.
fn parse_beginning(text: &str) -> Result<(Value, usize), usize> {
    let mut values = Deserializer::from_str(text).into_iter();
    match values.next() {
        Some(Ok(value)) => Ok((value, values.byte_offset())),
        Some(Err(e)) if !e.is_eof() => Err(e.column().saturating_sub(1).min(text.len())),
        _ => Err(text.len()),
    }
}

/// Returns the text with repairs of a fault at `position`, each of which may be right.
fn repair_fault(text: &str, position: usize) -> Vec<String> {
    let bytes = text.as_bytes();
    let replace = |start: usize, end: usize| [&text[..start], "null", &text[end..]].concat();
    let mut repairs = Vec::new();
    if matches!(bytes.get(position), Some(b'{' | b'"')) {
        repairs.push([&text[..position], ",", &text[position..]].concat());
    }
    let mut starts = memchr::memrchr_iter(b'{', &bytes[..bytes.len().min(position + 1)])
        .filter(|start| matches!(bytes[..*start].trim_ascii_end().last(), Some(b'[' | b',')));
    let Some(start) = starts.next() else {
        return repairs;
    };
    let ends = memchr::memchr_iter(b'}', &bytes[position..]).map(|index| position + index + 1);
    let mut ends =
        ends.filter(|end| matches!(bytes[*end..].trim_ascii_start().first(), Some(b']' | b',')));
    repairs.push(match ends.next() {
        Some(end) => replace(start, end),
        // The text breaks off.
        None => [&text[..start], "null", &missing_ends(&text[..start]).1].concat(),
    });
    // A string without an end ends in the next object.
    if let Some(previous) = starts.next() {
        let end = bytes[..start].trim_ascii_end().len() - 1;
        repairs.push(replace(previous, end));
    }
    repairs
}

/// Returns what ends an incomplete text: `true` if it ends in a string, and the brackets that close
/// those which are open.
fn missing_ends(text: &str) -> (bool, String) {
    let mut closing = Vec::new();
    let mut bytes = text.bytes();
    let mut is_string = false;
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => _ = bytes.next(),
            b'"' => is_string = !is_string,
            b'{' if !is_string => closing.push('}'),
            b'[' if !is_string => closing.push(']'),
            b'}' | b']' if !is_string => _ = closing.pop(),
            _ => {}
        }
    }
    (is_string, closing.iter().rev().collect())
}

/// Replaces control characters by blanks, and escapes and words that JSON does not have by what
/// they mean. Leaves out commas before a closing bracket.
///
/// In a script, leaves out comments, too, and keeps control characters in strings, escaped. In a
/// response, whose strings may lack their ends, either could cost the objects that follow.
fn repair_characters(text: &str, is_script: bool) -> String {
    let mut repaired = String::with_capacity(text.len());
    let mut is_string = false;
    // The position of a comma after which only blanks have followed.
    let mut comma = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        if !is_string {
            if let Some(end) = comment_end(rest).filter(|_| is_script) {
                rest = &rest[end..];
                continue;
            }
            if let Some(position) = comma.filter(|_| matches!(c, '}' | ']')) {
                repaired.remove(position);
            }
            comma = comma.filter(|_| c.is_whitespace());
        }
        rest = after;
        match c {
            '\\' => rest = repair_escape(after, &mut repaired),
            c if c.is_control() && is_string && is_script => {
                repaired.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c if c.is_control() => repaired.push(' '),
            ',' if !is_string => {
                comma = Some(repaired.len());
                repaired.push(',');
            }
            'A'..='Z' | 'a'..='z' if !is_string => {
                let end = after.find(|c: char| !c.is_ascii_alphanumeric());
                let (end, after) = after.split_at(end.unwrap_or(after.len()));
                rest = after;
                match (c, end) {
                    ('N', "aN") | ('I', "nfinity") | ('u', "ndefined") => repaired.push_str("null"),
                    (first, end) => repaired.extend([&*first.to_string(), end]),
                }
            }
            c => {
                is_string ^= c == '"';
                repaired.push(c);
            }
        }
    }
    repaired
}

/// Returns the length of the comment that `rest` begins with.
fn comment_end(rest: &str) -> Option<usize> {
    if let Some(comment) = rest.strip_prefix("/*") {
        return Some(comment.find("*/")? + "/**/".len());
    }
    rest.starts_with("//")
        .then(|| rest.find('\n').unwrap_or(rest.len()))
}

/// Adds the repaired escape that a backslash before `after` begins. Returns the rest.
fn repair_escape<'a>(after: &'a str, repaired: &mut String) -> &'a str {
    let hex = |text: &str, digits: usize| {
        let digits = text
            .get(..digits)
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut chars = after.chars();
    match chars.next() {
        Some('u') => {
            let Some(unit) = hex(&after[1..], 4) else {
                repaired.push_str("\\\\");
                return after;
            };
            let next = after[5..].strip_prefix("\\u").and_then(|low| hex(low, 4));
            let pair = next
                .map(|low| [unit, low])
                .filter(|pair| String::from_utf16(pair).is_ok());
            let is_pair = matches!(unit, 0xD800..0xDC00) && pair.is_some();
            let is_lone = matches!(unit, 0xD800..0xE000) && !is_pair;
            let length = if is_pair { 11 } else { 5 };
            repaired.push('\\');
            repaired.push_str(if is_lone { "ufffd" } else { &after[..length] });
            &after[length..]
        }
        Some('x') if hex(&after[1..], 2).is_some() => {
            repaired.extend(["\\u00", &after[1..3]]);
            &after[3..]
        }
        Some(c @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't')) => {
            repaired.extend(['\\', c]);
            chars.as_str()
        }
        Some('\'') => after,
        // The backslash is meant.
        _ => {
            repaired.push_str("\\\\");
            after
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{read_faulty_json, read_json_values};
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn repairs_characters() {
        for (json, text) in [
            (r#"["Potok \d tece"]"#, "Potok \\d tece"),
            (r#"["l\'eau \x41\x9"]"#, "l'eau A\\x9"),
            ("[\"a\nb\tc\u{1}\"]", "a b c "),
            (
                r#"["\ud83d\ude00 \ud83d \ude00 \u00e9 \u12"]"#,
                "😀 \u{fffd} \u{fffd} é \\u12",
            ),
            (r#"["C:\novo \\ \" \/",]"#, "C:\novo \\ \" /"),
            ("[\"a,]\\q\"]", "a,]\\q"),
        ] {
            assert_eq!(read_faulty_json(json), Some(json!([text])), "{json}");
        }
        let numbers = read_faulty_json(r#"{"a": NaN, "b": [1, 2, ], "c": true, "d": Infinity,}"#);
        assert_eq!(
            numbers,
            Some(json!({"a": null, "b": [1, 2], "c": true, "d": null}))
        );
    }

    #[test]
    fn leaves_out_what_is_around_the_value() {
        for text in [
            "callback({\"a\": [1]});",
            "/**/ jQuery_1([{\"b\": 1}])",
            ")]}'\n{\"a\": 1}",
            "while(1);{\"a\": 1}",
            "<br />\n<b>Warning</b>: x[0] in <b>a.php</b><br />\n{\"a\": 1}",
            "{\"a\": 1}\n<!-- 0.1 s -->",
            "\u{feff}\u{feff}{\"a\": 1}\0",
        ] {
            assert!(read_faulty_json(text).is_some(), "{text}");
        }
        for text in [
            "",
            "oops",
            "{}x",
            "x{}",
            "<html><style>a{b:c}</style>{\"a\": 1}",
            "{}\"articles\":[{\"a\": 1}]}",
            "{\"a\": 1}{\"b\": 2}",
        ] {
            assert_eq!(read_faulty_json(text), None, "{text}");
        }
    }

    #[test]
    fn comments_are_left_out_but_not_what_follows_a_fault() {
        for text in [
            "{/* a */\"n\": 1, // b\n}",
            "{\"n\": 1, /* \" */ }",
            "{\"n\": 1} // \"",
        ] {
            assert_eq!(read_json_values(text), [json!({"n": 1})], "{text}");
        }
        let unended = "[{\"t\": \"a},\n {\"n\": 1}]";
        assert_eq!(read_faulty_json(unended), Some(json!([null, {"n": 1}])));
        let url = r#"[{"u": http://a.test/"}, {"n": 1}]"#;
        assert_eq!(read_faulty_json(url), Some(json!([null, {"n": 1}])));
    }

    /// Returns the numbers of five items that are read, `faulty` in the place of the third.
    fn read_items(faulty: &str) -> Option<Vec<u64>> {
        let item = |number: u32| {
            format!(r#"{{"n": {number}, "title": "Novica [{number}]", "of": {{"x": ["y"]}}}}"#)
        };
        let items = [item(1), item(2), faulty.to_owned(), item(4), item(5)].join(", ");
        let value = read_faulty_json(&format!(r#"{{"count": "5", "items": [{items}]}}"#))?;
        let items = value["items"].as_array()?.iter();
        Some(items.filter_map(|item| item["n"].as_u64()).collect())
    }

    #[test]
    fn a_fault_costs_at_most_its_item() {
        let complete = r#"{"n": 3, "title": "A", "list": [1], "of": {"x": "y"}}"#;
        for (from, to) in [
            ("A", "B \"C\" D"),
            ("\"A\"", "\"A"),
            ("\"A\"", "A\""),
            ("\"title\":", "\"title\""),
            ("\"A\"", "'A'"),
            ("[1]", "[1"),
            ("[1]", "1]"),
            ("\"y\"", "\"y"),
            ("\"y\"}}", "\"y\\\"}}"),
            ("3", ""),
        ] {
            let faulty = complete.replacen(from, to, 1);
            assert_eq!(read_items(&faulty), Some(vec![1, 2, 4, 5]), "{faulty}");
        }
        let without_comma = complete.replacen("3, ", "3 ", 1);
        assert_eq!(read_items(&without_comma), Some(vec![1, 2, 3, 4, 5]));
        assert_eq!(
            read_faulty_json(r#"[{"a": 1} {"a": 2}]"#),
            Some(json!([{"a": 1}, {"a": 2}]))
        );
    }

    #[test]
    fn a_list_does_not_become_empty() {
        for text in [
            r#"{"a": [{"b": "c]}"#,
            r#"{"a": [{"b": c}]}"#,
            r#"{"a": [{"b""#,
        ] {
            assert_eq!(read_faulty_json(text), Some(json!({"a": [null]})), "{text}");
        }
        for text in [r#"{"a": ["#, r#"{"a": [}"#, r#"{"a""#] {
            assert_eq!(read_faulty_json(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn text_that_breaks_off_has_the_items_before(cut in 0_usize..200) {
            let items: Vec<Value> = (0..5).map(|n| json!({"n": n, "title": "a [b], {c}"})).collect();
            let text = json!({"items": items}).to_string();
            let cut = cut.min(text.len() - 1);
            let complete = text[..cut].matches('}').count() / 2;
            if let Some(value) = read_faulty_json(&text[..cut]) {
                let read = value["items"].as_array().unwrap();
                prop_assert_eq!(&read[..read.len() - 1], &items[..read.len() - 1]);
                prop_assert!(read.len() >= complete);
            }
        }

        #[test]
        fn any_text_ends(text in "[\\[\\]{}\",:a1/*\\\\u \n-]{0,60}") {
            let _ = read_faulty_json(&text);
        }
    }
}
