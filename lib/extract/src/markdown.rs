//! The text of a page as Markdown (CommonMark, with the tables of GitHub Flavored Markdown).

use crate::element_kind::ElementKind;
use crate::inline_marks::backticks;
use crate::outline::{Outline, TextBlock};
use crate::structure::ancestor_numbers;
use std::collections::{HashMap, HashSet};

/// Longest cell of a table of data in characters; tables with longer ones lay out the page.
const MAX_CELL_CHARACTERS: usize = 300;

/// Returns the selected blocks as Markdown, with the targets of links if `with_links`.
pub(crate) fn write_markdown(outline: &Outline, selected: &[bool], with_links: bool) -> String {
    let mut writer = Writer {
        outline,
        selected,
        with_links,
        markdown: String::new(),
        numbers: number_items(outline),
        begun: HashSet::new(),
        last_list: None,
    };
    let mut block = 0;
    while block < outline.blocks.len() {
        block = match selected[block] {
            true => writer.write_at(block),
            false => block + 1,
        };
    }
    writer.markdown.trim_end().to_owned()
}

/// Returns a text of which only the lines are known as Markdown.
pub fn plain_text_as_markdown(text: &str) -> String {
    let lines = text.lines().map(escape_line);
    lines.collect::<Vec<_>>().join("\n\n")
}

struct Writer<'a> {
    outline: &'a Outline,
    selected: &'a [bool],
    with_links: bool,
    markdown: String,
    /// The items whose markers are written.
    begun: HashSet<usize>,
    /// The numbers of items in their lists, by element.
    numbers: HashMap<usize, usize>,
    /// The outermost list of the last block.
    last_list: Option<usize>,
}

impl Writer<'_> {
    /// Writes a block, or the table or the code that begins with it. Returns the next block.
    fn write_at(&mut self, block: usize) -> usize {
        let around: Vec<usize> =
            ancestor_numbers(self.outline, self.outline.blocks[block].element).collect();
        let innermost = |kind: ElementKind| {
            let mut of_kind = around
                .iter()
                .filter(|n| self.outline.elements[**n].kind == kind);
            of_kind.next().copied()
        };
        if let Some(pre) = innermost(ElementKind::Pre) {
            let end = self.outline.elements[pre].end_block;
            let code = self.code(block..end);
            self.write_lines(&around, &code);
            return end;
        }
        if let Some(table) = innermost(ElementKind::Table)
            && let Some(lines) = self.table(table)
        {
            self.write_lines(&around, &lines);
            return self.outline.elements[table].end_block.max(block + 1);
        }
        let text = self.inline(&self.outline.blocks[block]);
        let level = innermost(ElementKind::Heading).map(|n| self.outline.elements[n].heading_level);
        let lines: Vec<String> = match level {
            Some(level) => {
                vec![format!(
                    "{} {}",
                    "#".repeat(level.into()),
                    text.replace('\n', " ")
                )]
            }
            None => text.lines().map(escape_line_start).collect(),
        };
        let last = lines.len().saturating_sub(1);
        // Two spaces at the end of a line keep its break.
        let lines = lines.into_iter().enumerate();
        let lines = lines.map(|(n, line)| if n < last { line + "  " } else { line });
        self.write_lines(&around, &lines.collect::<Vec<_>>());
        block + 1
    }

    fn inline(&self, block: &TextBlock) -> String {
        let marked = block.marked.as_ref();
        marked.map_or_else(
            || block.text.clone(),
            |marked| marked.to_markdown(self.with_links),
        )
    }

    /// Returns the lines of a fenced code block.
    fn code(&self, blocks: std::ops::Range<usize>) -> Vec<String> {
        let blocks = self.outline.blocks[blocks.clone()]
            .iter()
            .zip(&self.selected[blocks]);
        let code = blocks
            .filter(|(_, is_selected)| **is_selected)
            .map(|(block, _)| {
                let marked = block.marked.as_ref();
                marked.map_or(block.text.as_str(), |marked| marked.code())
            });
        let code = code.collect::<Vec<_>>().join("\n");
        let fence = backticks(&code, 3);
        let lines = code.lines().map(str::to_owned);
        std::iter::once(fence.clone())
            .chain(lines)
            .chain([fence])
            .collect()
    }

    /// Returns the lines of a table, or `None` if it has no two columns, or lays out the page.
    fn table(&self, table: usize) -> Option<Vec<String>> {
        let rows = self.rows(table)?;
        let columns = rows
            .iter()
            .map(Vec::len)
            .max()
            .filter(|columns| *columns > 1)?;
        let write = |row: &Vec<String>| {
            let empty = String::new();
            let cells = (0..columns).map(|column| row.get(column).unwrap_or(&empty).as_str());
            format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
        };
        let mut lines: Vec<String> = rows.iter().map(write).collect();
        lines.insert(1.min(lines.len()), format!("|{}", " --- |".repeat(columns)));
        Some(lines)
    }

    /// Returns the cells of a table by rows; `None` if one has another table, a list or a heading
    /// in it, or a long text.
    fn rows(&self, table: usize) -> Option<Vec<Vec<String>>> {
        let elements = &self.outline.elements;
        let mut rows: Vec<Vec<String>> = Vec::new();
        let mut row_of_last = None;
        for (number, element) in elements.iter().enumerate().skip(table + 1) {
            if !ancestor_numbers(self.outline, number).any(|around| around == table) {
                break;
            }
            match element.kind {
                ElementKind::Cell => {
                    if row_of_last != Some(element.parent) {
                        rows.push(Vec::new());
                        row_of_last = Some(element.parent);
                    }
                    let blocks = element.first_block..element.end_block;
                    let blocks = blocks.filter(|block| self.selected[*block]);
                    let texts = blocks.map(|block| self.inline(&self.outline.blocks[block]));
                    let text = texts.collect::<Vec<_>>().join(" ").replace('\n', " ");
                    if text.chars().count() > MAX_CELL_CHARACTERS {
                        return None;
                    }
                    rows.last_mut()?.push(text.replace('|', "\\|"));
                }
                ElementKind::Table | ElementKind::List | ElementKind::Heading => return None,
                _ => {}
            }
        }
        rows.retain(|row| row.iter().any(|cell| !cell.is_empty()));
        Some(rows)
    }

    /// Writes the lines of a block inside the elements around it, the innermost first.
    fn write_lines(&mut self, around: &[usize], lines: &[String]) {
        let elements = &self.outline.elements;
        let list = around
            .iter()
            .rfind(|n| elements[**n].kind == ElementKind::List)
            .copied();
        let (mut first, mut others) = (String::new(), String::new());
        let mut begins_item = false;
        for number in around.iter().rev() {
            match elements[*number].kind {
                ElementKind::Quote => {
                    first.push_str("> ");
                    others.push_str("> ");
                }
                ElementKind::Item => {
                    let marker = self.item_marker(*number);
                    let blanks = " ".repeat(marker.len());
                    let is_new = self.begun.insert(*number);
                    begins_item |= is_new;
                    first.push_str(if is_new { &marker } else { &blanks });
                    others.push_str(&blanks);
                }
                _ => {}
            }
        }
        if !self.markdown.is_empty() {
            let is_tight = begins_item && list.is_some() && self.last_list == list;
            self.markdown.push_str(if is_tight { "\n" } else { "\n\n" });
        }
        self.last_list = list;
        for (index, line) in lines.iter().enumerate() {
            if index > 0 {
                self.markdown.push('\n');
            }
            self.markdown
                .push_str(if index == 0 { &first } else { &others });
            self.markdown.push_str(line);
        }
    }

    /// Returns the marker of an item of a list, with the blank after it.
    fn item_marker(&self, item: usize) -> String {
        let elements = &self.outline.elements;
        let list = elements[item].parent;
        if !elements[list].is_ordered {
            return "- ".into();
        }
        format!("{}. ", self.numbers.get(&item).unwrap_or(&1))
    }
}

/// Returns the number of each item in its list, from 1.
fn number_items(outline: &Outline) -> HashMap<usize, usize> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    let elements = outline.elements.iter().enumerate();
    let items = elements.filter(|(_, element)| element.kind == ElementKind::Item);
    let numbers = items.map(|(number, item)| {
        let count = counts.entry(item.parent).or_default();
        *count += 1;
        (number, *count)
    });
    numbers.collect()
}

/// Returns a line of plain text as Markdown.
fn escape_line(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    for c in line.chars() {
        if matches!(c, '*' | '`' | '\\' | '[' | '_' | '<') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escape_line_start(&escaped)
}

/// Escapes the beginning of a line that would be a heading, an item, a quotation or a rule.
fn escape_line_start(line: &str) -> String {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = &line[digits..];
    let is_number =
        (1..10).contains(&digits) && (after.starts_with(". ") || after.starts_with(") "));
    let is_heading = line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
    let is_item = line.starts_with("- ") || line.starts_with("+ ");
    let is_rule = line.starts_with("---") || line.starts_with("===");
    if is_number {
        format!("{}\\{}", &line[..digits], after)
    } else if is_heading || is_item || is_rule || line.starts_with('>') || line.starts_with("~~~") {
        format!("\\{line}")
    } else {
        line.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metadata::PageMetadata;
    use crate::outline::build_marked_outline;
    use dom_query::Document;

    fn markdown(html: &str) -> String {
        let mut metadata = PageMetadata::new("http://a.test/".parse().ok());
        let outline = build_marked_outline(&Document::from(html), &mut metadata);
        write_markdown(&outline, &vec![true; outline.blocks.len()], true)
    }

    #[test]
    fn blocks_have_the_form_of_their_elements() {
        for (html, expected) in [
            ("<h2>Ena</h2><p>dve<p>tri", "## Ena\n\ndve\n\ntri"),
            ("<p>dve<br>tri", "dve  \ntri"),
            (
                "<ul><li>a<ul><li>b</ul><li>c</ul><p>d",
                "- a\n  - b\n- c\n\nd",
            ),
            ("<ol><li>a<p>b<li>c</ol>", "1. a\n\n   b\n2. c"),
            ("<blockquote><p>a<p>b</blockquote>", "> a\n\n> b"),
            ("<blockquote><ul><li>a</ul></blockquote>", "> - a"),
            (
                "<pre>if x:\n    y  = 1\n</pre>",
                "```\nif x:\n    y  = 1\n```",
            ),
            ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
            (
                "<table><tr><th>a<th>b<tr><td><td>c|d</table>e",
                "| a | b |\n| --- | --- |\n|  | c\\|d |\n\ne",
            ),
            ("<table><tr><td><h2>a</h2><td>b</table>", "## a\n\nb"),
        ] {
            assert_eq!(markdown(html), expected, "{html}");
        }
    }

    #[test]
    fn inline_elements_are_marked() {
        for (html, expected) in [
            ("<p>a <em>b</em>, <b> c </b>d", "a *b*, **c** d"),
            ("<p><i>a <i>b</i></i> <strong></strong>c", "*a b* c"),
            (
                "<p><a href=/x>a</a> <a>b</a> <a href='#n'>c</a>",
                "[a](http://a.test/x) b c",
            ),
            ("<p><code>a*b`c</code>", "`` a*b`c ``"),
            (
                "<p>2*3 snake_case _x_ [a] <b>",
                "2\\*3 snake_case \\_x\\_ \\[a]",
            ),
            ("<p># 1<p>1. 2<p>- 3", "\\# 1\n\n1\\. 2\n\n\\- 3"),
            ("<b><p>a<p>b</b>", "**a**\n\n**b**"),
        ] {
            assert_eq!(markdown(html), expected, "{html}");
        }
    }

    #[test]
    fn plain_lines_are_paragraphs() {
        assert_eq!(plain_text_as_markdown("a*b\n# c"), "a\\*b\n\n\\# c");
    }
}
