//! Many profiles in one table of bytes, inverted: for each n-gram the profiles that have it, with its rank there.
//!
//! A model is used as it lies in memory: nothing is parsed or copied at the start, so that a thousand languages cost a
//! short-lived process nothing. Integers are little-endian. In this order:
//!
//! | part | entry |
//! |---|---|
//! | header, 40 bytes | magic (8), version, profiles, common n-grams, other n-grams, postings, bytes of strings (u32 each), check (u64) |
//! | profiles, sorted by code and script | code (3), 0, script (4), words (u64), name and source (start, length: u32 each) |
//! | common n-grams, sorted | the packed n-gram (u128) |
//! | rows, one a common n-gram | the ranks in all profiles, 65535 where the n-gram is absent: all low bytes, then all high bytes |
//! | other n-grams, sorted | the packed n-gram (u128) |
//! | starts, one more than other n-grams | where the n-gram's postings start (u32) |
//! | postings, sorted by profile | profile (u16), rank (u16) |
//! | strings | UTF-8 |
//!
//! N-grams that an eighth of the profiles have are common. A text has many of them, and a row is added up several
//! profiles at a time, ten times as fast as that many postings.

use crate::code::Code;
use crate::ngram::NGram;
use crate::profile::Profile;
use crate::profile_file::fnv1a;
use crate::ranks_pack::pack;
use crate::script::Script;
use std::borrow::Cow;
use std::ops::Range;

pub(crate) const MAGIC: [u8; 8] = *b"forage\0m";
pub(crate) const VERSION: u32 = 1;
pub(crate) const HEADER: usize = 40;
const PROFILE: usize = 32;
pub(crate) const NGRAM: usize = 16;
const START: usize = 4;
pub(crate) const POSTING: usize = 4;
pub(crate) const PLACE: usize = 2;
/// The rank, in a row, of an n-gram that the profile lacks.
pub(crate) const ABSENT: u16 = u16::MAX;

/// Why bytes are not a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// They begin otherwise.
    #[error("not a language model; make one with ngram-profile --pack")]
    NotAModel,
    /// Written by a later version of this program.
    #[error("language model of version {0}, this program reads {VERSION}; use a newer one")]
    NewerVersion(u32),
    /// The end is missing or something was changed.
    #[error("language model is truncated or damaged; make it again with ngram-profile --pack")]
    Damaged,
    /// More profiles than a model can number.
    #[error("{0} profiles are more than the {most} that a model can hold", most = u16::MAX)]
    TooManyProfiles(usize),
}

/// An inverted table of profiles.
#[derive(Debug, Clone)]
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

/// A profile of a model, without its n-grams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known<'a> {
    /// The language.
    pub code: Code,
    /// The script of the sample.
    pub script: Script,
    /// English name of the language.
    pub name: &'a str,
    /// Size of the sample in words.
    pub words: u64,
    /// Where the sample came from.
    pub source: &'a str,
}

impl Ranks {
    /// The model that comes with the program.
    pub(crate) fn builtin() -> Self {
        // It was checked when it was made, and a test checks it again.
        Self::open(Cow::Borrowed(include_bytes!("../model/ranks.bin"))).unwrap_or_else(|_| Self::empty())
    }

    /// A model that knows nothing.
    pub(crate) fn empty() -> Self {
        let [profiles, common, rows, ngrams, starts, postings, strings] = std::array::from_fn(|_| 0..0);
        Self { bytes: Cow::Borrowed(&[]), profiles, common, rows, ngrams, starts, postings, strings }
    }

    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// If they are no model, of a newer version, truncated or damaged; never panics.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let model = Self::open(Cow::Owned(bytes))?;
        let check = model.bytes.get(HEADER - 8..HEADER).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        if check == Some(fnv1a(&model.bytes[HEADER..])) { Ok(model) } else { Err(ModelError::Damaged) }
    }

    /// The model as it is written to a file.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Finds the parts; looks at the header only.
    fn open(bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(ModelError::NotAModel);
        }
        let number = |at| read_u32(&bytes, at).map(|n| n as usize).ok_or(ModelError::Damaged);
        let version = number(8)?;
        if version > VERSION as usize {
            return Err(ModelError::NewerVersion(version as u32));
        }
        let (profiles, common, ngrams, postings) = (number(12)?, number(16)?, number(20)?, number(24)?);
        let rows = common * profiles * PLACE;
        let sizes = [
            profiles * PROFILE,
            common * NGRAM,
            rows,
            ngrams * NGRAM,
            (ngrams + 1) * START,
            postings * POSTING,
            number(28)?,
        ];
        let mut end = HEADER;
        let parts = sizes.map(|size| {
            end += size;
            end - size..end
        });
        if end != bytes.len() {
            return Err(ModelError::Damaged);
        }
        let [profiles, common, rows, ngrams, starts, postings, strings] = parts;
        Ok(Self { bytes, profiles, common, rows, ngrams, starts, postings, strings })
    }

    /// Number of profiles.
    pub(crate) fn len(&self) -> usize {
        self.profiles.len() / PROFILE
    }

    /// The profiles, in the order of the numbers in the postings.
    pub(crate) fn profiles(&self) -> impl Iterator<Item = Known<'_>> {
        self.bytes[self.profiles.clone()].chunks_exact(PROFILE).filter_map(|entry| {
            let code = std::str::from_utf8(&entry[..3]).ok()?;
            let script = std::str::from_utf8(&entry[4..8]).ok()?;
            Some(Known {
                code: Code::plain(code)?,
                script: Script::new(script)?,
                words: u64::from_le_bytes(entry[8..16].try_into().ok()?),
                name: self.string(&entry[16..24])?,
                source: self.string(&entry[24..32])?,
            })
        })
    }

    fn string(&self, place: &[u8]) -> Option<&str> {
        let (start, length) = (read_u32(place, 0)? as usize, read_u32(place, 4)? as usize);
        let strings = &self.bytes[self.strings.clone()];
        std::str::from_utf8(strings.get(start..start.checked_add(length)?)?).ok()
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
        let (start, end) = (read_u32(starts, index * START)?, read_u32(starts, (index + 1) * START)?);
        self.bytes[self.postings.clone()].get(start as usize * POSTING..end as usize * POSTING)
    }

    /// Bundles profiles into a model. The order in which they are given does not matter.
    ///
    /// # Errors
    /// If there are more than a model can number.
    pub(crate) fn pack(profiles: &[Profile]) -> Result<Self, ModelError> {
        if profiles.len() > usize::from(u16::MAX) {
            return Err(ModelError::TooManyProfiles(profiles.len()));
        }
        let mut sorted: Vec<&Profile> = profiles.iter().collect();
        sorted.sort_by(|a, b| (a.code, a.script, &a.source, &a.ngrams).cmp(&(b.code, b.script, &b.source, &b.ngrams)));
        Self::open(Cow::Owned(pack(&sorted)))
    }
}

/// The profiles that have an n-gram.
pub(crate) enum Found<'a> {
    /// The rank in each profile: all low bytes, then all high bytes, so that many are read at a time.
    Row(&'a [u8]),
    /// Profiles and ranks.
    Postings(&'a [u8]),
}

/// Where `ngram` stands in a sorted table.
fn index_of(ngrams: &[u8], ngram: NGram) -> Option<usize> {
    let (mut low, mut high) = (0, ngrams.len() / NGRAM);
    while low < high {
        let middle = usize::midpoint(low, high);
        let bytes = ngrams.get(middle * NGRAM..)?.first_chunk()?;
        match u128::from_le_bytes(*bytes).cmp(&ngram.0) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Some(middle),
        }
    }
    None
}

fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|b| u32::from_le_bytes(*b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Learner;

    fn profile(code: &str, text: &str) -> Profile {
        let mut learner = Learner::new();
        learner.text(text);
        learner.finish(code.parse().unwrap(), &format!("name of {code}"), "test").unwrap().0
    }

    fn two() -> [Profile; 2] {
        [profile("slv", "Danes je lep dan."), profile("eng", "Today is a fine day.")]
    }

    #[test]
    fn profiles_are_found_again() {
        let model = Ranks::pack(&two()).unwrap();
        let found: Vec<_> = model.profiles().map(|k| (k.code.to_string(), k.name.to_owned(), k.words)).collect();
        assert_eq!(found, [("eng".into(), "name of eng".into(), 5), ("slv".into(), "name of slv".into(), 4)]);
    }

    #[test]
    fn the_order_of_profiles_does_not_matter() {
        let [a, b] = two();
        assert_eq!(Ranks::pack(&[a, b]).unwrap().as_bytes(), {
            let [a, b] = two();
            Ranks::pack(&[b, a]).unwrap().as_bytes().to_vec()
        });
    }

    #[test]
    fn no_truncated_model_is_read() {
        let bytes = Ranks::pack(&two()).unwrap().as_bytes().to_vec();
        assert!(Ranks::from_bytes(bytes.clone()).is_ok());
        for length in 0..bytes.len() {
            assert!(Ranks::from_bytes(bytes[..length].to_vec()).is_err(), "{length}");
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
    fn the_built_in_model_is_whole() {
        let model = Ranks::builtin();
        assert!(model.len() > 1000);
        assert!(Ranks::from_bytes(model.as_bytes().to_vec()).is_ok());
        assert_eq!(model.profiles().count(), model.len());
    }
}
