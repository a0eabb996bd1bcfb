//! The n-gram ranks of many profiles in one byte table, as an inverted index: for each n-gram the
//! profiles that have it, with its rank in each.
//!
//! The table is used in place. Nothing is parsed or copied at start, so that a thousand languages
//! do not slow down the start of a short-lived process. Integers are little-endian.
//!
//! A header of 40 bytes holds a magic number (8), the version, the numbers of profiles, common
//! n-grams, other n-grams and postings, the bytes of strings (u32 each), and a checksum (u64).
//! These parts follow:
//!
//! | part | entry |
//! |---|---|
//! | profiles, sorted by code and script | see `classes` |
//! | common n-grams, sorted | the packed n-gram (u128) |
//! | rows, one per common n-gram | low bytes of the ranks in all profiles, then high bytes |
//! | other n-grams, sorted | the packed n-gram (u128) |
//! | starts, one more than other n-grams | index of the n-gram's first posting (u32) |
//! | postings, sorted by profile | profile (u16), rank (u16) |
//! | strings | UTF-8 |
//!
//! An n-gram is common if at least an eighth of the profiles have it. A text has many of these, and
//! adding up a row, several profiles at a time, is ten times as fast as adding up as many postings.

mod pack;

use crate::classes::{self, CLASS_BYTES, LanguageClass};
use crate::format::decode_u32;
use crate::model_header::{self, ModelError};
use crate::ngram::NGram;
use crate::profile::Profile;
use pack::pack_profiles;
use std::borrow::Cow;
use std::ops::Range;

pub(crate) const MAGIC: [u8; 8] = *b"forage\0m";
pub(crate) const VERSION: u32 = 1;
pub(crate) const HEADER_BYTES: usize = 40;
pub(crate) const NGRAM_BYTES: usize = 16;
const START_BYTES: usize = 4;
pub(crate) const POSTING_BYTES: usize = 4;
pub(crate) const RANK_BYTES: usize = 2;
/// The rank, in a row, of an n-gram that the profile lacks.
pub(crate) const ABSENT: u16 = u16::MAX;

/// The rank part of a model.
#[derive(Debug, Clone, Default)]
pub struct RankModel {
    bytes: Cow<'static, [u8]>,
    profiles: Range<usize>,
    common: Range<usize>,
    rows: Range<usize>,
    ngrams: Range<usize>,
    starts: Range<usize>,
    postings: Range<usize>,
    strings: Range<usize>,
}

impl RankModel {
    /// Returns the rank part of the built-in model; that of the compact model has no profiles.
    pub(crate) fn builtin() -> Self {
        #[cfg(not(full_model))]
        return Self::from_profiles(&[]).unwrap_or_default();
        // It was checked when it was built, and a test checks it again.
        #[cfg(full_model)]
        Self::open(Cow::Borrowed(include_bytes!("../../model/ranks.bin"))).unwrap_or_default()
    }

    /// Reads what [`RankModel::as_bytes`] returned.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let model = Self::open(Cow::Owned(bytes))?;
        model_header::check_part(&model.bytes, HEADER_BYTES, &model.profiles, &model.strings)?;
        Ok(model)
    }

    /// Returns the bytes: of the built-in model, those of `model/ranks.bin`.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Locates the parts. Reads only the header.
    fn open(bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        model_header::check_header(&bytes, MAGIC, VERSION)?;
        let parts = locate_parts(&bytes).filter(|parts| parts[6].end == bytes.len());
        let [profiles, common, rows, ngrams, starts, postings, strings] =
            parts.ok_or(ModelError::Damaged)?;
        Ok(Self {
            bytes,
            profiles,
            common,
            rows,
            ngrams,
            starts,
            postings,
            strings,
        })
    }

    /// Returns the number of profiles.
    pub(crate) fn len(&self) -> usize {
        self.profiles.len() / CLASS_BYTES
    }

    /// Returns the profiles, in the order of their numbers in the postings.
    pub(crate) fn profiles(&self) -> impl Iterator<Item = LanguageClass<'_>> {
        let table = &self.bytes[self.profiles.clone()];
        let strings = &self.bytes[self.strings.clone()];
        let is_builtin = matches!(self.bytes, Cow::Borrowed(_));
        classes::decode_classes(table, strings).map(move |(class, _)| match is_builtin {
            true => class.relabelled(),
            false => class,
        })
    }

    /// Returns the ranks of an n-gram in all profiles.
    #[inline]
    pub(crate) fn look_up(&self, ngram: NGram) -> NGramRanks<'_> {
        if let Some(index) = index_of(&self.bytes[self.common.clone()], ngram) {
            let width = self.len() * RANK_BYTES;
            return NGramRanks::Row(&self.bytes[self.rows.clone()][index * width..][..width]);
        }
        NGramRanks::Postings(self.postings(ngram).unwrap_or_default())
    }

    fn postings(&self, ngram: NGram) -> Option<&[u8]> {
        let index = index_of(&self.bytes[self.ngrams.clone()], ngram)?;
        let starts = &self.bytes[self.starts.clone()];
        let start = decode_u32(starts, index * START_BYTES)?;
        let end = decode_u32(starts, (index + 1) * START_BYTES)?;
        self.bytes[self.postings.clone()].get(start * POSTING_BYTES..end * POSTING_BYTES)
    }

    /// Bundles profiles into a model. Their order does not matter.
    ///
    /// # Errors
    /// Fails if there are more profiles than a model can number.
    pub fn from_profiles(profiles: &[Profile]) -> Result<Self, ModelError> {
        let number = profiles.len();
        let limit = usize::from(u16::MAX);
        if number > limit {
            return Err(ModelError::TooManyProfiles { number, limit });
        }
        let mut sorted: Vec<&Profile> = profiles.iter().collect();
        sorted.sort_by(|a, b| {
            (a.code, a.script, &a.source, &a.ngrams).cmp(&(b.code, b.script, &b.source, &b.ngrams))
        });
        Self::open(Cow::Owned(pack_profiles(&sorted)))
    }
}

/// Returns the ranges of the parts by the numbers in the header, or `None` if a number overflows or
/// the header is too short.
fn locate_parts(bytes: &[u8]) -> Option<[Range<usize>; 7]> {
    let profiles = decode_u32(bytes, 12)?;
    let common = decode_u32(bytes, 16)?;
    let ngrams = decode_u32(bytes, 20)?;
    let sizes = [
        profiles.checked_mul(CLASS_BYTES),
        common.checked_mul(NGRAM_BYTES),
        common.checked_mul(profiles)?.checked_mul(RANK_BYTES),
        ngrams.checked_mul(NGRAM_BYTES),
        ngrams.checked_add(1)?.checked_mul(START_BYTES),
        decode_u32(bytes, 24)?.checked_mul(POSTING_BYTES),
        decode_u32(bytes, 28),
    ];
    let mut parts = [const { 0..0 }; 7];
    let mut end = HEADER_BYTES;
    for (part, size) in parts.iter_mut().zip(sizes) {
        let start = end;
        end = start.checked_add(size?)?;
        *part = start..end;
    }
    Some(parts)
}

/// The ranks of one n-gram in the profiles of a model.
pub(crate) enum NGramRanks<'a> {
    /// The rank in each profile: all low bytes, then all high bytes, so that the compiler can read
    /// many at a time.
    Row(&'a [u8]),
    /// Pairs of profile and rank.
    Postings(&'a [u8]),
}

/// Returns the index of `ngram` in a sorted table.
///
/// A hand-written binary search: the branchless one of the standard library waits for each memory
/// access.
fn index_of(ngrams: &[u8], ngram: NGram) -> Option<usize> {
    let (ngrams, _) = ngrams.as_chunks::<NGRAM_BYTES>();
    let found = ngrams.binary_search_by_key(&ngram.0, |bytes| u128::from_le_bytes(*bytes));
    found.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::learn;

    fn two_profiles() -> [Profile; 2] {
        [
            learn("slv", "Danes je lep dan.", "test"),
            learn("eng", "Today is a fine day.", "test"),
        ]
    }

    #[test]
    fn lists_the_profiles_that_were_packed() {
        let model = RankModel::from_profiles(&two_profiles()).unwrap();
        let classes: Vec<_> = model
            .profiles()
            .map(|class| {
                (
                    class.code.to_string(),
                    class.name.to_owned(),
                    class.sample_tokens,
                )
            })
            .collect();
        assert_eq!(
            classes,
            [
                ("eng".into(), "name of eng".into(), 5),
                ("slv".into(), "name of slv".into(), 4)
            ]
        );
    }

    #[test]
    fn the_order_of_profiles_does_not_matter() {
        let mut profiles = two_profiles();
        let model = RankModel::from_profiles(&profiles).unwrap();
        profiles.reverse();
        assert_eq!(
            RankModel::from_profiles(&profiles).unwrap().as_bytes(),
            model.as_bytes()
        );
    }

    #[test]
    fn rejects_a_truncated_model() {
        let bytes = RankModel::from_profiles(&two_profiles())
            .unwrap()
            .as_bytes()
            .to_vec();
        assert!(RankModel::from_bytes(bytes.clone()).is_ok());
        for length in 0..bytes.len() {
            assert!(
                RankModel::from_bytes(bytes[..length].to_vec()).is_err(),
                "{length}"
            );
        }
    }

    #[test]
    fn detects_a_changed_byte() {
        let bytes = RankModel::from_profiles(&two_profiles())
            .unwrap()
            .as_bytes()
            .to_vec();
        for index in [0, 9, 12, 33, HEADER_BYTES + 5, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[index] ^= 64;
            assert!(RankModel::from_bytes(changed).is_err(), "{index}");
        }
    }

    #[test]
    fn rejects_numbers_that_overflow() {
        for numbers in [
            [u32::MAX; 5],
            [1 << 31, 1 << 31, 0, 0, 0],
            [0, 0, u32::MAX, 0, 0],
        ] {
            let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
            numbers
                .iter()
                .for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            bytes.resize(HEADER_BYTES + 64, 0);
            model_header::write_checksum(&mut bytes, HEADER_BYTES);
            assert_eq!(
                RankModel::from_bytes(bytes).map(|_| ()),
                Err(ModelError::Damaged),
                "{numbers:?}"
            );
        }
    }

    #[test]
    fn rejects_names_with_control_characters() {
        let [mut crafted, _] = two_profiles();
        crafted.name = "a\u{1b}[31mb".into();
        let bytes = RankModel::from_profiles(&[crafted])
            .unwrap()
            .as_bytes()
            .to_vec();
        assert_eq!(
            RankModel::from_bytes(bytes).map(|_| ()),
            Err(ModelError::Damaged)
        );
    }

    #[test]
    fn the_built_in_model_is_valid() {
        let model = RankModel::builtin();
        assert!(model.len() > 1000);
        assert!(RankModel::from_bytes(model.as_bytes().to_vec()).is_ok());
        assert_eq!(model.profiles().count(), model.len());
    }
}
