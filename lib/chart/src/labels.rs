//! Names at the ends of lines, moved apart so that none covers another.

/// Where names go: as near to where they are wanted as they can, at least `height` apart, within
/// `0..=most`, in the same order. All are distances in the direction in which names follow each
/// other.
pub(crate) fn spread(wanted: &[f64], height: f64, most: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));
    // Blocks of names that touch: each stands in the middle of where its names want to be.
    let mut blocks: Vec<Block> = Vec::new();
    for &name in &order {
        let mut block = Block {
            names: vec![name],
            sum: wanted[name],
        };
        while let Some(last) = blocks
            .last()
            .filter(|last| last.end(height, most) > block.start(height, most))
        {
            block = last.followed_by(&block, height);
            blocks.pop();
        }
        blocks.push(block);
    }
    let mut places = vec![0.0; wanted.len()];
    for block in &blocks {
        let start = block.start(height, most);
        for (at, &name) in block.names.iter().enumerate() {
            places[name] = start + at as f64 * height;
        }
    }
    places
}

/// Names one below the other.
struct Block {
    names: Vec<usize>,
    /// Sum over the names of where the first would be if this one were where it is wanted.
    sum: f64,
}

impl Block {
    fn start(&self, height: f64, most: f64) -> f64 {
        let length = (self.names.len() - 1) as f64 * height;
        (self.sum / self.names.len() as f64)
            .min(most - length)
            .max(0.0)
    }

    fn end(&self, height: f64, most: f64) -> f64 {
        self.start(height, most) + self.names.len() as f64 * height
    }

    fn followed_by(&self, next: &Block, height: f64) -> Block {
        let before = self.names.len() as f64 * height;
        Block {
            names: self.names.iter().chain(&next.names).copied().collect(),
            sum: self.sum + next.sum - before * next.names.len() as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn names_that_have_room_stay_where_they_are() {
        assert_eq!(spread(&[50.0, 10.0, 90.0], 10.0, 100.0), [50.0, 10.0, 90.0]);
    }

    #[test]
    fn names_that_touch_move_apart_by_the_same() {
        assert_eq!(spread(&[50.0, 52.0], 10.0, 100.0), [46.0, 56.0]);
    }

    #[test]
    fn names_stay_within_the_chart_in_their_order() {
        assert_eq!(
            spread(&[99.0, 100.0, 98.0], 10.0, 100.0),
            [90.0, 100.0, 80.0]
        );
        assert_eq!(spread(&[0.0, 1.0], 10.0, 100.0), [0.0, 10.0]);
        assert!(spread(&[], 10.0, 100.0).is_empty());
    }
}
