//! Models: bundles of profiles, with the data of both identification methods.
//!
//! A model file holds `forage\0M`, a version (u32), 0 (u32), the length of the evidence part in
//! bytes (u64), the evidence part and the rank part. Each part has its own checksum. Integers are
//! little-endian.

use crate::evidence::build::EvidenceLimits;
use crate::evidence::file::EvidenceModel;
use crate::evidence::sample::ClassSample;
use crate::model_header::{self, ModelError};
use crate::profile::Profile;
use crate::ranks::RankModel;

const MAGIC: [u8; 8] = *b"forage\0M";
const VERSION: u32 = 1;
const HEADER_BYTES: usize = 24;

/// Limits for a user's own model: no word and no n-gram is pruned. The others are those of the
/// built-in model (`build-langid-model` in `tests/lab/tools/langid-model`).
pub(crate) const UNPRUNED: EvidenceLimits = EvidenceLimits {
    min_word_log_probability: f64::NEG_INFINITY,
    min_ngram_log_probability: f64::NEG_INFINITY,
    classes_per_word: 12,
    classes_per_ngram: 10,
    min_evidence_share: 0.4,
    buckets: None,
};

/// A model: profiles of languages in one file.
#[derive(Debug, Clone)]
pub struct Model {
    pub(crate) evidence: EvidenceModel,
    pub(crate) ranks: RankModel,
}

impl Model {
    /// Returns the built-in model.
    pub fn builtin() -> Self {
        Model {
            evidence: EvidenceModel::builtin(),
            ranks: RankModel::builtin(),
        }
    }

    /// Returns the built-in model with other evidence.
    #[cfg(feature = "tools")]
    pub fn with_evidence(evidence: EvidenceModel) -> Self {
        let ranks = RankModel::builtin();
        Model { evidence, ranks }
    }

    /// Bundles profiles into a model. Their order does not matter.
    ///
    /// # Errors
    /// Fails if there are more profiles than a model can number.
    pub fn from_profiles(profiles: &[Profile]) -> Result<Self, ModelError> {
        let mut samples: Vec<ClassSample> = profiles.iter().map(Profile::to_sample).collect();
        samples.sort_by(|a, b| {
            (a.script, a.code, &a.source, &a.name).cmp(&(b.script, b.code, &b.source, &b.name))
        });
        Ok(Model {
            evidence: EvidenceModel::from_samples(&samples, &UNPRUNED)?,
            ranks: RankModel::from_profiles(profiles)?,
        })
    }

    /// Reads a model file.
    ///
    /// # Errors
    /// Fails if the bytes are not a model, or of another version, truncated or damaged. Never
    /// panics.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        model_header::check_header(bytes, MAGIC, VERSION)?;
        let slice = |from: usize, to: usize| bytes.get(from..to).ok_or(ModelError::Damaged);
        let length = slice(16, HEADER_BYTES)?
            .try_into()
            .map(u64::from_le_bytes)
            .map_err(|_| ModelError::Damaged)?;
        let length = usize::try_from(length).map_err(|_| ModelError::Damaged)?;
        let parts = slice(HEADER_BYTES, bytes.len())?;
        let (evidence, ranks) = parts.split_at_checked(length).ok_or(ModelError::Damaged)?;
        Ok(Model {
            evidence: EvidenceModel::from_bytes(evidence.to_vec())?,
            ranks: RankModel::from_bytes(ranks.to_vec())?,
        })
    }

    /// Returns the bytes of the model file.
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
