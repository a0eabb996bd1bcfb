//! Division of English text into sentences and tokens, as in the Penn Treebank.
//!
//! A token is a word, a number, a clitic ("'s", "n't"), or one punctuation mark. Hyphenated words
//! are one token; abbreviations keep their period. A line feed ends a sentence.

use super::lexicon::Lexicon;
use std::ops::Range;

/// What a token consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    /// Digits, with the punctuation of numbers.
    Number,
    Clitic,
    Punctuation,
    /// An address with `://` or `@`.
    Address,
}

/// A token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) range: Range<usize>,
    pub(crate) kind: TokenKind,
}

/// Clitics, which are tokens of their own. An apostrophe may be a typographic one.
const CLITICS: [&str; 7] = ["n't", "'s", "'re", "'ll", "'ve", "'d", "'m"];

/// Divides `text` into sentences, and calls `visit` with the tokens of each.
pub(crate) fn for_each_sentence(text: &str, lexicon: &Lexicon, mut visit: impl FnMut(&[Token])) {
    let mut tokens = Vec::new();
    let mut position = 0;
    while let Some(first) = text[position..].chars().next() {
        let start = position;
        position += first.len_utf8();
        if first == '\n' {
            end_sentence(&mut tokens, &mut visit);
        } else if first.is_whitespace() {
        } else if is_word_character(first) {
            position = push_word(text, start, lexicon, &mut tokens);
        } else {
            tokens.push(Token {
                range: start..position,
                kind: TokenKind::Punctuation,
            });
            if matches!(first, '.' | '!' | '?') {
                end_sentence(&mut tokens, &mut visit);
            }
        }
    }
    end_sentence(&mut tokens, &mut visit);
}

fn end_sentence(tokens: &mut Vec<Token>, visit: &mut impl FnMut(&[Token])) {
    if !tokens.is_empty() {
        visit(tokens);
        tokens.clear();
    }
}

fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || !c.is_ascii() && c.is_alphanumeric() || is_mark(c)
}

/// Returns `true` for combining marks, which belong to the letter before them.
fn is_mark(c: char) -> bool {
    ('\u{300}'..'\u{370}').contains(&c)
}

fn is_apostrophe(c: char) -> bool {
    c == '\'' || c == '’'
}

/// Adds the word at `start`, and returns its end.
fn push_word(text: &str, start: usize, lexicon: &Lexicon, tokens: &mut Vec<Token>) -> usize {
    let mut end = start + word_length(&text[start..]);
    if text[end..].starts_with("://") || text[end..].starts_with('@') {
        let rest = &text[end..];
        end += rest.find(char::is_whitespace).unwrap_or(rest.len());
        tokens.push(Token {
            range: start..end,
            kind: TokenKind::Address,
        });
        return end;
    }
    if text[end..].starts_with('.')
        && is_abbreviation(&text[start..end], &text[start..=end], lexicon)
    {
        end += 1;
    }
    let word = &text[start..end];
    let clitic = clitic_length(word);
    if clitic < word.len() {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit())
            && word.bytes().all(|byte| !byte.is_ascii_alphabetic());
        tokens.push(Token {
            range: start..end - clitic,
            kind: if is_number {
                TokenKind::Number
            } else {
                TokenKind::Word
            },
        });
    }
    if clitic > 0 {
        tokens.push(Token {
            range: end - clitic..end,
            kind: TokenKind::Clitic,
        });
    }
    end
}

/// Returns the length of the word at the start of `text`: letters and digits, and between two of
/// them a connector.
fn word_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((position, c)) = characters.next() {
        if !is_word_character(c) {
            let after = characters.peek().map_or(' ', |(_, after)| *after);
            if !connects(before, c, after) {
                return position;
            }
        }
        before = c;
    }
    text.len()
}

/// Returns `true` if `c` between two characters does not end a word.
fn connects(before: char, c: char, after: char) -> bool {
    if !is_word_character(before) || !is_word_character(after) {
        return false;
    }
    match c {
        '-' | '.' | '_' | '\'' | '’' | '\u{ad}' | '\u{2010}' | '\u{2011}' => true,
        ',' | ':' | '/' => before.is_ascii_digit() && after.is_ascii_digit(),
        '&' => before.is_uppercase() && after.is_uppercase(),
        _ => false,
    }
}

/// Returns `true` if a period belongs to the word before it: "U.S.", "J.", "Corp.".
fn is_abbreviation(word: &str, with_period: &str, lexicon: &Lexicon) -> bool {
    let mut letters = word.chars();
    let is_initial = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    let has_initials = word.contains('.') && word.split('.').all(|part| part.chars().count() == 1);
    is_initial
        || has_initials && !word.contains(|c: char| c.is_ascii_digit())
        || lexicon.contains(with_period)
}

/// Returns the length of the clitic at the end of a word, in bytes; 0 if it has none.
fn clitic_length(word: &str) -> usize {
    if !word.contains(is_apostrophe) {
        return 0;
    }
    let tail: Vec<char> = word.chars().rev().take(3).collect();
    let matches_tail =
        |clitic: &&&str| {
            let length = clitic.chars().count();
            tail.len() >= length
                && clitic.chars().rev().zip(&tail).all(|(c, t)| {
                    c == t.to_ascii_lowercase() || is_apostrophe(c) && is_apostrophe(*t)
                })
        };
    CLITICS.iter().find(matches_tail).map_or(0, |clitic| {
        tail[..clitic.len()].iter().map(|c| c.len_utf8()).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokenize(text: &str) -> String {
        let mut sentences = Vec::new();
        for_each_sentence(text, &Lexicon::builtin(), |tokens| {
            let words: Vec<&str> = tokens.iter().map(|t| &text[t.range.clone()]).collect();
            sentences.push(words.join(" "));
        });
        sentences.join(" | ")
    }

    #[test]
    fn texts_are_divided_as_in_the_penn_treebank() {
        let cases = [
            (
                "Oil fell 14.5 pct, to $1,200 (U.S.). It didn't rise!",
                "Oil fell 14.5 pct , to $ 1,200 ( U.S. ) . | It did n't rise !",
            ),
            (
                "AT&T Corp. said OPEC’s ministers' near-record",
                "AT&T Corp. said OPEC ’s ministers ' near-record",
            ),
            ("One line\nand/or two", "One line | and / or two"),
            (
                "See https://a.test/b?c=d, or a@b.test now",
                "See https://a.test/b?c=d, or a@b.test now",
            ),
            (
                "J.R. Smith of St. Louis. The end.",
                "J.R. Smith of St. Louis . | The end .",
            ),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(tokenize(text), expected);
        }
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_contain_all_letters(text in "[a-zA-Z0-9 .,'’&@:/n\n\u{301}ä漢-]{0,60}") {
            let mut end = 0;
            for_each_sentence(&text, &Lexicon::builtin(), |tokens| {
                for token in tokens {
                    assert!(token.range.start >= end && !token.range.is_empty());
                    assert!(!text[end..token.range.start].contains(char::is_alphanumeric));
                    end = token.range.end;
                }
            });
            prop_assert!(!text[end..].contains(char::is_alphanumeric));
        }
    }
}
