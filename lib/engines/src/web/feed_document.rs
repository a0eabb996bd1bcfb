//! Parser for feeds (RSS 0.9 to 2.0, RDF, Atom, JSON Feed): their items, and OpenSearch's counts.
//!
//! It reads only the elements that a hit consists of, by their local names. Many feeds are not
//! well-formed: one fault costs at most the item that it is in. Each item is tokenized on its own,
//! so that what has no end, as a quote or CDATA, ends with the item. End tags close all elements
//! within theirs, and an item or a part of it closes the one before that was left open.

use super::markup::{Element, ElementName, MarkupEvent, read_markup};
use super::modified_time::parse_time;
use super::response::{html_to_text, normalise_page_url, remove_highlights, string_field};
use crate::{EngineError, EngineHit, MissingPart};
use forage_content::media::{MediaType, alternate_language, has_relation, is_page_type};
use html_escape::encode_text;
use serde_json::Value;
use std::collections::BTreeMap;
use url::Url;

/// The root elements of feeds, in lower case.
pub(super) const ROOTS: [&str; 3] = ["rss", "rdf", "feed"];
/// The elements that items are.
const ITEMS: [&str; 2] = ["item", "entry"];
/// The beginnings and ends of sections without markup.
const SECTIONS: [(&str, &str); 2] = [("<![CDATA[", "]]>"), ("<!--", "-->")];
/// The parts of an item that a hit consists of.
const PARTS: &str = "link guid id title description summary content";
/// Further parts, in any namespace but that of media, whose licences are not those of the page.
const FOREIGN_PARTS: &str = "license date modified updated published issued created";
/// The parts of an item that close a part which was left open. HTML may contain the others.
const CLOSING_PARTS: &str = "link guid id title description content pubdate published updated";

/// A feed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Feed {
    /// The items in order.
    pub items: Vec<FeedItem>,
    /// Content of `opensearch:totalResults`.
    pub total: Option<String>,
    /// Content of `opensearch:itemsPerPage`.
    pub items_per_page: Option<String>,
}

/// An item of a feed, with the content of its elements. A reference is preceded by those of
/// `xml:base` around it, each followed by NUL.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct FeedItem {
    pub link: Option<String>,
    /// The link in another namespace, as `atom:link` in RSS, or an identifier that is a URL, which
    /// count if there is no link.
    permalink: Option<String>,
    /// The link to another format than that of a page.
    other_format: Option<String>,
    /// The links to the page in each language.
    alternates: BTreeMap<String, String>,
    licence: Option<String>,
    /// The last change, and the publication.
    dates: [Option<String>; 2],
    pub title: Option<String>,
    /// Usually HTML.
    pub description: Option<String>,
}

/// State of the parser.
#[derive(Default)]
struct FeedParser {
    feed: Feed,
    open_elements: Vec<ElementName>,
    /// `xml:base` of each of them, followed by NUL, or nothing.
    bases: Vec<String>,
    /// The open item and its depth.
    open_item: Option<(usize, FeedItem)>,
    /// Text of the current element. Nested tags are part of it, as in HTML.
    text: String,
    /// True if the current element is a `guid` that is declared not to be a URL.
    is_opaque_guid: bool,
    /// True if the text of the current element has no markup but elements (RFC 4287, section
    /// 3.1.1).
    is_plain: bool,
    /// The first element. Those before the root are a message of the server, as a warning of PHP.
    first_element: Option<String>,
    has_root: bool,
    is_closed: bool,
}

/// The reason why a text is no feed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FeedError {
    /// The text is no markup, or breaks off before the first item: another request may return a
    /// feed.
    #[error("{0}")]
    Malformed(String),
    /// The text is another kind of document, with this first element.
    #[error("its first element is `{0}`")]
    OtherDocument(String),
}

impl FeedError {
    pub(super) fn malformed(cause: impl ToString) -> FeedError {
        FeedError::Malformed(cause.to_string())
    }

    /// Returns the failure that a text of another form means: a refusal if it is another document.
    pub(super) fn to_failure(&self, context: &str) -> EngineError {
        let message = format!("{context}: {self}");
        match self {
            FeedError::OtherDocument(_) => EngineError::Refused(message),
            FeedError::Malformed(_) => EngineError::Down(message),
        }
    }
}

/// Parses a feed.
///
/// # Errors
/// Fails if the text has no element, is another kind of document, or breaks off before an item is
/// complete.
pub(super) fn parse_feed(text: &str) -> Result<Feed, FeedError> {
    if let Some(feed) = parse_json_feed(text) {
        return Ok(feed);
    }
    let mut parser = FeedParser::default();
    for part in split_before(text, &ITEMS) {
        read_markup(part, |event| parser.add(event));
    }
    parser.finish(text)
}

/// Parses a JSON Feed (version 1.1); `None` if a text is none.
fn parse_json_feed(text: &str) -> Option<Feed> {
    let feed: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    string_field(&feed, "version").filter(|version| version.contains("jsonfeed.org/"))?;
    let to_item = |item: &Value| {
        let field = |name: &str| string_field(item, name);
        let plain = |name: &str| field(name).map(|text| encode_text(&text).into_owned());
        FeedItem {
            link: field("url").or_else(|| field("external_url")),
            permalink: field("id").filter(|id| id.starts_with("http")),
            title: plain("title"),
            description: field("content_html").or_else(|| plain("content_text")),
            dates: ["date_modified", "date_published"].map(field),
            ..FeedItem::default()
        }
    };
    Some(Feed {
        items: feed.get("items")?.as_array()?.iter().map(to_item).collect(),
        ..Feed::default()
    })
}

/// Splits a document before each of the elements with these names, but not in CDATA or a comment
/// that has an end.
pub(super) fn split_before<'a>(text: &'a str, names: &[&str]) -> Vec<&'a str> {
    let is_name_end = |c: char| c.is_whitespace() || matches!(c, '>' | '/');
    let starts = text.match_indices('<').map(|(index, _)| index);
    let starts = starts.filter(|index| {
        let tag = &text[index + 1..];
        let name = names.iter().find(|name| tag.starts_with(*name));
        name.is_some_and(|name| tag[name.len()..].starts_with(is_name_end))
    });
    let mut parts = Vec::new();
    let mut part_start = 0;
    for start in starts {
        let part = &text[part_start..start];
        let is_outside = SECTIONS
            .iter()
            .all(|(begin, end)| part.rfind(begin) <= part.rfind(end));
        let before = part.trim_end();
        let is_after_item = || {
            names
                .iter()
                .any(|name| before.ends_with(&format!("</{name}>")))
        };
        if is_outside || is_after_item() {
            parts.push(part);
            part_start = start;
        }
    }
    parts.push(&text[part_start..]);
    parts
}

impl FeedParser {
    fn add(&mut self, event: MarkupEvent) {
        match event {
            MarkupEvent::Start(element, is_empty) => {
                self.start_element(element);
                if is_empty {
                    self.end_element(&element.name);
                }
            }
            MarkupEvent::End(name) => self.end_element(name),
            MarkupEvent::Text(text) if self.is_plain => self.text += &encode_text(text),
            MarkupEvent::Text(text) => self.text.push_str(text),
        }
    }

    fn start_element(&mut self, element: &Element) {
        let name = &element.name;
        let first = self.first_element.get_or_insert_with(|| name.local.clone());
        let is_root = ROOTS.contains(&name.local.as_str()) && first != "html";
        if !self.has_root && !is_root {
            return;
        }
        self.has_root = true;
        self.close_unclosed(name);
        self.take_bare_url();
        if self.open_item.is_none() && ITEMS.contains(&name.local.as_str()) {
            let item = FeedItem {
                // RDF has the URL of an item here, too.
                permalink: element.attribute("about").and_then(clean_url),
                ..FeedItem::default()
            };
            self.open_item = Some((self.open_elements.len(), item));
        }
        self.open_elements.push(name.clone());
        let base = element.attribute("base").map(|base| format!("{base}\0"));
        self.bases.push(base.unwrap_or_default());
        let Some((depth, item)) = &mut self.open_item else {
            self.text.clear();
            return;
        };
        if self.open_elements.len() == *depth + 1 {
            self.text.clear();
            return;
        }
        let parent = &self.open_elements[self.open_elements.len() - 2];
        // RDF may describe a licence within the item.
        if self.open_elements.len() == *depth + 2 || parent.local == "license" {
            let is_own = name.prefix == self.open_elements[*depth].prefix;
            item.add_references(element, is_own, &self.bases.concat());
        }
        if !is_item_part(&self.open_elements, *depth) {
            self.text.extend(["<", &name.local, ">"]);
            return;
        }
        self.text.clear();
        let attribute = |name| Some(element.attribute(name)?.trim().to_ascii_lowercase());
        self.is_opaque_guid = attribute("ispermalink").as_deref() == Some("false");
        let is_text = || matches!(&*name.local, "title" | "summary" | "content");
        self.is_plain = match attribute("type").as_deref() {
            None => self.open_elements[0].local == "feed" && is_text(),
            Some(kind) => matches!(kind, "text" | "xhtml" | "text/plain"),
        };
    }

    /// Closes the item or part before an element, if it was left open and cannot contain the
    /// element.
    fn close_unclosed(&mut self, name: &ElementName) {
        let Some((depth, _)) = self.open_item else {
            return;
        };
        let is_closing_part = || {
            let is_listed = |parts: &str, name: &str| parts.split(' ').any(|part| part == name);
            let is_part = |part: &ElementName| is_listed(PARTS, &part.local);
            is_listed(CLOSING_PARTS, &name.local)
                && name.prefix == self.open_elements[depth].prefix
                && (self.open_elements.get(depth + 1))
                    .is_some_and(|part| is_part(part) && part.prefix == name.prefix)
        };
        if self.open_elements.get(depth) == Some(name) {
            self.close_elements(depth);
        } else if is_closing_part() {
            self.close_elements(depth + 1);
        }
    }

    fn end_element(&mut self, name: &ElementName) {
        let Some(index) = self.open_elements.iter().rposition(|open| open == name) else {
            return;
        };
        self.close_elements(index);
        self.is_closed |= self.open_elements.is_empty();
    }

    /// Closes the elements from `index` on.
    fn close_elements(&mut self, index: usize) {
        while self.open_elements.len() > index {
            self.take_bare_url();
            let depth = self.open_item.as_ref().map(|(depth, _)| *depth);
            let is_part = depth.is_some_and(|depth| is_item_part(&self.open_elements, depth));
            let Some(name) = self.open_elements.pop() else {
                return;
            };
            let base = self.bases.concat();
            self.bases.pop();
            match &mut self.open_item {
                Some((_, item)) if is_part => {
                    let text = std::mem::take(&mut self.text);
                    self.is_plain = false;
                    if !self.is_opaque_guid {
                        item.set_part(&name.local, &text, &base);
                    }
                }
                Some((depth, _)) if *depth == self.open_elements.len() => self.end_item(),
                Some(_) => self.text.extend(["</", &name.local, ">"]),
                None => self.set_count(&name.local),
            }
        }
    }

    /// Sets a count of OpenSearch from an element outside of items.
    fn set_count(&mut self, element: &str) {
        let count = match element {
            "totalresults" => &mut self.feed.total,
            "itemsperpage" => &mut self.feed.items_per_page,
            _ => return,
        };
        *count = Some(std::mem::take(&mut self.text));
    }

    /// Takes the text directly in an item as its link if it is a URL, as in
    /// `<link/>http://a.test/`.
    fn take_bare_url(&mut self) {
        if let Some((depth, item)) = &mut self.open_item
            && self.open_elements.len() == *depth + 1
            && item.link.is_none()
        {
            item.link = clean_url(&self.text);
        }
    }

    fn end_item(&mut self) {
        let item = self.open_item.take().map(|(_, item)| item);
        self.feed.items.extend(item);
    }

    /// Returns the feed after its end. If it breaks off, the last item has those of its parts that
    /// are complete.
    fn finish(mut self, text: &str) -> Result<Feed, FeedError> {
        if !self.has_root {
            return Err(match self.first_element {
                Some(name) => FeedError::OtherDocument(name),
                None if text.trim().is_empty() => FeedError::malformed("it is empty"),
                None => FeedError::malformed("it is not XML"),
            });
        }
        self.take_bare_url();
        self.end_item();
        let has_url = |item: &FeedItem| item.link.is_some() || item.permalink.is_some();
        if !self.is_closed && !self.feed.items.iter().any(has_url) {
            return Err(FeedError::malformed("it breaks off"));
        }
        Ok(self.feed)
    }
}

/// Returns `true` if the innermost element is a child of the item at `depth`, and has its prefix or
/// is one of [`FOREIGN_PARTS`].
fn is_item_part(open_elements: &[ElementName], depth: usize) -> bool {
    let is_part = |item: &ElementName, part: &ElementName| {
        let is_foreign = FOREIGN_PARTS.split(' ').any(|name| name == part.local);
        item.prefix == part.prefix || is_foreign && part.prefix.as_deref() != Some("media")
    };
    open_elements.len() == depth + 2 && is_part(&open_elements[depth], &open_elements[depth + 1])
}

/// Returns the text of a part without surrounding white space, unless it is empty.
pub(super) fn clean_part(text: &str) -> Option<String> {
    let is_invisible = |c: char| {
        c.is_whitespace() || c.is_control() || matches!(c, '\u{200B}'..='\u{200F}' | '\u{FEFF}')
    };
    let text = text.trim_matches(is_invisible);
    (!text.is_empty()).then(|| text.to_owned())
}

/// Returns a URL of a file whose writer escapes twice, or breaks lines in it.
pub(super) fn repair_link(link: &str) -> String {
    let link = link.replace("&amp;", "&");
    link.lines().map(str::trim).collect()
}

/// Returns the URLs of the feeds that a web page links to.
pub(super) fn find_feed_links(html: &str, base: &Url) -> Vec<Url> {
    const TYPES: [&str; 3] = ["rss+xml", "atom+xml", "feed+json"];
    find_links(html, base, |link, media_type| {
        let relations = link.attribute("rel").unwrap_or_default();
        let name = media_type.strip_prefix("application/");
        has_relation(relations, "alternate") && name.is_some_and(|name| TYPES.contains(&name))
    })
}

/// Returns the URLs of the `link` elements of a web page whose media types are wanted.
pub(super) fn find_links(
    html: &str,
    base: &Url,
    is_wanted: impl Fn(&Element, &str) -> bool,
) -> Vec<Url> {
    let mut links = Vec::new();
    let mut declared_base = None;
    for part in split_before(html, &["link"]) {
        read_markup(part, |event| {
            let MarkupEvent::Start(link, _) = event else {
                return;
            };
            if link.name.local == "base" && declared_base.is_none() {
                declared_base = link.attribute("href").and_then(|href| base.join(href).ok());
            }
            if link.name.local == "link"
                && let Some(media_type) = link.attribute("type").and_then(MediaType::parse)
                && is_wanted(link, &media_type.essence)
                && let Some(url) = link.attribute("href").and_then(clean_part)
            {
                links.push(url);
            }
        });
    }
    let base = declared_base.as_ref().unwrap_or(base);
    links.iter().flat_map(|url| base.join(url)).collect()
}

/// Returns a text that is an absolute URL of a page.
fn clean_url(text: &str) -> Option<String> {
    clean_part(text).filter(|text| {
        ["http://", "https://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
            && !text.contains(|c: char| c.is_whitespace() || c == '<')
    })
}

impl FeedItem {
    /// Adds what a child of the item refers to in attributes. Of the alternates of an item, the
    /// page counts, whatever their order (RFC 4287, section 4.2.7).
    fn add_references(&mut self, element: &Element, is_own: bool, base: &str) {
        let reference = |name: &str| {
            let url = element.attribute(name).and_then(clean_part)?;
            Some(format!("{base}{url}"))
        };
        let rel = element.attribute("rel").unwrap_or("alternate");
        let media_type = element.attribute("type");
        let (part, name) = match element.name.local.as_str() {
            "license" if element.attribute("resource").is_none() => (&mut self.licence, "about"),
            "license" => (&mut self.licence, "resource"),
            "link" if has_relation(rel, "license") => (&mut self.licence, "href"),
            "content" => (&mut self.other_format, "src"),
            "link" if !has_relation(rel, "alternate") => return,
            "link" if !is_page_type(media_type) => (&mut self.other_format, "href"),
            "link" => {
                let language = alternate_language(rel, media_type, element.attribute("hreflang"));
                if let Some((language, url)) = language.zip(reference("href")) {
                    self.alternates.entry(language).or_insert(url);
                }
                let part = if is_own {
                    &mut self.link
                } else {
                    &mut self.permalink
                };
                (part, "href")
            }
            _ => return,
        };
        *part = part.take().or_else(|| reference(name));
    }

    /// Sets a part of the item from an element. If several elements have the same meaning, the
    /// first one that is not empty counts.
    fn set_part(&mut self, element: &str, text: &str, base: &str) {
        let Some(mut text) = clean_part(text) else {
            return;
        };
        // What follows a link that was left open is no URL.
        if ["link", "guid", "id"].contains(&element) && text.contains('<') {
            return;
        }
        let part = match element {
            "link" => {
                text.insert_str(0, base);
                &mut self.link
            }
            "license" if clean_url(&text).is_some() => &mut self.licence,
            "updated" | "modified" => &mut self.dates[0],
            "published" | "pubdate" | "issued" | "created" | "date" => &mut self.dates[1],
            // An identifier may be a URL.
            "guid" | "id" if text.starts_with("http") => &mut self.permalink,
            "title" => &mut self.title,
            "description" | "summary" | "content" => &mut self.description,
            _ => return,
        };
        part.get_or_insert(text);
    }
}

impl Feed {
    /// Returns the items as hits, in order, without those that have no URL, and these as a missing
    /// part. Relative URLs are resolved by `xml:base` and `address`, the URL of the feed.
    pub fn into_hits(self, address: &Url) -> (Vec<EngineHit>, Vec<MissingPart>) {
        let resolve = |reference: String| {
            let mut references = reference.split('\0');
            let url =
                references.try_fold(address.clone(), |base, url| base.join(&repair_link(url)));
            normalise_page_url(url.ok()?.as_str())
        };
        let to_text = |html: String| {
            let text = remove_highlights(&html_to_text(&html));
            (!text.is_empty()).then_some(text)
        };
        // RFC 4946, section 2.2: what is unspecified is no licence.
        let is_licence = |url: &String| !url.ends_with("://purl.org/atompub/license");
        let to_hit = |item: FeedItem| {
            let mut dates = item.dates.into_iter().flatten();
            let alternates = item.alternates.into_iter();
            let alternates = alternates.filter_map(|(code, url)| Some((code, resolve(url)?)));
            Some(EngineHit {
                url: resolve(item.link.or(item.other_format).or(item.permalink)?)?,
                modified: dates.find_map(|date| parse_time(&date)),
                alternates: alternates.collect(),
                licence: item.licence.and_then(resolve).filter(is_licence),
                title: item.title.and_then(to_text),
                snippet: item.description.and_then(to_text),
            })
        };
        let item_count = self.items.len();
        let hits: Vec<EngineHit> = self.items.into_iter().filter_map(to_hit).collect();
        let missing = (hits.len() < item_count).then(|| MissingPart {
            name: format!("{} of {item_count} items", item_count - hits.len()),
            reason: "they have no URL".into(),
        });
        (hits, missing.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
