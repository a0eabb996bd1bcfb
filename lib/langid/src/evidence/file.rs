//! The bytes of what words and n-grams say: classes, names, and the table, which is used as it lies in memory.
//!
//! | part | entry |
//! |---|---|
//! | header, 64 bytes | magic (8), version, classes, buckets, bytes of strings (u32 each, little-endian), 32 bytes 0, check (u64) |
//! | classes, 32 bytes each, in the order of their numbers | code (3), 0, script (4), words (u64), name and source (start, length: u32 each) |
//! | strings | UTF-8, then 0 up to a multiple of 64 |
//! | buckets, 64 bytes each | see `table` |

use crate::code::Code;
use crate::evidence::build::{Limits, rows};
use crate::evidence::fill::fill;
use crate::evidence::sample::Sample;
use crate::evidence::score::Table;
use crate::evidence::table::{BASE_CLASS, BUCKET};
use crate::profile_file::fnv1a;
use crate::ranks::{Known, ModelError};
use crate::ranks_pack::Strings;
use crate::script::Script;
use std::borrow::Cow;
use std::ops::Range;

const MAGIC: [u8; 8] = *b"forage\0e";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const CLASS: usize = 32;

/// Bytes that lie at a multiple of 64, so that a bucket is a line of the processor's cache.
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

static BUILTIN: &Aligned<[u8]> = &Aligned(*include_bytes!("../../model/evidence.bin"));

/// What words and n-grams say for each class.
#[derive(Debug, Clone)]
pub(crate) struct Evidence {
    bytes: Cow<'static, [u8]>,
    classes: Range<usize>,
    strings: Range<usize>,
    buckets: Range<usize>,
}

impl Evidence {
    /// That which comes with the program.
    pub(crate) fn builtin() -> Self {
        // It was checked when it was made, and a test checks it again.
        Self::open(Cow::Borrowed(&BUILTIN.0)).unwrap_or_else(|_| Self::empty())
    }

    /// Nothing.
    pub(crate) fn empty() -> Self {
        Evidence { bytes: Cow::Borrowed(&[]), classes: 0..0, strings: 0..0, buckets: 0..0 }
    }

    /// Reads the bytes that [`Evidence::as_bytes`] gave.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let evidence = Self::open(Cow::Owned(bytes))?;
        let check = evidence.bytes.get(HEADER - 8..HEADER).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
        if check == Some(fnv1a(&evidence.bytes[HEADER..])) { Ok(evidence) } else { Err(ModelError::Damaged) }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn open(bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(ModelError::NotAModel);
        }
        let number = |at: usize| number_at(&bytes, at).map(|n| n as usize).ok_or(ModelError::Damaged);
        if number(8)? > VERSION as usize {
            return Err(ModelError::NewerVersion(number(8)? as u32));
        }
        let strings = HEADER + number(12)? * CLASS;
        let end = strings + number(20)?;
        let buckets = end.next_multiple_of(BUCKET);
        if number(12)? >= usize::from(BASE_CLASS) || buckets + number(16)? * BUCKET != bytes.len() {
            return Err(ModelError::Damaged);
        }
        let length = bytes.len();
        Ok(Evidence { bytes, classes: HEADER..strings, strings: strings..end, buckets: buckets..length })
    }

    /// Makes it from the samples of all classes, whose order tells their numbers.
    pub(crate) fn of(samples: &[Sample], limits: &Limits) -> Result<Self, ModelError> {
        if samples.len() >= usize::from(BASE_CLASS) {
            return Err(ModelError::TooManyProfiles(samples.len()));
        }
        let buckets = fill(rows(samples, limits), limits.buckets);
        let (mut classes, mut strings) = (Vec::new(), Strings::default());
        for sample in samples {
            classes.extend_from_slice(&sample.code.to_bytes());
            classes.push(0);
            classes.extend_from_slice(&sample.script.to_bytes());
            classes.extend_from_slice(&sample.words_read.to_le_bytes());
            classes.extend_from_slice(&strings.place(&sample.name));
            classes.extend_from_slice(&strings.place(&sample.source));
        }
        let counts = [VERSION as usize, samples.len(), buckets.len() / BUCKET, strings.bytes.len()];
        let mut bytes = MAGIC.to_vec();
        counts.iter().for_each(|n| bytes.extend_from_slice(&(*n as u32).to_le_bytes()));
        bytes.resize(HEADER, 0);
        bytes.extend_from_slice(&classes);
        bytes.extend_from_slice(&strings.bytes);
        bytes.resize(bytes.len().next_multiple_of(BUCKET), 0);
        bytes.extend_from_slice(&buckets);
        let check = fnv1a(&bytes[HEADER..]);
        bytes[HEADER - 8..HEADER].copy_from_slice(&check.to_le_bytes());
        Self::open(Cow::Owned(bytes))
    }

    /// The classes, in the order of their numbers.
    pub(crate) fn classes(&self) -> impl Iterator<Item = Known<'_>> {
        self.bytes[self.classes.clone()].chunks_exact(CLASS).filter_map(|entry| {
            Some(Known {
                code: Code::plain(std::str::from_utf8(&entry[..3]).ok()?)?,
                script: Script::new(std::str::from_utf8(&entry[4..8]).ok()?)?,
                words: u64::from_le_bytes(entry[8..16].try_into().ok()?),
                name: self.string(&entry[16..24])?,
                source: self.string(&entry[24..32])?,
            })
        })
    }

    fn string(&self, place: &[u8]) -> Option<&str> {
        let (start, length) = (number_at(place, 0)? as usize, number_at(place, 4)? as usize);
        let strings = &self.bytes[self.strings.clone()];
        std::str::from_utf8(strings.get(start..start.checked_add(length)?)?).ok()
    }

    /// The table, as it is without the forgotten classes.
    pub(crate) fn table<'a>(&'a self, forgotten: &'a [bool]) -> Table<'a> {
        let buckets = self.bytes[self.buckets.clone()].as_chunks().0;
        Table { buckets, classes: self.classes.len() / CLASS, forgotten }
    }
}

fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}
