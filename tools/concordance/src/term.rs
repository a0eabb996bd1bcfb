//! The regular expression of a term: all the spellings in which it occurs.

use crate::marks::{class_after, is_ignored};
use forage_text::{
    LetterI, fold_unspaced, is_unspaced, may_be_respelled, normalise, remove_optional_marks,
};
use unicode_normalization::UnicodeNormalization;

/// Stands for any letters, at the end of a term or inside.
const WILDCARD: char = '*';

/// A term in the spelling from which its pattern is made.
#[derive(Debug)]
pub(crate) struct Term {
    characters: Vec<char>,
    /// True if the term is Greek in capitals, which may lack the tonos.
    is_greek_in_capitals: bool,
}

impl Term {
    /// Returns `None` if the term has nothing that could be found.
    pub fn new(term: &str) -> Option<Term> {
        let term = normalise(term.trim());
        let term = remove_optional_marks(&term);
        let mut characters: Vec<char> = fold_unspaced(&term)
            .chars()
            .filter(|&c| !is_ignored(c))
            .map(|c| if c.is_whitespace() { ' ' } else { c })
            .collect();
        characters.dedup_by(|a, b| a == b && matches!(*a, ' ' | WILDCARD));
        let has_content = characters.iter().any(|&c| !matches!(c, ' ' | WILDCARD));
        let greek = || characters.iter().filter(|c| is_greek(**c));
        let is_greek_in_capitals = greek().count() > 1 && greek().all(|c| c.is_uppercase());
        has_content.then_some(Term {
            characters,
            is_greek_in_capitals,
        })
    }

    /// Returns the first and the last character.
    pub fn edges(&self) -> (char, char) {
        let characters = &self.characters;
        (characters[0], characters[characters.len() - 1])
    }

    /// Returns `true` if the pattern depends on which letter is the capital of i.
    pub fn has_letter_i(&self) -> bool {
        self.characters.iter().any(|c| "iIıİ".contains(*c))
    }

    /// Returns the pattern of the term, case aside.
    pub fn pattern(&self, letter_i: LetterI) -> String {
        pattern_of(&self.characters, |c| match (c, letter_i) {
            ('i' | 'İ', LetterI::Dotless) => "(?-i:[iİ]\u{307}?|I\u{307})".into(),
            ('ı' | 'I', LetterI::Dotless) => "(?-i:[ıI])".into(),
            ('i' | 'I' | 'İ', LetterI::Dotted) => "[iİ]\u{307}?".into(),
            _ => self.letter_pattern(c),
        })
    }

    /// Returns a pattern of a part of the term that each occurrence has in JSON, too, if nothing in
    /// it is escaped; `None` if the term has no such part.
    pub fn raw_pattern(&self) -> Option<String> {
        let word: String = self.characters.iter().collect();
        let is_letter_i = |c: char| "iIıİ".contains(c);
        // Nor may a letter be spelt in another way there.
        let is_end = |c: char| !c.is_alphanumeric() || may_be_respelled(&word, c);
        let longest_without = |is_end: &dyn Fn(char) -> bool| {
            let parts = self.characters.split(|&c| is_end(c));
            parts.max_by_key(|part| part.len()).unwrap_or_default()
        };
        // The forms of i make the search slow, and a short part finds too much.
        let without_i = longest_without(&|c| is_letter_i(c) || is_end(c));
        let longest = match without_i.len() {
            3.. => without_i,
            _ => longest_without(&is_end),
        };
        (!longest.is_empty()).then(|| {
            pattern_of(longest, |c| match c {
                'i' | 'I' | 'İ' | 'ı' => "[iıİ]\u{307}?".into(),
                _ => self.letter_pattern(c),
            })
        })
    }

    /// Returns the pattern of a letter in each of its forms: capitals of Greek may lack the tonos.
    fn letter_pattern(&self, c: char) -> String {
        let pattern = letter_pattern(c);
        if !is_greek(c) {
            return pattern;
        }
        let without: String = std::iter::once(c)
            .nfd()
            .filter(|c| *c != TONOS)
            .nfc()
            .flat_map(char::to_uppercase)
            .collect();
        if self.is_greek_in_capitals {
            let with = without.nfd().chain([TONOS]).nfc().collect::<String>();
            return match with.chars().count() {
                1 => format!("(?:{pattern}|{with}|{without}{TONOS})"),
                _ => pattern,
            };
        }
        match without.chars().eq(c.to_uppercase()) {
            true => pattern,
            false => format!("(?:{pattern}|(?-i:{without}))"),
        }
    }
}

/// The accent of modern Greek.
const TONOS: char = '\u{301}';

fn is_greek(c: char) -> bool {
    c.is_alphabetic() && matches!(c, '\u{370}'..='\u{3ff}')
}

/// Returns the letter at the beginning that capitals write as two, in either form, and the two; and
/// how many characters it takes.
fn letter_of_two(characters: &[char]) -> Option<(char, [char; 2], usize)> {
    match characters {
        ['ß' | 'ẞ', ..] => Some(('ß', ['s', 's'], 1)),
        ['s' | 'S', 's' | 'S', ..] => Some(('ß', ['s', 's'], 2)),
        ['և', ..] => Some(('և', ['ե', 'ւ'], 1)),
        ['ե' | 'Ե', 'ւ' | 'Ւ', ..] => Some(('և', ['ե', 'ւ'], 2)),
        _ => None,
    }
}

fn pattern_of(characters: &[char], letter_pattern: impl Fn(char) -> String) -> String {
    let mut pattern = String::new();
    let mut rest = characters;
    while let [c, after @ ..] = rest {
        let c = *c;
        if let Some((one, two, taken)) = letter_of_two(rest) {
            rest = &rest[taken..];
            let [first, second] = two.map(|c| format!("{c}{}*", class_after(c, false)));
            let after_one = class_after(one, false);
            pattern += &format!("(?:{first}{second}|{one}{after_one}*)");
            continue;
        }
        rest = after;
        match c {
            ' ' => pattern.push_str(r"[\s\u{200b}]+"),
            WILDCARD => pattern.push_str(r"\w*"),
            _ => {
                pattern.push_str(&letter_pattern(c));
                pattern.push_str(&class_after(c, is_unspaced(c)));
                pattern.push('*');
            }
        }
    }
    pattern
}

/// Returns the pattern of a letter in each of its canonical forms.
fn letter_pattern(c: char) -> String {
    match c {
        '\'' | '’' | '‘' | 'ʼ' | 'ʻ' | 'ʽ' | '＇' | '`' | '´' | '′' | '՚' => {
            return "['’‘ʼʻʽ＇`´′՚]".into();
        }
        'ำ' => return "(?:ำ|\u{e4d}า)".into(),
        'ຳ' => return "(?:ຳ|\u{ecd}າ)".into(),
        'แ' => return "(?:แ|เเ)".into(),
        _ => {}
    }
    let decomposed: Vec<char> = std::iter::once(c).nfd().collect();
    // Ế is also Ê with an accent.
    let forms = (1..=decomposed.len()).rev().map(|composed| {
        let (head, tail) = decomposed.split_at(composed);
        let form: String = head
            .iter()
            .copied()
            .nfc()
            .chain(tail.iter().copied())
            .collect();
        regex::escape(&form)
    });
    let mut forms: Vec<String> = forms.collect();
    forms.dedup();
    match forms.as_slice() {
        [form] => form.clone(),
        _ => format!("(?:{})", forms.join("|")),
    }
}
