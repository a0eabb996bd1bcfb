//! The encoding that a page declares itself, and its language: `<?xml encoding?>`,
//! `<meta charset>`, or `<meta http-equiv=Content-Type content="…charset=…">`.
//!
//! The tags are found as in the HTML standard ("prescan a byte stream to determine its encoding"),
//! so that a declaration in a comment is none. The same holds for one in an element whose content
//! is text, which the standard leaves to the parser.

use crate::media::single_byte::standard_encoding;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use memchr::memmem;

/// Bytes that are searched for a declaration. The HTML standard says 1,024; pages with long
/// comments need more. Set by judgement, not measured.
const PRESCAN_BYTES: usize = 4096;
/// Elements whose content is text, or is not rendered where scripts run.
const TEXT_ELEMENTS: [&str; 7] = [
    "script", "style", "title", "noscript", "textarea", "xmp", "template",
];

/// Returns the encoding that a page declares.
///
/// As in the HTML standard, a declaration of UTF-16 means UTF-8: in UTF-16 it would not be readable
/// as ASCII.
pub(crate) fn declared_encoding(body: &[u8]) -> Option<&'static Encoding> {
    let encoding = encoding_for_label(&declared_label(body)?)?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else {
        encoding
    })
}

/// Returns the label of the encoding that a page declares, in lower case.
pub(crate) fn declared_label(body: &[u8]) -> Option<Vec<u8>> {
    let head = body[..body.len().min(PRESCAN_BYTES)].to_ascii_lowercase();
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
    let label = xml_label(head).or_else(|| {
        find_in_tags(head, |tag, _| {
            (tag.name == b"meta").then(|| label_of_meta(tag))?
        })
    });
    label.map(<[u8]>::to_vec)
}

/// Returns the encoding with a label.
///
/// `x-user-defined` is windows-1252, as the HTML standard says of `<meta>`: pages with a font of
/// their own for an alphabet declare it.
pub(crate) fn encoding_for_label(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label).or_else(|| standard_encoding(label))?;
    Some(if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

/// Returns the language that a page or a feed declares, in lower case: the attribute `lang` of the
/// root, `<meta http-equiv=Content-Language>`, or `<language>` of RSS.
pub(crate) fn declared_language(body: &[u8]) -> Option<String> {
    let head = body[..body.len().min(PRESCAN_BYTES)].to_ascii_lowercase();
    let language = find_in_tags(&head, |tag, after| {
        let language = match tag.name {
            b"html" | b"rss" | b"feed" => tag.value(b"lang").or_else(|| tag.value(b"xml:lang"))?,
            b"meta" => {
                tag.value(b"http-equiv")
                    .filter(|header| *header == b"content-language")?;
                tag.value(b"content")?
            }
            b"language" => after.split(|byte| *byte == b'<').next()?,
            _ => return None,
        };
        Some(language.trim_ascii()).filter(|language| !language.is_empty())
    })?;
    Some(String::from_utf8_lossy(language).into_owned())
}

/// Returns the label in the XML declaration, with which a document begins.
fn xml_label(head: &[u8]) -> Option<&[u8]> {
    let rest = head.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = memchr::memchr(b'>', rest)?;
    label_after(&rest[..end], b"encoding")
}

/// A start tag.
struct Tag<'a> {
    name: &'a [u8],
    attributes: Vec<Attribute<'a>>,
}

impl<'a> Tag<'a> {
    fn value(&self, wanted: &[u8]) -> Option<&'a [u8]> {
        let mut found = self.attributes.iter().filter(|(name, _)| *name == wanted);
        found.next().map(|(_, value)| value.trim_ascii())
    }
}

/// Returns the first value that `find` returns for a start tag and what follows it.
fn find_in_tags<'a>(
    head: &'a [u8],
    find: impl Fn(&Tag<'a>, &'a [u8]) -> Option<&'a [u8]>,
) -> Option<&'a [u8]> {
    let mut rest = head;
    loop {
        rest = &rest[memchr::memchr(b'<', rest)?..];
        if let Some(comment) = rest.strip_prefix(b"<!--") {
            // `<!-->` is a complete comment.
            let content = &rest[2..];
            rest = &content[memmem::find(content, b"-->").filter(|_| !comment.is_empty())?..];
            continue;
        }
        let name_length = rest[1..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric())
            .count();
        let name = &rest[1..=name_length];
        rest = &rest[1 + name_length..];
        if name.is_empty() {
            continue;
        }
        let (attributes, after) = split_tag(rest)?;
        if let Some(found) = find(&Tag { name, attributes }, after) {
            return Some(found);
        }
        rest = after;
        if let Some(element) = TEXT_ELEMENTS.iter().find(|text| text.as_bytes() == name) {
            rest = &rest[memmem::find(rest, format!("</{element}").as_bytes())?..];
        }
    }
}

/// The name and the value of an attribute.
type Attribute<'a> = (&'a [u8], &'a [u8]);

/// Splits the rest of a tag into its attributes and what follows the tag; `None` if it has no end.
fn split_tag(tag: &[u8]) -> Option<(Vec<Attribute<'_>>, &[u8])> {
    let mut attributes = Vec::new();
    let mut rest = tag;
    loop {
        rest = trim_start_matches(rest, |byte| byte.is_ascii_whitespace() || byte == b'/');
        if let Some(after) = rest.strip_prefix(b">") {
            return Some((attributes, after));
        }
        // An equals sign at the beginning is part of the name.
        let is_name = |byte: &u8| !byte.is_ascii_whitespace() && !b"/>=".contains(byte);
        let length = 1 + rest
            .get(1..)?
            .iter()
            .take_while(|byte| is_name(byte))
            .count();
        let (name, after_name) = rest.split_at_checked(length)?;
        let value_start = after_name.trim_ascii_start().strip_prefix(b"=");
        let (value, after) = match value_start.map(<[u8]>::trim_ascii_start) {
            None => (&[][..], after_name),
            Some(value) => split_value(value)?,
        };
        attributes.push((name, value));
        rest = after;
    }
}

/// Splits the value of an attribute, quoted or not, from what follows it; `None` if it has no end.
fn split_value(text: &[u8]) -> Option<(&[u8], &[u8])> {
    match text.first()? {
        quote @ (b'"' | b'\'') => {
            let end = memchr::memchr(*quote, &text[1..])?;
            Some((&text[1..=end], &text[end + 2..]))
        }
        _ => {
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'>';
            Some(text.split_at(text.iter().position(is_end)?))
        }
    }
}

/// Returns the label of a `<meta>`: that of `charset`, or that of `content`
/// if the tag stands for the header `Content-Type`.
fn label_of_meta<'a>(meta: &Tag<'a>) -> Option<&'a [u8]> {
    let content = || {
        meta.value(b"http-equiv")
            .filter(|header| *header == b"content-type")?;
        label_after(meta.value(b"content")?, b"charset")
    };
    meta.value(b"charset")
        .filter(|label| !label.is_empty())
        .or_else(content)
}

/// Returns the value after `name` and an equals sign, quoted or not.
fn label_after<'a>(text: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut rest = text;
    while let Some(start) = memmem::find(rest, name) {
        rest = &rest[start + name.len()..];
        if let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") {
            let value = trim_start_matches(value.trim_ascii_start(), |byte| b"\"'".contains(&byte));
            let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"';,/?>".contains(byte);
            let end = value.iter().position(is_end).unwrap_or(value.len());
            return Some(&value[..end]);
        }
    }
    None
}

fn trim_start_matches(text: &[u8], matches: impl Fn(u8) -> bool) -> &[u8] {
    let start = text.iter().position(|byte| !matches(*byte));
    &text[start.unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::declared_encoding;
    use encoding_rs::Encoding;

    #[track_caller]
    fn assert_label(page: &str, expected: Option<&str>) {
        let found = declared_encoding(page.as_bytes()).map(Encoding::name);
        assert_eq!(found, expected, "{page}");
    }

    #[test]
    fn finds_each_form_of_declaration() {
        for page in [
            "<meta charset='iso-8859-2'>",
            "<META CHARSET = \"ISO-8859-2\" />",
            "<html><head><meta name=a content='x>y'><meta charset=iso-8859-2>",
            "<META http-equiv=Content-Type content=\"text/html; charset=ISO-8859-2\">",
            "<meta content='text/html;charset=\"latin2\"' http-equiv='content-type'>",
            "<?xml version=\"1.0\" encoding=\"iso-8859-2\"?><meta charset=utf-8>",
            "\u{feff}\n<?xml version='1.0' encoding='ISO-8859-2'?>",
            "<!-- <meta charset=utf-8> --><meta charset=latin2>",
            "<!--><meta charset=latin2><!-- -->",
            "<title>a <meta charset=utf-8></title><meta charset=latin2>",
            "<meta charset=''><meta charset=latin2>",
            "a < b <meta charset=latin2>",
        ] {
            assert_label(page, Some("ISO-8859-2"));
        }
        assert_label("<meta charset=utf-16>", Some("UTF-8"));
    }

    #[test]
    fn what_is_no_tag_declares_nothing() {
        for page in [
            "<!-- <meta charset=iso-8859-2> --><p>",
            "<!-- > <meta charset=iso-8859-2>",
            "<script>document.write('<meta charset=iso-8859-2>')</script>",
            "<style><meta charset=iso-8859-2></style>",
            "<noscript><meta charset=iso-8859-2></noscript>",
            "<meta name=description content='charset=iso-8859-2'>",
            "<meta name=description content='a page about <meta charset=iso-8859-2>'>",
            "<metadata charset=iso-8859-2>",
            "<meta charset=none>",
            "<p>charset=iso-8859-2",
            "<meta charset=iso-8859-2",
            "<meta charset='iso-8859-2",
            "<meta =",
            "<",
        ] {
            assert_label(page, None);
        }
    }
}
