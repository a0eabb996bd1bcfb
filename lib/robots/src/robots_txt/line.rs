//! The lines of a robots.txt, read leniently.
//!
//! A line is `key: value`, with a comment after `#`. Webmasters forget the colon and misspell the
//! key, and what they meant is plain enough to be obeyed: the spellings are those that Google's
//! parser takes.

use std::time::Duration;

/// Bytes of a line that are read: eight times the longest URL that browsers took, as in Google's
/// parser.
const LONGEST: usize = 2083 * 8;

/// A line that has a say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Directive<'a> {
    /// `User-agent`: a group begins, or goes on with one more agent.
    Agent(&'a [u8]),
    /// `Allow` or `Disallow`, as it is written.
    Rule { allows: bool, path: &'a [u8] },
    /// `Crawl-delay`.
    CrawlDelay(Duration),
}

/// The directives of a file, in its order.
pub(super) fn directives(file: &[u8]) -> impl Iterator<Item = Directive<'_>> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    file.split(|&byte| matches!(byte, b'\n' | b'\r'))
        .filter_map(directive)
}

fn directive(line: &[u8]) -> Option<Directive<'_>> {
    let line = &line[..line.len().min(LONGEST)];
    let line = line.split(|&byte| byte == b'#').next()?.trim_ascii();
    let (key, value) = split(line)?;
    let is = |names: &[&str]| {
        names
            .iter()
            .any(|name| key.eq_ignore_ascii_case(name.as_bytes()))
    };
    if is(&["user-agent", "useragent", "user agent"]) {
        Some(Directive::Agent(value))
    } else if is(&[
        "disallow",
        "dissallow",
        "dissalow",
        "disalow",
        "diasllow",
        "disallaw",
    ]) {
        Some(Directive::Rule {
            allows: false,
            path: value,
        })
    } else if is(&["allow"]) {
        Some(Directive::Rule {
            allows: true,
            path: value,
        })
    } else if is(&["crawl-delay", "crawldelay", "crawl delay"]) {
        seconds(value).map(Directive::CrawlDelay)
    } else {
        None
    }
}

/// Key and value: on both sides of the colon, or of the blanks between the only two words.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(colon) = line.iter().position(|&byte| byte == b':') {
        return Some((
            line[..colon].trim_ascii_end(),
            line[colon + 1..].trim_ascii_start(),
        ));
    }
    let blank = line.iter().position(u8::is_ascii_whitespace)?;
    let value = line[blank..].trim_ascii_start();
    let is_one_word = !value.iter().any(u8::is_ascii_whitespace);
    is_one_word.then_some((&line[..blank], value))
}

/// A number of seconds, with a fraction or without.
fn seconds(value: &[u8]) -> Option<Duration> {
    let number: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests {
    use super::{Directive, directives};
    use std::time::Duration;

    fn forbids(path: &[u8]) -> Directive<'_> {
        Directive::Rule {
            allows: false,
            path,
        }
    }

    #[test]
    fn keys_are_read_in_any_case_and_with_common_slips() {
        for line in [
            "Disallow: /x",
            "DISALLOW:/x ",
            "\tdisallow :\t/x # why",
            "disallow /x",
            "Dissalow: /x",
        ] {
            assert_eq!(
                directives(line.as_bytes()).collect::<Vec<_>>(),
                [forbids(b"/x")],
                "{line}"
            );
        }
        assert_eq!(
            directives(b"useragent a").collect::<Vec<_>>(),
            [Directive::Agent(b"a")]
        );
    }

    #[test]
    fn lines_end_in_any_way() {
        let found: Vec<_> =
            directives(b"\xef\xbb\xbfdisallow:/a\rdisallow:/b\r\n\ndisallow:/c").collect();
        assert_eq!(found, [forbids(b"/a"), forbids(b"/b"), forbids(b"/c")]);
    }

    #[test]
    fn what_is_no_directive_is_passed_over() {
        for line in [
            "",
            "#disallow: /",
            "disallow",
            "sitemap: /x",
            "disallow all of it",
            "crawl-delay: soon",
        ] {
            assert_eq!(directives(line.as_bytes()).next(), None, "{line}");
        }
        for delay in ["-1", "nan", "inf", "1e300"] {
            assert_eq!(
                directives(format!("crawl-delay: {delay}").as_bytes()).next(),
                None
            );
        }
        let delay = Directive::CrawlDelay(Duration::from_secs(10));
        assert_eq!(directives(b"Crawl-delay: 10").next(), Some(delay));
    }

    #[test]
    fn of_a_line_without_end_the_beginning_counts() {
        let line = [b"disallow: /".as_slice(), &b"x".repeat(1 << 20)].concat();
        let Some(Directive::Rule { path, .. }) = directives(&line).next() else {
            panic!("no rule")
        };
        assert!(path.len() < 20_000);
    }
}
