//! Letters that were typed for others, by the other letters and the words of the text.

use super::survey::{LetterClass, Survey};
use LetterClass::*;
use std::borrow::Cow;

/// A rule: letters, and those that they are read as, one after the other; the class of the letters
/// that are replaced; and the classes of which a text in a language of the rule has more letters
/// than of the last ones.
type LetterRule = (
    &'static str,
    LetterClass,
    &'static [LetterClass],
    &'static [LetterClass],
);

/// The letters of languages with one letter for ك and ک, and one for ي and ی.
const PERSIAN: &[LetterClass] = &[Persian, Sorani, Urdu];

/// The rules. They do not contradict each other in any text.
const RULES: [LetterRule; 10] = [
    // Romanian: Lucene's RomanianNormalizer; the Romanian standard SR 13392:2004.
    ("şșŞȘţțŢȚ", Cedilla, &[Romanian], &[Turkic, Dotless]),
    // Turkish and its relatives, typed on a Romanian keyboard or phone.
    ("șşȘŞțţȚŢ", CommaBelow, &[Turkic, Dotless], &[Romanian]),
    // Vietnamese, Croatian, Sami: the capitals of đ and ð look alike (The Unicode Standard, section
    // 7.1).
    ("ðđÐĐƉĐ", Eth, &[Stroke], &[Icelandic]),
    // Kanuri ǝ and ə; Akan ɔ, typed as a Greek sign; in Latvian a comma for the cedilla, in Yoruba a line for the dot.
    (
        "ǝəƎƏͻɔϽƆ\u{326}\u{327}\u{329}\u{323}",
        LatinVariant,
        &[LatinVariant],
        &[],
    ),
    // Chuvash, typed as Latin ÿ, which is ӱ in Mari and Altai.
    ("ӱӳӰӲ", UmlautU, &[Chuvash, Romanian, Turkic], &[UralAltaic]),
    // Abkhaz: letters of the alphabet before 1996 (names list of U+04A7 and U+0495).
    ("ҧԥҦԤҕӷҔӶ", Abkhaz, &[Abkhaz], &[]),
    // Persian, Sorani, Urdu: Lucene's PersianNormalizer and SoraniNormalizer. Where both letters
    // are in the alphabet, as in Pashto, Sindhi and Uyghur, they are kept.
    ("كکيیىی", ArabicKafYeh, PERSIAN, &[Arabic, ArabicWithTwo]),
    // Arabic, typed on a keyboard of Persian.
    (
        "کكیي",
        PersianKafYeh,
        &[Arabic],
        &[Persian, Sorani, Urdu, ArabicWithTwo],
    ),
    // Sorani; see also `write_sorani`.
    ("ھه", Heh, &[Sorani], &[]),
    // Urdu: the heh of Arabic (The Unicode Standard, section 9.2, "Heh").
    ("هہ", Heh, &[Urdu], &[Arabic]),
];

/// The rules of the language of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct LetterRules {
    held: [bool; RULES.len()],
    is_sorani: bool,
    /// True if the text has letters that they replace.
    pub are_needed: bool,
}

impl LetterRules {
    pub fn of_text(text: &str, survey: &Survey) -> LetterRules {
        let mut rules = LetterRules {
            is_sorani: survey.has(Sorani),
            ..LetterRules::default()
        };
        for ((_, class, letters, others), held) in RULES.iter().zip(&mut rules.held) {
            let [letters, others] = [letters, others].map(|classes| survey.sum(classes));
            *held = letters > others
                || others == 0 && *class == Cedilla && has_romanian_word(text, survey);
            rules.are_needed |= *held && survey.has(*class);
        }
        rules
    }

    /// Replaces the letters of a word.
    pub fn replace(&self, word: &mut Cow<str>) {
        let held = RULES.iter().zip(self.held).filter(|(_, held)| *held);
        let replaced = |c: char| {
            let mut found = held.clone().filter_map(|(rule, _)| replacement(rule.0, c));
            found.next().filter(|_| !c.is_ascii())
        };
        if word.contains(|c: char| replaced(c).is_some()) {
            *word = Cow::Owned(word.chars().map(|c| replaced(c).unwrap_or(c)).collect());
        }
        if self.is_sorani && word.contains('ه') {
            *word = Cow::Owned(write_sorani(word));
        }
    }
}

/// Returns `true` if a rule of some language replaces `c`, or a letter by it.
pub(super) fn is_in_rule(c: char) -> bool {
    c == 'ە' || RULES.iter().any(|rule| rule.0.contains(c))
}

fn replacement(pairs: &str, c: char) -> Option<char> {
    let mut letters = pairs.chars();
    while let (Some(from), Some(to)) = (letters.next(), letters.next()) {
        if from == c {
            return Some(to);
        }
    }
    None
}

/// Returns a word with the vowel ە where the letter heh with a non-joiner was typed for it, or heh
/// at the end of the word (Lucene's SoraniNormalizer).
fn write_sorani(word: &str) -> String {
    let word = word.replace("ه\u{200c}", "ە");
    match word.strip_suffix('ه') {
        Some(stem) => format!("{stem}ە"),
        None => word,
    }
}

/// Returns `true` for a text of several words without ă that is in Romanian by one of these.
fn has_romanian_word(text: &str, survey: &Survey) -> bool {
    const WORDS: [&str; 8] = ["și", "este", "în", "care", "pentru", "sunt", "mai", "nu"];
    let mut words = text.split(|c: char| !c.is_alphabetic());
    let is_common = |word: &str| WORDS.contains(&word.replace('ş', "ș").to_lowercase().as_str());
    survey.sum(&[Cedilla, CommaBelow]) > 0 && text.contains(' ') && words.any(is_common)
}
