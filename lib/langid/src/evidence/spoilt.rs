//! Whether a text is no language by what it is made of: few letters again and again, Latin letters
//! without vowels, UTF-8 that was read as an eight-bit code, source code.
//!
//! The whole text is read once already, so only some places of it are looked at: its start, and
//! where that is spoilt, for it may be a ruler or a table above a good text, a few more, most of
//! which decide.

use crate::evidence::bytes::{ascii_letters, count};
use crate::evidence::garbled::is_garbled;
use crate::evidence::signs::is_code;
use crate::script::Script;

/// Bytes of a place that is looked at.
const LOOKED_AT: usize = 500;

/// Places that are looked at in a text that starts badly, spread evenly.
const PLACES: usize = 8;

/// Different letters that a text of so many letters has at least, in any language.
const DIFFERENT: usize = 4;
const DIFFERENT_FROM: u64 = 20;

/// Least part of the ASCII letters that are vowels, `w` and `y` among them, in any language; from
/// so many letters on.
const VOWELS: f64 = 0.12;
const VOWELS_FROM: usize = 40;

/// Latin letters that are too many to be Roman numerals alone by chance.
const NUMERALS_FROM: usize = 10;

/// What is known of a whole text before it is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    pub(crate) letters: u64,
    /// The script of most of them.
    pub(crate) script: Script,
    /// The evidence of its language as a part of what it would be if all words agreed.
    pub(crate) agreement: f64,
}

pub(crate) fn is_spoilt(text: &str, about: About) -> bool {
    let look = |place: &str| look_at(place, about);
    if look(&text[..text.floor_char_boundary(LOOKED_AT)]) == Look::Sound {
        return false;
    }
    let looks: Vec<Look> = places(text).map(look).collect();
    let number = |wanted: Look| looks.iter().filter(|look| **look == wanted).count();
    number(Look::Spoilt) > number(Look::Sound)
}

/// What a place of a text looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    /// Without letters, which says nothing of the rest.
    Empty,
    Sound,
    Spoilt,
}

fn look_at(place: &str, about: About) -> Look {
    let different = different_letters(place);
    let is_monotonous = different < DIFFERENT && about.letters >= DIFFERENT_FROM;
    if different == 0 {
        return Look::Empty;
    }
    let is_spoilt = is_monotonous
        || is_unspeakable(place, about.script)
        || is_numerals(place)
        || is_garbled(place)
        || is_code(place, about.agreement);
    if is_spoilt { Look::Spoilt } else { Look::Sound }
}

/// Places from the start of the text to its end, as many as it has without much overlap, at most
/// [`PLACES`].
fn places(text: &str) -> impl Iterator<Item = &str> {
    let number = text.len().div_ceil(LOOKED_AT).clamp(1, PLACES);
    let last = text.len().saturating_sub(LOOKED_AT);
    (0..number).map(move |place| {
        let start = text.floor_char_boundary(last * place / (number - 1).max(1));
        &text[start..text.floor_char_boundary(start + LOOKED_AT)]
    })
}

/// How many letters there are, each counted once; no more than [`DIFFERENT`].
fn different_letters(place: &str) -> usize {
    let mut seen = [None; DIFFERENT];
    let mut different = 0;
    for c in place.chars().filter(|c| c.is_alphabetic()) {
        if !seen.contains(&Some(c)) {
            seen[different] = Some(c);
            different += 1;
        }
        if different == DIFFERENT {
            break;
        }
    }
    different
}

/// Whether these are Latin letters without vowels.
fn is_unspeakable(place: &str, script: Script) -> bool {
    if script.as_str() != "Latn" {
        return false;
    }
    let letters = ascii_letters(place);
    let is_vowel = |byte: u8| matches!(byte | 0x20, b'a' | b'e' | b'i' | b'o' | b'u' | b'y' | b'w');
    letters >= VOWELS_FROM && (count(place.as_bytes(), is_vowel) as f64) < VOWELS * letters as f64
}

/// Whether all letters are those of Roman numerals.
fn is_numerals(place: &str) -> bool {
    let is_numeral = |byte| matches!(byte, b'I' | b'V' | b'X' | b'L' | b'C' | b'D' | b'M');
    let numerals = count(place.as_bytes(), is_numeral);
    numerals >= NUMERALS_FROM && numerals == ascii_letters(place) && place.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "Danes je lep dan, zato bomo šli na sprehod do jezera. ";

    fn letters(text: &str) -> u64 {
        text.chars().filter(|c| c.is_alphabetic()).count() as u64
    }

    fn check(text: &str) -> bool {
        is_spoilt(
            text,
            About {
                letters: letters(text),
                script: Script::new("Latn").unwrap(),
                agreement: 0.7,
            },
        )
    }

    fn garbled(text: &str) -> String {
        text.bytes().map(char::from).collect()
    }

    #[test]
    fn utf8_read_as_latin_1_is_garbled_and_french_is_not() {
        for text in [
            "Москва столица России",
            "Η Αθήνα είναι η πρωτεύουσα",
            "हिन्दी भाषा",
        ] {
            assert!(check(&garbled(text)), "{text}");
            assert!(!check(text), "{text}");
        }
        assert!(!check(
            "À l'été, « les élèves » français mangèrent des pâtés où ça leur plaît."
        ));
    }

    #[test]
    fn a_few_letters_again_and_again_are_spoilt() {
        assert!(check(&"ab ".repeat(40)));
        assert!(check(&"ab ".repeat(4000)));
        assert!(!check("ha ha") && !check("Danes je lep dan, jutri bo dež."));
    }

    #[test]
    fn latin_letters_without_vowels_are_spoilt() {
        assert!(check(&"sdf ghj klm ".repeat(5)) && check(&"sdf ghj klm ".repeat(500)));
    }

    #[test]
    fn roman_numerals_are_spoilt_and_words_of_their_letters_are_not() {
        assert!(check("I II III IV V VI VII XIV XX MCM") && check("I. II. III. IV. V. VI. VII."));
        assert!(!check("MILD CIVIL") && !check("LOUIS XIV ET LOUIS XVI"));
    }

    #[test]
    fn code_is_spoilt_and_a_manual_that_begins_with_it_is_not() {
        let code = "if (open->script != 0) { self.close(open, each); } ".repeat(9);
        assert!(check(&code) && check(&code.repeat(30)));
        assert!(!check(&format!("{code}{}", GOOD.repeat(40))));
    }

    #[test]
    fn a_spoilt_head_spoils_no_long_text() {
        for head in [
            "=".repeat(499),
            "km ".repeat(200),
            "sdf ghj klm ".repeat(60),
            garbled(&"Москва ".repeat(60)),
        ] {
            assert!(!check(&format!("{head} {}", GOOD.repeat(50))), "{head}");
        }
        assert!(!check(&format!("{} {}", "=".repeat(499), GOOD)));
    }

    #[test]
    fn most_of_a_text_makes_it_spoilt() {
        assert!(check(&format!(
            "{}{}",
            garbled(&"Москва столица ".repeat(200)),
            GOOD.repeat(5)
        )));
    }
}
