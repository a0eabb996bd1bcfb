//! From HTML to main text: what is left of a page without its menus, advertisements and footers.
//!
//! One pass of the tokeniser (`survey`) gathers what the page says about itself (title, language, links, robots
//! directives) and all its text; it is linear, and no depth of nesting hurts it. The main text is then found by the
//! `trafilatura` crate (Barbaresi 2021), whose result is HTML again and is turned into paragraphs by the same pass.
//! Where it finds nothing, and where a page is nested so deeply that building its tree would take minutes, all text
//! of the body takes the place of the main text.

mod main_text;
mod paragraphs;
mod survey;

pub use survey::Link;

pub(crate) use paragraphs::from_plain;

use paragraphs::tidy;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;
use survey::{Survey, survey};
use url::Url;

/// Elements that may stand open at once before a page counts as too deep; browsers cut at the same depth.
const DEEPEST: usize = 512;

/// What a page says, and says of itself. Strings are NFC, without control characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// The title; `None` where there is none.
    pub title: Option<String>,
    /// The main text, paragraphs separated by one line feed; empty where the page has none.
    pub text: String,
    /// The `lang` of the `<html>` tag.
    pub lang: Option<String>,
    /// Robots directives of `<meta>` tags, in lower case and in the page's order.
    pub robots: Vec<String>,
    /// Whether a `<meta>` tag reserves text and data mining (the TDM Reservation Protocol's `tdm-reservation`).
    pub tdm_reservation: bool,
    /// The first licence that the page links to (`rel=license`).
    pub licence: Option<String>,
    /// Links to other pages in their order, absolute, HTTP or HTTPS.
    pub links: Vec<Link>,
}

/// Stack of the thread that builds and walks the tree. The library's recursion is bounded by the depth of the page,
/// which is bounded by [`DEEPEST`]; this leaves some 100 kB for each level.
const STACK_BYTES: usize = 64 << 20;

/// Time after which a page is given up; usual ones take some 15 ms.
const MOST_TIME: Duration = Duration::from_secs(30);

/// The library that reads pages failed on this one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a library failed on this page: {0}")]
pub struct Defect(pub String);

/// Extracts a page. `url` is where it lies: links are resolved against it.
///
/// Deterministic; takes time linear in the size for usual pages (some 15 ms for 150 kB), and memory of some 20 times
/// the size.
///
/// # Errors
/// When a library has a defect that this page brings out. No page is too broken, too deep or too empty.
///
/// It runs on a thread of its own: the stack is large enough for any page, a panic in a library ends there, and a page
/// made to be slow (html5ever takes quadratic time for a tag of many attributes) is given up. The thread of such a page
/// lives on until it has finished.
pub fn extract(html: &str, url: Option<&str>) -> Result<Page, Defect> {
    let (done, waiting) = mpsc::channel();
    let (html, url) = (html.to_owned(), url.and_then(|url| Url::parse(url).ok()));
    let thread = thread::Builder::new().name("extract".into()).stack_size(STACK_BYTES);
    let running = thread.spawn(move || drop(done.send(read(&html, url)))).map_err(|e| Defect(e.to_string()))?;
    waiting.recv_timeout(MOST_TIME).map_err(|e| match e {
        RecvTimeoutError::Timeout => Defect(format!("not done after {} s", MOST_TIME.as_secs())),
        RecvTimeoutError::Disconnected => {
            Defect(running.join().map_or_else(|panic| reason(panic.as_ref()), |_| String::new()))
        }
    })
}

fn read(html: &str, url: Option<Url>) -> Page {
    let survey = survey(html, url);
    let whole = tidy(&survey.text);
    let main = if survey.depth > DEEPEST { None } else { main_text::find(html, &whole) };
    let (title, text) = main.map_or((String::new(), String::new()), |main| (main.title, main.text));
    let text = if text.is_empty() { whole } else { text };
    describe(survey, &title, text)
}

fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown cause".into())
}

/// Puts a page together; the title that the library found comes before that of the `<title>` tag.
fn describe(survey: Survey, title: &str, text: String) -> Page {
    let title = [tidy(title), tidy(&survey.title)].into_iter().find(|title| !title.is_empty());
    Page {
        title: title.map(|title| title.replace('\n', " ")),
        text,
        lang: survey.lang,
        robots: survey.robots,
        tdm_reservation: survey.tdm_reservation,
        licence: survey.licence,
        links: survey.links,
    }
}

#[cfg(test)]
mod tests {
    use super::extract;

    const ARTICLE: &str =
        "<html lang=sl-SI><head><title>Potok – Novice</title><meta name=robots content='NoIndex, noai'>
        <link rel=license href=/licenca></head><body><nav><ul><li><a href=/>Domov</a><li><a href=/o>O nas</a></ul></nav>
        <article><h1>Potok</h1><p>Prvi odstavek govori o potoku, ki teče skozi vas in napaja polja, travnike in
        sadovnjake, odkar ljudje pomnijo.</p><p>Drugi odstavek pove, da je voda v njem\u{1} c\u{30C}ista, zato v njem
        živijo postrvi, raki in mnoge druge živali, ki jih drugod ni več.</p></article>
        <footer>Vse pravice pridržane</footer></body></html>";

    #[test]
    fn keeps_the_main_text_by_paragraphs_and_drops_the_menu() {
        let page = extract(ARTICLE, Some("https://vas.test/novice/potok")).unwrap();
        let lines: Vec<&str> = page.text.lines().collect();
        assert!(page.text.contains("Prvi odstavek") && page.text.contains("v njem čista, zato"), "{}", page.text);
        assert!(!page.text.contains("Domov") && !page.text.contains("pravice"), "{}", page.text);
        assert!(lines.iter().any(|line| line.starts_with("Drugi")), "{lines:?}");
        assert_eq!(page.title.as_deref(), Some("Potok"));
    }

    #[test]
    fn tells_what_the_page_says_about_itself() {
        let page = extract(ARTICLE, Some("https://vas.test/novice/potok")).unwrap();
        assert_eq!(page.lang.as_deref(), Some("sl-SI"));
        assert_eq!(page.robots, ["noindex", "noai"]);
        assert_eq!(page.licence.as_deref(), Some("https://vas.test/licenca"));
        let links: Vec<_> = page.links.iter().map(|link| (link.url.as_str(), link.text.as_str())).collect();
        assert_eq!(links, [("https://vas.test/", "Domov"), ("https://vas.test/o", "O nas")]);
    }

    #[test]
    fn falls_back_to_the_whole_text_of_a_page_without_an_article() {
        let page = extract("<title>x</title>Kratko besedilo", None).unwrap();
        assert_eq!(page.text, "Kratko besedilo");
        assert_eq!(extract("", None).unwrap().text, "");
    }

    #[test]
    fn reads_the_text_at_the_bottom_of_fifty_thousand_nested_elements() {
        for tag in ["<div>", "<b>", "<span></i>", "<ul><li>", "<table><tr><td>", "<p><b id=x>"] {
            let page = extract(&format!("<body>{}dno", tag.repeat(50_000)), None).unwrap();
            assert_eq!(page.text, "dno", "{tag}");
        }
    }

    #[test]
    fn reads_a_page_that_is_as_deep_as_is_allowed() {
        let page = extract(&format!("<body>{}dno", "<div>".repeat(super::DEEPEST - 5)), None).unwrap();
        assert_eq!(page.text, "dno");
    }
}
