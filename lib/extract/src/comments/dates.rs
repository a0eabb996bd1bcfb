//! Dates in lines with the author of a comment, or beside them.

use super::label_lines::{LabelLine, find_label_lines};
use super::parts::{CommentParts, Label, MAX_LABEL_SIZE};
use super::text_reader::MAX_REST_SIZE;
use super::thread_tree::{CommentItems, ThreadTree};
use crate::outline::text_size;
use std::collections::HashMap;

/// Number of digits of a year.
const YEAR_DIGITS: usize = 4;
/// Most letters of a time: `pm EDT`.
const MAX_LETTERS_OF_TIME: usize = 6;
/// What separates the parts of a line: author, date, links.
pub(super) const SEPARATORS: [&str; 10] = ["|", "｜", "·", "•", "»", "—", "–", " - ", " / ", "／"];

/// Returns `true` if a text is short and has the numbers of a date.
pub(super) fn looks_like_date(text: &str) -> bool {
    text_size(text) <= MAX_LABEL_SIZE && has_numbers_of_date(text)
}

/// Returns `true` if a text has the numbers of a date: one of four digits, as a year has, and
/// another one; three with only a dot, a hyphen or a slash between; or a time and another number.
pub(super) fn has_numbers_of_date(text: &str) -> bool {
    if text.contains("://") {
        return false;
    }
    let numbers = NumberRuns::new(text);
    let has_year = numbers.digits.contains(&YEAR_DIGITS);
    match numbers.digits.len() {
        0 | 1 => false,
        2 => has_year,
        _ => has_year || numbers.longest_joined >= 3 || numbers.has_time,
    }
}

/// The numbers in a text.
#[derive(Debug, Default)]
struct NumberRuns {
    /// Number of digits of each.
    digits: Vec<usize>,
    /// Most numbers in a row with only a dot, a hyphen or a slash between.
    longest_joined: usize,
    /// True for two numbers with a colon between.
    has_time: bool,
}

impl NumberRuns {
    fn new(text: &str) -> NumberRuns {
        let mut runs = NumberRuns::default();
        // What is between the last number and the current character.
        let mut between = String::new();
        let mut joined = 0;
        let mut is_in_number = false;
        for c in text.chars() {
            if !c.is_numeric() {
                is_in_number = false;
                between.push(c);
                continue;
            }
            if !is_in_number {
                let is_joined = joined > 0 && matches!(between.as_str(), "." | "-" | "/");
                joined = if is_joined { joined + 1 } else { 1 };
                runs.longest_joined = runs.longest_joined.max(joined);
                runs.has_time |= !runs.digits.is_empty() && between == ":";
                runs.digits.push(0);
                between.clear();
                is_in_number = true;
            }
            if let Some(count) = runs.digits.last_mut() {
                *count += 1;
            }
        }
        runs
    }
}

/// Returns the first part of a text between separators that looks like a date, with a time that
/// follows it as a part of its own.
pub(super) fn date_in(text: &str) -> Option<String> {
    let is_separator = |c: char| matches!(c, '|' | '｜' | '·' | '•' | '»' | '—' | '–');
    let mut start = 0;
    for part in text.split(is_separator) {
        let end = start + part.len();
        if looks_like_date(part) {
            let rest = &text[end..];
            let time = rest.split(is_separator).nth(1).filter(|part| is_time(part));
            let separator = rest.chars().next().map_or(0, char::len_utf8);
            let end = end + time.map_or(0, |time| separator + time.len());
            return Some(text[start..end].trim().to_owned());
        }
        start = end + text[end..].chars().next().map_or(0, char::len_utf8);
    }
    None
}

/// Returns `true` for a time, such as `3:04 pm`.
fn is_time(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let numbers = NumberRuns::new(text);
    numbers.has_time && numbers.digits.len() <= 3 && letters <= MAX_LETTERS_OF_TIME
}

/// Returns what dates of one template have in common: a text with `0` for each number and `a` for
/// each word.
pub(super) fn date_shape(text: &str) -> String {
    let class = |c: char| match c {
        c if c.is_numeric() => '0',
        c if c.is_alphabetic() => 'a',
        c => c,
    };
    let mut shape: Vec<char> = text.chars().map(class).collect();
    shape.dedup_by(|later, first| later == first && matches!(first, '0' | 'a' | ' '));
    shape.into_iter().collect()
}

/// Returns `true` if a text has a number of four digits, as a year has, and a time.
pub(super) fn has_year_and_time(text: &str) -> bool {
    let numbers = NumberRuns::new(text);
    numbers.has_time && numbers.digits.contains(&YEAR_DIGITS)
}

/// A date in a line of a comment.
struct DateInLine {
    line: LabelLine,
    date: String,
    shape: String,
}

/// Adds the dates of comments without one: in a line beside the text, or in one of the text that
/// has not much but the author and the date. In the text, another comment must have a date of the
/// same template, or the date a year and a time, since any sentence may have numbers.
pub(super) fn add_dates_in_lines(items: &CommentItems, parts: &mut [CommentParts]) {
    let missing = (0..items.numbers.len()).filter(|&index| parts[index].date.is_none());
    let dates: Vec<(usize, DateInLine)> = missing
        .filter_map(|index| {
            let date = find_date_in_lines(items, items.numbers[index], &parts[index])?;
            Some((index, date))
        })
        .collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for (_, date) in &dates {
        *counts.entry(&date.shape).or_default() += 1;
    }
    let is_date = |date: &DateInLine| {
        !date.line.is_in_text || counts[&*date.shape] > 1 || has_year_and_time(&date.date)
    };
    for (index, date) in dates.iter().filter(|(_, date)| is_date(date)) {
        let element = date.line.nodes.first().copied().unwrap_or_default();
        parts[*index].date = Some(Label::new(element, date.date.clone()));
        parts[*index].label_nodes.extend(&date.line.nodes);
    }
}

/// Returns the first date in the lines of a comment: beside its text, then in it.
fn find_date_in_lines(
    items: &CommentItems,
    item: usize,
    parts: &CommentParts,
) -> Option<DateInLine> {
    let tree = items.tree;
    let mut lines = find_label_lines(items, item, parts);
    // In the line of the author is the date; in another one may be a sentence.
    let author = parts.author.as_ref();
    let has_author = |line: &LabelLine| {
        author.is_some_and(|author| line.is_in(author.element, tree.nodes[author.element].end))
    };
    lines.sort_by_key(|line| (line.is_in_text, !has_author(line)));
    lines.into_iter().find_map(|line| {
        let date = date_of_line(tree, &line, author)?;
        let author = author.filter(|_| has_author(&line));
        let labels = text_size(&date) + author.map_or(0, |author| text_size(&author.text));
        let is_label = line.size_without_links(tree) <= labels + MAX_REST_SIZE;
        (!line.is_in_text || is_label).then(|| DateInLine {
            shape: date_shape(&date),
            line,
            date,
        })
    })
}

/// Returns the date in a line: after the author, before it, or anywhere; without links, if
/// possible.
fn date_of_line(tree: &ThreadTree, line: &LabelLine, author: Option<&Label>) -> Option<String> {
    let all = 0..usize::MAX;
    let ranges = match author {
        Some(author) => vec![
            tree.nodes[author.element].end..usize::MAX,
            0..author.element,
            all,
        ],
        None => vec![all],
    };
    let without_name = |text: String| {
        let rest = author.and_then(|author| text.strip_prefix(&author.text));
        let rest = rest.filter(|rest| !rest.starts_with(char::is_alphanumeric));
        rest.map_or(text.clone(), str::to_owned)
    };
    [false, true].into_iter().find_map(|with_links| {
        let mut texts = ranges
            .iter()
            .map(|range| without_name(line.text_in(tree, range.clone(), with_links)));
        texts.find_map(|text| date_in(&text))
    })
}

#[cfg(test)]
mod tests {
    use super::{date_in, looks_like_date};

    #[test]
    fn dates_have_a_year_or_three_joined_numbers_or_a_time() {
        for date in [
            "May 1st, 2008 at 3:04 pm",
            "Fri, 2012-11-09 18:05",
            "11/7/12",
            "2012年11月9日",
            "٩ نوفمبر ٢٠١٢",
            "9. 8. at 12:31",
        ] {
            assert!(looks_like_date(date), "{date}");
        }
        for other in [
            "4 comments",
            "Reply #2 of 17",
            "yesterday at 12:31",
            "5/5",
            "",
        ] {
            assert!(!looks_like_date(other), "{other}");
        }
    }

    #[test]
    fn a_date_in_a_line_is_what_is_between_separators() {
        assert_eq!(
            date_in("written on May 1, 2008 | 17 | Reply").as_deref(),
            Some("written on May 1, 2008")
        );
        assert_eq!(
            date_in("Fri, 05/01/2008 - 18:05 | 26").as_deref(),
            Some("Fri, 05/01/2008 - 18:05")
        );
        assert_eq!(
            date_in("Nov 06 2012 — 1:13pm | Reply").as_deref(),
            Some("Nov 06 2012 — 1:13pm")
        );
        assert_eq!(date_in("4 of 17"), None);
    }
}
