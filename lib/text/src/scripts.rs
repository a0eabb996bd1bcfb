//! How words are delimited, script by script.
//!
//! [`SCRIPTS`] is the table of rules. A script that is not in it has words between blanks and
//! punctuation, by Unicode word boundaries (UAX 29), and no words of one character. To add a rule,
//! add a row, and an example of it to the tests of `segment.rs`
//! (`docs/guide/words.md`, "Add a rule").

use crate::normalise::{max_byte, windows};
use std::ops::RangeInclusive;
use unicode_normalization::char::is_combining_mark;

/// Version of the rules by which text is split into terms.
///
/// State that contains terms (term statistics, an index) records it, because terms of different
/// versions do not match. It increases with each change that can change the terms of a text, such
/// as a new lexicon. Version 1 had Unicode word boundaries only; version 2 had words of addresses,
/// ended words at signs typed for an apostrophe, and kept Armenian marks and Cyrillic stress;
/// version 3 read each letter as it is written, whatever it was typed for.
pub const SEGMENTATION_VERSION: u32 = 5;

/// The way in which the words of a script are delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delimitation {
    /// Words are between blanks, punctuation and marks such as the Tibetan tsheg (UAX 29).
    Blanks,
    /// Words are between blanks and punctuation, but UAX 29 leaves the script to dictionaries and
    /// has a boundary after each letter.
    Runs,
    /// No blanks; the most probable sequence of words of a lexicon.
    Lexicon(LexiconName),
    /// No blanks and no lexicon; each orthographic syllable is a word.
    Syllables,
}

/// A lexicon of `lib/text/lexicon`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LexiconName {
    /// Chinese (simplified and traditional) and Japanese.
    Han,
    Thai,
    Lao,
    Khmer,
    Burmese,
}

/// A script and its rules.
#[derive(Debug)]
pub(crate) struct Script {
    /// ISO 15924 codes of the scripts, for readers.
    #[cfg_attr(not(test), expect(dead_code))]
    pub codes: &'static str,
    /// Letters and marks of the script. Punctuation and digits in these ranges delimit words.
    pub ranges: &'static [RangeInclusive<char>],
    pub delimitation: Delimitation,
}

/// The scripts in which one character is a syllable or a word, so that a word can consist of one
/// character, with the way in which their words are delimited.
pub(crate) const SCRIPTS: &[Script] = &[
    // Letters and marks, without the digits, ฯ, ๆ, ຯ, ໆ, ៗ and other punctuation.
    Script {
        codes: "Thai",
        ranges: &[
            '\u{e01}'..='\u{e2e}',
            '\u{e30}'..='\u{e3a}',
            '\u{e40}'..='\u{e45}',
            '\u{e47}'..='\u{e4e}',
        ],
        delimitation: Delimitation::Lexicon(LexiconName::Thai),
    },
    Script {
        codes: "Laoo",
        ranges: &[
            '\u{e81}'..='\u{eae}',
            '\u{eb0}'..='\u{ec4}',
            '\u{ec8}'..='\u{ece}',
            '\u{edc}'..='\u{edf}',
        ],
        delimitation: Delimitation::Lexicon(LexiconName::Lao),
    },
    Script {
        codes: "Khmr",
        ranges: &['\u{1780}'..='\u{17d3}', '\u{17dc}'..='\u{17dd}'],
        delimitation: Delimitation::Lexicon(LexiconName::Khmer),
    },
    // With the signs ၌ ၍ ၎ ၏, which write words.
    Script {
        codes: "Mymr",
        ranges: &[
            '\u{1000}'..='\u{103f}',
            '\u{104c}'..='\u{104f}',
            '\u{1050}'..='\u{108f}',
            '\u{109a}'..='\u{109d}',
            '\u{a9e0}'..='\u{a9ef}',
            '\u{a9fa}'..='\u{a9fe}',
            '\u{aa60}'..='\u{aa7f}',
        ],
        delimitation: Delimitation::Lexicon(LexiconName::Burmese),
    },
    // With 々, 〆, 〇, the prolonged sound mark and half-width kana.
    Script {
        codes: "Hani Hira Kana",
        ranges: &[
            '\u{3005}'..='\u{3007}',
            '\u{3041}'..='\u{309f}',
            '\u{30a1}'..='\u{30fa}',
            '\u{30fc}'..='\u{30ff}',
            '\u{31f0}'..='\u{31ff}',
            '\u{3400}'..='\u{4dbf}',
            '\u{4e00}'..='\u{9fff}',
            '\u{f900}'..='\u{faff}',
            '\u{ff66}'..='\u{ff9f}',
            '\u{20000}'..='\u{3ffff}',
        ],
        delimitation: Delimitation::Lexicon(LexiconName::Han),
    },
    Script {
        codes: "Tale Talu Lana Ahom",
        ranges: &[
            '\u{1950}'..='\u{1974}',
            '\u{1980}'..='\u{19c9}',
            '\u{1a20}'..='\u{1a7f}',
            '\u{11700}'..='\u{1172b}',
        ],
        delimitation: Delimitation::Syllables,
    },
    Script {
        codes: "Tavt",
        ranges: &['\u{aa80}'..='\u{aadd}'],
        delimitation: Delimitation::Runs,
    },
    Script {
        codes: "Java Bali Bugi Kawi",
        ranges: &[
            '\u{a980}'..='\u{a9c0}',
            '\u{1b00}'..='\u{1b4c}',
            '\u{1a00}'..='\u{1a1b}',
            '\u{11f00}'..='\u{11f42}',
        ],
        delimitation: Delimitation::Syllables,
    },
    Script {
        codes: "Yiii",
        ranges: &['\u{a000}'..='\u{a48c}'],
        delimitation: Delimitation::Syllables,
    },
    Script {
        codes: "Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh",
        ranges: &['\u{900}'..='\u{dff}'],
        delimitation: Delimitation::Blanks,
    },
    // The tsheg (U+0F0B) ends a syllable; syllables are the words of Tibetan and Dzongkha.
    Script {
        codes: "Tibt",
        ranges: &['\u{f00}'..='\u{fff}'],
        delimitation: Delimitation::Blanks,
    },
    Script {
        codes: "Hang",
        ranges: &['\u{ac00}'..='\u{d7a3}'],
        delimitation: Delimitation::Blanks,
    },
    Script {
        codes: "Ethi Cher Cans Tglg Hano Buhd Tagb Limb Sund Batk Lepc Vaii Phag Saur Kali Rjng Cham Mtei",
        ranges: &[
            '\u{1200}'..='\u{139f}',
            '\u{13a0}'..='\u{167f}',
            '\u{1700}'..='\u{177f}',
            '\u{1900}'..='\u{194f}',
            '\u{1b80}'..='\u{1bff}',
            '\u{1c00}'..='\u{1c4f}',
            '\u{2d80}'..='\u{2ddf}',
            '\u{a500}'..='\u{a63f}',
            '\u{a840}'..='\u{a87f}',
            '\u{a880}'..='\u{a95f}',
            '\u{aa00}'..='\u{aa5f}',
            '\u{aae0}'..='\u{aaff}',
            '\u{ab00}'..='\u{ab2f}',
            '\u{ab70}'..='\u{abff}',
        ],
        delimitation: Delimitation::Blanks,
    },
    // Chakma, Meetei Mayek's neighbours and the other Brahmic scripts beyond the BMP.
    Script {
        codes: "Cakm Sora Mahj Shrd Khoj Newa Tirh Sidd Modi Takr Dogr Gong Gonm Gran",
        ranges: &['\u{11000}'..='\u{116ff}', '\u{11800}'..='\u{11eff}'],
        delimitation: Delimitation::Blanks,
    },
];

/// Returns the row of [`SCRIPTS`] that contains `c`.
pub(crate) fn script_of(c: char) -> Option<&'static Script> {
    // Latin, Greek, Cyrillic, Hebrew and Arabic.
    if c < '\u{900}' {
        return None;
    }
    SCRIPTS
        .iter()
        .find(|script| script.ranges.iter().any(|range| range.contains(&c)))
}

/// Returns `true` if a word can consist of `c` alone.
pub(crate) fn is_one_character_word(c: char) -> bool {
    // In Thai and Lao a letter without a vowel is an abbreviation, or part of one, except in the
    // Thai words ณ and ธ; in other scripts a consonant has an inherent vowel.
    let is_part = matches!(c, '\u{e00}'..='\u{eff}') && !matches!(c, 'ณ' | 'ธ');
    c.is_alphabetic() && !is_combining_mark(c) && !is_part && script_of(c).is_some()
}

/// Returns how the words around `c` are delimited.
pub(crate) fn delimitation_of(c: char) -> Delimitation {
    script_of(c).map_or(Delimitation::Blanks, |script| script.delimitation)
}

/// Returns `true` if `c` is a letter or mark of a script without blanks.
pub fn is_unspaced(c: char) -> bool {
    // Blocks between which no such script is: general punctuation, symbols and Hangul.
    c >= '\u{e01}'
        && !matches!(c, '\u{1b4d}'..='\u{3004}' | '\u{ac00}'..='\u{d7ff}')
        && delimitation_of(c) != Delimitation::Blanks
}

/// Returns `true` if `c` is of a script whose words between marks are syllables: Tibetan.
pub(crate) fn has_syllable_words(c: char) -> bool {
    matches!(c, '\u{f00}'..='\u{fff}')
}

/// Returns `true` if `text` contains a letter of a script that is written without blanks between
/// words, such as Thai or Chinese.
pub fn contains_unspaced_script(text: &str) -> bool {
    // No character of such a script has a UTF-8 form that begins with a byte below 0xe0.
    windows(text).any(|window| max_byte(window) >= 0xe0 && window.chars().any(is_unspaced))
}

#[cfg(test)]
mod tests {
    use super::{SCRIPTS, contains_unspaced_script, script_of};

    #[test]
    fn each_character_has_at_most_one_rule() {
        let mut ranges: Vec<_> = SCRIPTS.iter().flat_map(|script| script.ranges).collect();
        ranges.sort_by_key(|range| *range.start());
        for pair in ranges.windows(2) {
            assert!(pair[0].end() < pair[1].start(), "{pair:?}");
        }
        assert!(ranges.iter().all(|range| range.start() <= range.end()));
    }

    #[test]
    fn scripts_without_blanks_are_recognised() {
        for text in [
            "東京",
            "とうきょう",
            "ไทย",
            "ລາວ",
            "ខ្មែរ",
            "မြန်မာ",
            "ꦗꦮ",
            "ꆈꌠ",
            "a 木",
        ] {
            assert!(contains_unspaced_script(text), "{text}");
        }
        for text in [
            "",
            "abc",
            "čaša",
            "“…”",
            "한국어",
            "हिन्दी",
            "བོད་ཡིག",
            "العربية",
            "tiếng Việt",
            "ქართული",
        ] {
            assert!(!contains_unspaced_script(text), "{text}");
        }
    }

    #[test]
    fn script_codes_are_four_letters() {
        for script in SCRIPTS {
            assert!(
                script.codes.split(' ').all(|code| code.len() == 4),
                "{}",
                script.codes
            );
        }
        assert_eq!(script_of('ก').map(|script| script.codes), Some("Thai"));
        assert!(script_of('я').is_none());
    }
}
