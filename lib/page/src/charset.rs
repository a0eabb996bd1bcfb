//! From bytes to text: which character encoding a page is in.
//!
//! In this order: a byte-order mark, or the look of UTF-16 without one; the `charset` of the
//! header; that of a `<meta>` tag or XML declaration near the beginning; detection by what the
//! bytes look like (chardetng). A label is believed only as far as the bytes agree: one under which
//! they are full of errors is passed over, and text that is valid UTF-8 with multi-byte characters
//! is UTF-8 whatever the label says, since no text in another encoding looks so by chance.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Bytes in which a declaration is looked for. The standard says 1,024; pages with long comments
/// need more.
const PRESCAN_BYTES: usize = 4096;
/// A label is believed when at most one character in this many is malformed under it.
const CHARACTERS_PER_ERROR: usize = 500;
/// What shifts between alphabets in ISO-2022-JP, whose bytes are all ASCII.
const ESCAPE: u8 = 0x1B;

/// Decodes `body`. `declared` is the header's label, `is_html` whether to look for a declaration in
/// the bytes, and `tld` the last label of the host name, which helps detection. Returns the text
/// and the encoding's name.
pub(crate) fn decode(
    body: &[u8],
    declared: Option<&str>,
    is_html: bool,
    tld: Option<&str>,
) -> (String, &'static str) {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return (
            encoding
                .decode_without_bom_handling(&body[mark..])
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
    let inside = if is_html { declaration(body) } else { None };
    for encoding in [wide(body), header, inside].into_iter().flatten() {
        if let Some(text) = decode_as(body, encoding) {
            return (text, encoding.name());
        }
    }
    let is_plain_ascii = body.iter().all(|&byte| byte.is_ascii() && byte != ESCAPE);
    let guess = if is_plain_ascii {
        UTF_8
    } else {
        detect(body, tld)
    };
    (
        guess.decode_without_bom_handling(body).0.into_owned(),
        guess.name(),
    )
}

/// The text under `encoding`, unless the bytes contradict it.
fn decode_as(body: &[u8], encoding: &'static Encoding) -> Option<String> {
    let (text, had_errors) = encoding.decode_without_bom_handling(body);
    let errors = if had_errors {
        text.matches('\u{FFFD}').count()
    } else {
        0
    };
    (errors * CHARACTERS_PER_ERROR <= text.len()).then(|| text.into_owned())
}

/// UTF-16 without a byte-order mark: every other byte of its markup or spaces is NUL.
fn wide(body: &[u8]) -> Option<&'static Encoding> {
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

fn detect(body: &[u8], tld: Option<&str>) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(body, true);
    let tld = tld
        .filter(|tld| tld.is_ascii() && !tld.is_empty())
        .map(str::to_ascii_lowercase);
    detector.guess(tld.as_deref().map(str::as_bytes), Utf8Detection::Allow)
}

/// The encoding that the page itself declares: `<meta charset>`, `<meta http-equiv …
/// content="…charset=">`, or `<?xml encoding?>`. As in the HTML standard, a declaration that could
/// be read is not in UTF-16, so one that says so means UTF-8.
fn declaration(body: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&body[..body.len().min(PRESCAN_BYTES)]).to_ascii_lowercase();
    let xml = head
        .trim_start()
        .strip_prefix("<?xml")
        .and_then(|rest| label(tag(rest), "encoding"));
    let label = xml.or_else(|| {
        head.split("<meta")
            .skip(1)
            .find_map(|rest| label(tag(rest), "charset"))
    })?;
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else {
        encoding
    })
}

/// The rest of a tag.
fn tag(rest: &str) -> &str {
    rest.split('>').next().unwrap_or_default()
}

/// The value after `name` and an equals sign, quoted or not.
fn label<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = tag;
    while let Some(at) = rest.find(name) {
        rest = &rest[at + name.len()..];
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
    use super::decode;
    use encoding_rs::{Encoding, ISO_8859_2, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251};

    const SLOVENIAN: &str =
        "Čebela leti čez žito in išče šipek; življenje v gozdu je že od nekdaj skrivnostno.";

    fn bytes(text: &str, encoding: &'static Encoding) -> Vec<u8> {
        encoding.encode(text).0.into_owned()
    }

    #[test]
    fn a_byte_order_mark_decides() {
        let mut wide: Vec<u8> = vec![0xFF, 0xFE];
        wide.extend(SLOVENIAN.encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(
            decode(&wide, Some("windows-1252"), true, None),
            (SLOVENIAN.into(), "UTF-16LE")
        );
    }

    #[test]
    fn the_header_comes_before_the_meta_tag() {
        let page = format!("<meta charset=windows-1252>{SLOVENIAN}");
        assert_eq!(
            decode(
                &bytes(&page, WINDOWS_1250),
                Some("windows-1250"),
                true,
                None
            ),
            (page, "windows-1250")
        );
    }

    #[test]
    fn a_declaration_inside_is_found_in_each_form() {
        for tag in [
            "<meta charset='iso-8859-2'>",
            "<META http-equiv=Content-Type content=\"text/html; charset=ISO-8859-2\">",
            "<?xml version=\"1.0\" encoding=\"iso-8859-2\"?>",
        ] {
            let page = format!("{tag}{SLOVENIAN}");
            assert_eq!(
                decode(&bytes(&page, ISO_8859_2), None, true, None),
                (page, "ISO-8859-2")
            );
        }
    }

    #[test]
    fn an_undeclared_encoding_is_detected() {
        let russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(3);
        assert_eq!(
            decode(&bytes(&russian, WINDOWS_1251), None, false, Some("ru")).0,
            russian
        );
        let japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。";
        assert_eq!(
            decode(&bytes(japanese, SHIFT_JIS), None, false, None),
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
    fn a_wrong_label_is_not_believed() {
        assert_eq!(
            decode(SLOVENIAN.as_bytes(), Some("iso-8859-1"), true, None),
            (SLOVENIAN.into(), "UTF-8")
        );
        let (text, charset) = decode(
            &bytes(SLOVENIAN, WINDOWS_1250),
            Some("utf-8"),
            true,
            Some("si"),
        );
        assert_eq!((text.as_str(), charset), (SLOVENIAN, "windows-1250"));
    }

    #[test]
    fn one_bad_byte_does_not_overrule_the_label() {
        let mut page = SLOVENIAN.repeat(20).into_bytes();
        page.push(0xFF);
        let (text, charset) = decode(&page, Some("utf-8"), true, None);
        assert!(text.starts_with(SLOVENIAN) && text.ends_with('\u{FFFD}') && charset == "UTF-8");
    }
}
