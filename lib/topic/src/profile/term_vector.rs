//! The terms of a profile, and the stems of a text, as vectors.

/// The terms of a profile as a vector.
#[derive(Debug)]
pub(crate) struct TermWeights {
    /// By the number of the stem; 0 for the stems of collocations that are no terms.
    pub(super) weights: Vec<f64>,
    /// Length of the vector.
    pub(super) norm: f64,
    /// Number of terms.
    pub(super) count: usize,
    /// The weight of a stem in a text, of its frequency there.
    pub(super) in_text: fn(u32) -> f64,
}

impl TermWeights {
    /// Returns the weight of a stem; 0 if it is no term.
    pub(crate) fn of(&self, stem: u32) -> f64 {
        self.weights.get(stem as usize).copied().unwrap_or(0.0)
    }

    /// Returns the cosine with a vector that has the given product with the terms, and the given
    /// square of its length.
    pub(crate) fn cosine(&self, product: f64, squared_norm: f64) -> f64 {
        if product > 0.0 {
            product / (squared_norm.sqrt() * self.norm)
        } else {
            0.0
        }
    }
}

/// The frequencies of stems in a text: counts by the number of the stem, which are all 0 between
/// texts.
#[derive(Debug, Default)]
pub(crate) struct StemFrequencies {
    counts: Vec<u32>,
    /// Stems with a count above 0, in order of first occurrence.
    present: Vec<u32>,
}

impl StemFrequencies {
    /// Prepares for stems with numbers below `stem_count`.
    pub(crate) fn extend(&mut self, stem_count: usize) {
        if self.counts.len() < stem_count {
            self.counts.resize(stem_count, 0);
        }
    }

    pub(crate) fn add(&mut self, stem: u32) {
        let count = &mut self.counts[stem as usize];
        *count = count.saturating_add(1);
        if *count == 1 {
            self.present.push(stem);
        }
    }

    /// Returns the product with the terms and the square of the length of the text's vector, and
    /// forgets the text. Also calls `emit` with each stem.
    pub(crate) fn take_products(
        &mut self,
        terms: &TermWeights,
        mut emit: impl FnMut(u32),
    ) -> (f64, f64) {
        let (mut product, mut squared_norm) = (0.0, 0.0);
        for stem in self.present.drain(..) {
            let weight = (terms.in_text)(std::mem::take(&mut self.counts[stem as usize]));
            product += weight * terms.of(stem);
            squared_norm += weight * weight;
            emit(stem);
        }
        (product, squared_norm)
    }
}

/// Returns the weight of a stem that occurs `frequency` times: 1 + ln tf.
pub(super) fn log_frequency(frequency: u32) -> f64 {
    // Most stems of a document occur once.
    if frequency <= 1 {
        1.0
    } else {
        1.0 + libm::log(f64::from(frequency))
    }
}
