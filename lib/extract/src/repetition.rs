//! Text that is twice on a page, such as the beginning of an article that is also in a box for
//! readers without a subscription, or a version for small screens.

use crate::element_kind::ElementKind;
use crate::hints::MarkupHints;
use crate::outline::Outline;
use crate::paragraphs::lower_letters_and_digits;
use foldhash::{HashMap, HashSet};
use std::cmp::Reverse;
use std::ops::Range;

/// Smallest share of the selected text that a repetition has. With .15 and less, more lists and
/// examples that repeat themselves would be cut (BENCHMARKS.md, "Text twice").
const MIN_SHARE: f32 = 0.2;
/// Smallest number of blocks of a repetition: with one, manuals lose sentences that many entries
/// have (BENCHMARKS.md, "Text twice").
const MIN_BLOCKS: usize = 2;
/// Smallest size of a repetition, so that the rows of a short list are kept. Set by judgement;
/// `tests/bench/extraction/constants.tsv` has the effect of half and twice the value.
const MIN_SIZE: usize = 100;

/// Deselects each run of selected blocks that repeats an earlier one, if it is a large part of the
/// text, in another container, and without a heading between them: steps, clauses and refrains
/// repeat, too.
pub(crate) fn deselect_repetitions(outline: &Outline, selected: &mut [bool]) {
    let blocks: Vec<usize> = (0..selected.len())
        .filter(|&block| selected[block])
        .collect();
    let text = |index: usize| outline.blocks[blocks[index]].text.as_str();
    let size = |index: usize| outline.blocks[blocks[index]].size;
    let element = |index: usize| &outline.elements[outline.blocks[blocks[index]].element];
    let around = |index: usize| container(outline, outline.blocks[blocks[index]].element);
    let is_heading = |index: usize| element(index).heading_level > 0;
    let total: usize = (0..blocks.len()).map(size).sum();
    let mut first_with_text: HashMap<&str, usize> = HashMap::default();
    let mut index = 0;
    while index < blocks.len() {
        let earlier = *first_with_text.entry(text(index)).or_insert(index);
        let length = (earlier..index)
            .zip(index..blocks.len())
            .take_while(|&(earlier, later)| text(earlier) == text(later))
            .count();
        let run = index..index + length;
        let run_size: usize = run.clone().map(size).sum();
        let is_large = run_size >= MIN_SIZE && run_size as f32 >= MIN_SHARE * total as f32;
        // In one element, it is a refrain; after a heading, a part with the same text as another
        // one.
        let is_elsewhere = || around(earlier) != around(index);
        let is_part = || (earlier + length..index).any(|i| selected[blocks[i]] && is_heading(i));
        if length >= MIN_BLOCKS && is_large && is_elsewhere() && !is_part() {
            run.for_each(|index| selected[blocks[index]] = false);
        }
        index += length.max(1);
    }
}

/// Letters and digits of a piece of hidden data that is looked for in the text. Set by judgement,
/// not measured.
const PIECE_CHARACTERS: usize = 20;

/// Deselects the hidden items of structured data (microdata, RDFa) most of whose pieces are in the
/// visible text, wherever its paragraphs end: an article for search engines, with key words and
/// dates.
pub(crate) fn deselect_hidden_data(outline: &Outline, selected: &mut [bool]) {
    let items = hidden_items(outline);
    if items.is_empty() {
        return;
    }
    let letters = |block: usize| lower_letters_and_digits(&outline.blocks[block].text);
    let mut is_text = selected.to_vec();
    for item in &items {
        is_text[item.clone()].fill(false);
    }
    let is_visible = |block: &usize| {
        let element = &outline.elements[outline.blocks[*block].element];
        is_text[*block] && !element.inherited_hints.has_any(MarkupHints::INVISIBLE)
    };
    let visible = (0..selected.len()).filter(is_visible);
    let visible: Vec<char> = visible.flat_map(letters).collect();
    let pieces: HashSet<&[char]> = visible.windows(PIECE_CHARACTERS).collect();
    for item in items {
        let text: Vec<char> = item.clone().flat_map(letters).collect();
        let (found, own): (Vec<&[char]>, Vec<&[char]>) = text
            .chunks_exact(PIECE_CHARACTERS)
            .partition(|piece| pieces.contains(piece));
        if found.len() > own.len() {
            selected[item].fill(false);
        }
    }
}

/// Returns the blocks of each item of structured data that is hidden: the outermost block elements,
/// and the blocks that begin with an inline element.
fn hidden_items(outline: &Outline) -> Vec<Range<usize>> {
    let is_hidden = |own: MarkupHints, around: MarkupHints| {
        own.has_any(MarkupHints::STRUCTURED_DATA) && around.has_any(MarkupHints::INVISIBLE)
    };
    let elements = outline.elements.iter();
    let elements = elements.filter(|it| is_hidden(it.hints, it.inherited_hints));
    let blocks = (0..).zip(&outline.blocks);
    let blocks = blocks.filter(|(_, block)| is_hidden(block.hints, block.hints));
    let mut items: Vec<Range<usize>> = elements
        .map(|element| element.first_block..element.end_block)
        .chain(blocks.map(|(number, _)| number..number + 1))
        .collect();
    items.sort_by_key(|item| (item.start, Reverse(item.end)));
    items.dedup_by(|inner, outer| inner.start < outer.end);
    items
}

/// Returns the innermost element around a block that can contain a whole text: not a list, a table
/// or a part of one.
fn container(outline: &Outline, element: usize) -> usize {
    let mut number = element;
    while number > 0 {
        match outline.elements[number].kind {
            ElementKind::Other | ElementKind::Article | ElementKind::Main => break,
            ElementKind::Aside | ElementKind::Header | ElementKind::Details => break,
            _ => number = outline.elements[number].parent,
        }
    }
    number
}

#[cfg(test)]
mod tests {
    use super::{deselect_hidden_data, deselect_repetitions};
    use crate::outline::tests::outline_from_html;

    /// Returns the first words of the blocks that remain if all were selected.
    fn remaining(html: &str) -> String {
        let outline = outline_from_html(html);
        let mut selected = vec![true; outline.blocks.len()];
        deselect_repetitions(&outline, &mut selected);
        let blocks = outline.blocks.iter().zip(selected);
        let kept = blocks.filter(|(_, is_selected)| *is_selected);
        kept.map(|(block, _)| block.text.split(' ').next().unwrap())
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn paragraph(name: &str) -> String {
        format!("<p>{name} {}", "word ".repeat(30))
    }

    #[test]
    fn a_text_that_is_twice_is_kept_once() {
        let [a, b, c] = ["a", "b", "c"].map(paragraph);
        assert_eq!(remaining(&format!("<div>{a}{b}</div>{a}{b}{c}")), "a b c");
        let article = format!("<article><h1>Title</h1>{a}{b}{c}</article>");
        assert_eq!(remaining(&article.repeat(3)), "Title a b c");
        let box_first = format!("<div>{a}{b}</div><div><p>Subscribe</p></div><div>{a}{b}{c}</div>");
        assert_eq!(remaining(&box_first), "a b Subscribe c");
    }

    #[test]
    fn hidden_data_that_repeat_the_text_are_left_out() {
        let [a, b] = ["a", "b"].map(paragraph);
        let kept = |html: &str| {
            let outline = outline_from_html(html);
            let mut selected = vec![true; outline.blocks.len()];
            deselect_hidden_data(&outline, &mut selected);
            let blocks = outline.blocks.iter().zip(selected);
            let kept = blocks.filter(|(_, is_selected)| *is_selected);
            kept.map(|(block, _)| block.text.split(' ').next().unwrap().to_owned())
                .collect::<String>()
        };
        let inline = |text: &str| text.replace("<p>", " ");
        let hidden = "<div style='display:none'";
        for (data, expected) in [
            (
                format!(
                    "{hidden} itemscope><div>x,y</div><div itemprop=articleBody>{a}{b}</div></div>"
                ),
                "ab",
            ),
            (
                format!("<div hidden><div typeof=NewsArticle><p>x</p>{b}</div></div>"),
                "ab",
            ),
            // In one block, and that of an inline element.
            (
                format!(
                    "{hidden} itemscope><b>x</b><b>{}</b><b>y</b></div>",
                    inline(&a)
                ),
                "ab",
            ),
            (
                format!(
                    "<p><span style='DISPLAY: none' itemscope>x, {}</span>",
                    inline(&b)
                ),
                "ab",
            ),
            // Beside other hidden text, and with more text of its own.
            (
                format!("<div hidden><p>x</p><div itemscope>{b}</div></div>"),
                "abx",
            ),
            (
                format!("{hidden} itemscope>{a}<p>x {}</div>", "text ".repeat(60)),
                "abax",
            ),
            // No repetition, no data, or not hidden.
            (
                format!("{hidden} itemscope><p>x {}</div>", "text ".repeat(30)),
                "abx",
            ),
            (format!("{hidden}><p>x</p>{a}</div>"), "abxa"),
            (format!("<div itemscope><p>x</p>{a}</div>"), "abxa"),
        ] {
            assert_eq!(
                kept(&format!("<div>{a}{b}</div>{data}")),
                expected,
                "{data}"
            );
            let is_left_out = expected == "ab";
            assert!(!is_left_out || kept(&format!("{data}<div>{a}{b}</div>")) == "ab");
        }
    }

    #[test]
    fn refrains_and_parts_with_the_same_text_are_kept() {
        let [a, b, c] = ["a", "b", "c"].map(paragraph);
        assert_eq!(remaining(&format!("{a}{b}{c}{a}{b}")), "a b c a b");
        assert_eq!(remaining(&format!("<div>{a}</div><div>{a}</div>")), "a a");
        let steps =
            format!("<section><h2>One</h2>{a}{b}</section><section><h2>Two</h2>{a}{b}</section>");
        assert_eq!(remaining(&steps), "One a b Two a b");
        let rows = format!("<table><tr><td>{a}<td>{b}</table>");
        assert_eq!(
            remaining(&format!("<p>Monday{rows}<p>Tuesday{rows}")),
            "Monday a b Tuesday a b"
        );
        let long: String = (0..9)
            .map(|number| paragraph(&number.to_string()))
            .collect();
        let html = format!("<div>{a}{b}{long}</div><div>{a}{b}</div>");
        assert_eq!(remaining(&html), "a b 0 1 2 3 4 5 6 7 8 a b");
        assert_eq!(
            remaining("<div><p>1 in<p>2 out</div><div><p>1 in<p>2 out</div>"),
            "1 2 1 2"
        );
        assert_eq!(remaining(""), "");
    }
}
