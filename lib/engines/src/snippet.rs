//! Pieces of text: the one to show for a hit, and whether one holds a term.

use forage_text::terms;

/// Length of a snippet in characters: two lines of a result page.
const LENGTH: usize = 200;
/// How many of them stand before the term.
const BEFORE: usize = 60;

/// The piece of `text` around the first of `wanted` terms that occurs in it, or its beginning; on
/// one line, of about 200 characters, with an ellipsis where something is left out.
pub(crate) fn snippet(text: &str, wanted: &[String]) -> String {
    let first = wanted
        .iter()
        .filter_map(|term| find_word(text, term))
        .min()
        .unwrap_or(0);
    let start = text[..first]
        .char_indices()
        .rev()
        .take(BEFORE)
        .last()
        .map_or(first, |(at, _)| at);
    let end = text[start..]
        .char_indices()
        .nth(LENGTH)
        .map_or(text.len(), |(at, _)| start + at);
    let piece = text[start..end]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let (before, after) = (
        if start > 0 { "…" } else { "" },
        if end < text.len() { "…" } else { "" },
    );
    format!("{before}{piece}{after}")
}

/// Where `term` (lower-cased) stands in `text` as a word of its own.
fn find_word(text: &str, term: &str) -> Option<usize> {
    let mut inside = false;
    for (at, c) in text.char_indices() {
        if !inside && is_word(&text[at..], term) {
            return Some(at);
        }
        inside = c.is_alphanumeric();
    }
    None
}

/// Whether `text` begins with `term`, and the word ends there.
fn is_word(text: &str, term: &str) -> bool {
    let mut lower = text.chars().flat_map(char::to_lowercase);
    term.chars().all(|c| lower.next() == Some(c))
        && !lower.next().is_some_and(char::is_alphanumeric)
}

/// Whether `term` is among the terms of `text`; of a phrase, whether its terms stand there one
/// after the other.
pub(crate) fn holds(text: &str, term: &str) -> bool {
    let wanted = terms(term);
    let wanted: Vec<&str> = wanted.iter().collect();
    let found = terms(text);
    let found: Vec<&str> = found.iter().collect();
    !wanted.is_empty() && found.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::{holds, snippet};

    fn check(text: &str, term: &str, expected: &str) {
        assert_eq!(snippet(text, &[term.to_string()]), expected);
    }

    #[test]
    fn a_short_text_is_its_own_snippet_on_one_line() {
        check(
            "Danes je lep dan.\nJutri bo dež.",
            "jutri",
            "Danes je lep dan. Jutri bo dež.",
        );
        check("", "jutri", "");
    }

    #[test]
    fn a_snippet_shows_the_first_term_in_about_two_hundred_characters() {
        let text = format!("{} Žena {}", "ena ".repeat(500), "dve ".repeat(500));
        let snippet = snippet(&text, &["žena".to_string()]);
        assert!(
            snippet.starts_with('…') && snippet.ends_with('…') && snippet.contains("ena Žena dve"),
            "{snippet}"
        );
        assert!((190..=202).contains(&snippet.chars().count()), "{snippet}");
    }

    #[test]
    fn a_term_inside_a_longer_word_is_not_where_a_snippet_begins() {
        let text = format!("skupaj ajda {} aj", "x".repeat(300));
        assert!(snippet(&text, &["aj".to_string()]).ends_with("x aj"));
    }

    #[test]
    fn holds_whole_terms_and_phrases_only() {
        assert!(holds("The end", "the") && holds("in the END.", "the end"));
        assert!(
            !holds("There", "the")
                && !holds("end the", "the end")
                && !holds("x", "")
                && !holds("", "the")
        );
    }
}
