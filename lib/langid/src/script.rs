//! Scripts by their ISO 15924 codes, and the script of a text: that of most of its letters.

use std::fmt;

/// A script, by its four-letter ISO 15924 code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Script([u8; 4]);

/// Minimum share of kana among the Han and kana letters of a Japanese text. In running Japanese
/// text half of these letters are kana, in Chinese text only quotations have any. Set by judgement,
/// not measured.
const KANA_SHARE: f64 = 0.1;

impl Script {
    /// No script: a text has no letters, or only letters that scripts share.
    pub const COMMON: Self = Self(*b"Zyyy");
    /// The Latin script.
    pub const LATIN: Self = Self(*b"Latn");
    /// Han characters.
    pub const HAN: Self = Self(*b"Hani");
    /// Han with hiragana and katakana.
    pub const JAPANESE: Self = Self(*b"Jpan");
    const HIRAGANA: Self = Self(*b"Hira");
    const KATAKANA: Self = Self(*b"Kana");

    /// Returns the script with this code, or `None` if `code` is not one upper-case and three
    /// lower-case ASCII letters.
    pub fn new(code: &str) -> Option<Self> {
        let bytes: [u8; 4] = code.as_bytes().try_into().ok()?;
        let [first, rest @ ..] = bytes;
        (first.is_ascii_uppercase() && rest.iter().all(u8::is_ascii_lowercase))
            .then_some(Self(bytes))
    }

    /// The code as a string.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("Zyyy")
    }

    pub(crate) fn from_unicode(script: unicode_script::Script) -> Self {
        match script {
            unicode_script::Script::Common | unicode_script::Script::Inherited => Self::COMMON,
            other => Self::new(other.short_name()).unwrap_or(Self::COMMON),
        }
    }

    pub(crate) fn to_bytes(self) -> [u8; 4] {
        self.0
    }

    /// Returns `true` for scripts that are written without blanks between words.
    pub(crate) fn has_no_blanks(self) -> bool {
        const SCRIPTS: [[u8; 4]; 9] = [
            *b"Hani", *b"Hira", *b"Kana", *b"Jpan", *b"Bopo", *b"Thai", *b"Laoo", *b"Khmr",
            *b"Mymr",
        ];
        SCRIPTS.contains(&self.0)
    }

    /// Returns `true` if words in the script `part` belong to a text in this script.
    pub(crate) fn includes(self, part: Self) -> bool {
        self == part
            || self == Self::JAPANESE && [Self::HAN, Self::HIRAGANA, Self::KATAKANA].contains(&part)
    }

    /// Returns `true` if one text may be in either script: equal scripts, or Han with and without
    /// kana.
    pub(crate) fn is_compatible_with(self, other: Self) -> bool {
        self == other
            || [self, other]
                .iter()
                .all(|script| [Self::HAN, Self::JAPANESE].contains(script))
    }

    /// Returns the script of a text, given the number of its letters in each script.
    ///
    /// The majority wins; ties go to the code that sorts first. Han, hiragana and katakana count
    /// together and are `Jpan`, or `Hani` if less than a tenth of them are kana. Letters that
    /// scripts share do not count.
    pub(crate) fn from_majority(letters: impl IntoIterator<Item = (Self, u64)>) -> Self {
        let mut han = 0;
        let mut kana = 0;
        let mut best = (0, Self::COMMON);
        for (script, count) in letters {
            match script {
                Self::COMMON => {}
                // A script of an earlier text.
                _ if count == 0 => {}
                Self::HAN => han = count.saturating_add(han),
                Self::HIRAGANA | Self::KATAKANA => kana = count.saturating_add(kana),
                _ if count > best.0 || count == best.0 && script < best.1 => best = (count, script),
                _ => {}
            }
        }
        let both = u64::saturating_add(han, kana);
        if both <= best.0 {
            best.1
        } else if kana as f64 >= KANA_SHARE * both as f64 {
            Self::JAPANESE
        } else {
            Self::HAN
        }
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn majority(letters: &[(&str, u64)]) -> String {
        Script::from_majority(
            letters
                .iter()
                .map(|(code, n)| (Script::new(code).unwrap(), *n)),
        )
        .to_string()
    }

    #[test]
    fn the_script_of_most_letters_wins() {
        assert_eq!(majority(&[("Latn", 4), ("Cyrl", 5)]), "Cyrl");
        assert_eq!(majority(&[]), "Zyyy");
        assert_eq!(majority(&[("Cyrl", 0)]), "Zyyy");
        assert_eq!(
            majority(&[("Latn", 4), ("Cyrl", 4)]),
            majority(&[("Cyrl", 4), ("Latn", 4)])
        );
    }

    #[test]
    fn han_with_enough_kana_is_japanese() {
        assert_eq!(
            majority(&[("Hani", 50), ("Hira", 45), ("Kana", 5), ("Latn", 60)]),
            "Jpan"
        );
        assert_eq!(majority(&[("Hani", 99), ("Kana", 1)]), "Hani");
    }

    #[test]
    fn rejects_invalid_codes() {
        assert_eq!(Script::new("latn"), None);
        assert_eq!(Script::new("Latin"), None);
    }
}
