//! The main text by the `trafilatura` crate.
//!
//! Of four settings tried on 981 pages with snippets that must and must not be in the text, and 356 pages of seven
//! kinds with their full text, this one was the best (snippet F1 / word F1): balanced with fallback and without
//! comments .918 / .847; with comments .917 / .848; without fallback .912 / .796; for recall .915 / .842; the crate
//! `dom_smoothie` has .889 / .784 at four times the speed.

use super::paragraphs::tidy;
use super::survey::survey;
use trafilatura::{HtmlDateMode, Options};

/// Articles on a page whose text the library may have run together.
const MOST_GLUED: usize = 5;

/// What the library found.
pub(super) struct MainText {
    pub title: String,
    pub text: String,
}

/// Finds the main text; `None` where the library sees none. `whole` is all text of the page.
pub(super) fn find(html: &str, whole: &str) -> Option<MainText> {
    let options =
        Options::default().with_fallback(true).with_exclude_comments(true).with_html_date_mode(HtmlDateMode::Disabled);
    let found = trafilatura::extract(html, &options).ok()?;
    // Its plain text runs paragraphs together; its HTML keeps them apart.
    let text = tidy(&survey(&found.content_html, None).text);
    let text = if is_glued(&found.content_html) { reparted(&text, whole) } else { text };
    Some(MainText { title: found.metadata.title, text })
}

/// Whether it looks like what the library makes of a short page: the text of an article in one `<p>`, in which all
/// its blocks are run together without so much as a space.
fn is_glued(html: &str) -> bool {
    let tags = html.matches('<').count();
    tags <= 2 * MOST_GLUED && tags == html.matches("<p>").count() + html.matches("</p>").count()
}

/// Gives each paragraph of `text` the spaces and line ends that it has in `whole`; one that is not found there stays
/// as it is.
fn reparted(text: &str, whole: &str) -> String {
    let dense: String = whole.split_whitespace().collect();
    let mut starts = Vec::with_capacity(dense.len());
    for (at, c) in whole.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        starts.resize(starts.len() + c.len_utf8(), at);
    }
    starts.push(whole.len());
    let part = |paragraph: &str| {
        let wanted: String = paragraph.split_whitespace().collect();
        let at = dense.find(&wanted)?;
        whole.get(starts[at]..starts[at + wanted.len()]).map(str::trim)
    };
    let parts: Vec<&str> = text.lines().map(|paragraph| part(paragraph).unwrap_or(paragraph)).collect();
    parts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{is_glued, reparted};

    #[test]
    fn a_text_run_together_gets_its_paragraphs_back() {
        let whole = "Domov\nČas\nPrvi odstavek.\nDrugi odstavek.\nNoga";
        assert_eq!(reparted("ČasPrvi odstavek.Drugi odstavek.", whole), "Čas\nPrvi odstavek.\nDrugi odstavek.");
        assert_eq!(reparted("od drugod", whole), "od drugod");
        assert_eq!(reparted("odstavek.Noga", whole), "odstavek.\nNoga");
    }

    #[test]
    fn only_bare_paragraphs_may_be_run_together() {
        assert!(is_glued("<p>ab</p><p>c</p>"));
        assert!(!is_glued("<p>ab</p><ul><li>c</li></ul>"));
        assert!(!is_glued(&"<p>ab</p>".repeat(6)));
    }
}
