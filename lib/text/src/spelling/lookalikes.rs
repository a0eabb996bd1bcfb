//! Letters of another script that look like letters of the script in which a word is written.
//!
//! Keyboards lack letters, and programs that read images mistake them: Serbian "jе" with a Latin j,
//! Akan "bεn" with a Greek epsilon, Azerbaijani "mаşın" with a Cyrillic а. Such a word is in one
//! script.

use std::cmp::Reverse;
use unicode_normalization::UnicodeNormalization;

/// A script with letters that look like those of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum AlikeScript {
    Latin,
    Cyrillic,
    Greek,
}

use AlikeScript::{Cyrillic, Greek, Latin};

impl AlikeScript {
    /// Returns the script of a letter; `None` of other characters and scripts.
    pub fn of_letter(c: char) -> Option<AlikeScript> {
        match c {
            'a'..='z' | 'A'..='Z' => Some(Latin),
            '×' | '÷' => None,
            // No letter of Greek words; `letters` reads it as ɔ.
            'ͻ' | 'Ͻ' => Some(Latin),
            '\u{c0}'..='\u{2af}' => Some(Latin),
            '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}' | '\u{a722}'..='\u{a7ff}' => {
                Some(Latin)
            }
            '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c88}' | '\u{a640}'..='\u{a69d}' => {
                Some(Cyrillic)
            }
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' if c.is_alphabetic() => Some(Greek),
            _ => None,
        }
    }

    /// Returns the script of most letters of a text in these scripts; Latin if it has none.
    pub fn of_text(text: &str) -> AlikeScript {
        let mut letters = [0_u32; 3];
        for script in text.chars().filter_map(AlikeScript::of_letter) {
            letters[script as usize] += 1;
        }
        [Latin, Cyrillic, Greek]
            .into_iter()
            .max_by_key(|script| (letters[*script as usize], Reverse(*script as usize)))
            .unwrap_or(Latin)
    }
}

/// Two scripts, and letters of them that look alike at the same place of both strings. Of a letter
/// that occurs twice, the first place counts. Greek letters are also typed for the letters that
/// Latin alphabets of Africa took from them.
const PAIRS: [([AlikeScript; 2], [&str; 2]); 3] = [
    (
        [Latin, Cyrillic],
        [
            "acehijkopqswxyæçəǝɛɛɵABCEHIIJKMOPSTXYÆÇƏ",
            "асеһіјкорԛѕԝхуӕҫәәєԑөАВСЕНІӀЈКМОРЅТХУӔҪӘ",
        ],
    ),
    (
        [Latin, Greek],
        [
            "aɛɛɣɩiknŋopʋuvxABEZHIKMNOPTYXƔ",
            "αεϵγιικηηορυυνχΑΒΕΖΗΙΚΜΝΟΡΤΥΧΓ",
        ],
    ),
    ([Cyrillic, Greek], ["аоркхАВЕНКМОРТХ", "αορκχΑΒΕΗΚΜΟΡΤΧ"]),
];

/// Returns a word with letters of several scripts in one script, or `None` if it is in one already,
/// or has letters that look like none of that script.
pub(super) fn write_in_one_script(word: &str, text_script: Option<AlikeScript>) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let mut counts = [Latin, Cyrillic, Greek].map(|script| {
        let is_in_script = |c: &char| AlikeScript::of_letter(*c) == Some(script);
        let letters = word.chars().filter(is_in_script).count();
        (letters, Some(script) == text_script, script)
    });
    counts.sort_by_key(|(letters, is_of_text, _)| Reverse((*letters, *is_of_text)));
    let [(_, _, first), (others, _, second), _] = counts;
    if others == 0 {
        return None;
    }
    write_in(word, first)
        .or_else(|| (Some(second) == text_script).then(|| write_in(word, second))?)
}

/// Returns `word` with its letters of other scripts replaced by those of `script` that look like
/// them, with their accents; `None` if one has none.
pub(super) fn write_in(word: &str, script: AlikeScript) -> Option<String> {
    let mut written = String::with_capacity(word.len() + 4);
    for c in word.chars() {
        match replace(c, script) {
            Some(c) => written.push(c),
            None => {
                for part in std::iter::once(c).nfd() {
                    written.push(replace(part, script)?);
                }
            }
        }
    }
    Some(written.nfc().collect())
}

/// Returns the letter of `script` that looks like `c`; `c` itself if it is of that script, or of
/// none.
fn replace(c: char, script: AlikeScript) -> Option<char> {
    let Some(of_c) = AlikeScript::of_letter(c).filter(|of_c| *of_c != script) else {
        return Some(c);
    };
    PAIRS.iter().find_map(|(scripts, letters)| {
        let from = scripts.iter().position(|other| *other == of_c)?;
        let to = 1 - from;
        if scripts[to] != script {
            return None;
        }
        let place = letters[from].chars().position(|other| other == c)?;
        letters[to].chars().nth(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(word: &str, text_script: AlikeScript) -> String {
        write_in_one_script(word, Some(text_script)).unwrap_or_else(|| word.to_owned())
    }

    fn check(script: AlikeScript, text: &str, expected: &str) {
        let words: Vec<String> = text.split(' ').map(|word| resolve(word, script)).collect();
        assert_eq!(words.join(" "), expected);
    }

    #[test]
    fn letters_of_both_strings_have_their_scripts() {
        for (scripts, [one, other]) in &PAIRS {
            assert_eq!(one.chars().count(), other.chars().count());
            for (letters, script) in [one, other].into_iter().zip(scripts) {
                let is_in_script = |c| AlikeScript::of_letter(c) == Some(*script);
                assert!(letters.chars().all(is_in_script), "{letters}");
            }
        }
    }

    #[test]
    fn a_word_is_in_one_script() {
        check(Cyrillic, "Jедан jе град", "Један је град");
        check(Latin, "ͻman bεn έ", "ͻman bɛn έ");
        check(Latin, "nyέn mаşın", "nyɛ\u{301}n maşın");
        check(Cyrillic, "чĕлхи калаçаççĕ", "чӗлхи калаҫаҫҫӗ");
        check(Greek, "λoγος", "λογος");
    }

    #[test]
    fn words_with_other_letters_are_kept() {
        for word in ["hardкод", "5μm", "Fiсеть", "SQLзапрос"] {
            assert_eq!(write_in_one_script(word, Some(Latin)), None, "{word}");
        }
    }

    #[test]
    fn a_tie_is_decided_by_the_text() {
        check(Cyrillic, "oн", "он");
        check(Latin, "oр", "op");
        assert_eq!(AlikeScript::of_text("Он сказал: hello"), Cyrillic);
        assert_eq!(AlikeScript::of_text("12"), Latin);
    }
}
