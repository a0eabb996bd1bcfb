//! What both parts of a model begin with: a header with a check sum, a table of classes, and the
//! strings it points to.
//!
//! A class takes 32 bytes: code (3), what is typical of it (1), script (4), words (u64), name and
//! source (start, length: u32 each). Integers are little-endian.

use crate::code::LanguageCode;
use crate::profile::is_one_line;
use crate::profile_file::fnv1a;
use crate::script::Script;
use std::collections::HashMap;

/// Why bytes are not a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// They begin otherwise.
    #[error("not a language model; make one with ngram-profile --pack")]
    NotAModel,
    /// Written by a later version of this program.
    #[error("language model of version {0}, which is newer than this program; use a newer one")]
    NewerVersion(u32),
    /// Written by an earlier version of this program, or by none.
    #[error(
        "language model of version {0}, which is no longer read; make it again with ngram-profile --pack"
    )]
    OlderVersion(u32),
    /// The end is missing or something was changed.
    #[error("language model is truncated or damaged; make it again with ngram-profile --pack")]
    Damaged,
    /// More profiles than a model can number.
    #[error("{number} profiles are more than the {most} that a model can hold")]
    TooManyProfiles {
        /// How many there are.
        number: usize,
        /// How many there may be.
        most: usize,
    },
}

/// Bytes of a class.
pub(crate) const CLASS: usize = 32;

/// Bytes at the end of a header that hold the check sum of all behind it.
const CHECK: usize = 8;

/// A class of a model, without its words and n-grams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageClass<'a> {
    /// The language.
    pub code: LanguageCode,
    /// The script of the sample.
    pub script: Script,
    /// English name of the language.
    pub name: &'a str,
    /// Size of the sample in words.
    pub words: u64,
    /// Where the sample came from.
    pub source: &'a str,
}

/// The table of these classes, each with what is typical of it, and their strings.
pub(crate) fn write<'a>(
    classes: impl Iterator<Item = (LanguageClass<'a>, u8)>,
) -> (Vec<u8>, Vec<u8>) {
    let (mut table, mut strings) = (Vec::new(), Strings::default());
    for (known, typical) in classes {
        table.extend_from_slice(&known.code.to_bytes());
        table.push(typical);
        table.extend_from_slice(&known.script.to_bytes());
        table.extend_from_slice(&known.words.to_le_bytes());
        table.extend_from_slice(&strings.place(known.name));
        table.extend_from_slice(&strings.place(known.source));
    }
    (table, strings.bytes)
}

/// The classes of a table, in its order, each with what is typical of it.
pub(crate) fn read<'a>(
    table: &'a [u8],
    strings: &'a [u8],
) -> impl Iterator<Item = (LanguageClass<'a>, u8)> {
    let string = |place: &[u8]| {
        let (start, length) = (number(place, 0)?, number(place, 4)?);
        std::str::from_utf8(strings.get(start..start.checked_add(length)?)?).ok()
    };
    table.chunks_exact(CLASS).filter_map(move |entry| {
        let known = LanguageClass {
            code: LanguageCode::plain(std::str::from_utf8(&entry[..3]).ok()?)?,
            script: Script::new(std::str::from_utf8(&entry[4..8]).ok()?)?,
            words: u64::from_le_bytes(entry[8..16].try_into().ok()?),
            name: string(&entry[16..24])?,
            source: string(&entry[24..32])?,
        };
        Some((known, entry[3]))
    })
}

/// Whether all classes of a table can be read, and their names hold nothing that a terminal obeys.
pub(crate) fn are_sound(table: &[u8], strings: &[u8]) -> bool {
    let is_plain =
        |(known, _): &(LanguageClass<'_>, u8)| is_one_line(known.name) && is_one_line(known.source);
    read(table, strings).filter(is_plain).count() * CLASS == table.len()
}

/// Strings one after the other, each once.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    places: HashMap<String, [u8; 8]>,
}

impl Strings {
    /// Where `string` stands: start and length.
    fn place(&mut self, string: &str) -> [u8; 8] {
        *self.places.entry(string.to_owned()).or_insert_with(|| {
            let [a, b, c, d] = count(self.bytes.len());
            let [e, f, g, h] = count(string.len());
            self.bytes.extend_from_slice(string.as_bytes());
            [a, b, c, d, e, f, g, h]
        })
    }
}

/// A number as it is written: models are far from 4 GiB.
pub(crate) fn count(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap_or(u32::MAX).to_le_bytes()
}

pub(crate) fn number(bytes: &[u8], at: usize) -> Option<usize> {
    bytes
        .get(at..)?
        .first_chunk()
        .map(|b| u32::from_le_bytes(*b) as usize)
}

/// Checks that a header begins with `magic` and is of this version.
pub(crate) fn check(bytes: &[u8], magic: [u8; 8], version: u32) -> Result<(), ModelError> {
    if !bytes.starts_with(&magic) {
        return Err(ModelError::NotAModel);
    }
    match number(bytes, magic.len()).ok_or(ModelError::Damaged)? as u32 {
        newer if newer > version => Err(ModelError::NewerVersion(newer)),
        older if older < version => Err(ModelError::OlderVersion(older)),
        _ => Ok(()),
    }
}

/// Puts the check sum of what is behind the header at its end.
pub(crate) fn seal(bytes: &mut [u8], header: usize) {
    let check = fnv1a(&bytes[header..]).to_le_bytes();
    bytes[header - CHECK..header].copy_from_slice(&check);
}

/// Whether the check sum says that all is as it was written.
pub(crate) fn is_whole(bytes: &[u8], header: usize) -> bool {
    let check = bytes
        .get(header - CHECK..header)
        .and_then(|b| b.try_into().ok())
        .map(u64::from_le_bytes);
    check.is_some_and(|check| check == fnv1a(&bytes[header..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class<'a>(code: &str, name: &'a str, words: u64) -> LanguageClass<'a> {
        LanguageClass {
            code: code.parse().unwrap(),
            script: Script::new("Latn").unwrap(),
            name,
            words,
            source: "a test",
        }
    }

    #[test]
    fn classes_come_back_and_their_strings_are_kept_once() {
        let classes = [
            (class("slv", "Slovenian", 5), 7),
            (class("hrv", "", u64::MAX), 255),
        ];
        let (table, strings) = write(classes.iter().cloned());
        assert_eq!(read(&table, &strings).collect::<Vec<_>>(), classes);
        assert_eq!(strings, b"Sloveniana test");
    }

    #[test]
    fn what_points_outside_is_left_out() {
        let (table, strings) = write([(class("slv", "Slovenian", 5), 0)].into_iter());
        assert_eq!(read(&table, &strings[1..]).count(), 0);
    }

    #[test]
    fn other_versions_are_refused_by_name() {
        let header = |version: u32| [&b"forage\0x"[..], &version.to_le_bytes()].concat();
        let checked = |bytes: &[u8]| check(bytes, *b"forage\0x", 2);
        assert_eq!(checked(&header(2)), Ok(()));
        assert_eq!(checked(&header(3)), Err(ModelError::NewerVersion(3)));
        assert_eq!(checked(&header(0)), Err(ModelError::OlderVersion(0)));
        assert_eq!(checked(&header(2)[..9]), Err(ModelError::Damaged));
        assert_eq!(checked(b"something else"), Err(ModelError::NotAModel));
    }

    #[test]
    fn a_changed_byte_breaks_the_seal() {
        let mut bytes: Vec<u8> = (0..100).collect();
        seal(&mut bytes, 16);
        assert!(is_whole(&bytes, 16) && !is_whole(&bytes[..99], 16) && !is_whole(&bytes[..8], 16));
        bytes[50] ^= 1;
        assert!(!is_whole(&bytes, 16));
    }
}
