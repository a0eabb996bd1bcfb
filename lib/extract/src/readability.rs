//! The parts of a page that another extractor keeps: the crate `dom_smoothie`, which follows
//! Mozilla's `Readability.js`.
//!
//! Its decision on each block is one of the features of the model.

use crate::outline::Outline;
use dom_query::{Document, NodeData, TreeNode};
use dom_smoothie::{Config, Readability};

/// The attribute that numbers block elements, so that they can be recognised in the result.
const NUMBER_ATTRIBUTE: &str = "data-forage";
/// Length, in bytes, above which a text or an attribute is simplified. Set by judgement, not
/// measured.
const LONG_BYTES: usize = 64 << 10;

/// Returns for each block element if Readability keeps it: none if it finds no article. Consumes
/// the document.
pub(crate) fn elements_kept_by_readability(document: Document, outline: &Outline) -> Vec<bool> {
    simplify_long_nodes(&document);
    for (id, number) in &outline.nodes {
        if let Some(node) = document.tree.get(id) {
            node.set_attr(NUMBER_ATTRIBUTE, &number.to_string());
        }
    }
    let mut kept = vec![false; outline.elements.len()];
    let config = Config {
        disable_json_ld: true,
        ..Config::default()
    };
    let article =
        Readability::with_document(document, None, Some(config)).and_then(|mut page| page.parse());
    let Ok(article) = article else { return kept };
    let attribute = format!("{NUMBER_ATTRIBUTE}=\"");
    for after in article.content.split(attribute.as_str()).skip(1) {
        let number = after
            .split('"')
            .next()
            .and_then(|number| number.parse::<usize>().ok());
        if let Some(is_kept) = number.and_then(|number| kept.get_mut(number)) {
            *is_kept = true;
        }
    }
    kept
}

/// Replaces slow characters in long texts by spaces, and removes long attributes.
///
/// Readability writes its result as HTML at the end, which takes quadratic time in html5ever 0.40:
/// from each `&` and each character below U+00C0 it searches to the end of the text for a `<`.
fn simplify_long_nodes(document: &Document) {
    let is_slow = |c: char| c == '&' || ('\u{80}'..'\u{c0}').contains(&c);
    let long_nodes: Vec<_> = document
        .root()
        .descendants_it()
        .filter(|node| node.query_or(false, is_long))
        .collect();
    for node in long_nodes {
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
                .retain(|attribute| attribute.value.len() <= LONG_BYTES),
            _ => {}
        });
    }
}

fn is_long(node: &TreeNode) -> bool {
    match &node.data {
        NodeData::Text { contents } => contents.len() > LONG_BYTES,
        NodeData::Element(element) => element
            .attrs
            .iter()
            .any(|attribute| attribute.value.len() > LONG_BYTES),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::elements_kept_by_readability;
    use crate::metadata::PageMetadata;
    use crate::outline::build_outline;
    use dom_query::Document;

    #[test]
    fn keeps_an_article_but_not_a_menu() {
        let text =
            "<p>Prvi odstavek govori o potoku, ki teče skozi vas, in o poljih, ki jih napaja.</p>"
                .repeat(20);
        let html = format!(
            "<div class=menu><ul><li><a href=/>Domov</a></ul></div><article>{text}</article>"
        );
        let document = Document::from(html.as_str());
        let page = build_outline(&document, &mut PageMetadata::default());
        let kept = elements_kept_by_readability(document, &page);
        assert!(!kept[page.blocks[0].element] && kept[page.blocks[1].element]);
    }

    #[test]
    fn reads_a_long_text_of_escapes_in_linear_time() {
        let html = format!(
            "<p><a href='/?{}'>{}</a>",
            "&a=b".repeat(100_000),
            "word &amp;&nbsp;".repeat(300_000)
        );
        let document = Document::from(html.as_str());
        let page = build_outline(&document, &mut PageMetadata::default());
        super::simplify_long_nodes(&document);
        let html = document.html();
        // No slow character is left.
        assert!(
            !html.contains("&amp;")
                && !html.contains("&nbsp;")
                && html.matches("word").count() == 300_000
        );
        assert_eq!(
            elements_kept_by_readability(document, &page).len(),
            page.elements.len()
        );
    }

    #[test]
    fn keeps_nothing_of_an_empty_page() {
        let document = Document::from("");
        let page = build_outline(&document, &mut PageMetadata::default());
        assert!(
            elements_kept_by_readability(document, &page)
                .iter()
                .all(|kept| !kept)
        );
    }
}
