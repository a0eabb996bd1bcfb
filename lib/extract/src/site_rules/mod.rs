//! Site rules: where the article is in the pages of a host, stated by people in TOML.
//!
//! Bracewell, Ren and Kuroiwa 2007 (section V.B) use regular expressions per site. Here a rule has
//! CSS selectors, which are applied to the tree of the page, and patterns, which are applied to the
//! lines of its text. A rule that selects no text on a page does not match it. That is no error:
//! the page is extracted without a rule, and its record says so (`fetch.rule`).
//!
//! Rules are data, so that a user can add a site without a build. Built-in ones are in
//! `lib/extract/rules`.

mod apply;
mod file;

pub use file::RuleFileError;

use crate::ExtractedPage;
use crate::footers::FooterPatterns;
use crate::paragraphs::tidy_line;
use dom_query::{Document, Matcher};
use regex::Regex;
use url::Url;

/// The site rules that the crate contains: those of news sites.
pub const NEWS_RULES: &str = include_str!("../../rules/news.toml");

/// Returns the patterns of the table `footer` of a rule file.
///
/// # Errors
/// Fails if the file has an error.
pub(crate) fn parse_footers(content: &str) -> Result<FooterPatterns, RuleFileError> {
    file::parse_rule_file(content).map(|file| file.footers)
}

/// Site rules by host.
#[derive(Debug, Clone, Default)]
pub struct RuleSet {
    rules: Vec<SiteRule>,
    /// Number of files added so far.
    files: usize,
    /// The footer patterns of all files, which are not those of a site.
    pub(crate) footers: FooterPatterns,
}

/// The rule for a site. See docs/guide/site-rules.md for the meaning of its parts.
#[derive(Debug, Clone, Default)]
struct SiteRule {
    hosts: Vec<String>,
    /// Number of the file.
    file: usize,
    /// Selectors, of which the first that matches is used.
    title: Vec<Matcher>,
    title_patterns: Vec<Regex>,
    /// Selectors, of which the first that matches is used.
    article: Vec<Matcher>,
    start: Option<Matcher>,
    end: Option<Matcher>,
    drop: Option<Matcher>,
    start_patterns: Vec<Regex>,
    end_patterns: Vec<Regex>,
    drop_patterns: Vec<Regex>,
    /// Those of the site, and of its file.
    footers: FooterPatterns,
}

/// The title and the text of a page, by a rule.
pub(crate) struct RuleText {
    pub title: Option<String>,
    pub text: String,
}

impl RuleSet {
    /// Adds the rules of a file, given its content in TOML.
    ///
    /// # Errors
    /// Fails if the content is not TOML, has unknown keys, lacks `host` or a statement of where the
    /// article is, or has an invalid selector or pattern.
    pub fn add_file(&mut self, content: &str) -> Result<(), RuleFileError> {
        let mut file = file::parse_rule_file(content)?;
        for rule in &mut file.rules {
            rule.file = self.files;
            rule.footers.add_all(&file.footers);
        }
        self.files += 1;
        self.footers.add_all(&file.footers);
        self.rules.append(&mut file.rules);
        Ok(())
    }

    /// Returns the rules for a host with the host that each states, in the order in which they are
    /// tried: longer hosts first, then later files, then as in the file.
    fn rules_for_host(&self, host: &str) -> Vec<(&str, &SiteRule)> {
        let mut found: Vec<(&str, &SiteRule)> = self
            .rules
            .iter()
            .filter_map(|rule| rule.matching_host(host).map(|pattern| (pattern, rule)))
            .collect();
        found.sort_by_key(|(pattern, rule)| std::cmp::Reverse((pattern.len(), rule.file)));
        found
    }

    /// Applies the rules for a page's host. Returns the rule used and, if it matches, its result;
    /// `None` if there is no rule for the host. `document` is `None` if the page has no tree: then
    /// no rule matches.
    pub(crate) fn apply(
        &self,
        url: Option<&Url>,
        page: &ExtractedPage,
        document: Option<&Document>,
    ) -> Option<(forage_record::SiteRule, Option<RuleText>)> {
        if self.rules.is_empty() {
            return None;
        }
        let rules = self.rules_for_host(&page_host(url, page)?);
        let first_host = rules.first()?.0;
        let applied = document.and_then(|document| {
            rules.iter().find_map(|(host, rule)| {
                let text = rule.extract(document, page.fetch.html_lang.as_deref())?;
                Some((*host, text))
            })
        });
        let rule_use = forage_record::SiteRule {
            host: applied.as_ref().map_or(first_host, |found| found.0).into(),
            matched: applied.is_some(),
        };
        Some((rule_use, applied.map(|(_, text)| text)))
    }
}

impl SiteRule {
    /// Returns the longest of the rule's hosts that is `host` or a domain above it.
    fn matching_host(&self, host: &str) -> Option<&str> {
        let hosts = self.hosts.iter().map(String::as_str);
        hosts
            .filter(|own| {
                host.strip_suffix(own)
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            })
            .max_by_key(|own| own.len())
    }
}

/// Returns the host of a page: that of its URL or, if that is a file or unknown, of the canonical
/// address that the page declares.
fn page_host(url: Option<&Url>, page: &ExtractedPage) -> Option<String> {
    let is_web = |url: &&Url| matches!(url.scheme(), "http" | "https");
    let canonical = || Url::parse(page.fetch.canonical.as_deref()?).ok();
    let url = url.filter(is_web).cloned().or_else(canonical)?;
    url.host_str()
        .map(|host| host.trim_end_matches('.').to_owned())
}

/// Returns a text on one line.
fn on_one_line(text: &str) -> String {
    tidy_line(text)
}

#[cfg(test)]
mod tests {
    use super::RuleSet;

    fn hosts(files: &[&str], host: &str) -> Vec<String> {
        let mut rules = RuleSet::default();
        for file in files {
            rules.add_file(file).unwrap();
        }
        let found = rules.rules_for_host(host);
        found
            .iter()
            .map(|(host, rule)| format!("{host} {}", rule.file))
            .collect()
    }

    const FIRST: &str = "[[site]]\nhost = 'a.test'\narticle = 'p'\n\
                         [[site]]\nhost = ['b.test', 'news.a.test']\narticle = 'p'";

    #[test]
    fn a_host_includes_its_subdomains() {
        assert_eq!(hosts(&[FIRST], "a.test"), ["a.test 0"]);
        assert_eq!(hosts(&[FIRST], "www.a.test"), ["a.test 0"]);
        assert!(hosts(&[FIRST], "aa.test").is_empty() && hosts(&[FIRST], "test").is_empty());
    }

    #[test]
    fn a_host_that_no_page_has_is_refused() {
        for host in ["*.a.test", ".a.test", "*"] {
            let file = format!("[[site]]\nhost = '{host}'\narticle = 'p'");
            let error = RuleSet::default().add_file(&file).unwrap_err();
            assert!(error.line == 2 && error.message.contains(host), "{error}");
        }
        let file = "[[site]]\nhost = 'a.test.'\narticle = 'p'";
        assert_eq!(hosts(&[file], "a.test"), ["a.test 0"]);
    }

    #[test]
    fn specific_hosts_and_later_files_come_first() {
        let second = "[[site]]\nhost = 'A.test'\narticle = 'div'";
        assert_eq!(
            hosts(&[FIRST, second], "x.news.a.test"),
            ["news.a.test 0", "a.test 1", "a.test 0"]
        );
    }

    #[test]
    fn the_news_rules_are_valid() {
        let mut rules = RuleSet::default();
        rules.add_file(super::NEWS_RULES).unwrap();
        assert!(rules.rules.len() >= 12, "{}", rules.rules.len());
    }
}
