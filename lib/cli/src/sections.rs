//! The long help's last part, as sections of a man page.
//!
//! It is written to be read in a terminal, under `--help`, by four conventions: a line in capitals
//! opens a section; in a section that is indented as a whole, the indentation means nothing; `term
//! what it is`, with two blanks or more between, is an entry of a list, which goes on where lines
//! stand under what it is (a long term is a line of its own); any other indented line is an example
//! and kept as it is. The rest is text, filled by the reader's program.

use clap_mangen::roff::{Roff, bold, roman};

/// Columns that a man page leaves to its text; an example that needs more loses its indentation.
const WIDTH: usize = 80 - 7;

/// A section's body, piece by piece.
#[derive(Debug, PartialEq)]
enum Block<'a> {
    Paragraph(Vec<&'a str>),
    Entry(&'a str, Vec<&'a str>),
    Kept(Vec<&'a str>),
}

/// Renders all sections of `text`.
pub(crate) fn render(text: &str) -> Roff {
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
        for (at, block) in blocks(&unindent(body)).iter().enumerate() {
            render_block(block, at == 0, &mut roff);
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

/// The lines without the indentation that they all have.
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

fn blocks<'a>(lines: &[&'a str]) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    let mut rest = lines;
    // Where what an entry is begins, in this list.
    let mut list = usize::MAX;
    while let [line, ..] = rest {
        let under = |column: usize| {
            rest[1..]
                .iter()
                .take_while(|next| indentation(next) == column && !next.is_empty())
                .count()
        };
        let taken = if line.is_empty() {
            1
        } else if let Some((term, column)) = entry(line) {
            list = column;
            let more = under(column);
            let text = rest[..=more]
                .iter()
                .map(|line| line[column..].trim_start())
                .collect();
            blocks.push(Block::Entry(term, text));
            more + 1
        } else if !line.starts_with(' ') && under(list) > 0 {
            // A term too long for its column stands on a line of its own.
            let more = under(list);
            blocks.push(Block::Entry(
                line,
                rest[1..=more]
                    .iter()
                    .map(|line| line.trim_start())
                    .collect(),
            ));
            more + 1
        } else if line.starts_with(' ') {
            let kept = kept(rest);
            blocks.push(Block::Kept(rest[..kept].to_vec()));
            kept
        } else {
            let is_text =
                |line: &&&str| !line.is_empty() && !line.starts_with(' ') && entry(line).is_none();
            let more = rest.iter().take_while(is_text).count();
            blocks.push(Block::Paragraph(rest[..more].to_vec()));
            more
        };
        rest = &rest[taken..];
    }
    blocks
}

/// How many lines belong to an example: those that are indented, and blank ones between them.
fn kept(lines: &[&str]) -> usize {
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

/// The term of a list's entry, and the column where what it is begins.
fn entry(line: &str) -> Option<(&str, usize)> {
    let start = indentation(line);
    let (term, rest) = line[start..].split_once("  ")?;
    let column = line.len() - rest.trim_start().len();
    let is_term = start <= 2 && !term.starts_with('$') && !term.ends_with(['.', ':', ',']);
    is_term.then_some((term, column))
}

fn render_block(block: &Block, is_first: bool, roff: &mut Roff) {
    if !is_first && !matches!(block, Block::Entry(..)) {
        roff.control("PP", []);
    }
    match block {
        Block::Paragraph(lines) => put(lines, roff),
        Block::Entry(term, lines) => {
            roff.control("TP", []);
            roff.text([bold(*term)]);
            // The shape of an object has a line to itself.
            let (shape, text) =
                lines.split_at(usize::from(lines.len() > 1 && lines[0].starts_with('{')));
            put(shape, roff);
            if !shape.is_empty() {
                roff.control("br", []);
            }
            put(text, roff);
        }
        Block::Kept(lines) => {
            let is_wide = lines.iter().any(|line| line.chars().count() > WIDTH);
            roff.control("nf", []);
            put(
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

fn put(lines: &[&str], roff: &mut Roff) {
    for line in lines {
        roff.text([roman(*line)]);
    }
}

#[cfg(test)]
mod tests {
    use super::render;

    fn check(text: &str, expected: &str) {
        assert_eq!(render(text).to_roff(), expected);
    }

    #[test]
    fn a_line_in_capitals_opens_a_section() {
        check(
            "READS\nText\nalone.\n\nMore.\n\nMEMORY AND TIME\nA few MB.",
            ".SH READS\nText\nalone.\n.PP\nMore.\n.SH \"MEMORY AND TIME\"\nA few MB.\n",
        );
    }

    #[test]
    fn entries_of_a_list_go_on_where_lines_stand_under_what_they_are() {
        let list = ".SH READS\n.TP\n\\fBtext\\fR\nthe document;\nif it is one\n.TP\n\\fBid, url\\fR\nits name\n";
        check(
            "READS\n  text     the document;\n           if it is one\n  id, url  its name",
            list,
        );
        check(
            "READS\ntext     the document;\n         if it is one\nid, url  its name",
            list,
        );
    }

    #[test]
    fn a_long_term_and_the_shape_of_an_object_stand_alone() {
        check(
            "ADDS\n  hit  {rank, calls}\n       the first\n  id, title\n       from the index",
            ".SH ADDS\n.TP\n\\fBhit\\fR\n{rank, calls}\n.br\nthe first\n.TP\n\\fBid, title\\fR\nfrom the index\n",
        );
    }

    #[test]
    fn examples_are_kept_as_they_are() {
        let page = ".SH EXAMPLES\nCount:\n.PP\n.nf\n  $ a |\n\n      b\n.fi\n.PP\nEnd.\n";
        check("EXAMPLES\nCount:\n\n  $ a |\n\n      b\n\nEnd.", page);
        check("EXAMPLES\n  Count:\n    $ a |\n\n        b\n\n  End.", page);
    }
}
