//! Words that are broken at line ends, as in typeset pages and in plain text with lines of a width.
//! Nothing depends on the words of any language.

use std::cell::LazyCell;
use std::collections::HashSet;
use unicode_normalization::char::is_combining_mark;

/// The hyphens at line ends: those of Unicode in Latin and Armenian script, that of Fraktur, and
/// the sign that programs for optical character recognition write for one (U+00AC).
const HYPHENS: [char; 6] = ['-', '\u{2010}', '\u{AD}', '\u{58A}', '\u{2E17}', '\u{AC}'];

/// What may be before the rest of a word in the next line, also the beginning of a page.
const INDENTATION: [char; 3] = [' ', '\t', '\u{C}'];

/// Rejoins words that are broken at line ends. The hyphen is kept if the text contains the
/// compound with a hyphen elsewhere, and not the joined word.
pub fn rejoin_broken_words(text: &str) -> String {
    let is_in_word = |c: char| c.is_alphanumeric() || is_combining_mark(c) || c == '-';
    let words = LazyCell::new(|| text.split(|c| !is_in_word(c)).collect::<HashSet<_>>());
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(end) = rest.find('\n') {
        let (line, after) = (&rest[..end], &rest[end + 1..]);
        rest = after;
        match find_broken_word(line, after) {
            Some(word) => {
                let BrokenWord { first, second, .. } = word;
                let keeps_hyphen = !words.contains(format!("{first}{second}").as_str())
                    && words.contains(format!("{first}-{second}").as_str());
                out.push_str(word.line);
                out.push_str(if keeps_hyphen { "-" } else { "" });
                rest = after.trim_start_matches(INDENTATION);
            }
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out.push_str(rest);
    // The remaining soft hyphens only mark places where a word could be broken.
    out.replace('\u{AD}', "")
}

/// A word that is broken at a line end.
pub struct BrokenWord<'a> {
    /// The line without its hyphen.
    line: &'a str,
    /// The part of the word in the line.
    first: &'a str,
    /// The part of the word after the line.
    second: &'a str,
}

/// Finds a word that is broken between a line and the text after it: a hyphen at the line end
/// between letters, the second of which is not upper case.
pub fn find_broken_word<'a>(line: &'a str, after: &'a str) -> Option<BrokenWord<'a>> {
    let line = line.trim_end().strip_suffix(HYPHENS)?;
    // Marks, such as a virama or an accent of its own, belong to the letter before them.
    let is_in_word = |c: char| c.is_alphabetic() || is_combining_mark(c);
    let first = &line[line.trim_end_matches(is_in_word).len()..];
    let second = after.trim_start_matches(INDENTATION);
    let second = &second[..second.find(|c| !is_in_word(c)).unwrap_or(second.len())];
    let continues = second.chars().next().is_some_and(|c| !c.is_uppercase());
    (!first.is_empty() && continues).then_some(BrokenWord {
        line,
        first,
        second,
    })
}

#[cfg(test)]
mod tests {
    use super::rejoin_broken_words;

    #[test]
    fn rejoins_words_that_are_broken_at_line_ends() {
        for (text, expected) in [
            (
                "a pro-\n gram of struc-\r\ntures",
                "a program of structures",
            ),
            (
                "kraj-še in dalj\u{AD}\nše, kraj\u{AD}ne",
                "kraj-še in daljše, krajne",
            ),
            ("večb-\nesedno", "večbesedno"),
            // The first line of a page, as pdftotext writes it.
            ("bese-\n\u{C}da", "beseda"),
            // A virama and an accent are no letters.
            ("வார்-\nத்தை", "வார்த்தை"),
            ("be\u{301}-\nseda", "be\u{301}seda"),
            (
                "բա֊\nռեր, Ge\u{2E17}\nſchichte, be¬\nseda",
                "բառեր, Geſchichte, beseda",
            ),
        ] {
            assert_eq!(rejoin_broken_words(text), expected);
        }
    }

    #[test]
    fn keeps_the_hyphen_if_the_text_has_it_elsewhere() {
        for (text, expected) in [
            ("well-\nknown, and well-known", "well-known, and well-known"),
            (
                "co-\noperate; cooperate, co-operate",
                "cooperate; cooperate, co-operate",
            ),
            (
                "Franz-\nJosef, 1990-\n1995, - \n x\n- y\n--\nz",
                "Franz-\nJosef, 1990-\n1995, - \n x\n- y\n--\nz",
            ),
        ] {
            assert_eq!(rejoin_broken_words(text), expected);
        }
    }
}
