//! What a page says of itself: title, language, date, licence, address, links, directives for
//! robots.
//!
//! Fed with elements and text in the page's order, by the walk over the tree and by the pass over
//! the tags alike.

use crate::ExtractedPage;
use crate::data::{self, Data};
use crate::paragraphs::tidy;
use forage_robots::{PRODUCT_TOKEN, parse_directives, parse_reservation};
use url::Url;

/// A link of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageLink {
    /// Absolute URL, HTTP or HTTPS.
    pub url: String,
    /// The text between the tags.
    pub text: String,
    /// The `rel` attribute.
    pub rel: Option<String>,
}

/// What is gathered.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// What the page will be; title and text are put in at the end.
    pub page: ExtractedPage,
    /// What `<title>` says.
    pub title: String,
    /// What embedded data (JSON-LD) say.
    pub data: Data,
    /// What `og:type` says.
    pub kind: String,
    /// The headline for those who share the page (`og:title`).
    pub headline: String,
    /// A licence of Creative Commons that is linked to without `rel`.
    commons: Option<String>,
    base: Option<Url>,
    in_link: bool,
    has_title: bool,
    script: String,
}

/// Names under which `<meta>` tags tell when a page was published, the best first.
const DATES: &str = "\
    article:published_time og:published_time datepublished dcterms.issued dcterms.created \
    dc.date.issued dc.date dcterms.date pubdate date";

impl Facts {
    /// Facts of a page that lies at `url`.
    pub fn new(url: Option<Url>) -> Facts {
        Facts {
            base: url,
            ..Facts::default()
        }
    }

    /// Takes in a start tag.
    pub fn element<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<&'a str>) {
        match name {
            "html" if self.page.lang.is_none() => {
                let lang = filled(attribute("lang"));
                self.page.lang = lang.or_else(|| filled(attribute("xml:lang")));
            }
            "base" => {
                if let Some(url) = attribute("href").and_then(|href| self.resolve(href)) {
                    self.base = Some(url);
                }
            }
            "meta" => self.meta(&attribute),
            "link" => self.relation(&attribute),
            "a" | "area" => {
                self.relation(&attribute);
                self.link(name, &attribute);
            }
            "time" => {
                let is_published = attribute("pubdate").is_some()
                    || attribute("itemprop")
                        .is_some_and(|property| property.eq_ignore_ascii_case("datePublished"));
                if is_published && self.page.published.is_none() {
                    self.page.published = attribute("datetime").and_then(data::date);
                }
            }
            _ => {}
        }
    }

    /// Takes in text that stands in a link.
    pub fn link_text(&mut self, text: &str) {
        if self.in_link
            && let Some(link) = self.page.links.last_mut()
        {
            link.text.push_str(text);
        }
    }

    /// Takes in an end tag of a link.
    pub fn end_link(&mut self) {
        self.in_link = false;
    }

    /// Takes in text of a `<title>`; the first one that says something counts.
    pub fn title_text(&mut self, text: &str) {
        if !self.has_title {
            self.title.push_str(text);
        }
    }

    /// Takes in text of a script that holds data.
    pub fn data_text(&mut self, text: &str) {
        self.script.push_str(text);
    }

    /// Takes in the end tag of a `<title>` or of a script.
    pub fn end_raw(&mut self) {
        self.has_title |= !self.title.trim().is_empty();
        if !self.script.is_empty() {
            self.data.read(&std::mem::take(&mut self.script));
        }
    }

    /// What can be said only when all has been seen.
    pub fn settle(&mut self) {
        for link in &mut self.page.links {
            link.text = tidy(&link.text.replace('\n', " "));
        }
        let licence = self
            .page
            .licence
            .take()
            .or_else(|| self.data.licence.take());
        self.page.licence = licence.or_else(|| self.commons.take());
        self.page.published = self
            .data
            .published
            .take()
            .or_else(|| self.page.published.take());
    }

    /// An absolute HTTP URL without its fragment.
    fn resolve(&self, href: &str) -> Option<Url> {
        let mut url = match &self.base {
            Some(base) => base.join(href.trim()).ok()?,
            None => Url::parse(href.trim()).ok()?,
        };
        url.set_fragment(None);
        matches!(url.scheme(), "http" | "https").then_some(url)
    }

    fn meta<'a>(&mut self, attribute: &impl Fn(&str) -> Option<&'a str>) {
        // What stands in the place of a header.
        if let (Some(header), Some(content)) = (attribute("http-equiv"), attribute("content")) {
            self.directives(
                &header.trim().to_ascii_lowercase(),
                &["x-robots-tag"],
                content,
            );
        }
        let Some(name) = ["name", "property", "itemprop"]
            .into_iter()
            .find_map(attribute)
        else {
            return;
        };
        let (name, content) = (
            name.to_ascii_lowercase(),
            attribute("content").unwrap_or_default(),
        );
        self.directives(&name, &["robots", PRODUCT_TOKEN], content);
        match name.as_str() {
            "og:type" => self.kind = content.trim().to_ascii_lowercase(),
            "og:title" if self.headline.is_empty() => self.headline = content.to_owned(),
            "og:url" if self.page.canonical.is_none() => {
                self.page.canonical = self.resolve(content).map(String::from);
            }
            name if self.page.published.is_none() && DATES.split(' ').any(|date| date == name) => {
                self.page.published = data::date(content);
            }
            _ => {}
        }
    }

    /// Takes in what robots are told under these names, and a reservation.
    fn directives(&mut self, name: &str, names: &[&str], content: &str) {
        if names.contains(&name) {
            self.page
                .robots
                .extend(parse_directives(content, PRODUCT_TOKEN));
        } else if name == "tdm-reservation" {
            let told = parse_reservation(content);
            self.page.tdm_reservation = told.or(self.page.tdm_reservation);
        }
    }

    fn relation<'a>(&mut self, attribute: &impl Fn(&str) -> Option<&'a str>) {
        let Some(href) = attribute("href") else {
            return;
        };
        let rel = attribute("rel").unwrap_or_default();
        let has = |wanted: &str| {
            rel.split_ascii_whitespace()
                .any(|rel| rel.eq_ignore_ascii_case(wanted))
        };
        if self.page.licence.is_none() && has("license") {
            self.page.licence = self.resolve(href).map(String::from);
        }
        if self.commons.is_none() && href.contains("creativecommons.org/") {
            self.commons = self.resolve(href).filter(is_commons).map(String::from);
        }
        if has("canonical")
            && let Some(url) = self.resolve(href)
        {
            self.page.canonical = Some(url.into());
        }
    }

    fn link<'a>(&mut self, name: &str, attribute: &impl Fn(&str) -> Option<&'a str>) {
        self.in_link = false;
        let Some(href) = attribute("href").filter(|href| !href.trim_start().starts_with('#'))
        else {
            return;
        };
        if let Some(url) = self.resolve(href) {
            self.in_link = name == "a";
            let rel = filled(attribute("rel"));
            self.page.links.push(PageLink {
                url: url.into(),
                text: String::new(),
                rel,
            });
        }
    }
}

/// Whether a URL names a licence of Creative Commons, and not its site.
fn is_commons(url: &Url) -> bool {
    let is_host = url
        .host_str()
        .is_some_and(|host| host.trim_start_matches("www.") == "creativecommons.org");
    is_host && (url.path().starts_with("/licenses/") || url.path().starts_with("/publicdomain/"))
}

/// An attribute that says something, tidied.
fn filled(value: Option<&str>) -> Option<String> {
    value
        .map(|value| tidy(&value.replace('\n', " ")))
        .filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::Facts;

    fn facts(tags: &[(&str, &[(&str, &str)])]) -> Facts {
        let mut facts = Facts::default();
        for (name, attributes) in tags {
            facts.element(name, |wanted| {
                attributes
                    .iter()
                    .find(|(name, _)| *name == wanted)
                    .map(|(_, value)| *value)
            });
        }
        facts.settle();
        facts
    }

    #[test]
    fn the_date_is_the_day_of_publication() {
        let found = facts(&[(
            "meta",
            &[
                ("property", "article:published_time"),
                ("content", "2024-03-05T10:00:00Z"),
            ],
        )]);
        assert_eq!(
            found.page.published.as_deref(),
            Some("2024-03-05T10:00:00Z")
        );
        let found = facts(&[(
            "time",
            &[("itemprop", "datePublished"), ("datetime", "2024-03-05")],
        )]);
        assert_eq!(found.page.published.as_deref(), Some("2024-03-05"));
        let found = facts(&[("meta", &[("name", "date"), ("content", "yesterday")])]);
        assert_eq!(found.page.published, None);
    }

    #[test]
    fn directives_are_for_all_robots_or_for_us_and_may_stand_in_for_headers() {
        let meta = |key, name, content| facts(&[("meta", &[(key, name), ("content", content)])]);
        for (key, name, content) in [
            ("name", "Robots", "noindex; noai"),
            ("name", "forage", "NoIndex NoAI"),
            (
                "http-equiv",
                "X-Robots-Tag",
                "otherbot: none, forage: noindex, noai",
            ),
        ] {
            assert_eq!(
                meta(key, name, content).page.robots,
                ["noindex", "noai"],
                "{name}"
            );
        }
        assert!(meta("name", "otherbot", "noai").page.robots.is_empty());
        assert_eq!(
            meta("http-equiv", "tdm-reservation", "1")
                .page
                .tdm_reservation,
            Some(true)
        );
    }

    #[test]
    fn a_licence_of_creative_commons_needs_no_rel() {
        let found = facts(&[
            ("a", &[("href", "https://creativecommons.org/")]),
            (
                "a",
                &[("href", "http://creativecommons.org/licenses/by-sa/4.0/")],
            ),
        ]);
        let licence = "http://creativecommons.org/licenses/by-sa/4.0/";
        assert_eq!(found.page.licence.as_deref(), Some(licence));
    }

    #[test]
    fn the_canonical_link_comes_before_what_is_shared() {
        let found = facts(&[
            (
                "meta",
                &[("property", "og:url"), ("content", "https://a.test/1")],
            ),
            (
                "link",
                &[("rel", "canonical"), ("href", "https://a.test/2")],
            ),
        ]);
        assert_eq!(found.page.canonical.as_deref(), Some("https://a.test/2"));
    }
}
