//! Names of glyphs that tell a character by its code, or a variant of it (Adobe Glyph List
//! Specification, section 2). The crate knows the names of the list itself alone, and nothing is
//! shown for others: letters with diacritics are those that fonts name by code the most.

use super::maps::{self, Shown};
use pdf_extract::{Dictionary, Document, Object, Stream};
use std::collections::BTreeMap;

/// Makes such names in a font's encoding known: variants lose their suffix, and codes go into a map
/// to Unicode, behind what the font has there.
pub(super) fn mend(document: &mut Document, font: &mut Dictionary) {
    let told = maps::read_from_font(document, font);
    if told.is_empty() {
        // The crate takes it for one, and then looks no further.
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
    let (differences, mut shown) = known(document, differences);
    encoding.set("Differences", differences);
    font.set("Encoding", encoding);
    if !shown.is_empty() {
        shown.extend(told);
        let map = maps::written(&Shown::from_iter(shown));
        let map = document.add_object(Stream::new(Dictionary::new(), map));
        font.set("ToUnicode", map);
    }
}

/// Differences without suffixes, and without what has no place there, and what their names tell by
/// code.
fn known(document: &Document, differences: &[Object]) -> (Vec<Object>, BTreeMap<u32, String>) {
    let (mut all, mut shown, mut code) = (
        Vec::with_capacity(differences.len()),
        BTreeMap::new(),
        0_i64,
    );
    for (_, entry) in differences
        .iter()
        .filter_map(|entry| document.dereference(entry).ok())
    {
        if let Object::Name(name) = entry {
            let stem = stem(name);
            // Codes of such fonts are of one byte. A later name counts.
            if let Some(code) = u8::try_from(code).ok().map(u32::from) {
                match by_code(stem) {
                    Some(text) => shown.insert(code, text),
                    None => shown.remove(&code),
                };
            }
            all.push(Object::Name(stem.to_vec()));
            code = code.saturating_add(1);
        } else if let Ok(from) = entry.as_float() {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a code that is none is as good as any other"
            )]
            let from = from as i64;
            code = from;
            all.push(Object::Integer(code));
        }
    }
    (all, shown)
}

/// A name without what tells variants apart, as in `zcaron.alt`; `.notdef` is one by itself.
fn stem(name: &[u8]) -> &[u8] {
    name.iter()
        .position(|byte| *byte == b'.')
        .filter(|end| *end > 0)
        .map_or(name, |end| &name[..end])
}

/// What `uni017E`, `uni017E0301`, `u1F600` or, of several that are written as one, `T_h` stands
/// for.
fn by_code(name: &[u8]) -> Option<String> {
    let name = str::from_utf8(name).ok()?;
    let text: Option<String> = if name.contains('_') {
        name.split('_')
            .map(|part| by_code(part.as_bytes()).or_else(|| letter(part)))
            .collect()
    } else {
        one_by_code(name)
    };
    // In the private use area fonts have what no text has.
    text.filter(|text| {
        !text.is_empty()
            && !text
                .chars()
                .any(|c| c.is_control() || ('\u{E000}'..='\u{F8FF}').contains(&c))
    })
}

/// A Latin letter is named by itself.
fn letter(name: &str) -> Option<String> {
    (name.len() == 1 && name.as_bytes()[0].is_ascii_alphabetic()).then(|| name.to_owned())
}

fn one_by_code(name: &str) -> Option<String> {
    let is_code = |digits: &str| {
        digits
            .bytes()
            .all(|it| it.is_ascii_digit() || (b'A'..=b'F').contains(&it))
    };
    if let Some(digits) = name
        .strip_prefix("uni")
        .filter(|digits| digits.len() % 4 == 0)
    {
        return maps::text(digits.as_bytes());
    }
    let digits = name
        .strip_prefix('u')
        .filter(|digits| is_code(digits) && (4..=6).contains(&digits.len()))?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?).map(String::from)
}

#[cfg(test)]
mod tests {
    use super::{by_code, stem};

    #[test]
    fn a_name_tells_a_character_by_its_code() {
        let read = |name: &str| by_code(stem(name.as_bytes()));
        for name in ["uni017E", "u017E", "u00017E", "uni017E.alt"] {
            assert_eq!(read(name).as_deref(), Some("ž"), "{name}");
        }
        for name in ["uni00660069", "f_i", "uni0066_u0069", "f_uni0069.liga"] {
            assert_eq!(read(name).as_deref(), Some("fi"), "{name}");
        }
        assert_eq!(read("uni017e").as_deref(), Some("ž"));
        assert_eq!(read("u1F600").as_deref(), Some("😀"));
        for name in [
            "umacron", "uni", "uni17E", "u017e", "uniD800", "uniF001", "uni000A", "f_longs", "_",
            "u110000", "u17E", "zcaron", ".notdef", "", "u\u{301}",
        ] {
            assert_eq!(read(name), None, "{name}");
        }
        assert_eq!(
            (stem(b"zcaron.alt"), stem(b".notdef")),
            (&b"zcaron"[..], &b".notdef"[..])
        );
    }
}
