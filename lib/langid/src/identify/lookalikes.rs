//! Letters of another script that look like letters of the script in which a word is written.
//!
//! Keyboards lack letters, and programs that read images mistake them: Serbian "jе" with a Latin j,
//! Akan "bεn" with a Greek epsilon, Azerbaijani "mаşın" with a Cyrillic а. Such a word is in one
//! script.

use std::borrow::Cow;
use std::cmp::Reverse;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

/// Letters that look alike, in two scripts: the letters at the same place of both strings. Of a
/// letter that occurs twice, the first place counts.
struct Pairs {
    scripts: [Script; 2],
    letters: [&'static str; 2],
}

/// Greek letters are also typed for the letters that Latin alphabets of Africa took from them.
const PAIRS: [Pairs; 3] = [
    Pairs {
        scripts: [Script::Latin, Script::Cyrillic],
        letters: [
            "acehijkopqswxyæçəǝɛɛɵABCEHIIJKMOPSTXYÆÇƏ",
            "асеһіјкорԛѕԝхуӕҫәәєԑөАВСЕНІӀЈКМОРЅТХУӔҪӘ",
        ],
    },
    Pairs {
        scripts: [Script::Latin, Script::Greek],
        letters: [
            "aɛɛɣɩiknŋopʋuvxɔABEZHIKMNOPTYXƆƔ",
            "αεϵγιικηηορυυνχͻΑΒΕΖΗΙΚΜΝΟΡΤΥΧϽΓ",
        ],
    },
    Pairs {
        scripts: [Script::Cyrillic, Script::Greek],
        letters: ["аоркхАВЕНКМОРТХ", "αορκχΑΒΕΗΚΜΟΡΤΧ"],
    },
];

/// The scripts of [`PAIRS`].
pub(super) const SCRIPTS_ALIKE: [crate::Script; 3] = [
    crate::Script::LATIN,
    crate::Script::CYRILLIC,
    crate::Script::GREEK,
];

/// Returns `text` with each word that has letters of several scripts written in one of them, if all
/// others look like letters of that script: in that of most of its letters, or else in
/// `text_script`. Returns a text without such words as it is.
pub(super) fn resolve_lookalikes(text: &str, text_script: crate::Script) -> Cow<'_, str> {
    let Some(text_script) = Script::from_short_name(text_script.as_str()) else {
        return Cow::Borrowed(text);
    };
    let mut resolved = String::new();
    let mut kept = 0;
    for (start, word) in words(text) {
        if let Some(word_in_one) = write_in_one_script(word, text_script) {
            resolved.push_str(&text[kept..start]);
            resolved.push_str(&word_in_one);
            kept = start + word.len();
        }
    }
    match kept {
        0 => Cow::Borrowed(text),
        _ => Cow::Owned(resolved + &text[kept..]),
    }
}

/// Returns the runs of letters and marks of a text, with their places.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphabetic() || !c.is_ascii() && is_combining_mark(c);
    let words = text.split(move |c| !is_part(c)).filter(|w| !w.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Returns a word with letters of several scripts in one script, or `None` if it is in one already,
/// or has letters that look like none of that script.
fn write_in_one_script(word: &str, text_script: Script) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let mut counts = [Script::Latin, Script::Cyrillic, Script::Greek].map(|script| {
        let letters = word.chars().filter(|c| c.script() == script).count();
        (letters, script == text_script, script)
    });
    counts.sort_by_key(|(letters, is_of_text, _)| Reverse((*letters, *is_of_text)));
    let [(_, _, first), (others, _, second), _] = counts;
    if others == 0 {
        return None;
    }
    write_in(word, first).or_else(|| (second == text_script).then(|| write_in(word, second))?)
}

/// Returns `word` with its letters of other scripts replaced by those of `script` that look like
/// them, with their accents; `None` if one has none.
fn write_in(word: &str, script: Script) -> Option<String> {
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

/// Returns the letter of `script` that looks like `c`; `c` itself if it is of that script, or of none.
fn replace(c: char, script: Script) -> Option<char> {
    let of_c = c.script();
    if of_c == script || matches!(of_c, Script::Common | Script::Inherited) {
        return Some(c);
    }
    PAIRS.iter().find_map(|pairs| {
        let from = pairs.scripts.iter().position(|other| *other == of_c)?;
        let to = 1 - from;
        if pairs.scripts[to] != script {
            return None;
        }
        let place = pairs.letters[from].chars().position(|other| other == c)?;
        pairs.letters[to].chars().nth(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, text: &str, expected: &str) {
        assert_eq!(
            resolve_lookalikes(text, crate::Script::new(script).unwrap()),
            expected
        );
    }

    #[test]
    fn letters_of_both_strings_have_their_scripts() {
        for pairs in &PAIRS {
            let [one, other] = pairs.letters;
            assert_eq!(one.chars().count(), other.chars().count());
            for (letters, script) in pairs.letters.iter().zip(pairs.scripts) {
                assert!(letters.chars().all(|c| c.script() == script), "{letters}");
            }
        }
    }

    #[test]
    fn a_word_is_in_one_script() {
        check("Cyrl", "Jедан jе град", "Један је град");
        check("Latn", "Ͻman bεn, έ", "Ɔman bɛn, έ");
        check("Latn", "nyέn mаşın", "nyɛ\u{301}n maşın");
        check("Cyrl", "чĕлхи калаçаççĕ", "чӗлхи калаҫаҫҫӗ");
        check("Grek", "λoγος", "λογος");
    }

    #[test]
    fn words_with_other_letters_are_kept() {
        for text in ["hard-код", "5μm", "Wi-Fi-сеть", "SQLзапрос", "αβ-test"] {
            assert!(matches!(
                resolve_lookalikes(text, crate::Script::LATIN),
                Cow::Borrowed(_)
            ));
        }
    }

    #[test]
    fn a_tie_is_decided_by_the_text() {
        check("Cyrl", "oн", "он");
        check("Latn", "oр", "op");
    }
}
