//! The model that judges blocks: boosted decision trees (Friedman 2001), read from `model/blocks.txt`.
//!
//! What it was trained on and how is in `model/README.md`. A line is a tree, in preorder: `12<0.5` asks whether
//! feature 12 is at most 0.5 and is followed by the tree for yes and the tree for no; `=0.1` is a leaf.

use std::sync::LazyLock;

/// The model that comes with the program.
static BUILTIN: LazyLock<Forest> = LazyLock::new(|| Forest::read(include_str!("../../model/blocks.txt")));

/// The probability of each block that it is main text, by its features.
pub(super) fn probabilities<R: AsRef<[f32]>>(rows: &[R]) -> Vec<f32> {
    BUILTIN.probabilities(rows)
}

#[derive(Debug, Default)]
struct Forest {
    nodes: Vec<Node>,
    roots: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    /// The feature that is asked for; [`LEAF`] in a leaf.
    feature: u16,
    /// The threshold, or the value of a leaf.
    value: f32,
    /// The tree for no; that for yes comes next.
    no: u32,
}

const LEAF: u16 = u16::MAX;

impl Forest {
    /// Reads trees, one a line; a line that is none is passed over.
    fn read(text: &str) -> Forest {
        let mut forest = Forest::default();
        for line in text.lines() {
            let root = forest.nodes.len();
            let mut parts = line.split_ascii_whitespace();
            match forest.tree(&mut parts, 0) {
                Some(()) if parts.next().is_none() => forest.roots.push(root),
                _ => forest.nodes.truncate(root),
            }
        }
        forest
    }

    /// Reads one tree; `None` if it is none.
    fn tree<'a>(&mut self, parts: &mut impl Iterator<Item = &'a str>, depth: usize) -> Option<()> {
        let part = parts.next().filter(|_| depth <= DEEPEST)?;
        if let Some(value) = part.strip_prefix('=') {
            self.nodes.push(Node { feature: LEAF, value: value.parse().ok()?, no: 0 });
            return Some(());
        }
        let (feature, value) = part.split_once('<')?;
        let node = self.nodes.len();
        self.nodes.push(Node { feature: feature.parse().ok()?, value: value.parse().ok()?, no: 0 });
        self.tree(parts, depth + 1)?;
        self.nodes[node].no = u32::try_from(self.nodes.len()).ok()?;
        self.tree(parts, depth + 1)
    }

    /// Asks one tree after the other for all rows: a tree fits where the processor reads fastest, all of them don't.
    fn probabilities<R: AsRef<[f32]>>(&self, rows: &[R]) -> Vec<f32> {
        let mut sums = vec![0.0_f32; rows.len()];
        for &root in &self.roots {
            for (sum, row) in sums.iter_mut().zip(rows) {
                *sum += self.leaf(root, row.as_ref());
            }
        }
        sums.into_iter().map(|sum| 1.0 / (1.0 + libm::expf(-sum))).collect()
    }

    fn leaf(&self, root: usize, row: &[f32]) -> f32 {
        let mut at = root;
        loop {
            let node = self.nodes[at];
            if node.feature == LEAF {
                return node.value;
            }
            let is_yes = row.get(usize::from(node.feature)).is_none_or(|&number| number <= node.value);
            at = if is_yes { at + 1 } else { node.no as usize };
        }
    }
}

/// No tree of the model is deeper; a limit for reading.
const DEEPEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::{BUILTIN, Forest};

    #[test]
    fn a_tree_asks_on_and_ends_in_a_leaf() {
        let forest = Forest::read("0<0.5 =-1 1<2 =0 =1\n=0.5\nno tree\n0<1 =2\n");
        assert_eq!(forest.roots.len(), 2);
        assert_eq!(forest.leaf(0, &[0.5, 9.0]), -1.0);
        assert_eq!(forest.leaf(0, &[0.6, 2.0]), 0.0);
        assert_eq!(forest.leaf(0, &[0.6, 2.1]), 1.0);
        assert!((forest.probabilities(&[[0.0, 0.0]])[0] - 0.377_54).abs() < 1e-4);
    }

    #[test]
    fn the_model_that_comes_with_the_program_is_whole() {
        let lines = include_str!("../../model/blocks.txt").lines().count();
        assert_eq!(BUILTIN.roots.len(), lines);
        assert!(lines >= 50);
    }
}
