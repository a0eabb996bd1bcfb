//! The articles of the linked web: on which site each is, and which others it links to.
//!
//! Most links of an article lead to articles on its subject, or in its language. Not all articles
//! are on the lists of their site: some are linked by others of their kind alone, and a few by one
//! article of another kind, so that they are behind an irrelevant page.

use super::sites::{SITES, Section, Site, SiteKind};
use crate::news::{NewsLanguage, compose_articles};
use crate::sentences::LANGUAGES;
use crate::web::{DemoPage, draw, draw_item, generate_language_pages, generate_name, new_random};
use forage_text::Random;
use std::collections::BTreeMap;

/// Articles on each subject.
const ARTICLES_PER_SUBJECT: usize = 40;

/// Share of the articles on a subject that are in a magazine, if there is one, in percent.
const IN_MAGAZINE_PERCENT: usize = 40;

/// Links of an article to others.
const LINKS: usize = 4;

/// Share of these links that lead to articles of the same kind, in percent.
const SAME_KIND_PERCENT: usize = 65;

/// One article in this many links to one of the other half of the web: from English news to pages
/// in other languages, and back.
const CROSS_LINK_EVERY: usize = 12;

/// Of this many articles of a kind, the last [`HIDDEN`] are hidden, and the [`UNLISTED`] before
/// them on no list.
const VISIBILITY_PERIOD: usize = 20;
const UNLISTED: usize = 5;
const HIDDEN: usize = 3;

/// The months of news sites, all in 2026.
const MONTHS: usize = 6;

/// How an article can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// By the list of its section, and from other articles.
    Listed,
    /// From other articles alone.
    Unlisted,
    /// From one article of another kind alone.
    Hidden,
}

/// An article of the linked web.
#[derive(Debug)]
pub(crate) struct Article {
    pub(crate) site: &'static Site,
    pub(crate) section: &'static Section,
    pub(crate) page: DemoPage,
    /// Its subject; `None` for a page of the closed web.
    pub(crate) subject: Option<&'static str>,
    pub(crate) visibility: Visibility,
    /// The articles that it links to, by their positions.
    pub(crate) links: Vec<usize>,
}

impl Article {
    /// The kind of an article: its language and subject.
    fn kind(&self) -> (&'static str, Option<&'static str>) {
        (self.page.language, self.subject)
    }
}

/// Generates the articles with their links.
pub(crate) fn generate_articles() -> Vec<Article> {
    let mut articles = place_news();
    articles.extend(place_language_pages());
    for (index, article) in articles.iter_mut().enumerate() {
        article.page.url = article_url(article, index);
    }
    set_visibilities(&mut articles);
    link_articles(&mut articles);
    articles
}

/// Composes English articles and draws a site for each.
fn place_news() -> Vec<Article> {
    let mut random = new_random("linked sites", "eng");
    compose_articles(NewsLanguage::Eng, "linked", ARTICLES_PER_SUBJECT)
        .into_iter()
        .map(|article| {
            let (site, section) = draw_section(article.subject, &mut random);
            new_article(site, section, article.page, Some(article.subject))
        })
        .collect()
}

/// Draws a site that has a section with this subject.
fn draw_section(subject: &str, random: &mut Random) -> (&'static Site, &'static Section) {
    let sections = |kind: SiteKind| -> Vec<(&'static Site, &'static Section)> {
        SITES
            .iter()
            .filter(|site| site.kind == kind)
            .flat_map(|site| site.sections.iter().map(move |section| (site, section)))
            .filter(|(_, section)| section.subjects.contains(&subject))
            .collect()
    };
    let (magazines, news) = (sections(SiteKind::Magazine), sections(SiteKind::News));
    if !magazines.is_empty() && draw(1..=100, random) <= IN_MAGAZINE_PERCENT {
        *draw_item(&magazines, random)
    } else {
        *draw_item(&news, random)
    }
}

/// Takes the pages of each section in a language from those of the closed web.
fn place_language_pages() -> Vec<Article> {
    let mut pages: BTreeMap<&str, std::vec::IntoIter<DemoPage>> = LANGUAGES
        .iter()
        .map(|language| (language.code, generate_language_pages(language).into_iter()))
        .collect();
    let mut articles = Vec::new();
    for site in SITES.iter() {
        for section in &site.sections {
            let pages = pages.get_mut(section.language).into_iter().flatten();
            articles.extend(
                pages
                    .take(section.pages)
                    .map(|page| new_article(site, section, page, None)),
            );
        }
    }
    articles
}

fn new_article(
    site: &'static Site,
    section: &'static Section,
    page: DemoPage,
    subject: Option<&'static str>,
) -> Article {
    Article {
        site,
        section,
        page,
        subject,
        visibility: Visibility::Listed,
        links: Vec::new(),
    }
}

/// Returns the address of an article. Its last part has the words of an English title, and is a
/// generated name for other languages.
fn article_url(article: &Article, index: usize) -> String {
    let name = if article.subject.is_some() {
        let words: Vec<String> = article
            .page
            .title
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_lowercase)
            .collect();
        words.join("-")
    } else {
        generate_name(2, &mut new_random("linked name", &index.to_string()))
    };
    let directory = match article.site.kind {
        SiteKind::News => format!("2026/{:02}", index % MONTHS + 1),
        SiteKind::Magazine => article.section.path.to_owned(),
    };
    format!(
        "http://{}/{directory}/{name}-{index}.html",
        article.site.host
    )
}

/// Hides some articles of each kind.
fn set_visibilities(articles: &mut [Article]) {
    let mut counts = BTreeMap::new();
    for article in articles {
        let count: &mut usize = counts.entry(article.kind()).or_default();
        article.visibility = match VISIBILITY_PERIOD - *count % VISIBILITY_PERIOD {
            ..=HIDDEN => Visibility::Hidden,
            rest if rest <= HIDDEN + UNLISTED => Visibility::Unlisted,
            _ => Visibility::Listed,
        };
        *count += 1;
    }
}

/// Draws the links of all articles.
fn link_articles(articles: &mut [Article]) {
    let mut random = new_random("linked links", "");
    let positions = |is_wanted: &dyn Fn(&Article) -> bool| -> Vec<usize> {
        (0..articles.len())
            .filter(|&index| is_wanted(&articles[index]))
            .collect()
    };
    let mut links: Vec<Vec<usize>> = Vec::new();
    for (index, article) in articles.iter().enumerate() {
        let is_visible = |other: &Article| other.visibility != Visibility::Hidden;
        let is_news = |other: &Article| other.subject.is_some();
        let same_kind = positions(&|other| is_visible(other) && other.kind() == article.kind());
        let same_half = positions(&|other| is_visible(other) && is_news(other) == is_news(article));
        let other_half =
            positions(&|other| is_visible(other) && is_news(other) != is_news(article));
        let mut targets: Vec<usize> = (0..LINKS)
            .map(|_| {
                let is_same_kind = draw(1..=100, &mut random) <= SAME_KIND_PERCENT;
                *draw_item(
                    if is_same_kind { &same_kind } else { &same_half },
                    &mut random,
                )
            })
            .collect();
        if index.is_multiple_of(CROSS_LINK_EVERY) {
            targets.push(*draw_item(&other_half, &mut random));
        }
        links.push(targets);
    }
    // Each article that is on no list has a link from one that is.
    for (index, article) in articles.iter().enumerate() {
        let is_source = |other: &Article| {
            other.visibility == Visibility::Listed
                && other.subject.is_some() == article.subject.is_some()
                && (other.kind() == article.kind()) == (article.visibility == Visibility::Unlisted)
        };
        if article.visibility != Visibility::Listed {
            links[*draw_item(&positions(&is_source), &mut random)].push(index);
        }
    }
    for (index, mut targets) in links.into_iter().enumerate() {
        targets.retain(|&target| target != index);
        targets.sort_unstable();
        targets.dedup();
        articles[index].links = targets;
    }
}
