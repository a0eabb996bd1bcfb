//! Dates in lines with the author of a comment, or beside them.

use super::label_lines::{LabelLine, find_label_lines};
use super::parts::{CommentParts, Label, MAX_LABEL_SIZE};
use super::text_reader::MAX_REST_SIZE;
use super::thread_tree::ThreadTree;
use crate::outline::text_size;

/// Number of digits of a year.
const YEAR_DIGITS: usize = 4;
/// Smallest share, and smallest number, of the comments that have a line with only the date at the
/// same place in their text. Set by judgement, not measured.
const MIN_SHARE: f32 = 0.8;
const MIN_COMMENTS: usize = 3;
/// Most letters of a time: `pm EDT`.
const MAX_LETTERS_OF_TIME: usize = 6;
/// What separates the parts of a line: author, date, links.
pub(super) const SEPARATORS: [&str; 8] = ["|", "·", "•", "»", "—", "–", " - ", " / "];

/// Returns `true` if a text is short and has the numbers of a date.
pub(super) fn looks_like_date(text: &str) -> bool {
    text_size(text) <= MAX_LABEL_SIZE && has_numbers_of_date(text)
}

/// Returns `true` if a text has the numbers of a date: a year and another number, three numbers with
/// only a dot, a hyphen or a slash between, or a time and another number.
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
    let is_separator = |c: char| matches!(c, '|' | '·' | '•' | '»' | '—' | '–');
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

/// Adds the dates of comments without one that are in the line of the author, or in a line beside
/// the text; and those that are alone in a line of the text, if the comment has an author or nearly
/// all comments have such a line.
pub(super) fn add_dates_in_lines(
    tree: &ThreadTree,
    items: &[usize],
    is_item: &[bool],
    parts: &mut [CommentParts],
) {
    let mut lines_alone: Vec<(usize, LabelLine)> = Vec::new();
    let mut missing = 0;
    for (index, &item) in items.iter().enumerate() {
        if parts[index].date.is_some() {
            continue;
        }
        missing += 1;
        let lines = find_label_lines(tree, item, is_item, &parts[index]);
        let author = parts[index].author.as_ref();
        let has_author = |line: &LabelLine| {
            author.is_some_and(|author| line.is_in(author.element, tree.nodes[author.element].end))
        };
        let date_of = |line: &LabelLine| date_of_line(tree, line, author);
        let beside = lines
            .iter()
            .filter(|line| !line.is_in_text || has_author(line))
            .find_map(|line| Some((line, date_of(line)?)));
        if let Some((line, date)) = beside {
            set_date(&mut parts[index], line, date);
            continue;
        }
        let alone = lines.into_iter().find(|line| {
            let rest = |date: String| text_size(&line.text) - text_size(&date) <= MAX_REST_SIZE;
            line.is_in_text && date_of(line).is_some_and(rest)
        });
        match alone {
            Some(line) if parts[index].author.is_some() => {
                if let Some(date) = date_of_line(tree, &line, None) {
                    set_date(&mut parts[index], &line, date);
                }
            }
            alone => lines_alone.extend(alone.map(|line| (index, line))),
        }
    }
    let count = lines_alone.len();
    if count >= MIN_COMMENTS && count as f32 >= MIN_SHARE * missing as f32 {
        for (index, line) in lines_alone {
            if let Some(date) = date_of_line(tree, &line, None) {
                set_date(&mut parts[index], &line, date);
            }
        }
    }
}

/// Returns the date in a line: after the author, before it, or anywhere; without links, if possible.
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
    let without_name = |text: String| match author {
        Some(author) => text
            .strip_prefix(&author.text)
            .map_or(text.clone(), str::to_owned),
        None => text,
    };
    [false, true].into_iter().find_map(|with_links| {
        let mut texts = ranges
            .iter()
            .map(|range| without_name(line.text_in(tree, range.clone(), with_links)));
        texts.find_map(|text| date_in(&text))
    })
}

fn set_date(parts: &mut CommentParts, line: &LabelLine, date: String) {
    let element = line.nodes.first().copied().unwrap_or_default();
    parts.date = Some(Label::new(element, date));
    parts.label_nodes.extend(&line.nodes);
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
