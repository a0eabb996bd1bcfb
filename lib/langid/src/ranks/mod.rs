//! Many profiles in one table of bytes, inverted: for each n-gram the profiles that have it, with
//! its rank there.
//!
//! A model is used as it lies in memory: nothing is parsed or copied at the start, so that a
//! thousand languages cost a short-lived process nothing. Integers are little-endian. In this
//! order:
//!
//! | part | entry |
//! |---|---|
//! | header, 40 bytes | magic (8), version, profiles, common n-grams, other n-grams, postings, bytes of strings (u32 each), check (u64) |
//! | profiles, sorted by code and script | see `classes` |
//! | common n-grams, sorted | the packed n-gram (u128) |
//! | rows, one a common n-gram | the ranks in all profiles, 65535 where the n-gram is absent: all low bytes, then all high bytes |
//! | other n-grams, sorted | the packed n-gram (u128) |
//! | starts, one more than other n-grams | where the n-gram's postings start (u32) |
//! | postings, sorted by profile | profile (u16), rank (u16) |
//! | strings | UTF-8 |
//!
//! N-grams that an eighth of the profiles have are common. A text has many of them, and a row is
//! added up several profiles at a time, ten times as fast as that many postings.

mod pack;

use crate::classes::{self, CLASS, LanguageClass, ModelError, number};
use crate::ngram::NGram;
use crate::profile::Profile;
use pack::pack;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

pub(crate) const MAGIC: [u8; 8] = *b"forage\0m";
pub(crate) const VERSION: u32 = 1;
pub(crate) const HEADER: usize = 40;
pub(crate) const NGRAM: usize = 16;
const START: usize = 4;
pub(crate) const POSTING: usize = 4;
pub(crate) const PLACE: usize = 2;
/// The rank, in a row, of an n-gram that the profile lacks.
pub(crate) const ABSENT: u16 = u16::MAX;

#[derive(Debug, Clone, Default)]
pub(crate) struct Ranks {
    bytes: Cow<'static, [u8]>,
    profiles: Range<usize>,
    common: Range<usize>,
    rows: Range<usize>,
    ngrams: Range<usize>,
    starts: Range<usize>,
    postings: Range<usize>,
    strings: Range<usize>,
}

impl Ranks {
    /// The model that comes with the program.
    pub(crate) fn builtin() -> Self {
        // It was checked when it was made, and a test checks it again.
        Self::open(Cow::Borrowed(include_bytes!("../../model/ranks.bin"))).unwrap_or_default()
    }

    /// Reads the bytes that [`Ranks::as_bytes`] gave.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let model = Self::open(Cow::Owned(bytes))?;
        let classes = classes::are_sound(
            &model.bytes[model.profiles.clone()],
            &model.bytes[model.strings.clone()],
        );
        if classes && classes::is_whole(&model.bytes, HEADER) {
            Ok(model)
        } else {
            Err(ModelError::Damaged)
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Finds the parts; looks at the header only.
    fn open(bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        classes::check(&bytes, MAGIC, VERSION)?;
        let parts = parts(&bytes)
            .filter(|parts| parts[6].end == bytes.len())
            .ok_or(ModelError::Damaged)?;
        let [profiles, common, rows, ngrams, starts, postings, strings] = parts;
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

    pub(crate) fn len(&self) -> usize {
        self.profiles.len() / CLASS
    }

    /// The profiles, in the order of the numbers in the postings.
    pub(crate) fn profiles(&self) -> impl Iterator<Item = LanguageClass<'_>> {
        let (table, strings) = (
            &self.bytes[self.profiles.clone()],
            &self.bytes[self.strings.clone()],
        );
        classes::read(table, strings).map(|(known, _)| known)
    }

    /// What is known of an n-gram.
    #[inline]
    pub(crate) fn find(&self, ngram: NGram) -> Found<'_> {
        if let Some(index) = index_of(&self.bytes[self.common.clone()], ngram) {
            let width = self.len() * PLACE;
            return Found::Row(&self.bytes[self.rows.clone()][index * width..][..width]);
        }
        Found::Postings(self.postings(ngram).unwrap_or_default())
    }

    fn postings(&self, ngram: NGram) -> Option<&[u8]> {
        let index = index_of(&self.bytes[self.ngrams.clone()], ngram)?;
        let starts = &self.bytes[self.starts.clone()];
        let (start, end) = (
            number(starts, index * START)?,
            number(starts, (index + 1) * START)?,
        );
        self.bytes[self.postings.clone()].get(start * POSTING..end * POSTING)
    }

    /// Bundles profiles into a model. The order in which they are given does not matter.
    pub(crate) fn pack(profiles: &[Profile]) -> Result<Self, ModelError> {
        let (number, most) = (profiles.len(), usize::from(u16::MAX));
        if number > most {
            return Err(ModelError::TooManyProfiles { number, most });
        }
        let mut sorted: Vec<&Profile> = profiles.iter().collect();
        sorted.sort_by(|a, b| {
            (a.code, a.script, &a.source, &a.ngrams).cmp(&(b.code, b.script, &b.source, &b.ngrams))
        });
        Self::open(Cow::Owned(pack(&sorted)))
    }
}

/// Where the parts are, by the numbers in the header; nothing where these can't be true.
fn parts(bytes: &[u8]) -> Option<[Range<usize>; 7]> {
    let (profiles, common, ngrams) = (number(bytes, 12)?, number(bytes, 16)?, number(bytes, 20)?);
    let sizes = [
        profiles.checked_mul(CLASS),
        common.checked_mul(NGRAM),
        common.checked_mul(profiles)?.checked_mul(PLACE),
        ngrams.checked_mul(NGRAM),
        ngrams.checked_add(1)?.checked_mul(START),
        number(bytes, 24)?.checked_mul(POSTING),
        number(bytes, 28),
    ];
    let mut parts = [const { 0..0 }; 7];
    let mut end = HEADER;
    for (part, size) in parts.iter_mut().zip(sizes) {
        let start = end;
        end = start.checked_add(size?)?;
        *part = start..end;
    }
    Some(parts)
}

/// The profiles that have an n-gram.
pub(crate) enum Found<'a> {
    /// The rank in each profile: all low bytes, then all high bytes, so that many are read at a
    /// time.
    Row(&'a [u8]),
    /// Profiles and ranks.
    Postings(&'a [u8]),
}

/// Where `ngram` stands in a sorted table. Written out, as the branchless search of the standard
/// library waits for each access to memory.
fn index_of(ngrams: &[u8], ngram: NGram) -> Option<usize> {
    let (ngrams, _) = ngrams.as_chunks::<NGRAM>();
    let (mut low, mut high) = (0, ngrams.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        match u128::from_le_bytes(*ngrams.get(middle)?).cmp(&ngram.0) {
            Ordering::Less => low = middle + 1,
            Ordering::Greater => high = middle,
            Ordering::Equal => return Some(middle),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::tests::learn;

    fn two() -> [Profile; 2] {
        [
            learn("slv", "Danes je lep dan.", "test"),
            learn("eng", "Today is a fine day.", "test"),
        ]
    }

    #[test]
    fn profiles_are_found_again() {
        let model = Ranks::pack(&two()).unwrap();
        let found: Vec<_> = model
            .profiles()
            .map(|k| (k.code.to_string(), k.name.to_owned(), k.words))
            .collect();
        assert_eq!(
            found,
            [
                ("eng".into(), "name of eng".into(), 5),
                ("slv".into(), "name of slv".into(), 4)
            ]
        );
    }

    #[test]
    fn the_order_of_profiles_does_not_matter() {
        let mut profiles = two();
        let model = Ranks::pack(&profiles).unwrap();
        profiles.reverse();
        assert_eq!(Ranks::pack(&profiles).unwrap().as_bytes(), model.as_bytes());
    }

    #[test]
    fn no_truncated_model_is_read() {
        let bytes = Ranks::pack(&two()).unwrap().as_bytes().to_vec();
        assert!(Ranks::from_bytes(bytes.clone()).is_ok());
        for length in 0..bytes.len() {
            assert!(
                Ranks::from_bytes(bytes[..length].to_vec()).is_err(),
                "{length}"
            );
        }
    }

    #[test]
    fn a_changed_byte_is_noticed() {
        let bytes = Ranks::pack(&two()).unwrap().as_bytes().to_vec();
        for at in [0, 9, 12, 33, HEADER + 5, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 64;
            assert!(Ranks::from_bytes(changed).is_err(), "{at}");
        }
    }

    #[test]
    fn numbers_that_wrap_around_are_refused() {
        for numbers in [
            [u32::MAX; 5],
            [1 << 31, 1 << 31, 0, 0, 0],
            [0, 0, u32::MAX, 0, 0],
        ] {
            let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
            numbers
                .iter()
                .for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            bytes.resize(HEADER + 64, 0);
            classes::seal(&mut bytes, HEADER);
            assert_eq!(
                Ranks::from_bytes(bytes).map(|_| ()),
                Err(ModelError::Damaged),
                "{numbers:?}"
            );
        }
    }

    #[test]
    fn names_that_no_tool_writes_are_refused() {
        let [mut crafted, _] = two();
        crafted.name = "a\u{1b}[31mb".into();
        let bytes = Ranks::pack(&[crafted]).unwrap().as_bytes().to_vec();
        assert_eq!(
            Ranks::from_bytes(bytes).map(|_| ()),
            Err(ModelError::Damaged)
        );
    }

    #[test]
    fn the_built_in_model_is_whole() {
        let model = Ranks::builtin();
        assert!(model.len() > 1000);
        assert!(Ranks::from_bytes(model.as_bytes().to_vec()).is_ok());
        assert_eq!(model.profiles().count(), model.len());
    }
}
