//! Whether a place of a text is UTF-8 that was read as an eight-bit code.
//!
//! Read so, a character becomes two or three. The first ones are few, as the letters of a script
//! are few in Unicode's order: in Cyrillic "Ð" and "Ñ" where the code is Latin-1, "Р" and "С" where
//! it is Windows-1251. So whatever the code, the two most frequent characters stand before nearly
//! all others, which those of no language do.

use crate::evidence::bytes::{ascii_letters, count};

/// What the first byte of a character in UTF-8 is when it is read as Latin-1 or its like; in UTF-8
/// all of them begin with [`LEAD`].
const LEADS: &str = "ÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîï";

const LEAD: u8 = 0xc3;

/// A part of the letters from which they are taken to be garbled.
const GARBLED: f64 = 0.15;

/// Characters beyond ASCII from which on the two most frequent ones are looked at, and the part of
/// what is visible that they are at least.
const BEYOND_FROM: usize = 16;
const BEYOND: f64 = 0.7;

/// The part of these that the two are at least, and the part of the others that follow one of the
/// two: in no paragraph of the declaration, no news and no page that is not garbled.
const TWO: f64 = 0.3;
const FOLLOW: f64 = 0.65;

/// Whether this is UTF-8 that somebody read as an eight-bit code ("Ä\u{8d}", "Ð¿", "Рї").
pub(crate) fn is_garbled(place: &str) -> bool {
    is_latin_garbled(place) || is_in_pairs(place)
}

/// Whether many letters are [`LEADS`] with a sign behind them that stands behind no letter.
fn is_latin_garbled(place: &str) -> bool {
    let leads = count(place.as_bytes(), |byte| byte == LEAD);
    // There may be more letters, so this is no more than a quick look.
    if leads == 0 || (leads as f64) < GARBLED * (ascii_letters(place) + leads) as f64 {
        return false;
    }
    let (mut pairs, mut letters) = (0, 0);
    let mut was_lead = false;
    for c in place.chars() {
        let is_behind = matches!(
            c,
            '\u{80}'..='\u{bf}' | 'Œ' | 'œ' | 'Š' | 'š' | 'Ÿ' | 'Ž' | 'ž' | 'ƒ' | 'ˆ' | '˜'
        ) || matches!(
            c,
            '\u{2013}'..='\u{2022}' | '\u{2026}' | '\u{2030}' | '\u{2039}' | '\u{203a}' | '€' | '™'
        );
        pairs += u32::from(was_lead && is_behind);
        letters += u32::from(c.is_alphabetic());
        was_lead = c >= 'Â' && LEADS.contains(c);
    }
    pairs > 0 && f64::from(pairs) >= GARBLED * f64::from(letters)
}

/// Whether the two most frequent characters beyond ASCII stand before nearly all others.
fn is_in_pairs(place: &str) -> bool {
    let bytes = place.as_bytes();
    let beyond = count(bytes, |byte| byte >= 0xc0);
    let visible = beyond + count(bytes, |byte| byte > b' ' && byte < 0x80);
    if beyond < BEYOND_FROM || (beyond as f64) < BEYOND * visible as f64 {
        return false;
    }
    let two = most_frequent(place);
    let is_one = |c: char| two.contains(&c);
    let number = place.chars().filter(|c| is_one(*c)).count();
    if (number as f64) < TWO * beyond as f64 {
        return false;
    }
    let pairs = place.chars().zip(place.chars().skip(1));
    let follow = pairs
        .filter(|(one, other)| is_one(*one) && !other.is_ascii() && !is_one(*other))
        .count();
    follow as f64 >= FOLLOW * (beyond - number) as f64
}

/// The two most frequent characters beyond ASCII, or the same one twice.
fn most_frequent(place: &str) -> [char; 2] {
    let mut chars: Vec<char> = place.chars().filter(|c| !c.is_ascii()).collect();
    chars.sort_unstable();
    let mut two = [(0, char::MAX); 2];
    for run in chars.chunk_by(|one, other| one == other) {
        if run.len() > two[0].0 {
            two = [(run.len(), run[0]), two[0]];
        } else if run.len() > two[1].0 {
            two[1] = (run.len(), run[0]);
        }
    }
    two.map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes as the letters that Windows-1251 has for them, or others, as many.
    fn garbled(text: &str, first: u32) -> String {
        let letter = |byte: u8| {
            if byte < 128 {
                char::from(byte)
            } else {
                char::from_u32(first + u32::from(byte)).unwrap()
            }
        };
        text.bytes().map(letter).collect()
    }

    const TEXTS: [&str; 4] = [
        "Всички хора се раждат свободни и равни по достойнство и права.",
        "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם.",
        "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता प्राप्त है",
        "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια.",
    ];

    #[test]
    fn utf8_read_as_any_eight_bit_code_is_garbled() {
        for text in TEXTS {
            assert!(!is_garbled(text), "{text}");
            for first in [0, 0x350, 0x2480] {
                assert!(is_garbled(&garbled(text, first)), "{text} {first:x}");
            }
        }
    }

    #[test]
    fn words_of_few_letters_are_not_garbled() {
        for text in [
            "Гитара има и три снимача звука.",
            "ა ბა და აბა დადა ბადა აბადა",
            "НАПИСАНО ПРОПИСНЫМИ БУКВАМИ",
        ] {
            assert!(!is_garbled(text), "{text}");
        }
    }
}
