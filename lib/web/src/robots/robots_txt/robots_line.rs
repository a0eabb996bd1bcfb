//! Lines of a robots.txt.
//!
//! A line is `key: value`, with a comment after `#`. Missing colons and common misspellings of keys
//! are accepted, as their meaning is plain; the spellings are those that Google's parser accepts.

use std::time::Duration;

/// Bytes of a line that are read: eight times the longest URL that browsers accepted, as in
/// Google's parser.
const MAX_LINE_BYTES: usize = 2083 * 8;

/// A line of a robots.txt with a known key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RobotsLine<'a> {
    /// `User-agent`: begins a group, or adds a robot to it.
    UserAgent(&'a [u8]),
    /// `Allow` or `Disallow`, with the path as written.
    Rule { allows: bool, path: &'a [u8] },
    /// `Crawl-delay`.
    CrawlDelay(Duration),
    /// `Sitemap`, with the reference as written. It belongs to no group.
    Sitemap(&'a [u8]),
}

/// Parses the lines of a file; lines with unknown keys are skipped.
pub(super) fn parse_lines(file: &[u8]) -> impl Iterator<Item = RobotsLine<'_>> {
    let file = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
    file.split(|&byte| matches!(byte, b'\n' | b'\r'))
        .filter_map(parse_line)
}

fn parse_line(line: &[u8]) -> Option<RobotsLine<'_>> {
    let line = &line[..line.len().min(MAX_LINE_BYTES)];
    let line = line.split(|&byte| byte == b'#').next()?.trim_ascii();
    let (key, value) = split_key_value(line)?;
    Some(match key.to_ascii_lowercase().as_slice() {
        b"user-agent" | b"useragent" | b"user agent" => RobotsLine::UserAgent(value),
        b"disallow" | b"dissallow" | b"dissalow" | b"disalow" | b"diasllow" | b"disallaw" => {
            let (allows, path) = (false, value);
            RobotsLine::Rule { allows, path }
        }
        b"allow" => {
            let (allows, path) = (true, value);
            RobotsLine::Rule { allows, path }
        }
        b"crawl-delay" | b"crawldelay" | b"crawl delay" => {
            RobotsLine::CrawlDelay(parse_seconds(value)?)
        }
        b"sitemap" | b"site-map" => RobotsLine::Sitemap(value),
        _ => return None,
    })
}

/// Splits a line into key and value: at the colon or, if there is none and the line has two words,
/// between them.
fn split_key_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some(colon) = line.iter().position(|&byte| byte == b':') {
        return Some((
            line[..colon].trim_ascii_end(),
            line[colon + 1..].trim_ascii_start(),
        ));
    }
    let space = line.iter().position(u8::is_ascii_whitespace)?;
    let value = line[space..].trim_ascii_start();
    let is_one_word = !value.iter().any(u8::is_ascii_whitespace);
    is_one_word.then_some((&line[..space], value))
}

/// Parses a number of seconds, which may have a fraction.
fn parse_seconds(value: &[u8]) -> Option<Duration> {
    let number: f64 = std::str::from_utf8(value).ok()?.parse().ok()?;
    Duration::try_from_secs_f64(number).ok()
}

#[cfg(test)]
mod tests {
    use super::{RobotsLine, parse_lines};
    use std::time::Duration;

    fn disallow(path: &[u8]) -> RobotsLine<'_> {
        RobotsLine::Rule {
            allows: false,
            path,
        }
    }

    #[test]
    fn accepts_keys_in_any_case_and_with_common_misspellings() {
        for line in [
            "Disallow: /x",
            "DISALLOW:/x ",
            "\tdisallow :\t/x # why",
            "disallow /x",
            "Dissalow: /x",
        ] {
            assert_eq!(
                parse_lines(line.as_bytes()).collect::<Vec<_>>(),
                [disallow(b"/x")],
                "{line}"
            );
        }
        assert_eq!(
            parse_lines(b"useragent a").collect::<Vec<_>>(),
            [RobotsLine::UserAgent(b"a")]
        );
    }

    #[test]
    fn accepts_all_line_endings() {
        let lines: Vec<_> =
            parse_lines(b"\xef\xbb\xbfdisallow:/a\rdisallow:/b\r\n\ndisallow:/c").collect();
        assert_eq!(lines, [disallow(b"/a"), disallow(b"/b"), disallow(b"/c")]);
    }

    #[test]
    fn the_reference_to_a_sitemap_ends_at_a_comment_or_line_end() {
        // RFC 9309, section 2.2: EOL = *WS ["#" ...] NL, where NL may be CR alone.
        let lines: Vec<_> =
            parse_lines(b"Sitemap: http://a.test/s # all\rSITEMAP:/t\r\n").collect();
        let expected: [&[u8]; 2] = [b"http://a.test/s", b"/t"];
        assert_eq!(lines, expected.map(RobotsLine::Sitemap));
    }

    #[test]
    fn skips_unknown_lines_and_invalid_delays() {
        for line in [
            "",
            "#disallow: /",
            "disallow",
            "host: /x",
            "disallow all of it",
            "crawl-delay: soon",
        ] {
            assert_eq!(parse_lines(line.as_bytes()).next(), None, "{line}");
        }
        for delay in ["-1", "nan", "inf", "1e300"] {
            assert_eq!(
                parse_lines(format!("crawl-delay: {delay}").as_bytes()).next(),
                None
            );
        }
        let delay = RobotsLine::CrawlDelay(Duration::from_secs(10));
        assert_eq!(parse_lines(b"Crawl-delay: 10").next(), Some(delay));
    }

    #[test]
    fn reads_only_the_beginning_of_a_very_long_line() {
        let line = [b"disallow: /".as_slice(), &b"x".repeat(1 << 20)].concat();
        let Some(RobotsLine::Rule { path, .. }) = parse_lines(&line).next() else {
            panic!("no rule")
        };
        assert!(path.len() < 20_000);
    }
}
