//! Selection of the main text from the probabilities of the blocks.
//!
//! The measure to maximise is F1, the harmonic mean of precision and recall over the text. It is
//! highest if the blocks above a threshold are selected that is half the highest expected F1
//! (Lipton, Elkan & Naryanaswamy 2014, theorem 1): close to one half on a page where the model is
//! certain, and lower on others.

/// Share of the optimal threshold to use, since the model is slightly overconfident on kinds of
/// pages that are rare in its training data. Set by judgement: values from 0.8 to 1.0 give the same
/// results.
const THRESHOLD_SHARE: f32 = 0.9;
/// Lowest and highest threshold. Set by judgement, not measured.
const THRESHOLD_BOUNDS: (f32, f32) = (0.15, 0.5);

/// Returns for each block if it is selected. `sizes` are the text sizes of the blocks.
pub(crate) fn select_blocks(probabilities: &[f32], sizes: &[usize]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..probabilities.len()).collect();
    order.sort_by(|&a, &b| {
        probabilities[b]
            .total_cmp(&probabilities[a])
            .then(a.cmp(&b))
    });
    let expected_relevant = |block: usize| probabilities[block] * sizes[block] as f32;
    let all_relevant: f32 = order.iter().map(|&block| expected_relevant(block)).sum();
    let mut selected_relevant = 0.0_f32;
    let mut selected = 0.0_f32;
    let mut best_f1 = 0.0_f32;
    for block in order {
        selected_relevant += expected_relevant(block);
        selected += sizes[block] as f32;
        best_f1 = best_f1.max(2.0 * selected_relevant / (selected + all_relevant));
    }
    let (lowest, highest) = THRESHOLD_BOUNDS;
    let threshold = (best_f1 / 2.0 * THRESHOLD_SHARE).clamp(lowest, highest);
    probabilities
        .iter()
        .map(|&probability| probability >= threshold)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::select_blocks;

    #[test]
    fn the_threshold_is_higher_on_a_page_with_certain_blocks() {
        assert_eq!(
            select_blocks(&[0.99, 0.4, 0.01], &[500, 20, 90]),
            [true, false, false]
        );
        assert_eq!(
            select_blocks(&[0.5, 0.4, 0.01], &[50, 50, 50]),
            [true, true, false]
        );
        assert_eq!(select_blocks(&[0.1, 0.02], &[5, 5]), [false, false]);
        assert_eq!(select_blocks(&[], &[]), Vec::<bool>::new());
    }
}
