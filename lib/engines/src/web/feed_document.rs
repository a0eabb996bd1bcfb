//! Parser for feeds (RSS 0.9 to 2.0, RDF, Atom): their items, and OpenSearch's count of results.
//!
//! It reads only the elements that a hit consists of, by their local names. The rest of the feed
//! may have any content, as long as it is well-formed XML. Entities that the document declares are
//! not expanded, so that a small document cannot become a large one.

use super::response::{html_to_text, normalise_page_url};
use crate::EngineHit;
use encoding_rs::{Encoding, UTF_8};
use flate2::read::MultiGzDecoder;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use std::io::Read;
use url::Url;

/// Maximum size of a decompressed feed, as for every response of an engine (`lib/http`).
const MAX_BYTES: u64 = 16 << 20;

/// A feed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Feed {
    /// The items in order.
    pub items: Vec<FeedItem>,
    /// Content of `opensearch:totalResults`.
    pub total: Option<String>,
    /// `xml:base` of the root element.
    base: Option<String>,
}

/// An item of a feed, with the content of its elements.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct FeedItem {
    pub link: Option<String>,
    /// An identifier that is a URL, which counts if there is no link.
    permalink: Option<String>,
    pub title: Option<String>,
    /// Usually HTML.
    pub description: Option<String>,
    /// `xml:base` of the item.
    base: Option<String>,
}

/// State of the parser.
#[derive(Default)]
struct FeedParser {
    feed: Feed,
    /// Qualified names of the open elements.
    open_elements: Vec<String>,
    /// The open item and its depth.
    open_item: Option<(usize, FeedItem)>,
    /// Text of the current element.
    text: String,
    /// True if the current element is a `guid` that is declared not to be a URL.
    is_opaque_guid: bool,
    has_root: bool,
}

/// The reason why a text is no feed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FeedError {
    /// The text is not XML, or breaks off: another request may return a feed.
    #[error("{0}")]
    Malformed(String),
    /// The text is another kind of document, with this root element.
    #[error("its root element is `{0}`")]
    OtherDocument(String),
}

impl FeedError {
    fn malformed(cause: impl ToString) -> FeedError {
        FeedError::Malformed(cause.to_string())
    }
}

/// Parses a feed.
///
/// # Errors
/// Fails if the text is not XML, breaks off, or is another kind of document.
pub(super) fn parse_feed(xml: &str) -> Result<Feed, FeedError> {
    let mut reader = Reader::from_str(xml);
    let mut parser = FeedParser::default();
    loop {
        match reader.read_event().map_err(FeedError::malformed)? {
            Event::Start(tag) => parser.start_element(&tag)?,
            Event::Empty(tag) => {
                parser.start_element(&tag)?;
                parser.end_element();
            }
            Event::End(_) => parser.end_element(),
            Event::Text(text) => parser.text.push_str(&text),
            Event::CData(text) => parser.text.push_str(&text),
            Event::GeneralRef(name) => {
                let entity = format!("&{};", &*name);
                // Feeds also contain HTML entities, although XML does not define them.
                parser
                    .text
                    .push_str(&html_escape::decode_html_entities(&entity));
            }
            Event::Eof if !parser.open_elements.is_empty() => {
                return Err(FeedError::malformed("it breaks off"));
            }
            Event::Eof if !parser.has_root => return Err(FeedError::malformed("it is empty")),
            Event::Eof => return Ok(parser.feed),
            _ => {}
        }
    }
}

impl FeedParser {
    fn start_element(&mut self, tag: &BytesStart) -> Result<(), FeedError> {
        let name = tag.name().as_ref().to_owned();
        let local_name = local_name(&name);
        if self.open_elements.is_empty() && !["rss", "RDF", "feed"].contains(&local_name) {
            return Err(FeedError::OtherDocument(local_name.into()));
        }
        let base = attribute_value(tag, "base");
        if !self.has_root {
            self.feed.base = base.clone();
        }
        self.has_root = true;
        if self.open_item.is_none() && ["item", "entry"].contains(&local_name) {
            let item = FeedItem {
                base,
                ..FeedItem::default()
            };
            self.open_item = Some((self.open_elements.len(), item));
        }
        self.open_elements.push(name);
        if self.is_item_part() || self.open_item.is_none() {
            self.text.clear();
            self.is_opaque_guid =
                attribute_value(tag, "isPermaLink").is_some_and(|value| value == "false");
        }
        if let (true, Some((_, item))) = (self.is_item_part(), &mut self.open_item) {
            // Atom has the URL in an attribute. A link without `rel` is that of the page.
            let is_page = attribute_value(tag, "rel").is_none_or(|rel| rel == "alternate");
            if tag.local_name().as_ref() == "link" && is_page {
                item.link = item.link.take().or_else(|| attribute_value(tag, "href"));
            }
        }
        Ok(())
    }

    /// Returns `true` if the innermost element is a child of an item and has the item's prefix.
    fn is_item_part(&self) -> bool {
        self.open_item.as_ref().is_some_and(|(depth, _)| {
            self.open_elements.len() == depth + 2
                && prefix(&self.open_elements[*depth]) == prefix(&self.open_elements[depth + 1])
        })
    }

    fn end_element(&mut self) {
        let is_item_part = self.is_item_part();
        let Some(name) = self.open_elements.pop() else {
            return;
        };
        match &mut self.open_item {
            Some((_, item)) if is_item_part => {
                let text = std::mem::take(&mut self.text);
                if !self.is_opaque_guid {
                    item.set_part(local_name(&name), &text);
                }
            }
            Some((depth, _)) if *depth == self.open_elements.len() => {
                self.feed
                    .items
                    .extend(self.open_item.take().map(|(_, item)| item));
            }
            None if local_name(&name) == "totalResults" => {
                self.feed.total = Some(std::mem::take(&mut self.text))
            }
            _ => {}
        }
    }
}

impl FeedItem {
    /// Sets a part of the item from an element. If several elements have the same meaning, the
    /// first one that is not empty counts.
    fn set_part(&mut self, element: &str, text: &str) {
        let text = text.trim();
        let part = match element {
            "link" => &mut self.link,
            // An identifier may be a URL.
            "guid" | "id" if text.starts_with("http") => &mut self.permalink,
            "title" => &mut self.title,
            "description" | "summary" | "content" => &mut self.description,
            _ => return,
        };
        if part.is_none() && !text.is_empty() {
            *part = Some(text.to_owned());
        }
    }
}

impl Feed {
    /// Returns the items as hits, in order, without those that have no URL. Relative URLs are
    /// resolved by `xml:base` and `address`, the URL of the feed.
    pub fn into_hits(self, address: &Url) -> Vec<EngineHit> {
        let join = |base: &Url, relative: &Option<String>| {
            let joined = relative.as_ref().and_then(|url| base.join(url).ok());
            joined.unwrap_or_else(|| base.clone())
        };
        let feed_base = join(address, &self.base);
        let to_text = |html: String| Some(html_to_text(&html)).filter(|text| !text.is_empty());
        let to_hit = |item: FeedItem| {
            let base = join(&feed_base, &item.base);
            let url = base.join(&item.link.or(item.permalink)?).ok()?;
            Some(EngineHit {
                url: normalise_page_url(url.as_str())?,
                title: item.title.and_then(to_text),
                snippet: item.description.and_then(to_text),
            })
        };
        self.items.into_iter().filter_map(to_hit).collect()
    }
}

/// Returns the text of a feed: decompressed if it is a gzip file, and decoded by its byte order
/// mark, the charset of its content type, or its declaration (RFC 7303, section 3). The default is
/// UTF-8.
///
/// # Errors
/// Fails if the file cannot be decompressed or is larger than 16 MB.
pub(super) fn decode_feed(body: &[u8], content_type: Option<&str>) -> Result<String, String> {
    let mut decompressed = Vec::new();
    let bytes = if body.starts_with(&[0x1f, 0x8b]) {
        MultiGzDecoder::new(body)
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
        .and_then(|header| {
            header
                .to_ascii_lowercase()
                .split_once("charset=")
                .map(|(_, rest)| {
                    rest.split(';')
                        .next()
                        .unwrap_or_default()
                        .trim()
                        .trim_matches('"')
                        .to_owned()
                })
        })
        .and_then(|label| Encoding::for_label(label.as_bytes()));
    Ok(match charset {
        // A byte order mark takes precedence here, too.
        Some(encoding) => encoding.decode(bytes).0.into_owned(),
        None => decode_xml(bytes).into_owned(),
    })
}

/// Decodes XML by the encoding in its declaration. The default is UTF-8.
pub(super) fn decode_xml(body: &[u8]) -> Cow<'_, str> {
    let declaration = String::from_utf8_lossy(&body[..body.len().min(200)]);
    let label = declaration
        .split_once("encoding=")
        .and_then(|(_, rest)| rest.split(['"', '\'']).nth(1));
    let encoding = label
        .and_then(|label| Encoding::for_label(label.as_bytes()))
        .unwrap_or(UTF_8);
    encoding.decode(body).0
}

/// Returns the value of an attribute with entities decoded.
pub(super) fn attribute_value(tag: &BytesStart, name: &str) -> Option<String> {
    let attribute = tag
        .html_attributes()
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    attribute
        .normalized_value(quick_xml::XmlVersion::Implicit1_0)
        .ok()
        .map(Into::into)
}

fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn prefix(name: &str) -> Option<&str> {
    name.split_once(':').map(|(prefix, _)| prefix)
}

#[cfg(test)]
mod tests {
    use super::{FeedError, FeedItem, decode_feed, parse_feed};
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn items(xml: &str) -> Vec<FeedItem> {
        parse_feed(xml).unwrap().items
    }

    fn item(link: &str, title: &str, description: &str) -> FeedItem {
        let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        FeedItem {
            link: part(link),
            title: part(title),
            description: part(description),
            ..FeedItem::default()
        }
    }

    #[test]
    fn parses_rss() {
        let xml = r#"<?xml version="1.0"?><rss version="2.0" xmlns:media="m" xmlns:os="o">
            <channel><title>T</title>
            <link>http://w.test/</link><os:totalResults> 1,234 </os:totalResults>
            <item><media:title>no</media:title><title>A &amp; &#269;</title>
            <link>http://w.test/a?b=1&amp;c=2</link>
            <description><![CDATA[<b>lep</b> dan]]></description><guid>x</guid></item>
            <item><guid isPermaLink="true">http://w.test/b</guid></item></channel></rss>"#;
        let expected = vec![
            item("http://w.test/a?b=1&c=2", "A & č", "<b>lep</b> dan"),
            FeedItem {
                permalink: Some("http://w.test/b".into()),
                ..FeedItem::default()
            },
        ];
        assert_eq!(items(xml), expected);
        assert_eq!(parse_feed(xml).unwrap().total.as_deref(), Some(" 1,234 "));
    }

    #[test]
    fn parses_rdf_and_atom_with_any_prefix() {
        let rdf = r#"<rdf:RDF xmlns:rdf="r"><item rdf:about="x"><title>A</title>
            <link>http://w.test/a</link></item></rdf:RDF>"#;
        assert_eq!(items(rdf), [item("http://w.test/a", "A", "")]);
        let atom = r#"<a:feed xmlns:a="http://www.w3.org/2005/Atom">
            <a:link href="http://w.test/"/><a:entry>
            <a:link rel="self" href="http://w.test/self"/><a:link href="http://w.test/a"/>
            <a:id>urn:x</a:id><a:title>A</a:title>
            <a:content type="xhtml"><div>lep <i>dan</i></div></a:content></a:entry></a:feed>"#;
        assert_eq!(items(atom), [item("http://w.test/a", "A", "lep dan")]);
    }

    /// Returns the URLs of a feed at `http://w.test/news/feed`.
    fn urls(xml: &str) -> Vec<String> {
        let address = "http://w.test/news/feed".parse().unwrap();
        let hits = parse_feed(xml).unwrap().into_hits(&address);
        hits.into_iter().map(|hit| hit.url).collect()
    }

    #[test]
    fn resolves_relative_urls_and_prefers_links_to_identifiers() {
        assert_eq!(
            urls(
                "<rss><channel><item><guid>http://w.test/?p=1</guid><link>/a#x</link></item>\
                 <item><link>b?c</link></item><item><link>mailto:x@y.test</link></item>\
                 <item><guid isPermaLink='false'>http://w.test/id</guid></item>\
                 <item><guid>http://w.test/d</guid></item></channel></rss>"
            ),
            [
                "http://w.test/a",
                "http://w.test/news/b?c",
                "http://w.test/d"
            ]
        );
        assert_eq!(
            urls(
                "<feed xml:base='http://other.test/x/'><entry><link rel='enclosure' href='m.mp3'/>\
                 <link rel='alternate' href='a'/></entry>\
                 <entry xml:base='y/'><link href='b'/></entry></feed>"
            ),
            ["http://other.test/x/a", "http://other.test/x/y/b"]
        );
    }

    #[test]
    fn declared_entities_are_not_expanded() {
        let xml = "<!DOCTYPE rss [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;'>]>\
            <rss><channel><item><link>http://w.test/</link><title>x &b; &eacute;</title></item>\
            </channel></rss>";
        assert_eq!(items(xml)[0].title.as_deref(), Some("x &b; é"));
    }

    #[test]
    fn decodes_compressed_feeds_and_other_encodings() {
        let latin = b"<?xml version='1.0' encoding='iso-8859-2'?><rss>\xe8</rss>";
        assert!(decode_feed(latin, None).unwrap().contains('č'));
        assert!(decode_feed(latin, Some("text/xml")).unwrap().contains('č'));
        let header = Some("text/xml; Charset=\"windows-1252\"; x=y");
        assert!(decode_feed(latin, header).unwrap().contains('è'));
        assert!(
            decode_feed("\u{feff}<rss>č</rss>".as_bytes(), header)
                .unwrap()
                .contains('č')
        );
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(latin).unwrap();
        let gzip = gzip.finish().unwrap();
        assert!(decode_feed(&gzip, None).unwrap().contains('č'));
        assert!(decode_feed(&gzip[..gzip.len() / 2], None).is_err());
        let mut bomb = GzEncoder::new(Vec::new(), Compression::fast());
        bomb.write_all(&vec![b' '; 17 << 20]).unwrap();
        assert!(decode_feed(&bomb.finish().unwrap(), None).is_err());
    }

    #[test]
    fn rejects_what_is_not_a_feed() {
        assert_eq!(
            parse_feed("<html/>").unwrap_err().to_string(),
            "its root element is `html`"
        );
        assert_eq!(
            parse_feed("<rss><channel><item><title>A").unwrap_err(),
            FeedError::malformed("it breaks off")
        );
        assert_eq!(
            parse_feed("").unwrap_err(),
            FeedError::malformed("it is empty")
        );
        assert!(parse_feed("<rss><channel></rss>").is_err());
        assert!(items("<rss/>").is_empty());
        let feed = "<rss><channel><item><title>č</title><link>http://w.test/</link></item>\
                    </channel></rss>";
        for (index, _) in feed.char_indices() {
            assert!(parse_feed(&feed[..index]).is_err(), "{}", &feed[..index]);
        }
    }
}
