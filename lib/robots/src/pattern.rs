//! Paths of robots.txt: what they match, and with what priority.
//!
//! A path matches all that begin with it. `*` stands for any characters, and `$` at the end for the
//! end (RFC 9309 §2.2.3). The pieces between stars are looked for from left to right, each at its
//! first place: that finds a match where there is one, in linear time, so that no robots.txt can
//! hold us up.

use memchr::memmem;
use std::fmt::Write;

/// A path of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The path, percent-encoded, without the `$`.
    path: Vec<u8>,
    /// Whether it ends in `$`.
    is_whole: bool,
}

impl Pattern {
    /// The patterns that a rule stands for. Allowing `index.html` allows the folder as well, for
    /// which it is the page.
    pub fn from_rule(path: &[u8], allows: bool) -> Vec<Pattern> {
        let pattern = Pattern::new(path);
        let name = pattern
            .path
            .iter()
            .rposition(|&byte| byte == b'/')
            .map(|slash| slash + 1);
        let folder = name.filter(|&name| allows && pattern.path[name..].starts_with(b"index.htm"));
        let folder = folder.map(|name| Pattern {
            path: pattern.path[..name].to_vec(),
            is_whole: true,
        });
        std::iter::once(pattern).chain(folder).collect()
    }

    /// A path as it stands in a file.
    pub fn new(path: &[u8]) -> Pattern {
        let (path, is_whole) = path
            .strip_suffix(b"$")
            .map_or((path, false), |path| (path, true));
        Pattern {
            path: encoded(path),
            is_whole,
        }
    }

    /// The length of the rule where it matches; of several the longest decides.
    pub fn priority(&self, path: &[u8]) -> Option<usize> {
        self.matches(path)
            .then_some(self.path.len() + usize::from(self.is_whole))
    }

    /// As it stands in a file.
    pub fn to_text(&self) -> String {
        let path = String::from_utf8_lossy(&self.path);
        if self.is_whole {
            format!("{path}$")
        } else {
            path.into_owned()
        }
    }

    /// Memory of its text.
    pub fn heap_bytes(&self) -> usize {
        self.path.capacity()
    }

    /// Whether it matches a path with its query.
    pub fn matches(&self, path: &[u8]) -> bool {
        let mut pieces = self.path.split(|&byte| byte == b'*');
        let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else {
            return false;
        };
        let mut pieces = pieces.peekable();
        if pieces.peek().is_none() {
            return !self.is_whole || rest.is_empty();
        }
        while let Some(piece) = pieces.next() {
            if self.is_whole && pieces.peek().is_none() {
                return rest.ends_with(piece);
            }
            let Some(at) = memmem::find(rest, piece) else {
                return false;
            };
            rest = &rest[at + piece.len()..];
        }
        true
    }
}

/// A path as URLs have it: other bytes than ASCII percent-encoded, and escapes in upper case.
fn encoded(path: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(path.len());
    let mut rest = path;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'%', [a, b, ..]) if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => {
                out.extend([
                    '%',
                    a.to_ascii_uppercase().into(),
                    b.to_ascii_uppercase().into(),
                ]);
                rest = &after[2..];
            }
            (0x80.., _) => {
                let _ = write!(out, "%{byte:02X}");
            }
            _ => out.push(byte.into()),
        }
    }
    out.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use std::time::{Duration, Instant};

    #[track_caller]
    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let pattern = Pattern::new(pattern.as_bytes());
        for path in matching {
            assert!(pattern.priority(path.as_bytes()).is_some(), "{path}");
        }
        for path in others {
            assert!(pattern.priority(path.as_bytes()).is_none(), "{path}");
        }
    }

    #[test]
    fn a_path_matches_what_begins_with_it() {
        check(
            "/a/b",
            &["/a/b", "/a/b/", "/a/bc", "/a/b?c"],
            &["/a", "/A/b", "/x/a/b"],
        );
        check("", &["/", ""], &[]);
    }

    #[test]
    fn a_star_stands_for_anything_and_a_dollar_for_the_end() {
        check(
            "/*.pdf$",
            &["/x.pdf", "/.pdf", "/a.pdf/b.pdf"],
            &["/x.pdf?y", "/x.PDF", "/pdf"],
        );
        check("/a*b*c", &["/abc", "/a-b-c-", "/abbc"], &["/acb", "/ab"]);
        check("/$", &["/"], &["/a", ""]);
        check("*/b", &["/a/b", "/b"], &["/a"]);
        check("/a*b*b$", &["/abb", "/a-b-b"], &["/ab", "/abbc"]);
        check("/a$b", &["/a$b"], &["/a"]);
    }

    #[test]
    fn escapes_are_compared_in_one_spelling() {
        check("/%e3%83%84", &["/%E3%83%84"], &["/%e3%83%84"]);
        check("/ツ", &["/%E3%83%84"], &[]);
        check("/100%", &["/100%", "/100%zz"], &[]);
    }

    #[test]
    fn the_longer_rule_has_priority() {
        let priority = |pattern: &str| Pattern::new(pattern.as_bytes()).priority(b"/a/b.html");
        assert!(
            priority("/a/*.html$") > priority("/a/*.html")
                && priority("/a/*.html") > priority("/a/")
        );
        assert_eq!(priority(""), Some(0));
    }

    #[test]
    fn an_allowed_index_page_allows_its_folder() {
        let patterns = Pattern::from_rule(b"/a/index.html", true);
        assert_eq!(
            patterns
                .iter()
                .filter_map(|pattern| pattern.priority(b"/a/"))
                .collect::<Vec<_>>(),
            [4]
        );
        assert_eq!(Pattern::from_rule(b"/a/index.html", false).len(), 1);
    }

    #[test]
    fn a_pattern_made_to_be_slow_is_not() {
        let start = Instant::now();
        let pattern = Pattern::new(&[&b"/"[..], &b"a*".repeat(8000)].concat());
        assert_eq!(pattern.priority(&b"a".repeat(2000)), None);
        check(&"*a".repeat(5000), &[], &[&"a".repeat(4000)]);
        // It takes a fraction of a second where the machine is idle. Work that grows faster than
        // pattern times path would take far longer than this, on any machine.
        assert!(start.elapsed() < Duration::from_secs(300));
    }
}
