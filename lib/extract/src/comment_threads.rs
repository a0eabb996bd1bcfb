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

/// The comments of readers after an article, before they are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommentThread {
    /// Number of the block element that contains them.
    pub element: usize,
    /// Number of their first block, which need not be the first one in the element.
    pub first_block: usize,
    /// Number of the first block after the element.
    pub end_block: usize,
}

/// Deselects the blocks of comment threads, and returns the threads in document order.
pub(crate) fn deselect_comment_threads(
    outline: &Outline,
    selected: &mut [bool],
) -> Vec<CommentThread> {
    let mut threads = Vec::new();
    let mut article = ArticleSize::default();
    // The blocks before it are counted, or in a thread.
    let mut next_block = 0;
    for thread in possible_threads(outline) {
        let CommentThread {
            first_block: first,
            end_block: end,
            ..
        } = thread;
        if first < next_block || first >= end {
            continue;
        }
        (next_block..first)
            .filter(|&block| selected[block])
            .for_each(|block| article.add(outline, block));
        next_block = first;
        if article.is_before_comments() {
            selected[first..end].fill(false);
            next_block = end;
            threads.push(thread);
        }
    }
    threads
}

/// Returns `true` if the selected text is an article, whose comments are not the text of the page.
pub(crate) fn is_article(outline: &Outline, selected: &[bool]) -> bool {
    let mut article = ArticleSize::default();
    (0..selected.len())
        .filter(|&block| selected[block])
        .for_each(|block| article.add(outline, block));
    article.is_before_comments()
}

/// Returns each element that is named for comments, in document order. A heading and an anchor that
/// are named so are followed by the comments, in the element around them.
fn possible_threads(outline: &Outline) -> Vec<CommentThread> {
    let elements = &outline.elements;
    let thread = |first_block: usize, element: usize| CommentThread {
        element,
        first_block,
        end_block: elements[element].end_block,
    };
    let named = elements.iter().enumerate().filter_map(|(number, element)| {
        let is_heading = element.heading_level > 0;
        let (name, around) = match is_heading {
            true => (MarkupHints::READER_COMMENT, element.parent),
            false => (MarkupHints::COMMENT, number),
        };
        let is_named = element.hints.has_any(name);
        is_named.then(|| thread(element.first_block, around))
    });
    let anchors = outline.comment_anchors.iter();
    let anchors = anchors.map(|&(block, around)| {
        // A heading, or a paragraph that ends with the anchor, is not what the comments are in.
        let mut around = around;
        while around > 0 {
            let element = &elements[around];
            if element.heading_level == 0 && element.end_block > block {
                break;
            }
            around = element.parent;
        }
        thread(block, around)
    });
    let mut threads: Vec<CommentThread> = named.chain(anchors).collect();
    threads.sort_by_key(|thread| thread.first_block);
    threads
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
    fn a_heading_or_an_anchor_named_for_comments_is_followed_by_them() {
        let article = format!("<div><p>Article {}", "word ".repeat(60));
        for start in [
            "<h2 id=comments>Replies</h2>",
            "<a name=comments></a><h2>Replies</h2>",
            "<h2><a id=comments></a>Replies</h2>",
        ] {
            let html = format!("{article}{start}<p>First!<p class=posted>Ana</div><p>Postscript");
            assert_eq!(remaining(&html), ["Article ", "Postscri"], "{start}");
        }
        // A discussion may be a part of any text, and a link leads to comments somewhere else.
        for start in [
            "<h2 id=discussion>Replies</h2>",
            "<h2><a href=#c id=comments>Replies</a></h2>",
        ] {
            let html = format!("{article}{start}<p>First!</div>");
            assert_eq!(remaining(&html).len(), 3, "{start}");
        }
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
