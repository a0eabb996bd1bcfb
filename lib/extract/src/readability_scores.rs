//! The element that contains the text of a page: the scores of Readability (Arc90, 2010; Mozilla's
//! `Readability.js`).
//!
//! A block of sufficient length adds points to the element around its own, half of them to the
//! next, a third to the one after, and so on: one point, one per comma, semicolon or full stop, and
//! one per hundred letters, up to three. Links reduce the points in proportion. Unlike in
//! Readability, names and tags add no points, since the model has them as features too.

use crate::outline::{Outline, TextBlock};

/// Smallest size of a block that adds points. As in `Readability.js`.
const MIN_BLOCK_SIZE: usize = 25;
/// Number of ancestors that get points from a block. As in `Readability.js`.
const SCORED_ANCESTORS: usize = 5;

/// The scores of a page's block elements.
#[derive(Debug, Default)]
pub(crate) struct ReadabilityScores {
    scores: Vec<f32>,
    /// The element with the highest score, the first of equals.
    best: usize,
    /// The highest score, at least 1.
    highest: f32,
}

impl ReadabilityScores {
    /// Scores the block elements of a page.
    pub fn new(outline: &Outline) -> ReadabilityScores {
        let mut scores = vec![0.0_f32; outline.elements.len()];
        for block in outline
            .blocks
            .iter()
            .filter(|block| block.size >= MIN_BLOCK_SIZE)
        {
            let points = block_points(block);
            // The innermost element is mostly the block's own, such as a paragraph. Its parent is
            // the first that may contain other blocks.
            let mut ancestor = outline.elements[block.element].parent;
            for step in 1..=SCORED_ANCESTORS {
                scores[ancestor] += points / step as f32;
                ancestor = outline.elements[ancestor].parent;
            }
        }
        for (score, element) in scores.iter_mut().zip(&outline.elements) {
            *score *= 1.0 - element.linked as f32 / element.size.max(1) as f32;
        }
        let best = (0..scores.len())
            .max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)))
            .unwrap_or(0);
        let highest = scores.get(best).copied().unwrap_or(0.0).max(1.0);
        ReadabilityScores {
            scores,
            best,
            highest,
        }
    }

    /// Returns the score of an element divided by the highest one.
    pub fn relative_score(&self, element: usize) -> f32 {
        self.scores[element] / self.highest
    }

    /// Returns the features of a block, given its innermost element:
    /// 1. the highest relative score of that element and its ancestors;
    /// 2. the number of steps from that element up to the first that contains the best element of
    ///    the page, the common ancestor;
    /// 3. the number of steps from the best element up to the common ancestor;
    /// 4. 1 if the best element itself contains the block, else 0;
    /// 5. the logarithm of the highest score of the page.
    pub fn block_features(&self, outline: &Outline, innermost: usize) -> [f32; 5] {
        let contains_best = |number: usize| {
            let (outer, inner) = (&outline.elements[number], &outline.elements[self.best]);
            number <= self.best
                && outer.first_block <= inner.first_block
                && inner.end_block <= outer.end_block
                && outer.depth <= inner.depth
        };
        let mut highest = 0.0_f32;
        let mut steps_up = 0;
        let mut common_ancestor = None;
        let mut number = innermost;
        loop {
            highest = highest.max(self.relative_score(number));
            if common_ancestor.is_none() && contains_best(number) {
                common_ancestor = Some(number);
            }
            let parent = outline.elements[number].parent;
            if parent == number {
                break;
            }
            steps_up += usize::from(common_ancestor.is_none());
            number = parent;
        }
        let common_ancestor = common_ancestor.unwrap_or(0);
        let best_depth = outline.elements[self.best].depth;
        let steps_down = best_depth - outline.elements[common_ancestor].depth.min(best_depth);
        [
            highest,
            steps_up as f32,
            steps_down as f32,
            f32::from(common_ancestor == self.best),
            libm::logf(self.highest),
        ]
    }
}

/// Returns the points that a block adds to its ancestors.
fn block_points(block: &TextBlock) -> f32 {
    let marks = block
        .text
        .chars()
        .filter(|c| matches!(c, ',' | '，' | '、' | '،' | '。' | '.' | '؛' | ';'))
        .count();
    let length = (block.size as f32 / 100.0).min(3.0);
    let unlinked = 1.0 - block.linked as f32 / block.size.max(1) as f32;
    (1.0 + marks as f32 + length) * unlinked.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::ReadabilityScores;
    use crate::outline::tests::outline_from_html;

    #[test]
    fn the_element_of_many_paragraphs_scores_highest() {
        let text = "Prvi odstavek govori o potoku, ki teče skozi vas, in o poljih.";
        let html = format!(
            "<div><p>{text}</div><div id=b><p>{text}<p>{text}<p>{text}</div>\
             <ul><li><a>{text}</a></ul>"
        );
        let page = outline_from_html(&html);
        let scores = ReadabilityScores::new(&page);
        let parent = |block: usize| page.elements[page.blocks[block].element].parent;
        assert!(scores.relative_score(parent(1)) > scores.relative_score(parent(0)));
        assert!(scores.relative_score(parent(4)) < 0.01);
        let [highest, ..] = scores.block_features(&page, page.blocks[2].element);
        assert!(highest > 0.9, "{highest}");
    }
}
