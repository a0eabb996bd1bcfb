//! What the model that judges blocks is trained on.

use crate::facts::Facts;
use crate::features::rows;
use crate::outline::outline;
use crate::readability::kept_frames;
use dom_query::Document;

/// All blocks of a page, in its order: the text of each, and the numbers that the model sees of it.
pub fn samples(html: &str) -> (Vec<String>, Vec<Vec<f32>>) {
    let mut facts = Facts::default();
    let document = Document::from(html);
    let outline = outline(&document, &mut facts);
    let kept = kept_frames(document, &outline);
    let rows = rows(&outline, &facts, &kept);
    (
        outline.blocks.into_iter().map(|block| block.text).collect(),
        rows,
    )
}
