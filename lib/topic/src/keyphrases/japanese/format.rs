//! The file format of the Japanese dictionary.
//!
//! | bytes | content |
//! |---|---|
//! | 16 | [`MAGIC`], which ends with the version of the format |
//! | 32 | BLAKE3 hash of all that follows |
//! | 4 + n each | the sections, in the order of [`Sections`]: length in bytes, content |
//!
//! All numbers are little-endian. The file is read as a whole and checked against the hash, so that
//! a damaged dictionary is an error and never a wrong analysis.

use super::DictionaryError;
use std::num::TryFromIntError;
use std::ops::Range;

/// The first bytes of a dictionary; the last two but the newline are the version of the format.
pub const MAGIC: &[u8; 16] = b"forage ipadic 01";
/// The part of [`MAGIC`] that all versions share.
const MAGIC_NAME: &[u8] = b"forage ipadic ";
const HASH_LENGTH: usize = 32;
/// Length of what precedes the sections, in bytes.
const HEADER_LENGTH: usize = MAGIC.len() + HASH_LENGTH;

/// The highest number of character categories: the set of a character's categories has 12 bits.
pub const MAX_CATEGORIES: usize = 12;

/// The sections of a dictionary: their content, or where they are in a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sections<T> {
    /// Parts of speech, one a line: columns 5 to 10 of IPADIC's words.
    pub parts: T,
    /// How base forms are made from surface forms, one a line: the number of bytes that are cut
    /// off, tab, what is appended.
    pub endings: T,
    /// Character categories, 8 bytes each ([`Category`]).
    pub categories: T,
    /// For each character up to U+FFFF, 2 bytes: its first category in the highest 4 bits, and the
    /// set of all its categories.
    pub characters: T,
    /// Unknown words, by category, 10 bytes each ([`Word`]).
    pub unknown: T,
    /// Words, by surface form, 10 bytes each ([`Word`]).
    pub words: T,
    /// Number of right and of left contexts, 2 bytes each; then the costs of connections, 2 bytes
    /// each, by left context of the second word, then by right context of the first.
    pub matrix: T,
    /// Surface forms: an FST from each to its first word, times 256, plus their number.
    pub surfaces: T,
}

impl Sections<&[u8]> {
    /// Returns the dictionary file with these sections.
    ///
    /// # Errors
    /// If a section has 4 GB or more.
    pub fn to_bytes(&self) -> Result<Vec<u8>, TryFromIntError> {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(MAGIC);
        bytes.resize(HEADER_LENGTH, 0);
        for section in self.all() {
            let length = u32::try_from(section.len())?;
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(section);
        }
        let hash = blake3::hash(&bytes[HEADER_LENGTH..]);
        bytes[MAGIC.len()..HEADER_LENGTH].copy_from_slice(hash.as_bytes());
        Ok(bytes)
    }

    fn all(&self) -> [&[u8]; 8] {
        [
            self.parts,
            self.endings,
            self.categories,
            self.characters,
            self.unknown,
            self.words,
            self.matrix,
            self.surfaces,
        ]
    }
}

impl Sections<Range<usize>> {
    /// Returns where the sections of the dictionary file `bytes` are.
    ///
    /// # Errors
    /// If the bytes are no dictionary, one of another version, or damaged.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, DictionaryError> {
        if !bytes.starts_with(MAGIC_NAME) {
            return Err(DictionaryError::Foreign);
        }
        if !bytes.starts_with(MAGIC) {
            return Err(DictionaryError::OtherVersion);
        }
        let (header, body) = bytes
            .split_at_checked(HEADER_LENGTH)
            .ok_or(DictionaryError::Damaged)?;
        if header[MAGIC.len()..] != blake3::hash(body).as_bytes()[..] {
            return Err(DictionaryError::Damaged);
        }
        let mut start = HEADER_LENGTH;
        let mut next = || next_section(bytes, &mut start).ok_or(DictionaryError::Damaged);
        Ok(Sections {
            parts: next()?,
            endings: next()?,
            categories: next()?,
            characters: next()?,
            unknown: next()?,
            words: next()?,
            matrix: next()?,
            surfaces: next()?,
        })
    }
}

/// Returns the section that begins with its length at `start`, and moves `start` to its end; `None`
/// if it is not there whole.
fn next_section(bytes: &[u8], start: &mut usize) -> Option<Range<usize>> {
    let length = bytes.get(*start..)?.first_chunk::<4>()?;
    let first = *start + length.len();
    let end = first + u32::from_le_bytes(*length) as usize;
    *start = end;
    (end <= bytes.len()).then_some(first..end)
}

/// A word of the dictionary, or a kind of unknown words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// How the word connects with the one before it.
    pub left: u16,
    /// How the word connects with the one after it.
    pub right: u16,
    /// The cost of the word itself; the more probable the word, the lower.
    pub cost: i16,
    /// The number of its part of speech.
    pub part: u16,
    /// The number of the rule that makes its base form.
    pub ending: u16,
}

impl Word {
    /// Length in a file, in bytes.
    pub const LENGTH: usize = 10;

    /// Returns the word as it is written.
    pub fn to_bytes(self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let cost = self.cost.cast_unsigned();
        let numbers = [self.left, self.right, cost, self.part, self.ending];
        for (to, number) in bytes.chunks_exact_mut(2).zip(numbers) {
            to.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Returns the word that is written as `bytes`, which are [`Self::LENGTH`].
    pub fn of_bytes(bytes: &[u8]) -> Self {
        let number = |n: usize| u16::from_le_bytes([bytes[2 * n], bytes[2 * n + 1]]);
        Word {
            left: number(0),
            right: number(1),
            cost: number(2).cast_signed(),
            part: number(3),
            ending: number(4),
        }
    }
}

/// A category of characters, and how unknown words are made of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Category {
    /// Whether unknown words are tried where the dictionary has words, too.
    pub invoke: bool,
    /// Whether a sequence of characters of the category is one unknown word.
    pub group: bool,
    /// Maximum length of other unknown words, in characters.
    pub length: u8,
    /// The first kind of unknown words of the category.
    pub first: u16,
    /// The number of these kinds.
    pub count: u16,
}

impl Category {
    /// Length in a file, in bytes.
    pub const LENGTH: usize = 8;

    /// Returns the category as it is written.
    pub fn to_bytes(self) -> [u8; Self::LENGTH] {
        let [f0, f1] = self.first.to_le_bytes();
        let [c0, c1] = self.count.to_le_bytes();
        let (invoke, group) = (self.invoke.into(), self.group.into());
        [invoke, group, self.length, 0, f0, f1, c0, c1]
    }

    /// Returns the category that is written as `bytes`, which are [`Self::LENGTH`].
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Category {
            invoke: bytes[0] != 0,
            group: bytes[1] != 0,
            length: bytes[2],
            first: u16::from_le_bytes([bytes[4], bytes[5]]),
            count: u16::from_le_bytes([bytes[6], bytes[7]]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_read_as_written_and_damage_is_found() {
        let sections = Sections::<&[u8]> {
            parts: b"noun",
            matrix: &[1, 2, 3],
            ..Sections::default()
        };
        let bytes = sections.to_bytes().expect("a dictionary");
        let read = Sections::of_bytes(&bytes).expect("sections");
        assert_eq!(bytes[read.parts], *b"noun");
        assert_eq!(bytes[read.matrix], [1, 2, 3]);
        assert_eq!(read.surfaces, bytes.len()..bytes.len());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert!(Sections::of_bytes(&damaged).is_err(), "byte {at}");
            assert!(Sections::of_bytes(&bytes[..at]).is_err(), "{at} bytes");
        }
    }

    #[test]
    fn words_and_categories_are_read_as_written() {
        let word = Word {
            left: 1,
            right: 65535,
            cost: -3,
            part: 4,
            ending: 5,
        };
        assert_eq!(Word::of_bytes(&word.to_bytes()), word);
        let category = Category {
            invoke: true,
            group: false,
            length: 2,
            first: 300,
            count: 7,
        };
        assert_eq!(Category::of_bytes(&category.to_bytes()), category);
    }
}
