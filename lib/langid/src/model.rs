//! All that is known of some languages: for either method what it needs.
//!
//! A file holds `forage\0M`, a version (u32), 0 (u32), the number of bytes of the evidence (u64),
//! then the evidence and the ranks; each of the two has a check sum of its own. Integers are
//! little-endian.

use crate::classes::{self, ModelError};
use crate::evidence::build::EvidenceLimits;
use crate::evidence::file::Evidence;
use crate::evidence::sample::ClassSample;
use crate::profile::Profile;
use crate::ranks::Ranks;

const MAGIC: [u8; 8] = *b"forage\0M";
const VERSION: u32 = 1;
const HEADER: usize = 24;

/// What a user's own model keeps: everything.
pub(crate) const ALL: EvidenceLimits = EvidenceLimits {
    least_word: f64::NEG_INFINITY,
    least_gram: f64::NEG_INFINITY,
    word_classes: 12,
    gram_classes: 10,
    least_share: 0.4,
    buckets: None,
};

/// A model: profiles of languages, bundled.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) evidence: Evidence,
    pub(crate) ranks: Ranks,
}

impl Model {
    /// The model that comes with the program.
    pub fn builtin() -> Self {
        Model {
            evidence: Evidence::builtin(),
            ranks: Ranks::builtin(),
        }
    }

    /// Bundles profiles into a model. The order in which they are given does not matter.
    ///
    /// # Errors
    /// If there are more than a model can number.
    pub fn from_profiles(profiles: &[Profile]) -> Result<Self, ModelError> {
        let mut samples: Vec<ClassSample> = profiles.iter().map(Profile::sample).collect();
        samples.sort_by(|a, b| {
            (a.script, a.code, &a.source, &a.name).cmp(&(b.script, b.code, &b.source, &b.name))
        });
        Ok(Model {
            evidence: Evidence::of(&samples, &ALL)?,
            ranks: Ranks::pack(profiles)?,
        })
    }

    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// If they are no model, of a newer version, truncated or damaged; never panics.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        classes::check(bytes, MAGIC, VERSION)?;
        let part = |from: usize, to: usize| bytes.get(from..to).ok_or(ModelError::Damaged);
        let length = part(16, HEADER)?
            .try_into()
            .map(u64::from_le_bytes)
            .map_err(|_| ModelError::Damaged)?;
        let length = usize::try_from(length).map_err(|_| ModelError::Damaged)?;
        let rest = part(HEADER, bytes.len())?;
        let (evidence, ranks) = rest.split_at_checked(length).ok_or(ModelError::Damaged)?;
        Ok(Model {
            evidence: Evidence::from_bytes(evidence.to_vec())?,
            ranks: Ranks::from_bytes(ranks.to_vec())?,
        })
    }

    /// The model as it is written to a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let evidence = self.evidence.as_bytes();
        let length = (evidence.len() as u64).to_le_bytes();
        [
            &MAGIC,
            &VERSION.to_le_bytes()[..],
            &[0; 4],
            &length,
            evidence,
            self.ranks.as_bytes(),
        ]
        .concat()
    }
}

/// The evidence of samples, as it lies in `model/evidence.bin`: for those who make the model that
/// comes with the program.
///
/// # Errors
/// If there are more than a model can number.
pub fn pack_evidence(
    samples: &[ClassSample],
    limits: &EvidenceLimits,
) -> Result<Vec<u8>, ModelError> {
    Ok(Evidence::of(samples, limits)?.as_bytes().to_vec())
}

/// The ranks of profiles, as they lie in `model/ranks.bin`.
///
/// # Errors
/// If there are more than a model can number.
pub fn pack_ranks(profiles: &[Profile]) -> Result<Vec<u8>, ModelError> {
    Ok(Ranks::pack(profiles)?.as_bytes().to_vec())
}
