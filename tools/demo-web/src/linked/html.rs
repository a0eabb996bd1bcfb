//! The pages of the linked web as HTML: a header with the sections of the site, the main part, and
//! a footer.

use super::sites::{CALENDAR_HOST, Site, calendar_page};
use crate::sentences::LANGUAGES;
use html_escape::encode_double_quoted_attribute as escape_html;
use std::fmt::Write;

/// A link with its text.
pub(crate) type Link = (String, String);

/// Formats a page of a site, whose main part is given as HTML.
pub(crate) fn format_page(site: &Site, language: &str, title: &str, main: &str) -> String {
    let mut menu: Vec<Link> = vec![(site.front_page(), site.name.into())];
    menu.extend(
        site.sections
            .iter()
            .map(|section| (site.section_page(section), section.title.into())),
    );
    if site.host == CALENDAR_HOST {
        menu.push((calendar_page(2026, 0), "Calendar".into()));
    }
    let menu: String = menu
        .iter()
        .map(|link| format_link(site.host, link) + "\n")
        .collect();
    let site_name = escape_html(site.name);
    let title = match escape_html(title) {
        title if title == site_name => title.into_owned(),
        title => format!("{title} | {site_name}"),
    };
    let known = LANGUAGES.iter().find(|known| known.code == language);
    let tag = known.map_or(language, |known| known.tag);
    format!(
        "<!DOCTYPE html>\n<html lang=\"{tag}\">\n<head><meta charset=\"utf-8\"><title>{title}\
         </title></head>\n<body>\n<header><nav>\n{menu}</nav></header>\n{main}<footer>© {site_name}\
         </footer>\n</body>\n</html>\n"
    )
}

/// Formats a list of links on a page of a host.
pub(crate) fn format_list(host: &str, links: &[Link]) -> String {
    let mut list = "<ul>\n".to_owned();
    for link in links {
        // Writing to a string does not fail.
        let _ = writeln!(list, "<li>{}</li>", format_link(host, link));
    }
    list + "</ul>\n"
}

/// Formats a link on a page of a host. Within the host, it has the path alone.
pub(crate) fn format_link(host: &str, (url, text): &Link) -> String {
    let path = url
        .strip_prefix("http://")
        .and_then(|rest| rest.strip_prefix(host))
        .filter(|path| path.starts_with('/'))
        .unwrap_or(url);
    format!(
        "<a href=\"{}\">{}</a>",
        escape_html(path),
        escape_html(text)
    )
}
