//! The model that rates blocks: boosted decision trees (Friedman 2001), read from
//! `model/blocks.txt`.
//!
//! `model/README.md` describes the training. Each line of the file is a tree in preorder: `12<0.5`
//! is a split that tests if feature 12 is at most 0.5, followed by the subtree for yes and the
//! subtree for no; `=0.1` is a leaf.
//!
//! The trees are not traversed one by one. For each block, the splits are visited feature by
//! feature, by ascending threshold, until the first one whose test holds. Each failed test removes
//! the leaves of its yes subtree; the result of a tree is its first remaining leaf (QuickScorer:
//! Lucchese et al. 2015, "QuickScorer: a fast algorithm to rank documents with additive ensembles
//! of regression trees"). Most tests hold, and those are not visited at all. Several blocks are
//! rated side by side.

use std::sync::LazyLock;

/// The built-in model.
pub(crate) static BUILTIN: LazyLock<BoostedTrees> = LazyLock::new(|| BoostedTrees::parse(MODEL));

const MODEL: &str = include_str!("../model/blocks.txt");

/// An ensemble of boosted decision trees.
#[derive(Debug, Default)]
pub(crate) struct BoostedTrees {
    /// All splits, sorted by feature and threshold.
    splits: Vec<TreeSplit>,
    /// The features that are tested, each with the end of its splits in `splits`.
    features: Vec<(usize, usize)>,
    /// The leaves of each tree, from left (all tests hold) to right (all fail).
    leaves: Vec<[f32; MAX_LEAVES]>,
}

/// A test of one feature in one tree.
#[derive(Debug, Clone, Copy)]
struct TreeSplit {
    threshold: f32,
    feature: u16,
    tree: u16,
    /// The leaves of the tree that remain if the test fails, as a set of bits.
    remaining_leaves: u32,
}

/// Number of blocks that are rated at once, side by side in the registers of the processor.
const LANES: usize = 8;
/// Maximum number of leaves of a tree: the bits of a leaf set.
const MAX_LEAVES: usize = 16;

impl BoostedTrees {
    /// Parses trees, one per line. Skips lines that are not trees.
    pub fn parse(text: &str) -> BoostedTrees {
        let mut model = BoostedTrees::default();
        for line in text.lines() {
            let splits_before = model.splits.len();
            // A tree has one split less than leaves.
            let mut tokens = line.split_ascii_whitespace().take(2 * MAX_LEAVES);
            let mut leaves = Vec::with_capacity(MAX_LEAVES);
            let tree = model.parse_subtree(&mut tokens, &mut leaves);
            leaves.resize(MAX_LEAVES, 0.0);
            match (tree, tokens.next(), leaves.first_chunk()) {
                (Some(()), None, Some(leaves)) => model.leaves.push(*leaves),
                _ => model.splits.truncate(splits_before),
            }
        }
        model.splits.sort_by(|a, b| {
            a.feature
                .cmp(&b.feature)
                .then(a.threshold.total_cmp(&b.threshold))
        });
        let mut end = 0;
        for same_feature in model.splits.chunk_by(|a, b| a.feature == b.feature) {
            end += same_feature.len();
            model.features.push((same_feature[0].feature.into(), end));
        }
        model
    }

    /// Parses one subtree. Returns `None` if the tokens are not a tree.
    fn parse_subtree<'a>(
        &mut self,
        tokens: &mut impl Iterator<Item = &'a str>,
        leaves: &mut Vec<f32>,
    ) -> Option<()> {
        let token = tokens.next()?;
        if let Some(value) = token.strip_prefix('=') {
            leaves.push(value.parse().ok().filter(|_| leaves.len() < MAX_LEAVES)?);
            return Some(());
        }
        let (feature, threshold) = token.split_once('<')?;
        let first_leaf = leaves.len();
        self.parse_subtree(tokens, leaves)?;
        let yes_leaves = ((1_u64 << leaves.len()) - (1_u64 << first_leaf)) as u32;
        self.splits.push(TreeSplit {
            threshold: threshold.parse().ok()?,
            feature: feature.parse().ok()?,
            tree: u16::try_from(self.leaves.len()).ok()?,
            remaining_leaves: !yes_leaves,
        });
        self.parse_subtree(tokens, leaves)
    }

    /// Returns the probability of each block that it is main text, given its features.
    pub fn probabilities<R: AsRef<[f32]>>(&self, rows: &[R]) -> Vec<f32> {
        let mut remaining = vec![[0; LANES]; self.leaves.len()];
        let mut probabilities = Vec::with_capacity(rows.len() + LANES);
        for chunk in rows.chunks(LANES) {
            let scores = self.scores(chunk, &mut remaining);
            probabilities.extend(scores.map(|score| 1.0 / (1.0 + libm::expf(-score))));
        }
        probabilities.truncate(rows.len());
        probabilities
    }

    /// Returns the sums of the trees' leaves for up to [`LANES`] blocks. `remaining` is for the
    /// remaining leaves of each tree.
    fn scores<R: AsRef<[f32]>>(&self, rows: &[R], remaining: &mut [[u32; LANES]]) -> [f32; LANES] {
        remaining.fill([u32::MAX; LANES]);
        let mut start = 0;
        for &(feature, end) in &self.features {
            let mut values = [f32::NEG_INFINITY; LANES];
            for (value, row) in values.iter_mut().zip(rows) {
                *value = row.as_ref().get(feature).copied().unwrap_or(*value);
            }
            let highest = values.into_iter().fold(f32::NEG_INFINITY, f32::max);
            let splits = self.splits[start..end].iter();
            for split in splits.take_while(|split| split.threshold < highest) {
                let remaining = &mut remaining[usize::from(split.tree)];
                for (remaining, &value) in remaining.iter_mut().zip(&values) {
                    // All bits if the test holds: a branch would keep the lanes from being side by
                    // side.
                    let holds = u32::from(split.threshold < value).wrapping_sub(1);
                    *remaining &= holds | split.remaining_leaves;
                }
            }
            start = end;
        }
        let mut scores = [0.0; LANES];
        for (leaves, remaining) in self.leaves.iter().zip(remaining) {
            for (score, remaining) in scores.iter_mut().zip(remaining) {
                *score += leaves[remaining.trailing_zeros() as usize % MAX_LEAVES];
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILTIN, BoostedTrees};

    fn score(model: &BoostedTrees, row: &[f32]) -> f32 {
        model.scores(&[row], &mut vec![[0; super::LANES]; model.leaves.len()])[0]
    }

    #[test]
    fn a_tree_leads_from_splits_to_a_leaf() {
        let model = BoostedTrees::parse("0<0.5 =-1 1<2 =0 =1\n=0.5\nno tree\n0<1 =2\n=1 =2\n");
        assert_eq!(model.leaves.len(), 2);
        assert_eq!(score(&model, &[0.5, 9.0]), -0.5);
        assert_eq!(score(&model, &[0.6, 2.0]), 0.5);
        assert_eq!(score(&model, &[0.6, 2.1]), 1.5);
        assert!((model.probabilities(&[[0.0, 0.0]])[0] - 0.377_54).abs() < 1e-4);
    }

    #[test]
    fn inner_splits_decide_in_a_tree_that_is_deep_on_both_sides() {
        let model = BoostedTrees::parse("0<0 1<0 =1 =2 1<5 2<0 =3 =4 =5");
        let leaf = |row: [f32; 3]| score(&model, &row);
        assert_eq!([leaf([0.0, 0.0, 9.0]), leaf([0.0, 9.0, 0.0])], [1.0, 2.0]);
        assert_eq!(
            [
                leaf([1.0, 1.0, 0.0]),
                leaf([1.0, 1.0, 1.0]),
                leaf([1.0, 6.0, 0.0])
            ],
            [3.0, 4.0, 5.0]
        );
    }

    #[test]
    fn skips_a_tree_with_too_many_leaves() {
        let tree = |leaves: usize| format!("{}=1", "0<1 =0 ".repeat(leaves - 1));
        assert_eq!(
            BoostedTrees::parse(&tree(super::MAX_LEAVES)).leaves.len(),
            1
        );
        assert_eq!(
            BoostedTrees::parse(&tree(super::MAX_LEAVES + 1))
                .leaves
                .len(),
            0
        );
    }

    #[test]
    fn parses_all_trees_of_the_built_in_model() {
        let lines = include_str!("../model/blocks.txt").lines().count();
        assert_eq!(BUILTIN.leaves.len(), lines);
        assert!(lines >= 50);
    }
}
