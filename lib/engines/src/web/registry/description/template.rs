//! The URL template of an OpenSearch description.

use crate::web::HitRange;
use crate::web::feed_document::find_links;
use crate::web::markup::{Element, MarkupEvent, read_markup};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use url::Url;

/// Media types of responses that can be parsed, the preferred one first. Any XML may be a feed.
const FEED_MEDIA_TYPES: &str =
    "application/rss+xml application/atom+xml application/rdf+xml application/xml text/xml";

/// Media type of a description.
const DESCRIPTION_MEDIA_TYPE: &str = "application/opensearchdescription+xml";

/// A URL template, and the numbers from which its engine counts hits and pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UrlTemplate {
    text: String,
    /// Base URL of a relative template.
    base: Url,
    first_index: u32,
    first_page: u32,
    /// True if the engine is kiwix-serve. libzim leaves all marks (Unicode category M) out of its
    /// index, and version 8 not out of queries, so that a word with one would never be found.
    is_kiwix: bool,
}

impl UrlTemplate {
    /// Returns `true` if the template has a parameter for further pages.
    pub fn has_pages(&self) -> bool {
        self.text.contains("{startIndex") || self.text.contains("{startPage")
    }

    /// Returns `true` if further pages are requested by their number, and not by the index of
    /// their first hit alone.
    pub fn has_page_numbers(&self) -> bool {
        self.text.contains("{startPage")
    }

    /// Returns the URL that requests a range of a query's hits, from an engine that counts pages
    /// from `first_page`.
    ///
    /// # Errors
    /// Fails if the template has an unknown required parameter, or does not yield a URL.
    pub fn fill(&self, query: &str, range: HitRange, first_page: u32) -> Result<Url, String> {
        let is_sent = |c: &char| !(self.is_kiwix && is_combining_mark(*c));
        let query: String = query.nfd().filter(is_sent).nfc().collect();
        let mut filled = String::new();
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let parts = after.split_once('}');
            let (parameter, after) = parts.ok_or("the template has an unclosed brace")?;
            filled.push_str(before);
            rest = after;
            let value = self.parameter_value(parameter, &query, range, first_page)?;
            let name_start = filled.rfind(['?', '&', ';']).filter(|start| {
                let is_whole = filled[*start..].find('=') == Some(filled.len() - start - 1);
                is_whole && (rest.is_empty() || rest.starts_with(['&', ';', '#']))
            });
            // An empty value is not the same as none to every engine: kiwix-serve 3.3.0 answers
            // with status 400. The first page is what an engine returns without a number.
            let is_default = range.page == 1 && parameter.starts_with("start");
            let is_left_out = value.is_empty() || is_default && parameter.ends_with('?');
            if let Some(start) = name_start.filter(|_| is_left_out) {
                let next = rest.strip_prefix(['&', ';']);
                filled.truncate(start + usize::from(next.is_some()));
                rest = next.unwrap_or(rest);
            } else {
                filled.push_str(&value);
            }
        }
        filled.push_str(rest);
        let url = self.base.join(&filled);
        url.map_err(|e| format!("the template yields no URL: {e}"))
    }

    /// Returns the value of a parameter. A parameter that ends with `?` is optional and may be
    /// empty. Not all engines count hits from the number that they declare: pages after the first
    /// begin where they do if the engine counts from 0, which is one hit earlier if from 1.
    fn parameter_value(
        &self,
        parameter: &str,
        query: &str,
        range: HitRange,
        first_page: u32,
    ) -> Result<String, String> {
        let name = parameter.trim_end_matches('?');
        let start = u64::from(range.start);
        let first_index = u64::from(self.first_index);
        Ok(match name {
            "searchTerms" => percent_encode(query),
            "count" => range.size.to_string(),
            "startIndex" if range.page == 1 => first_index.to_string(),
            "startIndex" => (start + first_index.saturating_sub(1)).to_string(),
            "startPage" if range.page == 1 => self.first_page.to_string(),
            "startPage" => (u64::from(range.page) - 1 + u64::from(first_page)).to_string(),
            "language" if name == parameter => "*".into(),
            "inputEncoding" | "outputEncoding" => "UTF-8".into(),
            _ if parameter.ends_with('?') => String::new(),
            _ => return Err(format!("the template has the unknown parameter `{name}`")),
        })
    }
}

/// Percent-encodes a text. A blank becomes `%20`, as `+` means a blank only in the query part of a
/// URL.
fn percent_encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}

/// Parses the description at the URL `base`, and returns the template of the preferred media type.
///
/// # Errors
/// Fails if the text is not a description, or has no template for a feed.
pub(super) fn parse_description(xml: &str, base: &Url) -> Result<UrlTemplate, String> {
    let not_a_description = "is not an OpenSearch description and links to none";
    let mut is_description = None;
    let mut best: Option<(usize, UrlTemplate)> = None;
    read_markup(xml, |event| {
        let MarkupEvent::Start(element, _) = event else {
            return;
        };
        let name = element.name.local.as_str();
        if *is_description.get_or_insert(name == "opensearchdescription") && name == "url" {
            let templates = best.take().into_iter();
            let templates = templates.chain(parse_url_element(element, base));
            best = templates.min_by_key(|(rank, _)| *rank);
        }
    });
    match best {
        Some((_, template)) => Ok(template),
        None if is_description == Some(true) => {
            Err("has no search template with results as RSS or Atom".into())
        }
        None => Err(not_a_description.into()),
    }
}

/// Returns the template of a `Url` element and the rank of its media type; `None` if it cannot be
/// used.
fn parse_url_element(element: &Element, base: &Url) -> Option<(usize, UrlTemplate)> {
    let attribute = |name: &str| element.attribute(name);
    let media_type = attribute("type")?.to_ascii_lowercase();
    let mut feed_types = FEED_MEDIA_TYPES.split(' ');
    let rank = feed_types.position(|feed_type| media_type.starts_with(feed_type))?;
    let is_get = attribute("method").is_none_or(|method| !method.eq_ignore_ascii_case("post"));
    let is_search =
        attribute("rel").is_none_or(|rel| rel.split_whitespace().any(|rel| rel == "results"));
    let first_number = |name: &str| {
        let number = attribute(name).and_then(|number| number.trim().parse().ok());
        number.unwrap_or(1)
    };
    let text = attribute("template").filter(|text| text.contains("{searchTerms"))?;
    let template = UrlTemplate {
        text: text.to_owned(),
        base: base.clone(),
        first_index: first_number("indexoffset"),
        first_page: first_number("pageoffset"),
        is_kiwix: text.contains("{k:name"),
    };
    (is_get && is_search).then_some((rank, template))
}

/// Returns the URL of the description that the web page at `base` links to.
pub(super) fn find_description_link(html: &str, base: &Url) -> Option<Url> {
    let links = find_links(html, base, |_, media_type| {
        media_type == DESCRIPTION_MEDIA_TYPE
    });
    links.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::{find_description_link, parse_description};
    use crate::EngineCapabilities;
    use crate::web::HitRange;
    use url::Url;

    fn base() -> Url {
        Url::parse("http://w.test/dir/").unwrap()
    }

    fn description(urls: &str) -> String {
        format!("<OpenSearchDescription><ShortName>x</ShortName>{urls}</OpenSearchDescription>")
    }

    /// Returns the URL for page 3 of a query, by a description with these `Url` elements.
    fn fill_template(urls: &str) -> Result<String, String> {
        let range = HitRange::for_page(&EngineCapabilities::COMMON, 3, 10);
        Ok(parse_description(&description(urls), &base())?
            .fill("lep č", range, 0)?
            .to_string())
    }

    #[test]
    fn fills_the_template_with_the_offsets_of_the_engine() {
        let url = r#"<Url type="application/rss+xml" indexOffset="0" pageOffset="0"
            template="TEMPLATE"/>"#;
        let fill = |template: &str| fill_template(&url.replace("TEMPLATE", template));
        assert_eq!(
            fill(
                "s?q={searchTerms}&amp;n={count}&amp;i={startIndex?}&amp;p={startPage?}\
                 &amp;l={language}"
            )
            .as_deref(),
            Ok("http://w.test/dir/s?q=lep%20%C4%8D&n=10&i=20&p=2&l=*")
        );
        assert_eq!(
            fill("/s?q={searchTerms}&amp;x={geo:box}").unwrap_err(),
            "the template has the unknown parameter `geo:box`"
        );
        assert!(
            fill("/s?q={searchTerms}&amp;x={count")
                .unwrap_err()
                .contains("unclosed brace")
        );
    }

    /// kiwix-serve 3.3.0 answers 400 to an empty `books.name=`, and to `books.filter.lang=*`.
    #[test]
    fn a_parameter_without_a_value_is_left_out() {
        let fill = |template: &str| {
            let url = format!(r#"<Url type="application/rss+xml" template="{template}"/>"#);
            fill_template(&url).unwrap()
        };
        for (template, expected) in [
            ("s?l={language?}&amp;q={searchTerms}", "s?q=lep%20%C4%8D"),
            (
                "s?q={searchTerms}&amp;x={a:b?}&amp;y={a:c?}",
                "s?q=lep%20%C4%8D",
            ),
            (
                "s?q={searchTerms}&amp;x={a:b?}&amp;n={count}",
                "s?q=lep%20%C4%8D&n=10",
            ),
            ("s?q={searchTerms}&amp;x={a:b?}#r", "s?q=lep%20%C4%8D#r"),
            (
                "s?x={a:b?};q={searchTerms};y={a:c?};n={count}",
                "s?q=lep%20%C4%8D;n=10",
            ),
            // What the template itself leaves empty, and what is no parameter alone.
            ("s?e=&amp;q={searchTerms}", "s?e=&q=lep%20%C4%8D"),
            ("s/{language?}/?q={searchTerms}{a:b?}", "s//?q=lep%20%C4%8D"),
            ("s?x=1{a:b?}&amp;q={searchTerms}", "s?x=1&q=lep%20%C4%8D"),
        ] {
            assert_eq!(fill(template), format!("http://w.test/dir/{expected}"));
        }
    }

    /// kiwix-serve 3.3.0 finds nothing for a word with a mark, in a ZIM of libzim 9.
    #[test]
    fn kiwix_is_asked_without_marks() {
        let url =
            r#"<Url type="application/atom+xml" template="s?q={searchTerms}&amp;n={k:name?}"/>"#;
        assert_eq!(
            fill_template(url).as_deref(),
            Ok("http://w.test/dir/s?q=lep%20c")
        );
    }

    #[test]
    fn selects_the_template_for_a_feed() {
        let urls = r#"<Url type="text/html" template="h?{searchTerms}"/>
            <Url type="application/atom+xml" template="a?{searchTerms}"/>
            <Url type="application/rss+xml" rel="suggestions" template="s?{searchTerms}"/>
            <Url type="application/rss+xml" method="post" template="p?{searchTerms}"/>"#;
        assert_eq!(
            fill_template(urls).as_deref(),
            Ok("http://w.test/dir/a?lep%20%C4%8D")
        );
        for media_type in ["text/xml", "application/xml; charset=utf-8"] {
            let url = format!(r#"<Url type="{media_type}" template="x?{{searchTerms}}"/>"#);
            let expected = "http://w.test/dir/x?lep%20%C4%8D";
            assert_eq!(fill_template(&url).as_deref(), Ok(expected));
        }
        let error =
            fill_template(r#"<Url type="text/html" template="h?{searchTerms}"/>"#).unwrap_err();
        assert_eq!(error, "has no search template with results as RSS or Atom");
        assert!(
            parse_description("<html></html>", &base()).is_err()
                && parse_description("", &base()).is_err()
                && parse_description("<a", &base()).is_err()
        );
    }

    #[test]
    fn finds_the_description_link_of_a_web_page() {
        let page = r#"<p>x<LINK title=y type="application/opensearchdescription+xml" rel=search
            href="/o?a&amp;b"><br>"#;
        assert_eq!(
            find_description_link(page, &base())
                .map(String::from)
                .as_deref(),
            Some("http://w.test/o?a&b")
        );
        assert_eq!(find_description_link("<link href='/x'>", &base()), None);
        let page = r#"<base href="/deep/er/"><link rel="search" href="osd.xml"
            type="application/opensearchdescription+xml; charset=utf-8">"#;
        let link = find_description_link(page, &base()).unwrap();
        assert_eq!(link.as_str(), "http://w.test/deep/er/osd.xml");
    }
}
