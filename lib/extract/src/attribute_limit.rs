//! A limit on the attributes of a tag.
//!
//! The time to read a tag is quadratic in its number of attributes: html5ever compares each with
//! all before it.

use memchr::{memchr, memchr2};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

/// Maximum number of attributes of a tag; if it has more, all are dropped.
pub(crate) const MAX_ATTRIBUTES: usize = 1000;
/// Rounds after which a page that still has such tags is dropped. A second round is only necessary
/// if what was dropped in the first looked like a tag, but ended or contained another.
const MAX_ROUNDS: usize = 4;

/// Returns the page without the attributes of tags that have more than [`MAX_ATTRIBUTES`].
///
/// No tag of the result has more, whatever surrounds it: each `<` or `</` with a letter may begin a
/// tag, also in what looks like a comment, a script, or the value of an attribute.
pub(crate) fn drop_excess_attributes(html: &str) -> Cow<'_, str> {
    let mut page = Cow::Borrowed(html);
    for _ in 0..MAX_ROUNDS {
        let excess = find_excess_attributes(page.as_bytes());
        if excess.is_empty() {
            return page;
        }
        page = Cow::Owned(without_ranges(&page, &excess));
    }
    Cow::Owned(String::new())
}

/// Returns a page without some ranges of its bytes, which are in the order of their starts and may
/// overlap.
fn without_ranges(page: &str, ranges: &[Range<usize>]) -> String {
    let mut clean = String::with_capacity(page.len());
    let mut done = 0;
    for range in ranges {
        clean.push_str(&page[done..range.start.max(done)]);
        done = done.max(range.end);
    }
    clean.push_str(&page[done..]);
    clean
}

/// The state of the tokenizer in a tag (HTML standard, 13.2.5.8 to 13.2.5.40).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagState {
    /// After the `<`.
    TagOpen,
    TagName,
    BeforeAttributeName,
    AttributeName,
    AfterAttributeName,
    BeforeValue,
    DoubleQuotedValue,
    SingleQuotedValue,
    UnquotedValue,
    AfterQuotedValue,
    SelfClosing,
}

impl TagState {
    /// Returns the state after a byte, or `None` if the byte ends the tag.
    fn after(self, byte: u8) -> Option<Self> {
        use TagState::*;
        let is_space = matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C');
        Some(match (self, byte) {
            (TagOpen, _) => TagName,
            (DoubleQuotedValue, b'"') | (SingleQuotedValue, b'\'') => AfterQuotedValue,
            (DoubleQuotedValue | SingleQuotedValue, _) => self,
            (_, b'>') => return None,
            (BeforeValue, _) if is_space => BeforeValue,
            (AttributeName | AfterAttributeName, _) if is_space => AfterAttributeName,
            (_, _) if is_space => BeforeAttributeName,
            (BeforeValue, b'"') => DoubleQuotedValue,
            (BeforeValue, b'\'') => SingleQuotedValue,
            (BeforeValue | UnquotedValue, _) => UnquotedValue,
            (_, b'/') => SelfClosing,
            (AttributeName | AfterAttributeName, b'=') => BeforeValue,
            (TagName, _) => TagName,
            _ => AttributeName,
        })
    }
}

/// A tag from its beginning to the current byte.
#[derive(Debug, Clone, Copy)]
struct OpenTag {
    state: TagState,
    /// Position after the name, once it is passed.
    name_end: usize,
    attributes: usize,
}

/// Returns the attributes of the tags that have more than [`MAX_ATTRIBUTES`], from the end of the
/// name to the end of the tag, in the order of their starts.
///
/// Tags that are read from different beginnings, but are in the same state, end at the same byte:
/// only the one with the most attributes is continued, so that time is linear.
fn find_excess_attributes(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut excess = Vec::new();
    let mut open: Vec<OpenTag> = Vec::new();
    let mut position = 0;
    loop {
        // To the next byte that opens a tag or, if several are open, may end one.
        match open.as_mut_slice() {
            [] => {
                position += memchr(b'<', &bytes[position..]).unwrap_or(bytes.len() - position);
            }
            [tag] => position = advance_to_end(tag, bytes, position),
            _ => {}
        }
        let Some(&byte) = bytes.get(position) else {
            break;
        };
        open.retain_mut(|tag| {
            let is_open = advance(tag, byte, position);
            if !is_open && tag.attributes > MAX_ATTRIBUTES {
                excess.push(tag.name_end..position);
            }
            is_open
        });
        merge_equal_states(&mut open);
        position += 1;
        if byte == b'<' && has_tag_name(&bytes[position..]) {
            open.push(OpenTag {
                state: TagState::TagOpen,
                name_end: position,
                attributes: 0,
            });
        }
    }
    let unfinished = open.iter().filter(|tag| tag.attributes > MAX_ATTRIBUTES);
    excess.extend(unfinished.map(|tag| tag.name_end..bytes.len()));
    excess.sort_by_key(|range| range.start);
    excess
}

/// Adds bytes to a tag up to the next that ends it, or that may begin another. Returns its
/// position.
fn advance_to_end(tag: &mut OpenTag, bytes: &[u8], begin: usize) -> usize {
    let mut current = *tag;
    let mut position = begin;
    while let Some(&byte) = bytes.get(position) {
        let quote = match current.state {
            TagState::DoubleQuotedValue => b'"',
            TagState::SingleQuotedValue => b'\'',
            _ if matches!(byte, b'<' | b'>') => break,
            _ => {
                advance(&mut current, byte, position);
                position += 1;
                continue;
            }
        };
        position += memchr2(quote, b'<', &bytes[position..]).unwrap_or(bytes.len() - position);
        if bytes.get(position) != Some(&quote) {
            break;
        }
        current.state = TagState::AfterQuotedValue;
        position += 1;
    }
    *tag = current;
    position
}

/// Adds the byte at `position` to a tag. Returns `false` if it ends the tag.
fn advance(tag: &mut OpenTag, byte: u8, position: usize) -> bool {
    let Some(state) = tag.state.after(byte) else {
        return false;
    };
    if state != tag.state {
        if tag.state == TagState::TagName {
            tag.name_end = position;
        }
        tag.attributes += usize::from(state == TagState::AttributeName);
        tag.state = state;
    }
    true
}

/// Keeps one tag of each state, that with the most attributes.
fn merge_equal_states(open: &mut Vec<OpenTag>) {
    if open.len() > 1 {
        open.sort_unstable_by_key(|tag| (tag.state as u8, Reverse(tag.attributes)));
        open.dedup_by_key(|tag| tag.state);
    }
}

/// Returns `true` if the bytes after a `<` make it the beginning of a start tag or an end tag.
fn has_tag_name(bytes: &[u8]) -> bool {
    let name = bytes.strip_prefix(b"/").unwrap_or(bytes);
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::{MAX_ATTRIBUTES, drop_excess_attributes};

    fn attributes(count: usize) -> String {
        (0..count).map(|n| format!(" a{n}=1")).collect()
    }

    #[test]
    fn drops_the_attributes_of_a_tag_with_thousands() {
        let many = attributes(5000);
        assert_eq!(
            drop_excess_attributes(&format!("č<div{many}>x</div>")),
            "č<div>x</div>"
        );
        assert_eq!(drop_excess_attributes(&format!("x<div{many}")), "x<div");
        let long = format!(
            "<img src='{}'>x<p title=\"{}\">",
            "a".repeat(9000),
            "a > b ".repeat(9000)
        );
        assert_eq!(drop_excess_attributes(&long), long);
    }

    #[test]
    fn counts_attributes_exactly() {
        let most = attributes(MAX_ATTRIBUTES);
        for page in [
            format!("<a{most}>"),
            format!("<a{most}/></a{most} \n>"),
            format!("<a{} b = 'c=\"d\" e'>", attributes(MAX_ATTRIBUTES - 1)),
        ] {
            assert!(drop_excess_attributes(&page) == page);
            let more = page.replacen("<a", "<a b", 1);
            assert!(drop_excess_attributes(&more).len() < page.len());
        }
    }

    #[test]
    fn quotes_and_comments_hide_no_attributes() {
        let many = attributes(1500);
        for (page, clean) in [
            (format!("<a b='>'{many}>x"), "<a>x"),
            (format!("<a =\"{many} \">x"), "<a>x"),
            (format!("<a></a{many}>x"), "<a></a>x"),
            (format!("<!-- <a b=' --><a{many}>x"), "<!-- <a b=' --><a>x"),
            (format!("<a b=\"<a c='\"{many}>x"), "<a>x"),
            (format!("<a{}>x", " b='>'".repeat(1500)), "<a>x"),
        ] {
            assert_eq!(drop_excess_attributes(&page), clean);
        }
    }

    #[test]
    fn drops_a_page_in_which_tags_appear_again_and_again() {
        // What remains after each round has a tag that only the removed part had ended.
        let many = attributes(1500);
        let mut page = String::new();
        for _ in 0..10 {
            page = format!("<a{page}{many}");
        }
        let clean = drop_excess_attributes(&page);
        assert_eq!(drop_excess_attributes(&clean), clean);
    }
}
