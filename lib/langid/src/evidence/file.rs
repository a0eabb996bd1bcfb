//! The bytes of what words and n-grams say: classes, names, and the table, which is used as it lies in memory.
//!
//! | part | entry |
//! |---|---|
//! | header, 64 bytes | magic (8), version, classes, buckets, bytes of strings (u32 each, little-endian), 32 bytes 0, check (u64) |
//! | classes, in the order of their numbers | see `classes`; typical is the evidence a letter of texts in the class, see `typical` |
//! | strings | UTF-8, then 0 up to a multiple of 64 |
//! | buckets, 64 bytes each | see `table` |

use crate::classes::{self, CLASS, Known, count};
use crate::evidence::build::{Limits, rows};
use crate::evidence::fill::fill;
use crate::evidence::sample::Sample;
use crate::evidence::score::Table;
use crate::evidence::table::{BASE_CLASS, BUCKET};
use crate::evidence::typical::typical;
use crate::ranks::ModelError;
use std::borrow::Cow;
use std::ops::Range;

const MAGIC: [u8; 8] = *b"forage\0e";
const VERSION: u32 = 2;
const HEADER: usize = 64;

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

    /// Whether this came with the program.
    pub(crate) fn is_builtin(&self) -> bool {
        matches!(self.bytes, Cow::Borrowed(bytes) if !bytes.is_empty())
    }

    /// Nothing.
    pub(crate) fn empty() -> Self {
        Evidence { bytes: Cow::Borrowed(&[]), classes: 0..0, strings: 0..0, buckets: 0..0 }
    }

    /// Reads the bytes that [`Evidence::as_bytes`] gave.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let evidence = Self::open(Cow::Owned(bytes))?;
        if classes::is_whole(&evidence.bytes, HEADER) { Ok(evidence) } else { Err(ModelError::Damaged) }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn open(bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        classes::check(&bytes, MAGIC, VERSION)?;
        let number = |at: usize| classes::number(&bytes, at).ok_or(ModelError::Damaged);
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
        let table = Table { buckets: buckets.as_chunks().0, classes: samples.len(), forgotten: &[] };
        let classes = samples.iter().zip(0..).map(|(sample, class)| (known(sample), typical(sample, class, &table)));
        let (classes, strings) = classes::write(classes);
        let counts = [VERSION as usize, samples.len(), buckets.len() / BUCKET, strings.len()];
        let mut bytes = MAGIC.to_vec();
        counts.iter().for_each(|n| bytes.extend_from_slice(&count(*n)));
        bytes.resize(HEADER, 0);
        bytes.extend_from_slice(&classes);
        bytes.extend_from_slice(&strings);
        bytes.resize(bytes.len().next_multiple_of(BUCKET), 0);
        bytes.extend_from_slice(&buckets);
        classes::seal(&mut bytes, HEADER);
        Self::open(Cow::Owned(bytes))
    }

    /// The classes, in the order of their numbers, each with what is typical of it.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (Known<'_>, u8)> {
        classes::read(&self.bytes[self.classes.clone()], &self.bytes[self.strings.clone()])
    }

    /// The table, as it is without the forgotten classes.
    pub(crate) fn table<'a>(&'a self, forgotten: &'a [bool]) -> Table<'a> {
        let buckets = self.bytes[self.buckets.clone()].as_chunks().0;
        Table { buckets, classes: self.classes.len() / CLASS, forgotten }
    }
}

fn known(sample: &Sample) -> Known<'_> {
    let Sample { code, script, name, source, words_read, .. } = sample;
    Known { code: *code, script: *script, name, words: *words_read, source }
}
