//! Which blocks are the main text, when each has a probability.
//!
//! What is judged in the end is F1, the harmonic mean of precision and recall over the text. It is
//! at its best when the blocks above some threshold are taken, and that threshold is half the F1
//! that can be expected (Lipton, Elkan & Naryanaswamy 2014, theorem 1): on a page where the model
//! is sure, nearly one half; where it isn't, less.

/// How much of the best threshold by expectation is asked for. The model is a bit too sure of
/// itself on pages of kinds that it knows little of; between 0.8 and 1.0 it makes no difference.
const SHARE: f32 = 0.9;
/// Bounds of the threshold.
const BOUNDS: (f32, f32) = (0.15, 0.5);

/// Whether each block is taken. `sizes` says how much text it is.
pub(crate) fn choose(probabilities: &[f32], sizes: &[usize]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| {
        probabilities[b]
            .total_cmp(&probabilities[a])
            .then(a.cmp(&b))
    });
    let expected = |at: usize| probabilities[at] * sizes[at] as f32;
    let relevant: f32 = order.iter().map(|&at| expected(at)).sum();
    let (mut hits, mut taken, mut best) = (0.0_f32, 0.0_f32, 0.0_f32);
    for at in order {
        hits += expected(at);
        taken += sizes[at] as f32;
        best = best.max(2.0 * hits / (taken + relevant));
    }
    let threshold = (best / 2.0 * SHARE).clamp(BOUNDS.0, BOUNDS.1);
    probabilities
        .iter()
        .map(|&probability| probability >= threshold)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn a_sure_page_asks_for_more_than_an_unsure_one() {
        assert_eq!(
            choose(&[0.99, 0.4, 0.01], &[500, 20, 90]),
            [true, false, false]
        );
        assert_eq!(
            choose(&[0.5, 0.4, 0.01], &[50, 50, 50]),
            [true, true, false]
        );
        assert_eq!(choose(&[0.1, 0.02], &[5, 5]), [false, false]);
        assert_eq!(choose(&[], &[]), Vec::<bool>::new());
    }
}
