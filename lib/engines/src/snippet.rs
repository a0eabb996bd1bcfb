//! Snippets of texts, and the test whether a text contains a term.

use forage_text::{contains_unspaced_script, terms};
use percent_encoding::percent_decode_str;

/// Length of a snippet in characters: about two lines of a page of hits. Set by judgement, not
/// measured.
const SNIPPET_LENGTH: usize = 200;
/// Number of characters of a snippet that precede the term. Set by judgement, not measured.
const LENGTH_BEFORE_TERM: usize = 60;

/// Returns an excerpt of `text` around the first occurrence of any of `query_terms`, or its
/// beginning if there is none.
///
/// The excerpt is one line of about 200 characters, with an ellipsis where text was cut off.
pub(crate) fn make_snippet(text: &str, query_terms: &[impl AsRef<str>]) -> String {
    let term_start = query_terms
        .iter()
        .filter_map(|term| find_word(text, term.as_ref()))
        .min()
        .unwrap_or(0);
    let start = text[..term_start]
        .char_indices()
        .rev()
        .take(LENGTH_BEFORE_TERM)
        .last()
        .map_or(term_start, |(index, _)| index);
    let end = text[start..]
        .char_indices()
        .nth(SNIPPET_LENGTH)
        .map_or(text.len(), |(index, _)| start + index);
    let excerpt = text[start..end]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let ellipsis_before = if start > 0 { "…" } else { "" };
    let ellipsis_after = if end < text.len() { "…" } else { "" };
    format!("{ellipsis_before}{excerpt}{ellipsis_after}")
}

/// Returns the byte index of the first occurrence of `term` (in lower case) as a whole word of
/// `text`. In a script without blanks, where the neighbours of a word are letters, any occurrence
/// counts.
fn find_word(text: &str, term: &str) -> Option<usize> {
    let is_delimited = !contains_unspaced_script(term);
    let mut is_inside_word = false;
    for (index, c) in text.char_indices() {
        if !is_inside_word && starts_with_word(&text[index..], term, is_delimited) {
            return Some(index);
        }
        is_inside_word = is_delimited && c.is_alphanumeric();
    }
    None
}

/// Returns `true` if `text` begins with `term` (in lower case) and, with `is_delimited`, the word
/// ends there.
fn starts_with_word(text: &str, term: &str, is_delimited: bool) -> bool {
    let mut lower = text.chars().flat_map(char::to_lowercase);
    term.chars().all(|c| lower.next() == Some(c))
        && !(is_delimited && lower.next().is_some_and(char::is_alphanumeric))
}

/// Returns `true` if `term` is among the terms of `text`. The terms of a phrase must follow each
/// other directly.
pub(crate) fn contains_term(text: &str, term: &str) -> bool {
    let phrase = terms(term);
    let phrase: Vec<&str> = phrase.iter().collect();
    let text_terms = terms(text);
    let text_terms: Vec<&str> = text_terms.iter().collect();
    !phrase.is_empty()
        && text_terms
            .windows(phrase.len())
            .any(|window| window == phrase)
}

/// Returns the words of a URL as a text: with escapes decoded and blanks for its
/// punctuation, which would otherwise join words.
pub(crate) fn url_words(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let decoded = percent_decode_str(rest).decode_utf8_lossy();
    let is_mark = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
    decoded.replace(is_mark, " ")
}

#[cfg(test)]
mod tests {
    use super::{contains_term, make_snippet, url_words};

    fn check(text: &str, term: &str, expected: &str) {
        assert_eq!(make_snippet(text, &[term.to_string()]), expected);
    }

    #[test]
    fn snippet_of_a_short_text_is_the_text_on_one_line() {
        check(
            "Danes je lep dan.\nJutri bo dež.",
            "jutri",
            "Danes je lep dan. Jutri bo dež.",
        );
        check("", "jutri", "");
    }

    #[test]
    fn snippet_has_about_200_characters_around_the_first_term() {
        let text = format!("{} Žena {}", "ena ".repeat(500), "dve ".repeat(500));
        let snippet = make_snippet(&text, &["žena".to_string()]);
        assert!(
            snippet.starts_with('…') && snippet.ends_with('…') && snippet.contains("ena Žena dve"),
            "{snippet}"
        );
        assert!((190..=202).contains(&snippet.chars().count()), "{snippet}");
    }

    #[test]
    fn snippet_ignores_a_term_inside_a_longer_word() {
        let text = format!("skupaj ajda {} aj", "x".repeat(300));
        assert!(make_snippet(&text, &["aj".to_string()]).ends_with("x aj"));
    }

    #[test]
    fn snippet_finds_a_term_within_a_sentence_of_a_script_without_blanks() {
        let before = "今日は晴れ。".repeat(100);
        for term in ["東京都", "都"] {
            let text = format!("{before}私は東京都に住む。{before}");
            let snippet = make_snippet(&text, &[term.to_string()]);
            assert!(snippet.contains("私は東京都に"), "{snippet}");
        }
        // A term that the text has in another form.
        assert!(make_snippet(&before, &["大阪".to_string()]).starts_with("今日は"));
    }

    #[test]
    fn contains_term_matches_whole_terms_and_phrases_only() {
        assert!(contains_term("The end", "the") && contains_term("in the END.", "the end"));
        assert!(
            !contains_term("There", "the")
                && !contains_term("end the", "the end")
                && !contains_term("x", "")
                && !contains_term("", "the")
        );
    }

    #[test]
    fn a_url_has_words() {
        let url = "https://sport.a.test/sl/mlin_ob-potoku.html?q=%C5%BEaba&x=1#y";
        let words = url_words(url);
        for term in ["sport", "sl", "mlin ob potoku", "žaba"] {
            assert!(contains_term(&words, term), "{term}: {words}");
        }
        assert!(!contains_term(&words, "https") && !contains_term(&words, "mlin potoku"));
        assert!(contains_term(&url_words("http://a.test/金鉱山"), "鉱山"));
    }
}
