//! Training samples for the model that rates blocks, and extraction by other models than the
//! built-in one, to compare them.

use crate::boosted_trees::BoostedTrees;
use crate::features::block_features;
use crate::metadata::PageMetadata;
use crate::outline::build_outline;
use crate::readability::elements_kept_by_readability;
use crate::tree_limits::parse_within_limits;
use crate::{assemble_page, select_text};
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

/// A model that rates blocks, in the format of `model/blocks.txt`.
#[derive(Debug)]
pub struct BlockModel(BoostedTrees);

impl BlockModel {
    /// Parses a model. Skips lines that are not trees.
    pub fn parse(text: &str) -> BlockModel {
        BlockModel(BoostedTrees::parse(text))
    }

    /// Returns the title and the main text of a page, as [`crate::extract_page()`] with this model;
    /// `None` for a page that is too large or too deep for a tree.
    pub fn extract(&self, html: &str) -> Option<(Option<String>, String)> {
        let document = parse_within_limits(html)?;
        let mut metadata = PageMetadata::default();
        let outline = build_outline(&document, &mut metadata);
        metadata.finish();
        let text = select_text(document, &outline, &mut metadata, &self.0);
        let page = assemble_page(metadata, &outline, text.text);
        Some((page.title, page.text))
    }
}

#[cfg(test)]
mod tests {
    use super::BlockModel;

    #[test]
    fn the_built_in_model_extracts_as_the_library_does() {
        let page = "<title>Reka</title><body><ul><li><a href=/>Domov</a></ul><article><h1>Reka</h1>\
                    <p>Reka teče skozi tri dežele, in ob njej stojijo stari mlini.</p></article>";
        let model = BlockModel::parse(include_str!("../model/blocks.txt"));
        let expected = crate::tests::extract_with(page, None, &crate::ExtractionOptions::default());
        let (title, text) = model.extract(page).unwrap();
        assert_eq!((title, text), (expected.title, expected.text));
    }

    #[test]
    fn a_model_without_trees_is_undecided_and_keeps_all_blocks() {
        let model = BlockModel::parse("no tree\n");
        let (_, text) = model.extract("<p>ena</p><p>dve</p>").unwrap();
        assert_eq!(text, "ena\ndve");
    }
}
