//! What a character is to the identifier: a letter with its lower case and script, a mark, an
//! apostrophe, or a border.
//!
//! The Unicode tables are searched once a character: the answers for the basic plane are kept in an
//! array that starts as untouched zero pages, so that it costs nothing before it is used and one
//! load afterwards.

use crate::script::Script;
use unicode_normalization::char::{decompose_compatible, is_combining_mark};
use unicode_script::UnicodeScript;

/// How a character takes part in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Part of a word, and may begin one.
    Letter,
    /// Part of a word (combining marks), but can't begin one.
    Mark,
    /// Part of a word between two letters, as in "don't".
    Apostrophe,
    /// Not seen at all: soft hyphen, joiners.
    Ignored,
    /// Ends a word.
    Border,
    /// Ends a word, and may begin what is passed over or show that the word did: colon, full stop,
    /// `@`, `&`.
    Opening,
}

/// All that is known of a character, packed in 32 bits: lower case (21), script (8), kind (3).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sign(u32);

const SCRIPT_SHIFT: u32 = 21;
const KIND_SHIFT: u32 = 29;

/// Scripts that a sign can name; Unicode has 170 and some.
const MOST_SCRIPTS: usize = 1 << (KIND_SHIFT - SCRIPT_SHIFT);

impl Sign {
    /// The code point that stands for the character in n-grams.
    pub(crate) fn lower(self) -> u32 {
        self.0 & 0x1f_ffff
    }

    /// Index of the script in [`Alphabet::script`].
    pub(crate) fn script(self) -> usize {
        self.0 as usize >> SCRIPT_SHIFT & (MOST_SCRIPTS - 1)
    }

    #[inline]
    pub(crate) fn is_like(self, other: Sign) -> bool {
        (self.0 ^ other.0) >> SCRIPT_SHIFT == 0
    }

    #[inline]
    pub(crate) fn kind(self) -> Kind {
        match self.0 >> KIND_SHIFT {
            1 => Kind::Letter,
            2 => Kind::Mark,
            3 => Kind::Apostrophe,
            4 => Kind::Ignored,
            6 => Kind::Opening,
            _ => Kind::Border,
        }
    }
}

/// The characters met so far, in all texts: so there must be room for all scripts, or what a text
/// is would depend on those before it.
#[derive(Debug)]
pub(crate) struct Alphabet {
    basic: Vec<u32>,
    scripts: Vec<Script>,
}

impl Default for Alphabet {
    fn default() -> Self {
        Self {
            basic: vec![0; 0x1_0000],
            scripts: vec![Script::COMMON],
        }
    }
}

impl Alphabet {
    /// What `c` is.
    #[inline]
    pub(crate) fn sign(&mut self, c: char) -> Sign {
        match self.basic.get(c as usize) {
            Some(0) => self.learn(c),
            Some(&known) => Sign(known),
            None => self.look_up(c),
        }
    }

    /// Whether a word may have letters of both scripts: Han, hiragana and katakana.
    pub(crate) fn are_one(&self, one: usize, other: usize) -> bool {
        [one, other]
            .iter()
            .all(|index| Script::JAPANESE.includes(self.script(*index)))
    }

    /// The script with this index; index 0 is [`Script::COMMON`].
    pub(crate) fn script(&self, index: usize) -> Script {
        self.scripts.get(index).copied().unwrap_or(Script::COMMON)
    }

    #[cold]
    fn learn(&mut self, c: char) -> Sign {
        let sign = self.look_up(c);
        if let Some(place) = self.basic.get_mut(c as usize) {
            *place = sign.0;
        }
        sign
    }

    fn look_up(&mut self, c: char) -> Sign {
        let c = plain(c);
        let (kind, lower) = match c {
            '\'' | '\u{2019}' | '\u{02bc}' => (3, '\''),
            ':' | '.' | '@' | '&' => (6, c),
            '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' => (4, c),
            _ if is_combining_mark(c) => (2, c),
            // Where the lower case is several characters (only U+0130), the first one says enough.
            _ if c.is_alphabetic() => (1, c.to_lowercase().next().unwrap_or(c)),
            _ => (5, c),
        };
        let script = if kind == 1 {
            self.index_of(Script::of(c.script()))
        } else {
            0
        };
        Sign(lower as u32 | script << SCRIPT_SHIFT | kind << KIND_SHIFT)
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
        // A later Unicode may have more; a test says so then.
        if index < MOST_SCRIPTS {
            index as u32
        } else {
            0
        }
    }
}

/// The letter that a full-width or mathematical one is a form of; of any other character, itself.
/// All that normal form KC makes alike would be more than letters, and another text for the scripts
/// that have presentation forms.
fn plain(c: char) -> char {
    let mut plain = c;
    if matches!(c, '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7cb}') {
        decompose_compatible(c, |letter| plain = letter);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_lower_cased_and_have_a_script() {
        let mut alphabet = Alphabet::default();
        let sign = alphabet.sign('Č');
        assert_eq!((sign.kind(), sign.lower()), (Kind::Letter, 'č' as u32));
        assert_eq!(alphabet.script(sign.script()), Script::new("Latn").unwrap());
        let again = alphabet.sign('Č');
        assert_eq!(again.lower(), 'č' as u32);
    }

    #[test]
    fn digits_and_punctuation_are_borders() {
        let mut alphabet = Alphabet::default();
        for c in ['7', ',', ' ', '\n', '_', '😀', '\0'] {
            assert_eq!(alphabet.sign(c).kind(), Kind::Border, "{c:?}");
        }
    }

    #[test]
    fn all_scripts_of_unicode_are_told_apart() {
        let mut alphabet = Alphabet::default();
        for c in '\0'..=char::MAX {
            let sign = alphabet.sign(c);
            let expected = if sign.kind() == Kind::Letter {
                Script::of(plain(c).script())
            } else {
                Script::COMMON
            };
            assert_eq!(alphabet.script(sign.script()), expected, "{c:?}");
            assert_eq!(
                (alphabet.sign(c).kind(), alphabet.sign(c).lower()),
                (sign.kind(), sign.lower())
            );
        }
    }

    #[test]
    fn full_width_and_mathematical_letters_are_plain_ones() {
        let mut alphabet = Alphabet::default();
        for (c, letter) in [('Ａ', 'a'), ('ｚ', 'z'), ('𝐁', 'b'), ('𝖝', 'x'), ('𝛀', 'ω')]
        {
            let (sign, expected) = (alphabet.sign(c), alphabet.sign(letter));
            assert_eq!((sign.kind(), sign.lower()), (Kind::Letter, letter as u32));
            assert!(sign.is_like(expected), "{c}");
        }
        assert_eq!(alphabet.sign('！').kind(), Kind::Border);
    }

    #[test]
    fn letters_beyond_the_basic_plane_are_letters() {
        assert_eq!(Alphabet::default().sign('𐐀').lower(), '𐐨' as u32);
    }
}
