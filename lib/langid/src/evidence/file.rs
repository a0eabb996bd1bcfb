//! The bytes of what words and n-grams say: classes, names, and the table, which is used as it lies
//! in memory.
//!
//! | part | entry |
//! |---|---|
//! | header, 64 bytes | magic (8), version, classes, buckets, bytes of strings (u32 each, little-endian), 32 bytes 0, check (u64) |
//! | classes, in the order of their numbers | see `classes`; typical is the evidence a letter of texts in the class, see `typical` |
//! | strings | UTF-8, then 0 up to a multiple of 64 |
//! | buckets, 64 bytes each | see `table` |

use crate::classes::{self, CLASS, LanguageClass, ModelError, count};
use crate::evidence::build::{EvidenceLimits, rows};
use crate::evidence::fill::fill;
use crate::evidence::sample::ClassSample;
use crate::evidence::score::Table;
use crate::evidence::table::{BASE_CLASS, BUCKET};
use crate::evidence::typical::typical;
use std::borrow::Cow;
use std::ops::Range;

const MAGIC: [u8; 8] = *b"forage\0e";
const VERSION: u32 = 2;
const HEADER: usize = 64;

/// Classes that can be numbered.
const MOST_CLASSES: usize = BASE_CLASS as usize - 1;

/// Bytes that lie at a multiple of 64, so that a bucket is a line of the processor's cache.
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

static BUILTIN: &Aligned<[u8]> = &Aligned(*include_bytes!("../../model/evidence.bin"));

#[derive(Debug, Clone, Default)]
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
        Self::open(Cow::Borrowed(&BUILTIN.0)).unwrap_or_default()
    }

    pub(crate) fn is_builtin(&self) -> bool {
        matches!(self.bytes, Cow::Borrowed(_))
    }

    /// Reads the bytes that [`Evidence::as_bytes`] gave.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let evidence = Self::open(Cow::Owned(bytes))?;
        let (table, strings) = (evidence.classes.clone(), evidence.strings.clone());
        let classes = classes::are_sound(&evidence.bytes[table], &evidence.bytes[strings]);
        if classes && classes::is_whole(&evidence.bytes, HEADER) {
            Ok(evidence)
        } else {
            Err(ModelError::Damaged)
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn open(bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        classes::check(&bytes, MAGIC, VERSION)?;
        let [classes, strings, buckets] = parts(&bytes)
            .filter(|parts| parts[2].end == bytes.len())
            .ok_or(ModelError::Damaged)?;
        Ok(Evidence {
            bytes,
            classes,
            strings,
            buckets,
        })
    }

    /// Makes it from the samples of all classes, whose order tells their numbers.
    pub(crate) fn of(samples: &[ClassSample], limits: &EvidenceLimits) -> Result<Self, ModelError> {
        let number = samples.len();
        if number > MOST_CLASSES {
            return Err(ModelError::TooManyProfiles {
                number,
                most: MOST_CLASSES,
            });
        }
        let buckets = fill(rows(samples, limits), limits.buckets);
        let table = Table {
            buckets: buckets.as_chunks().0,
            classes: samples.len(),
            forgotten: &[],
        };
        let classes = samples
            .iter()
            .zip(0..)
            .map(|(sample, class)| (known(sample), typical(sample, class, &table)));
        let (classes, strings) = classes::write(classes);
        let counts = [
            VERSION as usize,
            samples.len(),
            buckets.len() / BUCKET,
            strings.len(),
        ];
        let mut bytes = MAGIC.to_vec();
        counts
            .iter()
            .for_each(|n| bytes.extend_from_slice(&count(*n)));
        bytes.resize(HEADER, 0);
        bytes.extend_from_slice(&classes);
        bytes.extend_from_slice(&strings);
        bytes.resize(bytes.len().next_multiple_of(BUCKET), 0);
        bytes.extend_from_slice(&buckets);
        classes::seal(&mut bytes, HEADER);
        Self::open(Cow::Owned(bytes))
    }

    /// The classes, in the order of their numbers, each with what is typical of it.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (LanguageClass<'_>, u8)> {
        classes::read(
            &self.bytes[self.classes.clone()],
            &self.bytes[self.strings.clone()],
        )
    }

    /// The table, as it is without the forgotten classes.
    pub(crate) fn table<'a>(&'a self, forgotten: &'a [bool]) -> Table<'a> {
        let buckets = self.bytes[self.buckets.clone()].as_chunks().0;
        Table {
            buckets,
            classes: self.classes.len() / CLASS,
            forgotten,
        }
    }
}

/// Where classes, strings and buckets are, by the numbers in the header; nothing where these can't
/// be true.
fn parts(bytes: &[u8]) -> Option<[Range<usize>; 3]> {
    let number = |at: usize| classes::number(bytes, at);
    let classes = number(12).filter(|number| *number <= MOST_CLASSES)? * CLASS;
    let strings = HEADER + classes;
    let end = strings.checked_add(number(20)?)?;
    let buckets = end.checked_next_multiple_of(BUCKET)?;
    let length = buckets.checked_add(number(16)?.checked_mul(BUCKET)?)?;
    Some([HEADER..strings, strings..end, buckets..length])
}

fn known(sample: &ClassSample) -> LanguageClass<'_> {
    let ClassSample {
        code,
        script,
        name,
        source,
        sample_tokens,
        ..
    } = sample;
    LanguageClass {
        code: *code,
        script: *script,
        name,
        words: *sample_tokens,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ALL;

    fn sample(code: &str) -> ClassSample {
        let (name, source) = (String::new(), String::new());
        let (words, grams) = (vec![("dan".to_owned(), 1.0)], Vec::new());
        let script = crate::script::Script::new("Latn").unwrap();
        ClassSample {
            code: code.parse().unwrap(),
            script,
            name,
            source,
            sample_tokens: 1,
            words,
            grams,
        }
    }

    #[test]
    fn too_many_are_refused_with_the_number_that_there_may_be() {
        assert!(Evidence::of(&vec![sample("qaa"); MOST_CLASSES], &ALL).is_ok());
        let error = Evidence::of(&vec![sample("qaa"); MOST_CLASSES + 1], &ALL).unwrap_err();
        assert_eq!(
            error.to_string(),
            "4095 profiles are more than the 4094 that a model can hold"
        );
    }

    #[test]
    fn what_can_not_be_true_is_refused() {
        let bytes = Evidence::of(&[sample("qaa")], &ALL)
            .unwrap()
            .as_bytes()
            .to_vec();
        assert!(Evidence::from_bytes(bytes.clone()).is_ok());
        for at in [12, 16, 20] {
            let mut crafted = bytes.clone();
            crafted[at..at + 4].fill(0xff);
            assert!(Evidence::from_bytes(crafted).is_err());
        }
        let mut crafted = bytes;
        crafted[HEADER] = b'X';
        classes::seal(&mut crafted, HEADER);
        assert!(
            Evidence::from_bytes(crafted).is_err(),
            "a class that can't be read"
        );
    }
}
