//! Converts the text after the options in `--help` to sections of a man page.
//!
//! The text is written for a terminal, with these conventions:
//!
//! - A line in capitals is the heading of a section.
//! - A common indentation of all lines of a section is ignored, unless it begins with a command.
//! - `term  description`, with two spaces or more between, is an entry of a list. It continues on
//!   lines indented to the column of the description. A long term has its own line.
//! - Any other indented line is an example, and kept unchanged.
//! - All other lines are paragraphs, filled by the man page viewer.

use clap_mangen::roff::{Roff, bold, roman};

/// Width of the text in a man page on a terminal of 80 columns, after its indentation of 7. A wider
/// example loses its own indentation.
const TEXT_WIDTH: usize = 80 - 7;

/// A part of the body of a section.
#[derive(Debug, PartialEq)]
enum ManBlock<'a> {
    Paragraph(Vec<&'a str>),
    /// A term and the lines of its description.
    Entry(&'a str, Vec<&'a str>),
    /// An example.
    Verbatim(Vec<&'a str>),
}

/// Renders all sections of `text`.
pub(crate) fn render_sections(text: &str) -> Roff {
    let lines: Vec<&str> = text.lines().collect();
    let mut roff = Roff::new();
    for section in lines.chunk_by(|_, next| !is_heading(next)) {
        let body = match section {
            [heading, body @ ..] if is_heading(heading) => {
                roff.control("SH", [*heading]);
                body
            }
            body => body,
        };
        let body = match body.first() {
            // Examples alone.
            Some(line) if line.trim_start().starts_with("$ ") => body.to_vec(),
            _ => unindent(body),
        };
        for (index, block) in parse_blocks(&body).iter().enumerate() {
            render_block(block, index == 0, &mut roff);
        }
    }
    roff
}

fn is_heading(line: &str) -> bool {
    line.starts_with(char::is_uppercase) && !line.contains(char::is_lowercase)
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Removes the common indentation of all lines.
fn unindent<'a>(lines: &[&'a str]) -> Vec<&'a str> {
    let common = lines
        .iter()
        .filter(|line| !line.is_empty())
        .map(|line| indentation(line))
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .map(|line| line.get(common..).unwrap_or_default())
        .collect()
}

/// Cuts the body of a section into blocks.
fn parse_blocks<'a>(lines: &[&'a str]) -> Vec<ManBlock<'a>> {
    let mut blocks = Vec::new();
    let mut rest = lines;
    // The column of the descriptions in the current list.
    let mut list_column = usize::MAX;
    while let [line, ..] = rest {
        let continuation_lines = |column: usize| {
            rest[1..]
                .iter()
                .take_while(|next| indentation(next) == column && !next.is_empty())
                .count()
        };
        let parsed_lines = if line.is_empty() {
            1
        } else if let Some((term, column)) = parse_entry(line) {
            list_column = column;
            let continued = continuation_lines(column);
            let description = rest[..=continued]
                .iter()
                .map(|line| line[column..].trim_start())
                .collect();
            blocks.push(ManBlock::Entry(term, description));
            continued + 1
        } else if !line.starts_with(' ') && continuation_lines(list_column) > 0 {
            // A term that is too long for its column has its own line.
            let continued = continuation_lines(list_column);
            blocks.push(ManBlock::Entry(
                line,
                rest[1..=continued]
                    .iter()
                    .map(|line| line.trim_start())
                    .collect(),
            ));
            continued + 1
        } else if line.starts_with(' ') {
            let example_lines = count_example_lines(rest);
            blocks.push(ManBlock::Verbatim(rest[..example_lines].to_vec()));
            example_lines
        } else {
            let text_lines = rest.iter().take_while(|line| is_text(line)).count();
            blocks.push(ManBlock::Paragraph(rest[..text_lines].to_vec()));
            text_lines
        };
        rest = &rest[parsed_lines..];
    }
    blocks
}

/// Returns `true` for a line of a paragraph.
fn is_text(line: &str) -> bool {
    !line.is_empty() && !line.starts_with(' ') && parse_entry(line).is_none()
}

/// Returns the number of lines of an example: indented lines, and blank ones between them.
fn count_example_lines(lines: &[&str]) -> usize {
    let indented = lines
        .iter()
        .take_while(|line| line.is_empty() || line.starts_with(' '))
        .count();
    indented
        - lines[..indented]
            .iter()
            .rev()
            .take_while(|line| line.is_empty())
            .count()
}

/// Returns the term of a list entry, and the column of its description; `None` for other lines.
fn parse_entry(line: &str) -> Option<(&str, usize)> {
    let start = indentation(line);
    let (term, rest) = line[start..].split_once("  ")?;
    let column = line.len() - rest.trim_start().len();
    let is_term = start <= 2 && !term.starts_with('$') && !term.ends_with(['.', ':', ',']);
    is_term.then_some((term, column))
}

fn render_block(block: &ManBlock, is_first: bool, roff: &mut Roff) {
    if !is_first && !matches!(block, ManBlock::Entry(..)) {
        roff.control("PP", []);
    }
    match block {
        ManBlock::Paragraph(lines) => render_lines(lines, roff),
        ManBlock::Entry(term, lines) => {
            roff.control("TP", []);
            roff.text([bold(*term)]);
            // The structure of a JSON object keeps its own line.
            let (structure, text) =
                lines.split_at(usize::from(lines.len() > 1 && lines[0].starts_with('{')));
            render_lines(structure, roff);
            if !structure.is_empty() {
                roff.control("br", []);
            }
            render_lines(text, roff);
        }
        ManBlock::Verbatim(lines) => {
            let is_wide = lines.iter().any(|line| line.chars().count() > TEXT_WIDTH);
            roff.control("nf", []);
            render_lines(
                &if is_wide {
                    unindent(lines)
                } else {
                    lines.clone()
                },
                roff,
            );
            roff.control("fi", []);
        }
    }
}

fn render_lines(lines: &[&str], roff: &mut Roff) {
    for line in lines {
        roff.text([roman(*line)]);
    }
}

#[cfg(test)]
mod tests {
    use super::render_sections;

    fn assert_roff(text: &str, expected: &str) {
        assert_eq!(render_sections(text).to_roff(), expected);
    }

    #[test]
    fn a_line_in_capitals_starts_a_section() {
        assert_roff(
            "READS\nText\nalone.\n\nMore.\n\nMEMORY AND TIME\nA few MB.",
            ".SH READS\nText\nalone.\n.PP\nMore.\n.SH \"MEMORY AND TIME\"\nA few MB.\n",
        );
    }

    #[test]
    fn list_entries_continue_in_the_column_of_their_description() {
        let list = ".SH READS\n.TP\n\\fBtext\\fR\nthe document;\nif it is one\n\
                    .TP\n\\fBid, url\\fR\nits name\n";
        assert_roff(
            "READS\n  text     the document;\n           if it is one\n  id, url  its name",
            list,
        );
        assert_roff(
            "READS\ntext     the document;\n         if it is one\nid, url  its name",
            list,
        );
    }

    #[test]
    fn a_long_term_and_the_structure_of_an_object_have_their_own_lines() {
        assert_roff(
            "ADDS\n  hit  {rank, calls}\n       the first\n  id, title\n       from the index",
            ".SH ADDS\n.TP\n\\fBhit\\fR\n{rank, calls}\n.br\nthe first\n\
             .TP\n\\fBid, title\\fR\nfrom the index\n",
        );
    }

    #[test]
    fn examples_are_kept_unchanged() {
        let page = ".SH EXAMPLES\nCount:\n.PP\n.nf\n  $ a |\n\n      b\n.fi\n.PP\nEnd.\n";
        assert_roff("EXAMPLES\nCount:\n\n  $ a |\n\n      b\n\nEnd.", page);
        assert_roff("EXAMPLES\n  Count:\n    $ a |\n\n        b\n\n  End.", page);
        let page = ".SH EXAMPLE\n.nf\n  $ a \\\\\n      b\n.fi\n";
        assert_roff("EXAMPLE\n  $ a \\\n      b", page);
    }
}
