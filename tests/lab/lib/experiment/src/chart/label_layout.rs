//! Layout of the names at the ends of lines: overlapping names are moved apart.

/// Returns a position for each name, as near to its wanted position as possible. Positions are at
/// least `height` apart, lie within `0..=max`, and keep the order of the wanted positions. All
/// numbers are distances along the direction in which the names are stacked.
pub(crate) fn spread_labels(wanted: &[f64], height: f64, max: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // A block of touching names is centred on the wanted positions of its names. A block that
    // touches the previous one is merged into it.
    let mut blocks: Vec<LabelBlock> = Vec::new();
    for &label in &order {
        let mut block = LabelBlock {
            labels: vec![label],
            sum: wanted[label],
        };
        while let Some(previous) = blocks
            .last()
            .filter(|previous| previous.end(height, max) > block.start(height, max))
        {
            block = previous.merge(&block, height);
            blocks.pop();
        }
        blocks.push(block);
    }
    let mut positions = vec![0.0; wanted.len()];
    for block in &blocks {
        let start = block.start(height, max);
        for (index, &label) in block.labels.iter().enumerate() {
            positions[label] = start + index as f64 * height;
        }
    }
    positions
}

/// A stack of touching names.
struct LabelBlock {
    labels: Vec<usize>,
    /// The sum over all names of the start of the block for which that name has its wanted
    /// position.
    sum: f64,
}

impl LabelBlock {
    fn start(&self, height: f64, max: f64) -> f64 {
        let length = (self.labels.len() - 1) as f64 * height;
        (self.sum / self.labels.len() as f64)
            .min(max - length)
            .max(0.0)
    }

    fn end(&self, height: f64, max: f64) -> f64 {
        self.start(height, max) + self.labels.len() as f64 * height
    }

    /// Returns the block of the names of this one, followed by those of `next`.
    fn merge(&self, next: &LabelBlock, height: f64) -> LabelBlock {
        let offset = self.labels.len() as f64 * height;
        LabelBlock {
            labels: self.labels.iter().chain(&next.labels).copied().collect(),
            sum: self.sum + next.sum - offset * next.labels.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::spread_labels;

    #[test]
    fn names_with_enough_space_keep_their_positions() {
        assert_eq!(
            spread_labels(&[50.0, 10.0, 90.0], 10.0, 100.0),
            [50.0, 10.0, 90.0]
        );
    }

    #[test]
    fn touching_names_move_apart_by_equal_distances() {
        assert_eq!(spread_labels(&[50.0, 52.0], 10.0, 100.0), [46.0, 56.0]);
    }

    #[test]
    fn names_stay_within_the_chart_and_in_order() {
        assert_eq!(
            spread_labels(&[99.0, 100.0, 98.0], 10.0, 100.0),
            [90.0, 100.0, 80.0]
        );
        assert_eq!(spread_labels(&[0.0, 1.0], 10.0, 100.0), [0.0, 10.0]);
        assert!(spread_labels(&[], 10.0, 100.0).is_empty());
    }
}
