//! Authors in a line with the date, such as `Posted by: Ana | 1 May 2020`.
//!
//! Words that nearly all such lines of a page have at the same place, before and after the name,
//! are not part of the name. So no word of a language is known.

use super::dates::{SEPARATORS, date_shape, has_numbers_of_date, looks_like_date};
use super::label_lines::{MAX_LINE_SIZE, find_label_lines};
use super::parts::{CommentParts, Label, MAX_LABEL_SIZE, is_name};
use super::roles::has_digit;
use super::text_reader::{MAX_REST_SIZE, TextReader};
use super::thread_tree::{CommentItems, ThreadTree};
use crate::element_kind::ElementKind;
use crate::outline::text_size;
use std::collections::{BTreeMap, BTreeSet};

/// Smallest number of different lines from which common words are known.
const MIN_LINES: usize = 3;
/// Smallest share of the lines that have a common word.
const MIN_SHARE: f32 = 0.9;
/// Smallest share of the dates that have the same form.
const MIN_SHARE_OF_SHAPE: f32 = 0.5;
/// Most words of a line that are looked at, at either end, which bounds the time.
const MAX_WORDS: usize = 16;
/// Lines at either end of a comment that may have its author and date.
const MAX_LINES: usize = 2;

/// Most different texts after a name that are tried, which bounds the time.
const MAX_RESTS: usize = 16;

/// A line of a comment, whose number is given.
type CommentLine = (usize, String);

/// Adds the authors in the lines of the dates, and removes what all authors have in common.
pub(super) fn add_authors_of_bylines(items: &CommentItems, parts: &mut [CommentParts]) {
    add_authors_beside_dates(items, parts);
    for is_outside_body in [true, false] {
        add_bylines_at_ends(items, parts, is_outside_body);
    }
    remove_rests(parts);
    remove_common_words(parts);
}

/// Adds the authors before the dates that are known, in their lines, or in the dates themselves.
fn add_authors_beside_dates(items: &CommentItems, parts: &mut [CommentParts]) {
    let tree = items.tree;
    let mut before: Vec<CommentLine> = Vec::new();
    let mut whole: Vec<CommentLine> = Vec::new();
    for (index, (part, &item)) in parts.iter().zip(&items.numbers).enumerate() {
        let Some(date) = part.date.as_ref().filter(|_| part.author.is_none()) else {
            continue;
        };
        let line = text_before_in_line(tree, item, date.element);
        if line.chars().any(char::is_alphanumeric) {
            before.push((index, line));
        } else {
            whole.push((index, date.text.clone()));
        }
    }
    for (index, name) in without_common_words(&before) {
        let element = parts[index].date.as_ref().map_or(0, |date| date.element);
        if set_author(&mut parts[index], element, name) {
            skip_line(items, items.numbers[index], &mut parts[index], element);
        }
    }
    for (index, name, date) in split_bylines(&whole) {
        let element = parts[index].date.as_ref().map_or(0, |date| date.element);
        if set_author(&mut parts[index], element, name) {
            parts[index].date = Some(Label::new(element, date));
        }
    }
}

/// Removes the words that nearly all authors have in common, such as "by", but from those that
/// microdata or a microformat tells.
fn remove_common_words(parts: &mut [CommentParts]) {
    let authors: Vec<CommentLine> = parts
        .iter()
        .enumerate()
        .filter_map(|(index, part)| Some((index, part.author.as_ref()?)))
        .filter(|(_, author)| !author.is_declared)
        .map(|(index, author)| (index, author.text.clone()))
        .collect();
    for (index, name) in without_common_words(&authors) {
        if let Some(label) = &mut parts[index].author {
            label.text = name;
        }
    }
}

/// Adds the authors and dates of comments without any, from a line at the beginning or the end of
/// what is outside of the body, or of all.
fn add_bylines_at_ends(items: &CommentItems, parts: &mut [CommentParts], is_outside_body: bool) {
    let tree = items.tree;
    let lines: Vec<(usize, Vec<String>)> = (0..items.numbers.len())
        .filter(|&index| parts[index].author.is_none() && parts[index].date.is_none())
        .map(|index| {
            let reader = TextReader::new(items, &parts[index], items.numbers[index]);
            let lines = reader.all_lines(is_outside_body);
            let texts = lines.iter().map(|line| line.without_inner_links(tree));
            (index, texts.collect())
        })
        .collect();
    let is_byline = |line: &&String| {
        let has_letter = line.chars().any(char::is_alphabetic);
        has_letter && has_digit(line) && text_size(line) <= MAX_LINE_SIZE
    };
    let find_byline = |lines: &[String]| {
        let with_date = lines
            .iter()
            .filter(is_byline)
            .find(|line| has_numbers_of_date(line));
        with_date.or_else(|| lines.iter().find(is_byline)).cloned()
    };
    for is_from_end in [false, true] {
        let bylines: Vec<CommentLine> = lines
            .iter()
            .filter_map(|(index, lines)| {
                let ends = match is_from_end {
                    true => lines.iter().rev().take(MAX_LINES).cloned().collect(),
                    false => lines.iter().take(MAX_LINES).cloned().collect::<Vec<_>>(),
                };
                Some((*index, find_byline(&ends)?))
            })
            .collect();
        let split = split_bylines(&bylines);
        if split.is_empty() || !is_most(bylines.len(), lines.len()) {
            continue;
        }
        let texts: BTreeMap<usize, String> = bylines.into_iter().collect();
        for (index, name, date) in split {
            let element = items.numbers[index];
            if set_author(&mut parts[index], element, name) {
                parts[index].date = Some(Label::new(element, date));
                parts[index].byline = texts.get(&index).cloned();
            }
        }
        return;
    }
}

/// Marks the line of an element as no part of the text, if it is a line of author and date.
fn skip_line(items: &CommentItems, item: usize, parts: &mut CommentParts, element: usize) {
    let tree = items.tree;
    let labels = [&parts.author, &parts.date];
    let labels: usize = labels
        .into_iter()
        .flatten()
        .map(|label| text_size(&label.text))
        .sum();
    let lines = find_label_lines(items, item, parts);
    let line = lines.iter().find(|line| {
        let is_label = line.size_without_links(tree) <= labels + MAX_REST_SIZE;
        is_label && line.is_in(element, tree.nodes[element].end)
    });
    parts
        .label_nodes
        .extend(line.iter().flat_map(|line| &line.nodes));
}

/// Removes from the authors what follows a name in the elements of the other authors: "said" of an
/// author without a link, if it follows the links of others.
fn remove_rests(parts: &mut [CommentParts]) {
    let rests: BTreeSet<String> = parts
        .iter()
        .filter_map(|part| part.author.as_ref()?.rest.clone())
        .collect();
    let is_end_of_word = |name: &str, rest: &str| {
        name.ends_with(char::is_whitespace) || !rest.starts_with(char::is_alphanumeric)
    };
    for author in parts.iter_mut().filter_map(|part| part.author.as_mut()) {
        let name = rests.iter().take(MAX_RESTS).find_map(|rest| {
            let name = author.text.strip_suffix(rest.as_str())?;
            is_end_of_word(name, rest).then_some(name)
        });
        if let Some(name) = name.map(str::trim_end).filter(|name| !name.is_empty()) {
            author.text = name.to_owned();
        }
    }
}

/// Sets an author that is in a line of an element. Returns `false` if the text is no name.
fn set_author(parts: &mut CommentParts, element: usize, text: String) -> bool {
    let is_name = text.chars().any(char::is_alphabetic) && text_size(&text) <= MAX_LABEL_SIZE;
    if is_name {
        parts.author = Some(Label::new(element, text));
    }
    is_name
}

/// Returns the text before an element in its line.
fn text_before_in_line(tree: &ThreadTree, item: usize, element: usize) -> String {
    let mut block = element;
    while block > item && tree.nodes[block].kind.set_bit() == 0 {
        block = tree.nodes[block].parent;
    }
    let mut line = String::new();
    // The element may be in a sibling before the item.
    let nodes = tree.nodes.get(block.max(item)..element);
    for node in nodes.unwrap_or_default() {
        match node.kind {
            ElementKind::Inline | ElementKind::Link => line.push_str(&node.text),
            ElementKind::Gap => line.push(' '),
            _ => line.clear(),
        }
    }
    line
}

/// Returns `true` for a word with a digit and no letter.
pub(super) fn is_number(word: &str) -> bool {
    has_digit(word) && !word.chars().any(char::is_alphabetic)
}

fn is_most(count: usize, all: usize) -> bool {
    count as f32 >= MIN_SHARE * all as f32
}

/// The words of lines, and those at the same place in nearly all of them.
struct CommonWords<'a> {
    /// The number and the words of each line.
    lines: Vec<(usize, Vec<&'a str>)>,
    /// Number of words before what differs: common words, and numbers between them.
    before: usize,
}

impl<'a> CommonWords<'a> {
    /// Returns `None` if there are too few different lines.
    fn new(lines: &'a [CommentLine]) -> Option<CommonWords<'a>> {
        let different: BTreeSet<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
        if different.len() < MIN_LINES {
            return None;
        }
        let words = |(index, line): &'a CommentLine| (*index, line.split_whitespace().collect());
        let mut common = CommonWords {
            lines: lines.iter().map(words).collect(),
            before: 0,
        };
        common.before = common.count_before();
        Some(common)
    }

    /// Returns the word that nearly all lines have at a position, counted from the end if wanted.
    fn word_at(&self, position: usize, is_from_end: bool) -> Option<&'a str> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, words) in &self.lines {
            if let Some(word) = word_at(words, position, is_from_end) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let (word, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
        is_most(count, self.lines.len()).then_some(word)
    }

    fn count_before(&self) -> usize {
        let mut before = 0;
        for position in 0..MAX_WORDS {
            if self.word_at(position, false).is_some() {
                before = position + 1;
                continue;
            }
            let is_number = |(_, words): &&(usize, Vec<&str>)| {
                words.get(position).is_some_and(|word| has_digit(word))
            };
            if !is_most(
                self.lines.iter().filter(is_number).count(),
                self.lines.len(),
            ) {
                break;
            }
        }
        before
    }
}

fn word_at<'a>(words: &[&'a str], position: usize, is_from_end: bool) -> Option<&'a str> {
    match is_from_end {
        true => words.iter().rev().nth(position).copied(),
        false => words.get(position).copied(),
    }
}

/// Returns the lines without the words that nearly all have in common at the beginning and at the
/// end. Leaves out those of which nothing remains.
fn without_common_words(lines: &[CommentLine]) -> Vec<CommentLine> {
    let Some(common) = CommonWords::new(lines) else {
        return Vec::new();
    };
    let after = (0..MAX_WORDS)
        .take_while(|&position| common.word_at(position, true).is_some())
        .count();
    let before = common.before;
    let rest = common.lines.iter().filter_map(|(index, words)| {
        let end = words.len().checked_sub(after)?;
        let name = words.get(before..end)?.join(" ");
        (!name.is_empty()).then_some((*index, name))
    });
    rest.collect()
}

/// Returns the author and the date of each line, if nearly all lines have the same between them: a
/// separator, or a word, at the same distance from the end.
fn split_bylines(lines: &[CommentLine]) -> Vec<(usize, String, String)> {
    let split = split_at_best(lines);
    let mut shapes: BTreeMap<String, usize> = BTreeMap::new();
    for (_, _, date) in &split {
        *shapes.entry(date_shape(date)).or_default() += 1;
    }
    // Sentences with numbers have no form in common.
    let most = shapes.into_values().max().unwrap_or_default();
    match most as f32 >= MIN_SHARE_OF_SHAPE * split.len() as f32 {
        true => split,
        false => Vec::new(),
    }
}

fn split_at_best(lines: &[CommentLine]) -> Vec<(usize, String, String)> {
    let separators = SEPARATORS.iter().find_map(|separator| {
        let split = split_at_separator(lines, separator);
        (!split.is_empty()).then_some(split)
    });
    separators.unwrap_or_else(|| {
        // Dates have commas, too, and common words may be those of the date: `1 May, 2008`.
        let by_comma = match CommonWords::new(lines) {
            Some(_) => split_at_separator(lines, ","),
            None => Vec::new(),
        };
        let by_word = split_at_common_word(lines);
        let size = |split: &[(usize, String, String)]| -> usize {
            split.iter().map(|(_, name, _)| text_size(name)).sum()
        };
        let is_shorter = by_word.is_empty() || size(&by_comma) < size(&by_word);
        match !by_comma.is_empty() && is_shorter {
            true => by_comma,
            false => by_word,
        }
    })
}

/// Returns the author and the date of each line, if a separator is between them in nearly all
/// lines, and either the author or the date is first in all of them.
fn split_at_separator(lines: &[CommentLine], separator: &str) -> Vec<(usize, String, String)> {
    let before = CommonWords::new(lines).map_or(0, |common| common.before);
    let rest = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().skip(before).collect();
        words.join(" ")
    };
    let split = |line: &str, is_date_first: bool| {
        let (name, date) = match is_date_first {
            true => {
                let (date, name) = line.rsplit_once(separator)?;
                (name.to_owned(), date.to_owned())
            }
            false => {
                let line = rest(line);
                let (name, date) = line.split_once(separator)?;
                (name.to_owned(), date.to_owned())
            }
        };
        let may_be_name = !has_digit(&name) || separator != ",";
        let is_split =
            may_be_name && is_name(&name) && !looks_like_date(&name) && looks_like_date(&date);
        is_split.then(|| (name.trim().to_owned(), date.trim().to_owned()))
    };
    let split_all = |is_date_first: bool| {
        let parts: Vec<_> = lines
            .iter()
            .filter_map(|(index, line)| {
                let (name, date) = split(line, is_date_first)?;
                Some((*index, name, date))
            })
            .collect();
        (parts.len() > 1 && is_most(parts.len(), lines.len())).then_some(parts)
    };
    [false, true]
        .into_iter()
        .find_map(split_all)
        .unwrap_or_default()
}

/// Returns the author and the date of each line, if nearly all lines have a word in common between
/// them, at the same distance from the end.
fn split_at_common_word(lines: &[CommentLine]) -> Vec<(usize, String, String)> {
    let Some(common) = CommonWords::new(lines) else {
        return Vec::new();
    };
    let split_at = |position: usize| {
        let separator = common
            .word_at(position, true)
            .filter(|word| !has_digit(word))?;
        let parts = common.lines.iter().filter_map(|(index, words)| {
            let end = words.len().checked_sub(position + 1)?;
            let name = words.get(common.before..end)?;
            // A word such as "May" is a part of the date.
            let is_upper = separator.chars().any(char::is_uppercase);
            let date = words[end + usize::from(!is_upper)..].join(" ");
            let is_split = words[end] == separator
                && !name.is_empty()
                && !name.iter().any(|word| is_number(word))
                && has_digit(&date)
                && (date.chars().any(char::is_alphabetic) || looks_like_date(&date));
            is_split.then(|| (*index, name.join(" "), date))
        });
        let parts: Vec<_> = parts.collect();
        is_most(parts.len(), lines.len()).then_some(parts)
    };
    (0..MAX_WORDS).rev().find_map(split_at).unwrap_or_default()
}
