//! Names of glyphs that tell a character by its code, or a variant of it (Adobe Glyph List Specification, section 2).
//! The crate knows the names of the list itself alone, and nothing is shown for others: letters with diacritics are
//! those that fonts name by code the most.

use super::maps::{self, Shown};
use pdf_extract::{Dictionary, Document, Object, Stream};

/// Makes such names in a font's encoding known: variants lose their suffix, and codes go into a map to Unicode, unless
/// the font has one.
pub(super) fn mend(document: &mut Document, font: &mut Dictionary) {
    let encoding = font.get_deref(b"Encoding", document).and_then(Object::as_dict);
    let Ok(mut encoding) = encoding.cloned() else { return };
    let Ok(differences) = encoding.get_deref(b"Differences", document).and_then(Object::as_array) else { return };
    let (differences, shown) = known(document, differences);
    encoding.set("Differences", differences);
    font.set("Encoding", encoding);
    if !shown.is_empty() && !font.has(b"ToUnicode") {
        let map = document.add_object(Stream::new(Dictionary::new(), maps::written(&shown)));
        font.set("ToUnicode", map);
    }
}

/// Differences without suffixes, and what their names tell by code.
fn known(document: &Document, differences: &[Object]) -> (Vec<Object>, Shown) {
    let (mut all, mut shown, mut code) = (Vec::with_capacity(differences.len()), Shown::new(), 0);
    for entry in differences {
        let Ok((_, entry)) = document.dereference(entry) else { continue };
        match entry {
            Object::Integer(from) => code = *from,
            Object::Name(name) => {
                let stem = stem(name);
                // Codes of such fonts are of one byte.
                shown.extend(u8::try_from(code).ok().map(u32::from).zip(by_code(stem)));
                all.push(Object::Name(stem.to_vec()));
                code = code.saturating_add(1);
                continue;
            }
            _ => {}
        }
        all.push(entry.clone());
    }
    (all, shown)
}

/// A name without what tells variants apart, as in `zcaron.alt`; `.notdef` is one by itself.
fn stem(name: &[u8]) -> &[u8] {
    name.iter().position(|byte| *byte == b'.').filter(|end| *end > 0).map_or(name, |end| &name[..end])
}

/// What `uni017E`, `uni017E0301` or `u1F600` stands for.
fn by_code(name: &[u8]) -> Option<String> {
    let name = str::from_utf8(name).ok()?;
    let is_code = |digits: &str| digits.bytes().all(|it| it.is_ascii_digit() || (b'A'..=b'F').contains(&it));
    if let Some(digits) = name.strip_prefix("uni").filter(|digits| is_code(digits) && digits.len() % 4 == 0) {
        let units: Option<Vec<u16>> =
            digits.as_bytes().chunks(4).map(|four| u16::from_str_radix(str::from_utf8(four).ok()?, 16).ok()).collect();
        return String::from_utf16(&units?).ok().filter(|text| !text.is_empty());
    }
    let digits = name.strip_prefix('u').filter(|digits| is_code(digits) && (4..=6).contains(&digits.len()))?;
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
        assert_eq!(read("uni00660069").as_deref(), Some("fi"));
        assert_eq!(read("u1F600").as_deref(), Some("😀"));
        for name in
            ["umacron", "uni", "uni17E", "uni017e", "uniD800", "u110000", "u17E", "zcaron", ".notdef", "", "u\u{301}"]
        {
            assert_eq!(read(name), None, "{name}");
        }
        assert_eq!((stem(b"zcaron.alt"), stem(b".notdef")), (&b"zcaron"[..], &b".notdef"[..]));
    }
}
