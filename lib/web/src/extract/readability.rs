//! What another extractor keeps of a page: the crate `dom_smoothie`, which follows Mozilla's `Readability.js`.
//!
//! Its verdict on each block is one of the things that the model judges by.

use super::outline::{MARK, Outline};
use dom_smoothie::{Config, Readability};

/// Which frames it keeps; none where it finds no article. The document is used up.
pub(super) fn kept_frames(document: dom_query::Document, outline: &Outline) -> Vec<bool> {
    let mut kept = vec![false; outline.frames.len()];
    let config = Config { disable_json_ld: true, ..Config::default() };
    let article = Readability::with_document(document, None, Some(config)).and_then(|mut page| page.parse());
    let Ok(article) = article else { return kept };
    let mark = format!("{MARK}=\"");
    for after in article.content.split(mark.as_str()).skip(1) {
        let number = after.split('"').next().and_then(|number| number.parse::<usize>().ok());
        if let Some(frame) = number.and_then(|number| kept.get_mut(number)) {
            *frame = true;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::kept_frames;
    use crate::extract::facts::Facts;
    use crate::extract::outline::outline;
    use dom_query::Document;

    #[test]
    fn an_article_is_kept_and_a_menu_is_not() {
        let text = "<p>Prvi odstavek govori o potoku, ki teče skozi vas, in o poljih, ki jih napaja.</p>".repeat(20);
        let html = format!("<div class=menu><ul><li><a href=/>Domov</a></ul></div><article>{text}</article>");
        let document = Document::from(html.as_str());
        let page = outline(&document, &mut Facts::default());
        let kept = kept_frames(document, &page);
        assert!(!kept[page.blocks[0].frame] && kept[page.blocks[1].frame]);
    }

    #[test]
    fn an_empty_page_has_none() {
        let document = Document::from("");
        let page = outline(&document, &mut Facts::default());
        assert!(kept_frames(document, &page).iter().all(|kept| !kept));
    }
}
