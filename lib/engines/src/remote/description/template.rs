//! The template of a search address, and how a description tells it.

use crate::remote::Part;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use url::Url;

/// Media types of answers that can be read, the better ones first.
const READABLE: [&str; 2] = ["application/rss+xml", "application/atom+xml"];

/// The media type of a description.
const DESCRIPTION: &str = "application/opensearchdescription+xml";

/// A template, and from where its engine counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Template {
    text: String,
    /// Where a template that is relative begins.
    base: Url,
    first_index: u32,
    first_page: u32,
}

impl Template {
    /// Whether further hits can be asked for.
    pub fn has_pages(&self) -> bool {
        ["{startIndex", "{startPage"]
            .iter()
            .any(|name| self.text.contains(name))
    }

    /// The address that asks for a part of a query's hits.
    ///
    /// # Errors
    /// When the template needs what is not known here.
    pub fn fill(&self, query: &str, part: Part) -> Result<Url, String> {
        let mut filled = String::new();
        let mut rest = self.text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, behind) = after
                .split_once('}')
                .ok_or("the template has a brace that is not closed")?;
            filled.push_str(before);
            filled.push_str(&self.value(name, query, part)?);
            rest = behind;
        }
        filled.push_str(rest);
        self.base
            .join(&filled)
            .map_err(|e| format!("the template gives no address ({e})"))
    }

    /// The value of a parameter; one that ends in `?` may be empty.
    fn value(&self, parameter: &str, query: &str, part: Part) -> Result<String, String> {
        let name = parameter.trim_end_matches('?');
        Ok(match name {
            // A blank is `+` in the query part of an address only.
            "searchTerms" => encode(query),
            "count" => part.size.to_string(),
            "startIndex" => (u64::from(part.start) + u64::from(self.first_index)).to_string(),
            "startPage" => (u64::from(part.number) - 1 + u64::from(self.first_page)).to_string(),
            "language" => "*".into(),
            "inputEncoding" | "outputEncoding" => "UTF-8".into(),
            _ if parameter.ends_with('?') => String::new(),
            _ => return Err(format!("the template needs `{name}`, which is not known")),
        })
    }
}

fn encode(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}

/// The best template of a description that lies at `base`.
///
/// # Errors
/// When it is no description, or has no template for a feed.
pub(super) fn read(xml: &str, base: &Url) -> Result<Template, String> {
    let mut reader = Reader::from_str(xml);
    let mut is_description = false;
    let mut best: Option<(usize, Template)> = None;
    loop {
        match reader
            .read_event()
            .map_err(|e| format!("is no XML ({e})"))?
        {
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "OpenSearchDescription" => is_description = true,
                "Url" if is_description => {
                    let found = template(&tag, base);
                    best = best.into_iter().chain(found).min_by_key(|(rank, _)| *rank);
                }
                _ if !is_description => {
                    return Err("is no OpenSearch description, and links to none".into());
                }
                _ => {}
            },
            Event::Eof => break,
            _ => {}
        }
    }
    match best {
        Some((_, template)) => Ok(template),
        None if is_description => {
            Err("describes no search that is answered with RSS or Atom".into())
        }
        None => Err("is no OpenSearch description, and links to none".into()),
    }
}

/// The template of a `Url`, with the rank of its media type; none where it can't be used.
fn template(tag: &BytesStart, base: &Url) -> Option<(usize, Template)> {
    let attribute = |name: &str| attribute(tag, name);
    let media_type = attribute("type")?.to_ascii_lowercase();
    let rank = READABLE
        .iter()
        .position(|readable| media_type.starts_with(readable))?;
    let is_get = attribute("method").is_none_or(|method| method.eq_ignore_ascii_case("get"));
    let is_search =
        attribute("rel").is_none_or(|rel| rel.split_whitespace().any(|rel| rel == "results"));
    let first = |name: &str| {
        attribute(name)
            .and_then(|number| number.trim().parse().ok())
            .unwrap_or(1)
    };
    let text = attribute("template")
        .filter(|text| is_get && is_search && text.contains("{searchTerms"))?;
    let (first_index, first_page) = (first("indexOffset"), first("pageOffset"));
    Some((
        rank,
        Template {
            text,
            base: base.clone(),
            first_index,
            first_page,
        },
    ))
}

/// An attribute's value, entities resolved.
pub(super) fn attribute(tag: &BytesStart, name: &str) -> Option<String> {
    let found = tag
        .html_attributes()
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    found
        .normalized_value(quick_xml::XmlVersion::Implicit1_0)
        .ok()
        .map(Into::into)
}

/// The description that a page at `base` links to.
///
/// A page is seldom XML, so its `link` elements are looked at one by one.
pub(super) fn link_in(html: &str, base: &Url) -> Option<Url> {
    html.split('<')
        .filter(|tag| tag.contains(DESCRIPTION))
        .find_map(|tag| {
            let inside = tag.split('>').next()?.trim_end_matches('/');
            let name_length = inside.find(char::is_whitespace)?;
            let href = attribute(&BytesStart::from_content(inside, name_length), "href")?;
            base.join(href.trim()).ok()
        })
}

#[cfg(test)]
mod tests {
    use super::{link_in, read};
    use crate::Abilities;
    use crate::remote::Part;
    use url::Url;

    fn base() -> Url {
        Url::parse("http://w.test/dir/").unwrap()
    }

    fn description(urls: &str) -> String {
        format!("<OpenSearchDescription><ShortName>x</ShortName>{urls}</OpenSearchDescription>")
    }

    fn filled(urls: &str) -> Result<String, String> {
        let part = Part::within(&Abilities::COMMON, 3, 10);
        Ok(read(&description(urls), &base())?
            .fill("lep č", part)?
            .to_string())
    }

    #[test]
    fn a_template_is_filled_in_by_the_engines_way_of_counting() {
        let url = r#"<Url type="application/rss+xml" indexOffset="0" pageOffset="0" template="TEMPLATE"/>"#;
        let fill = |template: &str| filled(&url.replace("TEMPLATE", template));
        assert_eq!(
            fill(
                "s?q={searchTerms}&amp;n={count}&amp;i={startIndex?}&amp;p={startPage?}&amp;l={language?}&amp;x={a:b?}"
            )
            .as_deref(),
            Ok("http://w.test/dir/s?q=lep%20%C4%8D&n=10&i=20&p=2&l=*&x=")
        );
        assert_eq!(
            fill("/s?q={searchTerms}&amp;x={geo:box}").unwrap_err(),
            "the template needs `geo:box`, which is not known"
        );
        assert!(
            fill("/s?q={searchTerms}&amp;x={count")
                .unwrap_err()
                .contains("not closed")
        );
    }

    #[test]
    fn of_several_templates_that_for_a_feed_is_taken() {
        let urls = r#"<Url type="text/html" template="h?{searchTerms}"/>
            <Url type="application/atom+xml" template="a?{searchTerms}"/>
            <Url type="application/rss+xml" rel="suggestions" template="s?{searchTerms}"/>
            <Url type="application/rss+xml" method="post" template="p?{searchTerms}"/>"#;
        assert_eq!(
            filled(urls).as_deref(),
            Ok("http://w.test/dir/a?lep%20%C4%8D")
        );
        let fault = filled(r#"<Url type="text/html" template="h?{searchTerms}"/>"#).unwrap_err();
        assert_eq!(
            fault,
            "describes no search that is answered with RSS or Atom"
        );
        assert!(
            read("<html></html>", &base()).is_err()
                && read("", &base()).is_err()
                && read("<a", &base()).is_err()
        );
    }

    #[test]
    fn a_page_may_link_to_a_description() {
        let page = r#"<p>x<LINK title=y type="application/opensearchdescription+xml" rel=search href="/o?a&amp;b"><br>"#;
        assert_eq!(
            link_in(page, &base()).map(String::from).as_deref(),
            Some("http://w.test/o?a&b")
        );
        assert_eq!(link_in("<link href='/x'>", &base()), None);
    }
}
