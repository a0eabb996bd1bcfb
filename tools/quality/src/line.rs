//! The lines of a text: how much of it each has, what it repeats, and whether it is a sentence.

use forage_text::{contains_unspaced_script, is_invisible, paragraphs};
use unicode_normalization::char::is_combining_mark;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use xxhash_rust::xxh3::xxh3_64;

/// Columns from which a line is a paragraph, whatever its end.
const PARAGRAPH_COLUMNS: usize = 100;

/// Columns of a line that may have been broken to fit a width.
const BROKEN_COLUMNS: usize = 30;

/// Bytes from which a sequence of one sign is a line that separates parts of a text.
const RULE_BYTES: usize = 8;

/// Columns below which a part is an item of an enumeration; in scripts without blanks, where
/// letters are wide and a clause has few, the lower number.
const ITEM_COLUMNS: usize = 22;
const UNSPACED_ITEM_COLUMNS: usize = 9;

/// Columns from which a sequence of ASCII characters without a blank is data, such as base64.
const DATA_COLUMNS: usize = 40;

/// Data has a sign in more bytes than these.
const MIN_SIGN_BYTES: usize = 16;

/// A line that is not blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    text: &'a str,
    /// The number of characters other than white space; wide ones count twice.
    pub characters: u64,
    /// The number of letters and marks among them.
    pub letters: u64,
    /// The number of digits and signs among them that prose has few of, and of letters in data.
    pub symbols: u64,
}

impl<'a> Line<'a> {
    fn new(text: &'a str) -> Line<'a> {
        let mut line = Line {
            text,
            characters: 0,
            letters: 0,
            symbols: 0,
        };
        // The blank of scripts without visible ones is typed in Khmer and Burmese.
        let parts = text.split(|c: char| c.is_whitespace() || c == '\u{200b}');
        for part in parts.filter(|part| !is_rule(part)) {
            let is_data = is_data(part);
            let inside = part.trim_matches(|c: char| !c.is_alphanumeric());
            let start = part.len()
                - part
                    .trim_start_matches(|c: char| !c.is_alphanumeric())
                    .len();
            for (index, c) in part.char_indices() {
                let is_letter = c.is_alphabetic() || is_combining_mark(c) || is_invisible(c);
                let is_inside = (start..start + inside.len()).contains(&index);
                let is_prose = is_letter
                    || matches!(c, '\'' | '-' | '.')
                    || is_punctuation(c) && !(is_inside && c.is_ascii());
                let weight = weight(c);
                line.characters += weight;
                line.letters += weight * u64::from(is_letter);
                line.symbols += weight * u64::from(is_data || !is_prose);
            }
        }
        line
    }

    /// Returns a key that lines have in common if they differ in case, numbers and white space
    /// only.
    pub fn shape(&self) -> u64 {
        let mut shape = String::with_capacity(self.text.len());
        for c in self.text.chars() {
            let c = match c {
                _ if c.is_whitespace() => ' ',
                _ if c.is_numeric() => '0',
                _ => c,
            };
            if !(matches!(c, ' ' | '0') && shape.ends_with(c)) {
                shape.extend(c.to_lowercase());
            }
        }
        xxh3_64(shape.as_bytes())
    }

    /// Returns `true` if a sentence of the line goes on in the next one, which begins with a small
    /// letter.
    pub fn continues_in(&self, next: &Line) -> bool {
        next.text.starts_with(char::is_lowercase) && self.text.width() >= BROKEN_COLUMNS
    }

    /// Returns the number of its letters in parts that are no running text: they are short, and do
    /// not end as sentences and their parts do, in any script. Signs that separate the items of a
    /// menu separate parts.
    pub fn fragment_letters(&self) -> u64 {
        let parts = self.text.split(is_separator).map(str::trim);
        let fragments =
            parts.filter(|part| part.width() < PARAGRAPH_COLUMNS && !ends_like_a_sentence(part));
        fragments.map(count_letters).sum()
    }

    /// Returns the number of its letters in items of an enumeration: between commas and the signs
    /// that separate parts, and so short that few clauses are. The end of a line with a mark is no
    /// item.
    pub fn item_letters(&self) -> u64 {
        let is_limit = |c| is_separator(c) || is_comma(c);
        let mut parts = self.text.split_inclusive(is_limit).peekable();
        let mut letters = 0;
        while let Some(part) = parts.next() {
            let item = match parts.peek() {
                Some(_) => part.trim_end_matches(is_limit).trim(),
                None => part.trim(),
            };
            let columns = match contains_unspaced_script(item) {
                true => UNSPACED_ITEM_COLUMNS,
                false => ITEM_COLUMNS,
            };
            if item.width() < columns && !ends_like_a_sentence(item) {
                letters += count_letters(item);
            }
        }
        letters
    }
}

/// Returns `true` if a text ends with the mark of a sentence or of a part of one.
fn ends_like_a_sentence(text: &str) -> bool {
    let end = text.trim_end_matches(is_closing).chars().next_back();
    end.is_some_and(is_sentence_mark)
}

/// Returns `true` for a long sequence of letters and digits of ASCII. An address has more signs.
fn is_data(part: &str) -> bool {
    let signs = part.bytes().filter(|byte| !byte.is_ascii_alphanumeric());
    part.len() >= DATA_COLUMNS && part.is_ascii() && signs.count() * MIN_SIGN_BYTES < part.len()
}

/// Returns `true` for a line drawn with one sign, such as a row of hyphens.
fn is_rule(part: &str) -> bool {
    let mut characters = part.chars();
    let first = characters.next();
    first.is_some_and(|c| !c.is_alphanumeric())
        && part.len() >= RULE_BYTES
        && characters.all(|c| Some(c) == first)
}

fn count_letters(text: &str) -> u64 {
    let is_letter = |c: &char| c.is_alphabetic() || is_combining_mark(*c);
    text.chars().filter(is_letter).map(weight).sum()
}

/// Returns how much a character counts: a wide one, of which a word has few, twice.
fn weight(c: char) -> u64 {
    if c.width() == Some(2) { 2 } else { 1 }
}

/// Returns the lines of a text that are not blank.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    paragraphs(text).map(Line::new)
}

/// Returns `true` for marks that end a sentence, or a part of one.
fn is_sentence_mark(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | ',' | ';' | ':' | '-' | '–' | '—' | '‥')
        // Armenian, Hebrew, Arabic, Syriac, N'Ko.
        || matches!(c, '\u{589}' | '\u{55c}' | '\u{55e}' | '\u{5c3}' | '\u{60c}' | '\u{61b}' | '\u{61e}' | '\u{61f}' | '\u{6d4}' | '\u{700}'..='\u{70a}' | '\u{7f8}' | '\u{7f9}')
        // Indic, Thai, Lao, Tibetan, Burmese, Georgian, Ethiopic, Khmer, Mongolian.
        || matches!(c, '\u{964}' | '\u{965}' | '\u{e2f}' | '\u{e5a}' | '\u{e5b}' | '\u{eaf}' | '\u{f08}' | '\u{f0b}'..='\u{f14}' | '\u{104a}' | '\u{104b}' | '\u{10fb}' | '\u{1361}'..='\u{1368}' | '\u{17d4}'..='\u{17d6}' | '\u{1802}'..='\u{1809}')
        // Others of South and South-East Asia, and of Africa.
        || matches!(c, '\u{1735}' | '\u{1736}' | '\u{1b5a}'..='\u{1b5f}' | '\u{1c3b}'..='\u{1c3f}' | '\u{1c7e}' | '\u{1c7f}' | '\u{a4fe}' | '\u{a4ff}' | '\u{a60d}'..='\u{a60f}' | '\u{a6f3}'..='\u{a6f7}' | '\u{a876}' | '\u{a877}' | '\u{a8ce}' | '\u{a8cf}' | '\u{a9c8}' | '\u{a9c9}' | '\u{aa5d}'..='\u{aa5f}' | '\u{abeb}' | '\u{11047}' | '\u{11048}' | '\u{110be}'..='\u{110c1}' | '\u{11141}'..='\u{11143}')
        // Chinese and Japanese, and full-width forms.
        || matches!(c, '、' | '。' | '！' | '，' | '．' | '：' | '；' | '？' | '｡' | '､' | '〜' | '～')
}

/// Returns `true` for the punctuation of prose.
fn is_punctuation(c: char) -> bool {
    is_sentence_mark(c) || is_closing(c) || is_opening(c)
}

/// Returns `true` for commas of all scripts.
fn is_comma(c: char) -> bool {
    matches!(
        c,
        ',' | ';' | '\u{55d}' | '\u{60c}' | '\u{61b}' | '\u{1363}' | '、' | '，' | '；'
    )
}

/// Returns `true` for signs between the items of a menu.
fn is_separator(c: char) -> bool {
    matches!(
        c,
        '|' | '#' | '\t' | '›' | '→' | '•' | '·' | '¦' | '│' | '／'
    ) || matches!(c, '\u{25a0}'..='\u{25ff}' | '\u{2190}'..='\u{21ff}' | '\u{2600}'..='\u{27bf}')
}

/// Returns `true` for quotation marks and brackets at the beginning of a part of a sentence.
fn is_opening(c: char) -> bool {
    matches!(
        c,
        '„' | '‚' | '‘' | '‛' | '(' | '¿' | '¡' | '「' | '『' | '（' | '【' | '《' | '〈'
    )
}

/// Returns `true` for quotation marks, brackets and notes, which follow the mark of a sentence.
fn is_closing(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '’' | '”' | '“' | '»' | '«' | '›' | '‹' | ')' | ']' | '*'
    ) || matches!(
        c,
        '」' | '』'
            | '）'
            | '】'
            | '》'
            | '〉'
            | '〕'
            | '］'
            | '＂'
            | '＇'
            | '\u{66d}'
            | '†'
            | '‡'
    ) || c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::{Line, lines};

    fn line(text: &str) -> Line<'_> {
        Line::new(text)
    }

    #[test]
    fn sentences_end_in_marks_of_any_script() {
        for text in [
            "Danes je lep dan.",
            "»Kam greš?«",
            "Oh …",
            "今天天气很好。",
            "كيف حالك؟",
            "आज अच्छा दिन है।",
            "ዛሬ ጥሩ ቀን ነው።",
            "Այսօր լավ օր է։",
            "Prva vrstica kitice,",
            "(v oklepaju.)",
        ] {
            assert_eq!(line(text).fragment_letters(), 0, "{text}");
        }
        for text in ["Preberi več »", "Domov", "12,90 EUR", "村庄"] {
            let line = line(text);
            assert_eq!(line.fragment_letters(), line.letters, "{text}");
        }
        assert_eq!(line(&"beseda ".repeat(20)).fragment_letters(), 0);
        assert_eq!(line("Domov | Novice.").fragment_letters(), 5);
    }

    #[test]
    fn items_are_short_and_between_commas() {
        assert_eq!(line("torba, plašč, šal").item_letters(), 13);
        assert_eq!(line("Sijaj, sijaj, sonce,").item_letters(), 10);
        assert_eq!(
            line("Ko je prišel domov pozno zvečer, je spal.").item_letters(),
            0
        );
        assert_eq!(line("小溪、村庄").item_letters(), 8);
        assert_eq!(line("这条小溪流过村庄，推动着水磨。").item_letters(), 0);
    }

    #[test]
    fn signs_inside_of_words_and_long_data_are_symbols() {
        assert_eq!(line("»Da,« je rekel (tiho); res?").symbols, 0);
        assert_eq!(line("d'accord, rdeče-bel, d.o.o.").symbols, 0);
        assert_eq!(line("a=b;").symbols, 1);
        assert_eq!(line("f(x){y}").symbols, 4);
        assert_eq!(line(&"aB".repeat(40)).symbols, 80);
        assert_eq!(line(&"བོད་".repeat(40)).symbols, 0);
        assert_eq!(line("2022年").symbols, 4);
        assert_eq!(line(&"-".repeat(90)).characters, 0);
    }

    #[test]
    fn lines_that_differ_in_case_and_numbers_have_one_shape() {
        assert_eq!(
            line("Stran 7  od 12").shape(),
            line("stran 10 OD 3").shape()
        );
        assert_ne!(line("Stran").shape(), line("Strani").shape());
        let texts: Vec<_> = lines("a\r\n\n b \u{2028}c").map(|line| line.text).collect();
        assert_eq!(texts, ["a", "b", "c"]);
    }
}
