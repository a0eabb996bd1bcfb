//! Metadata of a page: title, language, dates, authors, licence, address, links, and directives for
//! robots.
//!
//! The collector gets the elements and the text in document order, from the walk over the tree as
//! well as from the scan without a tree.

use crate::ExtractedPage;
use crate::credits::Declarations;
use crate::json_ld::{JsonLd, Work};
use crate::link_base::LinkBase;
use crate::meta_fields::{MetaField, MetaValues, UNSURE_DATE};
use crate::paragraphs::{letters_and_digits, tidy_line};
use crate::publication_date::{DateOrder, parse_date};
use crate::visual_order::{has_visual_words, logical_text};
use forage_content::media::{alternate_language, has_relation};
use forage_record::{Fetch, Link};
use forage_web::page_url::refresh_target;
use forage_web::robots::{PRODUCT_TOKEN, parse_directives, parse_reservation};
use url::Url;

/// The metadata collected so far.
#[derive(Debug, Default)]
pub(crate) struct PageMetadata {
    /// The page without title and text, which are set at the end.
    pub page: ExtractedPage,
    /// Text of `<title>`.
    pub title: String,
    pub json_ld: JsonLd,
    /// `og:type`, in lower case.
    pub og_type: String,
    /// `og:title`, the headline for shared links.
    pub og_title: String,
    /// The first link to a Creative Commons licence, with any `rel`.
    creative_commons: Option<String>,
    /// The address of the page.
    url: Option<Url>,
    base: LinkBase,
    /// The URL that the page redirects to.
    pub refresh: Option<Url>,
    meta: MetaValues,
    /// Dates that elements of the text declare, the surest first.
    pub element_dates: Vec<String>,
    /// True if the text is Hebrew in visual order.
    pub is_visual: bool,
    is_in_link: bool,
    /// Bytes of the links.
    link_bytes: usize,
    /// True if a `<title>` with text has ended.
    has_title: bool,
    /// Text of the current JSON-LD script.
    script: String,
}

/// Size from which further links are left out: URLs are absolute, so that a small page with a long
/// base could have gigabytes of them. A page of 30,000 links has 4 MB.
const MAX_LINK_BYTES: usize = 4 << 20;

/// Maximum number of translations of a page; later ones are ignored.
const MAX_ALTERNATES: usize = 300;

impl PageMetadata {
    /// Returns the empty metadata of a page at `url`.
    pub fn new(url: Option<Url>) -> PageMetadata {
        PageMetadata {
            base: LinkBase::new(url.clone()),
            url,
            ..PageMetadata::default()
        }
    }

    /// Sets the character encoding in which the page encodes the queries of its links.
    pub fn with_charset(mut self, charset: Option<&str>) -> PageMetadata {
        if let Some(charset) = charset {
            self.base.set_charset(charset);
        }
        self
    }

    /// Adds a start tag.
    pub fn add_start_tag<'a>(&mut self, name: &str, attribute: impl Fn(&str) -> Option<&'a str>) {
        match name {
            "html" if self.page.fetch.html_lang.is_none() => {
                let lang = non_empty(attribute("lang"));
                self.page.fetch.html_lang = lang.or_else(|| non_empty(attribute("xml:lang")));
            }
            "base" => {
                if let Some(href) = attribute("href") {
                    self.base.declare(href);
                }
            }
            "meta" => self.add_meta(&attribute),
            "link" => self.add_link_relation(&attribute),
            "a" | "area" => {
                self.add_link_relation(&attribute);
                self.start_link(name, &attribute);
            }
            "frame" => self.add_link(attribute("src"), None),
            _ => {}
        }
    }

    /// Adds text that is inside a link.
    pub fn add_link_text(&mut self, text: &str) {
        if self.is_in_link
            && self.link_bytes <= MAX_LINK_BYTES
            && let Some(link) = self.page.links.last_mut()
        {
            self.link_bytes += text.len();
            link.text.push_str(text);
        }
    }

    /// Adds the end tag of a link.
    pub fn end_link(&mut self) {
        self.is_in_link = false;
    }

    /// Adds text of a `<title>`. The first title with text counts.
    pub fn add_title_text(&mut self, text: &str) {
        if !self.has_title {
            self.title.push_str(text);
        }
    }

    /// Adds text of a JSON-LD script.
    pub fn add_script_text(&mut self, text: &str) {
        self.script.push_str(text);
    }

    /// Adds the end tag of a `<title>` or of a JSON-LD script.
    pub fn end_title_or_script(&mut self) {
        self.has_title |= !self.title.trim().is_empty();
        if !self.script.is_empty() {
            self.json_ld.add_script(&std::mem::take(&mut self.script));
        }
    }

    /// Completes the page after its last tag: tidies the anchor texts, and chooses the licence and
    /// the date from their sources.
    pub fn finish(&mut self) {
        for link in &mut self.page.links {
            if self.is_visual {
                link.text = logical_text(&link.text);
            }
            link.text = tidy_line(&link.text);
        }
        if self.is_visual && has_visual_words(&self.title) {
            // Windows show a title in the order of Unicode: some are written for them.
            self.title = logical_text(&self.title);
        }
        let works = self.works_of_article();
        let in_works = || works.iter().find_map(|work| work.licence.clone());
        let licence = self.page.fetch.licence.clone().or_else(in_works);
        let order = DateOrder::of_language(self.page.fetch.html_lang.as_deref());
        let (unsure, named): (Vec<_>, Vec<_>) = self
            .meta
            .values_of(MetaField::Published)
            .into_iter()
            .partition(|(name, _)| *name == UNSURE_DATE);
        let of_source = |source| move |date| (date, source);
        let of_works = of_source("json-ld");
        let of_elements = of_source("element");
        let of_meta = |(_, date)| (date, "meta");
        let declared = works.iter().filter_map(|work| work.published.as_deref());
        let declared = declared.map(of_works);
        let declared = declared.chain(named.into_iter().map(of_meta));
        let elements = self.element_dates.iter().map(String::as_str);
        let declared = declared.chain(elements.map(of_elements));
        let declared = declared.chain(unsure.into_iter().map(of_meta));
        let published = first_date(declared, order);
        let changed = works.iter().filter_map(|work| work.modified.as_deref());
        let in_meta = self.meta.values_of(MetaField::Modified).into_iter();
        let modified = first_date(changed.map(of_works).chain(in_meta.map(of_meta)), order);
        let declarations = Declarations {
            works,
            json_ld: &self.json_ld,
            meta: &self.meta,
            links: &self.page.links,
        };
        let (published, published_source) = published.unzip();
        let (modified, modified_source) = modified.unzip();
        let image = declarations.images().find_map(|image| self.resolve(image));
        let fetch = Fetch {
            published,
            published_source,
            modified,
            modified_source,
            author: declarations.authors(),
            tags: declarations.tags(),
            site: declarations.site(),
            section: declarations.section(),
            description: declarations.description(),
            image: image.map(String::from),
            licence: licence.or_else(|| self.creative_commons.clone()),
            ..self.page.fetch.clone()
        };
        self.page.fetch = fetch;
    }

    /// Returns the works in JSON-LD that may be the article of the page, the most probable first.
    pub fn works_of_article(&self) -> Vec<&Work> {
        let canonical = self
            .page
            .fetch
            .canonical
            .as_deref()
            .and_then(|url| Url::parse(url).ok());
        let own = [self.url.as_ref(), canonical.as_ref()];
        let own: Vec<String> = own.into_iter().flatten().map(page_key).collect();
        let is_url = |url: &str| {
            let url = self.resolve(url);
            url.is_some_and(|url| own.contains(&page_key(&url)))
        };
        let titles = [&self.title, &self.og_title].map(|title| letters_and_digits(title));
        let is_title = |headline: &str| {
            let headline = letters_and_digits(headline);
            let has = |longer: &str, shorter: &str| !shorter.is_empty() && longer.contains(shorter);
            titles
                .iter()
                .any(|title| has(title, &headline) || has(&headline, title))
        };
        self.json_ld.of_article(is_url, is_title)
    }

    /// Returns the absolute URL of a reference.
    pub fn resolve(&self, href: &str) -> Option<Url> {
        self.base.resolve(href)
    }

    fn add_meta<'a>(&mut self, attribute: &impl Fn(&str) -> Option<&'a str>) {
        // `http-equiv` stands for a header of the response.
        if let (Some(header), Some(content)) = (attribute("http-equiv"), attribute("content")) {
            let header = header.trim().to_ascii_lowercase();
            if header == "refresh" && self.refresh.is_none() {
                self.refresh = refresh_target(content).and_then(|url| self.resolve(url));
            }
            if header == "content-language" {
                self.add_language(content);
            }
            self.add_directives(&header, &["x-robots-tag"], content);
        }
        let Some(name) = ["name", "property", "itemprop"]
            .into_iter()
            .find_map(attribute)
        else {
            return;
        };
        let name = name.to_ascii_lowercase();
        let content = attribute("content").unwrap_or_default();
        self.add_directives(&name, &["robots", PRODUCT_TOKEN], content);
        match name.as_str() {
            "og:type" => self.og_type = content.trim().to_ascii_lowercase(),
            "og:title" if self.og_title.is_empty() => self.og_title = content.to_owned(),
            "og:url" if self.page.fetch.canonical.is_none() => {
                self.page.fetch.canonical = self.resolve(content).map(String::from);
            }
            name if attribute("itemprop").is_none() => {
                let content = attribute("content").or_else(|| attribute("value"));
                self.meta.add(name, content.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Sets the language, if the page declares none and the list has one only (HTML Standard,
    /// section 4.2.5.3).
    pub fn add_language(&mut self, list: &str) {
        if self.page.fetch.html_lang.is_none() && !list.contains(',') {
            self.page.fetch.html_lang = list.split_whitespace().next().map(str::to_owned);
        }
    }

    /// Adds robots directives if `name` is one of `robots_names`, or a reservation against text
    /// mining if it is `tdm-reservation`.
    fn add_directives(&mut self, name: &str, robots_names: &[&str], content: &str) {
        if robots_names.contains(&name) {
            self.page
                .robots
                .extend(parse_directives(content, PRODUCT_TOKEN));
        } else if name == "tdm-reservation" {
            let reservation = parse_reservation(content);
            // Any 1 reserves.
            self.page.tdm_reservation = reservation.max(self.page.tdm_reservation);
        }
    }

    /// Adds the licence, the canonical address or a translation from the `rel` of a link.
    fn add_link_relation<'a>(&mut self, attribute: &impl Fn(&str) -> Option<&'a str>) {
        let Some(href) = attribute("href") else {
            return;
        };
        let rel = attribute("rel").unwrap_or_default();
        if self.page.fetch.licence.is_none() && has_relation(rel, "license") {
            self.page.fetch.licence = self.resolve(href).map(String::from);
        }
        if self.creative_commons.is_none() && href.contains("creativecommons.org/") {
            self.creative_commons = self
                .resolve(href)
                .filter(is_creative_commons_licence)
                .map(String::from);
        }
        if let Some(language) = alternate_language(rel, attribute("type"), attribute("hreflang"))
            && self.page.fetch.alternates.len() < MAX_ALTERNATES
            && let Some(url) = self.resolve(href)
        {
            self.page
                .fetch
                .alternates
                .entry(language)
                .or_insert(url.into());
        }
        if has_relation(rel, "canonical")
            && let Some(url) = self.resolve(href)
        {
            self.page.fetch.canonical = Some(url.into());
        }
    }

    fn start_link<'a>(&mut self, name: &str, attribute: &impl Fn(&str) -> Option<&'a str>) {
        self.is_in_link = false;
        let href = attribute("href").filter(|href| !href.trim_start().starts_with('#'));
        let count = self.page.links.len();
        self.add_link(href, non_empty(attribute("rel")));
        self.is_in_link = name == "a" && self.page.links.len() > count;
    }

    /// Adds a link without a text, if there is a URL, and the links are not too many.
    fn add_link(&mut self, reference: Option<&str>, rel: Option<String>) {
        let Some(reference) = reference.filter(|_| self.link_bytes <= MAX_LINK_BYTES) else {
            return;
        };
        if let Some(url) = self.resolve(reference) {
            let link = Link {
                url: url.into(),
                text: String::new(),
                rel,
            };
            self.link_bytes += size_of_val(&link) + link.url.len();
            self.page.links.push(link);
        }
    }
}

/// Returns what the addresses of a page have in common: host, path and query.
fn page_key(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let query = url.query().unwrap_or_default();
    format!("{host}{}?{query}", url.path().trim_end_matches('/'))
}

/// Returns `true` if a URL is that of a licence, not of another page of Creative Commons.
fn is_creative_commons_licence(url: &Url) -> bool {
    let is_host = url
        .host_str()
        .is_some_and(|host| host.trim_start_matches("www.") == "creativecommons.org");
    is_host && (url.path().starts_with("/licenses/") || url.path().starts_with("/publicdomain/"))
}

/// Returns the tidied value of an attribute, unless it is empty.
fn non_empty(value: Option<&str>) -> Option<String> {
    value.map(tidy_line).filter(|value| !value.is_empty())
}

/// Returns the first text that is a date, and its source.
fn first_date<'a>(
    mut dates: impl Iterator<Item = (&'a str, &'static str)>,
    order: DateOrder,
) -> Option<(String, String)> {
    dates.find_map(|(date, source)| Some((parse_date(date, order)?, source.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::PageMetadata;

    fn collect(tags: &[(&str, &[(&str, &str)])]) -> PageMetadata {
        let mut metadata = PageMetadata::default();
        for (name, attributes) in tags {
            metadata.add_start_tag(name, |wanted| {
                attributes
                    .iter()
                    .find(|(name, _)| *name == wanted)
                    .map(|(_, value)| *value)
            });
        }
        metadata.finish();
        metadata
    }

    #[test]
    fn reads_the_time_of_publication() {
        let metadata = collect(&[(
            "meta",
            &[
                ("property", "article:published_time"),
                ("content", "2024-03-05T10:00:00Z"),
            ],
        )]);
        assert_eq!(
            metadata.page.fetch.published.as_deref(),
            Some("2024-03-05T10:00:00Z")
        );
        let metadata = collect(&[("meta", &[("name", "date"), ("content", "yesterday")])]);
        assert_eq!(metadata.page.fetch.published, None);
    }

    #[test]
    fn reads_directives_for_all_robots_or_forage_and_http_equiv() {
        let meta = |key, name, content| collect(&[("meta", &[(key, name), ("content", content)])]);
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
    fn recognises_a_creative_commons_licence_without_rel() {
        let metadata = collect(&[
            ("a", &[("href", "https://creativecommons.org/")]),
            (
                "a",
                &[("href", "http://creativecommons.org/licenses/by-sa/4.0/")],
            ),
        ]);
        let licence = "http://creativecommons.org/licenses/by-sa/4.0/";
        assert_eq!(metadata.page.fetch.licence.as_deref(), Some(licence));
    }

    #[test]
    fn rel_canonical_takes_precedence_over_og_url() {
        let metadata = collect(&[
            (
                "meta",
                &[("property", "og:url"), ("content", "https://a.test/1")],
            ),
            (
                "link",
                &[("rel", "canonical"), ("href", "https://a.test/2")],
            ),
        ]);
        assert_eq!(
            metadata.page.fetch.canonical.as_deref(),
            Some("https://a.test/2")
        );
    }
}
