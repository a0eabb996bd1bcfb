//! Training samples for the model that rates blocks.

use crate::features::block_features;
use crate::metadata::PageMetadata;
use crate::outline::build_outline;
use crate::readability::elements_kept_by_readability;
use dom_query::Document;

/// Returns the texts of all blocks of a page, in document order, and their features.
pub fn block_samples(html: &str) -> (Vec<String>, Vec<Vec<f32>>) {
    let mut metadata = PageMetadata::default();
    let document = Document::from(html);
    let outline = build_outline(&document, &mut metadata);
    let kept = elements_kept_by_readability(document, &outline);
    let rows = block_features(&outline, &metadata, &kept);
    let texts = outline.blocks.into_iter().map(|block| block.text).collect();
    (texts, rows)
}
