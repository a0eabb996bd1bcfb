//! Limits on parsing a page into a tree: detects pages that would take too long from their tags.
//!
//! The time to build a tree is quadratic in its depth, and the time to read a tag is quadratic in
//! its number of attributes (html5ever compares each with all before it). One pass over the bytes,
//! faster than any parser, detects both.

use memchr::{memchr, memchr_iter};
use std::borrow::Cow;

/// Maximum number of open elements at any point of a page that is parsed into a tree; browsers have
/// the same limit.
pub(crate) const MAX_DEPTH: usize = 512;
/// Largest page, in bytes, that is parsed into a tree. Set by judgement; the costs of large pages
/// are in BENCHMARKS.md, "Main text".
const MAX_TREE_BYTES: usize = 8 << 20;
/// Maximum number of tags of a page that is parsed into a tree. Set by judgement, not measured.
const MAX_TREE_TAGS: usize = 300_000;
/// Length of a tag, in bytes, above which its attributes are counted. Set by judgement, not
/// measured.
const LONG_TAG: usize = 8 << 10;
/// Maximum number of attributes of a tag; if it has more, all are dropped. Set by judgement, not
/// measured.
const MAX_ATTRIBUTES: usize = 1000;
/// Different tag names that are counted separately; elements with other names count as never
/// closed. Set by judgement, not measured.
const MAX_NAMES: usize = 100;

/// Returns `true` if a page is too large for a tree, which takes about 20 times its size, and a
/// kilobyte per tag.
pub(crate) fn is_too_large_for_tree(html: &str) -> bool {
    html.len() > MAX_TREE_BYTES || memchr_iter(b'<', html.as_bytes()).count() > MAX_TREE_TAGS
}

/// Returns `true` if the elements of a page may nest deeper than [`MAX_DEPTH`].
///
/// The depth is an estimate: text in a script or comment that looks like a tag counts as one. It is
/// too low if that text has end tags; the caller's time limit bounds such a page.
pub(crate) fn may_exceed_max_depth(html: &str) -> bool {
    let bytes = html.as_bytes();
    let mut open_by_name: Vec<([u8; 8], usize)> = Vec::new();
    let mut position = 0;
    let mut depth = 0;
    while let Some(distance) = memchr(b'<', &bytes[position..]) {
        position += distance + 1;
        let is_end = bytes.get(position) == Some(&b'/');
        let Some(name) = name_prefix(&bytes[position + usize::from(is_end)..]) else {
            continue;
        };
        let length = name
            .iter()
            .position(|&letter| letter == 0)
            .unwrap_or(name.len());
        if is_void_or_lacks_end_tag(&name[..length]) || matches!(&name[..length], b"path" | b"use")
        {
            continue;
        }
        let index = open_by_name.iter().position(|(other, _)| *other == name);
        match (is_end, index) {
            (true, Some(index)) if open_by_name[index].1 > 0 => {
                open_by_name[index].1 -= 1;
                depth -= 1;
            }
            (true, _) => {}
            (false, Some(index)) => {
                open_by_name[index].1 += 1;
                depth += 1;
            }
            (false, None) if open_by_name.len() < MAX_NAMES => {
                open_by_name.push((name, 1));
                depth += 1;
            }
            (false, None) => depth += 1,
        }
        if depth > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Returns the first eight letters of a tag's name in lower case, padded with zeros.
fn name_prefix(bytes: &[u8]) -> Option<[u8; 8]> {
    bytes.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let mut name = [0; 8];
    for (letter, byte) in name
        .iter_mut()
        .zip(bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric()))
    {
        *letter = byte.to_ascii_lowercase();
    }
    Some(name)
}

/// Returns `true` for void elements, and for those whose end tag may be omitted: they do not nest
/// without other elements in between.
pub(crate) fn is_void_or_lacks_end_tag(name: &[u8]) -> bool {
    let is_void = matches!(
        name,
        b"area" | b"base" | b"br" | b"col" | b"embed" | b"hr" | b"img"
    ) || matches!(
        name,
        b"input" | b"link" | b"meta" | b"param" | b"source" | b"track" | b"wbr"
    );
    let may_lack_end_tag = matches!(name, b"p" | b"li" | b"dt" | b"dd" | b"option")
        || matches!(name, b"tr" | b"td" | b"th" | b"thead" | b"tbody" | b"tfoot")
        || matches!(name, b"html" | b"head" | b"body");
    is_void || may_lack_end_tag
}

/// Returns the page without the attributes of tags that have more than [`MAX_ATTRIBUTES`].
pub(crate) fn drop_excess_attributes(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    let mut clean = String::new();
    let mut position = 0;
    // End of the part of the page that is in `clean`, or was dropped.
    let mut copied = 0;
    // The next `>`, searched for only once the last one is passed, so that a page of `<a<a<a` takes
    // linear time.
    let mut end = 0;
    while let Some(distance) = memchr(b'<', &bytes[position..]) {
        let start = position + distance + 1;
        position = start;
        if !bytes.get(start).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        if end < start {
            end = memchr(b'>', &bytes[start..]).map_or(bytes.len(), |end| start + end);
        }
        if end - start > LONG_TAG {
            let (tag_end, attributes) = measure_tag(bytes, start);
            if attributes > MAX_ATTRIBUTES {
                let name_end = start
                    + bytes[start..]
                        .iter()
                        .take_while(|byte| byte.is_ascii_alphanumeric())
                        .count();
                clean.push_str(&html[copied..name_end]);
                copied = tag_end;
            }
            position = tag_end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    clean.push_str(&html[copied..]);
    Cow::Owned(clean)
}

/// Returns the end of a tag, at its `>` or at the end of the page, and an upper estimate of its
/// number of attributes.
fn measure_tag(bytes: &[u8], start: usize) -> (usize, usize) {
    let mut position = start;
    let mut attributes = 0;
    while let Some(&byte) = bytes.get(position) {
        match byte {
            b'>' => return (position, attributes),
            b'=' => {
                // A quoted value may contain any character.
                let value = position
                    + 1
                    + bytes[position + 1..]
                        .iter()
                        .take_while(|byte| byte.is_ascii_whitespace())
                        .count();
                if let Some(&quote) = bytes
                    .get(value)
                    .filter(|byte| **byte == b'"' || **byte == b'\'')
                {
                    let end = memchr(quote, &bytes[value + 1..])
                        .map_or(bytes.len(), |end| value + 1 + end);
                    position = end;
                }
            }
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b'/' | b'"' | b'\'' => attributes += 1,
            _ => {}
        }
        position += 1;
    }
    (bytes.len(), attributes)
}

#[cfg(test)]
mod tests {
    use super::{MAX_DEPTH, drop_excess_attributes, may_exceed_max_depth};

    #[test]
    fn depth_counts_open_elements() {
        assert!(may_exceed_max_depth(&"<div>".repeat(MAX_DEPTH + 1)));
        assert!(may_exceed_max_depth(&"<B></x>".repeat(MAX_DEPTH + 1)));
        assert!(!may_exceed_max_depth(
            &"<div><p>a<p>b<br></DIV>".repeat(5000)
        ));
        assert!(!may_exceed_max_depth(&"1 < 2 <> </".repeat(5000)));
    }

    #[test]
    fn drops_the_attributes_of_a_tag_with_thousands() {
        let many: String = (0..5000).map(|n| format!(" a{n}=1")).collect();
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
}
