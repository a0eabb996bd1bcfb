//! Whether a text is in a known language at all, and how sure the answer is.
//!
//! The text's words and n-grams each have a language that they speak for most. In a text of a known language these are
//! much the same language; in one of an unknown language, or of none, they are all sorts. So the evidence of the best
//! language, as a part of what it would be if all agreed, tells the two apart.
//!
//! The numbers were fitted by logistic regression, and the thresholds set so that about one in a hundred of the texts in
//! known languages falls below: 36,000 texts in 430 languages, most of them cut to 3 to 200 words, against 2,000 texts
//! whose own language did not compete. Its words were still counted in what all would agree on; now they are not, so
//! that a new fit should tell more of the unknown.

use crate::code::Code;
use crate::evidence::STEPS;
use crate::evidence::score::Sums;
use crate::identify::Identification;
use crate::script::Script;

/// What was found out of a text.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    pub(crate) script: Script,
    pub(crate) letters: u64,
    pub(crate) sums: &'a Sums,
    /// Evidence of the best language.
    pub(crate) evidence: u32,
    pub(crate) trust: Trust,
}

/// How much is known of the languages that compete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The text is in one of them, as the user says.
    Closed,
    /// The best one was taught by the user, who expects it; little may be known of it.
    Taught,
    /// Nothing.
    Known,
}

/// What a language that was taught may fall short of the thresholds by.
const TAUGHT_LESS: f64 = 4.0;

/// Weights of the agreement, the logarithm of the number of letters, and the part of words that are known: the more of
/// them, the more they should agree.
const WEIGHTS: [f64; 3] = [15.02, -2.6, -7.76];

/// Numbers of letters between which they count.
const LETTERS: (f64, f64) = (8.0, 40.0);

/// What the sum must reach: in a script that many languages share there is less agreement.
const THRESHOLDS: [(&str, f64); 6] =
    [("Latn", -11.2), ("Cyrl", -5.7), ("Arab", -4.5), ("Deva", -5.0), ("Hani", -3.4), ("Jpan", -3.4)];
const OTHERWISE: f64 = -2.4;

/// Longer texts hold more that is not of their language: names, quotations, menus.
const LONG: u64 = 200;
const LONG_LESS: f64 = 1.3;

/// Random Latin letters are told by other weights: of the logarithms of the agreement and of the evidence a letter (in
/// natural units), and of the part of words that are known; with what is added to their sum, which is 0 or more for 995
/// of 1,000 texts in a known language.
const NOISE: [f64; 3] = [28.3, -19.9, 12.9];
const NOISE_BOUND: f64 = 23.4;

/// Least part of the ASCII letters that are vowels, `w` and `y` among them, in any language; from so many letters on.
const VOWELS: f64 = 0.12;
const VOWELS_FROM: usize = 40;

/// Latin letters a word that are too few for any language, in texts of some words: variables, hexadecimal numbers.
const SHORT_WORDS: f64 = 2.0;
const SOME_WORDS: u32 = 5;

/// Whether the text is in the language that has the most evidence, or at least in one that is known.
pub(crate) fn is_language(found: &Findings<'_>) -> bool {
    let Findings { script, letters, sums, evidence, trust } = found;
    let is_latin = script.as_str() == "Latn";
    let (letters, words) = (*letters as f64, f64::from(sums.words));
    if sums.words >= SOME_WORDS && letters < SHORT_WORDS * words && is_latin {
        return false;
    }
    let agreement = f64::from(*evidence) / sums.greatest.max(1) as f64;
    let known = f64::from(sums.known) / words.max(1.0);
    if is_latin {
        let a_letter = f64::from(*evidence) / STEPS / letters.max(1.0);
        let features = [libm::log(agreement.max(1e-9)), libm::log(a_letter.max(1e-9)), known];
        let sum: f64 = features.iter().zip(NOISE).map(|(feature, weight)| feature * weight).sum();
        if sum + NOISE_BOUND < 0.0 && *trust != Trust::Closed {
            return false;
        }
    }
    if *trust == Trust::Closed {
        return true;
    }
    let length = libm::log(letters.clamp(LETTERS.0, LETTERS.1));
    let features = [agreement, length, known];
    let sum: f64 = features.iter().zip(WEIGHTS).map(|(feature, weight)| feature * weight).sum();
    let threshold = THRESHOLDS.iter().find(|(code, _)| *code == script.as_str()).map_or(OTHERWISE, |(_, bound)| *bound);
    let less = if found.letters >= LONG { LONG_LESS } else { 0.0 };
    sum >= threshold - less - if *trust == Trust::Taught { TAUGHT_LESS } else { 0.0 }
}

/// Bytes of a text that are looked at to see what it is made of: its whole is read once already.
const LOOKED_AT: usize = 2000;

/// Different characters that a text of so many letters has at least, in any language.
const DIFFERENT: usize = 4;
const DIFFERENT_FROM: u64 = 20;

/// Whether the text is the same few letters again and again.
pub(crate) fn is_monotonous(text: &str, letters: u64) -> bool {
    let mut seen = [None; DIFFERENT];
    let mut different = 0;
    for c in text[..text.floor_char_boundary(LOOKED_AT)].chars().filter(|c| c.is_alphabetic()) {
        if !seen.contains(&Some(c)) {
            seen[different] = Some(c);
            different += 1;
        }
        if different == DIFFERENT {
            return false;
        }
    }
    letters >= DIFFERENT_FROM
}

/// Whether the text is Latin letters without vowels.
pub(crate) fn is_unspeakable(text: &str, script: Script) -> bool {
    if script.as_str() != "Latn" {
        return false;
    }
    let bytes = &text.as_bytes()[..text.len().min(LOOKED_AT)];
    let letters = bytes.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_vowel = |byte: &u8| matches!(byte | 0x20, b'a' | b'e' | b'i' | b'o' | b'u' | b'y' | b'w');
    let vowels = bytes.iter().filter(|byte| byte.is_ascii_alphabetic() && is_vowel(byte)).count();
    letters >= VOWELS_FROM && (vowels as f64) < VOWELS * letters as f64
}

/// What the first byte of a character in UTF-8 is when it is read as an eight-bit code.
const LEADS: &str = "ÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîï";

/// A part of the letters, and of the text, from which it is looked at closely and taken to be garbled.
const GARBLED: f64 = 0.15;

/// Whether the text is UTF-8 that somebody read as an eight-bit code ("Ä\u{8d}", "Ð¿"): letters of [`LEADS`] with a sign
/// behind them that stands behind no letter.
pub(crate) fn is_garbled(text: &str, letters: u64) -> bool {
    if text.is_ascii() || ((text.len() as u64).saturating_sub(letters) as f64) < GARBLED * letters as f64 {
        return false;
    }
    let part = &text[..text.floor_char_boundary(LOOKED_AT)];
    let letters = (letters as f64 * part.len() as f64 / text.len() as f64).max(1.0);
    let mut pairs = 0;
    let mut was_lead = false;
    for c in part.chars() {
        let is_behind = matches!(c, '\u{80}'..='\u{bf}' | 'Œ' | 'œ' | 'Š' | 'š' | 'Ÿ' | 'Ž' | 'ž' | 'ƒ' | 'ˆ' | '˜')
            || matches!(c, '\u{2013}'..='\u{2022}' | '\u{2026}' | '\u{2030}' | '\u{2039}' | '\u{203a}' | '€' | '™');
        pairs += u32::from(was_lead && is_behind);
        was_lead = c >= 'Â' && LEADS.contains(c);
    }
    f64::from(pairs) >= GARBLED * letters
}

/// How fast a language loses probability when its evidence is less than the best one's: by a factor of e for each so
/// many natural units, times the number of words to the power behind. Words of a text depend on each other, so the
/// evidence of many is worth less than their sum.
const UNITS: (f64, f64) = (1.9, 0.45);

/// Probability that is left for what is not among the best: texts that are not in the language they are said to be.
const SUREST: f64 = 0.985;

/// The answer, from the best languages, best first; there is one.
pub(crate) fn answer(script: Script, best: &[(Code, u32)], words: u32) -> Identification {
    let most = best.first().map_or(0, |(_, evidence)| *evidence);
    let unit = UNITS.0 * libm::pow(f64::from(words.max(1)), UNITS.1) * STEPS;
    let weight = |evidence: u32| libm::exp(-f64::from(most - evidence) / unit);
    let sum: f64 = best.iter().map(|(_, evidence)| weight(*evidence)).sum();
    let top: Vec<(Code, f64)> = best.iter().map(|(code, evidence)| (*code, SUREST * weight(*evidence) / sum)).collect();
    let (code, score) = top.first().copied().unwrap_or((Code::UNDETERMINED, 0.0));
    let second = best.get(1).map_or(0, |(_, evidence)| *evidence);
    let margin = 1.0 - f64::from(second) / f64::from(most.max(1));
    Identification { code, script, score, margin, top }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_read_as_latin_1_is_garbled_and_french_is_not() {
        let garble = |text: &str| text.bytes().map(char::from).collect::<String>();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count() as u64;
        for text in ["Москва столица России", "Η Αθήνα είναι η πρωτεύουσα", "हिन्दी भाषा"]
        {
            assert!(is_garbled(&garble(text), letters(&garble(text))), "{text}");
            assert!(!is_garbled(text, letters(text)), "{text}");
        }
        let french = "À l'été, « les élèves » français mangèrent des pâtés où ça leur plaît.";
        assert!(!is_garbled(french, letters(french)));
    }

    #[test]
    fn a_few_letters_again_and_again_are_monotonous() {
        assert!(is_monotonous(&"ab ".repeat(40), 80));
        assert!(!is_monotonous("ha ha", 4) && !is_monotonous("Danes je lep dan, jutri bo dež.", 22));
    }

    #[test]
    fn probabilities_fall_with_the_evidence_and_leave_some_doubt() {
        let best = [("slv", 900), ("hrv", 700), ("ces", 500)].map(|(code, e)| (code.parse().unwrap(), e));
        let found = answer(Script::new("Latn").unwrap(), &best, 4);
        assert!(found.top[0].1 > found.top[1].1 && found.top[1].1 > found.top[2].1);
        assert!(found.top.iter().map(|(_, p)| p).sum::<f64>() <= SUREST + 1e-9);
        assert!((found.margin - 2.0 / 9.0).abs() < 1e-9);
    }
}
