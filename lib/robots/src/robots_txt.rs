//! robots.txt: what a file allows an agent (RFC 9309), without the network.
//!
//! [`RobotsTxt::parse`] keeps of a file what concerns one agent: the rules of all groups that name
//! it, or, where none does, those for everyone. The longest rule that matches decides, and of two
//! equally long ones the one that allows. Files are read as leniently as Google's open-source
//! parser reads them, which is what webmasters test with: `line` has how a directive may be spelt,
//! `pattern` how a path is matched, in linear time.

mod line;

use crate::pattern::Pattern;
use line::{Directive, directives};

use std::time::Duration;

/// What a robots.txt says to one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RobotsTxt {
    rules: Vec<Rule>,
    crawl_delay: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allows: bool,
    pattern: Pattern,
}

/// Whether `robots`, the text of a robots.txt, allows `agent` to fetch `url`.
///
/// The URL's path is compared as it stands: it is for the caller to have it percent-encoded, as it
/// is sent.
pub fn is_url_allowed(robots: &[u8], agent: &str, url: &str) -> bool {
    RobotsTxt::parse(robots, agent).allows(path(url))
}

impl RobotsTxt {
    /// Reads a file for `agent`, whose name is compared without regard to case (RFC 9309 §2.2.1);
    /// it may be a whole `User-Agent` header, of which the products count. Any bytes are a
    /// robots.txt; what is no directive is passed over.
    pub fn parse(file: &[u8], agent: &str) -> RobotsTxt {
        let mut groups = Groups {
            names: products(agent),
            ..Groups::default()
        };
        directives(file).for_each(|directive| groups.add(directive));
        if groups.is_named {
            groups.specific
        } else {
            groups.global
        }
    }

    /// Whether a path, with its query, may be fetched (RFC 9309 §2.2.2).
    pub fn allows(&self, path: &str) -> bool {
        let longest = |allows: bool| {
            let matching = self.rules.iter().filter(|rule| rule.allows == allows);
            matching
                .filter_map(|rule| rule.pattern.priority(path.as_bytes()))
                .max()
                .unwrap_or(0)
        };
        // A rule without a path has no say, so that "Disallow:" forbids nothing.
        longest(false) <= longest(true)
    }

    /// The pause between two requests that is asked for; no part of the RFC, but widely written.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.crawl_delay
    }

    /// The rules as a file that says the same to everyone.
    pub fn to_text(&self) -> String {
        let mut text = String::from("User-agent: *\n");
        if let Some(delay) = self.crawl_delay {
            text.push_str(&format!("Crawl-delay: {}\n", delay.as_secs_f64()));
        }
        for Rule { allows, pattern } in &self.rules {
            text.push_str(if *allows { "Allow: " } else { "Disallow: " });
            text.push_str(&pattern.to_text());
            text.push('\n');
        }
        text
    }

    /// Memory that the rules take, in bytes, roughly.
    pub fn heap_bytes(&self) -> usize {
        self.rules
            .iter()
            .map(|rule| size_of::<Rule>() + rule.pattern.heap_bytes())
            .sum()
    }
}

/// The groups of a file while it is read.
#[derive(Default)]
struct Groups<'a> {
    /// The names that the agent has.
    names: Vec<&'a str>,
    /// Whom rules at this place are for.
    rules_for: Scope,
    /// Whom a delay is for. It ends the list of agents for other delays, and not for rules, which
    /// count as one group where nothing but foreign directives stands between their agents.
    delay_for: Scope,
    /// Whether any group names the agent; then those for everyone are not for it.
    is_named: bool,
    specific: RobotsTxt,
    global: RobotsTxt,
}

/// Whom a group is for.
#[derive(Debug, Clone, Copy, Default)]
struct Scope {
    is_ours: bool,
    is_global: bool,
    /// Whether something was said to them: the next `User-agent` begins another group.
    is_over: bool,
}

impl Groups<'_> {
    fn add(&mut self, directive: Directive) {
        match directive {
            Directive::Agent(name) => self.open(name),
            Directive::Rule { allows, path } => {
                (self.rules_for.is_over, self.delay_for.is_over) = (true, true);
                for pattern in Pattern::from_rule(path, allows) {
                    self.apply(self.rules_for, |robots| {
                        robots.rules.push(Rule {
                            allows,
                            pattern: pattern.clone(),
                        })
                    });
                }
            }
            Directive::CrawlDelay(delay) => {
                self.delay_for.is_over = true;
                self.apply(self.delay_for, |robots| robots.crawl_delay = Some(delay));
            }
        }
    }

    /// A group begins, or is for one more agent.
    fn open(&mut self, name: &[u8]) {
        let is_everyone =
            name.first() == Some(&b'*') && name.get(1).is_none_or(u8::is_ascii_whitespace);
        // The product token ends where no character of one follows, as in "forage/1.0".
        let end = name
            .iter()
            .position(|&byte| !is_of_token(byte))
            .unwrap_or(name.len());
        let is_name = |agent: &&str| name[..end].eq_ignore_ascii_case(agent.as_bytes());
        let is_ours = !is_everyone && end > 0 && self.names.iter().any(is_name);
        self.is_named |= is_ours;
        for scope in [&mut self.rules_for, &mut self.delay_for] {
            if scope.is_over {
                *scope = Scope::default();
            }
            scope.is_ours |= is_ours;
            scope.is_global |= is_everyone;
        }
    }

    /// Tells those that a place is for. What stands before the first group is for nobody.
    fn apply(&mut self, scope: Scope, what: impl Fn(&mut RobotsTxt)) {
        if scope.is_ours {
            what(&mut self.specific);
        }
        if scope.is_global {
            what(&mut self.global);
        }
    }
}

/// The product tokens of a `User-Agent` header, each followed by a slash and a version (RFC 9110
/// §10.1.5), also where it stands in a comment, as in `Mozilla/5.0 (compatible; GPTBot/1.0)`. A
/// name without a version is all of it.
fn products(agent: &str) -> Vec<&str> {
    if !agent.contains('/') {
        return vec![agent];
    }
    let words = agent.split(|letter: char| letter.is_whitespace() || "();,".contains(letter));
    let names = words
        .filter_map(|word| word.split_once('/'))
        .map(|(name, _)| name);
    names
        .filter(|name| !name.is_empty() && name.bytes().all(is_of_token))
        .collect()
}

/// Whether a product token may have this byte (RFC 9309 §2.2.1).
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')
}

/// Path and query of a URL as they stand in it, without a fragment; `/` where there are none.
fn path(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or_default();
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    let rest = &url[after_scheme..];
    match rest.find(['/', '?', ';']) {
        Some(at) if rest.as_bytes()[at] == b'/' => &rest[at..],
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
    fn the_longest_rule_of_our_group_decides() {
        let robots = "User-agent: *\nDisallow: /\n\nUser-agent: forage\nDisallow: /private\nAllow: /private/open\n";
        check(
            robots,
            "forage",
            &["/", "/private/open/x"],
            &["/private/x", "/private"],
        );
        check(robots, "other", &[], &["/", "/private/open"]);
    }

    #[test]
    fn allow_wins_where_both_are_equally_long() {
        check(
            "User-agent: *\nDisallow: /a\nAllow: /a",
            "b",
            &["/a", "/a/b"],
            &[],
        );
    }

    #[test]
    fn groups_of_the_same_agent_are_one() {
        let robots = "User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: c\nDisallow: /z\n\nuser-agent: A\nDisallow: /y";
        check(robots, "a", &["/z"], &["/x", "/y"]);
        check(robots, "b", &["/y", "/z"], &["/x"]);
    }

    #[test]
    fn a_group_for_us_that_allows_all_keeps_the_general_one_away() {
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
    fn a_whole_user_agent_has_the_names_of_its_products() {
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
    fn rules_before_any_group_are_for_nobody() {
        check(
            "Disallow: /\n\nUser-agent: *\nDisallow: /x",
            "a",
            &["/"],
            &["/x"],
        );
    }

    #[test]
    fn other_directives_do_not_end_the_list_of_agents() {
        check(
            "User-agent: a\nSitemap: http://a.test/s\nUser-agent: b\nDisallow: /x",
            "a",
            &["/"],
            &["/x"],
        );
    }

    #[test]
    fn only_the_path_and_its_query_are_compared() {
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
    fn the_delay_is_that_of_our_group() {
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
    fn a_file_that_is_none_allows_everything() {
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
