//! The structure of a text: its headings, lists, tables, quotations and code, by their places.

use crate::element_kind::ElementKind;
use crate::outline::{BlockElement, Outline};
use forage_record::{PartKind, StructurePart};
use std::cmp::Reverse;
use std::collections::HashSet;

/// Returns the kind of part that an element is, if it is one.
pub(crate) fn kind_of_element(element: &BlockElement) -> Option<PartKind> {
    match element.kind {
        ElementKind::Heading => Some(PartKind::Heading),
        ElementKind::List => Some(PartKind::List),
        ElementKind::Item => Some(PartKind::Item),
        ElementKind::Quote => Some(PartKind::Quote),
        ElementKind::Table => Some(PartKind::Table),
        ElementKind::Row => Some(PartKind::Row),
        ElementKind::Cell => Some(PartKind::Cell),
        ElementKind::Pre => Some(PartKind::Code),
        ElementKind::Caption => Some(PartKind::Caption),
        _ => None,
    }
}

/// Returns the parts of the text of the selected blocks, which are joined by line feeds: in the
/// order of their beginnings, a part before the parts in it.
pub(crate) fn find_parts(outline: &Outline, selected: &[bool]) -> Vec<StructurePart> {
    let places = block_places(outline, selected);
    let elements = outline.elements.iter().enumerate();
    let cells = outline
        .elements
        .iter()
        .filter(|element| element.kind == ElementKind::Cell);
    let rows: HashSet<usize> = cells.map(|cell| cell.parent).collect();
    let mut parts: Vec<StructurePart> = elements
        .filter_map(|(number, element)| {
            let kind = kind_of_element(element)?;
            if kind == PartKind::Row && !rows.contains(&number) {
                return None;
            }
            let mut inside = places[element.first_block..element.end_block]
                .iter()
                .flatten();
            let (start, mut end) = *inside.next()?;
            end = inside.next_back().map_or(end, |(_, end)| *end);
            let level = match kind {
                PartKind::Heading => Some(element.heading_level),
                PartKind::List | PartKind::Item => Some(list_level(outline, element)),
                _ => None,
            };
            Some(StructurePart {
                kind,
                level,
                start,
                end,
            })
        })
        .collect();
    for (block, place) in outline.blocks.iter().zip(&places) {
        let mut around = ancestors(outline, block.element).filter_map(kind_of_element);
        let is_paragraph = around.next().is_none_or(PartKind::has_paragraphs);
        if let Some((start, end)) = place.filter(|_| is_paragraph) {
            let kind = PartKind::Paragraph;
            parts.push(StructurePart {
                kind,
                level: None,
                start,
                end,
            });
        }
    }
    parts.sort_by_key(|part| (part.start, Reverse(part.end)));
    parts
}

/// Returns the parts of a text of which only the lines are known: paragraphs.
pub fn line_parts(text: &str) -> Vec<StructurePart> {
    let mut start = 0;
    let mut parts = Vec::new();
    for line in text.split('\n') {
        let end = start + line.chars().count();
        if end > start {
            let kind = PartKind::Paragraph;
            parts.push(StructurePart {
                kind,
                level: None,
                start,
                end,
            });
        }
        start = end + 1;
    }
    parts
}

/// Returns the place of each block in the text, or `None` if it is not selected.
fn block_places(outline: &Outline, selected: &[bool]) -> Vec<Option<(usize, usize)>> {
    let mut start = 0;
    let blocks = outline.blocks.iter().zip(selected);
    let place = blocks.map(|(block, is_selected)| {
        is_selected.then(|| {
            let end = start + block.text.chars().count();
            let place = (start, end);
            start = end + 1;
            place
        })
    });
    place.collect()
}

/// Returns an element and those around it, the innermost first, without the first of the page.
pub(crate) fn ancestors(outline: &Outline, number: usize) -> impl Iterator<Item = &BlockElement> {
    ancestor_numbers(outline, number).map(|number| &outline.elements[number])
}

/// Returns the numbers of an element and of those around it, as [`ancestors()`].
pub(crate) fn ancestor_numbers(outline: &Outline, number: usize) -> impl Iterator<Item = usize> {
    let parent = |number: &usize| Some(outline.elements[*number].parent);
    std::iter::successors(Some(number), parent).take_while(|number| *number > 0)
}

/// Returns the number of lists around an element, itself included.
fn list_level(outline: &Outline, element: &BlockElement) -> u8 {
    let around = ancestors(outline, element.parent);
    let lists = around
        .filter(|element| element.kind == ElementKind::List)
        .count();
    let own = usize::from(element.kind == ElementKind::List);
    u8::try_from((lists + own).max(1)).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::PageMetadata;
    use crate::outline::build_outline;
    use dom_query::Document;

    /// Returns the kinds, levels and texts of the parts of a page.
    fn parts(html: &str) -> Vec<(String, u8, String)> {
        let outline = build_outline(&Document::from(html), &mut PageMetadata::default());
        let selected = vec![true; outline.blocks.len()];
        let lines: Vec<&str> = outline
            .blocks
            .iter()
            .map(|block| block.text.as_str())
            .collect();
        let text: Vec<char> = lines.join("\n").chars().collect();
        let parts = find_parts(&outline, &selected).into_iter();
        let part = |part: StructurePart| text[part.start..part.end].iter().collect();
        parts
            .map(|p| {
                (
                    format!("{:?}", p.kind).to_lowercase(),
                    p.level.unwrap_or(0),
                    part(p),
                )
            })
            .collect()
    }

    #[test]
    fn parts_are_found_by_their_places() {
        let html = "<h2>Čas</h2><p>Voda.</p><ul><li>ena<ol><li>dve</ol></ul><blockquote>tri\
                    </blockquote><table><tr><td>a<td>b</table><pre>x = 1</pre>";
        let found = parts(html);
        let expected = [
            ("heading", 2, "Čas"),
            ("paragraph", 0, "Voda."),
            ("list", 1, "ena\ndve"),
            ("item", 1, "ena\ndve"),
            ("list", 2, "dve"),
            ("item", 2, "dve"),
            ("quote", 0, "tri"),
            ("paragraph", 0, "tri"),
            ("table", 0, "a\nb"),
            ("row", 0, "a\nb"),
            ("cell", 0, "a"),
            ("cell", 0, "b"),
            ("code", 0, "x = 1"),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(k, l, t): (&str, _, &str)| (k.to_owned(), l, t.to_owned()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn lines_are_paragraphs() {
        let parts = line_parts("čas\n\nvoda");
        let places: Vec<_> = parts.iter().map(|part| (part.start, part.end)).collect();
        assert_eq!(places, [(0, 3), (5, 9)]);
    }
}
