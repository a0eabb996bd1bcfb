//! Lines of a typeset page back to running text: ligatures to letters, words that were broken at a
//! line's end to one word, lines to paragraphs by their indentation and length. No word of any
//! language plays a part.

use std::collections::HashSet;
use std::iter::once;
use unicode_normalization::UnicodeNormalization;

/// Of a full line, in percent of the usual length of one.
const FULL: usize = 80;

/// A text without ligatures and without words that are broken at the ends of lines.
pub(super) fn rejoin_words(text: &str) -> String {
    joined(&without_ligatures(text))
}

/// Latin ligatures (Unicode's alphabetic presentation forms), and the shapes of Arabic letters
/// within words, as the letters that they stand for.
fn without_ligatures(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            // Marks that stand alone, and words that are one sign, would become several words.
            '\u{FB00}'..='\u{FB06}'
            | '\u{FB50}'..='\u{FBB1}'
            | '\u{FBD3}'..='\u{FC5D}'
            | '\u{FC64}'..='\u{FDC7}'
            | '\u{FE80}'..='\u{FEFC}' => letters.extend(once(c).nfkc()),
            c => letters.push(c),
        }
    }
    letters
}

/// Joins words that are broken at the end of a line. The text itself says whether the hyphen stays:
/// it does where the compound stands in it with one elsewhere, and the joined word does not.
fn joined(text: &str) -> String {
    let words: HashSet<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '-')
        .collect();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\n') {
        let (line, after) = (&rest[..at], &rest[at + 1..]);
        rest = after;
        match broken(line, after) {
            Some((stem, left, right)) => {
                let keeps = !words.contains(format!("{left}{right}").as_str())
                    && words.contains(format!("{left}-{right}").as_str());
                out.push_str(stem);
                out.push_str(if keeps { "-" } else { "" });
                rest = after.trim_start_matches([' ', '\t']);
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out.push_str(rest);
    // What is left of these is no sign, but a place where a word might be broken.
    out.replace('\u{AD}', "")
}

/// The line without its hyphen, and both parts of the word that is broken between it and what comes
/// after.
fn broken<'a>(line: &'a str, after: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
    let stem = line.trim_end().strip_suffix(['-', '\u{2010}', '\u{AD}'])?;
    let start = stem.rfind(|c: char| !c.is_alphabetic()).map_or(0, |at| {
        at + stem[at..].chars().next().map_or(1, char::len_utf8)
    });
    let left = &stem[start..];
    let right = after.trim_start_matches([' ', '\t']);
    let right = &right[..right
        .find(|c: char| !c.is_alphabetic())
        .unwrap_or(right.len())];
    let goes_on = right.chars().next().is_some_and(|c| !c.is_uppercase());
    (left.chars().next_back().is_some_and(char::is_alphabetic) && goes_on)
        .then_some((stem, left, right))
}

/// A text whose lines are laid out by spaces, a line for each paragraph: one goes on while lines
/// are full and not further indented than the line before.
pub(super) fn reflow(text: &str) -> String {
    let usual = usual_length(text);
    let mut out = String::with_capacity(text.len());
    let mut last: Option<(usize, &str)> = None;
    for line in text.lines() {
        let words = line.trim();
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        if let Some((indent_before, before)) = last {
            let is_full = before.chars().count() * 100 >= usual * FULL;
            let goes_on = !words.is_empty()
                && is_full
                && (indent <= indent_before || broken(before, words).is_some());
            // One line end is the typist's, two end a paragraph.
            out.push_str(if goes_on { "\n" } else { "\n\n" });
        }
        out.push_str(words);
        last = Some((indent, words));
    }
    out
}

/// The length that a tenth of the lines exceed, in characters.
fn usual_length(text: &str) -> usize {
    let mut lengths: Vec<usize> = text
        .lines()
        .map(|line| line.trim().chars().count())
        .filter(|&it| it > 0)
        .collect();
    lengths.sort_unstable();
    lengths.get(lengths.len() * 9 / 10).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{reflow, rejoin_words};

    #[test]
    fn ligatures_are_letters() {
        assert_eq!(
            rejoin_words("ﬁnd the oﬃce, ﬂat and ﬀ"),
            "find the office, flat and ff"
        );
        assert_eq!(
            rejoin_words("\u{FEDF}\u{FEB4}\u{FEFC}\u{FEE1} \u{FDFA}"),
            "\u{644}\u{633}\u{644}\u{627}\u{645} \u{FDFA}"
        );
    }

    #[test]
    fn a_word_that_is_broken_at_the_end_of_a_line_is_one() {
        assert_eq!(
            rejoin_words("a pro-\n gram of struc-\ntures"),
            "a program of structures"
        );
        assert_eq!(
            rejoin_words("kraj-\u{161}e in dalj\u{AD}\n\u{161}e, kraj\u{AD}ne"),
            "kraj-\u{161}e in dalj\u{161}e, krajne"
        );
        assert_eq!(rejoin_words("večb-\nesedno"), "večbesedno");
    }

    #[test]
    fn the_text_itself_tells_whether_the_hyphen_stays() {
        assert_eq!(
            rejoin_words("well-\nknown, and well-known"),
            "well-known, and well-known"
        );
        assert_eq!(
            rejoin_words("co-\noperate; cooperate, co-operate"),
            "cooperate; cooperate, co-operate"
        );
        assert_eq!(
            rejoin_words("Franz-\nJosef, 1990-\n1995, - \n x"),
            "Franz-\nJosef, 1990-\n1995, - \n x"
        );
    }

    #[test]
    fn lines_that_are_laid_out_become_paragraphs() {
        let laid_out = "  The first paragraph begins here and\ngoes on for as long as there is still\nroom.\n  The second begins further in, which\ntells.\nA heading\nAnd so the text goes on for some time.";
        let told = "The first paragraph begins here and\ngoes on for as long as there is still\nroom.\n\nThe second begins further in, which\ntells.\n\nA heading\n\nAnd so the text goes on for some time.";
        assert_eq!(reflow(laid_out), told);
    }
}
