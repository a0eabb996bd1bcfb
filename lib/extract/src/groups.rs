//! Groups of blocks: those of similar elements, those under one heading, those in one article.
//!
//! A single item of a list is weak evidence. If all similar items are long and without links, they
//! are probably text, even if neither their names nor Readability indicate that.

use crate::element_kind::ElementKind;
use crate::hints::MarkupHints;
use crate::outline::Outline;
use crate::scale::{log_scale, ratio};
use foldhash::HashMap;

/// Totals over the blocks of a group.
#[derive(Debug, Clone, Copy, Default)]
struct GroupTotals {
    blocks: usize,
    size: usize,
    /// Size of linked text.
    linked: usize,
    /// Size of text that Readability keeps.
    kept: usize,
}

/// The groups of a page's blocks.
#[derive(Debug, Default)]
pub(crate) struct BlockGroups {
    groups: Vec<GroupTotals>,
    /// For each block, its group of blocks in similar elements.
    similar: Vec<usize>,
    /// For each block, its group of blocks under the same heading.
    section: Vec<usize>,
    /// For each block element, the innermost element marked as an article that contains it or is
    /// itself.
    article: Vec<Option<usize>>,
    page: GroupTotals,
}

impl BlockGroups {
    /// Groups the blocks of a page. `kept` is true for the elements that Readability keeps.
    pub fn new(outline: &Outline, kept: &[bool]) -> BlockGroups {
        let mut groups = BlockGroups::default();
        let mut similar_by_hash = HashMap::default();
        let mut section = groups.add_group();
        for block in &outline.blocks {
            let element = &outline.elements[block.element];
            if element.heading_level > 0 {
                section = groups.add_group();
            }
            let hashes = (
                element.tag_class_hash,
                outline.elements[element.parent].tag_class_hash,
            );
            let similar = *similar_by_hash
                .entry(hashes)
                .or_insert_with(|| groups.add_group());
            let is_kept = kept.get(block.element).copied().unwrap_or(false);
            let block_totals = GroupTotals {
                blocks: 1,
                size: block.size,
                linked: block.linked,
                kept: if is_kept { block.size } else { 0 },
            };
            groups.groups[section].add(block_totals);
            groups.groups[similar].add(block_totals);
            groups.page.add(block_totals);
            groups.similar.push(similar);
            groups.section.push(section);
        }
        for (number, element) in outline.elements.iter().enumerate() {
            let is_article = matches!(element.kind, ElementKind::Article | ElementKind::Main)
                || element.hints.has_any(MarkupHints::ARTICLE_BODY);
            let around = groups.article.get(element.parent).copied().flatten();
            groups
                .article
                .push(if is_article { Some(number) } else { around });
        }
        groups
    }

    /// Adds an empty group and returns its number.
    fn add_group(&mut self) -> usize {
        self.groups.push(GroupTotals::default());
        self.groups.len() - 1
    }

    /// Returns the features of a block's groups.
    pub fn block_features(&self, outline: &Outline, block: usize) -> [f32; 9] {
        let similar = self.groups[self.similar[block]];
        let section = self.groups[self.section[block]];
        let article =
            self.article[outline.blocks[block].element].map(|element| &outline.elements[element]);
        [
            log_scale(similar.blocks),
            log_scale(similar.size / similar.blocks.max(1)),
            ratio(similar.linked, similar.size),
            ratio(similar.size, self.page.size),
            ratio(similar.kept, similar.size),
            log_scale(section.size),
            ratio(section.linked, section.size),
            log_scale(section.size / section.blocks.max(1)),
            article.map_or(-1.0, |element| {
                ratio(
                    element.size.saturating_sub(element.linked),
                    self.page.size.saturating_sub(self.page.linked),
                )
            }),
        ]
    }
}

impl GroupTotals {
    fn add(&mut self, other: GroupTotals) {
        self.blocks += other.blocks;
        self.size += other.size;
        self.linked += other.linked;
        self.kept += other.kept;
    }
}

#[cfg(test)]
mod tests {
    use super::BlockGroups;
    use crate::outline::tests::outline_from_html;

    #[test]
    fn groups_similar_items_and_blocks_under_one_heading() {
        let html =
            "<h1>a</h1><ul class=x><li>bb<li>cccc</ul><h2>d</h2><ol><li><a href=/>eeee</a></ol>";
        let page = outline_from_html(html);
        let groups = BlockGroups::new(&page, &[]);
        let (first, last) = (
            groups.block_features(&page, 1),
            groups.block_features(&page, 4),
        );
        assert_eq!((first[0], first[1]), (libm::logf(3.0), libm::logf(4.0)));
        assert_eq!((first[2], first[6], last[2]), (0.0, 0.0, 1.0));
        assert_eq!((first[5], last[5]), (libm::logf(8.0), libm::logf(6.0)));
    }

    #[test]
    fn gives_the_share_of_the_text_in_the_article_around_a_block() {
        let page = outline_from_html("<p>aaa<article><div>bbb<p>ccc</div></article>");
        let groups = BlockGroups::new(&page, &[]);
        let shares: Vec<f32> = (0..3)
            .map(|block| groups.block_features(&page, block)[8])
            .collect();
        assert_eq!(shares, [-1.0, 6.0 / 9.0, 6.0 / 9.0]);
    }
}
