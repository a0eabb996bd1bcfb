//! Authors in a line with the date, such as `Posted by: Ana | 1 May 2020`.
//!
//! The words that all such lines of a page have in common, before and after the name, are not part
//! of the name. So no word of a language is known.

use super::parts::{CommentParts, Label, MAX_LABEL_SIZE};
use super::roles::has_digit;
use super::thread_tree::ThreadTree;
use crate::element_kind::ElementKind;
use crate::outline::text_size;
use std::collections::BTreeSet;

/// Smallest number of different lines from which common words are known. Set by judgement, not
/// measured.
const MIN_LINES: usize = 3;

/// Adds the authors in the lines of the dates, and removes what all authors have in common.
pub(super) fn add_authors_of_bylines(
    tree: &ThreadTree,
    items: &[usize],
    parts: &mut [CommentParts],
) {
    let mut before: Vec<(usize, String)> = Vec::new();
    let mut whole: Vec<(usize, String)> = Vec::new();
    for (index, (part, &item)) in parts.iter().zip(items).enumerate() {
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
        set_author(&mut parts[index], name);
    }
    for (index, name, date) in split_bylines(&whole) {
        set_author(&mut parts[index], name);
        if let Some(label) = &mut parts[index].date {
            label.text = date;
        }
    }
    let authors: Vec<(usize, String)> = parts
        .iter()
        .enumerate()
        .filter_map(|(index, part)| Some((index, part.author.as_ref()?.text.clone())))
        .collect();
    for (index, name) in without_common_words(&authors) {
        if let Some(label) = &mut parts[index].author {
            label.text = name;
        }
    }
}

/// Sets an author that is in the line of the date.
fn set_author(parts: &mut CommentParts, text: String) {
    let is_name = text.chars().any(char::is_alphabetic) && text_size(&text) <= MAX_LABEL_SIZE;
    if let Some(date) = parts.date.as_ref().filter(|_| is_name) {
        let element = date.element;
        parts.author = Some(Label { element, text });
    }
}

/// Returns the text before an element in its line.
fn text_before_in_line(tree: &ThreadTree, item: usize, element: usize) -> String {
    let mut block = element;
    while block > item && tree.nodes[block].kind.set_bit() == 0 {
        block = tree.nodes[block].parent;
    }
    let mut line = String::new();
    for node in &tree.nodes[block.max(item)..element] {
        match node.kind {
            ElementKind::Inline | ElementKind::Link => line.push_str(&node.text),
            ElementKind::Gap => line.push(' '),
            _ => line.clear(),
        }
    }
    line
}

/// Returns the words of each line.
fn line_words(lines: &[(usize, String)]) -> Vec<Vec<&str>> {
    let words = lines
        .iter()
        .map(|(_, line)| line.split_whitespace().collect());
    words.collect()
}

/// Returns `true` if there are enough different lines.
fn are_various(lines: &[(usize, String)]) -> bool {
    let different: BTreeSet<&str> = lines.iter().map(|(_, line)| line.as_str()).collect();
    different.len() >= MIN_LINES
}

/// Returns the number of words at the beginning that all lines have in common.
fn count_common_words<'a>(lines: impl Iterator<Item = Vec<&'a str>>) -> usize {
    let mut lines = lines;
    let Some(first) = lines.next() else { return 0 };
    lines.fold(first.len(), |count, line| {
        let common = first.iter().zip(&line).take_while(|(a, b)| a == b);
        count.min(common.count())
    })
}

/// Returns the lines without the words that all have in common at the beginning and at the end, or
/// none if one would be empty.
fn without_common_words(lines: &[(usize, String)]) -> Vec<(usize, String)> {
    if !are_various(lines) {
        return Vec::new();
    }
    let words = line_words(lines);
    let reversed = words
        .iter()
        .map(|words| words.iter().rev().copied().collect());
    let before = count_common_words(words.iter().cloned());
    let after = count_common_words(reversed);
    if words.iter().any(|words| words.len() <= before + after) {
        return Vec::new();
    }
    let names = lines.iter().zip(words).map(|((index, _), words)| {
        let name = words[before..words.len() - after].join(" ");
        (*index, name)
    });
    names.collect()
}

/// Returns the author and the date of each line, if all lines have a word in common between them, at
/// the same distance from the end.
fn split_bylines(lines: &[(usize, String)]) -> Vec<(usize, String, String)> {
    if !are_various(lines) {
        return Vec::new();
    }
    let words = line_words(lines);
    let before = count_common_words(words.iter().cloned());
    let shortest = words.iter().map(Vec::len).min().unwrap_or_default();
    let is_separator = |&distance: &usize| {
        let from_end = |words: &Vec<&str>| words.len() - distance;
        let first = &words[0];
        let word = first[from_end(first)];
        words.iter().all(|words| {
            let position = from_end(words);
            words[position] == word
                && position > before
                && !words[before..=position].iter().any(|word| has_digit(word))
        })
    };
    let Some(distance) = (1..=shortest).rev().find(is_separator) else {
        return Vec::new();
    };
    let parts = lines.iter().zip(words).map(|((index, _), words)| {
        let position = words.len() - distance;
        let name = words[before..position].join(" ");
        (*index, name, words[position + 1..].join(" "))
    });
    parts.collect()
}
