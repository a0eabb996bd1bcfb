//! What the model that judges blocks is trained on.

use crate::facts::Facts;
use crate::features::rows;
use crate::outline::outline;
use crate::readability::kept_frames;
use dom_query::Document;

/// A block of a page, and what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockSample {
    /// Its text.
    pub text: String,
    /// The numbers that the model sees.
    pub features: Vec<f32>,
}

/// All blocks of a page, in its order.
pub fn samples(html: &str) -> Vec<BlockSample> {
    let mut facts = Facts::default();
    let document = Document::from(html);
    let outline = outline(&document, &mut facts);
    let kept = kept_frames(document, &outline);
    let rows = rows(&outline, &facts, &kept);
    outline.blocks.into_iter().zip(rows).map(|(block, features)| BlockSample { text: block.text, features }).collect()
}
