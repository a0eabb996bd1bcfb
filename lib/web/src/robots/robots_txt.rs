//! robots.txt: the rules for one robot (RFC 9309).
//!
//! [`RobotsTxt::parse`] keeps the rules of all groups that name the robot or, if none does, those
//! of the groups for `*`. The longest rule that matches a path decides; of equally long ones,
//! `Allow`. The parser is as lenient as Google's open-source parser, with which webmasters test:
//! `robots_line` parses lines in their various spellings, `pattern` matches paths in linear time.

mod robots_line;

use crate::robots::pattern::{Pattern, comparable_path};
use robots_line::{RobotsLine, parse_lines};
use std::time::Duration;

/// The rules of a robots.txt for one robot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RobotsTxt {
    rules: Vec<RobotsRule>,
    crawl_delay: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct RobotsRule {
    /// True for `Allow`, false for `Disallow`.
    allows: bool,
    pattern: Pattern,
}

/// Returns the references to sitemaps in a robots.txt.
pub fn find_sitemaps(file: &[u8]) -> impl Iterator<Item = &[u8]> {
    parse_lines(file).filter_map(|line| match line {
        RobotsLine::Sitemap(reference) => Some(reference),
        _ => None,
    })
}

/// Returns `true` if `robots`, the text of a robots.txt, allows `agent` to fetch `url`.
///
/// The path of the URL is compared as it is, in any spelling of its escapes.
pub fn is_url_allowed(robots: &[u8], agent: &str, url: &str) -> bool {
    RobotsTxt::parse(robots, agent).allows(path_and_query(url))
}

impl RobotsTxt {
    /// Parses a file for `agent`: a product token, or a `User-Agent` header field with several of
    /// them. Case does not count (RFC 9309, section 2.2.1). Parsing never fails; unknown lines are
    /// skipped.
    pub fn parse(file: &[u8], agent: &str) -> RobotsTxt {
        let mut parser = GroupParser {
            product_tokens: product_tokens(agent),
            ..GroupParser::default()
        };
        parse_lines(file).for_each(|line| parser.add_line(line));
        if parser.names_agent {
            parser.agent_rules
        } else {
            parser.default_rules
        }
    }

    /// Returns `true` if a path, with its query, may be fetched (RFC 9309, section 2.2.2).
    /// `/robots.txt` always may.
    pub fn allows(&self, path: &str) -> bool {
        let path = comparable_path(path);
        if path == "/robots.txt" {
            return true;
        }
        let longest_match = |allows: bool| {
            let rules = self.rules.iter().filter(|rule| rule.allows == allows);
            rules
                .filter_map(|rule| rule.pattern.match_length(path.as_bytes()))
                .max()
                .unwrap_or(0)
        };
        // A rule without a path has length 0, so that "Disallow:" disallows nothing.
        longest_match(false) <= longest_match(true)
    }

    /// Returns the `Crawl-delay`: the requested time between two requests. It is not part of RFC
    /// 9309, but widely used.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// Formats the rules as a file that has them for all robots.
    pub fn to_text(&self) -> String {
        let mut text = String::from("User-agent: *\n");
        if let Some(delay) = self.crawl_delay {
            text.push_str(&format!("Crawl-delay: {}\n", delay.as_secs_f64()));
        }
        for RobotsRule { allows, pattern } in &self.rules {
            text.push_str(if *allows { "Allow: " } else { "Disallow: " });
            text.push_str(&pattern.to_text());
            text.push('\n');
        }
        text
    }

    /// Returns the approximate memory of the rules, in bytes.
    pub fn heap_bytes(&self) -> usize {
        self.rules
            .iter()
            .map(|rule| size_of::<RobotsRule>() + rule.pattern.heap_bytes())
            .sum()
    }
}

/// The state of the parser: the groups of a file as far as they are read.
#[derive(Default)]
struct GroupParser<'a> {
    /// The product tokens of the agent.
    product_tokens: Vec<&'a str>,
    /// The robots that a rule on the next line applies to.
    rule_scope: GroupScope,
    /// The robots that a `Crawl-delay` on the next line applies to. A delay ends the list of user
    /// agents for further delays but not for rules: for those, user agents belong to one group if
    /// there are no rules between them.
    delay_scope: GroupScope,
    /// True if any group names the agent. The groups for `*` do not apply to it then.
    names_agent: bool,
    /// The rules of groups that name the agent.
    agent_rules: RobotsTxt,
    /// The rules of groups for `*`.
    default_rules: RobotsTxt,
}

/// The robots that a group applies to.
#[derive(Debug, Clone, Copy, Default)]
struct GroupScope {
    has_agent: bool,
    has_all: bool,
    /// True if there was a rule (or a delay) for the group: the next `User-agent` begins another.
    is_closed: bool,
}

impl GroupParser<'_> {
    fn add_line(&mut self, line: RobotsLine) {
        match line {
            RobotsLine::UserAgent(name) => self.add_user_agent(name),
            RobotsLine::Rule { allows, path } => {
                self.rule_scope.is_closed = true;
                self.delay_scope.is_closed = true;
                for pattern in Pattern::from_rule(path, allows) {
                    self.apply(self.rule_scope, |robots| {
                        robots.rules.push(RobotsRule {
                            allows,
                            pattern: pattern.clone(),
                        })
                    });
                }
            }
            RobotsLine::Sitemap(_) => {}
            RobotsLine::CrawlDelay(delay) => {
                self.delay_scope.is_closed = true;
                self.apply(self.delay_scope, |robots| robots.crawl_delay = Some(delay));
            }
        }
    }

    /// Begins a group, or adds a user agent to it.
    fn add_user_agent(&mut self, name: &[u8]) {
        let is_all = name.first() == Some(&b'*') && name.get(1).is_none_or(u8::is_ascii_whitespace);
        // The product token ends at the first other character, as in "forage/1.0".
        let end = name
            .iter()
            .position(|&byte| !is_product_token_byte(byte))
            .unwrap_or(name.len());
        let is_token = |token: &&str| name[..end].eq_ignore_ascii_case(token.as_bytes());
        let is_agent = !is_all && end > 0 && self.product_tokens.iter().any(is_token);
        self.names_agent |= is_agent;
        for scope in [&mut self.rule_scope, &mut self.delay_scope] {
            if scope.is_closed {
                *scope = GroupScope::default();
            }
            scope.has_agent |= is_agent;
            scope.has_all |= is_all;
        }
    }

    /// Applies a change to the rules of a scope. Lines before the first group apply to no robot.
    fn apply(&mut self, scope: GroupScope, change: impl Fn(&mut RobotsTxt)) {
        if scope.has_agent {
            change(&mut self.agent_rules);
        }
        if scope.has_all {
            change(&mut self.default_rules);
        }
    }
}

/// Returns the product tokens of a `User-Agent` header field, each followed by a slash and a
/// version (RFC 9110, section 10.1.5), also within comments, as in `Mozilla/5.0 (compatible;
/// GPTBot/1.0)`. Text without a slash is one product token.
fn product_tokens(agent: &str) -> Vec<&str> {
    if !agent.contains('/') {
        return vec![agent];
    }
    agent
        .split(|letter: char| letter.is_whitespace() || "();,".contains(letter))
        .filter_map(|word| word.split_once('/'))
        .map(|(name, _)| name)
        .filter(|name| !name.is_empty() && name.bytes().all(is_product_token_byte))
        .collect()
}

/// Returns `true` for the characters of product tokens (RFC 9309, section 2.2.1).
fn is_product_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')
}

/// Returns the path and query of a URL as they are, without the fragment; `/` if there is no path.
fn path_and_query(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or_default();
    let after_scheme = url.find("://").map_or(0, |index| index + 3);
    let rest = &url[after_scheme..];
    match rest.find(['/', '?', ';']) {
        Some(index) if rest.as_bytes()[index] == b'/' => &rest[index..],
        _ => "/",
    }
}

#[cfg(test)]
mod tests {
    use super::{RobotsTxt, is_url_allowed};
    use std::time::Duration;

    #[track_caller]
    fn check(robots: &str, agent: &str, allowed: &[&str], forbidden: &[&str]) {
        for (paths, expected) in [(allowed, true), (forbidden, false)] {
            for path in paths {
                let url = format!("http://a.test{path}");
                assert_eq!(
                    is_url_allowed(robots.as_bytes(), agent, &url),
                    expected,
                    "{path} for {agent}"
                );
            }
        }
    }

    #[test]
    fn the_longest_rule_of_the_group_of_the_agent_decides() {
        let robots = "User-agent: *\nDisallow: /\n\n\
            User-agent: forage\nDisallow: /private\nAllow: /private/open\n";
        check(
            robots,
            "forage",
            &["/", "/private/open/x"],
            &["/private/x", "/private"],
        );
        check(robots, "other", &[], &["/", "/private/open"]);
    }

    #[test]
    fn allow_wins_over_an_equally_long_disallow() {
        check(
            "User-agent: *\nDisallow: /a\nAllow: /a",
            "b",
            &["/a", "/a/b"],
            &[],
        );
    }

    #[test]
    fn groups_of_the_same_agent_are_merged() {
        let robots = "User-agent: a\nUser-agent: b\nDisallow: /x\n\n\
            User-agent: c\nDisallow: /z\n\n\
            user-agent: A\nDisallow: /y";
        check(robots, "a", &["/z"], &["/x", "/y"]);
        check(robots, "b", &["/y", "/z"], &["/x"]);
    }

    #[test]
    fn a_group_for_the_agent_replaces_the_group_for_all() {
        check(
            "User-agent: *\nDisallow: /\n\nUser-agent: forage/2 beta\nDisallow:\n",
            "Forage",
            &["/", "/x"],
            &[],
        );
        check(
            "User-agent: *\nDisallow: /\n\nUser-agent: foragebot\nDisallow:\n",
            "forage",
            &[],
            &["/", "/x"],
        );
    }

    #[test]
    fn a_user_agent_header_has_several_product_tokens() {
        let robots = "User-agent: GPTBot\nUser-agent: forage\nDisallow: /";
        for agent in [
            "forage/0.1.0",
            "forage/0.1.0 (+mailto:a@b.test)",
            "Mozilla/5.0 (compatible; GPTBot/1.0)",
            "gptbot",
        ] {
            check(robots, agent, &[], &["/"]);
        }
        for agent in [
            "Mozilla/5.0 (compatible; Bot/1; +http://a.test/forage/1)",
            "forager/1.0",
            "/",
            "a.forage/1",
        ] {
            check(robots, agent, &["/"], &[]);
        }
    }

    #[test]
    fn rules_before_the_first_group_apply_to_no_robot() {
        check(
            "Disallow: /\n\nUser-agent: *\nDisallow: /x",
            "a",
            &["/"],
            &["/x"],
        );
    }

    #[test]
    fn unknown_lines_do_not_end_the_list_of_user_agents() {
        check(
            "User-agent: a\nSitemap: http://a.test/s\nUser-agent: b\nDisallow: /x",
            "a",
            &["/"],
            &["/x"],
        );
    }

    #[test]
    fn compares_only_the_path_and_query() {
        let robots = b"User-agent: *\nDisallow: /x?y";
        assert!(!is_url_allowed(
            robots,
            "a",
            "http://a.test:81/x?y=http://b.test/#z"
        ));
        assert!(is_url_allowed(robots, "a", "http://a.test?/x?y"));
        assert!(is_url_allowed(
            b"User-agent: *\nDisallow: /x#y\nAllow: /x",
            "a",
            "http://a.test/x#y"
        ));
    }

    #[test]
    fn crawl_delay_is_that_of_the_group_of_the_agent() {
        let robots =
            b"User-agent: *\nCrawl-delay: 9\n\nUser-agent: a\nCrawl-delay: 2.5\nDisallow: /x";
        assert_eq!(
            RobotsTxt::parse(robots, "a").crawl_delay(),
            Some(Duration::from_millis(2500))
        );
        assert_eq!(
            RobotsTxt::parse(robots, "b").crawl_delay(),
            Some(Duration::from_secs(9))
        );
    }

    #[test]
    fn robots_txt_itself_is_always_allowed() {
        // RFC 9309, section 2.2.2.
        let robots = "User-agent: *\nDisallow: /";
        check(robots, "a", &["/robots.txt"], &["/robots.txt/x", "/x"]);
    }

    #[test]
    fn files_without_rules_allow_everything() {
        for file in [
            &b""[..],
            b"\xef\xbb\xbf",
            b"<html>User-agent: *</html>",
            b"\0\xff\n:\n::/\n",
        ] {
            assert!(is_url_allowed(file, "a", "http://a.test/"), "{file:?}");
        }
    }
}
