//! The sites of the linked web: their hosts, names and sections.

use serde::Deserialize;
use std::sync::LazyLock;

/// A site with articles.
#[derive(Debug, Deserialize)]
pub(crate) struct Site {
    /// The host, in a domain that is never resolved (RFC 6761, section 6.2).
    pub(crate) host: &'static str,
    pub(crate) name: &'static str,
    pub(crate) kind: SiteKind,
    /// Those of all news sites if it states none.
    #[serde(default)]
    pub(crate) sections: Vec<Section>,
}

/// The kind of a site, which determines the directories of its articles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SiteKind {
    /// Articles of all sections are in directories by month.
    News,
    /// Each section is a directory.
    Magazine,
}

/// A section of a site, with a page that lists its articles.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Section {
    /// Its directory.
    pub(crate) path: &'static str,
    pub(crate) title: &'static str,
    /// ISO 639-3 code.
    pub(crate) language: &'static str,
    /// The subjects of its articles; none for a section with pages of the closed web.
    #[serde(default)]
    pub(crate) subjects: Vec<&'static str>,
    /// The number of pages of the closed web.
    #[serde(default)]
    pub(crate) pages: usize,
}

impl Site {
    /// Returns the address of the front page.
    pub(crate) fn front_page(&self) -> String {
        format!("http://{}/", self.host)
    }

    /// Returns the address of the list of a section.
    pub(crate) fn section_page(&self, section: &Section) -> String {
        format!("http://{}/{}/", self.host, section.path)
    }
}

/// The start page of the web, which links to all sites and redirects to some articles.
pub(crate) const PORTAL: &str = "start.test";

/// The directory of articles by subject and of sections by language.
pub(crate) const DIRECTORY: &str = "directory.test";

/// The site with a calendar, in which each page links to the next and the previous month.
pub(crate) const CALENDAR_HOST: &str = "courier.test";

/// Returns the address of a month, from 0, in the calendar.
pub(crate) fn calendar_page(year: u32, month: usize) -> String {
    format!("http://{CALENDAR_HOST}/calendar/{year}/{:02}", month + 1)
}

/// The site whose robots.txt forbids the print versions of its articles.
pub(crate) const PRINT_HOST: &str = "evening-post.test";

/// The sites. Eight news sites have articles on all subjects, four magazines on some, and seven
/// sites pages in other languages.
pub(crate) static SITES: LazyLock<Vec<Site>> = LazyLock::new(read_sites);

/// Reads the file of the sites: the sections of all news sites, and the sites.
fn read_sites() -> Vec<Site> {
    let file = serde_json::from_str(include_str!("sites.json"));
    let (news_sections, mut sites): (Vec<Section>, Vec<Site>) = file.expect("the file is valid");
    for site in &mut sites {
        if site.sections.is_empty() {
            site.sections.clone_from(&news_sections);
        }
    }
    sites
}
