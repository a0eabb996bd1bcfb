//! The text before and after an occurrence, on one line.

use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Clusters of no width that a context may have per column, such as marks without a letter.
const MAX_CLUSTERS_PER_COLUMN: usize = 4;

/// An occurrence and what is around it. Each part is on one line, without control characters and
/// marks of direction, with single blanks, and none at its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Context {
    /// The end of the text before the occurrence.
    pub left: String,
    /// The occurrence.
    pub node: String,
    /// The beginning of the text after the occurrence.
    pub right: String,
}

impl Context {
    /// Returns the context of an occurrence, with up to `columns` columns on each side.
    pub fn new(text: &str, occurrence: Range<usize>, columns: usize) -> Context {
        let before = &text[..occurrence.start];
        let mut left = collect_line(clusters_from_end(before), columns);
        left.reverse();
        let right = collect_line(clusters(&text[occurrence.end..]), columns);
        let node = collect_line(clusters(&text[occurrence]), usize::MAX);
        Context {
            left: left.concat().trim().to_owned(),
            node: node.concat().trim().to_owned(),
            right: right.concat().trim().to_owned(),
        }
    }
}

/// Returns the grapheme clusters of a text. Those of ASCII are found without Unicode's tables.
fn clusters(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let length = match rest.as_bytes() {
            [b' '..=b'~', next, ..] if next.is_ascii() => 1,
            _ => rest.graphemes(true).next()?.len(),
        };
        let cluster;
        (cluster, rest) = rest.split_at(length);
        Some(cluster)
    })
}

/// Returns the same as [`clusters`], from the end.
fn clusters_from_end(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let length = match rest.as_bytes() {
            [.., before, b' '..=b'~'] if before.is_ascii() => 1,
            _ => rest.graphemes(true).next_back()?.len(),
        };
        let cluster;
        (rest, cluster) = rest.split_at(rest.len() - length);
        Some(cluster)
    })
}

/// Returns grapheme clusters that take up to `columns` columns, with blanks for white space and
/// control characters.
fn collect_line<'a>(clusters: impl Iterator<Item = &'a str>, columns: usize) -> Vec<&'a str> {
    let mut line = Vec::new();
    let mut width = 0;
    for cluster in clusters.take(columns.saturating_mul(MAX_CLUSTERS_PER_COLUMN)) {
        if cluster.chars().all(is_direction_mark) {
            continue;
        }
        let is_blank = cluster.starts_with(|c: char| c.is_whitespace() || c.is_control());
        let cluster = if is_blank { " " } else { cluster };
        if is_blank && line.last().is_none_or(|last| *last == " ") {
            continue;
        }
        width += match cluster.len() {
            1 => 1,
            _ => cluster.width(),
        };
        if width > columns {
            break;
        }
        line.push(cluster);
    }
    line
}

/// Returns `true` for characters that change the direction of what follows.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::{Context, clusters, clusters_from_end};
    use proptest::prelude::*;
    use unicode_segmentation::UnicodeSegmentation;
    use unicode_width::UnicodeWidthStr;

    fn context(text: &str, node: &str, columns: usize) -> [String; 3] {
        let start = text.find(node).unwrap();
        let context = Context::new(text, start..start + node.len(), columns);
        [context.left, context.node, context.right]
    }

    #[test]
    fn lines_and_tabs_are_blanks_and_the_nearest_columns_are_kept() {
        let text = "Prva vrstica.\n\n\tDanes je lep\r\ndan,\u{85} zato gremo ven.";
        assert_eq!(
            context(text, "lep", 12),
            ["ca. Danes je", "lep", "dan, zato gr"]
        );
        assert_eq!(context(text, "lep\r\ndan", 3), ["je", "lep dan", ", z"]);
        assert_eq!(context("lep", "lep", 5), ["", "lep", ""]);
    }

    #[test]
    fn wide_letters_take_two_columns_and_marks_none() {
        let text = "这条小溪流过村庄，推动着水磨。";
        assert_eq!(context(text, "村庄", 5), ["流过", "村庄", "，推"]);
        assert_eq!(
            context("c\u{30c}as x c\u{30c}as", "x", 2),
            ["as", "x", "c\u{30c}a"]
        );
    }

    #[test]
    fn marks_of_direction_and_control_characters_do_not_reach_the_terminal() {
        let text = "a\u{202e}b\u{1b}[1m x \u{2067}c\u{9b}d";
        assert_eq!(context(text, "x", 20), ["ab [1m", "x", "c d"]);
    }

    proptest! {
        #[test]
        fn clusters_are_those_of_unicode(
            text in "[ a\r\n\t\u{7f}č\u{301}\u{200d}\u{600}🇸❤한าि]{0,12}"
        ) {
            let expected: Vec<&str> = text.graphemes(true).collect();
            prop_assert_eq!(clusters(&text).collect::<Vec<_>>(), expected.clone());
            let mut from_end: Vec<&str> = clusters_from_end(&text).collect();
            from_end.reverse();
            prop_assert_eq!(from_end, expected);
        }

        #[test]
        fn any_text_gives_lines_of_limited_width(
            before in "\\PC{0,30}|\\p{Any}{0,30}", after in "\\PC{0,30}|\\p{Any}{0,30}", columns in 0_usize..20
        ) {
            let text = format!("{before}x{after}");
            let start = before.len();
            let context = Context::new(&text, start..start + 1, columns);
            for part in [&context.left, &context.right] {
                prop_assert!(part.width() <= columns, "{part:?}");
                prop_assert!(!part.contains(|c: char| c.is_control()), "{part:?}");
            }
        }
    }
}
