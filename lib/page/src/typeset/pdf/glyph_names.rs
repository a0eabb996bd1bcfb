//! Glyph names that encode a character by its code point, and names of variants (Adobe Glyph List
//! Specification, section 2).
//!
//! The crate supports only the names of the list itself and shows nothing for others. Letters with
//! diacritics are those that fonts most often name by code point.

use super::to_unicode::{self, CodeMappings};
use pdf_extract::{Dictionary, Document, Object, Stream};
use std::collections::BTreeMap;

/// Replaces such names in a font's encoding: removes the suffixes of variants, and adds the code
/// points to the ToUnicode CMap, whose own entries take precedence.
pub(super) fn repair_names(document: &mut Document, font: &mut Dictionary) {
    let own_mappings = to_unicode::read_from_font(document, font);
    if own_mappings.is_empty() {
        // With an empty CMap the crate would not use the encoding.
        font.remove(b"ToUnicode");
    }
    let encoding = font
        .get_deref(b"Encoding", document)
        .and_then(Object::as_dict);
    let Ok(mut encoding) = encoding.cloned() else {
        return;
    };
    let Ok(differences) = encoding
        .get_deref(b"Differences", document)
        .and_then(Object::as_array)
    else {
        return;
    };
    let (differences, mut mappings) = split_differences(document, differences);
    encoding.set("Differences", differences);
    font.set("Encoding", encoding);
    if !mappings.is_empty() {
        mappings.extend(own_mappings);
        let cmap = to_unicode::write_cmap(&CodeMappings::from_iter(mappings));
        let cmap = document.add_object(Stream::new(Dictionary::new(), cmap));
        font.set("ToUnicode", cmap);
    }
}

/// Returns the entries of a `Differences` array without suffixes and without invalid objects, and
/// the texts of the names that encode code points, by character code.
fn split_differences(
    document: &Document,
    differences: &[Object],
) -> (Vec<Object>, BTreeMap<u32, String>) {
    let mut valid = Vec::with_capacity(differences.len());
    let mut mappings = BTreeMap::new();
    let mut code = 0_i64;
    for (_, entry) in differences
        .iter()
        .filter_map(|entry| document.dereference(entry).ok())
    {
        if let Object::Name(name) = entry {
            let name = strip_suffix(name);
            // Codes of simple fonts have one byte. A later name for a code replaces an earlier one.
            if let Some(code) = u8::try_from(code).ok().map(u32::from) {
                match decode_name(name) {
                    Some(text) => mappings.insert(code, text),
                    None => mappings.remove(&code),
                };
            }
            valid.push(Object::Name(name.to_vec()));
            code = code.saturating_add(1);
        } else if let Ok(first) = entry.as_float() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "any integer will do for a value that is not a code"
            )]
            let first = first as i64;
            code = first;
            valid.push(Object::Integer(code));
        }
    }
    (valid, mappings)
}

/// Returns a name without the suffix of a variant, as in `zcaron.alt`. `.notdef` is a name without
/// a suffix.
fn strip_suffix(name: &[u8]) -> &[u8] {
    name.iter()
        .position(|byte| *byte == b'.')
        .filter(|end| *end > 0)
        .map_or(name, |end| &name[..end])
}

/// Returns the text of a name that encodes it: `uni017E`, `uni017E0301`, `u1F600`, or `T_h` for a
/// ligature.
fn decode_name(name: &[u8]) -> Option<String> {
    let name = str::from_utf8(name).ok()?;
    let text: Option<String> = if name.contains('_') {
        name.split('_')
            .map(|part| decode_name(part.as_bytes()).or_else(|| latin_letter(part)))
            .collect()
    } else {
        decode_code_points(name)
    };
    // Fonts use the private use area for glyphs that are not text.
    text.filter(|text| {
        !text.is_empty()
            && !text
                .chars()
                .any(|c| c.is_control() || ('\u{E000}'..='\u{F8FF}').contains(&c))
    })
}

/// Returns the name itself if it is that of a Latin letter.
fn latin_letter(name: &str) -> Option<String> {
    (name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic()).then(|| name.to_owned())
}

/// Returns the text of a name that begins with `uni` or `u` and continues with code points.
fn decode_code_points(name: &str) -> Option<String> {
    let is_upper_hex = |digits: &str| {
        digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte))
    };
    if let Some(digits) = name
        .strip_prefix("uni")
        .filter(|digits| digits.len() % 4 == 0)
    {
        return to_unicode::parse_text(digits.as_bytes());
    }
    let digits = name
        .strip_prefix('u')
        .filter(|digits| is_upper_hex(digits) && (4..=6).contains(&digits.len()))?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::{decode_name, strip_suffix};

    #[test]
    fn decodes_names_with_code_points() {
        let decode = |name: &str| decode_name(strip_suffix(name.as_bytes()));
        for name in ["uni017E", "u017E", "u00017E", "uni017E.alt"] {
            assert_eq!(decode(name).as_deref(), Some("ž"), "{name}");
        }
        for name in ["uni00660069", "f_i", "uni0066_u0069", "f_uni0069.liga"] {
            assert_eq!(decode(name).as_deref(), Some("fi"), "{name}");
        }
        assert_eq!(decode("uni017e").as_deref(), Some("ž"));
        assert_eq!(decode("u1F600").as_deref(), Some("😀"));
        for name in [
            "umacron", "uni", "uni17E", "u017e", "uniD800", "uniF001", "uni000A", "f_longs", "_",
            "u110000", "u17E", "zcaron", ".notdef", "", "u\u{301}",
        ] {
            assert_eq!(decode(name), None, "{name}");
        }
        assert_eq!(
            (strip_suffix(b"zcaron.alt"), strip_suffix(b".notdef")),
            (&b"zcaron"[..], &b".notdef"[..])
        );
    }
}
