//! Entries of definition lists, and of glossaries, dialogues and the like that are written without
//! one.

use super::{blocks_of, is_beside, is_of_links};
use crate::element_kind::ElementKind;
use crate::hints::MarkupHints;
use crate::outline::{BlockElement, Outline};
use std::ops::Range;

/// Smallest number of entries of a list.
const MIN_ENTRIES: usize = 2;

/// Smallest number of entries that are recognised by their alternation, and largest size of a
/// headword or the name of a speaker. Set by judgement, not measured.
const MIN_ALTERNATIONS: usize = 6;
const MAX_HEAD_SIZE: usize = 40;

/// Selects headwords and speakers that are blocks of their own outside a list: short ones of one
/// kind, without digits, that alternate with blocks of another kind, of which three quarters are
/// selected.
pub(crate) fn complete_alternations(outline: &Outline, selected: &mut [bool]) {
    let kind = |block: usize| {
        let block = &outline.blocks[block];
        let hash = outline.elements[block.element].tag_class_hash;
        (hash, block.linked * 2 > block.size)
    };
    let mut start = 0;
    while start + 2 < selected.len() {
        let mut end = start + 2;
        while end < selected.len() && kind(end) == kind(end - 2) {
            end += 1;
        }
        if kind(start) != kind(start + 1) {
            for first in [start, start + 1] {
                select_heads(outline, (first..end - 1).step_by(2), selected);
            }
        }
        start = end - 1;
    }
}

/// Selects the blocks of a series that are heads of the next block.
fn select_heads(
    outline: &Outline,
    series: impl ExactSizeIterator<Item = usize>,
    selected: &mut [bool],
) {
    let count = series.len();
    let is_head = |block: usize| {
        let (text, element) = (
            &outline.blocks[block],
            &outline.elements[outline.blocks[block].element],
        );
        let hints = MarkupHints::READER_COMMENT | MarkupHints::COMMENT | MarkupHints::FORUM;
        text.size <= MAX_HEAD_SIZE
            && !text.text.contains(char::is_numeric)
            && !element.inherited_hints.has_any(hints)
            && !is_beside(outline, block, &outline.elements[0])
    };
    let heads: Vec<usize> = series
        .filter(|&block| is_head(block) && selected[block + 1])
        .collect();
    if count >= MIN_ALTERNATIONS && heads.len() * 4 >= count * 3 {
        heads.into_iter().for_each(|head| selected[head] = true);
    }
}

/// Returns the blocks of each entry of a list, from its terms to the next ones; `None` for a menu,
/// a list of comments, and one whose definitions are mostly links. Terms of a list in a definition
/// begin no entry.
pub(crate) fn find_entries(outline: &Outline, list: usize) -> Option<Vec<Range<usize>>> {
    let element = &outline.elements[list];
    let is_menu = element.kinds_around & ElementKind::Navigation.set_bit() > 0;
    if is_menu || element.inherited_hints.has_any(MarkupHints::READER_COMMENT) {
        return None;
    }
    let end = element.end_block;
    let mut entries: Vec<Range<usize>> = Vec::new();
    let mut definitions = Vec::new();
    let mut is_in_terms = false;
    let after = outline.elements.iter().skip(list + 1);
    let parts = after.take_while(|element| element.first_block < end);
    for part in parts.filter(|part| is_part(outline, part, list)) {
        if part.is_term && !is_in_terms {
            if let Some(entry) = entries.last_mut() {
                entry.end = part.first_block;
            }
            entries.push(part.first_block..end);
        }
        is_in_terms = part.is_term;
        if !part.is_term {
            definitions.extend(blocks_of(part));
        }
    }
    let definitions = definitions.into_iter().map(|block| &outline.blocks[block]);
    (entries.len() >= MIN_ENTRIES && !is_of_links(definitions)).then_some(entries)
}

/// Returns `true` for a term or a definition of a list, in it or in a `<div>` in it.
fn is_part(outline: &Outline, part: &BlockElement, list: usize) -> bool {
    let parent = &outline.elements[part.parent];
    part.kind == ElementKind::Definition
        && (part.parent == list || parent.kind == ElementKind::Other && parent.parent == list)
}

#[cfg(test)]
mod tests {
    use super::complete_alternations;
    use crate::outline::tests::outline_from_html;
    use crate::tables::complete_tables;

    /// Returns the text of the selected blocks after the lists are complete. Blocks with a capital
    /// letter are selected before.
    fn completed(html: &str) -> String {
        let outline = outline_from_html(html);
        let texts = outline.blocks.iter().map(|block| block.text.as_str());
        let mut selected: Vec<bool> = texts
            .clone()
            .map(|text| text.contains(char::is_uppercase))
            .collect();
        complete_tables(&outline, &mut selected);
        complete_alternations(&outline, &mut selected);
        let kept = texts.zip(selected).filter(|(_, is_selected)| *is_selected);
        kept.map(|(text, _)| text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_blocks_of_an_entry_are_selected_together() {
        for (html, expected) in [
            (
                "<dl><dt><a href=a>a</a><dd>Voda<dt>b<dd>led</dl>",
                "a Voda b led",
            ),
            (
                "<dl><dt>a<dd>Voda<dt>b<dd>c<dt>d<dd>e<dt>f<dd>g</dl>",
                "a Voda",
            ),
            (
                "<dl><dt>a<dt>b<dd>Voda<dd><p>c<p>d<dt>e<dd>f<dt>g<dd>h</dl>",
                "a b Voda c d",
            ),
            (
                "<dl><div><dt>a<dd>Voda</div><div><dt>b<dd>c</div></dl>",
                "a Voda b c",
            ),
            // A list in a definition is part of its entry.
            (
                "<dl><dt>a<dd>Voda<dl><dt>b<dd>c</dl><dt>d<dd>e<dt>f<dd>g</dl>",
                "a Voda b c",
            ),
            ("<dl><dt>a<dd>voda<dt>b<dd>led</dl>", ""),
        ] {
            assert_eq!(completed(html), expected, "{html}");
        }
    }

    #[test]
    fn headwords_and_speakers_without_a_list_are_selected_if_most_entries_are() {
        let page = |head: &str| {
            let entry =
                |n: usize| head.to_owned() + ["<p>Voda", "<p>Led", "<p>x"][n.saturating_sub(5)];
            completed(&(0..8).map(entry).collect::<String>())
        };
        let expected = "a Voda ".repeat(6) + "a Led";
        for head in ["<p><a href=/a>a</a>", "<div class=hw>a</div>", "<h3>a</h3>"] {
            assert_eq!(page(head), expected, "{head}");
        }
        for head in [
            "<p>a",
            "<div>10.30</div>",
            "<nav><p>a</nav>",
            "<h3>a</h3><p><b>a</b>",
        ] {
            assert_eq!(page(head), "Voda ".repeat(6) + "Led", "{head}");
        }
    }

    #[test]
    fn menus_and_what_is_about_the_page_are_left_as_they_are() {
        let linked = "<dl><dt>a<dd><a href=b>Voda</a><dt>b<dd><a href=c>led</a></dl>";
        assert_eq!(completed(linked), "Voda");
        assert_eq!(
            completed("<nav><dl><dt>a<dd>Voda<dt>b<dd>c</dl></nav>"),
            "Voda"
        );
        let shared = "<dl><dt>a<dd>Voda <div class=share>b</div><dt>c<dd>d</dl>";
        assert_eq!(completed(shared), "a Voda c d");
        assert_eq!(completed("<dl><dd>Voda<dd>led</dl>"), "Voda");
    }
}
