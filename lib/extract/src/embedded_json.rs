//! JSON as pages embed it: in CDATA or a comment, with the quotes of an attribute, or not valid.

use forage_content::read_json_values;
use regex::Regex;
use serde_json::Value;
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
    if let Ok(value) = serde_json::from_str(script.trim()) {
        let is_data = |value: &Value| value.is_object() || value.is_array();
        return Some(value).filter(is_data).into_iter().collect();
    }
    let text = DELIMITER.replace_all(script, " ");
    read_json_values(&match text.contains("&quot;") && !text.contains('"') {
        true => Cow::Owned(text.replace("&quot;", "\"").replace("&amp;", "&")),
        false => text,
    })
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
