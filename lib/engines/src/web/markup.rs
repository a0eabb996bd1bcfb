//! Reading of XML that need not be well-formed: feeds, and descriptions of engines.
//!
//! The tokenizer is that of `xml5ever`, which never fails: it reads what is no markup as text, as
//! a bare `&` or `<`, and knows the entities of HTML; but unlike in HTML, a name without a
//! semicolon is no entity, so that `&section=2` in a URL remains. Entities that a document declares
//! are not expanded, so that a small document cannot become a large one.

use forage_content::Compression;
use forage_content::media::{MediaType, decode};
use std::borrow::Cow;
use std::cell::RefCell;
use std::io::Read;
use xml5ever::buffer_queue::BufferQueue;
use xml5ever::tendril::StrTendril;
use xml5ever::tokenizer::{ProcessResult, Tag, TagKind, Token, TokenSink, XmlTokenizer};

/// Maximum size of a decompressed feed or sitemap, as for every response of an engine (`lib/http`).
const MAX_BYTES: u64 = 50 << 20;

/// A part of a document. Comments, declarations and processing instructions are left out.
#[derive(Debug)]
pub(super) enum MarkupEvent<'a> {
    /// A start tag; `true` if the element is empty (`<a/>`).
    Start(&'a Element, bool),
    /// An end tag.
    End(&'a ElementName),
    /// Text with entities decoded, and CDATA.
    Text(&'a str),
}

/// The name of an element, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ElementName {
    pub prefix: Option<String>,
    pub local: String,
}

/// A start tag.
#[derive(Debug)]
pub(super) struct Element {
    pub name: ElementName,
    /// Values by local names in lower case.
    attributes: Vec<(String, String)>,
}

impl Element {
    /// Returns the value of an attribute. `name` is in lower case.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let mut attributes = self.attributes.iter();
        let attribute = attributes.find(|(attribute_name, _)| attribute_name == name);
        attribute.map(|(_, value)| value.as_str())
    }
}

/// Passes the parts of a document to `handle`, in order. A tag without an end is left out.
pub(super) fn read_markup(text: &str, handle: impl FnMut(MarkupEvent)) {
    let tokenizer = XmlTokenizer::new(EventSink(RefCell::new(handle)), Default::default());
    let input = BufferQueue::default();
    // The tokenizer would take the beginning of a tag for the tag.
    let end = text.rfind(['<', '>']);
    let end = end.filter(|index| text[*index..].starts_with('<'));
    let text = escape_bare_ampersands(&text[..end.unwrap_or(text.len())]);
    input.push_back(StrTendril::from_slice(&text));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
}

/// Escapes each `&` before a name without a semicolon, except in CDATA.
fn escape_bare_ampersands(text: &str) -> Cow<'_, str> {
    const CDATA: [&str; 2] = ["<![CDATA[", "]]>"];
    let mut escaped = String::new();
    // What was copied, and where the search goes on.
    let (mut copied, mut position) = (0, 0);
    while let Some(found) = memchr::memchr2(b'&', b'<', &text.as_bytes()[position..]) {
        let start = position + found;
        position = start + 1;
        if text[start..].starts_with(CDATA[0]) {
            let end = text[start..].find(CDATA[1]);
            position = end.map_or(text.len(), |end| start + end);
        } else if text[start..].starts_with('&') {
            let is_name = |c: char| c.is_ascii_alphanumeric();
            let after = text[position..].trim_start_matches(is_name);
            if !after.starts_with([';', '#']) {
                escaped.extend([&text[copied..start], "&amp;"]);
                copied = position;
            }
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(&text[copied..]);
    Cow::Owned(escaped)
}

/// Converts the tokenizer's tokens to events.
struct EventSink<F>(RefCell<F>);

impl<F: FnMut(MarkupEvent)> TokenSink for EventSink<F> {
    type Handle = ();

    fn process_token(&self, token: Token) -> ProcessResult<()> {
        let handle = &mut *self.0.borrow_mut();
        match token {
            Token::Tag(tag) => match tag.kind {
                TagKind::StartTag => handle(MarkupEvent::Start(&element(tag), false)),
                TagKind::EmptyTag => handle(MarkupEvent::Start(&element(tag), true)),
                TagKind::EndTag => handle(MarkupEvent::End(&element(tag).name)),
                TagKind::ShortTag => {}
            },
            Token::Characters(text) => handle(MarkupEvent::Text(&text)),
            _ => {}
        }
        ProcessResult::Continue
    }
}

fn element(tag: Tag) -> Element {
    let attributes = tag.attrs.into_iter().map(|attribute| {
        let name = attribute.name.local.to_ascii_lowercase();
        (name.to_string(), attribute.value.to_string())
    });
    let prefix = tag.name.prefix;
    Element {
        name: ElementName {
            prefix: prefix.map(|prefix| prefix.to_ascii_lowercase().to_string()),
            local: tag.name.local.to_ascii_lowercase().to_string(),
        },
        attributes: attributes.collect(),
    }
}

/// Returns the text of a feed: decompressed if it is a gzip file, and decoded as a page is. A wrong
/// charset, in the content type or in the declaration, does not count.
///
/// # Errors
/// Fails if the file cannot be decompressed or is larger than 50 MB.
pub(super) fn decode_feed(body: &[u8], content_type: Option<&str>) -> Result<String, String> {
    let mut decompressed = Vec::new();
    let bytes = if Compression::detect(body) == Some(Compression::Gzip) {
        Compression::Gzip
            .decompress(body)
            .take(MAX_BYTES + 1)
            .read_to_end(&mut decompressed)
            .map_err(|e| format!("it cannot be decompressed: {e}"))?;
        &decompressed[..]
    } else {
        body
    };
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    let charset = content_type
        .and_then(MediaType::parse)
        .and_then(|media_type| media_type.charset);
    Ok(decode(bytes, charset.as_deref(), true, None).0)
}

#[cfg(test)]
mod tests {
    use super::{MarkupEvent, read_markup};

    /// Returns the parts of a document: `<name a=value>`, `</name>`, and texts.
    fn events(text: &str) -> String {
        let mut events = String::new();
        read_markup(text, |event| {
            events += &match event {
                MarkupEvent::Start(element, is_empty) => {
                    let attribute = element.attribute("a").map(|value| format!(" a={value}"));
                    let end = if is_empty { "/" } else { "" };
                    format!(
                        "<{}{}{end}>",
                        element.name.local,
                        attribute.unwrap_or_default()
                    )
                }
                MarkupEvent::End(name) => format!("</{}>", name.local),
                MarkupEvent::Text(text) => text.to_owned(),
            };
        });
        events
    }

    #[test]
    fn reads_what_is_not_well_formed() {
        for (text, expected) in [
            ("<?xml version='1.0'?><x:A a='1'>b</x:A>", "<a a=1>b</a>"),
            ("<a a=1 b>c</a>", "<a a=1>c</a>"),
            (
                "R&D &amp; &nbsp;&eacute;&#x10d; &x; &",
                "R&D & \u{a0}éč &x; &",
            ),
            ("1 < 2 <![CDATA[<b> & c]]>", "1 < 2 <b> & c"),
            ("<a a=\"x&y=z&amp;q\"/>", "<a a=x&y=z&q/>"),
            ("a&section=1&copy=2&lt", "a&section=1&copy=2&lt"),
            ("<a a='?x=1&para=2&amp;not=3'/>", "<a a=?x=1&para=2&not=3/>"),
            ("&<![CDATA[a&not=1]]>&notit&#38;", "&a&not=1&notit&"),
            ("a<b", "a"),
            ("<a a='b", ""),
            ("\u{1}a\u{8}", "\u{1}a\u{8}"),
        ] {
            assert_eq!(events(text), expected, "{text}");
        }
    }
}
