//! What is no comment, though it is named or repeated like one: a request to log in, a count of
//! comments, a list of the most discussed articles.

use super::parts::CommentParts;
use super::text_reader::MAX_REST_SIZE;
use super::thread_tree::CommentItems;
use crate::outline::text_size;
use crate::paragraphs::letters_and_digits;
use std::collections::{BTreeSet, HashMap};

/// Largest share of links in a comment without author and date.
const MAX_LINK_SHARE: f32 = 0.5;
/// Smallest size of a comment without author and date if others have one, and smallest mean size if
/// none has one.
const MIN_SIZE: usize = 40;
const MIN_MEAN_SIZE: usize = 80;
/// Smallest share of the comments with the same text by which it is a label.
const MIN_LABEL_SHARE: f32 = 0.33;
/// Number of comments up to which a name that is only set off is no evidence: it may be a heading.
const MAX_FEW: usize = 2;

/// Returns for each item if it is a comment. One that tells its author is, and one that microdata
/// declares. One that tells its date only must not be mainly links. Another one must be text of its
/// own: not mainly links, not the same as another, and not short among others that tell their
/// authors, unless its id is that of a comment. An only one is none.
pub(super) fn credible_items(
    items: &CommentItems,
    parts: &[CommentParts],
    texts: &[String],
) -> Vec<bool> {
    let items = ItemsWithTexts::new(items, parts, texts);
    let has_labels = with_labels(parts);
    let others: Vec<usize> = (0..texts.len())
        .filter(|&index| !has_labels[index] && items.is_text_of_its_own(index))
        .collect();
    let are_other_texts = match has_labels.contains(&true) {
        true => others.iter().map(|&index| items.is_long(index)).collect(),
        false => vec![items.are_long(&others); others.len()],
    };
    let mut is_comment: Vec<bool> = (0..texts.len())
        .map(|index| items.is_declared(index) || has_labels[index] && items.is_text(index))
        .collect();
    for (index, is_text) in others.into_iter().zip(are_other_texts) {
        is_comment[index] |= is_text;
    }
    is_comment
}

/// The comments with what is known of them.
struct ItemsWithTexts<'a> {
    items: &'a CommentItems<'a>,
    parts: &'a [CommentParts],
    texts: &'a [String],
    /// Number of comments with the letters of each.
    counts: Vec<usize>,
}

impl ItemsWithTexts<'_> {
    fn new<'a>(
        items: &'a CommentItems<'a>,
        parts: &'a [CommentParts],
        texts: &'a [String],
    ) -> ItemsWithTexts<'a> {
        let letters: Vec<String> = texts.iter().map(|text| letters_and_digits(text)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for text in &letters {
            *counts.entry(text).or_default() += 1;
        }
        let counts = letters.iter().map(|text| counts[text.as_str()]).collect();
        ItemsWithTexts {
            items,
            parts,
            texts,
            counts,
        }
    }

    fn is_declared(&self, index: usize) -> bool {
        self.items.tree.nodes[self.items.numbers[index]]
            .roles
            .is_comment
    }

    /// Returns `true` if a comment with an author or a date is no label that others have, too. One
    /// that tells its date only, or is the only one and tells no date, must not be mainly links,
    /// and the latter no list.
    fn is_text(&self, index: usize) -> bool {
        let CommentParts { author, date, .. } = &self.parts[index];
        let count = self.counts[index];
        let is_label = match date {
            Some(date) => date.text == self.texts[index],
            None => count > 1 && text_size(&self.texts[index]) <= MAX_REST_SIZE,
        };
        let is_known = author.is_some() && date.is_some();
        let is_that_of_many = !is_known
            && count > MAX_FEW
            && count as f32 >= MIN_LABEL_SHARE * self.texts.len() as f32;
        let is_only_one = self.texts.len() == 1 && date.is_none();
        let may_be_links = author.is_some() && !is_only_one;
        let is_list = !may_be_links && self.is_mainly_links(index)
            || is_only_one && has_short_lines(&self.texts[index]);
        !(is_label || is_that_of_many || is_list)
    }

    fn is_text_of_its_own(&self, index: usize) -> bool {
        self.counts[index] == 1 && !self.is_mainly_links(index)
    }

    /// Returns `true` if most of a comment's text is in links to other pages.
    fn is_mainly_links(&self, index: usize) -> bool {
        let CommentParts { author, date, .. } = &self.parts[index];
        let is_label = |number: usize| {
            let end = self.items.tree.nodes[number].end;
            let mut labels = [author, date].into_iter().flatten();
            labels.any(|label| (number..end).contains(&label.element))
        };
        let own = self.items.own_nodes(self.items.numbers[index]);
        let linked: usize = own
            .filter(|&number| !is_label(number))
            .map(|number| &self.items.tree.nodes[number])
            .filter(|node| node.tag == "a" && !node.roles.is_inner_link)
            .map(|node| node.size)
            .sum();
        linked as f32 > MAX_LINK_SHARE * text_size(&self.texts[index]) as f32
    }

    /// Returns `true` if a comment is not short, or its id is that of a comment.
    fn is_long(&self, index: usize) -> bool {
        let has_number = self.items.tree.nodes[self.items.numbers[index]]
            .roles
            .has_numbered_id;
        has_number || text_size(&self.texts[index]) >= MIN_SIZE
    }

    /// Returns `true` if there are several comments, and they are long on average.
    fn are_long(&self, indexes: &[usize]) -> bool {
        let sizes = indexes.iter().map(|&index| text_size(&self.texts[index]));
        indexes.len() > 1 && sizes.sum::<usize>() >= MIN_MEAN_SIZE * indexes.len()
    }
}

/// Returns for each comment if it tells its author or its date. A name that is only set off counts
/// if it is not that of all, and there are more than a few.
fn with_labels(parts: &[CommentParts]) -> Vec<bool> {
    let set_off = parts.iter().filter_map(|part| part.author.as_ref());
    let set_off: BTreeSet<&str> = set_off
        .filter(|author| author.is_set_off)
        .map(|author| author.text.as_str())
        .collect();
    let are_authors = parts.len() > MAX_FEW && set_off.len() > 1;
    let has_labels = |part: &CommentParts| {
        let author = part.author.as_ref();
        part.date.is_some() || author.is_some_and(|author| are_authors || !author.is_set_off)
    };
    parts.iter().map(has_labels).collect()
}

/// Returns `true` for several lines that are short on average, such as a list of links or of
/// buttons.
fn has_short_lines(text: &str) -> bool {
    let count = text.lines().count();
    count > MAX_FEW && text_size(text) < MIN_SIZE * count
}
