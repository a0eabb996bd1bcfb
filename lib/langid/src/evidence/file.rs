//! The evidence part of a model: built in, read from a file, or computed from samples.

use crate::classes::{self, CLASS_BYTES, LanguageClass};
use crate::evidence::build::{EvidenceLimits, build_rows};
use crate::evidence::expected::expectation;
use crate::evidence::fill::fill_buckets;
use crate::evidence::layout::{HEADER_BYTES, MAGIC, MAX_CLASSES, VERSION, locate_parts};
use crate::evidence::sample::ClassSample;
use crate::evidence::table::{BUCKET_BYTES, EvidenceTable};
use crate::expectation::Expectation;
use crate::format::encode_u32;
use crate::model_header::{self, ModelError};
use std::borrow::Cow;
use std::ops::Range;
#[cfg(not(full_model))]
use {
    crate::evidence::packed::{self, PaddedBytes},
    std::sync::OnceLock,
};

/// Bytes at an address that is a multiple of 64, so that a bucket is a cache line.
#[cfg(full_model)]
#[repr(C, align(64))]
struct Aligned<B: ?Sized>(B);

/// Returns the evidence part of the built-in model.
#[cfg(full_model)]
fn builtin_bytes() -> &'static [u8] {
    static BUILTIN: &Aligned<[u8]> = &Aligned(*include_bytes!("../../model/evidence.bin"));
    &BUILTIN.0
}

/// Returns the evidence part of the built-in model, which is unpacked once.
#[cfg(not(full_model))]
fn builtin_bytes() -> &'static [u8] {
    static BUILTIN: OnceLock<Option<PaddedBytes>> = OnceLock::new();
    let packed = include_bytes!("../../model/compact.bin");
    let unpacked = BUILTIN.get_or_init(|| packed::unpack(packed));
    unpacked.as_ref().map_or(&[], PaddedBytes::as_bytes)
}

/// The evidence part of a model.
#[derive(Debug, Clone, Default)]
pub struct EvidenceModel {
    bytes: Cow<'static, [u8]>,
    classes: Range<usize>,
    strings: Range<usize>,
    buckets: Range<usize>,
}

impl EvidenceModel {
    /// Returns the evidence part of the built-in model.
    pub(crate) fn builtin() -> Self {
        // It was checked when it was built, and a test checks it again.
        Self::open(Cow::Borrowed(builtin_bytes())).unwrap_or_default()
    }

    pub(crate) fn is_builtin(&self) -> bool {
        matches!(self.bytes, Cow::Borrowed(_))
    }

    /// Reads what [`EvidenceModel::as_bytes`] returned.
    ///
    /// # Errors
    /// Fails if the bytes are not the evidence part of a model, or are truncated or damaged.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, ModelError> {
        let model = Self::open(Cow::Owned(bytes))?;
        model_header::check_part(&model.bytes, HEADER_BYTES, &model.classes, &model.strings)?;
        Ok(model)
    }

    /// Returns the bytes: of the built-in model, those of `model/evidence.bin`.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Locates the parts. Reads only the header.
    fn open(bytes: Cow<'static, [u8]>) -> Result<Self, ModelError> {
        model_header::check_header(&bytes, MAGIC, VERSION)?;
        let parts = locate_parts(&bytes).filter(|parts| parts[2].end == bytes.len());
        let [classes, strings, buckets] = parts.ok_or(ModelError::Damaged)?;
        Ok(EvidenceModel {
            bytes,
            classes,
            strings,
            buckets,
        })
    }

    /// Computes the evidence from the samples of all classes, numbered in this order.
    ///
    /// # Errors
    /// Fails if there are more samples than a model can number.
    pub fn from_samples(
        samples: &[ClassSample],
        limits: &EvidenceLimits,
    ) -> Result<Self, ModelError> {
        let number = samples.len();
        if number > MAX_CLASSES {
            return Err(ModelError::TooManyProfiles {
                number,
                limit: MAX_CLASSES,
            });
        }
        let buckets = fill_buckets(build_rows(samples, limits), limits.buckets);
        let table = EvidenceTable {
            buckets: buckets.as_chunks().0,
            classes: samples.len(),
            excluded: &[],
        };
        let expect = |(sample, class)| (to_class(sample), expectation(sample, class, &table));
        let (classes, strings) = classes::encode_classes(samples.iter().zip(0..).map(expect));
        let (class_count, bucket_count) = (samples.len(), buckets.len() / BUCKET_BYTES);
        let header = [VERSION as usize, class_count, bucket_count, strings.len()];
        let mut bytes = MAGIC.to_vec();
        bytes.extend(header.into_iter().flat_map(encode_u32));
        bytes.resize(HEADER_BYTES, 0);
        bytes.extend_from_slice(&classes);
        bytes.extend_from_slice(&strings);
        bytes.resize(bytes.len().next_multiple_of(BUCKET_BYTES), 0);
        bytes.extend_from_slice(&buckets);
        model_header::write_checksum(&mut bytes, HEADER_BYTES);
        Self::open(Cow::Owned(bytes))
    }

    /// Returns the classes, in the order of their numbers, each with what is expected of
    /// its texts.
    pub(crate) fn classes(&self) -> impl Iterator<Item = (LanguageClass<'_>, Expectation)> {
        let table = &self.bytes[self.classes.clone()];
        let is_builtin = self.is_builtin();
        let classes = classes::decode_classes(table, &self.bytes[self.strings.clone()]);
        classes.map(move |(class, expected)| match is_builtin {
            true => (class.relabelled(), expected),
            false => (class, expected),
        })
    }

    /// Returns the table without the excluded classes.
    pub(crate) fn table<'a>(&'a self, excluded: &'a [bool]) -> EvidenceTable<'a> {
        EvidenceTable {
            buckets: self.bytes[self.buckets.clone()].as_chunks().0,
            classes: self.classes.len() / CLASS_BYTES,
            excluded,
        }
    }
}

fn to_class(sample: &ClassSample) -> LanguageClass<'_> {
    LanguageClass {
        code: sample.code,
        script: sample.script,
        name: &sample.name,
        sample_tokens: sample.sample_tokens,
        source: &sample.source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::UNPRUNED;

    fn sample(code: &str) -> ClassSample {
        let (name, source) = (String::new(), String::new());
        let (words, ngrams) = (vec![("dan".to_owned(), 1.0)], Vec::new());
        let script = crate::script::Script::new("Latn").unwrap();
        ClassSample {
            code: code.parse().unwrap(),
            script,
            name,
            source,
            sample_tokens: 1,
            words,
            ngrams,
        }
    }

    #[test]
    fn rejects_too_many_classes_and_names_the_limit() {
        assert!(EvidenceModel::from_samples(&vec![sample("qaa"); MAX_CLASSES], &UNPRUNED).is_ok());
        let error = EvidenceModel::from_samples(&vec![sample("qaa"); MAX_CLASSES + 1], &UNPRUNED)
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "4095 profiles exceed the limit of 4094 per model"
        );
    }

    #[test]
    fn rejects_impossible_numbers_and_invalid_classes() {
        let bytes = EvidenceModel::from_samples(&[sample("qaa")], &UNPRUNED)
            .unwrap()
            .as_bytes()
            .to_vec();
        assert!(EvidenceModel::from_bytes(bytes.clone()).is_ok());
        for offset in [12, 16, 20] {
            let mut crafted = bytes.clone();
            crafted[offset..offset + 4].fill(0xff);
            assert!(EvidenceModel::from_bytes(crafted).is_err());
        }
        let mut crafted = bytes;
        crafted[HEADER_BYTES] = b'X';
        model_header::write_checksum(&mut crafted, HEADER_BYTES);
        assert!(
            EvidenceModel::from_bytes(crafted).is_err(),
            "an invalid class"
        );
    }
}
