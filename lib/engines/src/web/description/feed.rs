//! Parser for the items of a feed (RSS 0.9 to 2.0, RDF, Atom) and OpenSearch's count of results.
//!
//! It reads only the elements that a hit consists of, by their local names. The rest of the feed
//! may have any content, as long as it is well-formed XML.

use super::template::attribute_value;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A feed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Feed {
    /// The items in order.
    pub items: Vec<FeedItem>,
    /// Content of `opensearch:totalResults`.
    pub total: Option<String>,
}

/// An item of a feed, with the content of its elements.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct FeedItem {
    pub link: Option<String>,
    pub title: Option<String>,
    /// Usually HTML.
    pub description: Option<String>,
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
    has_root: bool,
}

/// Parses a feed.
///
/// # Errors
/// Fails if the text is not XML, is truncated, or is another kind of document.
pub(super) fn parse_feed(xml: &str) -> Result<Feed, String> {
    let mut reader = Reader::from_str(xml);
    let mut parser = FeedParser::default();
    loop {
        match reader.read_event().map_err(|e| e.to_string())? {
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
            Event::Eof if !parser.open_elements.is_empty() => return Err("it is truncated".into()),
            Event::Eof if !parser.has_root => return Err("it is empty".into()),
            Event::Eof => return Ok(parser.feed),
            _ => {}
        }
    }
}

impl FeedParser {
    fn start_element(&mut self, tag: &BytesStart) -> Result<(), String> {
        let name = tag.name().as_ref().to_owned();
        let local_name = local_name(&name);
        if self.open_elements.is_empty() && !["rss", "RDF", "feed"].contains(&local_name) {
            return Err(format!("its root element is `{local_name}`"));
        }
        self.has_root = true;
        if self.open_item.is_none() && ["item", "entry"].contains(&local_name) {
            self.open_item = Some((self.open_elements.len(), FeedItem::default()));
        }
        self.open_elements.push(name);
        if self.is_item_part() || self.open_item.is_none() {
            self.text.clear();
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
                item.set_part(local_name(&name), &text);
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
            "guid" | "id" if text.starts_with("http") => &mut self.link,
            "title" => &mut self.title,
            "description" | "summary" | "content" => &mut self.description,
            _ => return,
        };
        if part.is_none() && !text.is_empty() {
            *part = Some(text.to_owned());
        }
    }
}

fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn prefix(name: &str) -> Option<&str> {
    name.split_once(':').map(|(prefix, _)| prefix)
}

#[cfg(test)]
mod tests {
    use super::{FeedItem, parse_feed};

    fn items(xml: &str) -> Vec<FeedItem> {
        parse_feed(xml).unwrap().items
    }

    fn item(link: &str, title: &str, description: &str) -> FeedItem {
        let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        FeedItem {
            link: part(link),
            title: part(title),
            description: part(description),
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
            item("http://w.test/b", "", ""),
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

    #[test]
    fn rejects_what_is_not_a_feed() {
        assert_eq!(
            parse_feed("<html/>").unwrap_err(),
            "its root element is `html`"
        );
        assert_eq!(
            parse_feed("<rss><channel><item><title>A").unwrap_err(),
            "it is truncated"
        );
        assert_eq!(parse_feed("").unwrap_err(), "it is empty");
        assert!(parse_feed("<rss><channel></rss>").is_err());
        assert!(items("<rss/>").is_empty());
        let feed = "<rss><channel><item><title>č</title><link>http://w.test/</link></item>\
                    </channel></rss>";
        for (index, _) in feed.char_indices() {
            assert!(parse_feed(&feed[..index]).is_err(), "{}", &feed[..index]);
        }
    }
}
