//! The classes of a part of a model: a table, and a string pool.
//!
//! A class takes 32 bytes: code (3), expected evidence (1), script (4), sample size in tokens (7),
//! expected agreement (1), name and source (start and length in the string pool: u32 each).
//! Integers are little-endian.

use crate::code::LanguageCode;
use crate::expectation::Expectation;
use crate::format::{decode_u32, encode_u32, is_one_line};
use crate::script::Script;
use std::collections::HashMap;

/// Bytes per class in the table.
pub const CLASS_BYTES: usize = 32;

/// Offset of the expected evidence in the entry of a class.
pub const EXPECTED_EVIDENCE_OFFSET: usize = 3;

/// Offset of the expected agreement in the entry of a class, in the highest byte of the sample
/// size.
const EXPECTED_AGREEMENT_OFFSET: usize = 15;

/// Greatest sample size in tokens that is stored.
const MAX_SAMPLE_TOKENS: u64 = (1 << 56) - 1;

/// A class of a model: a language in one script, without its words and n-grams.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LanguageClass<'a> {
    /// The language.
    pub code: LanguageCode,
    /// The script of the sample.
    pub script: Script,
    /// English name of the language.
    pub name: &'a str,
    /// Size of the sample in tokens.
    pub sample_tokens: u64,
    /// Source of the sample.
    pub source: &'a str,
}

/// Classes of the built-in model whose label or name differs from that in its table: code and
/// script, label, name. ISO 639-3 has merged Kadazan (kzj) with Kadazan Dusun, and has split eml
/// and kxu, of whose samples the sources do not say which of the languages they are in; they have
/// no label. The samples in Tifinagh are those of zgh (OLDI Seed, the Declaration). The names of
/// groups are those of ISO 639-2.
const RELABELLED: [(&str, &str, &str); 9] = [
    ("ber-Latn", "ber", "Berber languages"),
    ("eml-Latn", "und", ""),
    ("isv-Cyrl", "isv", "Interslavic"),
    ("isv-Latn", "isv", "Interslavic"),
    ("kxu-Orya", "und", ""),
    ("kzj-Latn", "dtp", "Kadazan Dusun"),
    ("nah-Latn", "nah", "Nahuatl languages"),
    ("son-Latn", "son", "Songhai languages"),
    ("tzm-Tfng", "zgh", "Standard Moroccan Tamazight"),
];

impl LanguageClass<'_> {
    /// Returns a class of the built-in model with its present label and name. The label of one
    /// that does not compete is `und`.
    pub(crate) fn relabelled(mut self) -> Self {
        let is_self = |(class, ..): &&(&str, &str, &str)| {
            let (code, script) = class.split_at(3);
            code == self.code.as_str() && script[1..] == *self.script.as_str()
        };
        if let Some((_, code, name)) = RELABELLED.iter().find(is_self) {
            self.code = LanguageCode::from_canonical(code).unwrap_or(LanguageCode::UNDETERMINED);
            self.name = name;
        }
        self
    }
}

/// Encodes classes, each with what is expected of its texts. Returns the table and the string pool.
pub(crate) fn encode_classes<'a>(
    classes: impl Iterator<Item = (LanguageClass<'a>, Expectation)>,
) -> (Vec<u8>, Vec<u8>) {
    let mut table = Vec::new();
    let mut strings = StringPool::default();
    for (class, expected) in classes {
        table.extend_from_slice(&class.code.to_bytes());
        table.push(expected.evidence);
        table.extend_from_slice(&class.script.to_bytes());
        let sample_tokens = class.sample_tokens.min(MAX_SAMPLE_TOKENS);
        table.extend_from_slice(&sample_tokens.to_le_bytes()[..7]);
        table.push(expected.agreement);
        table.extend_from_slice(&strings.intern(class.name));
        table.extend_from_slice(&strings.intern(class.source));
    }
    (table, strings.bytes)
}

/// Decodes the classes of a table, in its order, each with what is expected of its texts. Skips
/// those that are not valid.
pub(crate) fn decode_classes<'a>(
    table: &'a [u8],
    strings: &'a [u8],
) -> impl Iterator<Item = (LanguageClass<'a>, Expectation)> {
    let string = |reference: &[u8]| {
        let start = decode_u32(reference, 0)?;
        let length = decode_u32(reference, 4)?;
        std::str::from_utf8(strings.get(start..start.checked_add(length)?)?).ok()
    };
    table.chunks_exact(CLASS_BYTES).filter_map(move |entry| {
        let class = LanguageClass {
            code: LanguageCode::from_canonical(std::str::from_utf8(&entry[..3]).ok()?)?,
            script: Script::new(std::str::from_utf8(&entry[4..8]).ok()?)?,
            sample_tokens: u64::from_le_bytes(entry[8..16].try_into().ok()?) & MAX_SAMPLE_TOKENS,
            name: string(&entry[16..24])?,
            source: string(&entry[24..32])?,
        };
        let expected = Expectation {
            evidence: entry[EXPECTED_EVIDENCE_OFFSET],
            agreement: entry[EXPECTED_AGREEMENT_OFFSET],
        };
        Some((class, expected))
    })
}

/// Returns `true` if all classes of a table can be decoded and no name or source has a control
/// character, which a terminal might interpret.
pub(crate) fn are_valid(table: &[u8], strings: &[u8]) -> bool {
    let is_printable = |(class, _): &(LanguageClass<'_>, Expectation)| {
        is_one_line(class.name) && is_one_line(class.source)
    };
    decode_classes(table, strings).filter(is_printable).count() * CLASS_BYTES == table.len()
}

/// Concatenated strings, each stored once.
#[derive(Default)]
struct StringPool {
    bytes: Vec<u8>,
    references: HashMap<String, [u8; 8]>,
}

impl StringPool {
    /// Returns the start and the length of `string` in the pool; adds it if it is new.
    fn intern(&mut self, string: &str) -> [u8; 8] {
        *self.references.entry(string.to_owned()).or_insert_with(|| {
            let [a, b, c, d] = encode_u32(self.bytes.len());
            let [e, f, g, h] = encode_u32(string.len());
            self.bytes.extend_from_slice(string.as_bytes());
            [a, b, c, d, e, f, g, h]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class<'a>(code: &str, name: &'a str, sample_tokens: u64) -> LanguageClass<'a> {
        LanguageClass {
            code: code.parse().unwrap(),
            script: Script::new("Latn").unwrap(),
            name,
            sample_tokens,
            source: "a test",
        }
    }

    #[test]
    fn decodes_what_was_encoded_and_stores_equal_strings_once() {
        let expected = |evidence, agreement| Expectation {
            evidence,
            agreement,
        };
        let classes = [
            (class("slv", "Slovenian", 5), expected(7, 90)),
            (class("hrv", "", MAX_SAMPLE_TOKENS), expected(255, 0)),
        ];
        let (table, strings) = encode_classes(classes.iter().cloned());
        assert_eq!(
            decode_classes(&table, &strings).collect::<Vec<_>>(),
            classes
        );
        assert_eq!(strings, b"Sloveniana test");
    }

    #[test]
    fn skips_a_class_whose_strings_are_out_of_bounds() {
        let (table, strings) =
            encode_classes([(class("slv", "Slovenian", 5), Expectation::default())].into_iter());
        assert_eq!(decode_classes(&table, &strings[1..]).count(), 0);
    }
}
