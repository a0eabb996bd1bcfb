//! Footer patterns: the lines after which a page has no more text of its article, per language.

use regex::RegexSet;
use std::collections::BTreeMap;

/// The key of patterns that apply to pages in all languages.
pub(crate) const ANY_LANGUAGE: &str = "any";

/// Footer patterns by language.
#[derive(Debug, Clone, Default)]
pub(crate) struct FooterPatterns {
    /// The patterns by the first subtag of the language tag, or by [`ANY_LANGUAGE`].
    by_language: BTreeMap<String, Vec<RegexSet>>,
}

impl FooterPatterns {
    /// Adds patterns for a language.
    pub fn add_patterns(&mut self, language: &str, patterns: RegexSet) {
        let language = primary_subtag(language);
        self.by_language.entry(language).or_default().push(patterns);
    }

    /// Adds all patterns of `other`.
    pub fn add_all(&mut self, other: &FooterPatterns) {
        for (language, patterns) in &other.by_language {
            let sets = self.by_language.entry(language.clone()).or_default();
            sets.extend(patterns.iter().cloned());
        }
    }

    /// Returns the index of the first line that matches a pattern for a page whose `<html>` tag
    /// declares `language`.
    ///
    /// The patterns are those of that language and of [`ANY_LANGUAGE`]; if the language is not
    /// declared or has no patterns, those of all languages.
    pub fn find_footer(&self, lines: &[&str], language: Option<&str>) -> Option<usize> {
        let language = language.map(primary_subtag);
        let is_known = language
            .as_ref()
            .is_some_and(|language| self.by_language.contains_key(language));
        let sets: Vec<&RegexSet> = self
            .by_language
            .iter()
            .filter(|(key, _)| !is_known || *key == ANY_LANGUAGE || Some(*key) == language.as_ref())
            .flat_map(|(_, sets)| sets)
            .collect();
        lines
            .iter()
            .position(|line| sets.iter().any(|patterns| patterns.is_match(line)))
    }
}

/// Returns the first subtag of a language tag (BCP 47), in lower case: `pt` of `pt-BR`.
fn primary_subtag(tag: &str) -> String {
    let subtag = tag.trim().split(['-', '_']).next().unwrap_or_default();
    subtag.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::FooterPatterns;
    use regex::RegexSet;

    fn patterns(entries: &[(&str, &str)]) -> FooterPatterns {
        let mut footers = FooterPatterns::default();
        for (language, pattern) in entries {
            footers.add_patterns(language, RegexSet::new([pattern]).unwrap());
        }
        footers
    }

    #[test]
    fn uses_the_patterns_of_the_declared_language_and_of_any() {
        let footers = patterns(&[("en", "^Related"), ("sl", "^Preberite"), ("any", "©")]);
        let lines = ["a", "Related", "Preberite", "© 2026"];
        assert_eq!(footers.find_footer(&lines, Some("en-GB")), Some(1));
        assert_eq!(footers.find_footer(&lines, Some("SL")), Some(2));
        // No patterns for Croatian, and no language: all patterns.
        assert_eq!(footers.find_footer(&lines, Some("hr")), Some(1));
        assert_eq!(footers.find_footer(&lines, None), Some(1));
        assert_eq!(footers.find_footer(&lines[..1], None), None);
        let footers = patterns(&[("sl", "^Preberite"), ("any", "©")]);
        assert_eq!(footers.find_footer(&lines[2..], Some("sl-SI")), Some(0));
    }

    #[test]
    fn adds_the_patterns_of_others() {
        let mut footers = patterns(&[("en", "x")]);
        footers.add_all(&patterns(&[("en", "y")]));
        assert_eq!(footers.find_footer(&["a", "y"], Some("en")), Some(1));
        assert_eq!(footers.find_footer(&["a", "x"], Some("en")), Some(1));
    }
}
