//! A search for the occurrences of a term or a regular expression.

use crate::marks::is_ignored;
use crate::term::Term;
use forage_text::{LetterI, Spelling, is_unspaced, normalise};
use memchr::memmem;
use regex::{Regex, RegexBuilder, bytes};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};
use unicode_normalization::char::is_combining_mark;

/// The memory that the automaton of an expression may take.
const MAX_AUTOMATON_BYTES: usize = 64 << 20;

/// A term or regular expression that cannot be searched for.
#[derive(Debug, thiserror::Error)]
pub enum MatcherError {
    /// The term has nothing but blanks, wildcards and marks.
    #[error("nothing to search for")]
    Empty,
    /// The expression is not valid; the message says where.
    #[error("{0}")]
    Expression(#[from] regex::Error),
}

/// Finds the occurrences of a term or a regular expression.
///
/// A term is found in every spelling that differs in case, canonical form (NFC, NFD), optional
/// marks and invisible characters, and its words in any white space. It begins and ends at the
/// edges of words, except where its first or last character is of a script without blanks, or a
/// wildcard `*`, which stands for any letters.
#[derive(Debug)]
pub struct Matcher {
    dotted: Regex,
    /// The expression for texts in which I is the capital of ı, if it differs.
    dotless: Option<Regex>,
    /// The term; `None` of an expression.
    term: Option<String>,
    /// Matchers of the term as it is read in some texts.
    readings: Mutex<HashMap<String, Arc<Matcher>>>,
    /// A part of each occurrence, in JSON that has no escapes of letters.
    raw: Option<bytes::Regex>,
    /// True if an occurrence begins, and ends, at the edge of a word.
    is_bounded: (bool, bool),
}

impl Matcher {
    /// Creates a matcher of a term.
    ///
    /// # Errors
    /// Fails if the term has nothing that could be found, or is too long.
    pub fn term(term: &str) -> Result<Matcher, MatcherError> {
        Matcher::read_term(&forage_text::read(term))
    }

    /// Creates a matcher of a term as it is read.
    fn read_term(text: &str) -> Result<Matcher, MatcherError> {
        let term = Term::new(text).ok_or(MatcherError::Empty)?;
        let raw = term.raw_pattern().map(|pattern| {
            bytes::RegexBuilder::new(&pattern)
                .case_insensitive(true)
                .size_limit(MAX_AUTOMATON_BYTES)
                .build()
        });
        let (first, last) = term.edges();
        let is_bounded = |c| is_word_character(c) && !is_unspaced(c);
        Ok(Matcher {
            dotted: build(&term.pattern(LetterI::Dotted))?,
            dotless: term
                .has_letter_i()
                .then(|| build(&term.pattern(LetterI::Dotless)))
                .transpose()?,
            raw: raw.transpose()?,
            is_bounded: (is_bounded(first), is_bounded(last)),
            term: Some(text.to_owned()),
            readings: Mutex::default(),
        })
    }

    /// Creates a matcher of a regular expression, case aside.
    ///
    /// # Errors
    /// Fails if the expression is not valid.
    pub fn expression(expression: &str) -> Result<Matcher, MatcherError> {
        Ok(Matcher {
            dotted: build(&normalise(expression))?,
            dotless: None,
            raw: None,
            is_bounded: (false, false),
            term: None,
            readings: Mutex::default(),
        })
    }

    /// Returns `false` if no text in a line of JSON can have an occurrence.
    pub fn may_match(&self, line: &[u8]) -> bool {
        let (Some(raw), Some(term)) = (&self.raw, &self.term) else {
            return true;
        };
        // A letter of the term may be typed in another way.
        let is_respelt = |line| Spelling::of_text(line).may_read_as(term);
        raw.is_match(line)
            || memmem::find(line, b"\\u").is_some()
            || str::from_utf8(line).is_ok_and(is_respelt)
    }

    /// Calls `emit` with each occurrence in `text`, which is in NFC, in order. Occurrences do not
    /// overlap, and none is empty. Text and term are read by the rules for the spelling of the
    /// text.
    pub fn for_each_match(&self, text: &str, mut emit: impl FnMut(Range<usize>)) {
        let Some(term) = &self.term else {
            return self.for_each_read_match(text, emit);
        };
        let spelling = Spelling::of_text(text);
        let read = spelling.read(text);
        let mut end = 0;
        let emit = |place| {
            let place = read.original(place);
            // Two occurrences in a character are one.
            if place.start >= end {
                end = place.end;
                emit(place);
            }
        };
        let term_read = spelling.read_other(term);
        if term_read.as_str() == term {
            return self.for_each_read_match(read.as_str(), emit);
        }
        if let Some(matcher) = self.reading(term_read.as_str()) {
            matcher.for_each_read_match(read.as_str(), emit);
        }
    }

    /// Returns the matcher of the term as it is read in a text.
    fn reading(&self, term: &str) -> Option<Arc<Matcher>> {
        let mut readings = self.readings.lock().ok()?;
        if let Some(matcher) = readings.get(term) {
            return Some(matcher.clone());
        }
        let matcher = Arc::new(Matcher::read_term(term).ok()?);
        readings.insert(term.to_owned(), matcher.clone());
        Some(matcher)
    }

    fn for_each_read_match(&self, text: &str, mut emit: impl FnMut(Range<usize>)) {
        let regex = match &self.dotless {
            Some(dotless) if LetterI::of_text(text) == LetterI::Dotless => dotless,
            _ => &self.dotted,
        };
        let mut from = 0;
        while from <= text.len()
            && let Some(found) = regex.find_at(text, from)
        {
            from = if !found.is_empty() && self.is_at_word_edges(text, found.range()) {
                let end = end_of_letter(text, found.end());
                emit(found.start()..end);
                end
            } else {
                text.ceil_char_boundary(found.start() + 1)
                    .max(found.start() + 1)
            };
        }
    }

    fn is_at_word_edges(&self, text: &str, found: Range<usize>) -> bool {
        let (starts, ends) = self.is_bounded;
        let is_inside =
            |c: Option<char>| c.is_some_and(|c| is_word_character(c) && !is_unspaced(c));
        let is_kept = |c: &char| !is_ignored(*c);
        !(starts && is_inside(text[..found.start].chars().rev().find(is_kept))
            || ends && is_inside(text[found.end..].chars().find(is_kept)))
    }
}

fn build(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .case_insensitive(true)
        .multi_line(true)
        .size_limit(MAX_AUTOMATON_BYTES)
        .build()
}

/// Returns `true` for characters of words: letters, marks, digits and the underscore.
fn is_word_character(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining_mark(c)
}

/// Returns the end of the marks that begin at `end`, which are shown with the letter before them.
fn end_of_letter(text: &str, end: usize) -> usize {
    let marks = text[end..].chars().take_while(|&c| is_combining_mark(c));
    end + marks.map(char::len_utf8).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::Matcher;
    use proptest::prelude::*;

    fn matches(matcher: &Matcher, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        matcher.for_each_match(text, |range| found.push(text[range].to_owned()));
        found
    }

    /// Checks what a term finds; the text is also found in JSON.
    fn check(term: &str, text: &str, expected: &[&str]) {
        let matcher = Matcher::term(term).unwrap();
        assert_eq!(matches(&matcher, text), expected, "{term:?} in {text:?}");
        let line = format!("{{\"text\":{text:?}}}");
        assert!(
            expected.is_empty() || matcher.may_match(line.as_bytes()),
            "{term:?}"
        );
    }

    #[test]
    fn case_does_not_count() {
        check("čas", "Čas, ČAS in časa.", &["Čas", "ČAS"]);
        check("οδος", "Η ΟΔΟΣ; οδος οδοσ.", &["ΟΔΟΣ", "οδος", "οδοσ"]);
        let streets = "STRASSE Straße strasse STRAẞE";
        for term in ["straße", "STRASSE", "Strasse", "STRAẞE"] {
            check(term, streets, &["STRASSE", "Straße", "strasse", "STRAẞE"]);
        }
        check("Masse", "Maße Masse Mase", &["Maße", "Masse"]);
        check("Meßschieber", "Messschieber", &["Messschieber"]);
        check("Messschieber", "Meßschieber", &["Meßschieber"]);
        check("sß", "sß sss", &["sß", "sss"]);
        check("ԵՎ", "և եւ", &[]);
        check("և", "և եւ ԵՒ", &["և", "եւ", "ԵՒ"]);
        check("ԵՒ", "և եւ ԵՒ", &["և", "եւ", "ԵՒ"]);
        check("замок", "За\u{301}мок", &["За\u{301}мок"]);
    }

    #[test]
    fn greek_capitals_may_lack_the_tonos() {
        let all = ["Ελλάδα", "ΕΛΛΑΔΑ", "ελλα\u{301}δα", "ΕΛΛΆΔΑ"];
        check("Ελλάδα", &all.join(" "), &all);
        check("ΕΛΛΑΔΑ", &all.join(" "), &all);
        check("ελλαδα", "Ελλάδα ελλαδα", &["ελλαδα"]);
        check("ΠΡΟΪΟΝ", "προϊόν", &["προϊόν"]);
        check("προϊόν", "ΠΡΟΪΟΝ", &["ΠΡΟΪΟΝ"]);
        check("ή", "ή η Η", &["ή", "Η"]);
        check("Η", "ή η Η", &["η", "Η"]);
    }

    #[test]
    fn the_capital_of_i_is_that_of_the_text() {
        let turkish = "Kapıyı açtı, ışığı yaktı. ISI ölçüldü, İSİM yazıldı, ısı arttı.";
        check("ısı", turkish, &["ISI", "ısı"]);
        check("isim", turkish, &["İSİM"]);
        check("isi", turkish, &[]);
        check("isi", "ISI and isi", &["ISI", "isi"]);
        check(
            "istanbul",
            "İstanbul, I\u{307}stanbul, ISTANBUL",
            &["İstanbul", "I\u{307}stanbul", "ISTANBUL"],
        );
    }

    #[test]
    fn canonical_forms_optional_marks_and_invisible_characters_do_not_count() {
        check("čas", "c\u{30c}as", &["c\u{30c}as"]);
        check(
            "Việt",
            "Vi\u{ea}\u{323}t Vie\u{323}\u{302}t",
            &["Vie\u{323}\u{302}t"],
        );
        check("کتاب", "کِتاب", &["کِتاب"]);
        check("كِتَاب", "كتاب كتـــاب", &["كتاب", "كتـــاب"]);
        check("שלום", "שָׁלוֹם", &["שָׁלוֹם"]);
        check(
            "Worttrennung",
            "Wort\u{ad}trennung",
            &["Wort\u{ad}trennung"],
        );
        check("trennung", "Wort\u{ad}trennung", &[]);
        check("كتاب", "ﻛﺘﺎﺏ كتاب كِتَاب", &["ﻛﺘﺎﺏ", "كتاب", "كِتَاب"]);
        check(
            "finance",
            "ﬁnance ｆｉｎａｎｃｅ",
            &["ﬁnance", "ｆｉｎａｎｃｅ"],
        );
        check("йоӏ", "Йо| ц|ахь ю, х|ума", &["Йо|"]);
        check("йо1", "ЙоӀ цӀахь ю", &["ЙоӀ"]);
        check("maşina", "Mașina mea în față", &["Mașina"]);
        check("mașina", "Maşina mea în faţă", &["Maşina"]);
        check("oʻzbek", "O'zbek o’zbek", &["O'zbek", "o’zbek"]);
        check("น้ำ", "น้ำ น้\u{e4d}า", &["น้ำ", "น้\u{e4d}า"]);
    }

    #[test]
    fn a_term_is_a_word_where_blanks_delimit_words() {
        check(
            "dan",
            "dan, dani; ob-dan «dan» l'dan _dan dan2",
            &["dan"; 4],
        );
        check("한국", "한국 한국어", &["한국"]);
        check("हिन्द", "हिन्दी", &[]);
        check("C++", "C++ in C++11", &["C++", "C++"]);
        check(
            "lep dan",
            "lep\n dan, Lep\u{a0}dan",
            &["lep\n dan", "Lep\u{a0}dan"],
        );
    }

    #[test]
    fn a_term_is_a_string_where_there_are_no_blanks() {
        check("村庄", "村庄里的人，小村庄。", &["村庄", "村庄"]);
        check("ไทย", "ภาษาไทยและคนไทย", &["ไทย", "ไทย"]);
        check("ไม", "ไม่", &["ไม่"]);
        check("JR東", "とJR東日本、XJR東", &["JR東"]);
        check("ภาษาไทย", "ภาษา\u{200b}ไทย", &["ภาษา\u{200b}ไทย"]);
    }

    #[test]
    fn a_wildcard_stands_for_letters() {
        check(
            "hiš*",
            "hiša, hiše in hiš; nahiša",
            &["hiša", "hiše", "hiš"],
        );
        check("*ost", "mladost, ost", &["mladost", "ost"]);
        check("h*a", "hiša ha hišam", &["hiša", "ha"]);
    }

    #[test]
    fn expressions_are_taken_as_they_are() {
        let matcher = Matcher::expression(r"\bhiš\w+|x*").unwrap();
        assert_eq!(matches(&matcher, "Hiša xx hiš"), ["Hiša", "xx"]);
        assert!(Matcher::expression("(").is_err());
        assert!(Matcher::term(" * \u{ad}").is_err());
    }

    #[test]
    fn escaped_letters_of_json_are_found() {
        let matcher = Matcher::term("čas").unwrap();
        assert!(matcher.may_match(br#"{"text":"\u010das"}"#));
        assert!(!matcher.may_match(br#"{"text":"danes"}"#));
    }

    proptest! {
        #[test]
        fn a_word_of_a_text_is_found_in_it(
            words in prop::collection::vec(
                "[a-zčžßİıI']{1,6}|[ά-ώ]{1,6}|[а-я\u{301}]{1,6}|[א-ת\u{5b0}]{1,6}|[ا-ي\u{64e}]{1,6}|[क-ह\u{93f}]{1,6}|[一-三a-c]{1,6}",
                1..8,
            ),
            index in any::<prop::sample::Index>(),
        ) {
            let term = &words[index.index(words.len())];
            let text = words.join("; ");
            if let Ok(matcher) = Matcher::term(term) {
                prop_assert!(!matches(&matcher, &text).is_empty(), "{term:?} in {text:?}");
                prop_assert!(matcher.may_match(text.as_bytes()));
            }
        }

        #[test]
        fn any_text_can_be_searched(term in "\\PC{0,8}|\\p{Any}{0,8}", text in "\\PC{0,40}|\\p{Any}{0,40}") {
            if let Ok(matcher) = Matcher::term(&term) {
                let mut end = 0;
                matcher.for_each_match(&text, |range| {
                    assert!(end <= range.start && range.start < range.end);
                    end = range.end;
                });
            }
        }
    }
}
