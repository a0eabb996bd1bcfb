//! Contexts in columns, so that the occurrences are one below the other.

use crate::context::Context;
use unicode_bidi::{BidiClass, bidi_class};
use unicode_width::UnicodeWidthStr;

/// The columns that most occurrences fit in, where a terminal limits the lines.
const NODE_COLUMNS: usize = 20;

/// The columns between an occurrence and its context, which show where it begins and ends.
const GAP: &str = "  ";

/// The first character that is written from right to left.
const FIRST_RTL: char = '\u{590}';

/// The alignment of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// The columns of the context on each side.
    pub columns: usize,
    /// The columns of a line; longer ones lose the end of their right context.
    line_columns: usize,
}

impl Layout {
    /// Creates a layout with `columns` columns on each side of the occurrence.
    pub fn with_context(columns: usize) -> Layout {
        Layout {
            columns,
            line_columns: usize::MAX,
        }
    }

    /// Creates a layout for lines of `columns` columns.
    pub fn with_line(columns: usize) -> Layout {
        Layout {
            columns: columns.saturating_sub(NODE_COLUMNS + 2 * GAP.len()) / 2,
            line_columns: columns,
        }
    }

    /// Returns the line of an occurrence, with `source` at its end.
    ///
    /// If the line has letters that are written from right to left, each part is isolated (UAX 9),
    /// and the line has the direction of the occurrence, so that a terminal or editor that knows
    /// directions shows the parts in columns, too.
    pub fn format(&self, context: &Context, source: Option<&str>) -> String {
        let Context { left, node, right } = context;
        let before = " ".repeat(self.columns.saturating_sub(left.width()));
        let used = self.columns + 2 * GAP.len() + node.width();
        let right = clip(right, self.line_columns.saturating_sub(used));
        let direction = direction(context);
        let [left, node, right] = [left, node, right].map(|part| match part {
            part if direction.is_some() && !part.is_empty() => format!("\u{2068}{part}\u{2069}"),
            part => part.to_owned(),
        });
        let mut line = direction.unwrap_or_default().to_owned();
        for part in [before.as_str(), &left, GAP, &node, GAP, &right] {
            line.push_str(part);
        }
        if let Some(source) = source {
            let after = self.columns.saturating_sub(right.width());
            line += &" ".repeat(after);
            line += GAP;
            line += source;
        }
        line.trim_end().to_owned()
    }
}

/// Returns the mark of the direction of a line; `None` if all of it is written from left to right.
fn direction(context: &Context) -> Option<&'static str> {
    let is_rtl = |c| c >= FIRST_RTL && matches!(bidi_class(c), BidiClass::R | BidiClass::AL);
    let Context { left, node, right } = context;
    if ![left, node, right].iter().any(|part| part.contains(is_rtl)) {
        return None;
    }
    let is_strong = |c: &char| is_rtl(*c) || bidi_class(*c) == BidiClass::L;
    let first = node.chars().chain(left.chars()).find(is_strong);
    Some(match first {
        Some(c) if is_rtl(c) => "\u{200f}",
        _ => "\u{200e}",
    })
}

/// Returns the beginning of `text` that has at most `columns` columns.
fn clip(text: &str, columns: usize) -> &str {
    if text.width() <= columns {
        return text;
    }
    let ends = text.char_indices().map(|(index, c)| index + c.len_utf8());
    let mut kept = 0;
    for end in ends {
        if text[..end].width() > columns {
            break;
        }
        kept = end;
    }
    text[..kept].trim_end()
}

#[cfg(test)]
mod tests {
    use super::Layout;
    use crate::context::Context;

    fn context(left: &str, node: &str, right: &str) -> Context {
        Context {
            left: left.into(),
            node: node.into(),
            right: right.into(),
        }
    }

    #[test]
    fn occurrences_begin_in_the_same_column() {
        let layout = Layout::with_context(8);
        let lines = [
            layout.format(&context("Danes je", "lep", "dan."), None),
            layout.format(&context("流过", "村庄", "，推动"), None),
            layout.format(&context("", "Lep", ""), None),
            layout.format(&context("je", "lep", "dan."), Some("http://a.test/")),
        ];
        assert_eq!(
            lines,
            [
                "Danes je  lep  dan.",
                "    流过  村庄  ，推动",
                "          Lep",
                "      je  lep  dan.      http://a.test/",
            ]
        );
    }

    #[test]
    fn a_line_of_a_terminal_loses_the_end_of_its_right_context() {
        let layout = Layout::with_line(44);
        assert_eq!(layout.columns, 10);
        let long = "x".repeat(25);
        let line = layout.format(&context("a", &long, "0123456789"), None);
        assert_eq!(line, format!("         a  {long}  01234"));
        let line = layout.format(&context("a", &long, "世界世界世界"), None);
        assert_eq!(line, format!("         a  {long}  世界"));
    }

    #[test]
    fn parts_of_a_line_from_right_to_left_are_isolated() {
        let layout = Layout::with_context(4);
        let line = layout.format(&context("قال", "abc", "نعم"), None);
        assert!(line.starts_with('\u{200e}'), "{line:?}");
        let line = layout.format(&context("a", "قال", "b"), None);
        assert_eq!(
            line,
            "\u{200f}   \u{2068}a\u{2069}  \u{2068}قال\u{2069}  \u{2068}b\u{2069}"
        );
    }
}
