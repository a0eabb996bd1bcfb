//! The pages of the linked web that list others: front pages, sections, the portal, the directory.

use super::articles::{Article, Visibility};
use super::html::{Link, format_link, format_list, format_page};
use super::sites::{DIRECTORY, PORTAL, SITES, Section, Site, SiteKind};
use super::{LIST, WebPage};
use std::collections::BTreeMap;

/// Articles on one page of a section.
const PER_PAGE: usize = 12;

/// Articles of each section on the front page.
const ON_FRONT_PAGE: usize = 3;

/// Articles on each subject in the directory.
const IN_DIRECTORY: usize = 8;

/// One article in this many of the directory is linked by its old address, which redirects.
const OLD_ADDRESS_EVERY: usize = 4;

/// The text of the pages of the directory. With it, the name of a language does not determine the
/// language of its page.
const DIRECTORY_NOTE: &str = "These pages were chosen by the editors of the directory. Please \
                              write to us if a page has moved or is missing from this list.";

/// The portal and the directory, which have no sections.
static PORTAL_SITE: Site = guide_site(PORTAL, "Start");
static DIRECTORY_SITE: Site = guide_site(DIRECTORY, "Directory");

const fn guide_site(host: &'static str, name: &'static str) -> Site {
    Site {
        host,
        name,
        kind: SiteKind::Magazine,
        sections: Vec::new(),
    }
}

/// The lists of the web, and the addresses that they use for articles that have moved.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) pages: BTreeMap<String, WebPage>,
    /// The addresses of articles by their old ones.
    pub(crate) redirects: BTreeMap<String, String>,
}

/// Generates all lists.
pub(crate) fn generate_lists(articles: &[Article]) -> Lists {
    let mut lists = Lists::default();
    for site in SITES.iter() {
        lists.add_site(site, articles);
    }
    lists.add_portal();
    lists.add_directory(articles);
    lists
}

impl Lists {
    fn add(&mut self, url: String, language: &'static str, html: String) {
        let page = WebPage {
            subject: LIST,
            language,
            html,
        };
        self.pages.insert(url, page);
    }

    /// Adds the front page and the sections of a site.
    fn add_site(&mut self, site: &'static Site, articles: &[Article]) {
        let mut front = format!("<h1>{}</h1>\n", site.name);
        for section in &site.sections {
            let links = section_links(site, section, articles);
            front += &format!("<h2>{}</h2>\n", section.title);
            front += &format_list(site.host, &links[..links.len().min(ON_FRONT_PAGE)]);
            self.add_section(site, section, &links);
        }
        let position = SITES.iter().position(|other| other.host == site.host);
        let partner = &SITES[(position.unwrap_or_default() + 1) % SITES.len()];
        let partners = [
            (partner.front_page(), partner.name.into()),
            (format!("http://{PORTAL}/"), PORTAL_SITE.name.into()),
        ];
        front += &format_list(site.host, &partners);
        let language = site.sections.first().map_or("eng", |s| s.language);
        self.add(
            site.front_page(),
            language,
            format_page(site, language, site.name, &front),
        );
    }

    /// Adds the pages of a section, each with a link to the next.
    fn add_section(&mut self, site: &'static Site, section: &'static Section, links: &[Link]) {
        let pages = links.len().div_ceil(PER_PAGE).max(1);
        for number in 1..=pages {
            let start = (number - 1) * PER_PAGE;
            let end = links.len().min(start + PER_PAGE);
            let mut main = format!("<h1>{}</h1>\n", section.title);
            main += &format_list(site.host, &links[start..end]);
            if number < pages {
                let next = (section_url(site, section, number + 1), ">>".into());
                main += &format!("<p>{}</p>\n", format_link(site.host, &next));
            }
            let html = format_page(site, section.language, section.title, &main);
            self.add(section_url(site, section, number), section.language, html);
        }
    }

    /// Adds the portal, which links to all sites, one of which has closed.
    fn add_portal(&mut self) {
        let mut links: Vec<Link> = SITES
            .iter()
            .map(|site| (site.front_page(), site.name.into()))
            .collect();
        links.push((format!("http://{DIRECTORY}/"), DIRECTORY_SITE.name.into()));
        links.push(("http://closed.test/".into(), "Closed".into()));
        let main = format!("<h1>Start</h1>\n{}", format_list(PORTAL, &links));
        let html = format_page(&PORTAL_SITE, "eng", PORTAL_SITE.name, &main);
        self.add(format!("http://{PORTAL}/"), "eng", html);
    }

    /// Adds the directory: a page for each subject, and one for each language.
    fn add_directory(&mut self, articles: &[Article]) {
        let mut categories: BTreeMap<&str, Vec<Link>> = BTreeMap::new();
        for (index, article) in articles.iter().enumerate() {
            let Some(subject) = article.subject else {
                continue;
            };
            let links = categories.entry(subject).or_default();
            if article.visibility == Visibility::Listed && links.len() < IN_DIRECTORY {
                links.push(self.directory_link(article, index));
            }
        }
        for site in SITES.iter() {
            for section in site.sections.iter().filter(|s| s.subjects.is_empty()) {
                let name = format!("{}: {}", site.name, section.title);
                let link = (site.section_page(section), name);
                categories.entry(section.title).or_default().push(link);
            }
        }
        let mut main = "<h1>Directory</h1>\n".to_owned();
        let mut front_links = Vec::new();
        for (number, (category, links)) in categories.into_iter().enumerate() {
            let url = format!("http://{DIRECTORY}/category/{}", number + 1);
            let title = category.replace('-', " ");
            let body = format!(
                "<h1>{title}</h1>\n<p>{DIRECTORY_NOTE}</p>\n{}",
                format_list(DIRECTORY, &links)
            );
            let html = format_page(&DIRECTORY_SITE, "eng", &title, &body);
            self.add(url.clone(), "eng", html);
            front_links.push((url, title));
        }
        main += &format_list(DIRECTORY, &front_links);
        let html = format_page(&DIRECTORY_SITE, "eng", DIRECTORY_SITE.name, &main);
        self.add(format!("http://{DIRECTORY}/"), "eng", html);
    }

    /// Returns the link of the directory to an article, by its old address if it has moved.
    fn directory_link(&mut self, article: &Article, index: usize) -> Link {
        let mut url = article.page.url.clone();
        if index.is_multiple_of(OLD_ADDRESS_EVERY) {
            let old = format!("http://{}/old/{index}", article.site.host);
            self.redirects.insert(old.clone(), url);
            url = old;
        }
        (url, article.page.title.clone())
    }
}

fn section_url(site: &Site, section: &Section, number: usize) -> String {
    match number {
        1 => site.section_page(section),
        _ => format!("{}{number}", site.section_page(section)),
    }
}

/// Returns links to the articles of a section that are on its list.
fn section_links(site: &Site, section: &Section, articles: &[Article]) -> Vec<Link> {
    articles
        .iter()
        .filter(|article| {
            article.site.host == site.host
                && article.section.path == section.path
                && article.visibility == Visibility::Listed
        })
        .map(|article| (article.page.url.clone(), article.page.title.clone()))
        .collect()
}
