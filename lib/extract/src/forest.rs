//! The model that judges blocks: boosted decision trees (Friedman 2001), read from
//! `model/blocks.txt`.
//!
//! What it was trained on and how is in `model/README.md`. A line is a tree, in preorder: `12<0.5`
//! asks whether feature 12 is at most 0.5 and is followed by the tree for yes and the tree for no;
//! `=0.1` is a leaf.
//!
//! The trees are not walked: with each block the questions are gone through feature by feature, by
//! rising threshold, as far as the answer is no, and each no strikes out the leaves that only a yes
//! would lead to. The first leaf of a tree that is left is its answer (QuickScorer: Lucchese et al.
//! 2015, "QuickScorer: a fast algorithm to rank documents with additive ensembles of regression
//! trees"). Most answers are yes, and none is waited for.

use std::sync::LazyLock;

/// The model that comes with the program.
pub(crate) static BUILTIN: LazyLock<Forest> = LazyLock::new(|| Forest::read(MODEL));

const MODEL: &str = include_str!("../model/blocks.txt");

/// Boosted decision trees.
#[derive(Debug, Default)]
pub(crate) struct Forest {
    /// By feature and threshold.
    questions: Vec<Question>,
    /// Each feature that is asked for, and where its questions end.
    features: Vec<(usize, usize)>,
    /// The leaves of each tree, from that of all yes to that of all no.
    leaves: Vec<[f32; MOST_LEAVES]>,
}

#[derive(Debug, Clone, Copy)]
struct Question {
    threshold: f32,
    feature: u16,
    tree: u16,
    /// The leaves of its tree that are left after a no, as a set.
    left: u32,
}

/// Leaves of a tree; one that has more is none.
const MOST_LEAVES: usize = 32;

impl Forest {
    /// Reads trees, one a line; a line that is none is passed over.
    fn read(text: &str) -> Forest {
        let mut forest = Forest::default();
        for line in text.lines() {
            let asked = forest.questions.len();
            // A tree has one question less than leaves.
            let mut parts = line.split_ascii_whitespace().take(2 * MOST_LEAVES);
            let mut leaves = Vec::with_capacity(MOST_LEAVES);
            let tree = forest.tree(&mut parts, &mut leaves);
            leaves.resize(MOST_LEAVES, 0.0);
            match (tree, parts.next(), leaves.first_chunk()) {
                (Some(()), None, Some(leaves)) => forest.leaves.push(*leaves),
                _ => forest.questions.truncate(asked),
            }
        }
        forest.questions.sort_by(|a, b| {
            a.feature
                .cmp(&b.feature)
                .then(a.threshold.total_cmp(&b.threshold))
        });
        let mut end = 0;
        for same in forest.questions.chunk_by(|a, b| a.feature == b.feature) {
            end += same.len();
            forest.features.push((same[0].feature.into(), end));
        }
        forest
    }

    /// Reads one tree; `None` if it is none.
    fn tree<'a>(
        &mut self,
        parts: &mut impl Iterator<Item = &'a str>,
        leaves: &mut Vec<f32>,
    ) -> Option<()> {
        let part = parts.next()?;
        if let Some(value) = part.strip_prefix('=') {
            leaves.push(value.parse().ok().filter(|_| leaves.len() < MOST_LEAVES)?);
            return Some(());
        }
        let (feature, threshold) = part.split_once('<')?;
        let first = leaves.len();
        self.tree(parts, leaves)?;
        let yes = ((1_u64 << leaves.len()) - (1_u64 << first)) as u32;
        self.questions.push(Question {
            threshold: threshold.parse().ok()?,
            feature: feature.parse().ok()?,
            tree: u16::try_from(self.leaves.len()).ok()?,
            left: !yes,
        });
        self.tree(parts, leaves)
    }

    /// The probability of each block that it is main text, by its features.
    pub fn probabilities<R: AsRef<[f32]>>(&self, rows: &[R]) -> Vec<f32> {
        let mut left = vec![u32::MAX; self.leaves.len()];
        let sums = rows.iter().map(|row| {
            left.fill(u32::MAX);
            self.sum(row.as_ref(), &mut left)
        });
        sums.map(|sum| 1.0 / (1.0 + libm::expf(-sum))).collect()
    }

    /// The sum of the trees' answers; `left` holds the leaves of each that are left, all at first.
    fn sum(&self, row: &[f32], left: &mut [u32]) -> f32 {
        let mut start = 0;
        for &(feature, end) in &self.features {
            let number = row.get(feature).copied().unwrap_or(f32::NEG_INFINITY);
            for question in self.questions[start..end]
                .iter()
                .take_while(|question| question.threshold < number)
            {
                left[usize::from(question.tree)] &= question.left;
            }
            start = end;
        }
        self.leaves
            .iter()
            .zip(left)
            .map(|(leaves, left)| leaves[left.trailing_zeros() as usize % MOST_LEAVES])
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILTIN, Forest};

    fn sum(forest: &Forest, row: &[f32]) -> f32 {
        forest.sum(row, &mut vec![u32::MAX; forest.leaves.len()])
    }

    #[test]
    fn a_tree_asks_on_and_ends_in_a_leaf() {
        let forest = Forest::read("0<0.5 =-1 1<2 =0 =1\n=0.5\nno tree\n0<1 =2\n=1 =2\n");
        assert_eq!(forest.leaves.len(), 2);
        assert_eq!(sum(&forest, &[0.5, 9.0]), -0.5);
        assert_eq!(sum(&forest, &[0.6, 2.0]), 0.5);
        assert_eq!(sum(&forest, &[0.6, 2.1]), 1.5);
        assert!((forest.probabilities(&[[0.0, 0.0]])[0] - 0.377_54).abs() < 1e-4);
    }

    #[test]
    fn the_inner_answers_decide_where_a_tree_is_deep_on_both_sides() {
        let forest = Forest::read("0<0 1<0 =1 =2 1<5 2<0 =3 =4 =5");
        let answers = |row: [f32; 3]| sum(&forest, &row);
        assert_eq!(
            [answers([0.0, 0.0, 9.0]), answers([0.0, 9.0, 0.0])],
            [1.0, 2.0]
        );
        assert_eq!(
            [
                answers([1.0, 1.0, 0.0]),
                answers([1.0, 1.0, 1.0]),
                answers([1.0, 6.0, 0.0])
            ],
            [3.0, 4.0, 5.0]
        );
    }

    #[test]
    fn a_tree_of_too_many_leaves_is_none() {
        let tree = |leaves: usize| format!("{}=1", "0<1 =0 ".repeat(leaves - 1));
        assert_eq!(Forest::read(&tree(super::MOST_LEAVES)).leaves.len(), 1);
        assert_eq!(Forest::read(&tree(super::MOST_LEAVES + 1)).leaves.len(), 0);
    }

    #[test]
    fn the_model_that_comes_with_the_program_is_whole() {
        let lines = include_str!("../model/blocks.txt").lines().count();
        assert_eq!(BUILTIN.leaves.len(), lines);
        assert!(lines >= 50);
    }
}
