//! Detection of mojibake: UTF-8 that was decoded as an 8-bit encoding.
//!
//! Each character then becomes two or three. The first of these is one of a few, since the letters
//! of a script are close together in Unicode: for Cyrillic "Ð" and "Ñ" if the encoding is Latin-1,
//! "Р" and "С" if it is Windows-1251. So in any encoding, the two most frequent characters precede
//! nearly all others. In natural language no two characters do.

use crate::evidence::bytes::ByteCounts;

/// The first bytes of multi-byte characters in UTF-8, decoded as Latin-1 or a similar encoding. All
/// of these are in U+00C0 to U+00FF.
const LATIN_LEADS: &str = "ÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîï";

/// Minimum share of letters in Latin mojibake pairs of a window that is mojibake. Set by judgement,
/// not measured.
const MIN_PAIR_SHARE: f64 = 0.15;

/// Minimum number of non-ASCII characters for the test of frequent characters. Set by judgement,
/// not measured.
const MIN_NON_ASCII: usize = 16;
/// Minimum share of non-ASCII characters among the visible ones for that test. Set by judgement,
/// not measured.
const MIN_NON_ASCII_SHARE: f64 = 0.7;

/// Minimum share of the two most frequent characters among the non-ASCII ones. Together with
/// [`MIN_FOLLOWER_SHARE`] it is reached only in mojibake: no other paragraph, sentence or page of
/// the test sets of `docs/LANGID.md` reaches it.
const MIN_LEAD_SHARE: f64 = 0.3;
/// Minimum share of the other non-ASCII characters that follow one of the two.
const MIN_FOLLOWER_SHARE: f64 = 0.65;

/// Returns `true` if the window is UTF-8 decoded as an 8-bit encoding ("Ä\u{8d}", "Ð¿", "Рї").
///
/// `counts` are those of the bytes of the window.
pub(crate) fn is_mojibake(window: &str, counts: &ByteCounts) -> bool {
    is_latin_mojibake(window, counts) || has_lead_characters(window, counts)
}

/// Returns `true` if many letters are one of [`LATIN_LEADS`], followed by a character that does not
/// follow a letter in natural language.
fn is_latin_mojibake(window: &str, counts: &ByteCounts) -> bool {
    let leads = counts.latin_leads;
    // A fast pre-check: there may be more letters than these.
    let letters = counts.letters + leads;
    if leads == 0 || (leads as f64) < MIN_PAIR_SHARE * letters as f64 {
        return false;
    }
    let mut pairs = 0;
    let mut letters = 0;
    let mut follows_lead = false;
    for c in window.chars() {
        pairs += u32::from(follows_lead && is_latin_follower(c));
        letters += u32::from(c.is_alphabetic());
        follows_lead = c >= 'Â' && LATIN_LEADS.contains(c);
    }
    pairs > 0 && f64::from(pairs) >= MIN_PAIR_SHARE * f64::from(letters)
}

/// Returns `true` if a continuation byte of UTF-8, decoded as Latin-1 or Windows-1252, gives `c`.
fn is_latin_follower(c: char) -> bool {
    matches!(
        c,
        '\u{80}'..='\u{bf}' | 'Œ' | 'œ' | 'Š' | 'š' | 'Ÿ' | 'Ž' | 'ž' | 'ƒ' | 'ˆ' | '˜'
    ) || matches!(
        c,
        '\u{2013}'..='\u{2022}' | '\u{2026}' | '\u{2030}' | '\u{2039}' | '\u{203a}' | '€' | '™'
    )
}

/// Returns `true` if the two most frequent non-ASCII characters precede nearly all others.
fn has_lead_characters(window: &str, counts: &ByteCounts) -> bool {
    let non_ascii = counts.non_ascii;
    let visible = non_ascii + counts.visible;
    if non_ascii < MIN_NON_ASCII || (non_ascii as f64) < MIN_NON_ASCII_SHARE * visible as f64 {
        return false;
    }
    let min_leads = MIN_LEAD_SHARE * non_ascii as f64;
    if (bound_two_most_frequent(window) as f64) < min_leads {
        return false;
    }
    let leads = two_most_frequent(window);
    let is_lead = |c: char| leads.contains(&c);
    let number = window.chars().filter(|c| is_lead(*c)).count();
    if (number as f64) < min_leads {
        return false;
    }
    let followers = window
        .chars()
        .zip(window.chars().skip(1))
        .filter(|(first, second)| is_lead(*first) && !second.is_ascii() && !is_lead(*second))
        .count();
    followers as f64 >= MIN_FOLLOWER_SHARE * (non_ascii - number) as f64
}

/// Returns an upper bound of the number of occurrences of the two most frequent non-ASCII
/// characters.
///
/// Counts the last byte of each character without its other bytes, so that characters that end with
/// the same byte are counted together.
fn bound_two_most_frequent(window: &str) -> usize {
    let mut counts = [0u16; 64];
    for c in window.chars() {
        counts[c as usize % 64] += u16::from(!c.is_ascii());
    }
    let mut two = [0; 2];
    for count in counts {
        if count > two[0] {
            two = [count, two[0]];
        } else if count > two[1] {
            two[1] = count;
        }
    }
    two.map(usize::from).iter().sum()
}

/// Returns the two most frequent non-ASCII characters. If there is only one, the second is
/// `char::MAX`.
fn two_most_frequent(window: &str) -> [char; 2] {
    let mut chars: Vec<char> = window.chars().filter(|c| !c.is_ascii()).collect();
    chars.sort_unstable();
    let mut two = [(0, char::MAX); 2];
    for run in chars.chunk_by(|first, second| first == second) {
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

    fn is_mojibake(window: &str) -> bool {
        super::is_mojibake(window, &ByteCounts::new(window))
    }

    /// Decodes the bytes of a text with an 8-bit encoding whose upper half begins at `first` + 128.
    fn to_mojibake(text: &str, first: u32) -> String {
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
    fn utf8_decoded_as_any_eight_bit_encoding_is_mojibake() {
        for text in TEXTS {
            assert!(!is_mojibake(text), "{text}");
            for first in [0, 0x350, 0x2480] {
                assert!(is_mojibake(&to_mojibake(text, first)), "{text} {first:x}");
            }
        }
    }

    #[test]
    fn words_of_few_letters_are_not_mojibake() {
        for text in [
            "Гитара има и три снимача звука.",
            "ა ბა და აბა დადა ბადა აბადა",
            "НАПИСАНО ПРОПИСНЫМИ БУКВАМИ",
        ] {
            assert!(!is_mojibake(text), "{text}");
        }
    }
}
