//! JSON as pages embed it: in CDATA or a comment, with comments, trailing commas or control
//! characters, followed by a semicolon, with escapes that JSON does not have, or without its end.

use regex::Regex;
use serde::Deserialize;
use serde_json::Value;
use serde_json_lenient::Deserializer;
use std::borrow::Cow;
use std::sync::LazyLock;

/// A delimiter of CDATA or of an HTML comment, which may be in a JavaScript comment.
static DELIMITER: LazyLock<Regex> = LazyLock::new(|| {
    let delimiter = r"(?://|/\*)?[ \t]*(?:<!\[CDATA\[|\]\]>|<!--|-->)(?:[ \t]*\*/)?";
    Regex::new(delimiter).expect("a constant pattern is valid")
});

/// Returns the values in a script, one after the other. What follows a value that cannot be read is
/// ignored.
pub(crate) fn read_json(script: &str) -> Vec<Value> {
    let is_data = |value: &Value| value.is_object() || value.is_array();
    if let Ok(value) = serde_json::from_str(script.trim()) {
        return Some(value).filter(is_data).into_iter().collect();
    }
    let text = DELIMITER.replace_all(script, " ");
    let text = match text.contains("&quot;") && !text.contains('"') {
        true => Cow::Owned(text.replace("&quot;", "\"").replace("&amp;", "&")),
        false => text,
    };
    let mut values = read_leniently(&text);
    if values.is_empty()
        && let Some(start) = text.find(['{', '['])
    {
        let text = &text[start..];
        values = read_leniently(text);
        if values.is_empty() {
            values = read_leniently(&repair(text));
        }
    }
    values
}

/// Returns the first value of a text with escapes of JSON only, `null` for `undefined`, and an end of
/// each string and bracket.
fn repair(text: &str) -> String {
    let mut repaired = String::with_capacity(text.len() + 8);
    let mut ends = Vec::new();
    let mut is_in_string = false;
    let mut characters = text.char_indices();
    while let Some((position, c)) = characters.next() {
        match c {
            '"' => is_in_string = !is_in_string,
            '\\' if is_in_string => {
                match characters.next() {
                    // As PHP's addslashes writes it.
                    Some((_, '\'')) => repaired.push('\''),
                    Some((_, escaped)) if "\"\\/bfnrtu".contains(escaped) => {
                        repaired.extend([c, escaped]);
                    }
                    Some((_, other)) => repaired.extend([c, c, other]),
                    None => {}
                }
                continue;
            }
            'u' if !is_in_string && text[position..].starts_with("undefined") => {
                repaired.push_str("null");
                characters.nth("ndefined".len() - 1);
                continue;
            }
            '{' if !is_in_string => ends.push('}'),
            '[' if !is_in_string => ends.push(']'),
            '}' | ']' if !is_in_string => {
                ends.pop();
                if ends.is_empty() {
                    repaired.push(c);
                    return repaired;
                }
            }
            _ => {}
        }
        repaired.push(c);
    }
    repaired.extend(is_in_string.then_some('"'));
    repaired.extend(ends.into_iter().rev());
    repaired
}

/// Returns the objects and arrays at the beginning of a text.
fn read_leniently(text: &str) -> Vec<Value> {
    // Accepts control characters in strings, and the escapes of JavaScript.
    let mut reader =
        Deserializer::from_slice_with_options(text.as_bytes(), true, true, true, true, true);
    reader.set_ignore_trailing_commas(true);
    let values = std::iter::from_fn(|| Value::deserialize(&mut reader).ok());
    values
        .take_while(|value| value.is_object() || value.is_array())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::read_json;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn reads_json_with_what_surrounds_it() {
        for script in [
            "{\"a\": \"b\"}",
            "\n{\"a\": \"b\"};\n",
            "//<![CDATA[\n{\"a\": \"b\"}\n//]]>",
            "// <![CDATA[ {\"a\": \"b\"} // ]]>",
            "/*<![CDATA[*/{\"a\": \"b\"}/*]]>*/",
            "<![CDATA[{\"a\": \"b\"}]]>",
            "<!-- {\"a\": \"b\"} -->",
            "<!--\n{\"a\": \"b\"}\n//-->",
            "/* [1] */ {\"a\": \"b\", } // end",
            "{ // name\n\"a\": /* value */ \"b\",}",
            "\u{feff}{\"a\": \"b\"}",
            "window.data = {\"a\": \"b\"};",
            "{&quot;a&quot;: &quot;b&quot;}",
            "{\"a\": \"b\"} and more",
        ] {
            assert_eq!(read_json(script), [json!({"a": "b"})], "{script}");
        }
    }

    #[test]
    fn reads_control_characters_in_strings_and_several_values() {
        assert_eq!(read_json("{\"a\": \"b\nc\td\"}"), [json!({"a": "b\nc\td"})]);
        assert_eq!(
            read_json("{\"a\": [1, 2,],}\n[3]"),
            [json!({"a": [1, 2]}), json!([3])]
        );
        for broken in ["", ";", "no json", "{ \"a\": ", "\"text\"", "{a b}"] {
            assert!(read_json(broken).is_empty(), "{broken}");
        }
    }

    #[test]
    fn reads_other_escapes_and_what_has_no_end() {
        for (script, value) in [
            (r#"{"a": "l\'eau"}"#, json!({"a": "l'eau"})),
            (
                r#"{"a": "\d {2}", "b": "C:\Users"}"#,
                json!({"a": "\\d {2}", "b": "C:\\Users"}),
            ),
            (
                r#"{"a": undefined, "b": "undefined"}"#,
                json!({"a": null, "b": "undefined"}),
            ),
            (r#"{"a": [{"b": "c"}"#, json!({"a": [{"b": "c"}]})),
            (r#"{"a": "cut he"#, json!({"a": "cut he"})),
            (r#"{"a": "l\'eau"}; more() }"#, json!({"a": "l'eau"})),
        ] {
            assert_eq!(read_json(script), [value], "{script}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "[\\[\\]{}\",:a1/*\\\\<!>;\n -]{0,40}") {
            let _ = read_json(&text);
        }
    }
}
