//! Marks that are written for learners, in scripture and in dictionaries, and left out elsewhere.

use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;

/// Returns `true` for marks that are optional wherever they occur: the points and accents of Hebrew
/// and Syriac, the vowel marks and tatweel of Arabic, the gemination marks of Ethiopic, and the
/// accents of Vedic.
///
/// Hamza and the vowel signs of Kashmiri are not among them.
pub fn is_optional_mark(c: char) -> bool {
    match c {
        ..'\u{591}' => false,
        '\u{591}'..='\u{5c7}' => !matches!(c, '\u{5be}' | '\u{5c0}' | '\u{5c3}' | '\u{5c6}'),
        '\u{610}'..='\u{61a}' | '\u{640}' | '\u{64b}'..='\u{652}' | '\u{670}' => true,
        '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}' | '\u{6e7}' | '\u{6e8}' => true,
        '\u{6ea}'..='\u{6ed}' | '\u{730}'..='\u{74a}' | '\u{951}'..='\u{952}' => true,
        '\u{135d}'..='\u{135f}' => true,
        _ => false,
    }
}

/// Returns `true` for the marks of stress: grave and acute. After a Cyrillic letter they are
/// optional; in Latin script they are tones and vowels.
pub(crate) fn is_stress_mark(c: char) -> bool {
    matches!(c, '\u{300}' | '\u{301}')
}

/// Returns `true` for the Armenian marks of emphasis, exclamation, question and abbreviation, which
/// are written inside the word.
pub fn is_armenian_mark(c: char) -> bool {
    matches!(c, '\u{55b}' | '\u{55c}' | '\u{55e}' | '\u{55f}')
}

/// Returns `true` if `mark`, after `letter`, is an optional mark of stress.
pub(crate) fn is_stress(letter: char, mark: char) -> bool {
    is_stress_mark(mark) && matches!(letter, '\u{400}'..='\u{52f}')
}

/// Removes the marks of stress after Cyrillic letters.
pub(crate) fn drop_stress(characters: &mut Vec<char>) {
    characters.dedup_by(|mark, letter| is_stress(*letter, *mark));
}

/// Returns `text` without the marks of accent in dictionaries, scripture and grammars, which are
/// letters or tones elsewhere; borrows it if it has none. They are those of stress and pitch in
/// Lithuanian, Slovenian and Serbo-Croatian, and with `lengths` also those of length, as in Latin.
pub fn remove_accents(text: &str, lengths: bool) -> Cow<'_, str> {
    let is_accent = |c: char| match c {
        '\u{300}' | '\u{301}' | '\u{303}' | '\u{30f}' | '\u{311}' => true,
        '\u{302}' | '\u{304}' | '\u{306}' => lengths,
        _ => false,
    };
    if !text.nfd().any(is_accent) {
        return Cow::Borrowed(text);
    }
    let bare: String = text.nfd().filter(|c| !is_accent(*c)).collect();
    Cow::Owned(bare.nfc().collect())
}

/// Returns `text`, which must be in NFC, without optional marks; borrows it if it has none.
pub fn remove_optional_marks(text: &str) -> Cow<'_, str> {
    let mut previous = '\0';
    let mut is_optional = |c: char| {
        let letter = std::mem::replace(&mut previous, c);
        is_optional_mark(c) || is_stress(letter, c)
    };
    let Some(first) = text.find(&mut is_optional) else {
        return Cow::Borrowed(text);
    };
    let (kept, rest) = text.split_at(first);
    let rest = rest.chars().skip(1).filter(|&c| !is_optional(c));
    Cow::Owned(kept.chars().chain(rest).collect())
}

#[cfg(test)]
mod tests {
    use super::{remove_accents, remove_optional_marks};
    use std::borrow::Cow;

    #[test]
    fn optional_marks_are_removed() {
        for (text, bare) in [
            ("שָׁלוֹם", "שלום"),
            ("كِتَابٌ كتـــاب", "كتاب كتاب"),
            ("за\u{301}мок замо\u{300}к", "замок замок"),
            ("ܫܠܳܡܳܐ", "ܫܠܡܐ"),
        ] {
            assert_eq!(remove_optional_marks(text), bare);
        }
    }

    #[test]
    fn accents_are_removed_and_other_marks_of_letters_kept() {
        for (text, bare, without_lengths) in [
            ("sẽno malū̃no", "seno malūno", "seno maluno"),
            (
                "gyvéntojai pasikalbė́ti",
                "gyventojai pasikalbėti",
                "gyventojai pasikalbėti",
            ),
            ("Prêjšnji téden", "Prêjšnji teden", "Prejšnji teden"),
            ("tjȅdna", "tjedna", "tjedna"),
            ("incolae pāgī", "incolae pāgī", "incolae pagi"),
            ("für čas ąžuolas", "für čas ąžuolas", "für čas ąžuolas"),
        ] {
            assert_eq!(remove_accents(text, false), bare);
            assert_eq!(remove_accents(text, true), without_lengths);
        }
    }

    #[test]
    fn letters_tones_and_hamza_are_kept() {
        for text in ["", "čas", "kǫ́", "ọ̀rọ̀", "й ё ќ ѝ", "هٔ", "בית־ספר", "हिन्दी"]
        {
            assert!(
                matches!(remove_optional_marks(text), Cow::Borrowed(_)),
                "{text}"
            );
        }
    }
}
