//! What remains to be removed from the parts of comments when all are known.

use super::dates::{date_in, looks_like_date};
use super::parts::{CommentParts, MIN_LABELS};
use super::roles::has_digit;
use std::collections::{BTreeMap, BTreeSet};

/// Smallest share of the comments that have a line which is no part of their texts, such as
/// "Reply", or a number before their authors.
const MIN_SHARE: f32 = 0.8;
/// Smallest number of comments with such a line at the beginning: fewer may begin with the same
/// greeting.
const MIN_COMMENTS_AT_BEGINNING: usize = 5;
/// Lines at either end of a comment that may be such a line, and their largest size in characters.
const MAX_LINES: usize = 3;
const MAX_LINE_CHARS: usize = 60;

/// Smallest number of digits of a date without letters.
const MIN_DIGITS: usize = 4;

/// Removes from the dates the author and what a separator or a bracket cuts off, and dates that are
/// only a number.
pub(super) fn tidy_dates(parts: &mut [CommentParts]) {
    for part in parts {
        let author = part.author.as_ref().map(|author| author.text.clone());
        let Some(date) = &mut part.date else {
            continue;
        };
        let after_author = author.and_then(|author| {
            let (before, after) = date.text.split_once(&author)?;
            let is_letter = |c: char| c.is_alphanumeric();
            if before.ends_with(is_letter) || after.starts_with(is_letter) {
                return None;
            }
            let is_date = |text: &&str| looks_like_date(text);
            Some([after, before].into_iter().find(is_date)?.to_owned())
        });
        if let Some(text) = after_author {
            date.text = text;
        }
        if let Some(text) = date_in(&date.text) {
            date.text = text;
        }
        let (before, _) = date
            .text
            .split_once(['[', '(', '#'])
            .unwrap_or((&date.text, ""));
        if looks_like_date(before) {
            date.text = before.trim().to_owned();
        }
        if is_only_number(&date.text) {
            part.date = None;
        }
    }
}

/// Returns `true` for a number that is no date, and for a text whose only number is 0: "0
/// comments".
fn is_only_number(date: &str) -> bool {
    let digits: Vec<char> = date.chars().filter(|c| c.is_numeric()).collect();
    let has_letter = date.chars().any(char::is_alphabetic);
    digits.len() < MIN_DIGITS && !has_letter || digits == ['0']
}

/// Removes the numbers of the comments and URLs from the authors: `12. Ana http://a.test`.
pub(super) fn tidy_authors(parts: &mut [CommentParts]) {
    for author in parts.iter_mut().filter_map(|part| part.author.as_mut()) {
        let url = ["http://", "https://"]
            .iter()
            .find_map(|scheme| author.text.find(scheme));
        if let Some(start) = url.filter(|&start| start > 0) {
            author.text.truncate(start);
        }
    }
    let without_number = |name: &str| {
        let (number, name) = name.split_once(char::is_whitespace)?;
        let is_number = has_digit(number) && !number.chars().any(char::is_alphabetic);
        is_number.then(|| name.trim().to_owned())
    };
    let authors = parts.iter().filter_map(|part| part.author.as_ref());
    let names: Vec<Option<String>> = authors.map(|author| without_number(&author.text)).collect();
    let count = names.iter().flatten().count();
    if count < MIN_LABELS || (count as f32) < MIN_SHARE * names.len() as f32 {
        return;
    }
    let authors = parts.iter_mut().filter_map(|part| part.author.as_mut());
    for (author, name) in authors.zip(names) {
        author.text = name.unwrap_or(author.text.clone());
    }
}

/// Removes short lines that nearly all comments have, numbers aside, at the beginning or the end:
/// "Reply", "Rating: 3". A comment keeps its text if that is all.
pub(super) fn remove_repeated_lines(texts: &mut [String]) {
    if texts.len() < MIN_LABELS {
        return;
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let first_lines = match texts.len() < MIN_COMMENTS_AT_BEGINNING {
        true => 0,
        false => MAX_LINES,
    };
    for text in &*texts {
        let lines: BTreeSet<String> = lines_at_ends(text, first_lines)
            .map(|(_, line)| without_digits(line))
            .collect();
        for line in lines {
            *counts.entry(line).or_default() += 1;
        }
    }
    let min_count = MIN_SHARE * texts.len() as f32;
    counts.retain(|_, count| *count as f32 >= min_count);
    if counts.is_empty() {
        return;
    }
    for text in texts {
        let removed: BTreeSet<usize> = lines_at_ends(text, first_lines)
            .filter(|(_, line)| counts.contains_key(&without_digits(line)))
            .map(|(number, _)| number)
            .collect();
        let kept: Vec<&str> = text
            .lines()
            .enumerate()
            .filter(|(number, _)| !removed.contains(number))
            .map(|(_, line)| line)
            .collect();
        if !kept.is_empty() {
            *text = kept.join("\n");
        }
    }
}

/// Returns the short ones of the first lines and of the last lines of a text, with their numbers.
fn lines_at_ends(text: &str, first_lines: usize) -> impl Iterator<Item = (usize, &str)> {
    let count = text.lines().count();
    text.lines().enumerate().filter(move |(number, line)| {
        let is_at_end = *number < first_lines || number + MAX_LINES >= count;
        is_at_end && line.chars().nth(MAX_LINE_CHARS).is_none()
    })
}

/// Returns a line without its digits and spaces.
fn without_digits(line: &str) -> String {
    line.chars()
        .filter(|c| !c.is_numeric() && !c.is_whitespace())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::remove_repeated_lines;

    #[test]
    fn lines_of_nearly_all_comments_are_removed() {
        let mut texts: Vec<String> = ["One.", "Two.\nAnd more.", "Three.", "Four."]
            .iter()
            .enumerate()
            .map(|(number, text)| format!("{text}\nRating: {number} of 5\nReply"))
            .collect();
        texts.push("Reply".to_owned());
        remove_repeated_lines(&mut texts);
        assert_eq!(
            texts,
            ["One.", "Two.\nAnd more.", "Three.", "Four.", "Reply"]
        );
    }
}
