//! Texts typed for a legacy font, which shows another script than the characters have.
//!
//! Before Unicode was common, fonts for Hindi, Nepali and Bengali had their glyphs at the places of
//! Latin letters; the font Zawgyi has those of Burmese at other code points of the Myanmar block,
//! in visual order. Such texts have no words of any language, but may resemble one. The rules are
//! strict, because most texts are in no such font: none of 1,170,000 sentences and paragraphs in
//! Latin script and 14,000 in Myanmar script meets one. Of converted paragraphs of 3 to 5
//! sentences, the rule of Kruti Dev finds 95 %, Preeti 82 %, Bijoy 92 % and Zawgyi 99 %.

use crate::Script;
use std::collections::BTreeSet;
use std::fmt;

/// Bytes of a text that are examined.
const EXAMINED_BYTES: usize = 2000;
/// Minimum number of words of a text in Latin letters that may be in a legacy font.
const MIN_WORDS: usize = 4;
/// Minimum number of distinct words that are evidence.
const MIN_DISTINCT: usize = 3;

/// Maximum number of bytes per odd pair; see [`has_odd_pairs`].
const BYTES_PER_ODD_PAIR: usize = 200;

/// A font with an encoding of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LegacyFont {
    /// Kruti Dev 010 and its relatives, for Hindi.
    KrutiDev,
    /// Preeti, for Nepali.
    Preeti,
    /// SutonnyMJ and other fonts of the keyboard Bijoy, for Bengali.
    Bijoy,
    /// Zawgyi-One, for Burmese.
    Zawgyi,
}

impl fmt::Display for LegacyFont {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl LegacyFont {
    /// The name as a string.
    pub fn as_str(self) -> &'static str {
        match self {
            LegacyFont::KrutiDev => "kruti-dev",
            LegacyFont::Preeti => "preeti",
            LegacyFont::Bijoy => "bijoy",
            LegacyFont::Zawgyi => "zawgyi",
        }
    }

    /// Returns the font for which a text was typed whose letters are in `script`; `None` for most
    /// texts.
    pub(crate) fn detect(text: &str, script: Script) -> Option<LegacyFont> {
        let beginning = &text[..text.floor_char_boundary(EXAMINED_BYTES)];
        match &script.to_bytes() {
            b"Mymr" => is_zawgyi(beginning).then_some(LegacyFont::Zawgyi),
            b"Latn" => detect_latin(beginning),
            _ => None,
        }
    }
}

/// The most frequent words of Hindi in Kruti Dev.
const KRUTI_DEV_WORDS: [&str; 44] = [
    ",d", "D;k", "FkkA", "Fkk", "Fks", "Hkh", "bl", "bldh", "cgqr", "dh", "djus", "dk", "dks",
    "dksbZ", "dqN", "ds", "eSa", "esa", "fd", "fd;k", "fy,", "gS", "gSA", "gSa", "gSaA", "ij",
    "jgk", "jgs", "lkFk", "ls", "mldh", "okys", "og", "rks", "ugha", "us", "vius", "vkSj", "vki",
    "x;k", ";g", ";k", "gks", "tks",
];
/// The most frequent words of Nepali in Preeti.
const PREETI_WORDS: [&str; 31] = [
    "/",
    "5",
    "5.",
    "5g\\",
    "5}g",
    ";Fu",
    "Pp6f",
    "cfkm\\gf]",
    "cfkm\\gf",
    "df",
    "eg]",
    "eof]",
    "eof].",
    "ePsf]",
    "g]kfn",
    "jf",
    "klg",
    "lyof]",
    "lyof].",
    "nfO{",
    "of]",
    "of].",
    "s'g}",
    "sf",
    "sf]",
    "tyf",
    "u/]sf]",
    "ug'{",
    "ug]{",
    "ug{",
    "xf]",
];

/// Detects a font with Indic glyphs at the places of Latin letters.
fn detect_latin(text: &str) -> Option<LegacyFont> {
    if !has_odd_pairs(text.as_bytes()) {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    // The share of the words that are evidence is at least the inverse of `part`.
    let has_share = |part: usize, is_evidence: &dyn Fn(&str) -> bool| {
        let evidence: Vec<&&str> = words.iter().filter(|word| is_evidence(word)).collect();
        words.len() >= MIN_WORDS
            && evidence.len() * part >= words.len()
            && evidence.iter().collect::<BTreeSet<_>>().len() >= MIN_DISTINCT
    };
    let nepali = words.iter().filter(|word| PREETI_WORDS.contains(word));
    if has_share(8, &|word| KRUTI_DEV_WORDS.contains(&word)) {
        Some(LegacyFont::KrutiDev)
    } else if has_share(8, &has_bijoy_vowel) {
        Some(LegacyFont::Bijoy)
    } else if has_share(6, &has_preeti_vowel) && nepali.collect::<BTreeSet<_>>().len() >= 2 {
        Some(LegacyFont::Preeti)
    } else {
        None
    }
}

/// Returns `true` if a text has many pairs of characters that are rare within words: a small letter
/// and a capital, a letter and a bracket, a dagger and a letter. A fast check before words are
/// compared: texts in these fonts have ten times as many.
fn has_odd_pairs(text: &[u8]) -> bool {
    let [one, two] = [1, 2].map(|start| text.get(start..).unwrap_or_default());
    // Without branches, so that the compiler tests several bytes at a time; in 16 bits, since no
    // more than EXAMINED_BYTES are counted.
    let pairs = text.iter().zip(one).map(|(first, second)| {
        let begins_word = first.is_ascii_lowercase() & second.is_ascii_uppercase();
        let is_bracket = (*second == b']') | (*second == b'}') | (*second == b'{');
        u16::from(begins_word | first.is_ascii_alphabetic() & is_bracket)
    });
    // The last two bytes of a dagger: the last alone is also that of "á".
    let daggers = text
        .iter()
        .zip(one)
        .zip(two)
        .map(|((first, second), third)| {
            u16::from((*first == 0x80) & (*second | 1 == 0xA1) & third.is_ascii_alphabetic())
        });
    let found = usize::from(pairs.sum::<u16>() + daggers.sum::<u16>());
    found >= 2 && found * BYTES_PER_ODD_PAIR >= text.len()
}

/// Returns `true` if a word has the vowel e of Bijoy, a dagger before a letter.
fn has_bijoy_vowel(word: &str) -> bool {
    let next = word.split(['†', '‡']).skip(1);
    let is_letter = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '`');
    next.into_iter().any(|rest| rest.starts_with(is_letter))
}

/// Returns `true` if a word has the vowel e of Preeti, a bracket after a letter.
fn has_preeti_vowel(word: &str) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b';' | b'/');
    word.as_bytes()
        .windows(2)
        .any(|pair| pair[1] == b']' && is_letter(&pair[0]))
}

/// Returns `true` if a text in Myanmar script is in Zawgyi.
///
/// There, the vowel e (U+1031) precedes its consonant, as it is written, and U+1039 is the sign
/// that kills a vowel, which is U+103A in Unicode. Unicode uses U+1039 to stack consonants only.
fn is_zawgyi(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    let (mut misplaced, mut placed, mut stackers, mut killers) = (0, 0, 0, 0);
    let mut previous = ' ';
    while let Some(c) = characters.next() {
        match c {
            '\u{1031}' if is_consonant(previous) || is_medial(previous) => placed += 1,
            '\u{1031}' => misplaced += 1,
            '\u{1039}' => {
                stackers += 1;
                misplaced += u32::from(!characters.peek().copied().is_some_and(is_consonant));
            }
            '\u{103A}' => killers += 1,
            _ => {}
        }
        previous = c;
    }
    misplaced > placed && stackers > killers
}

/// Returns `true` for a consonant of any language in Myanmar script.
fn is_consonant(c: char) -> bool {
    matches!(c,
        '\u{1000}'..='\u{1021}' | '\u{103F}' | '\u{1050}' | '\u{1051}' | '\u{105A}'..='\u{105D}'
        | '\u{1061}' | '\u{1065}' | '\u{1066}' | '\u{106E}'..='\u{1070}' | '\u{1075}'..='\u{1081}'
        | '\u{108E}' | '\u{A9E0}'..='\u{A9FE}' | '\u{AA60}'..='\u{AA7A}')
}

/// Returns `true` for a medial consonant, which follows another.
fn is_medial(c: char) -> bool {
    matches!(c, '\u{103B}'..='\u{103E}' | '\u{105E}'..='\u{1060}' | '\u{1082}')
}

#[cfg(test)]
mod tests {
    use crate::{Identifier, LanguageCode, LegacyFont};

    #[track_caller]
    fn assert_font(text: &str, expected: Option<LegacyFont>) {
        let identification = Identifier::builtin().identify(text);
        assert_eq!(identification.font, expected, "{text}");
        let is_undetermined = identification.code == LanguageCode::UNDETERMINED;
        assert!(expected.is_none() || is_undetermined, "{text}");
    }

    #[test]
    fn texts_for_legacy_fonts_are_no_language() {
        for (text, font) in [
            (
                "eSa ,d Hkkjrh; ukxfjd gwa vkSj eq>s vius ns”k ij xoZ gSA ;g gekjs fy, cgqr egRoiw.kZ gS",
                LegacyFont::KrutiDev,
            ),
            (
                "Hkkjr ds yksx ?kj esa jgrs gSaA ml dks D;k pkfg, Fkk\\",
                LegacyFont::KrutiDev,
            ),
            (
                "g]kfn /fHosf] /fhwfgL sf7df8f}+ xf] . d of] lstfa k9g rfxG5' . pgn] eg] klg sfd ug{ kg]{ 5 .",
                LegacyFont::Preeti,
            ),
            (
                "Avwg evsjv‡`‡k _vwK| †m Avgvi fvB| Avwg cÖwZw`b ¯‹z‡j hvB Ges evsjv cwo| Zviv †Kv_vq †M‡Q?",
                LegacyFont::Bijoy,
            ),
            (
                "ျမန္မာႏိုင္ငံသည္ အေရွ႕ေတာင္အာရွတြင္ တည္ရွိေသာ ႏိုင္ငံတစ္ခု ျဖစ္သည္။",
                LegacyFont::Zawgyi,
            ),
            ("ကၽြန္ေတာ္ ေက်ာင္းသြားသည္။", LegacyFont::Zawgyi),
        ] {
            assert_font(text, Some(font));
        }
    }

    #[test]
    fn other_texts_are_in_no_legacy_font() {
        for text in [
            "မြန်မာနိုင်ငံသည် အရှေ့တောင်အာရှတွင် တည်ရှိသော နိုင်ငံတစ်ခု ဖြစ်သည်။ ကျွန်တော် ကျောင်းသွားသည်။",
            "The array a[i] is sorted, and b[j] as well; see [1], [2] and the notes [a], [b] at the end of it.",
            "Johann Meier †1890, his wife Anna †1901 and their son Karl †1945 are buried in this village.",
            "Danes je lep dan, zato bomo šli na sprehod do jezera; vzemi dežnik, če bo dež.",
            "मैं एक भारतीय नागरिक हूं और मुझे अपने देश पर गर्व है।",
        ] {
            assert_font(text, None);
        }
    }
}
