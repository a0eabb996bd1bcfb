//! From HTML to main text: what is left of a page without its menus, advertisements and footers.
//!
//! A page is parsed once. The walk over its tree (`outline`) gathers what it says about itself and
//! its blocks of text; `features` describes each block by its text, its place, its neighbours and
//! by what an extractor after Readability makes of it; a model (`forest`) says how likely the block
//! is main text, and `choice` takes the blocks that promise most. No word of any language plays a
//! part.
//!
//! A page that is nested very deep, or very large, is read without a tree, by one pass of the
//! tokeniser (`survey`): then, as where no block looks like main text, all text takes its place.
//!
//! Text in, values out: no socket, file, clock, thread or process. A library may still panic on a
//! hostile page, or take long over it, so the caller bounds both (`forage-page` does).

mod attributes;
mod choice;
mod data;
mod facts;
mod features;
mod forest;
mod groups;
mod guard;
mod hints;
mod outline;
mod paragraphs;
mod readability;
mod scale;
mod scores;
mod survey;
mod tags;
pub mod training;

pub use facts::PageLink;
pub use paragraphs::plain_text_paragraphs;

use dom_query::Document;
use facts::Facts;
use outline::{Outline, outline};
use paragraphs::tidy;
use std::borrow::Cow;
use survey::survey;
use url::Url;

/// What a page says, and says of itself. Strings are NFC, without control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtractedPage {
    /// The title; `None` where there is none.
    pub title: Option<String>,
    /// The main text, paragraphs separated by one line feed; empty where the page has none.
    pub text: String,
    /// The `lang` of the `<html>` tag.
    pub lang: Option<String>,
    /// Robots directives of `<meta>` tags, in lower case and in the page's order.
    pub robots: Vec<String>,
    /// Whether a `<meta>` tag reserves text and data mining (the TDM Reservation Protocol's
    /// `tdm-reservation`); `None` where none says.
    pub tdm_reservation: Option<bool>,
    /// The first licence that the page names: a link with `rel=license`, its JSON-LD, or a link to
    /// Creative Commons.
    pub licence: Option<String>,
    /// The address that the page wants to be known by (`rel=canonical`, or `og:url`).
    pub canonical: Option<String>,
    /// When it was published, by its own account: a date, or a time of RFC 3339.
    pub published: Option<String>,
    /// Links to other pages in their order, absolute, HTTP or HTTPS.
    pub links: Vec<PageLink>,
}

/// Stack that [`extract_page()`] needs on the thread that calls it, in bytes. Where a library recurses
/// over a page's tree, its depth is bounded before; this leaves some 100 kB for each of 512 levels.
pub const STACK_BYTES: usize = 64 << 20;

/// Extracts a page. `url` is where it lies: links are resolved against it. The page is taken whole,
/// so that a large one is let go as soon as it has been read.
///
/// Deterministic; takes time linear in the size for usual pages (some 6 ms for 150 kB), quadratic
/// for a tag of many attributes (html5ever), and memory of some 20 times the size, or 3 times for a
/// page above 8 MiB. No page is too broken, too deep or too empty, given [`STACK_BYTES`] of stack.
///
/// # Panics
/// When a library has a defect that this page brings out.
pub fn extract_page(html: String, url: Option<&str>) -> ExtractedPage {
    let url = url.and_then(|url| Url::parse(url).ok());
    let html = match guard::drop_excess_attributes(&html) {
        Cow::Owned(clean) => clean,
        Cow::Borrowed(_) => html,
    };
    let is_deep = || guard::may_be_deep(&html) && survey(&html, None).depth > guard::DEEPEST;
    if guard::is_large(&html) || is_deep() {
        return read_flat(html, url);
    }
    let mut facts = Facts::new(url);
    let document = Document::from(&*html);
    let outline = outline(&document, &mut facts);
    facts.settle();
    let kept = readability::kept_frames(document, &outline);
    let text = main_text(&outline, &facts, &kept);
    describe(facts, outline.heading(), text)
}

/// Reads a page without a tree. It may be large, so it is let go as soon as it can be.
fn read_flat(html: String, url: Option<Url>) -> ExtractedPage {
    let survey = survey(&html, url);
    drop(html);
    let text = tidy(&survey.text);
    describe(survey.facts, None, text)
}

/// The text of the blocks that are taken; all text where none is.
fn main_text(outline: &Outline, facts: &Facts, kept: &[bool]) -> String {
    let rows = features::rows(outline, facts, kept);
    let probabilities = forest::BUILTIN.probabilities(&rows);
    let sizes: Vec<usize> = outline.blocks.iter().map(|block| block.size).collect();
    let taken = choice::choose(&probabilities, &sizes);
    let is_any = taken.contains(&true);
    let blocks = outline
        .blocks
        .iter()
        .zip(taken)
        .filter(|(_, taken)| *taken || !is_any);
    blocks
        .map(|(block, _)| block.text.as_str())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Puts a page together.
fn describe(facts: Facts, heading: Option<&str>, text: String) -> ExtractedPage {
    ExtractedPage {
        title: title(&facts, heading),
        text,
        ..facts.page
    }
}

/// The title: what `<title>` says, without the name of the site where a heading or the headline for
/// those who share the page is a part of it.
fn title(facts: &Facts, heading: Option<&str>) -> Option<String> {
    let line = |text: &str| tidy(text).replace('\n', " ");
    let (whole, headline) = (line(&facts.title), line(&facts.headline));
    let letters = features::letters(&whole);
    let parts = [heading.map(line).unwrap_or_default(), headline.clone()];
    let part = parts.into_iter().find(|part| {
        let part = features::letters(part);
        !part.is_empty() && letters.contains(&part)
    });
    part.into_iter()
        .chain([whole, headline])
        .find(|title| !title.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{ExtractedPage, STACK_BYTES};

    /// Extracts a page on a thread with the stack that it needs.
    fn extract(html: &str, url: Option<&str>) -> ExtractedPage {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        std::thread::scope(|scope| {
            thread
                .spawn_scoped(scope, || super::extract_page(html.to_owned(), url))
                .unwrap()
                .join()
                .unwrap()
        })
    }

    const ARTICLE: &str =
        "<html lang=sl-SI><head><title>Potok – Novice</title><meta name=robots content='NoIndex, noai'>
        <link rel=license href=/licenca></head><body><nav><ul><li><a href=/>Domov</a><li><a href=/o>O nas</a></ul></nav>
        <article><h1>Potok</h1><p>Prvi odstavek govori o potoku, ki teče skozi vas in napaja polja, travnike in
        sadovnjake, odkar ljudje pomnijo.</p><p>Drugi odstavek pove, da je voda v njem\u{1} c\u{30C}ista, zato v njem
        živijo postrvi, raki in mnoge druge živali, ki jih drugod ni več.</p></article>
        <footer>Vse pravice pridržane</footer></body></html>";

    #[test]
    fn keeps_the_main_text_by_paragraphs_and_drops_the_menu() {
        let page = extract(ARTICLE, Some("https://vas.test/novice/potok"));
        let lines: Vec<&str> = page.text.lines().collect();
        assert!(
            page.text.contains("Prvi odstavek") && page.text.contains("v njem čista, zato"),
            "{}",
            page.text
        );
        assert!(
            !page.text.contains("Domov") && !page.text.contains("pravice"),
            "{}",
            page.text
        );
        assert!(
            lines.iter().any(|line| line.starts_with("Drugi")),
            "{lines:?}"
        );
        assert_eq!(page.title.as_deref(), Some("Potok"));
    }

    #[test]
    fn tells_what_the_page_says_about_itself() {
        let page = extract(ARTICLE, Some("https://vas.test/novice/potok"));
        assert_eq!(page.lang.as_deref(), Some("sl-SI"));
        assert_eq!(page.robots, ["noindex", "noai"]);
        assert_eq!(page.licence.as_deref(), Some("https://vas.test/licenca"));
        let links: Vec<_> = page
            .links
            .iter()
            .map(|link| (link.url.as_str(), link.text.as_str()))
            .collect();
        assert_eq!(
            links,
            [
                ("https://vas.test/", "Domov"),
                ("https://vas.test/o", "O nas")
            ]
        );
    }

    #[test]
    fn falls_back_to_the_whole_text_of_a_page_without_an_article() {
        let page = extract("<title>x</title>Kratko besedilo", None);
        assert_eq!(page.text, "Kratko besedilo");
        assert_eq!(extract("", None).text, "");
    }

    #[test]
    fn reads_the_text_at_the_bottom_of_fifty_thousand_nested_elements() {
        for tag in [
            "<div>",
            "<b>",
            "<span></i>",
            "<ul><li>",
            "<table><tr><td>",
            "<p><b id=x>",
        ] {
            let page = extract(&format!("<body>{}dno", tag.repeat(50_000)), None);
            assert_eq!(page.text, "dno", "{tag}");
        }
    }

    #[test]
    fn reads_a_page_that_is_as_deep_as_is_allowed() {
        let page = extract(
            &format!("<body>{}dno", "<div>".repeat(super::guard::DEEPEST - 5)),
            None,
        );
        assert_eq!(page.text, "dno");
    }

    #[test]
    fn tells_when_and_where_it_was_published() {
        let page = extract(
            "<link rel=canonical href=/a><meta property='article:published_time' content='2024-03-05T10:00:00+01:00'>
             <p>Besedilo. <a href='https://creativecommons.org/licenses/by/4.0/'>CC</a>",
            Some("https://vas.test/a?b=c"),
        );
        assert_eq!(page.canonical.as_deref(), Some("https://vas.test/a"));
        assert_eq!(page.published.as_deref(), Some("2024-03-05T10:00:00+01:00"));
        assert_eq!(
            page.licence.as_deref(),
            Some("https://creativecommons.org/licenses/by/4.0/")
        );
    }

    #[test]
    fn the_title_is_told_without_the_site() {
        let title = |html: &str| extract(html, None).title;
        assert_eq!(
            title("<title>Potok | Novice</title><h1>Potok</h1>x").as_deref(),
            Some("Potok")
        );
        assert_eq!(
            title("<title>Potok | Novice</title><h1>Meni</h1>x").as_deref(),
            Some("Potok | Novice")
        );
        assert_eq!(
            title("<meta property='og:title' content='Potok'>x").as_deref(),
            Some("Potok")
        );
    }

    #[test]
    fn a_page_of_half_a_million_tags_is_read_without_a_tree() {
        let page = extract(&"<p>beseda</p>".repeat(200_000), None);
        assert_eq!(page.text.lines().count(), 200_000);
    }

    #[test]
    fn a_book_is_kept_to_its_end() {
        let sentences = [
            "Potok teče skozi vas in poganja mlin. ",
            "Ko pozimi zamrzne, led poči šele marca, in takrat so otroci na mostu. ",
            "Mlinar je star, a še vedno vsako jutro odpre zapornico, počaka in posluša. ",
            "»Kaj pa voda?« ga vprašajo; on pa molči, kakor je molčal njegov oče. ",
            "Zvečer je tiho. ",
        ];
        let paragraph = |n: usize| {
            (0..3 + n * n % 4)
                .map(|at| sentences[(n + at * at) % 5])
                .collect::<String>()
        };
        for (open, close) in [("<p>", "</p>"), ("<div>", "</div>"), ("", "<br><br>")] {
            let text: String = (0..900)
                .map(|n| format!("{open}{} Tako je {n}.{close}\n", paragraph(n)))
                .collect();
            let menu = "<ul>".to_owned() + &"<li><a href=/x>Na vrh</a>".repeat(20) + "</ul>";
            let html = format!(
                "<title>Potok</title><nav>{menu}</nav><h1>Potok</h1>{text}<footer>© Založba</footer>"
            );
            let page = extract(&html, None);
            let kept = page.text.matches("Tako je ").count();
            assert!(kept > 850, "{open}: {kept} of 900");
            assert!(!page.text.contains("Na vrh"), "{open}");
        }
    }
}
