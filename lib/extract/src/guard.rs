//! Whether a page may be parsed into a tree: pages made to be slow are found by a look at their
//! tags.
//!
//! Building a tree takes time that grows with the square of the depth, and reading a tag with that
//! of its attributes (html5ever compares each with all before it). One pass over the bytes, faster
//! than any parser, sees both.

use memchr::{memchr, memchr_iter};
use std::borrow::Cow;

/// Elements that may stand open at once before a page counts as too deep; browsers cut at the same
/// depth.
pub(crate) const DEEPEST: usize = 512;
/// Bytes above which a page is read without a tree.
const MOST_BYTES: usize = 8 << 20;
/// The same for tags.
const MOST_TAGS: usize = 300_000;
/// Bytes of a tag above which its attributes are counted.
const LONG_TAG: usize = 8 << 10;
/// Attributes of one tag that are read.
const MOST_ATTRIBUTES: usize = 1000;

/// Whether a page is too large for a tree, which takes some 20 times its size, and a kilobyte for
/// each tag.
pub(crate) fn is_large(html: &str) -> bool {
    html.len() > MOST_BYTES || memchr_iter(b'<', html.as_bytes()).count() > MOST_TAGS
}

/// Whether the tags of a page may nest deeper than [`DEEPEST`]; an estimate from above, as it takes
/// what looks like a tag in a script for one.
pub(crate) fn may_be_deep(html: &str) -> bool {
    let bytes = html.as_bytes();
    let mut open: Vec<([u8; 8], usize)> = Vec::new();
    let (mut at, mut now) = (0, 0);
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        at += found + 1;
        let is_end = bytes.get(at) == Some(&b'/');
        let Some(name) = name(&bytes[at + usize::from(is_end)..]) else {
            continue;
        };
        let length = name
            .iter()
            .position(|&letter| letter == 0)
            .unwrap_or(name.len());
        if closes_itself(&name[..length]) || matches!(&name[..length], b"path" | b"use") {
            continue;
        }
        let place = open.iter().position(|(known, _)| *known == name);
        match (is_end, place) {
            (true, Some(place)) if open[place].1 > 0 => {
                open[place].1 -= 1;
                now -= 1;
            }
            (true, _) => {}
            (false, Some(place)) => {
                open[place].1 += 1;
                now += 1;
            }
            // Names beyond the first hundred are counted as one.
            (false, None) if open.len() < 100 => {
                open.push((name, 1));
                now += 1;
            }
            (false, None) => now += 1,
        }
        if now > DEEPEST {
            return true;
        }
    }
    false
}

/// The first letters of a tag's name, in lower case.
fn name(bytes: &[u8]) -> Option<[u8; 8]> {
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

/// Elements without content, and those whose end tag may be left out: they don't nest without
/// others in between.
pub(crate) fn closes_itself(name: &[u8]) -> bool {
    let is_void = matches!(
        name,
        b"area" | b"base" | b"br" | b"col" | b"embed" | b"hr" | b"img"
    ) || matches!(
        name,
        b"input" | b"link" | b"meta" | b"param" | b"source" | b"track" | b"wbr"
    );
    let may_lack_end = matches!(name, b"p" | b"li" | b"dt" | b"dd" | b"option")
        || matches!(name, b"tr" | b"td" | b"th" | b"thead" | b"tbody" | b"tfoot")
        || matches!(name, b"html" | b"head" | b"body");
    is_void || may_lack_end
}

/// The page without attributes of tags that have thousands of them.
pub(crate) fn drop_excess_attributes(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    let mut clean = String::new();
    let (mut at, mut kept) = (0, 0);
    // The next `>`, looked for only when it is passed, so that a page of `<a<a<a` takes linear
    // time.
    let mut end = 0;
    while let Some(found) = memchr(b'<', &bytes[at..]) {
        let start = at + found + 1;
        at = start;
        if !bytes.get(start).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        if end < start {
            end = memchr(b'>', &bytes[start..]).map_or(bytes.len(), |end| start + end);
        }
        if end - start > LONG_TAG {
            let (after, attributes) = measure(bytes, start);
            if attributes > MOST_ATTRIBUTES {
                let name = start
                    + bytes[start..]
                        .iter()
                        .take_while(|byte| byte.is_ascii_alphanumeric())
                        .count();
                clean.push_str(&html[kept..name]);
                kept = after;
            }
            at = after;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(html);
    }
    clean.push_str(&html[kept..]);
    Cow::Owned(clean)
}

/// Where a tag ends, at its `>` or at the end of the page, and how many attributes it may have.
fn measure(bytes: &[u8], start: usize) -> (usize, usize) {
    let (mut at, mut attributes) = (start, 0);
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return (at, attributes),
            b'=' => {
                // A value in quotes may hold anything.
                let value = at
                    + 1
                    + bytes[at + 1..]
                        .iter()
                        .take_while(|byte| byte.is_ascii_whitespace())
                        .count();
                if let Some(&quote) = bytes
                    .get(value)
                    .filter(|byte| **byte == b'"' || **byte == b'\'')
                {
                    let end = memchr(quote, &bytes[value + 1..])
                        .map_or(bytes.len(), |end| value + 1 + end);
                    at = end;
                }
            }
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b'/' | b'"' | b'\'' => attributes += 1,
            _ => {}
        }
        at += 1;
    }
    (bytes.len(), attributes)
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, drop_excess_attributes, may_be_deep};

    #[test]
    fn depth_counts_what_stands_open() {
        assert!(may_be_deep(&"<div>".repeat(DEEPEST + 1)));
        assert!(may_be_deep(&"<B></x>".repeat(DEEPEST + 1)));
        assert!(!may_be_deep(&"<div><p>a<p>b<br></DIV>".repeat(5000)));
        assert!(!may_be_deep(&"1 < 2 <> </".repeat(5000)));
    }

    #[test]
    fn a_tag_of_thousands_of_attributes_loses_them() {
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
