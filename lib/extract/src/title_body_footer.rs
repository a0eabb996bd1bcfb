//! The title–body–footer method: the article is what is between the line of the title and the first
//! line of the footer.
//!
//! A baseline for experiments, after Bracewell, Ren and Kuroiwa 2007, section V.B, figures 2 and 3.
//! It uses the text of the page only, not its markup. **Ours:** a line is a block of text; a line
//! is compared with the title as it stands, where the paper reads it as a regular expression; all
//! lines before the footer are the article if no line has the title; and the footer patterns,
//! besides the paper's ("Copyright", "©", "(C)", "Email this", "Related Stories").

use crate::footers::FooterPatterns;
use crate::site_rules::parse_footers;
use std::sync::LazyLock;

/// The footer patterns in several languages.
static FOOTERS: LazyLock<FooterPatterns> =
    LazyLock::new(|| parse_footers(include_str!("../rules/footers.toml")).unwrap_or_default());

/// Number of equal punctuation marks in a row from which all but one are removed. Set by judgement,
/// not measured: the paper names no number.
const MANY_MARKS: usize = 3;

/// The title and the text of a page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TitledText {
    pub title: Option<String>,
    pub text: String,
}

/// Extracts the article from the lines of a page. `title` is the text of its `<title>`, `language`
/// its declared language; `more_footers` are patterns besides the built-in ones.
pub(crate) fn extract_article(
    lines: &[&str],
    title: &str,
    language: Option<&str>,
    more_footers: &FooterPatterns,
) -> TitledText {
    let found = find_title(lines, title);
    let body = found.map_or(lines, |(line, _)| &lines[line + 1..]);
    let footers = [&*FOOTERS, more_footers];
    let ends = footers.map(|footers| footers.find_footer(body, language));
    let end = ends.into_iter().flatten().min().unwrap_or(body.len());
    let cleansed: Vec<String> = body[..end]
        .iter()
        .map(|line| reduce_punctuation(line))
        .filter(|line| line.chars().any(char::is_alphanumeric))
        .collect();
    let title = found.map_or(title, |(_, title)| title);
    TitledText {
        title: (!title.is_empty()).then(|| title.to_owned()),
        text: cleansed.join("\n"),
    }
}

/// Returns the line of the title, and the title: the text of `<title>` if a line contains it, or
/// the first line that it contains.
fn find_title<'a>(lines: &[&'a str], title: &'a str) -> Option<(usize, &'a str)> {
    if title.is_empty() {
        return None;
    }
    if let Some(line) = lines.iter().position(|line| line.contains(title)) {
        return Some((line, title));
    }
    let line = lines.iter().position(|line| title.contains(line))?;
    Some((line, lines[line]))
}

/// Reduces each run of [`MANY_MARKS`] or more equal punctuation marks to one. Three full stops are
/// an ellipsis and remain.
fn reduce_punctuation(line: &str) -> String {
    let mut reduced = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        let mut count = 1;
        while characters.next_if_eq(&c).is_some() {
            count += 1;
        }
        let is_mark = !c.is_alphanumeric() && !c.is_whitespace();
        let kept = match (c, count) {
            ('.', MANY_MARKS) => MANY_MARKS,
            _ if is_mark && count >= MANY_MARKS => 1,
            _ => count,
        };
        reduced.extend(std::iter::repeat_n(c, kept));
    }
    reduced
}

#[cfg(test)]
mod tests {
    use super::{FOOTERS, extract_article, reduce_punctuation};
    use crate::footers::FooterPatterns;

    fn extract(lines: &[&str], title: &str, language: &str) -> (Option<String>, String) {
        let page = extract_article(lines, title, Some(language), &FooterPatterns::default());
        (page.title, page.text)
    }

    #[test]
    fn the_article_is_between_title_and_footer() {
        let lines = [
            "Home",
            "Rain in Ljubljana",
            "It rains.",
            "A lot.",
            "Related Stories",
            "x",
        ];
        let found = (Some("Rain in Ljubljana".into()), "It rains.\nA lot.".into());
        assert_eq!(extract(&lines, "Rain in Ljubljana", "en"), found);
        assert_eq!(extract(&lines, "Rain in Ljubljana - Example", "en"), found);
    }

    #[test]
    fn uses_the_footer_patterns_of_the_language() {
        let lines = ["雨", "雨が降る。", "関連記事", "x"];
        assert_eq!(extract(&lines, "雨", "ja").1, "雨が降る。");
        let lines = ["Regen", "Es regnet.", "Lesen Sie auch", "x"];
        assert_eq!(extract(&lines, "Regen", "de").1, "Es regnet.");
        assert_eq!(
            extract(&lines, "Regen", "en").1,
            "Es regnet.\nLesen Sie auch\nx"
        );
    }

    #[test]
    fn a_page_without_title_or_footer_is_all_article() {
        let lines = ["a", "b"];
        assert_eq!(extract(&lines, "", "en"), (None, "a\nb".into()));
        assert_eq!(
            extract(&lines, "c", "en"),
            (Some("c".into()), "a\nb".into())
        );
        assert_eq!(extract(&[], "c", "en").1, "");
    }

    #[test]
    fn the_built_in_patterns_are_valid() {
        for (language, footer) in [
            ("en", "© 2026"),
            ("ja", "無断転載"),
            ("sl", "Preberite tudi"),
        ] {
            let found = FOOTERS.find_footer(&["x", footer], Some(language));
            assert_eq!(found, Some(1), "{footer}");
        }
        assert_eq!(FOOTERS.find_footer(&["(c) the third"], Some("en")), None);
        assert_eq!(FOOTERS.find_footer(&["(C) Example"], Some("en")), Some(0));
    }

    #[test]
    fn reduces_runs_of_punctuation_marks() {
        assert_eq!(reduce_punctuation("a ----- b"), "a - b");
        assert_eq!(
            reduce_punctuation("no!!! oh... well..... -- aaa"),
            "no! oh... well. -- aaa"
        );
    }
}
