//! Language codes: ISO 639-3, and aliases of its codes.
//!
//! Members of a macrolanguage that are hard to distinguish are aliases of the macrolanguage (`prs`
//! of `fas`). Members that are separate written languages keep their codes (Norwegian, Malay,
//! Serbo-Croatian, Chinese, Kurdish, Latvian …). [`code_aliases`] has all aliases, and
//! the module `macrolanguage` all members.

use crate::macrolanguage::macrolanguage_members;
use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

/// Lines of `alias<TAB>canonical code`, sorted.
const ALIASES: &str = include_str!("../model/codes.tsv");

/// An ISO 639-3 code in canonical form: three lower-case ASCII letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LanguageCode([u8; 3]);

/// A string that is not a language code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a language code; give three letters as in ISO 639-3, or two as in ISO 639-1 (langid --resolve NAME finds them)"
)]
pub struct InvalidCode(pub String);

/// Returns each alias of a language code, with the code that it resolves to, sorted by alias: ISO
/// 639-1 codes, bibliographic codes of ISO 639-2 (`slo` of `slk`), members of a macrolanguage that
/// the built-in model does not distinguish, retired codes.
pub fn code_aliases() -> impl Iterator<Item = (&'static str, LanguageCode)> {
    alias_lines().filter_map(|(alias, code)| Some((alias, LanguageCode::from_canonical(code)?)))
}

/// Returns the aliases with their codes, and comments, whose second part is not a code.
fn alias_lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALIASES.lines().filter_map(|line| line.split_once('\t'))
}

/// Returns the line of an alias, in any case.
fn find_alias(alias: &str) -> Option<(&'static str, &'static str)> {
    alias_lines().find(|(other, _)| other.eq_ignore_ascii_case(alias))
}

/// The registered variants of languages, and a comment.
const VARIANTS: &str = include_str!("../model/variants.tsv");

/// Codes of two letters that the IANA registry of language subtags deprecates, with those that
/// replace them: id, he, yi, jv, ro; and `bh`, which Unicode's CLDR replaces by `bho`.
const DEPRECATED_TAGS: [&str; 6] = ["bh", "in", "iw", "ji", "jw", "mo"];

/// Returns the language tag (RFC 5646) of an ISO 639-3 code: its code of two letters if it has one
/// that is not deprecated, the first of several such as `nb` and `no`.
pub fn language_tag(code: &str) -> &str {
    static SHORT_CODES: LazyLock<HashMap<LanguageCode, &str>> = LazyLock::new(|| {
        let aliases: Vec<_> = code_aliases()
            .filter(|(alias, _)| alias.len() == 2 && !DEPRECATED_TAGS.contains(alias))
            .collect();
        aliases
            .into_iter()
            .rev()
            .map(|(alias, code)| (code, alias))
            .collect()
    });
    let short = LanguageCode::from_canonical(code).and_then(|code| SHORT_CODES.get(&code));
    short.copied().unwrap_or(code)
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

impl LanguageCode {
    /// The code `und`, for texts whose language is unknown.
    pub const UNDETERMINED: Self = Self(*b"und");

    /// The code as a string.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("und")
    }

    /// Returns the language of a tag: a code, which may be followed by a script, a region, variants
    /// and extensions, with hyphens as in `sr-Latn` and `ca-valencia` (RFC 5646), underscores as in
    /// the names of data sets (`slv_Latn`), or as in a locale (`sl_SI.UTF-8`). Of `zh-yue`, it is
    /// `yue`.
    ///
    /// # Errors
    /// Fails if the text is neither a code nor such a tag.
    pub fn from_tag(text: &str) -> Result<Self, InvalidCode> {
        let invalid = || InvalidCode(text.to_owned());
        let locale = text.trim().split(['.', '@']).next().unwrap_or_default();
        // Codes of Wikipedias, and tags of the time before RFC 4646.
        if let Some((_, code)) = find_alias(&locale.replace('_', "-")) {
            return Self::from_canonical(code).ok_or_else(invalid);
        }
        let mut parts = locale.split(['-', '_']).peekable();
        let mut code: LanguageCode = parts.next().unwrap_or_default().parse()?;
        let mut members = macrolanguage_members();
        if let Some(part) = parts.next_if(|part| part.len() == 3 && !is_number(part)) {
            let is_member = |(whole, member): &(LanguageCode, LanguageCode)| {
                *whole == code && part.eq_ignore_ascii_case(member.as_str())
            };
            let (_, member) = members.find(is_member).ok_or_else(invalid)?;
            code = member.as_str().parse()?;
        }
        let is_variant = |part: &str| VARIANTS.lines().any(|v| v.eq_ignore_ascii_case(part));
        let is_subtag = |part: &str| match part.len() {
            2 => part.bytes().all(|b| b.is_ascii_alphabetic()),
            3 => is_number(part),
            4 => is_number(part) || part.bytes().all(|b| b.is_ascii_alphabetic()),
            _ => is_variant(part),
        };
        let is_value = |part: &str| {
            (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        // After one letter or digit: an extension, as `u-ca-gregory`, or what is for private use.
        let is_tag = parts.find(|part| !is_subtag(part)).is_none_or(|singleton| {
            singleton.len() == 1
                && is_value(singleton)
                && parts.peek().is_some()
                && parts.all(is_value)
        });
        is_tag.then_some(code).ok_or_else(invalid)
    }

    pub(crate) fn to_bytes(self) -> [u8; 3] {
        self.0
    }

    /// Returns the code with these letters, without resolving aliases.
    pub(crate) fn from_canonical(code: &str) -> Option<Self> {
        let bytes: [u8; 3] = code.as_bytes().try_into().ok()?;
        bytes
            .iter()
            .all(u8::is_ascii_lowercase)
            .then_some(Self(bytes))
    }
}

impl FromStr for LanguageCode {
    type Err = InvalidCode;

    /// Parses an ISO 639-3, 639-2 or 639-1 code and resolves aliases: `sl`, `SLV` and ` slv` become
    /// `slv`, `fil` becomes `tgl`.
    fn from_str(text: &str) -> Result<Self, InvalidCode> {
        let lower = text.trim().to_ascii_lowercase();
        let canonical = find_alias(&lower).map(|(_, code)| code);
        Self::from_canonical(canonical.unwrap_or(&lower))
            .ok_or_else(|| InvalidCode(text.to_owned()))
    }
}

impl fmt::Debug for LanguageCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
    fn parsing_trims_lower_cases_and_resolves_aliases() {
        let codes = [
            "slv", "SLV", " Sl\n", "sl", "fil", "tl", "prs", "nb", "bik", "sr", "qub", "slo", "may",
        ];
        assert_eq!(
            codes.map(canonical),
            [
                "slv", "slv", "slv", "slv", "tgl", "tgl", "fas", "nob", "bcl", "srp", "que", "slk",
                "zsm"
            ]
        );
    }

    #[test]
    fn the_tag_of_a_language_is_not_deprecated() {
        let codes = [
            "ron", "yid", "heb", "ind", "jav", "bho", "nob", "aka", "kek",
        ];
        let tags = ["ro", "yi", "he", "id", "jv", "bho", "nb", "ak", "kek"];
        assert_eq!(codes.map(language_tag), tags);
    }

    #[test]
    fn a_tag_is_the_language_of_its_first_part() {
        let language = |tag| LanguageCode::from_tag(tag).map(|code| code.to_string());
        for (tag, expected) in [
            ("slv", "slv"),
            ("SLV", "slv"),
            ("slv_Latn", "slv"),
            ("sr-Latn-RS", "srp"),
            ("pt-BR", "por"),
            ("es-419", "spa"),
            ("de-1996", "deu"),
            ("sl_SI.UTF-8", "slv"),
            ("ca@valencia", "cat"),
            ("zh-yue-Hant-HK", "yue"),
            ("zh-cmn", "zho"),
            ("zh-classical", "lzh"),
            ("zh_min_nan", "nan"),
            ("Be-Tarask", "bel"),
            ("i-klingon", "tlh"),
            ("kzj-Latn", "dtp"),
            ("jw", "jav"),
            ("bh", "bho"),
            ("simple", "eng"),
            ("ca-valencia", "cat"),
            ("sl-rozaj-biske-1994", "slv"),
            ("de-CH-1901", "deu"),
            ("en-US-u-ca-gregory", "eng"),
            ("ja-t-it-x-a", "jpn"),
        ] {
            assert_eq!(language(tag).as_deref(), Ok(expected), "{tag}");
        }
        for tag in [
            "",
            "on-topic",
            "non-relevant",
            "sl-hrv",
            "xx-Latn",
            "slv-",
            "slv--Latn",
            "s-l",
            "sl-u",
            "sl-u-",
            "sl-?-ab",
            "sl-relevant",
            "sl-u-toolongvalue",
        ] {
            assert!(language(tag).is_err(), "{tag}");
        }
    }

    #[test]
    fn canonical_codes_resolve_to_themselves() {
        assert!(code_aliases().count() > 400);
        for (_, code) in code_aliases() {
            assert_eq!(canonical(code.as_str()), code.as_str());
        }
    }

    #[test]
    fn rejects_strings_that_are_not_codes() {
        for code in ["", "ŠL", "s lv", "xx", "slov", "s1v", "šlv"] {
            assert!(code.parse::<LanguageCode>().is_err(), "{code}");
        }
    }
}
