//! Application of a rule to the tree of a page: the tree is cut down to the article, and patterns
//! are applied to the lines of the rest.

use super::{RuleText, SiteRule, on_one_line};
use crate::metadata::PageMetadata;
use crate::outline::build_outline;
use dom_query::{Document, Matcher, NodeId, NodeRef};
use regex::Regex;

impl SiteRule {
    /// Returns the title and the text of a page in `language`. Returns `None` if the rule does not
    /// match: the start, or all text, is missing.
    pub(super) fn extract(&self, document: &Document, language: Option<&str>) -> Option<RuleText> {
        if !self.article.is_empty() && first_match(document, &self.article).is_none() {
            return None;
        }
        let title = self.find_title(document);
        // The page may have to be extracted without this rule.
        let article = document.clone();
        self.cut_tree(&article)?;
        let outline = build_outline(&article, &mut PageMetadata::default());
        let lines: Vec<&str> = outline
            .blocks
            .iter()
            .flat_map(|block| block.text.split('\n'))
            .collect();
        let text = self.select_lines(&lines, language)?.join("\n");
        (!text.is_empty()).then_some(RuleText { title, text })
    }

    /// Returns the title: the text of the first element that a title selector matches, or of
    /// `<title>`, or the part of it that a title pattern matches.
    fn find_title(&self, document: &Document) -> Option<String> {
        let texts = |matcher: &Matcher| {
            let selection = document.select_matcher(matcher);
            let texts = selection.nodes().iter().map(element_text);
            texts.into_iter().find(|text| !text.is_empty())
        };
        if self.title_patterns.is_empty() {
            return self.title.iter().find_map(texts);
        }
        let text = if self.title.is_empty() {
            texts(&Matcher::new("title").ok()?)
        } else {
            self.title.iter().find_map(texts)
        }?;
        let found = self
            .title_patterns
            .iter()
            .find_map(|pattern| pattern.captures(&text))?;
        let part = found.get(1).or_else(|| found.get(0))?;
        Some(part.as_str().trim().to_owned()).filter(|title| !title.is_empty())
    }

    /// Removes from the tree all that the selectors exclude. Returns `None` if the start or the
    /// article is missing.
    fn cut_tree(&self, document: &Document) -> Option<()> {
        if let Some(matcher) = &self.drop {
            for node in document.select_matcher(matcher).nodes() {
                node.remove_from_parent();
            }
        }
        let mut around_start: Vec<NodeId> = Vec::new();
        if let Some(matcher) = &self.start {
            let selection = document.select_single_matcher(matcher);
            let node = selection.nodes().first()?;
            around_start = node.ancestors(None).iter().map(|node| node.id).collect();
            cut_siblings(node, NodeRef::prev_sibling);
        }
        if let Some(matcher) = &self.end {
            let selection = document.select_matcher(matcher);
            // An element around the start begins before it.
            let mut nodes = selection.nodes().iter();
            if let Some(node) = nodes.find(|node| !around_start.contains(&node.id)) {
                cut_siblings(node, NodeRef::next_sibling);
            }
        }
        if !self.article.is_empty() {
            keep_only(document, &first_match(document, &self.article)?);
        }
        Some(())
    }

    /// Returns the lines of the article. Returns `None` if its start is missing.
    fn select_lines<'a>(&self, lines: &[&'a str], language: Option<&str>) -> Option<Vec<&'a str>> {
        let matches_any =
            |patterns: &[Regex], line: &str| patterns.iter().any(|pattern| pattern.is_match(line));
        let position = |lines: &[&str], patterns: &[Regex]| {
            lines.iter().position(|line| matches_any(patterns, line))
        };
        let mut lines = lines;
        if !self.start_patterns.is_empty() {
            let start = position(lines, &self.start_patterns)?;
            lines = &lines[start + 1..];
        }
        let end = position(lines, &self.end_patterns).unwrap_or(lines.len());
        lines = &lines[..end];
        let end = self.footers.find_footer(lines, language);
        lines = &lines[..end.unwrap_or(lines.len())];
        let kept = lines
            .iter()
            .filter(|line| !matches_any(&self.drop_patterns, line));
        Some(kept.copied().collect())
    }
}

/// Returns the outermost elements that the first matching selector matches.
fn first_match<'a>(document: &'a Document, matchers: &[Matcher]) -> Option<Vec<NodeRef<'a>>> {
    let nodes = matchers.iter().find_map(|matcher| {
        let nodes = document.select_matcher(matcher).nodes().to_vec();
        (!nodes.is_empty()).then_some(nodes)
    })?;
    // In document order, an element follows those around it.
    let mut outermost: Vec<NodeRef> = Vec::new();
    for node in nodes {
        let is_inside = outermost
            .last()
            .is_some_and(|last| node.ancestors_it(None).any(|around| around.id == last.id));
        if !is_inside {
            outermost.push(node);
        }
    }
    Some(outermost)
}

/// Removes an element and all nodes on one side of it, in document order, except those around it.
fn cut_siblings<'a>(node: &NodeRef<'a>, sibling: impl Fn(&NodeRef<'a>) -> Option<NodeRef<'a>>) {
    let mut current = Some(*node);
    while let Some(around) = current {
        while let Some(next) = sibling(&around) {
            next.remove_from_parent();
        }
        current = around.parent();
    }
    node.remove_from_parent();
}

/// Removes all nodes except `nodes` and what is in them.
fn keep_only(document: &Document, nodes: &[NodeRef]) {
    let container = document.tree.new_element("div");
    for node in nodes {
        node.remove_from_parent();
        container.append_child(node);
    }
    document.root().remove_children();
    document.root().append_child(&container);
}

/// Returns the text of an element on one line; of a `<meta>`, its content.
fn element_text(node: &NodeRef) -> String {
    if node.has_name("meta") {
        on_one_line(&node.attr_or("content", ""))
    } else {
        on_one_line(&node.text())
    }
}

#[cfg(test)]
mod tests {
    use crate::site_rules::RuleSet;
    use crate::{ExtractedPage, ExtractionOptions, Extractor, extract_page};
    use proptest::prelude::*;

    const URL: Option<&str> = Some("https://www.vas.test/a");
    const PAGE: &str = "<html lang=sl><title>Potok | Novice</title><nav>Domov</nav><h1>Potok</h1>\
        <p class=by>Ana</p><div class=story><p>Prvi.<div class=ad>Oglas</div><p>Drugi.\
        <p>Preberite še<p>Tretji.</div><footer>Konec</footer>";

    fn extract(rule: &str, html: &str) -> ExtractedPage {
        let mut rules = RuleSet::default();
        rules
            .add_file(&format!("[[site]]\nhost = 'vas.test'\n{rule}"))
            .unwrap();
        let options = ExtractionOptions {
            rules,
            extractor: Extractor::TitleBodyFooter,
            ..ExtractionOptions::default()
        };
        extract_page(html.to_owned(), URL, &options)
    }

    fn text(rule: &str) -> String {
        let page = extract(rule, PAGE);
        assert!(page.fetch.rule.is_some_and(|rule| rule.matched), "{rule}");
        page.text
    }

    #[test]
    fn selects_the_article_by_selectors() {
        let all = "Prvi.\nOglas\nDrugi.\nPreberite še\nTretji.";
        assert_eq!(text("article = '.story'"), all);
        assert_eq!(text("article = ['.none', '.story, .story p']"), all);
        assert_eq!(text("start = '.by'\nend = 'footer'"), all);
        // `body` begins before the start.
        assert_eq!(text("start = '.by'\nend = '.ad, body'"), "Prvi.");
    }

    #[test]
    fn drops_elements_and_ends_at_patterns() {
        let story = "article = '.story'\ndrop = '.ad'\n";
        assert_eq!(
            text(&format!("{story}end-pattern = '^preberite'")),
            "Prvi.\nDrugi."
        );
        assert_eq!(
            text(&format!("{story}footer.sl = '^preberite'")),
            "Prvi.\nDrugi."
        );
        assert_eq!(
            text(&format!("{story}footer = {{en = '^preberite', sl = 'x'}}")),
            "Prvi.\nDrugi.\nPreberite še\nTretji."
        );
        assert_eq!(
            text(&format!("{story}drop-pattern = '^preberite'")),
            "Prvi.\nDrugi.\nTretji."
        );
        assert_eq!(
            text("start-pattern = '^Ana'\nend-pattern = 'Konec'\ndrop-pattern = 'Oglas|Preb'"),
            "Prvi.\nDrugi.\nTretji."
        );
    }

    #[test]
    fn finds_the_title() {
        let title = |rule: &str| extract(&format!("article = '.story'\n{rule}"), PAGE).title;
        assert_eq!(title("title = ['.none', 'h1']").as_deref(), Some("Potok"));
        assert_eq!(title("title = '.by'").as_deref(), Some("Ana"));
        assert_eq!(
            title("title-pattern = '\\| (.*)'").as_deref(),
            Some("Novice")
        );
        assert_eq!(title("title = '.none'").as_deref(), Some("Potok"));
    }

    #[test]
    fn a_rule_without_a_match_changes_nothing() {
        for rule in [
            "article = '.none'",
            "start = '.none'",
            "start-pattern = 'none'",
            "article = '.story'\ndrop = '.story'",
            "article = '.story'\nend-pattern = '.'",
        ] {
            let page = extract(rule, PAGE);
            let found = page.fetch.rule.unwrap();
            assert_eq!(
                (found.host.as_str(), found.matched),
                ("vas.test", false),
                "{rule}"
            );
            assert_eq!(page.text, "Ana\nPrvi.\nOglas\nDrugi.", "{rule}");
        }
        let flat = extract("article = 'p'", &"<p>a</p>".repeat(200_000));
        assert!(!flat.fetch.rule.unwrap().matched);
    }

    #[test]
    fn pages_of_other_hosts_have_no_rule() {
        let mut options = ExtractionOptions::default();
        options
            .rules
            .add_file("[[site]]\nhost = 'vas.test'\narticle = '.story'")
            .unwrap();
        let rule = |url, html: &str| extract_page(html.to_owned(), url, &options).fetch.rule;
        assert_eq!(rule(Some("https://mesto.test/"), PAGE), None);
        assert_eq!(rule(None, PAGE), None);
        let saved = format!("<link rel=canonical href='https://vas.test/a'>{PAGE}");
        assert!(rule(Some("file:///a.html"), &saved).unwrap().matched);
        assert_eq!(rule(Some("https://mesto.test/"), &saved), None);
    }

    /// Returns all words of a page.
    fn words(text: &str) -> Vec<&str> {
        text.split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_page_and_rule_give_a_part_of_the_text_in_order(
            html in "(<(/?(html|body|p|div|b|table|td|pre|title|script|meta)( class=[ab])?)>|[a-c ©|]{1,4}|Related ){0,40}",
            selectors in proptest::collection::vec("(html|body|p|div|\\.a|\\.b|b > p|\\*|title|:not\\(p\\))", 4),
            pattern in "[a-c.^$]{1,2}",
            keys in 0_u32..64,
        ) {
            let mut rule = format!("article = '{}'\n", selectors[0]);
            for (n, (key, value)) in [
                ("start", &selectors[1]), ("end", &selectors[2]), ("drop", &selectors[3]),
                ("start-pattern", &pattern), ("end-pattern", &pattern), ("drop-pattern", &pattern),
            ].into_iter().enumerate() {
                if keys >> n & 1 == 1 {
                    rule += &format!("{key} = '{value}'\n");
                }
            }
            let document = dom_query::Document::from(html.as_str());
            let mut metadata = crate::metadata::PageMetadata::default();
            let outline = crate::outline::build_outline(&document, &mut metadata);
            let all: Vec<&str> = outline.blocks.iter().flat_map(|block| words(&block.text)).collect();
            let page = extract(&rule, &html);
            // Removing an element may join the words around it, so that letters are compared.
            let mut letters = all.iter().flat_map(|word| word.chars());
            for c in words(&page.text).iter().flat_map(|word| word.chars()) {
                prop_assert!(letters.any(|letter| letter == c), "{:?} of {:?}", page.text, all);
            }
        }

        #[test]
        fn any_file_is_read_or_rejected(content in "([a-z.= \\['\"\\]\n#{}]|site|host|article|footer|\\[\\[site\\]\\]\n){0,40}") {
            let mut rules = RuleSet::default();
            if let Err(e) = rules.add_file(&content) {
                prop_assert!(e.line >= 1 && e.line <= content.matches('\n').count() + 1);
            }
        }
    }
}
