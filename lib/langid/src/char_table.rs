//! Character properties for word segmentation: the class of a character, its lower case and script.
//!
//! The Unicode tables are searched once per character. Results for the Basic Multilingual Plane are
//! cached in an array that initially consists of untouched zero pages, so that unused entries take
//! no memory and a repeated look-up is one load.

use crate::script::Script;
use forage_text::is_armenian_mark;
use unicode_normalization::char::is_combining_mark;
use unicode_script::UnicodeScript;

/// The role of a character in word segmentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CharClass {
    /// Part of a word; may begin one.
    Letter,
    /// Combining mark: part of a word, but cannot begin one.
    Mark,
    /// Part of a word between two letters, as in "don't".
    Apostrophe,
    /// Skipped without ending a word: soft hyphen, joiners, tatweel, Armenian marks.
    Ignored,
    /// Ends a word.
    Separator,
    /// Ends a word, and may begin an HTML entity.
    Ampersand,
}

/// The properties of a character, packed in 32 bits: lower case (21), index of the script (8),
/// class (3).
#[derive(Debug, Clone, Copy)]
pub(crate) struct CharInfo(u32);

const SCRIPT_SHIFT: u32 = 21;
const CLASS_SHIFT: u32 = 29;

/// The class number of [`CharClass::Separator`].
const SEPARATOR: u32 = 5;

/// Number of scripts that the 8 bits of [`CharInfo`] can index; Unicode has more than 170.
const MAX_SCRIPTS: usize = 1 << (CLASS_SHIFT - SCRIPT_SHIFT);

impl CharInfo {
    /// The code point that represents the character in n-grams.
    pub(crate) fn lower(self) -> u32 {
        self.0 & 0x1f_ffff
    }

    /// Index of the script, as in [`CharTable::script`].
    pub(crate) fn script(self) -> usize {
        self.0 as usize >> SCRIPT_SHIFT & (MAX_SCRIPTS - 1)
    }

    #[inline]
    pub(crate) fn has_same_class_and_script(self, other: CharInfo) -> bool {
        (self.0 ^ other.0) >> SCRIPT_SHIFT == 0
    }

    #[inline]
    pub(crate) fn is_separator(self) -> bool {
        self.0 >> CLASS_SHIFT == SEPARATOR
    }

    #[inline]
    pub(crate) fn class(self) -> CharClass {
        match self.0 >> CLASS_SHIFT {
            1 => CharClass::Letter,
            2 => CharClass::Mark,
            3 => CharClass::Apostrophe,
            4 => CharClass::Ignored,
            6 => CharClass::Ampersand,
            _ => CharClass::Separator,
        }
    }
}

/// A cache of the properties of all characters seen so far, in any text.
///
/// It has room for every script. Otherwise the result for a text would depend on the texts before
/// it.
#[derive(Debug)]
pub(crate) struct CharTable {
    /// Packed [`CharInfo`] by code point of the Basic Multilingual Plane; 0 where not computed yet.
    basic_plane: Vec<u32>,
    scripts: Vec<Script>,
}

impl Default for CharTable {
    fn default() -> Self {
        Self {
            basic_plane: vec![0; 0x1_0000],
            scripts: vec![Script::COMMON],
        }
    }
}

impl CharTable {
    /// Returns the properties of `c`.
    #[inline]
    pub(crate) fn look_up(&mut self, c: char) -> CharInfo {
        match self.basic_plane.get(c as usize) {
            Some(0) => self.classify_and_cache(c),
            Some(&cached) => CharInfo(cached),
            None => self.classify(c),
        }
    }

    /// Returns the properties of `c` if they are cached; otherwise, those of no class.
    #[inline]
    pub(crate) fn look_up_cached(&self, c: char) -> CharInfo {
        CharInfo(self.basic_plane.get(c as usize).copied().unwrap_or(0))
    }

    /// Returns `true` if one word may have letters of both scripts: Han, hiragana and katakana.
    pub(crate) fn may_share_word(&self, one: usize, other: usize) -> bool {
        let is_japanese = |index| Script::JAPANESE.includes(self.script(index));
        is_japanese(one) && is_japanese(other)
    }

    /// Returns `true` if an apostrophe between letters of the script is a quotation mark: in
    /// scripts that are written without blanks.
    pub(crate) fn has_quotes_between_letters(&self, script: usize) -> bool {
        self.script(script).has_no_blanks()
    }

    /// Returns the script with this index; index 0 is [`Script::COMMON`].
    pub(crate) fn script(&self, index: usize) -> Script {
        self.scripts.get(index).copied().unwrap_or(Script::COMMON)
    }

    #[cold]
    fn classify_and_cache(&mut self, c: char) -> CharInfo {
        let info = self.classify(c);
        if let Some(cached) = self.basic_plane.get_mut(c as usize) {
            *cached = info.0;
        }
        info
    }

    fn classify(&mut self, c: char) -> CharInfo {
        let (class, lower) = match c {
            '\'' | '\u{2019}' | '\u{02bc}' | '\u{ff07}' | '\u{55a}' => (3, '\''),
            // Acute accent and prime, typed for an apostrophe.
            '\u{b4}' | '\u{2032}' => (3, '\''),
            // The turned comma, and the grave accent that is typed for it.
            '\u{2018}' | '`' => (3, '\u{02bb}'),
            '&' => (6, c),
            '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{640}' => (4, c),
            _ if is_armenian_mark(c) => (4, c),
            _ if is_combining_mark(c) => (2, c),
            // Only U+0130 has a lower case of several characters; its first one is sufficient.
            _ if c.is_alphabetic() => (1, c.to_lowercase().next().unwrap_or(c)),
            _ => (SEPARATOR, c),
        };
        let script = match class {
            1 => self.index_of(Script::from_unicode(c.script())),
            _ => 0,
        };
        CharInfo(lower as u32 | script << SCRIPT_SHIFT | class << CLASS_SHIFT)
    }

    fn index_of(&mut self, script: Script) -> u32 {
        let index = self
            .scripts
            .iter()
            .position(|s| *s == script)
            .unwrap_or_else(|| {
                self.scripts.push(script);
                self.scripts.len() - 1
            });
        // If a later Unicode version has more scripts, a test fails.
        if index < MAX_SCRIPTS { index as u32 } else { 0 }
    }
}

/// Returns `true` for marks that may be optional; [`forage_text::remove_optional_marks`] decides.
pub(crate) fn may_be_optional_mark(c: char) -> bool {
    forage_text::is_optional_mark(c) || matches!(c, '\u{300}' | '\u{301}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_lower_cased_and_have_a_script() {
        let mut table = CharTable::default();
        let info = table.look_up('Č');
        assert_eq!(
            (info.class(), info.lower()),
            (CharClass::Letter, 'č' as u32)
        );
        assert_eq!(table.script(info.script()), Script::new("Latn").unwrap());
        let again = table.look_up('Č');
        assert_eq!(again.lower(), 'č' as u32);
    }

    #[test]
    fn digits_and_punctuation_are_separators() {
        let mut table = CharTable::default();
        for c in ['7', ',', ' ', '\n', '_', '😀', '\0'] {
            assert_eq!(table.look_up(c).class(), CharClass::Separator, "{c:?}");
        }
    }

    #[test]
    fn all_scripts_of_unicode_are_distinguished() {
        let mut table = CharTable::default();
        for c in '\0'..=char::MAX {
            let info = table.look_up(c);
            let expected = if info.class() == CharClass::Letter {
                Script::from_unicode(c.script())
            } else {
                Script::COMMON
            };
            assert_eq!(table.script(info.script()), expected, "{c:?}");
            assert_eq!(
                (table.look_up(c).class(), table.look_up(c).lower()),
                (info.class(), info.lower())
            );
        }
    }

    #[test]
    fn letters_beyond_the_basic_plane_are_lower_cased() {
        assert_eq!(CharTable::default().look_up('𐐀').lower(), '𐐨' as u32);
    }
}
