//! Blanks between words: where white space of the source is one, and where there is one without
//! white space.
//!
//! A page is broken into lines anywhere in Chinese or Thai, which have no blanks between words; and
//! a picture between two words separates them, whatever is around it in the source.

use forage_text::contains_unspaced_script;

/// What a character is for a blank beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharacterClass {
    /// A Han character or kana.
    Ideograph,
    /// A letter of another script that is written without blanks between words.
    Unspaced,
    /// Punctuation of the width of an ideograph, in which a blank is included.
    WidePunctuation,
    /// Punctuation of all scripts, such as quotation marks and dashes.
    CommonPunctuation,
    Hangul,
    Other,
}

impl CharacterClass {
    fn of(c: char) -> CharacterClass {
        match c {
            '\0'..='\u{b6}' | '\u{b8}'..='\u{dff}' => CharacterClass::Other,
            '\u{b7}' | '\u{2010}'..='\u{2027}' => CharacterClass::CommonPunctuation,
            // Ideographic digits and repetition marks, and Bopomofo.
            '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3100}'..='\u{312f}' => {
                CharacterClass::Ideograph
            }
            '\u{3001}'..='\u{303f}' | '\u{30fb}' | '\u{fe30}'..='\u{fe4f}' => {
                CharacterClass::WidePunctuation
            }
            '\u{ff01}'..='\u{ff65}' if !c.is_alphanumeric() => CharacterClass::WidePunctuation,
            '\u{1100}'..='\u{11ff}'
            | '\u{3130}'..='\u{318f}'
            | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}' => CharacterClass::Hangul,
            // The tsheg between syllables, and letters: Tibetan has words between marks, not
            // blanks.
            '\u{f0b}' | '\u{f0c}' | '\u{f40}'..='\u{fbc}' => CharacterClass::Unspaced,
            _ if !contains_unspaced_script(c.encode_utf8(&mut [0; 4])) => CharacterClass::Other,
            '\u{2e80}'.. => CharacterClass::Ideograph,
            _ => CharacterClass::Unspaced,
        }
    }
}

/// Returns `true` if a line break of the source between two characters is a blank: not between
/// letters of scripts without blanks, and not beside wide punctuation or a zero-width space.
///
/// CSS Text Module Level 3, section 4.1.3, "Segment Break Transformation Rules", which leaves the
/// scripts of South-East Asia to the implementation. Quotation marks and dashes beside an ideograph
/// are wide punctuation, as in Level 4.
pub(crate) fn is_line_break_a_blank(before: char, after: char) -> bool {
    use CharacterClass::{CommonPunctuation, Hangul, Ideograph, Other, Unspaced, WidePunctuation};
    if before == '\u{200b}' || after == '\u{200b}' {
        return false;
    }
    match (CharacterClass::of(before), CharacterClass::of(after)) {
        (Hangul | Other, _) | (_, Hangul | Other) => true,
        (Unspaced, CommonPunctuation) | (CommonPunctuation, Unspaced | CommonPunctuation) => true,
        (Ideograph | Unspaced | WidePunctuation, _) | (CommonPunctuation, _) => false,
    }
}

/// Returns `true` if there is a blank between the texts around an element that separates words: not
/// before a mark that ends a word or a clause, after one that begins it, or in scripts without
/// blanks.
pub(crate) fn is_gap_a_blank(before: &str, after: &str) -> bool {
    let (mut left, mut right) = (before.chars().rev(), after.chars());
    let (Some(last), Some(first)) = (left.next(), right.next()) else {
        return false;
    };
    let is_quote = |c: char| matches!(c, '"' | '“' | '”' | '„' | '‚' | '‘' | '«' | '»' | '‹' | '›');
    let ends_word = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let joins = |c: char| matches!(c, '-' | '\u{2010}' | '\u{2011}' | '/' | '\'' | '’');
    let opens = matches!(last, '(' | '[' | '{' | '¿' | '¡')
        || joins(last)
        || is_quote(last) && ends_word(left.next());
    let closes = matches!(
        first,
        '.' | ','
            | ';'
            | ':'
            | '!'
            | '?'
            | ')'
            | ']'
            | '}'
            | '%'
            | '…'
            | '،'
            | '؛'
            | '؟'
            | '۔'
            | '।'
            | '॥'
            | '։'
            | '።'
            | '፣'
            | '။'
            | '៖'
            | '។'
    ) || joins(first)
        || is_quote(first) && ends_word(right.next());
    let is_in_word = !last.is_whitespace() && !first.is_whitespace() && !opens && !closes;
    is_in_word && is_line_break_a_blank(last, first)
}

#[cfg(test)]
mod tests {
    use super::{is_gap_a_blank, is_line_break_a_blank};

    #[test]
    fn a_line_break_is_no_blank_in_scripts_without_blanks() {
        for (before, after) in [
            ('两', '百'),
            ('，', '推'),
            ('す', 'カ'),
            ('ー', 'の'),
            ('々', '木'),
            ('」', '「'),
            ('“', '你'),
            ('好', '”'),
            ('：', '“'),
            ('𠮷', '野'),
            ('ไ', 'ท'),
            ('่', 'น'),
            ('ខ', 'ម'),
            ('ລ', 'າ'),
            ('မ', 'န'),
            ('་', 'བ'),
            ('\u{200b}', 'a'),
        ] {
            assert!(!is_line_break_a_blank(before, after), "{before}{after}");
        }
        for (before, after) in [
            ('a', 'b'),
            ('한', '국'),
            ('國', '은'),
            ('水', 'a'),
            ('2', '年'),
            ('，', 'a'),
            ('”', 'a'),
            ('”', '“'),
            ('།', 'བ'),
            ('น', '”'),
            ('क', 'ख'),
            ('😀', '😀'),
        ] {
            assert!(is_line_break_a_blank(before, after), "{before}{after}");
        }
    }

    #[test]
    fn a_gap_is_no_blank_beside_punctuation_of_a_word() {
        for (before, after) in [
            ("a", "b"),
            ("a.", "A"),
            ("a", "(b)"),
            ("a", "»b«"),
            ("a«", "b"),
        ] {
            assert!(is_gap_a_blank(before, after), "{before}{after}");
        }
        for (before, after) in [
            ("", "a"),
            ("a ", "b"),
            ("a", ", b"),
            ("(", "a"),
            ("za n", "-ti"),
            ("l’", "n"),
            ("a »", "b"),
            ("“", "b"),
            ("a", "« b"),
            ("a", "\"."),
            ("水", "磨"),
            ("水", "。"),
        ] {
            assert!(!is_gap_a_blank(before, after), "{before}{after}");
        }
    }
}
