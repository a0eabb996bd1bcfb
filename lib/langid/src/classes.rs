//! The common beginning of both parts of a model: a header with a checksum, a table of classes, and
//! a string pool.
//!
//! A class takes 32 bytes: code (3), expected evidence (1), script (4), sample size in tokens (7),
//! expected agreement (1), name and source (start and length in the string pool: u32 each).
//! Integers are little-endian.

use crate::code::LanguageCode;
use crate::expectation::Expectation;
use crate::profile::is_one_line;
use crate::profile_file::fnv1a;
use crate::script::Script;
use std::collections::HashMap;

/// An error in reading or building a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The magic number is missing.
    #[error("not a language model; make one with ngram-profile --pack")]
    NotAModel,
    /// Written by a later version of this program.
    #[error("language model has version {0}, newer than this program; use a newer program")]
    NewerVersion(u32),
    /// Written by an earlier version of this program, or not by this program.
    #[error(
        "language model has version {0}, which is no longer supported; make it again with \
         ngram-profile --pack"
    )]
    OlderVersion(u32),
    /// Truncated or modified.
    #[error("language model is truncated or damaged; make it again with ngram-profile --pack")]
    Damaged,
    /// More profiles than the class numbers of a model allow.
    #[error("{number} profiles exceed the limit of {limit} per model")]
    TooManyProfiles {
        /// Number of profiles given.
        number: usize,
        /// Number of profiles allowed.
        limit: usize,
    },
}

/// Bytes per class in the table.
pub(crate) const CLASS_BYTES: usize = 32;

/// Offset of the expected evidence in the entry of a class.
pub(crate) const EXPECTED_EVIDENCE_OFFSET: usize = 3;

/// Offset of the expected agreement in the entry of a class, in the highest byte of the sample size.
const EXPECTED_AGREEMENT_OFFSET: usize = 15;

/// Greatest sample size in tokens that is stored.
const MAX_SAMPLE_TOKENS: u64 = (1 << 56) - 1;

/// Bytes of the checksum, which is at the end of the header and covers everything after it.
const CHECKSUM_BYTES: usize = 8;

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

/// Encodes a number in 32 bits, little-endian. Saturates, which models do not reach: they are far
/// below 4 GiB.
pub(crate) fn encode_u32(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes()
}

/// Decodes the 32-bit number at `offset`, or returns `None` if `bytes` ends before.
pub(crate) fn decode_u32(bytes: &[u8], offset: usize) -> Option<usize> {
    bytes
        .get(offset..)?
        .first_chunk()
        .map(|b| u32::from_le_bytes(*b) as usize)
}

/// Checks that a header begins with `magic` and has this version.
pub(crate) fn check_header(bytes: &[u8], magic: [u8; 8], version: u32) -> Result<(), ModelError> {
    if !bytes.starts_with(&magic) {
        return Err(ModelError::NotAModel);
    }
    match decode_u32(bytes, magic.len()).ok_or(ModelError::Damaged)? as u32 {
        newer if newer > version => Err(ModelError::NewerVersion(newer)),
        older if older < version => Err(ModelError::OlderVersion(older)),
        _ => Ok(()),
    }
}

/// Writes the checksum of the bytes after the header into the end of the header.
pub(crate) fn write_checksum(bytes: &mut [u8], header: usize) {
    let checksum = fnv1a(&bytes[header..]).to_le_bytes();
    bytes[header - CHECKSUM_BYTES..header].copy_from_slice(&checksum);
}

/// Returns `true` if the bytes after the header match the checksum.
pub(crate) fn has_valid_checksum(bytes: &[u8], header: usize) -> bool {
    let checksum = bytes
        .get(header - CHECKSUM_BYTES..header)
        .and_then(|b| b.try_into().ok())
        .map(u64::from_le_bytes);
    checksum.is_some_and(|checksum| checksum == fnv1a(&bytes[header..]))
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

    #[test]
    fn rejects_other_versions_and_other_files() {
        let header = |version: u32| [&b"forage\0x"[..], &version.to_le_bytes()].concat();
        let checked = |bytes: &[u8]| check_header(bytes, *b"forage\0x", 2);
        assert_eq!(checked(&header(2)), Ok(()));
        assert_eq!(checked(&header(3)), Err(ModelError::NewerVersion(3)));
        assert_eq!(checked(&header(0)), Err(ModelError::OlderVersion(0)));
        assert_eq!(checked(&header(2)[..9]), Err(ModelError::Damaged));
        assert_eq!(checked(b"something else"), Err(ModelError::NotAModel));
    }

    #[test]
    fn a_changed_byte_invalidates_the_checksum() {
        let mut bytes: Vec<u8> = (0..100).collect();
        write_checksum(&mut bytes, 16);
        assert!(
            has_valid_checksum(&bytes, 16)
                && !has_valid_checksum(&bytes[..99], 16)
                && !has_valid_checksum(&bytes[..8], 16)
        );
        bytes[50] ^= 1;
        assert!(!has_valid_checksum(&bytes, 16));
    }
}
