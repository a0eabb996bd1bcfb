//! The format of rule files: TOML, with the line of each error.

use super::SiteRule;
use crate::footers::FooterPatterns;
use dom_query::Matcher;
use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use url::Host;

/// An error in a rule file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RuleFileError {
    /// The line, from 1.
    pub line: usize,
    /// The cause and, if there is one, the remedy.
    pub message: String,
}

/// The content of a rule file.
#[derive(Debug, Default)]
pub(crate) struct RuleFile {
    pub rules: Vec<SiteRule>,
    /// The patterns of the table `footer`.
    pub footers: FooterPatterns,
}

/// The keys of a site.
const SITE_KEYS: &str = "host, title, title-pattern, article, start, end, drop, start-pattern, \
                         end-pattern, drop-pattern, footer";

/// An error, and where it is in the content.
type SpannedError = (Range<usize>, String);

/// A table, a key of which has a value.
type Entry<'a> = (
    &'a Spanned<std::borrow::Cow<'a, str>>,
    &'a Spanned<DeValue<'a>>,
);

/// A string, and where it is in the content.
type SpannedStr<'a> = (Range<usize>, &'a str);

/// Parses the content of a rule file.
pub(crate) fn parse_rule_file(content: &str) -> Result<RuleFile, RuleFileError> {
    let parsed = DeTable::parse(content)
        .map_err(|e| (e.span().unwrap_or(0..0), e.message().to_owned()))
        .and_then(|table| parse_tables(table.get_ref()));
    parsed.map_err(|(span, message)| RuleFileError {
        line: 1 + content
            .as_bytes()
            .iter()
            .take(span.start)
            .filter(|&&byte| byte == b'\n')
            .count(),
        message: message.lines().collect::<Vec<_>>().join(" "),
    })
}

fn parse_tables(table: &DeTable) -> Result<RuleFile, SpannedError> {
    let mut file = RuleFile::default();
    for (key, value) in in_file_order(table) {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("site", DeValue::Array(sites)) => {
                for site in sites.iter() {
                    file.rules.push(parse_site(site)?);
                }
            }
            ("site", _) => return Err((value.span(), "each site is a table [[site]]".into())),
            ("footer", _) => add_footers(&mut file.footers, value)?,
            (key_name, _) => {
                let message = format!("unknown key {key_name:?}; keys are site, footer");
                return Err((key.span(), message));
            }
        }
    }
    Ok(file)
}

/// Returns the entries of a table, so that the first error in the file is reported.
fn in_file_order<'a>(table: &'a DeTable<'a>) -> Vec<Entry<'a>> {
    let mut entries: Vec<Entry> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

fn parse_site(site: &Spanned<DeValue>) -> Result<SiteRule, SpannedError> {
    let DeValue::Table(table) = site.get_ref() else {
        return Err((site.span(), "each site is a table [[site]]".into()));
    };
    let mut rule = SiteRule::default();
    for (key, value) in in_file_order(table) {
        let strings = || parse_strings(value);
        match key.get_ref().as_ref() {
            "host" => rule.hosts = parse_each(strings()?, parse_host)?,
            "title" => rule.title = parse_each(strings()?, parse_selector)?,
            "article" => rule.article = parse_each(strings()?, parse_selector)?,
            "start" => rule.start = parse_selector_list(strings()?)?,
            "end" => rule.end = parse_selector_list(strings()?)?,
            "drop" => rule.drop = parse_selector_list(strings()?)?,
            "title-pattern" => rule.title_patterns = parse_each(strings()?, parse_pattern)?,
            "start-pattern" => rule.start_patterns = parse_each(strings()?, parse_pattern)?,
            "end-pattern" => rule.end_patterns = parse_each(strings()?, parse_pattern)?,
            "drop-pattern" => rule.drop_patterns = parse_each(strings()?, parse_pattern)?,
            "footer" => add_footers(&mut rule.footers, value)?,
            other => {
                let message = format!("unknown key {other:?}; keys of a site are {SITE_KEYS}");
                return Err((key.span(), message));
            }
        }
    }
    if rule.hosts.is_empty() {
        return Err((site.span(), "the site has no host".into()));
    }
    if rule.article.is_empty() && rule.start.is_none() && rule.start_patterns.is_empty() {
        let message = "the site has no article; give article, start or start-pattern";
        return Err((site.span(), message.into()));
    }
    Ok(rule)
}

/// Returns the strings of a value, which is a string or an array of strings.
fn parse_strings<'a>(value: &'a Spanned<DeValue>) -> Result<Vec<SpannedStr<'a>>, SpannedError> {
    let string = |value: &'a Spanned<DeValue>| match value.get_ref() {
        DeValue::String(text) if !text.trim().is_empty() => Ok((value.span(), text.as_ref())),
        DeValue::String(_) => Err((value.span(), "an empty string".to_owned())),
        _ => Err((
            value.span(),
            "not a string or an array of strings".to_owned(),
        )),
    };
    match value.get_ref() {
        DeValue::Array(values) => values.iter().map(string).collect(),
        _ => Ok(vec![string(value)?]),
    }
}

fn parse_each<T>(
    strings: Vec<SpannedStr>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, SpannedError> {
    strings
        .into_iter()
        .map(|(span, text)| parse(text).map_err(|message| (span, message)))
        .collect()
}

/// Returns a host in the form that URLs have: lower case, with international names in Punycode, and
/// without a dot at the end. Refuses patterns, which no host would match.
fn parse_host(text: &str) -> Result<String, String> {
    if text.starts_with(['.', '*']) {
        return Err(format!(
            "{text:?} is not a host; give it as in example.org, which includes its subdomains"
        ));
    }
    Host::parse(text.trim_end_matches('.'))
        .map(|host| host.to_string())
        .map_err(|_| format!("{text:?} is not a host; give it as in example.org"))
}

fn parse_selector(text: &str) -> Result<Matcher, String> {
    Matcher::new(text).map_err(|_| format!("{text:?} is not a CSS selector"))
}

/// Returns one selector that matches what any of them matches; `None` if there is none.
fn parse_selector_list(strings: Vec<SpannedStr>) -> Result<Option<Matcher>, SpannedError> {
    let list: Vec<&str> = strings.iter().map(|(_, text)| *text).collect();
    let list = list.join(", ");
    let span = strings.first().map_or(0..0, |(span, _)| span.clone());
    let selectors = parse_each(strings, parse_selector)?;
    if selectors.is_empty() {
        return Ok(None);
    }
    let joined = parse_selector(&list).map_err(|message| (span, message))?;
    Ok(Some(joined))
}

fn parse_pattern(text: &str) -> Result<Regex, String> {
    RegexBuilder::new(text)
        .case_insensitive(true)
        .build()
        .map_err(|e| describe_pattern_error(text, &e))
}

/// Describes an error without the picture of the pattern that the crate draws in several lines.
fn describe_pattern_error(text: &str, error: &regex::Error) -> String {
    let error = error.to_string();
    let cause = error.lines().next_back().unwrap_or_default();
    let cause = cause.trim_start_matches("error: ");
    format!("{text:?} is not a regular expression: {cause}")
}

fn add_footers(footers: &mut FooterPatterns, value: &Spanned<DeValue>) -> Result<(), SpannedError> {
    let DeValue::Table(table) = value.get_ref() else {
        let message = "not a table of patterns by language, as in footer.en = ['^Related']";
        return Err((value.span(), message.into()));
    };
    for (language, patterns) in in_file_order(table) {
        let strings = parse_strings(patterns)?;
        let texts: Vec<&str> = strings.iter().map(|(_, text)| *text).collect();
        let set = parse_pattern_set(&texts);
        // The line of the pattern with the error.
        parse_each(strings, |text| parse_pattern(text).map(|_| ()))?;
        footers.add_patterns(language.get_ref(), set.map_err(|e| (patterns.span(), e))?);
    }
    Ok(())
}

fn parse_pattern_set(texts: &[&str]) -> Result<RegexSet, String> {
    RegexSetBuilder::new(texts)
        .case_insensitive(true)
        .build()
        .map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::parse_rule_file;

    fn error(content: &str) -> (usize, String) {
        let e = parse_rule_file(content).unwrap_err();
        (e.line, e.message)
    }

    #[test]
    fn reads_strings_and_arrays() {
        let file = parse_rule_file(
            "footer.en = '^Related'\n[[site]]\nhost = ['A.test', 'čebela.test']\ntitle = 'h1'\n\
             article = ['.a', '.b > p']\ndrop = ['aside', 'nav']\nend-pattern = '^fin'\n\
             footer = {sl = ['^Preberite'], any = '©'}\n",
        )
        .unwrap();
        let [rule] = &file.rules[..] else {
            panic!("{:?}", file.rules)
        };
        assert_eq!(rule.hosts, ["a.test", "xn--ebela-gya.test"]);
        assert_eq!((rule.title.len(), rule.article.len()), (1, 2));
        assert!(rule.drop.is_some() && rule.start.is_none());
        assert!(rule.end_patterns[0].is_match("FIN."));
        assert_eq!(rule.footers.find_footer(&["x", "©"], None), Some(1));
        assert_eq!(file.footers.find_footer(&["related"], None), Some(0));
    }

    #[test]
    fn errors_name_their_line() {
        let site = "[[site]]\nhost = 'a.test'\n";
        let cases = [
            ("a = 1".to_owned(), 1, "unknown key \"a\"; keys are site"),
            ("\n\n[[site]\n".to_owned(), 3, ""),
            (
                "[site]\nhost = 'a.test'".to_owned(),
                1,
                "each site is a table",
            ),
            (site.to_owned(), 1, "the site has no article"),
            (
                "\n[[site]]\narticle = 'p'".to_owned(),
                2,
                "the site has no host",
            ),
            (
                "[[site]]\nhost = 'a b'".to_owned(),
                2,
                "\"a b\" is not a host",
            ),
            (format!("{site}artikel = 'p'"), 3, "unknown key \"artikel\""),
            (format!("{site}article = 1"), 3, "not a string"),
            (format!("{site}article = ''"), 3, "an empty string"),
            (
                format!("{site}article = [\n'p',\n'p >> a']"),
                5,
                "\"p >> a\" is not a CSS selector",
            ),
            (format!("{site}drop = ['p', '[']"), 3, "\"[\" is not a CSS"),
            (
                format!("{site}article = 'p'\n\nend-pattern = '('"),
                5,
                "\"(\" is not a regular expression: unclosed group",
            ),
            (
                "[footer]\nen = [\n'a',\n'b)']".to_owned(),
                4,
                "\"b)\" is not a regular expression: unopened group",
            ),
            ("footer = 'x'".to_owned(), 1, "not a table of patterns"),
        ];
        for (content, line, message) in cases {
            let found = error(&content);
            assert_eq!(found.0, line, "{content}: {found:?}");
            assert!(found.1.starts_with(message), "{content}: {found:?}");
            assert!(!found.1.contains('\n'), "{found:?}");
        }
    }
}
