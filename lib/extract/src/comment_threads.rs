//! Comments of readers after an article.
//!
//! The model rates a comment as it rates an article: both are sentences. What tells them apart is
//! the element around them, which is named for comments, and its position: after the text that the
//! page is about. On a page of a forum, or of questions and answers, the posts are that text.

use crate::hints::MarkupHints;
use crate::outline::Outline;

/// Smallest size of the article before a comment thread. Without an article, the comments are the
/// text of the page. Set by judgement, not measured.
const MIN_ARTICLE_SIZE: usize = 200;
/// Largest share of an article in elements that are named for messages. With more, the page is one
/// of a forum, whose replies are text. Set by judgement, not measured.
const MAX_MESSAGE_SHARE: f32 = 0.5;

/// Deselects the blocks of comment threads.
pub(crate) fn deselect_comment_threads(outline: &Outline, selected: &mut [bool]) {
    let mut article = ArticleSize::default();
    // The blocks before it are counted, or in a thread.
    let mut next_block = 0;
    // Elements are in document order.
    for element in &outline.elements {
        let (first, end) = (element.first_block, element.end_block);
        if !element.hints.has_any(MarkupHints::COMMENT) || first < next_block || first == end {
            continue;
        }
        (next_block..first)
            .filter(|&block| selected[block])
            .for_each(|block| article.add(outline, block));
        next_block = first;
        if article.is_before_comments() {
            selected[first..end].fill(false);
            next_block = end;
        }
    }
}

/// The size of the selected text so far.
#[derive(Debug, Default)]
struct ArticleSize {
    size: usize,
    /// Size of the text in elements that are named for messages.
    in_messages: usize,
}

impl ArticleSize {
    fn add(&mut self, outline: &Outline, block: usize) {
        let block = &outline.blocks[block];
        let hints = outline.elements[block.element].inherited_hints;
        self.size += block.size;
        if hints.has_any(MarkupHints::MESSAGE) {
            self.in_messages += block.size;
        }
    }

    fn is_before_comments(&self) -> bool {
        self.size >= MIN_ARTICLE_SIZE
            && self.in_messages as f32 <= MAX_MESSAGE_SHARE * self.size as f32
    }
}

#[cfg(test)]
mod tests {
    use super::deselect_comment_threads;
    use crate::outline::tests::outline_from_html;

    /// Returns the texts of the blocks that remain if all were selected.
    fn remaining(html: &str) -> Vec<String> {
        let outline = outline_from_html(html);
        let mut selected = vec![true; outline.blocks.len()];
        deselect_comment_threads(&outline, &mut selected);
        let blocks = outline.blocks.iter().zip(selected);
        blocks
            .filter(|(_, is_selected)| *is_selected)
            .map(|(block, _)| block.text.chars().take(8).collect())
            .collect()
    }

    const COMMENTS: &str =
        "<div id=comments><h3>2 replies</h3><ol class=commentlist><li>First!<li>Second</ol></div>";

    #[test]
    fn comments_after_an_article_are_left_out_and_what_follows_them_is_kept() {
        let article = format!("<p>Article {}", "word ".repeat(60));
        assert_eq!(
            remaining(&format!("{article}{COMMENTS}<p>Postscript")),
            ["Article ", "Postscri"]
        );
        // The whole page may be named for comments.
        assert_eq!(
            remaining(&format!(
                "<div class=comments-open>{article}{COMMENTS}</div>"
            )),
            ["Article "]
        );
    }

    #[test]
    fn comments_without_an_article_are_the_text() {
        assert_eq!(remaining(COMMENTS).len(), 3);
        assert_eq!(remaining(&format!("<p>Title{COMMENTS}")).len(), 4);
    }

    #[test]
    fn the_replies_of_a_forum_are_kept() {
        let post = format!(
            "<div class=forum-post><p>Question {}</div>",
            "word ".repeat(60)
        );
        assert_eq!(remaining(&format!("{post}{COMMENTS}")).len(), 4);
    }
}
