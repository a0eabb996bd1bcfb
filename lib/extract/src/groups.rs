//! Blocks in groups: those that stand alike on the page, those under one heading, those in one
//! article.
//!
//! A single item of a list says little; that all items like it are long and without links says that
//! they are text, even where neither their names nor the extractor after Readability take them for
//! it.

use crate::hints::Hints;
use crate::outline::Outline;
use crate::scale::{log, ratio};
use crate::tags::Tag;
use std::collections::HashMap;

/// What the blocks of a group are together.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    blocks: usize,
    size: usize,
    linked: usize,
    kept: usize,
}

/// The groups of a page.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    all: Vec<Group>,
    /// Of each block its group of those that stand alike, and that of those under one heading.
    alike: Vec<usize>,
    section: Vec<usize>,
    /// Of each frame the nearest one around it, or itself, that is marked as an article.
    article: Vec<Option<usize>>,
    whole: Group,
}

impl Groups {
    /// Groups the blocks of a page; `kept` says which frames an extractor by Readability's rules
    /// keeps.
    pub fn new(outline: &Outline, kept: &[bool]) -> Groups {
        let mut groups = Groups::default();
        let mut kinds = HashMap::new();
        let mut section = groups.open();
        for block in &outline.blocks {
            let frame = &outline.frames[block.frame];
            if frame.level > 0 {
                section = groups.open();
            }
            let kind = (frame.kind, outline.frames[frame.parent].kind);
            let alike = *kinds.entry(kind).or_insert_with(|| groups.open());
            let is_kept = kept.get(block.frame).copied().unwrap_or(false);
            let one = Group {
                blocks: 1,
                size: block.size,
                linked: block.linked,
                kept: if is_kept { block.size } else { 0 },
            };
            groups.all[section].add(one);
            groups.all[alike].add(one);
            groups.whole.add(one);
            groups.alike.push(alike);
            groups.section.push(section);
        }
        for (number, frame) in outline.frames.iter().enumerate() {
            let is_article = matches!(frame.tag, Tag::Article | Tag::Main)
                || frame.hints.has(Hints::ARTICLE_BODY);
            let around = groups.article.get(frame.parent).copied().flatten();
            groups
                .article
                .push(if is_article { Some(number) } else { around });
        }
        groups
    }

    fn open(&mut self) -> usize {
        self.all.push(Group::default());
        self.all.len() - 1
    }

    /// Numbers of a block's groups.
    pub fn of_block(&self, outline: &Outline, number: usize) -> [f32; 9] {
        let (alike, section) = (self.all[self.alike[number]], self.all[self.section[number]]);
        let article =
            self.article[outline.blocks[number].frame].map(|frame| &outline.frames[frame]);
        [
            log(alike.blocks),
            log(alike.size / alike.blocks.max(1)),
            ratio(alike.linked, alike.size),
            ratio(alike.size, self.whole.size),
            ratio(alike.kept, alike.size),
            log(section.size),
            ratio(section.linked, section.size),
            log(section.size / section.blocks.max(1)),
            article.map_or(-1.0, |frame| {
                ratio(
                    frame.size.saturating_sub(frame.linked),
                    self.whole.size.saturating_sub(self.whole.linked),
                )
            }),
        ]
    }
}

impl Group {
    fn add(&mut self, other: Group) {
        self.blocks += other.blocks;
        self.size += other.size;
        self.linked += other.linked;
        self.kept += other.kept;
    }
}

#[cfg(test)]
mod tests {
    use super::Groups;
    use crate::outline::tests::read;

    #[test]
    fn items_of_one_list_stand_alike_and_those_under_a_heading_together() {
        let html =
            "<h1>a</h1><ul class=x><li>bb<li>cccc</ul><h2>d</h2><ol><li><a href=/>eeee</a></ol>";
        let page = read(html);
        let groups = Groups::new(&page, &[]);
        let (first, last) = (groups.of_block(&page, 1), groups.of_block(&page, 4));
        assert_eq!((first[0], first[1]), (libm::logf(3.0), libm::logf(4.0)));
        assert_eq!((first[2], first[6], last[2]), (0.0, 0.0, 1.0));
        assert_eq!((first[5], last[5]), (libm::logf(8.0), libm::logf(6.0)));
    }

    #[test]
    fn the_article_around_a_block_is_told_by_its_share_of_the_text() {
        let page = read("<p>aaa<article><div>bbb<p>ccc</div></article>");
        let groups = Groups::new(&page, &[]);
        let shares: Vec<f32> = (0..3)
            .map(|block| groups.of_block(&page, block)[8])
            .collect();
        assert_eq!(shares, [-1.0, 6.0 / 9.0, 6.0 / 9.0]);
    }
}
