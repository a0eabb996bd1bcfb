//! The items of a feed: RSS 0.9 to 2.0, RDF, and Atom, with OpenSearch's count of results.
//!
//! Only what a hit is made of is read, by the local names of elements; everything else may be as it
//! likes, so long as it is XML.

use super::template::attribute;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// A feed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Feed {
    /// Its items, in order.
    pub items: Vec<Item>,
    /// `opensearch:totalResults`, as it is written.
    pub total: Option<String>,
}

/// An item of a feed, its parts as they are written.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub link: Option<String>,
    pub title: Option<String>,
    /// HTML, most often.
    pub description: Option<String>,
}

/// Where reading stands.
#[derive(Default)]
struct State {
    feed: Feed,
    /// The elements that are open, by their whole names.
    open: Vec<String>,
    /// The item that is open, and at which depth.
    item: Option<(usize, Item)>,
    /// The text of the element that is read.
    text: String,
    has_root: bool,
}

/// Reads a feed.
///
/// # Errors
/// When it is no XML, breaks off, or is another kind of document.
pub(super) fn read(xml: &str) -> Result<Feed, String> {
    let mut reader = Reader::from_str(xml);
    let mut state = State::default();
    loop {
        match reader.read_event().map_err(|e| e.to_string())? {
            Event::Start(tag) => state.begin(&tag)?,
            Event::Empty(tag) => {
                state.begin(&tag)?;
                state.end();
            }
            Event::End(_) => state.end(),
            Event::Text(text) => state.text.push_str(&text),
            Event::CData(text) => state.text.push_str(&text),
            Event::GeneralRef(name) => {
                let entity = format!("&{};", &*name);
                // Feeds have entities of HTML, too, though XML doesn't know them.
                state
                    .text
                    .push_str(&html_escape::decode_html_entities(&entity));
            }
            Event::Eof if !state.open.is_empty() => return Err("it breaks off".into()),
            Event::Eof if !state.has_root => return Err("it is empty".into()),
            Event::Eof => return Ok(state.feed),
            _ => {}
        }
    }
}

impl State {
    fn begin(&mut self, tag: &BytesStart) -> Result<(), String> {
        let name = tag.name().as_ref().to_owned();
        let local = local(&name);
        if self.open.is_empty() && !["rss", "RDF", "feed"].contains(&local) {
            return Err(format!("its root is `{local}`"));
        }
        self.has_root = true;
        if self.item.is_none() && ["item", "entry"].contains(&local) {
            self.item = Some((self.open.len(), Item::default()));
        }
        self.open.push(name);
        if self.is_part() || self.item.is_none() {
            self.text.clear();
        }
        if let (true, Some((_, item))) = (self.is_part(), &mut self.item) {
            // Atom has the address in an attribute; that without `rel` is the page.
            let is_page = attribute(tag, "rel").is_none_or(|rel| rel == "alternate");
            if tag.local_name().as_ref() == "link" && is_page {
                item.link = item.link.take().or_else(|| attribute(tag, "href"));
            }
        }
        Ok(())
    }

    /// Whether the innermost element is a part of an item, of the item's own vocabulary.
    fn is_part(&self) -> bool {
        self.item.as_ref().is_some_and(|(depth, _)| {
            self.open.len() == depth + 2
                && prefix(&self.open[*depth]) == prefix(&self.open[depth + 1])
        })
    }

    fn end(&mut self) {
        let is_part = self.is_part();
        let Some(name) = self.open.pop() else { return };
        match &mut self.item {
            Some((_, item)) if is_part => item.take(local(&name), &mut self.text),
            Some((depth, _)) if *depth == self.open.len() => {
                self.feed
                    .items
                    .extend(self.item.take().map(|(_, item)| item));
            }
            None if local(&name) == "totalResults" => {
                self.feed.total = Some(std::mem::take(&mut self.text))
            }
            _ => {}
        }
    }
}

impl Item {
    /// Takes the text of a part; of several with one meaning, the first.
    fn take(&mut self, name: &str, text: &mut String) {
        let text = std::mem::take(text).trim().to_owned();
        let part = match name {
            "link" => &mut self.link,
            // An identity may be an address.
            "guid" | "id" if text.starts_with("http") => &mut self.link,
            "title" => &mut self.title,
            "description" | "summary" | "content" => &mut self.description,
            _ => return,
        };
        if part.is_none() && !text.is_empty() {
            *part = Some(text);
        }
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn prefix(name: &str) -> Option<&str> {
    name.split_once(':').map(|(prefix, _)| prefix)
}

#[cfg(test)]
mod tests {
    use super::{Item, read};

    fn items(xml: &str) -> Vec<Item> {
        read(xml).unwrap().items
    }

    fn item(link: &str, title: &str, description: &str) -> Item {
        let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Item {
            link: part(link),
            title: part(title),
            description: part(description),
        }
    }

    #[test]
    fn reads_rss() {
        let xml = r#"<?xml version="1.0"?><rss version="2.0" xmlns:media="m" xmlns:os="o"><channel><title>T</title>
            <link>http://w.test/</link><os:totalResults> 1,234 </os:totalResults>
            <item><media:title>no</media:title><title>A &amp; &#269;</title><link>http://w.test/a?b=1&amp;c=2</link>
            <description><![CDATA[<b>lep</b> dan]]></description><guid>x</guid></item>
            <item><guid isPermaLink="true">http://w.test/b</guid></item></channel></rss>"#;
        let expected = vec![
            item("http://w.test/a?b=1&c=2", "A & č", "<b>lep</b> dan"),
            item("http://w.test/b", "", ""),
        ];
        assert_eq!(items(xml), expected);
        assert_eq!(read(xml).unwrap().total.as_deref(), Some(" 1,234 "));
    }

    #[test]
    fn reads_rdf_and_atom_under_any_prefix() {
        let rdf = r#"<rdf:RDF xmlns:rdf="r"><item rdf:about="x"><title>A</title><link>http://w.test/a</link></item></rdf:RDF>"#;
        assert_eq!(items(rdf), [item("http://w.test/a", "A", "")]);
        let atom = r#"<a:feed xmlns:a="http://www.w3.org/2005/Atom"><a:link href="http://w.test/"/><a:entry>
            <a:link rel="self" href="http://w.test/self"/><a:link href="http://w.test/a"/><a:id>urn:x</a:id>
            <a:title>A</a:title><a:content type="xhtml"><div>lep <i>dan</i></div></a:content></a:entry></a:feed>"#;
        assert_eq!(items(atom), [item("http://w.test/a", "A", "lep dan")]);
    }

    #[test]
    fn what_is_no_feed_is_told() {
        assert_eq!(read("<html/>").unwrap_err(), "its root is `html`");
        assert_eq!(
            read("<rss><channel><item><title>A").unwrap_err(),
            "it breaks off"
        );
        assert_eq!(read("").unwrap_err(), "it is empty");
        assert!(read("<rss><channel></rss>").is_err());
        assert!(items("<rss/>").is_empty());
        let feed = "<rss><channel><item><title>č</title><link>http://w.test/</link></item></channel></rss>";
        for (at, _) in feed.char_indices() {
            assert!(read(&feed[..at]).is_err(), "{}", &feed[..at]);
        }
    }
}
