//! Tables of data and definition lists, which are selected by rows and entries, so that no cell of
//! a row is missing, and no headword and no speaker.

mod definition_lists;

use crate::element_kind::ElementKind;
use crate::hints::MarkupHints;
use crate::outline::{BlockElement, Outline, TextBlock};
pub(crate) use definition_lists::complete_alternations;
use definition_lists::find_entries;
use std::ops::Range;

/// Smallest number of rows of a table of data, and of the cells of each.
const MIN_ROWS: usize = 2;
const MIN_CELLS: usize = 2;

/// Elements, and hints in their names, of what is about the page. Names for sides and dates are not
/// among them: they also set the columns of a table.
const KINDS_BESIDE: [ElementKind; 5] = [
    ElementKind::Navigation,
    ElementKind::Footer,
    ElementKind::Aside,
    ElementKind::Form,
    ElementKind::Control,
];
const HINTS_BESIDE: [MarkupHints; 7] = [
    MarkupHints::NAVIGATION,
    MarkupHints::FOOTER,
    MarkupHints::SHARE,
    MarkupHints::ADVERTISEMENT,
    MarkupHints::DIALOG,
    MarkupHints::HIDDEN,
    MarkupHints::INVISIBLE,
];

/// Selects the whole of each row of a table of data, and of each entry of a definition list, of
/// which a block is selected, and the whole table or list if that is half of its rows: the model
/// rates each block by itself, and a number alone resembles a counter or a date beside the text, a
/// linked headword an entry of a menu. Cells about the page, such as hidden ones and menus, and
/// other rows of links are left as they are.
pub(crate) fn complete_tables(outline: &Outline, selected: &mut [bool]) {
    for (number, table) in outline.elements.iter().enumerate() {
        let is_table = table.kind == ElementKind::Table;
        if is_of_page(table) || !selected[blocks_of(table)].contains(&true) {
            continue;
        }
        let rows = match table.kind {
            ElementKind::Table if table.linked * 2 <= table.size => find_rows(outline, number),
            ElementKind::List => find_entries(outline, number),
            _ => None,
        };
        let mut rows = rows.unwrap_or_default();
        let has_selected = |row: &Range<usize>| selected[row.clone()].contains(&true);
        let is_whole = rows.iter().filter(|row| has_selected(row)).count() * 2 >= rows.len();
        let is_of_links = |row: &Range<usize>| is_of_links(&outline.blocks[row.clone()]);
        rows.retain(|row| has_selected(row) || is_whole && !(is_table && is_of_links(row)));
        for block in rows.into_iter().flatten() {
            selected[block] |= !is_beside(outline, block, table);
        }
    }
}

/// Returns `true` for a table or a list that is about the page, such as a menu.
fn is_of_page(element: &BlockElement) -> bool {
    let has_hint = |hint: &MarkupHints| element.inherited_hints.has_any(*hint);
    HINTS_BESIDE.iter().any(has_hint)
}

/// Returns `true` if over half of a text is linked.
pub(crate) fn is_of_links<'a>(blocks: impl IntoIterator<Item = &'a TextBlock>) -> bool {
    let (linked, size) = blocks.into_iter().fold((0, 0), |(linked, size), block| {
        (linked + block.linked, size + block.size)
    });
    linked * 2 > size
}

/// Returns `true` if a block of a table or a list is about the page, by the elements around it
/// there.
pub(crate) fn is_beside(outline: &Outline, block: usize, table: &BlockElement) -> bool {
    let block = &outline.blocks[block];
    let element = &outline.elements[block.element];
    let hints = element.inherited_hints | block.hints;
    let has_kind =
        |kind: &ElementKind| element.kinds_around & !table.kinds_around & kind.set_bit() > 0;
    let has_hint = |hint: &MarkupHints| hints.has_any(*hint);
    KINDS_BESIDE.iter().any(has_kind) || HINTS_BESIDE.iter().any(has_hint)
}

pub(crate) fn blocks_of(element: &BlockElement) -> Range<usize> {
    element.first_block..element.end_block
}

/// Returns the blocks of each row of a table of data; `None` for another table: one with fewer than
/// [`MIN_ROWS`] rows with [`MIN_CELLS`] cells, a cell with more than a block, or a table in it.
fn find_rows(outline: &Outline, table: usize) -> Option<Vec<Range<usize>>> {
    let end = outline.elements[table].end_block;
    let mut rows = Vec::new();
    let mut row = None;
    let mut cells = 0;
    let mut full_rows = 0;
    let after = outline.elements.iter().skip(table + 1);
    for element in after.take_while(|element| element.first_block < end) {
        match element.kind {
            ElementKind::Table => return None,
            ElementKind::Row => {
                full_rows += usize::from(cells >= MIN_CELLS);
                cells = 0;
                row = Some(blocks_of(element));
            }
            ElementKind::Cell => {
                let blocks = blocks_of(element);
                if blocks.len() > 1 {
                    return None;
                }
                if cells == 0 {
                    // Not before: `<tbody>` is a row to the outline, too, but has no cells of its
                    // own.
                    rows.extend(row.take().filter(|row| !row.is_empty()));
                }
                cells += blocks.len();
            }
            _ => {}
        }
    }
    full_rows += usize::from(cells >= MIN_CELLS);
    (full_rows >= MIN_ROWS).then_some(rows)
}

#[cfg(test)]
mod tests {
    use super::complete_tables;
    use crate::outline::tests::outline_from_html;

    /// Returns the text of the selected blocks after the tables are complete. Blocks with a capital
    /// letter are selected before.
    fn completed(html: &str) -> String {
        let outline = outline_from_html(html);
        let texts = outline.blocks.iter().map(|block| block.text.as_str());
        let is_capital = |text: &str| text.contains(char::is_uppercase);
        let mut selected: Vec<bool> = texts.clone().map(is_capital).collect();
        complete_tables(&outline, &mut selected);
        let kept = texts.zip(selected).filter(|(_, is_selected)| *is_selected);
        kept.map(|(text, _)| text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_cells_of_a_row_are_selected_together() {
        let rows = "<tr><td>Gnome<td>3216<td>859<tr><td>lxde<td>7<td>8<tr><td>mate<td>9<td>10";
        let header = "<thead><tr><th>Task<th>size<th>all<tbody>";
        for (table, expected) in [
            (rows.to_owned(), "Gnome 3216 859"),
            (
                format!("{header}{rows}"),
                "Task size all Gnome 3216 859 lxde 7 8 mate 9 10",
            ),
            (rows.replace("Gnome", "gnome"), ""),
        ] {
            assert_eq!(completed(&format!("<p>x<table>{table}</table>y")), expected);
        }
    }

    #[test]
    fn what_is_no_data_is_left_as_it_is() {
        let row = "<tr><td>Text<td>menu";
        let paragraphs = "<tr><td><p>Text<p>Text<td><p>menu<p>menu";
        let buttons = "<tr><td>Gnome<td>1<td><button>buy</button><td class=share-box>mail";
        let hidden = "<tr hidden><td>loading<td>0";
        let next = "<tr><td><a href=/>next page</a><td>2";
        let links = "<tr><td>Part<td><a href=/>next page</a>";
        for (table, expected) in [
            (row.to_owned(), "Text"),
            (format!("{paragraphs}{row}"), "Text Text Text"),
            (
                format!("{row}<tr><td><table>{row}{row}</table><td>menu"),
                "Text Text menu Text menu",
            ),
            (
                format!("{buttons}{buttons}{hidden}{next}"),
                "Gnome 1 Gnome 1",
            ),
            (links.repeat(3), "Part Part Part"),
        ] {
            assert_eq!(completed(&format!("<table>{table}</table>")), expected);
        }
    }
}
