//! Comments of readers after an article.
//!
//! The model rates a comment as it rates an article: both are sentences. What tells them apart is
//! the element around them, which is named for comments, and its position: after the text that the
//! page is about. On a page of a forum, or of questions and answers, the posts are that text.
//!
//! A manual may have a section on comments, with the name `comments`. So a heading is followed by
//! the comments of readers only if what follows has marks of them: elements that are named for
//! comments, authors or dates, or a form.

use crate::element_kind::ElementKind;
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
/// are named so are followed by the comments, in the element around them, up to the next heading of
/// the same level.
fn possible_threads(outline: &Outline) -> Vec<CommentThread> {
    let named = outline.elements.iter().enumerate();
    let named = named.filter_map(|(number, element)| match element.heading_level {
        0 => {
            let is_named = element.hints.has_any(MarkupHints::COMMENT);
            is_named.then(|| thread_in_element(outline, number))
        }
        _ => {
            let is_named = element.hints.has_any(MarkupHints::READER_COMMENT);
            is_named.then(|| thread_after(outline, element.first_block, element.parent))
        }
    });
    let anchors = outline.comment_anchors.iter();
    let anchors = anchors.map(|&(block, around)| thread_after(outline, block, around));
    let possible = named.chain(anchors);
    let mut threads: Vec<CommentThread> = possible
        .filter(|thread| !has_own_heading(outline, thread) || has_marks(outline, thread))
        .collect();
    threads.sort_by_key(|thread| thread.first_block);
    threads
}

fn thread_in_element(outline: &Outline, element: usize) -> CommentThread {
    CommentThread {
        element,
        first_block: outline.elements[element].first_block,
        end_block: outline.elements[element].end_block,
    }
}

/// Returns the thread from a block on that a heading or an anchor begins. `element` is the one around
/// these, or a heading or a paragraph that ends with the anchor, which is not what the comments are
/// in.
fn thread_after(outline: &Outline, first_block: usize, element: usize) -> CommentThread {
    let mut element = element;
    while element > 0 {
        let around = &outline.elements[element];
        if around.heading_level == 0 && around.end_block > first_block {
            break;
        }
        element = around.parent;
    }
    let thread = CommentThread {
        first_block,
        ..thread_in_element(outline, element)
    };
    let end_block = end_of_section(outline, &thread).unwrap_or(thread.end_block);
    CommentThread {
        end_block,
        ..thread
    }
}

/// Returns the block that begins the next section of the same or a higher level, if a heading begins
/// the thread. The form for a comment may have a heading, too.
fn end_of_section(outline: &Outline, thread: &CommentThread) -> Option<usize> {
    let level = heading_level(outline, thread.first_block)?;
    let heading = outline.blocks[thread.first_block].element;
    if outline.elements[heading].parent != thread.element {
        return None;
    }
    (thread.first_block + 1..thread.end_block).find(|&block| {
        let element = &outline.elements[outline.blocks[block].element];
        let is_named = element.inherited_hints.has_any(MarkupHints::COMMENT);
        !is_named && heading_level(outline, block).is_some_and(|other| other <= level)
    })
}

/// Returns the level of the heading that a block is, or is in.
fn heading_level(outline: &Outline, block: usize) -> Option<u8> {
    let level = outline.elements[outline.blocks.get(block)?.element].heading_level;
    (level > 0).then_some(level)
}

/// Returns `true` if a heading or an anchor begins the thread, or an element that begins with a
/// heading: it may be a section of the text.
fn has_own_heading(outline: &Outline, thread: &CommentThread) -> bool {
    let element = &outline.elements[thread.element];
    !element.hints.has_any(MarkupHints::COMMENT)
        || element.first_block != thread.first_block
        || heading_level(outline, thread.first_block).is_some()
}

/// Returns `true` if an element in the thread, or directly after it, is a form, or has a name for
/// comments or for their authors and dates.
fn has_marks(outline: &Outline, thread: &CommentThread) -> bool {
    let marks = MarkupHints::COMMENT | MarkupHints::BYLINE;
    let range = thread.first_block..=thread.end_block;
    // Elements are in the order of their first blocks.
    let elements = &outline.elements;
    let from = elements.partition_point(|element| element.first_block < thread.first_block);
    let inside = elements.iter().enumerate().skip(from);
    inside
        .take_while(|(_, element)| range.contains(&element.first_block))
        .filter(|&(number, _)| number != thread.element)
        .any(|(_, element)| {
            // What begins with a heading may be a subsection.
            let is_section = heading_level(outline, element.first_block).is_some();
            element.kind == ElementKind::Form || (!is_section && element.hints.has_any(marks))
        })
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
    fn a_section_of_a_manual_on_comments_is_kept() {
        let before = format!("<main><h1>Syntax</h1><p>{}", "word ".repeat(60));
        for section in [
            // mdBook and rustdoc, pandoc, Sphinx, perldoc, texinfo
            "<h2 id=comments><a class=header href=#comments>Comments</a></h2><p>Two",
            "<h2 id=comments>Comments</h2><p>Two<h3 id=doc-comments>For manuals</h3><p>Three",
            "<section id=comments><h2>Comments<a href=#comments>¶</a></h2><p>Two\
             <section id=block-comments><h3>Of blocks</h3><p>Three</section></section>",
            "<h2 id=PLEASE-COMMENT>Comments</h2><p>Two",
            "<a name=Comments></a><h2 class=section>2.1 Comments</h2><p>Two",
        ] {
            let html =
                format!("{before}{section}<h2 id=next>Names</h2><p class=author>Last</main>");
            let kept = remaining(&html);
            assert_eq!(kept[kept.len() - 2..], ["Names", "Last"], "{section}");
            assert!(kept.contains(&"Two".to_owned()), "{section}: {kept:?}");
        }
    }

    #[test]
    fn comments_end_with_their_section() {
        let before = format!("<div><p>{}", "word ".repeat(60));
        let comments = "<h2 id=comments>Two comments</h2><p>First!<p class=posted>Ana, 1 May";
        let after = "<h3>Re:</h3><p>Second<h2 id=respond>Reply</h2><form>Name</form>";
        let html = format!("{before}{comments}{after}<h2>Notes</h2><p>Last</div>");
        assert_eq!(remaining(&html), ["word wor", "Notes", "Last"]);
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
