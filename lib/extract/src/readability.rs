//! What another extractor keeps of a page: the crate `dom_smoothie`, which follows Mozilla's
//! `Readability.js`.
//!
//! Its verdict on each block is one of the things that the model judges by.

use crate::outline::{MARK, Outline};
use dom_query::{Document, NodeData, TreeNode};
use dom_smoothie::{Config, Readability};

/// Bytes of a text or an attribute that are usual.
const LONG: usize = 64 << 10;

/// Which frames it keeps; none where it finds no article. The document is used up.
pub(crate) fn kept_frames(document: Document, outline: &Outline) -> Vec<bool> {
    soften(&document);
    let mut kept = vec![false; outline.frames.len()];
    let config = Config {
        disable_json_ld: true,
        ..Config::default()
    };
    let article =
        Readability::with_document(document, None, Some(config)).and_then(|mut page| page.parse());
    let Ok(article) = article else { return kept };
    let mark = format!("{MARK}=\"");
    for after in article.content.split(mark.as_str()).skip(1) {
        let number = after
            .split('"')
            .next()
            .and_then(|number| number.parse::<usize>().ok());
        if let Some(frame) = number.and_then(|number| kept.get_mut(number)) {
            *frame = true;
        }
    }
    kept
}

/// Takes out of long texts and attributes what takes quadratic time when the result is written as
/// HTML, as it is at the end: html5ever looks from each `&` and each character below U+00C0 to the
/// end of the text for a `<` (seen in 0.40).
fn soften(document: &Document) {
    let is_slow = |c: char| c == '&' || ('\u{80}'..'\u{c0}').contains(&c);
    let long: Vec<_> = document
        .root()
        .descendants_it()
        .filter(|node| node.query_or(false, is_long))
        .collect();
    for node in long {
        node.update(|node| match &mut node.data {
            NodeData::Text { contents } => {
                *contents = contents
                    .chars()
                    .map(|c| if is_slow(c) { ' ' } else { c })
                    .collect::<String>()
                    .into();
            }
            NodeData::Element(element) => element
                .attrs
                .retain(|attribute| attribute.value.len() <= LONG),
            _ => {}
        });
    }
}

fn is_long(node: &TreeNode) -> bool {
    match &node.data {
        NodeData::Text { contents } => contents.len() > LONG,
        NodeData::Element(element) => element
            .attrs
            .iter()
            .any(|attribute| attribute.value.len() > LONG),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::kept_frames;
    use crate::facts::Facts;
    use crate::outline::outline;
    use dom_query::Document;

    #[test]
    fn an_article_is_kept_and_a_menu_is_not() {
        let text =
            "<p>Prvi odstavek govori o potoku, ki teče skozi vas, in o poljih, ki jih napaja.</p>"
                .repeat(20);
        let html = format!(
            "<div class=menu><ul><li><a href=/>Domov</a></ul></div><article>{text}</article>"
        );
        let document = Document::from(html.as_str());
        let page = outline(&document, &mut Facts::default());
        let kept = kept_frames(document, &page);
        assert!(!kept[page.blocks[0].frame] && kept[page.blocks[1].frame]);
    }

    #[test]
    fn a_long_text_of_escapes_is_read_in_linear_time() {
        let html = format!(
            "<p><a href='/?{}'>{}</a>",
            "&a=b".repeat(100_000),
            "word &amp;&nbsp;".repeat(300_000)
        );
        let document = Document::from(html.as_str());
        let page = outline(&document, &mut Facts::default());
        super::soften(&document);
        let html = document.html();
        // Nothing of it is left to look for.
        assert!(
            !html.contains("&amp;")
                && !html.contains("&nbsp;")
                && html.matches("word").count() == 300_000
        );
        assert_eq!(kept_frames(document, &page).len(), page.frames.len());
    }

    #[test]
    fn an_empty_page_has_none() {
        let document = Document::from("");
        let page = outline(&document, &mut Facts::default());
        assert!(kept_frames(document, &page).iter().all(|kept| !kept));
    }
}
