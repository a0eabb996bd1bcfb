//! The linked web: news articles in English and pages in other languages, on hosts that link to
//! each other, to try crawling.
//!
//! The articles are composed by `news.rs`, the pages in other languages are those of the closed
//! web. Links lead to pages on the same subject, or in the same language, more often than to
//! others. As on the real web, there are lists, pages that are on no list, dead links, redirects, a
//! robots.txt, print versions, and a calendar without an end.

mod answer;
mod articles;
mod calendar;
mod html;
mod lists;
mod serve;
mod sites;

pub(crate) use serve::LinkedWebServer;

use crate::news::{NewsLanguage, compose_articles};
use crate::web::{DemoPage, draw, new_random};
use articles::{Article, generate_articles};
use html::{Link, format_link, format_list, format_page};
use html_escape::encode_double_quoted_attribute as escape_html;
use lists::generate_lists;
use sites::{CALENDAR_HOST, DIRECTORY, PORTAL, PRINT_HOST};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The subject of pages that list others.
const LIST: &str = "list";

/// The subject of pages of the closed web, which have none.
const NO_SUBJECT: &str = "-";

/// Articles of the core.
const CORE_ARTICLES: usize = 100;

/// Hosts of the core, which are not on the linked web.
const CORE_HOSTS: usize = 8;

/// One article in this many has a dead link.
const DEAD_LINK_EVERY: usize = 10;

/// The pages of the linked web by their addresses, ready to be served.
#[derive(Debug)]
pub(crate) struct LinkedWeb {
    pages: BTreeMap<String, WebPage>,
    /// The addresses of articles by their old ones.
    redirects: BTreeMap<String, String>,
    /// The print versions of articles, which robots.txt forbids, by path.
    print_versions: BTreeMap<String, String>,
}

/// A page with what is known about it.
#[derive(Debug)]
struct WebPage {
    /// A subject of the news web, [`LIST`] or [`NO_SUBJECT`].
    subject: &'static str,
    /// ISO 639-3 code.
    language: &'static str,
    html: String,
}

impl LinkedWeb {
    /// Generates the web, which is the same on every machine.
    pub(crate) fn generate() -> LinkedWeb {
        let articles = generate_articles();
        let lists = generate_lists(&articles);
        let mut pages = lists.pages;
        let mut print_versions = BTreeMap::new();
        for (index, article) in articles.iter().enumerate() {
            let page = WebPage {
                subject: article.subject.unwrap_or(NO_SUBJECT),
                language: article.page.language,
                html: format_article(article, index, &articles),
            };
            pages.insert(article.page.url.clone(), page);
            if article.site.host == PRINT_HOST {
                let html = format!("<html><body>{}</body></html>\n", format_text(&article.page));
                print_versions.insert(print_path(&index.to_string()), html);
            }
        }
        LinkedWeb {
            pages,
            redirects: lists.redirects,
            print_versions,
        }
    }

    /// Returns the address, subject and language of each page, in the order of the addresses. The
    /// calendar and what robots.txt forbids are left out.
    pub(crate) fn truth(&self) -> impl Iterator<Item = (&str, &'static str, &'static str)> {
        self.pages
            .iter()
            .map(|(url, page)| (url.as_str(), page.subject, page.language))
    }
}

/// Returns the addresses from which a crawl can reach all pages: the portal, the directory, and the
/// front page of a news site.
pub(crate) fn seeds() -> [String; 3] {
    [PORTAL, DIRECTORY, CALENDAR_HOST].map(|host| format!("http://{host}/"))
}

/// Generates articles on a subject that are not on the web, as a person would collect them before
/// a crawl.
///
/// # Errors
/// Fails if there is no such subject.
pub(crate) fn generate_core(subject: &str) -> anyhow::Result<Vec<DemoPage>> {
    let articles = compose_articles(NewsLanguage::Eng, "core", CORE_ARTICLES);
    let mut subjects: Vec<&str> = articles.iter().map(|article| article.subject).collect();
    subjects.dedup();
    anyhow::ensure!(
        subjects.contains(&subject),
        "{subject}: not one of {}",
        subjects.join(", ")
    );
    let mut random = new_random("core hosts", "eng");
    let core = articles
        .into_iter()
        .filter(|article| article.subject == subject)
        .enumerate()
        .map(|(index, mut article)| {
            let host = draw(1..=CORE_HOSTS, &mut random);
            article.page.url = format!("http://library{host}.test/{}", index + 1);
            article.page
        });
    Ok(core.collect())
}

/// Formats the page of an article: the article, and links to others.
fn format_article(article: &Article, index: usize, articles: &[Article]) -> String {
    let host = article.site.host;
    let mut links: Vec<Link> = article
        .links
        .iter()
        .map(|&target| &articles[target].page)
        .map(|page| (page.url.clone(), page.title.clone()))
        .collect();
    if index.is_multiple_of(DEAD_LINK_EVERY) {
        links.push((format!("http://{host}/gone/{index}"), "Archive".into()));
    }
    let mut main = format!("<article>\n{}</article>\n", format_text(&article.page));
    if host == PRINT_HOST {
        let path = print_path(&index.to_string());
        let print = (format!("http://{host}{path}"), "Print version".into());
        main += &format!("<p>{}</p>\n", format_link(host, &print));
    }
    main += &format!("<aside>\n{}</aside>\n", format_list(host, &links));
    format_page(
        article.site,
        article.page.language,
        &article.page.title,
        &main,
    )
}

/// Formats title and text of an article.
fn format_text(page: &DemoPage) -> String {
    let mut html = format!("<h1>{}</h1>\n", escape_html(&page.title));
    for paragraph in page.text.lines() {
        // Writing to a string does not fail.
        let _ = writeln!(html, "<p>{}</p>", escape_html(paragraph));
    }
    html
}

/// Returns the path of a print version.
fn print_path(name: &str) -> String {
    format!("/print/{name}")
}

#[cfg(test)]
mod tests;
