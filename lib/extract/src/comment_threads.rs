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
use crate::outline::{CommentMark, Outline};
use std::collections::HashMap;
use std::ops::Range;

/// Smallest size of the article before a comment thread. Without an article, the comments are the
/// text of the page. Set by judgement; `tests/bench/extraction/constants.tsv` has the effect of
/// half and twice the value.
const MIN_ARTICLE_SIZE: usize = 200;
/// Largest share of an article in elements that are named for messages. With more, the page is one
/// of a forum, whose replies are text. Set by judgement; `tests/bench/extraction/constants.tsv` has
/// the effect of half and twice the value.
const MAX_MESSAGE_SHARE: f32 = 0.5;

/// Most elements without text after an anchor that are looked at. Set by judgement;
/// `tests/bench/extraction/constants.tsv` has the effect of half and twice the value.
const MAX_EMPTY_ELEMENTS: usize = 16;

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
    let starts = possible_starts(outline);
    if starts.is_empty() {
        return threads;
    }
    let sections = SectionEnds::new(outline);
    for start in starts {
        let first = start.first_block;
        if first < next_block {
            continue;
        }
        (next_block..first)
            .filter(|&block| selected[block])
            .for_each(|block| article.add(outline, block));
        next_block = first;
        if article.is_before_comments()
            && let Some(thread) = start.thread(outline, &sections)
        {
            selected[first..thread.end_block].fill(false);
            next_block = thread.end_block;
            if !start.is_loaded_by_script {
                threads.push(thread);
            }
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

/// Where comments may begin.
struct ThreadStart {
    first_block: usize,
    /// The element that contains the comments.
    element: usize,
    /// True if the element has the name, and not a heading or an anchor in it.
    is_element: bool,
    /// True for an anchor before an empty element for the comments, which a script loads into it.
    /// What follows is no article, and no comments.
    is_loaded_by_script: bool,
}

/// Returns each start of comments, in document order: an element, a heading or an anchor that is
/// named for them.
fn possible_starts(outline: &Outline) -> Vec<ThreadStart> {
    let named = outline.elements.iter().enumerate();
    let named = named.filter_map(|(number, element)| {
        let is_element = element.heading_level == 0;
        let (name, element_around) = match is_element {
            true => (MarkupHints::COMMENT, number),
            false => (MarkupHints::READER_COMMENT, element.parent),
        };
        element.hints.has_any(name).then_some(ThreadStart {
            first_block: element.first_block,
            element: element_around,
            is_element,
            is_loaded_by_script: false,
        })
    });
    let anchors = outline.comment_anchors.iter();
    let anchors = anchors.map(|&(first_block, around)| ThreadStart {
        first_block,
        element: element_of_anchor(outline, first_block, around),
        is_element: false,
        is_loaded_by_script: is_before_empty_thread(outline, first_block, around),
    });
    let mut starts: Vec<ThreadStart> = named.chain(anchors).collect();
    starts.sort_by_key(|start| start.first_block);
    starts
}

/// Returns `true` if an empty element that is named for comments follows an anchor with the same
/// element around it.
fn is_before_empty_thread(outline: &Outline, next_block: usize, around: usize) -> bool {
    let elements = &outline.elements;
    let first = elements.partition_point(|element| element.first_block < next_block);
    let mut at_block = elements[first..]
        .iter()
        .take(MAX_EMPTY_ELEMENTS)
        .take_while(|element| element.first_block == next_block);
    at_block.any(|element| {
        element.parent == around
            && element.end_block == next_block
            && element.hints.has_any(MarkupHints::READER_COMMENT)
    })
}

/// Returns the element that contains what follows an anchor. `around` is the innermost one around
/// the anchor, which may be a heading or a paragraph that ends with it.
fn element_of_anchor(outline: &Outline, next_block: usize, around: usize) -> usize {
    let mut element = around;
    while element > 0 {
        let around = &outline.elements[element];
        if around.heading_level == 0 && around.end_block > next_block {
            break;
        }
        element = around.parent;
    }
    element
}

impl ThreadStart {
    /// Returns the thread, or `None` if what follows is text, or nothing.
    fn thread(&self, outline: &Outline, sections: &SectionEnds) -> Option<CommentThread> {
        let element_end = outline.elements[self.element].end_block;
        let end_block = match self.is_element {
            true => self.is_thread_element(outline).then_some(element_end)?,
            false => self.end_of_marked_sections(outline, sections, element_end)?,
        };
        (self.first_block < end_block).then_some(CommentThread {
            element: self.element,
            first_block: self.first_block,
            end_block,
        })
    }

    /// Returns `true` if an element contains comments: by its name alone if that is for comments of
    /// readers, and it is no section, cell or definition. A discussion may be a part of a paper,
    /// and a respondent one of a survey.
    fn is_thread_element(&self, outline: &Outline) -> bool {
        let element = &outline.elements[self.element];
        let blocks = self.first_block..element.end_block;
        let is_section = outline
            .comment_sections
            .binary_search(&self.element)
            .is_ok();
        let is_cell = matches!(
            element.kind,
            ElementKind::Row | ElementKind::Cell | ElementKind::Definition
        );
        if !element.hints.has_any(MarkupHints::READER_COMMENT) {
            return has_marks_inside(&outline.strong_comment_marks, self.element, blocks);
        }
        let needs_marks = is_section || is_cell;
        !needs_marks || has_marks_inside(&outline.comment_marks, self.element, blocks)
    }

    /// Returns the end of the section that begins here and of those after it, as long as each has
    /// marks of comments, since a comment may have a heading; `None` if the first one has none.
    fn end_of_marked_sections(
        &self,
        outline: &Outline,
        sections: &SectionEnds,
        element_end: usize,
    ) -> Option<usize> {
        let section_end = |block: usize| {
            let heading = outline.blocks.get(block).map(|block| block.element);
            let is_child =
                heading.is_some_and(|heading| outline.elements[heading].parent == self.element);
            match is_child {
                true => sections.end(block).min(element_end),
                false => element_end,
            }
        };
        let mut end = None;
        let mut next = self.first_block;
        while next < element_end && has_marks(outline, next..section_end(next)) {
            next = section_end(next);
            end = Some(next);
        }
        end
    }
}

/// Returns `true` if there is a mark of comments in a range of blocks: a form, or an element that
/// is named for comments or for their authors and dates.
fn has_marks(outline: &Outline, range: Range<usize>) -> bool {
    let marks = &outline.comment_marks;
    let next = marks.partition_point(|mark| mark.block < range.start);
    marks.get(next).is_some_and(|mark| mark.block < range.end)
}

/// Returns `true` if one of these marks is in an element with these blocks, itself excluded.
fn has_marks_inside(marks: &[CommentMark], element: usize, blocks: Range<usize>) -> bool {
    let next = marks.partition_point(|mark| mark.block < blocks.start || mark.element <= element);
    marks.get(next).is_some_and(|mark| mark.block < blocks.end)
}

/// The ends of the sections of a page: where the next heading of the same or a higher level is.
/// Headings that are named for comments or authors begin no section.
struct SectionEnds(HashMap<usize, usize>);

impl SectionEnds {
    fn new(outline: &Outline) -> SectionEnds {
        let mut ends = HashMap::new();
        // By level, the next heading of this or a higher level; level 0 is not used.
        let mut next = [usize::MAX; 7];
        for (number, block) in outline.blocks.iter().enumerate().rev() {
            let heading = &outline.elements[block.element];
            let level = usize::from(heading.heading_level);
            if level == 0 {
                continue;
            }
            ends.insert(number, next[level]);
            let around = outline.elements[heading.parent].hints;
            let is_named = heading
                .hints
                .has_any(MarkupHints::COMMENT | MarkupHints::BYLINE)
                || around.has_any(MarkupHints::COMMENT);
            if !is_named {
                next[level..].fill(number);
            }
        }
        SectionEnds(ends)
    }

    /// Returns the first block after the section that begins with a block, or the greatest number
    /// if the block is no heading, or its section is the last one.
    fn end(&self, block: usize) -> usize {
        self.0.get(&block).copied().unwrap_or(usize::MAX)
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
        if hints.has_any(MarkupHints::FORUM) {
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
            "<div class=section id=comments><h2>Comments</h2><p>Two</div>",
            "<h2 id=comments>Comments</h2><p>Two<pre class=comment># Three</pre>",
            "<h2 id=PLEASE-COMMENT>Comments</h2><p>Two",
            "<a name=Comments></a><h2 class=section>2.1 Comments</h2><p>Two",
        ] {
            for after in [
                "<h2 id=next>Names</h2><p class=author>Last</main>",
                "</main><form>Last</form>",
            ] {
                let html = format!("<body class=has-comments>{before}{section}{after}");
                let kept = remaining(&html);
                assert_eq!(kept.last().unwrap(), "Last", "{html}");
                assert!(kept.contains(&"Two".to_owned()), "{html}: {kept:?}");
            }
        }
    }

    #[test]
    fn what_is_named_like_comments_is_kept_without_marks_of_them() {
        let before = format!("<main><p>{}", "word ".repeat(60));
        for text in [
            "<div class=commentary>Luke 2</div>",
            "<div class=respondent>The respondents were</div>",
            "<div id=discussion><h2>Discussion</h2>We found<i class=author>Ana</i></div>",
            "<section id=discussion><h2>Discussion</h2><p class=author>Ana found</section>",
            "<table><tr id=comment><td>comment<td>a text</table>",
            "<dl><dt id=comment>comment<dd>a text</dl>",
        ] {
            let html = format!("{before}{text}<p>Last");
            assert!(remaining(&html).len() > 2, "{html}");
        }
        for comments in [
            "<div id=discussion><div class=reply>Ana: First!</div></div>",
            "<div id=respond><form>Your name</form></div>",
            "<section id=discussion><div class=comment>First!</div></section>",
            "<table><tr class=comment><td class=author>Ana<td>First!</table>",
        ] {
            let html = format!("{before}{comments}<p>Last");
            assert_eq!(remaining(&html), ["word wor", "Last"], "{html}");
        }
    }

    #[test]
    fn comments_with_headings_or_inline_names_are_left_out() {
        let before = format!("<main><p>{}", "word ".repeat(60));
        for comments in [
            "<div id=comments><h3>Two</h3><div class=comment><h4>Ana</h4><p>First</div></div>",
            "<section class=comments><h2>Two</h2><article><h4>Ana</h4>First</article></section>",
            "<section id=comments><h2>Two</h2><a class=comment-author>Ana</a> First</section>",
            "<section id=comments><h2>Two</h2><ul><li>Ana, <time>1 May</time></ul></section>",
            "<h3 id=comments>Two</h3><p><span class=author>Ana</span> First",
            "<h3 id=comments>Two</h3><h3 class=author>Ana</h3><p>1<h3 class=author>Bor</h3><p>2",
            "<h3 id=comments>Two</h3><p>1<p class=posted>Ana<h3>Re</h3><p>2<p class=posted>Bor",
        ] {
            assert_eq!(
                remaining(&format!("{before}{comments}")),
                ["word wor"],
                "{comments}"
            );
        }
    }

    #[test]
    fn each_heading_ends_the_section_of_its_level() {
        let html = "<h1>a</h1><h2>b</h2><h3>c</h3><h2 id=comments>d</h2><h2>e</h2><h1>f</h1><p>g";
        let sections = super::SectionEnds::new(&outline_from_html(html));
        let ends: Vec<usize> = (0..6).map(|block| sections.end(block)).collect();
        assert_eq!(ends, [5, 4, 4, 4, 5, usize::MAX]);
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
