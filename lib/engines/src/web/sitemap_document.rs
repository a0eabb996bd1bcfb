//! Parser for sitemaps and their indexes: in XML, as a text with a URL per line, or as a feed.
//!
//! It reads only the elements that a hit consists of, by their local names, so that a wrong
//! namespace is no fault. Like feeds, many sitemaps are not well-formed: each entry is tokenized on
//! its own, and one fault costs at most the entry that it is in. Images, videos and news of a page
//! are left out.

use super::feed_document::{
    FeedError, ROOTS as FEED_ROOTS, clean_part, parse_feed, repair_link, split_before,
};
use super::markup::{Element, ElementName, MarkupEvent, read_markup};
use super::modified_time::parse_time;
use super::response::normalise_page_url;
use crate::{EngineHit, MissingPart};
use forage_content::media::alternate_language;
use std::collections::BTreeMap;
use url::Url;

/// The elements that entries are: a page, and a file of an index.
const ENTRIES: [&str; 2] = ["url", "sitemap"];

/// A sitemap or an index of sitemaps.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sitemap {
    /// The pages in order.
    pub hits: Vec<EngineHit>,
    /// The files of an index in order.
    pub files: Vec<Url>,
    /// What cannot be read.
    pub missing: Vec<MissingPart>,
}

/// An entry of a sitemap, with the content of its elements.
#[derive(Default)]
struct SitemapEntry {
    is_file: bool,
    prefix: Option<String>,
    /// An open child in another namespace, as an image, whose `loc` is not that of the page.
    other: Option<ElementName>,
    url: Option<String>,
    modified: Option<String>,
    alternates: BTreeMap<String, String>,
}

/// State of the parser.
struct SitemapParser<'a> {
    /// The URL of the sitemap.
    base: &'a Url,
    sitemap: Sitemap,
    first_element: Option<String>,
    root: Option<String>,
    is_closed: bool,
    entry: Option<SitemapEntry>,
    /// The part of the entry that is open, and its text.
    part: Option<String>,
    text: String,
    entries: usize,
}

/// Parses the sitemap at `base`. Relative URLs are resolved by it.
///
/// # Errors
/// Fails if the text is neither a sitemap nor an index of sitemaps, nor a feed.
pub(super) fn parse_sitemap(text: &str, base: &Url) -> Result<Sitemap, FeedError> {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{FEFF}');
    if !text.starts_with('<')
        && let Some(sitemap) = parse_lines(text, base)
    {
        return Ok(sitemap);
    }
    let mut parser = SitemapParser {
        base,
        sitemap: Sitemap::default(),
        first_element: None,
        root: None,
        is_closed: false,
        entry: None,
        part: None,
        text: String::new(),
        entries: 0,
    };
    for part in split_before(text, &ENTRIES) {
        read_markup(part, |event| parser.add(event));
    }
    parser.finish(text)
}

/// Parses a text with a URL per line; `None` if its first line is none.
fn parse_lines(text: &str, base: &Url) -> Option<Sitemap> {
    let mut lines = text.split(['\r', '\n']).filter_map(clean_part).peekable();
    normalise_page_url(lines.peek()?)?;
    let mut sitemap = Sitemap::default();
    let mut count = 0;
    for line in lines {
        if normalise_page_url(&line).is_some() {
            sitemap.add_page(&line, base);
        }
        count += 1;
    }
    sitemap.report_entries(count);
    Some(sitemap)
}

impl Sitemap {
    /// Adds the page at a URL. Returns its hit, unless the URL is not that of a page.
    fn add_page(&mut self, url: &str, base: &Url) -> Option<&mut EngineHit> {
        let url = base.join(&repair_link(url)).ok()?;
        self.hits.push(EngineHit {
            url: normalise_page_url(url.as_str())?,
            ..EngineHit::default()
        });
        self.hits.last_mut()
    }

    /// Reports those of the entries that have no URL as missing.
    fn report_entries(&mut self, count: usize) {
        let read = self.hits.len() + self.files.len();
        if read < count {
            self.missing.push(MissingPart {
                name: format!("{} of {count} entries", count - read),
                reason: "they have no URL".into(),
            });
        }
    }
}

impl SitemapParser<'_> {
    fn add(&mut self, event: MarkupEvent) {
        match event {
            MarkupEvent::Start(element, is_empty) => {
                self.end_part();
                self.start_element(element);
                if is_empty {
                    self.end_other(&element.name);
                }
                self.is_closed |= is_empty && self.is_root(&element.name.local);
            }
            MarkupEvent::End(name) => {
                self.end_part();
                self.end_other(name);
                if ENTRIES.contains(&name.local.as_str()) {
                    self.end_entry();
                }
                self.is_closed |= self.is_root(&name.local);
            }
            MarkupEvent::Text(text) => self.text.push_str(text),
        }
    }

    fn end_other(&mut self, name: &ElementName) {
        if let Some(entry) = &mut self.entry {
            entry.other.take_if(|other| other == name);
        }
    }

    fn is_root(&self, name: &str) -> bool {
        self.root.as_deref() == Some(name)
    }

    fn start_element(&mut self, element: &Element) {
        let name = element.name.local.as_str();
        self.first_element.get_or_insert_with(|| name.to_owned());
        match name {
            "urlset" | "sitemapindex" if self.root.is_none() => self.root = Some(name.to_owned()),
            "url" | "sitemap" => {
                self.end_entry();
                self.entry = Some(SitemapEntry {
                    is_file: name == "sitemap" || self.is_root("sitemapindex"),
                    prefix: element.name.prefix.clone(),
                    ..SitemapEntry::default()
                });
            }
            "link" => self.add_alternate(element),
            _ => {}
        }
        let entry = self.entry.as_mut();
        let is_part = entry.is_some_and(|entry| {
            let is_own = |namespace: &str| namespace.contains("/schemas/sitemap/");
            let namespace = element.attribute("xmlns").filter(|xmlns| !is_own(xmlns));
            let is_other = entry.prefix != element.name.prefix
                || !ENTRIES.contains(&name) && namespace.is_some();
            if is_other && entry.other.is_none() {
                entry.other = Some(element.name.clone());
            }
            entry.other.is_none()
        });
        self.part = is_part.then(|| name.to_owned());
        self.text.clear();
    }

    /// Adds the link of an entry to the page in another language.
    fn add_alternate(&mut self, link: &Element) {
        if let Some(entry) = &mut self.entry
            && let [rel, media_type, hreflang] =
                ["rel", "type", "hreflang"].map(|name| link.attribute(name))
            && let rel = rel.unwrap_or("alternate")
            && let Some(language) = alternate_language(rel, media_type, hreflang)
            && let Some(url) = link.attribute("href").and_then(clean_part)
            && let Ok(url) = self.base.join(&repair_link(&url))
            && let Some(url) = normalise_page_url(url.as_str())
        {
            entry.alternates.entry(language).or_insert(url);
        }
    }

    /// Sets a part of the entry at its end, or where one that was left open must have ended.
    fn end_part(&mut self) {
        let (Some(part), Some(entry)) = (self.part.take(), &mut self.entry) else {
            return;
        };
        let target = match part.as_str() {
            "loc" => &mut entry.url,
            "lastmod" => &mut entry.modified,
            _ => return,
        };
        *target = target.take().or_else(|| clean_part(&self.text));
    }

    fn end_entry(&mut self) {
        let Some(entry) = self.entry.take() else {
            return;
        };
        self.entries += 1;
        let Some(url) = entry.url else {
            return;
        };
        if entry.is_file {
            let file = self.base.join(&repair_link(&url));
            self.sitemap.files.extend(file);
        } else if let Some(hit) = self.sitemap.add_page(&url, self.base) {
            hit.modified = entry.modified.and_then(|time| parse_time(&time));
            hit.alternates = entry.alternates;
        }
    }

    fn finish(mut self, text: &str) -> Result<Sitemap, FeedError> {
        // A URL that breaks off is that of another page.
        self.part = None;
        self.end_entry();
        if self.entries == 0 && !self.is_closed {
            return match self.first_element {
                Some(name) if FEED_ROOTS.contains(&name.as_str()) => {
                    let (hits, missing) = parse_feed(text)?.into_hits(self.base);
                    Ok(Sitemap {
                        hits,
                        missing,
                        ..Sitemap::default()
                    })
                }
                Some(name) if self.root.is_none() => Err(FeedError::OtherDocument(name)),
                Some(_) => Err(FeedError::malformed("it breaks off")),
                None if text.is_empty() => Err(FeedError::malformed("it is empty")),
                None => Err(FeedError::malformed("it is neither XML nor a list of URLs")),
            };
        }
        self.sitemap.report_entries(self.entries);
        if !self.is_closed {
            self.sitemap.missing.push(MissingPart {
                name: format!("the rest of {}", self.base),
                reason: "it breaks off".into(),
            });
        }
        Ok(self.sitemap)
    }
}

#[cfg(test)]
mod tests;
