//! What texts of a class are expected to be like, as a model stores it.

/// Resolution of the stored evidence, in steps per nat per letter.
pub(crate) const STEPS_PER_NAT_PER_LETTER: f64 = 32.0;

/// Resolution of the stored agreement.
pub(crate) const AGREEMENT_STEPS: f64 = 255.0;

/// Expected evidence in nats per letter of a class without known words. Set by judgement, not
/// measured.
const DEFAULT_NATS_PER_LETTER: f64 = 2.0;

/// Mean of the expected agreement of all classes; that of a class without known words.
pub(crate) const USUAL_AGREEMENT: f64 = 0.83;

/// What texts of a class are expected to be like, as it is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Expectation {
    /// Evidence per letter, in 1/[`STEPS_PER_NAT_PER_LETTER`] nat; 0 if no words of the class are
    /// known.
    pub(crate) evidence: u8,
    /// Evidence of the class as a share of what it would have if all words favoured it, in
    /// 1/[`AGREEMENT_STEPS`]; 0 if no words of the class are known.
    pub(crate) agreement: u8,
}

impl Expectation {
    /// Returns the expected evidence in nats per letter.
    pub(crate) fn nats_per_letter(self) -> f64 {
        if self.evidence == 0 {
            DEFAULT_NATS_PER_LETTER
        } else {
            f64::from(self.evidence) / STEPS_PER_NAT_PER_LETTER
        }
    }

    /// Returns the expected agreement, a share.
    pub(crate) fn agreement(self) -> f64 {
        if self.agreement == 0 {
            USUAL_AGREEMENT
        } else {
            f64::from(self.agreement) / AGREEMENT_STEPS
        }
    }
}
