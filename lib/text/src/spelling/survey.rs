//! A survey of the letters of a text, which show its language and its typing: how many it has of
//! each class, and if letters of several scripts are beside each other.

use super::lookalikes::AlikeScript;
use super::sequences::is_irregular_at;
use crate::char_cache::CharCache;
use std::ops::Range;

/// A class of characters on which a rule of spelling depends. A character is in one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum LetterClass {
    /// No rule depends on it.
    Plain = 1,
    /// A ligature, presentation form or compatibility form of letters, or an Armenian mark.
    Form,
    /// A Latin letter beyond ASCII.
    Latin,
    /// ă, which no alphabet with ş but that of Romanian has.
    Romanian,
    /// ş, ţ.
    Cedilla,
    /// ș, ț.
    CommaBelow,
    /// A letter of alphabets with ş, other than that of Romanian.
    Turkic,
    /// ı.
    Dotless,
    /// Ð, ð, Ɖ.
    Eth,
    /// þ and æ, of the alphabets with ð.
    Icelandic,
    /// A letter of alphabets with đ.
    Stroke,
    /// ӱ of Cyrillic alphabets, and ÿ, which is typed for it and for Chuvash ӳ.
    UmlautU,
    /// A sign or letter that is written for another in Latin script.
    LatinVariant,
    Cyrillic,
    /// і, ¦ and ǀ, which are typed for the palochka.
    PalochkaSign,
    /// The palochka.
    Palochka,
    /// ҧ, ҩ, ҵ, of Abkhaz.
    Abkhaz,
    /// ӑ, ӗ, ҫ, of Chuvash.
    Chuvash,
    /// ӓ, ӧ, ҥ, of alphabets with ӱ.
    UralAltaic,
    Greek,
    /// A Greek letter with a mark of the orthography before 1982.
    Polytonic,
    /// ك, ي, ى.
    ArabicKafYeh,
    /// ک, ی.
    PersianKafYeh,
    /// A letter that only Arabic has many of.
    Arabic,
    /// A letter of Persian that Arabic lacks.
    Persian,
    /// ێ, ڵ, ڕ, of Sorani.
    Sorani,
    /// ہ, ے, ں, ٹ, ڑ, of Urdu.
    Urdu,
    /// A letter of an alphabet in which ك and ک, or ي and ی, are two letters.
    ArabicWithTwo,
    /// ه.
    Heh,
    /// A letter or sign of an Indic or South-East Asian script that may begin, or end, a sequence
    /// of [`is_irregular_at`].
    Sequence,
}

/// Number of classes, and one more.
const CLASSES: usize = LetterClass::Sequence as usize + 1;

/// [`LetterClass`] of characters, and above it 1 more than their [`AlikeScript`], or 0.
static CLASS_OF: CharCache = CharCache::new();

/// Number of bits of a [`LetterClass`].
const CLASS_BITS: u32 = 5;

const _: () = assert!(CLASSES <= 1 << CLASS_BITS);

/// The number of characters of each class in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Survey {
    counts: [u32; CLASSES],
    /// A bit for each class.
    present: u32,
    /// Letters of two scripts are beside each other, or have only marks and signs beyond ASCII
    /// between them.
    pub may_have_mixed_words: bool,
}

/// The classes of which it matters only if the text has one, as bits.
const UNCOUNTED: u32 = 1 << LetterClass::Plain as u32
    | 1 << LetterClass::Latin as u32
    | 1 << LetterClass::Cyrillic as u32
    | 1 << LetterClass::PalochkaSign as u32
    | 1 << LetterClass::Greek as u32
    | 1 << LetterClass::Heh as u32
    | 1 << LetterClass::ArabicKafYeh as u32
    | 1 << LetterClass::PersianKafYeh as u32;

impl Survey {
    /// Counts the characters of `text`; ASCII counts as nothing. Runs in O(`text.len()`).
    pub fn of_text(text: &str) -> Survey {
        let mut counts = [0_u32; CLASSES];
        let mut present = 0_u32;
        let mut neighbours = Neighbours::default();
        let (words, rest) = text.as_bytes().as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        for (index, word) in words.iter().chain([&last]).enumerate() {
            // The bytes that begin a character beyond ASCII: their two high bits are set.
            let word = u64::from_le_bytes(*word);
            let mut first_bytes = word & (word << 1) & 0x8080_8080_8080_8080;
            while first_bytes != 0 {
                let at = 8 * index + first_bytes.trailing_zeros() as usize / 8;
                first_bytes &= first_bytes - 1;
                let Some(c) = text[at..].chars().next() else {
                    break;
                };
                let value = CLASS_OF.look_up(c, find_class_and_script);
                let class = value & ((1 << CLASS_BITS) - 1);
                neighbours.add(text.as_bytes(), at..at + c.len_utf8(), value >> CLASS_BITS);
                if class == LetterClass::Sequence as u8 && !is_irregular_at(text, at) {
                    continue;
                }
                present |= 1 << class;
                // Only of the rare ones: the same counter for each letter would wait for itself.
                if UNCOUNTED & 1 << class == 0 {
                    counts[class as usize] += 1;
                }
            }
        }
        Survey {
            counts,
            present,
            may_have_mixed_words: neighbours.differ,
        }
    }

    /// Returns the number of characters of `class`.
    pub fn count(&self, class: LetterClass) -> u32 {
        self.counts[class as usize]
    }

    /// Returns the number of characters of several classes.
    pub fn sum(&self, classes: &[LetterClass]) -> u32 {
        let counts = classes.iter().map(|class| self.count(*class));
        counts.fold(0, u32::saturating_add)
    }

    /// Returns `true` if the text has a Cyrillic letter, or a sign for one.
    pub fn has_cyrillic(&self) -> bool {
        (LetterClass::Cyrillic as usize..=LetterClass::UralAltaic as usize)
            .any(|class| self.present >> class & 1 == 1)
    }

    /// Returns `true` if the text has a character of `class`.
    pub fn has(&self, class: LetterClass) -> bool {
        self.present >> class as u32 & 1 == 1
    }
}

/// The scripts of letters that are beside each other, as in [`CLASS_OF`].
#[derive(Default)]
struct Neighbours {
    /// The script of the last letters before `end`.
    script: u8,
    /// The end of the last character beyond ASCII.
    end: usize,
    differ: bool,
}

impl Neighbours {
    /// Adds the character beyond ASCII at a place of a text, of a script or of none.
    #[inline]
    fn add(&mut self, text: &[u8], place: Range<usize>, script: u8) {
        const LATIN: u8 = AlikeScript::Latin as u8 + 1;
        let is_ascii_letter = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphabetic);
        if place.start != self.end {
            let is_after_letter = is_ascii_letter(place.start.wrapping_sub(1));
            self.script = if is_after_letter { LATIN } else { 0 };
        }
        if script != 0 {
            self.differ |= self.script != 0 && self.script != script;
            self.script = script;
        }
        self.end = place.end;
        self.differ |= self.script > LATIN && is_ascii_letter(self.end);
    }
}

/// The letters of classes, besides those of [`RANGES`].
const LETTERS: [(LetterClass, &str); 22] = [
    (LetterClass::Romanian, "ăĂ"),
    (LetterClass::Cedilla, "şŞţŢ"),
    (LetterClass::CommaBelow, "șȘțȚ"),
    (LetterClass::Turkic, "ğĞüÜöÖçÇəƏêÊñÑňýžİ"),
    (LetterClass::Dotless, "ı"),
    (LetterClass::Eth, "ðÐƉ"),
    (LetterClass::Icelandic, "þÞæÆ"),
    (LetterClass::Stroke, "ơƠưƯčČćĆšŠ"),
    (LetterClass::UmlautU, "ӱӰÿŸ"),
    (LetterClass::LatinVariant, "ǝƎͻϽ\u{326}\u{329}"),
    (LetterClass::PalochkaSign, "іІ¦ǀ"),
    (LetterClass::Palochka, "Ӏӏ"),
    (LetterClass::Abkhaz, "ҧҦҩҨҵҴ"),
    (LetterClass::Chuvash, "ӑӐӗӖҫҪ"),
    (LetterClass::UralAltaic, "ӓӒӧӦҥҤ"),
    (LetterClass::ArabicKafYeh, "كيى"),
    (LetterClass::PersianKafYeh, "کی"),
    (LetterClass::Arabic, "ةأإ"),
    (LetterClass::Persian, "پچژگ"),
    (LetterClass::Sorani, "ێڵڕ"),
    (LetterClass::Urdu, "ہےںٹڑ"),
    // Pashto, Uyghur and Kazakh, Sindhi.
    (LetterClass::ArabicWithTwo, "ټځڅډړږښڼۍېۇۈۋڪڳٺڻڏ"),
];

/// The first and last letters of ranges of a class.
const RANGES: [(LetterClass, &str); 7] = [
    (LetterClass::Stroke, "\u{1ea0}\u{1ef9}"),
    (LetterClass::Latin, "\u{c0}\u{2af}\u{1e00}\u{1eff}"),
    (LetterClass::Cyrillic, "\u{400}\u{52f}"),
    (
        LetterClass::Polytonic,
        "\u{1f00}\u{1fff}\u{313}\u{314}\u{342}\u{342}\u{345}\u{345}",
    ),
    (LetterClass::Greek, "\u{370}\u{3ff}"),
    (LetterClass::Heh, "ههھھ"),
    (
        LetterClass::Sequence,
        "अऔঅঅঋঌৎৎਅਅੲੳઅઆૅૅଅଅଏଏଓଓఒఒ\u{c55}\u{c55}ಉಒഇഒൻൻඅඔ\u{200d}\u{200d}\
         \u{654}\u{654}\u{e31}\u{e31}\u{e33}\u{e3a}เเ\u{e47}\u{e4e}ຫຫ\u{eb1}\u{eb1}\u{eb3}\u{ebd}\u{ec8}\u{ecd}\
         \u{1780}\u{17d3}\u{1000}\u{104f}",
    ),
];

#[cold]
fn find_class_and_script(c: char) -> u8 {
    let is_in = |ranges: &str| {
        let ends: Vec<char> = ranges.chars().collect();
        ends.chunks_exact(2)
            .any(|ends| (ends[0]..=ends[1]).contains(&c))
    };
    let letters = LETTERS.iter().find(|(_, letters)| letters.contains(c));
    let class = letters.or_else(|| RANGES.iter().find(|(_, ranges)| is_in(ranges)));
    let class = class.map_or(LetterClass::Plain, |(class, _)| *class);
    let class = if is_form(c) { LetterClass::Form } else { class };
    let script = AlikeScript::of_letter(c).map_or(0, |script| script as u8 + 1);
    class as u8 | script << CLASS_BITS
}

/// Returns `true` for the forms of letters that [`super::Spelling::read`] replaces by the letters:
/// ligatures (ﬁ, ĳ, ǆ, և, װ), full-width, half-width and mathematical ones, the contextual forms of
/// Arabic (ﻛ, ﷺ), wide and pointed Hebrew letters, the radicals of Han; and the Armenian marks
/// inside words, which are letters by UAX 29.
pub(super) fn is_form(c: char) -> bool {
    matches!(c,
        'ĳ' | 'Ĳ' | 'ŀ' | 'Ŀ' | 'ŉ' | 'ſ' | '\u{1c4}'..='\u{1cc}' | '\u{1f1}'..='\u{1f3}'
        | '\u{55a}'..='\u{55f}' | '\u{587}' | '\u{5f0}'..='\u{5f2}' | '\u{210a}'..='\u{2113}'
        | '\u{212c}'..='\u{212d}' | '\u{212f}'..='\u{2131}' | '\u{2133}' | '\u{2134}' | '\u{2f00}'..='\u{2fd5}' | '\u{fb00}'..='\u{fdff}'
        | '\u{fe70}'..='\u{fefc}' | '\u{ff10}'..='\u{ff19}' | '\u{ff21}'..='\u{ff3a}'
        | '\u{ff41}'..='\u{ff5a}' | '\u{ff66}'..='\u{ffdc}' | '\u{1d400}'..='\u{1d7ff}')
}

#[cfg(test)]
mod tests {
    use super::{LetterClass, Survey};

    #[test]
    fn letters_are_counted_by_class() {
        let survey = Survey::of_text("Mașina și şi are un ă, ﬁ — 12");
        for (class, count) in [
            (LetterClass::CommaBelow, 2),
            (LetterClass::Cedilla, 1),
            (LetterClass::Romanian, 1),
            (LetterClass::Form, 1),
            (LetterClass::Cyrillic, 0),
        ] {
            assert_eq!(survey.count(class), count, "{class:?}");
        }
    }
}
