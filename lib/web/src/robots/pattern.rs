//! Path patterns of robots.txt rules.
//!
//! A pattern matches all paths that begin with it. `*` matches any characters, and `$` at the end
//! matches the end of the path (RFC 9309, section 2.2.3). The pieces between stars are found from
//! left to right, each at its first occurrence. This finds a match if there is one, in linear time,
//! so that no robots.txt can slow the fetcher down.

use crate::page_url::normalise_escapes;
use memchr::memmem;

/// The path pattern of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The path with normalised escapes, without the final `$`.
    path: Vec<u8>,
    /// True if the pattern ends with `$`.
    is_anchored: bool,
}

impl Pattern {
    /// Returns the patterns of a rule: its own, and for an `Allow` of `index.html` also that of the
    /// folder, which serves the same page (as in Google's parser).
    pub fn from_rule(path: &[u8], allows: bool) -> Vec<Pattern> {
        let pattern = Pattern::new(path);
        let name_start = pattern
            .path
            .iter()
            .rposition(|&byte| byte == b'/')
            .map(|slash| slash + 1);
        let folder = name_start
            .filter(|&start| allows && pattern.path[start..].starts_with(b"index.htm"))
            .map(|start| Pattern {
                path: pattern.path[..start].to_vec(),
                is_anchored: true,
            });
        std::iter::once(pattern).chain(folder).collect()
    }

    /// Parses a pattern as written in a file.
    pub fn new(path: &[u8]) -> Pattern {
        let (path, is_anchored) = path
            .strip_suffix(b"$")
            .map_or((path, false), |path| (path, true));
        Pattern {
            path: normalise_escapes(path).replace('$', "%24").into_bytes(),
            is_anchored,
        }
    }

    /// Returns the length of the pattern if it matches a [`comparable_path`]. Of several matching
    /// patterns the longest decides.
    pub fn match_length(&self, path: &[u8]) -> Option<usize> {
        self.matches(path)
            .then_some(self.path.len() + usize::from(self.is_anchored))
    }

    /// Formats the pattern as in a file.
    pub fn to_text(&self) -> String {
        let path = String::from_utf8_lossy(&self.path);
        if self.is_anchored {
            format!("{path}$")
        } else {
            path.into_owned()
        }
    }

    /// Returns the memory of the text, in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.path.capacity()
    }

    /// Returns `true` if the pattern matches a [`comparable_path`].
    pub fn matches(&self, path: &[u8]) -> bool {
        let mut pieces = self.path.split(|&byte| byte == b'*');
        let Some(mut rest) = path.strip_prefix(pieces.next().unwrap_or_default()) else {
            return false;
        };
        let mut pieces = pieces.peekable();
        if pieces.peek().is_none() {
            return !self.is_anchored || rest.is_empty();
        }
        while let Some(piece) = pieces.next() {
            if self.is_anchored && pieces.peek().is_none() {
                return rest.ends_with(piece);
            }
            let Some(index) = memmem::find(rest, piece) else {
                return false;
            };
            rest = &rest[index + piece.len()..];
        }
        true
    }
}

/// Returns a path with its query as patterns are compared with it: with normalised escapes, also
/// those of `*` and `$`, which patterns contain literally only as escapes (RFC 9309, section
/// 2.2.3).
pub(crate) fn comparable_path(path: &str) -> String {
    normalise_escapes(path.as_bytes())
        .replace('$', "%24")
        .replace('*', "%2A")
}

#[cfg(test)]
mod tests {
    use super::{Pattern, comparable_path};
    use std::time::{Duration, Instant};

    #[track_caller]
    fn check(pattern: &str, matching: &[&str], other: &[&str]) {
        let pattern = Pattern::new(pattern.as_bytes());
        let matches = |path| pattern.matches(comparable_path(path).as_bytes());
        for path in matching {
            assert!(matches(path), "{path}");
        }
        for path in other {
            assert!(!matches(path), "{path}");
        }
    }

    #[test]
    fn a_pattern_matches_paths_that_begin_with_it() {
        check(
            "/a/b",
            &["/a/b", "/a/b/", "/a/bc", "/a/b?c"],
            &["/a", "/A/b", "/x/a/b"],
        );
        check("", &["/", ""], &[]);
    }

    #[test]
    fn a_star_matches_anything_and_a_dollar_the_end() {
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
    fn normalises_escapes_before_comparison() {
        for pattern in ["/%e3%83%84", "/%E3%83%84", "/ツ"] {
            check(
                pattern,
                &["/%E3%83%84", "/%e3%83%84", "/ツ/x"],
                &["/%E3%83%85"],
            );
        }
        check("/%7Ejoe/", &["/~joe/", "/%7ejoe/"], &["/joe/"]);
        check("/%62%61z", &["/baz", "/%62az"], &[]);
        check("/a%2Fb", &["/a%2fb"], &["/a/b"]);
        check(
            "/a?u=https://b.test",
            &["/a?u=https%3A%2F%2Fb.test"],
            &["/a%3Fu=https://b.test"],
        );
        check("/a b|c", &["/a%20b%7Cc"], &[]);
        check("/100%", &["/100%", "/100%zz", "/100%25"], &[]);
    }

    #[test]
    fn escaped_stars_and_dollars_are_literal() {
        check("/a%2Ab", &["/a*b", "/a%2ab"], &["/axb"]);
        check("/a%24", &["/a$", "/a$b", "/a%24"], &["/a"]);
        let text = Pattern::new(b"/a$b%2a*c$").to_text();
        assert_eq!(text, "/a%24b%2A*c$");
        assert_eq!(Pattern::new(text.as_bytes()).to_text(), text);
    }

    #[test]
    fn bytes_in_any_encoding_are_compared_as_they_are() {
        let pattern = Pattern::new(b"/\xf0\xf3/");
        assert!(pattern.matches(comparable_path("/%f0%F3/x").as_bytes()));
    }

    #[test]
    fn the_match_length_is_that_of_the_pattern() {
        let length = |pattern: &str| Pattern::new(pattern.as_bytes()).match_length(b"/a/b.html");
        assert!(length("/a/*.html$") > length("/a/*.html") && length("/a/*.html") > length("/a/"));
        assert_eq!(length(""), Some(0));
    }

    #[test]
    fn allowing_an_index_page_allows_its_folder() {
        let patterns = Pattern::from_rule(b"/a/index.html", true);
        assert_eq!(
            patterns
                .iter()
                .filter_map(|pattern| pattern.match_length(b"/a/"))
                .collect::<Vec<_>>(),
            [4]
        );
        assert_eq!(Pattern::from_rule(b"/a/index.html", false).len(), 1);
    }

    #[test]
    fn matches_in_linear_time() {
        let start = Instant::now();
        let pattern = Pattern::new(&[&b"/"[..], &b"a*".repeat(8000)].concat());
        assert_eq!(pattern.match_length(&b"a".repeat(2000)), None);
        check(&"*a".repeat(5000), &[], &[&"a".repeat(4000)]);
        // It takes a fraction of a second on an idle machine. Time that grows faster than pattern
        // times path would exceed this limit by far on any machine.
        assert!(start.elapsed() < Duration::from_secs(300));
    }
}
