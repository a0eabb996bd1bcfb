//! The kind of a file from its bytes, without a declared type.

use crate::json_lines::{begins_like_long_values, begins_like_record};
use crate::media::utf16::utf16_sample;
use crate::media::{MediaType, PageFormat};
use crate::text_format::{UnreadFormat, find_unread, is_vertical};
use std::borrow::Cow;

/// Bytes at the beginning of a file that are searched for NUL and markup. Set by judgement, not
/// measured.
const HEAD_BYTES: usize = 8 << 10;

/// The byte-order mark of UTF-8.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// The beginnings of HTML documents that the standard on MIME sniffing lists (section 7.1), and of
/// XML. A text that begins with another word in angle brackets is plain text.
const MARKUP: [&str; 17] = [
    "<!doctype html",
    "<html",
    "<head",
    "<script",
    "<iframe",
    "<h1",
    "<div",
    "<font",
    "<table",
    "<a",
    "<style",
    "<title",
    "<b",
    "<body",
    "<br",
    "<p",
    "<!--",
];

/// The kind of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentKind {
    /// JSON objects.
    Records,
    /// Plain text in any encoding, or nothing.
    Text,
    /// A document whose text has to be extracted.
    Document(PageFormat),
    /// A format of other programs that is not read.
    Unread(UnreadFormat),
    /// Data without text.
    Binary,
}

impl ContentKind {
    /// Detects the kind of a content from its bytes, or from the first ones.
    pub fn detect(bytes: &[u8]) -> ContentKind {
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        let is_xml = match MediaType::sniff(bytes).format() {
            // Stricter than for a response of a server, where any tag means HTML.
            Some(PageFormat::Html | PageFormat::Plain | PageFormat::Records) | None => false,
            Some(PageFormat::Xml) => true,
            Some(format) => return ContentKind::Document(format),
        };
        let text = readable_beginning(bytes);
        let begins_with_tag = text.trim_ascii_start().starts_with(b"<");
        let tagged = begins_with_tag.then(|| String::from_utf8_lossy(&text));
        let unread = tagged.as_deref().and_then(find_unread);
        // The root of XML may be that of a page.
        let may_be_vertical = !is_xml || unread.is_some();
        if may_be_vertical && tagged.as_deref().is_some_and(is_vertical) {
            ContentKind::Text
        } else if let Some(format) = unread {
            ContentKind::Unread(format)
        } else if is_xml {
            ContentKind::Document(PageFormat::Xml)
        } else if is_markup(&text) {
            ContentKind::Document(PageFormat::Html)
        } else if head.contains(&0) && matches!(text, Cow::Borrowed(_)) {
            ContentKind::Binary
        } else if begins_like_long_values(&text) || begins_like_record(&text) {
            ContentKind::Records
        } else {
            ContentKind::Text
        }
    }
}

/// Returns the beginning of a text in UTF-16, decoded; another text without a byte-order mark.
pub(crate) fn readable_beginning(text: &[u8]) -> Cow<'_, [u8]> {
    match utf16_sample(text) {
        Some(text) => text.into_bytes().into(),
        None => text.strip_prefix(MARK).unwrap_or(text).into(),
    }
}

/// Returns `true` if a file begins like an HTML or XML document.
fn is_markup(head: &[u8]) -> bool {
    let start = head.trim_ascii_start();
    let begins_with = |prefix: &str| {
        start
            .get(..prefix.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    let is_tag = |tag: &&str| {
        let next = start.get(tag.len());
        begins_with(tag)
            && (tag.ends_with('-') || next.is_some_and(|c| c.is_ascii_whitespace() || *c == b'>'))
    };
    begins_with("<?xml") || MARKUP.iter().any(is_tag)
}

#[cfg(test)]
mod tests {
    use super::ContentKind;
    use crate::media::{PageFormat, decode_plain_text};

    #[test]
    fn recognises_documents_by_their_first_bytes() {
        for (bytes, format) in [
            (&b"<!DOCTYPE html><html>"[..], PageFormat::Html),
            (b"\xef\xbb\xbf\n <HTML lang=sl>", PageFormat::Html),
            (b"<?xml version=\"1.0\"?>", PageFormat::Html),
            (b"<!-- a --><p>b", PageFormat::Html),
            (b"%PDF-1.7\n1 0 obj", PageFormat::Pdf),
            (b"PK\x03\x04", PageFormat::Zip),
            (b"\x1f\x8b\x08\x00", PageFormat::Gzip),
        ] {
            assert_eq!(ContentKind::detect(bytes), ContentKind::Document(format));
        }
    }

    #[test]
    fn a_declaration_of_xml_does_not_make_a_page() {
        let kind = |text: &str| {
            let kind = ContentKind::detect(text.as_bytes());
            let declared = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}");
            assert_eq!(ContentKind::detect(declared.as_bytes()), kind, "{text}");
            kind
        };
        let korp = "<!-- #vrt positional-attributes: word pos -->\n<text id=\"x\">\n\
            <sentence>\nDa\tL\n</sentence>\n</text>\n";
        assert_eq!(kind(korp), ContentKind::Text);
        assert_eq!(
            kind("<corpus>\n<s>\nDa\tL\n</s>\n</corpus>"),
            ContentKind::Text
        );
        for (text, name) in [
            ("<ANNOTATION_DOCUMENT AUTHOR=\"\">", "ELAN"),
            ("<tmx version=\"1.4\"><header/>", "TMX"),
            ("<trans xmlns=\"http://a.test\">", "XML"),
        ] {
            let found = kind(text);
            let is_expected = matches!(found, ContentKind::Unread(format) if format.name == name);
            assert!(is_expected, "{text}: {found:?}");
        }
        let xml = ContentKind::Document(PageFormat::Xml);
        assert_eq!(kind("<TEI xmlns=\"http://www.tei-c.org/ns/1.0\">"), xml);
        assert_eq!(kind("<office:document xmlns:office=\"urn:a\">"), xml);
        // The tags and attributes of a drawing are no tokens.
        let svg = "<svg\nxmlns=\"a\"\nwidth=\"9\">\n<g>\nid=\"b\"\n</g>\n</svg>";
        assert_eq!(kind(svg), xml);
    }

    #[test]
    fn markup_in_utf16_is_html() {
        let text = "<html><body><p>danes je lep dan</html>";
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let html = ContentKind::Document(PageFormat::Html);
        assert_eq!(ContentKind::detect(&bytes), html);
        assert_eq!(
            ContentKind::detect(&[b"\xff\xfe", &bytes[..]].concat()),
            html
        );
    }

    #[test]
    fn text_in_any_encoding_is_plain_text() {
        let utf16 =
            |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
        for bytes in [
            b"".to_vec(),
            b"<Ana> dober dan".to_vec(),
            b"<bravo>".to_vec(),
            b"\xe8ebela \x9eivi".to_vec(),
            [b"\xff\xfe".to_vec(), utf16("čebela")].concat(),
            utf16("Čebela leti čez žito in išče šipek."),
        ] {
            assert_eq!(ContentKind::detect(&bytes), ContentKind::Text, "{bytes:?}");
        }
    }

    #[test]
    fn data_is_binary() {
        for bytes in [
            &b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0"[..],
            b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01",
            b"a\0b",
        ] {
            assert_eq!(ContentKind::detect(bytes), ContentKind::Binary, "{bytes:?}");
        }
    }

    #[test]
    fn plain_text_is_utf8_unless_its_bytes_contradict_that() {
        let text = "Čebela leti čez žito in išče šipek; življenje v gozdu je skrivnostno.";
        let (legacy, _, _) = encoding_rs::WINDOWS_1250.encode(text);
        assert_eq!(
            decode_plain_text(&legacy),
            (text.to_owned(), "windows-1250")
        );
        let damaged = [text.repeat(9).as_bytes(), b"\xff"].concat();
        assert_eq!(decode_plain_text(&damaged).1, "UTF-8");
        let (japanese, _, _) = encoding_rs::ISO_2022_JP.encode("吾輩は猫である。");
        assert_eq!(
            decode_plain_text(&japanese),
            ("吾輩は猫である。".to_owned(), "ISO-2022-JP")
        );
    }
}
