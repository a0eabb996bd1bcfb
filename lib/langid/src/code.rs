//! Language codes: ISO 639-3, and the codes that stand for one.
//!
//! Members of a macrolanguage that can't well be told apart stand for the macrolanguage (`prs` for
//! `fas`), except where the members are languages of their own in writing (Norwegian, Malay,
//! Serbo-Croatian, Chinese, Kurdish, Latvian …).

use std::fmt;
use std::str::FromStr;

/// `code<TAB>canonical code`, sorted.
const ALIASES: &str = include_str!("../model/codes.tsv");

/// An ISO 639-3 code in its canonical form: three lower-case ASCII letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanguageCode([u8; 3]);

/// What is not a language code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a language code; give three letters as in ISO 639-3, or two as in ISO 639-1")]
pub struct InvalidCode(pub String);

impl LanguageCode {
    /// The code of texts whose language is not determined.
    pub const UNDETERMINED: Self = Self(*b"und");

    /// The code.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("und")
    }

    pub(crate) fn to_bytes(self) -> [u8; 3] {
        self.0
    }

    /// The code as it stands, without looking for another that it stands for.
    pub(crate) fn plain(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        bytes
            .iter()
            .all(u8::is_ascii_lowercase)
            .then_some(Self(bytes))
    }
}

impl FromStr for LanguageCode {
    type Err = InvalidCode;

    /// Reads an ISO 639-3 or 639-1 code and makes it canonical: `sl`, `SLV` and ` slv` are `slv`,
    /// `fil` is `tgl`.
    fn from_str(written: &str) -> Result<Self, InvalidCode> {
        let lower = written.trim().to_ascii_lowercase();
        let aliases = ALIASES.lines().filter_map(|line| line.split_once('\t'));
        let canonical = aliases
            .filter(|(alias, _)| *alias == lower)
            .map(|(_, code)| code)
            .next();
        Self::plain(canonical.unwrap_or(&lower)).ok_or_else(|| InvalidCode(written.to_owned()))
    }
}

impl fmt::Display for LanguageCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(code: &str) -> String {
        code.parse::<LanguageCode>().unwrap().to_string()
    }

    #[test]
    fn codes_become_canonical() {
        let given = [
            "slv", "SLV", " Sl\n", "sl", "fil", "tl", "prs", "nb", "bik", "sr", "qub",
        ];
        assert_eq!(
            given.map(canonical),
            [
                "slv", "slv", "slv", "slv", "tgl", "tgl", "fas", "nob", "bcl", "srp", "que"
            ]
        );
    }

    #[test]
    fn canonical_codes_stand_for_themselves() {
        for (_, code) in ALIASES
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .filter(|(a, _)| !a.starts_with('#'))
        {
            assert_eq!(canonical(code), code);
        }
    }

    #[test]
    fn other_strings_are_refused() {
        for code in ["", "ŠL", "s lv", "xx", "slov", "s1v", "šlv"] {
            assert!(code.parse::<LanguageCode>().is_err(), "{code}");
        }
    }
}
