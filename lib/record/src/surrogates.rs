//! Unpaired surrogates in JSON text, such as the first half of a pair where a program has cut a
//! string. RFC 8259, section 8.2, allows them, but they stand for no character.

use memchr::memchr;

/// The escape of U+FFFD. It is as long as that of a surrogate.
const REPLACEMENT: &str = r"\ufffd";

/// Returns JSON text with U+FFFD in place of each unpaired surrogate, in as many bytes; `None` if
/// there is none.
pub fn replace_unpaired_surrogates(json: &str) -> Option<String> {
    // Escapes are rare, those of surrogates rarer, and these searches are fast.
    if memchr(b'\\', json.as_bytes()).is_none() || !json.contains(r"\ud") && !json.contains(r"\uD")
    {
        return None;
    }
    let mut replaced = None;
    let mut at = 0;
    while let Some(found) = json[at..].find('\\') {
        at += found;
        at += match (code_unit(json, at), code_unit(json, at + REPLACEMENT.len())) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * REPLACEMENT.len(),
            (Some(0xD800..=0xDFFF), _) => {
                let text = replaced.get_or_insert_with(|| json.to_owned());
                text.replace_range(at..at + REPLACEMENT.len(), REPLACEMENT);
                REPLACEMENT.len()
            }
            (Some(_), _) => REPLACEMENT.len(),
            // An escape of two characters.
            (None, _) => 1 + json[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    replaced
}

/// Returns the UTF-16 code unit of an escape at this position, if there is one.
fn code_unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + REPLACEMENT.len())?.strip_prefix(r"\u")?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::replace_unpaired_surrogates;
    use proptest::prelude::*;

    #[test]
    fn only_unpaired_surrogates_are_replaced() {
        for (json, expected) in [
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (
                r#""a\uDC00\ud83d\ude00\n""#,
                Some(r#""a\ufffd\ud83d\ude00\n""#),
            ),
            (r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            (r#""\ud83d \ude00""#, Some(r#""\ufffd \ufffd""#)),
            (r#""\ud83d\u0061""#, Some(r#""\ufffd\u0061""#)),
            (r#""\ud83d\n\ud83dč""#, Some(r#""\ufffd\n\ufffdč""#)),
            (r#""\uD83D\uDE00\ud55c\\ud83d""#, None),
            (r#""\\\ud83d""#, Some(r#""\\\ufffd""#)),
            (r#""\\\\ud83d\ud7ff""#, None),
            ("\"čas\"", None),
        ] {
            assert_eq!(
                replace_unpaired_surrogates(json).as_deref(),
                expected,
                "{json}"
            );
        }
    }

    proptest! {
        #[test]
        fn the_result_is_the_lossy_decoding(units in prop::collection::vec(prop_oneof![
            0xD7F0u16..0xE010, Just(0xD83D), Just(0xDE00), Just(0x5C), Just(0x10D), Just(0x75),
        ], 0..20), escaped in prop::collection::vec(any::<bool>(), 20)) {
            let mut json = String::from("\"");
            for (unit, escaped) in units.iter().zip(escaped) {
                match char::from_u32(u32::from(*unit)) {
                    Some(c) if !escaped && c != '\\' => json.push(c),
                    _ => json.push_str(&format!("\\u{unit:04x}")),
                }
            }
            json.push('"');
            let replaced = replace_unpaired_surrogates(&json).unwrap_or_else(|| json.clone());
            prop_assert_eq!(replaced.len(), json.len());
            let text: String = serde_json::from_str(&replaced).unwrap();
            prop_assert_eq!(text, String::from_utf16_lossy(&units));
        }

        #[test]
        fn arbitrary_text_never_causes_a_panic(text in "[\\\\udD8-9a-fč\"]{0,40}") {
            let _ = replace_unpaired_surrogates(&text);
        }
    }
}
