//! Detection of the character encoding of a page, and decoding.
//!
//! Sources of the encoding, by precedence: a byte-order mark, or NUL bytes as in UTF-16 without
//! one; the `charset` of the header; that of a `<meta>` tag or XML declaration near the beginning;
//! detection from the bytes (chardetng). A label is ignored if the bytes contradict it: if they
//! have many errors under it, or are valid UTF-8 with multi-byte characters, which text in another
//! encoding never is by chance.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes that are searched for a declaration. The HTML standard says 1,024; pages with long
/// comments need more. Set by judgement, not measured.
const PRESCAN_BYTES: usize = 4096;
/// A label is accepted if the text has at most one malformed character per this many bytes. Set by
/// judgement, not measured.
const BYTES_PER_ERROR: usize = 500;
/// The byte that begins the escape sequences of ISO-2022-JP, whose bytes are all ASCII.
const ESCAPE: u8 = 0x1B;

/// Decodes `body`. Returns the text and the name of the encoding.
///
/// `declared` is the label in the header. `is_html` is true if the bytes may contain a declaration.
/// `tld` is the last label of the host name, a hint for detection.
pub fn decode(
    body: &[u8],
    declared: Option<&str>,
    is_html: bool,
    tld: Option<&str>,
) -> (String, &'static str) {
    if let Some((encoding, bom_length)) = Encoding::for_bom(body) {
        return (
            encoding
                .decode_without_bom_handling(&body[bom_length..])
                .0
                .into_owned(),
            encoding.name(),
        );
    }
    if let Ok(text) = std::str::from_utf8(body)
        && !text.is_ascii()
    {
        return (text.to_owned(), UTF_8.name());
    }
    let header = declared.and_then(|label| Encoding::for_label(label.as_bytes()));
    let meta = if is_html {
        declared_encoding(body)
    } else {
        None
    };
    for encoding in [utf16_without_bom(body), header, meta]
        .into_iter()
        .flatten()
    {
        if let Some(text) = decode_as(body, encoding) {
            return (text, encoding.name());
        }
    }
    let is_plain_ascii = body.iter().all(|&byte| byte.is_ascii() && byte != ESCAPE);
    let guess = if is_plain_ascii {
        UTF_8
    } else {
        detect_encoding(body, tld)
    };
    (
        guess.decode_without_bom_handling(body).0.into_owned(),
        guess.name(),
    )
}

/// Decodes a file of plain text, which is UTF-8 unless its bytes contradict that. Returns the text
/// and the name of the encoding.
pub fn decode_plain_text(body: &[u8]) -> (String, &'static str) {
    // Escape sequences of ISO-2022-JP would be valid UTF-8.
    let assumed = (!body.contains(&ESCAPE)).then_some(UTF_8.name());
    decode(body, assumed, false, None)
}

/// Returns the name of the encoding of a text that begins with `head`, or `None` if it is UTF-8. The
/// last character of `head` may be incomplete.
pub fn foreign_encoding(head: &[u8]) -> Option<&'static str> {
    let complete = match std::str::from_utf8(head) {
        Err(e) if e.error_len().is_none() => &head[..e.valid_up_to()],
        _ => head,
    };
    let (_, name) = decode_plain_text(complete);
    (name != UTF_8.name()).then_some(name)
}

/// Returns the text under `encoding`, unless the bytes contradict it.
fn decode_as(body: &[u8], encoding: &'static Encoding) -> Option<String> {
    let (text, had_errors) = encoding.decode_without_bom_handling(body);
    let errors = if had_errors {
        text.matches('\u{FFFD}').count()
    } else {
        0
    };
    (errors * BYTES_PER_ERROR <= text.len()).then(|| text.into_owned())
}

/// Detects UTF-16 without a byte-order mark: every other byte of its markup and spaces is NUL.
pub(crate) fn utf16_without_bom(body: &[u8]) -> Option<&'static Encoding> {
    let head = &body[..body.len().min(512)];
    let zeros = |parity: usize| {
        head.iter()
            .skip(parity)
            .step_by(2)
            .filter(|&&byte| byte == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    if head.len() < 4 || even.max(odd) * 8 < head.len() {
        return None;
    }
    Some(if odd > even { UTF_16LE } else { UTF_16BE })
}

/// Detects the encoding from the bytes, with the top-level domain as a hint.
fn detect_encoding(body: &[u8], tld: Option<&str>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(body, true);
    let tld = tld
        .filter(|tld| tld.is_ascii() && !tld.is_empty())
        .map(str::to_ascii_lowercase);
    detector.guess(tld.as_deref().map(str::as_bytes), Utf8Detection::Allow)
}

/// Returns the encoding that the page itself declares: `<meta charset>`, `<meta http-equiv …
/// content="…charset=">`, or `<?xml encoding?>`.
///
/// As in the HTML standard, a declaration of UTF-16 means UTF-8: in UTF-16 it would not be readable
/// as ASCII.
fn declared_encoding(body: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&body[..body.len().min(PRESCAN_BYTES)]).to_ascii_lowercase();
    let xml = head
        .trim_start()
        .strip_prefix("<?xml")
        .and_then(|rest| find_label(until_tag_end(rest), "encoding"));
    let label = xml.or_else(|| {
        head.split("<meta")
            .skip(1)
            .find_map(|rest| find_label(until_tag_end(rest), "charset"))
    })?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else {
        encoding
    })
}

/// Returns the rest of a tag, up to its `>`.
fn until_tag_end(rest: &str) -> &str {
    rest.split('>').next().unwrap_or_default()
}

/// Returns the value after `name` and an equals sign, quoted or not.
fn find_label<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    while let Some(start) = rest.find(name) {
        rest = &rest[start + name.len()..];
        if let Some(value) = rest.trim_start().strip_prefix('=') {
            let value = value.trim_start().trim_start_matches(['"', '\'']);
            let end = value
                .find(|c: char| c.is_whitespace() || "\"';/?>".contains(c))
                .unwrap_or(value.len());
            return Some(&value[..end]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{decode, foreign_encoding};
    use encoding_rs::{Encoding, ISO_8859_2, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251};

    const SLOVENIAN: &str =
        "Čebela leti čez žito in išče šipek; življenje v gozdu je že od nekdaj skrivnostno.";

    fn encode(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    #[test]
    fn a_byte_order_mark_takes_precedence() {
        let mut wide: Vec<u8> = vec![0xFF, 0xFE];
        wide.extend(SLOVENIAN.encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(
            decode(&wide, Some("windows-1252"), true, None),
            (SLOVENIAN.into(), "UTF-16LE")
        );
    }

    #[test]
    fn the_header_takes_precedence_over_the_meta_tag() {
        let page = format!("<meta charset=windows-1252>{SLOVENIAN}");
        assert_eq!(
            decode(
                &encode(&page, WINDOWS_1250),
                Some("windows-1250"),
                true,
                None
            ),
            (page, "windows-1250")
        );
    }

    #[test]
    fn finds_each_form_of_declaration() {
        for tag in [
            "<meta charset='iso-8859-2'>",
            "<META http-equiv=Content-Type content=\"text/html; charset=ISO-8859-2\">",
            "<?xml version=\"1.0\" encoding=\"iso-8859-2\"?>",
        ] {
            let page = format!("{tag}{SLOVENIAN}");
            assert_eq!(
                decode(&encode(&page, ISO_8859_2), None, true, None),
                (page, "ISO-8859-2")
            );
        }
    }

    #[test]
    fn detects_an_undeclared_encoding() {
        let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(3);
        assert_eq!(
            decode(&encode(&russian, WINDOWS_1251), None, false, Some("ru")).0,
            russian
        );
        let japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
        assert_eq!(
            decode(&encode(japanese, SHIFT_JIS), None, false, None),
            (japanese.into(), "Shift_JIS")
        );
        let wide: Vec<u8> = SLOVENIAN
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        assert_eq!(
            decode(&wide, None, false, None),
            (SLOVENIAN.into(), "UTF-16BE")
        );
    }

    #[test]
    fn ignores_a_wrong_label() {
        assert_eq!(
            decode(SLOVENIAN.as_bytes(), Some("iso-8859-1"), true, None),
            (SLOVENIAN.into(), "UTF-8")
        );
        let (text, charset) = decode(
            &encode(SLOVENIAN, WINDOWS_1250),
            Some("utf-8"),
            true,
            Some("si"),
        );
        assert_eq!((text.as_str(), charset), (SLOVENIAN, "windows-1250"));
    }

    #[test]
    fn an_incomplete_character_at_the_end_is_not_a_foreign_encoding() {
        assert_eq!(foreign_encoding(b"dan \xc4"), None);
        assert_eq!(
            foreign_encoding(&encode(SLOVENIAN, WINDOWS_1250)),
            Some("windows-1250")
        );
    }

    #[test]
    fn one_malformed_byte_does_not_overrule_the_label() {
        let mut page = SLOVENIAN.repeat(20).into_bytes();
        page.push(0xFF);
        let (text, charset) = decode(&page, Some("utf-8"), true, None);
        assert!(text.starts_with(SLOVENIAN) && text.ends_with('\u{FFFD}') && charset == "UTF-8");
    }
}
