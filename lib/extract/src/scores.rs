//! Which part of a page holds its text: the scores of Readability (Arc90, 2010; Mozilla's
//! `Readability.js`).
//!
//! A block of some length gives points to the frame around it, half to the next and a third to the
//! one after: one, one for each comma or stop, and one for each hundred letters up to three; the
//! fewer, the more of it is linked. Differing from Readability, names and tags bring no points: a
//! model that sees these scores sees those as well.

use crate::outline::{Outline, TextBlock};

/// Blocks shorter than this score nothing.
const LEAST_SIZE: usize = 25;
/// Frames around a block that get points from it.
const REACH: usize = 5;

/// The score of each frame.
#[derive(Debug, Default)]
pub(crate) struct Scores {
    scores: Vec<f32>,
    best: usize,
    most: f32,
}

impl Scores {
    /// Scores a page.
    pub fn new(outline: &Outline) -> Scores {
        let mut scores = vec![0.0_f32; outline.frames.len()];
        for block in outline
            .blocks
            .iter()
            .filter(|block| block.size >= LEAST_SIZE)
        {
            let points = points(block);
            // The frame of a block is mostly its own: a paragraph. Its parent is the first that may
            // hold others.
            let mut at = outline.frames[block.frame].parent;
            for step in 1..=REACH {
                scores[at] += points / step as f32;
                at = outline.frames[at].parent;
            }
        }
        for (score, frame) in scores.iter_mut().zip(&outline.frames) {
            *score *= 1.0 - frame.linked as f32 / frame.size.max(1) as f32;
        }
        let best = (0..scores.len())
            .max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)))
            .unwrap_or(0);
        let most = scores.get(best).copied().unwrap_or(0.0).max(1.0);
        Scores { scores, best, most }
    }

    /// The score of a frame, where the best one has 1.
    pub fn relative(&self, frame: usize) -> f32 {
        self.scores[frame] / self.most
    }

    /// Of the frames around a block: the best score; how many steps up from it stands one that
    /// holds the best frame; how many steps that one is above the best; whether the best one itself
    /// holds the block; and the best score of the page.
    pub fn of_block(&self, outline: &Outline, frame: usize) -> [f32; 5] {
        let mut most = 0.0_f32;
        let mut at = frame;
        let mut up = 0;
        let holds_best = |at: usize| {
            let (outer, inner) = (&outline.frames[at], &outline.frames[self.best]);
            at <= self.best
                && outer.first <= inner.first
                && inner.end <= outer.end
                && outer.depth <= inner.depth
        };
        let mut common = None;
        loop {
            most = most.max(self.relative(at));
            if common.is_none() && holds_best(at) {
                common = Some(at);
            }
            let parent = outline.frames[at].parent;
            if parent == at {
                break;
            }
            up += usize::from(common.is_none());
            at = parent;
        }
        let common = common.unwrap_or(0);
        let above = outline.frames[self.best].depth
            - outline.frames[common]
                .depth
                .min(outline.frames[self.best].depth);
        [
            most,
            up as f32,
            above as f32,
            f32::from(common == self.best),
            libm::logf(self.most),
        ]
    }
}

fn points(block: &TextBlock) -> f32 {
    let marks = block
        .text
        .chars()
        .filter(|&c| ",，、،。.؛;".contains(c))
        .count();
    let length = (block.size as f32 / 100.0).min(3.0);
    let unlinked = 1.0 - block.linked as f32 / block.size.max(1) as f32;
    (1.0 + marks as f32 + length) * unlinked.max(0.0)
}

#[cfg(test)]
mod tests {
    use super::Scores;
    use crate::outline::tests::read;

    #[test]
    fn the_frame_of_many_paragraphs_is_the_best() {
        let text = "Prvi odstavek govori o potoku, ki teče skozi vas, in o poljih.";
        let html = format!(
            "<div><p>{text}</div><div id=b><p>{text}<p>{text}<p>{text}</div><ul><li><a>{text}</a></ul>"
        );
        let page = read(&html);
        let scores = Scores::new(&page);
        let parent = |block: usize| page.frames[page.blocks[block].frame].parent;
        assert!(scores.relative(parent(1)) > scores.relative(parent(0)));
        assert!(scores.relative(parent(4)) < 0.01);
        let [most, ..] = scores.of_block(&page, page.blocks[2].frame);
        assert!(most > 0.9, "{most}");
    }
}
