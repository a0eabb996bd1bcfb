//! The features of a block, for the model that rates it.
//!
//! They describe its text (length, links, punctuation), its position (tags and names around it,
//! place on the page), its neighbours, its groups, and the distribution of text over the page (the
//! scores of Readability). Some describe the page: for example, if its author names elements at
//! all, without which a missing name would be misread. No feature depends on the words of any
//! language, and lengths are comparable between scripts.
//!
//! The order of the features is fixed by the model: a change needs a new one (`model/README.md`).

use crate::element_kind::ElementKind;
use crate::groups::BlockGroups;
use crate::hints::MarkupHints;
use crate::metadata::PageMetadata;
use crate::outline::{BlockElement, Outline, TextBlock};
use crate::paragraphs::{letters_and_digits, lower_letters_and_digits};
use crate::readability_scores::ReadabilityScores;
use crate::scale::{flag, log_scale, ratio};
use crate::text_features::TextFeatures;
use foldhash::HashMap;

/// The features of one block.
pub(crate) type FeatureVector = Vec<f32>;

/// Properties of the whole page from which the features of its blocks are computed.
struct PageContext<'a> {
    outline: &'a Outline,
    scores: ReadabilityScores,
    groups: BlockGroups,
    /// Size of the text before each block.
    size_before: Vec<usize>,
    /// Size of all text, at least 1.
    total_size: usize,
    /// True for the elements that Readability keeps; may be empty.
    kept: &'a [bool],
    /// Share of the text that Readability keeps.
    kept_share: f32,
    /// Number of blocks with the same text.
    repeats: HashMap<&'a str, usize>,
    /// Number of similar siblings, by parent and hash.
    siblings: HashMap<(usize, u64), usize>,
    /// For each block, the share of the page's title that it covers.
    title_shares: Vec<f32>,
    /// Letters and digits of the article in JSON-LD.
    article_body: String,
    /// The block of the first `<h1>`, or one that repeats the title.
    heading: Option<usize>,
    /// Features that are the same for all blocks.
    page_features: Vec<f32>,
}

/// Returns the features of each block of a page. `kept` is true for the elements that Readability
/// keeps.
pub(crate) fn block_features(
    outline: &Outline,
    metadata: &PageMetadata,
    kept: &[bool],
) -> Vec<FeatureVector> {
    let context = PageContext::new(outline, metadata, kept);
    let text_features: Vec<TextFeatures> = outline
        .blocks
        .iter()
        .map(|block| context.text_features(block))
        .collect();
    (0..outline.blocks.len())
        .map(|block| context.feature_vector(block, &text_features))
        .collect()
}

/// Text size of a page above which positions on the page are not used. On pages of usual length,
/// main text is rarely far down, and the model has learned that; in a book it is. So long pages are
/// rated like the training pages without positions (BENCHMARKS.md, "Main text").
const LONG_PAGE: usize = 30_000;
/// The value of the position features of a long page.
const NO_POSITION: f32 = -1.0;
/// Offsets of the neighbouring blocks whose text features are used. Part of the trained model.
const NEIGHBOURS: [isize; 4] = [-2, -1, 1, 2];
/// Number of elements around a block that are described. Part of the trained model.
const ANCESTORS: usize = 4;

impl<'a> PageContext<'a> {
    fn new(outline: &'a Outline, metadata: &PageMetadata, kept: &'a [bool]) -> PageContext<'a> {
        let mut size_before = Vec::with_capacity(outline.blocks.len());
        let mut total_size = 0;
        let mut repeats = HashMap::default();
        for block in &outline.blocks {
            size_before.push(total_size);
            total_size += block.size;
            *repeats.entry(block.text.as_str()).or_default() += 1;
        }
        let mut siblings = HashMap::default();
        for element in &outline.elements {
            *siblings
                .entry((element.parent, element.tag_class_hash))
                .or_default() += 1;
        }
        let titles = [
            letters_and_digits(truncate(&metadata.title, MAX_TITLE_BYTES)),
            letters_and_digits(truncate(&metadata.og_title, MAX_TITLE_BYTES)),
        ];
        let is_kept = |block: &&TextBlock| kept.get(block.element).copied().unwrap_or(false);
        let kept_size: usize = outline
            .blocks
            .iter()
            .filter(is_kept)
            .map(|block| block.size)
            .sum();
        let mut context = PageContext {
            outline,
            scores: ReadabilityScores::new(outline),
            groups: BlockGroups::new(outline, kept),
            size_before,
            total_size: total_size.max(1),
            kept,
            kept_share: ratio(kept_size, total_size),
            repeats,
            siblings,
            title_shares: outline
                .blocks
                .iter()
                .map(|block| title_share(block, &titles))
                .collect(),
            article_body: letters_and_digits(truncate(
                metadata.json_ld.longest_body(),
                MAX_ARTICLE_BYTES,
            )),
            heading: None,
            page_features: Vec::new(),
        };
        context.heading = context.find_heading();
        context.page_features = context.page_features(metadata);
        context
    }

    fn element(&self, number: usize) -> &'a BlockElement {
        &self.outline.elements[number]
    }

    /// Returns the block of the page's heading: the first `<h1>` that is part of the title, else
    /// the first `<h1>`, else the first block that covers more than half of the title.
    fn find_heading(&self) -> Option<usize> {
        let is_h1 = |block: usize| {
            self.element(self.outline.blocks[block].element)
                .heading_level
                == 1
        };
        let find_block = |test: &dyn Fn(usize) -> bool| {
            (0..self.outline.blocks.len()).find(|&block| test(block))
        };
        find_block(&|block| is_h1(block) && self.title_shares[block] > 0.0)
            .or_else(|| find_block(&is_h1))
            .or_else(|| find_block(&|block| self.title_shares[block] > 0.5))
    }

    /// Returns the features that are the same for all blocks of the page.
    fn page_features(&self, metadata: &PageMetadata) -> Vec<f32> {
        let blocks = &self.outline.blocks;
        let linked: usize = blocks.iter().map(|block| block.linked).sum();
        let text_share = |test: &dyn Fn(&TextBlock) -> bool| {
            ratio(
                blocks
                    .iter()
                    .filter(|block| test(block))
                    .map(|block| block.size)
                    .sum(),
                self.total_size,
            )
        };
        let has_type = |word: &str| flag(metadata.json_ld.types.iter().any(|t| t.contains(word)));
        let count = |kind: ElementKind| {
            log_scale(
                self.outline
                    .elements
                    .iter()
                    .filter(|element| element.kind == kind)
                    .count(),
            )
        };
        vec![
            log_scale(self.total_size),
            log_scale(blocks.len()),
            ratio(linked, self.total_size),
            text_share(&|block| self.element(block.element).kind == ElementKind::Paragraph),
            text_share(&|block| block.size > 200 && block.linked * 4 < block.size),
            self.kept_share,
            flag(metadata.og_type == "article"),
            has_type("article").max(has_type("posting")),
            has_type("product"),
            has_type("forum").max(has_type("qapage")),
            count(ElementKind::Article),
            count(ElementKind::Main),
            count(ElementKind::Paragraph),
            count(ElementKind::Heading),
            flag(!self.article_body.is_empty()),
            block_share(blocks, &|block| {
                self.own_hints(block) != MarkupHints::default()
            }),
            block_share(blocks, &|block| {
                self.inherited_hints(block) != MarkupHints::default()
            }),
            blocks
                .iter()
                .fold(MarkupHints::default(), |all, block| {
                    all | self.own_hints(block)
                })
                .flags()
                .sum(),
        ]
    }

    fn own_hints(&self, block: &TextBlock) -> MarkupHints {
        self.element(block.element).hints | block.hints
    }

    fn inherited_hints(&self, block: &TextBlock) -> MarkupHints {
        self.element(block.element).inherited_hints | block.hints
    }

    /// Returns the features of the text of a block.
    fn text_features(&self, block: &TextBlock) -> TextFeatures {
        TextFeatures::new(block, self.element(block.element), self.is_kept(block))
    }

    fn is_kept(&self, block: &TextBlock) -> bool {
        self.kept.get(block.element).copied().unwrap_or(false)
    }

    /// Returns all features of a block, in the order of the model.
    fn feature_vector(&self, number: usize, text_features: &[TextFeatures]) -> FeatureVector {
        let block = &self.outline.blocks[number];
        let element = self.element(block.element);
        let mut vector = Vec::with_capacity(220);
        vector.extend(text_features[number].to_array());
        vector.extend(self.text_in_page_features(number));
        vector.extend(self.position_features(number));
        vector.extend(
            (0..ElementKind::BLOCK_KINDS).map(|bit| flag(element.kinds_around >> bit & 1 == 1)),
        );
        vector.push(element.kind as u8 as f32);
        vector.extend(self.own_hints(block).flags());
        vector.extend(self.inherited_hints(block).flags());
        vector.extend(self.ancestor_features(block));
        vector.extend(self.neighbour_features(number, text_features));
        vector.extend(&self.page_features);
        vector.extend(self.groups.block_features(self.outline, number));
        vector
    }

    /// Returns the features of a block's text compared with the rest of the page.
    fn text_in_page_features(&self, number: usize) -> [f32; 4] {
        let block = &self.outline.blocks[number];
        let is_in_article = !self.article_body.is_empty()
            && block.size > 20
            && self.article_body.contains(&letters_and_digits(&block.text));
        [
            self.title_shares[number],
            log_scale(self.repeats.get(block.text.as_str()).copied().unwrap_or(1)),
            flag(is_in_article),
            ratio(block.size, self.total_size),
        ]
    }

    /// Returns the features of a block's position on the page.
    fn position_features(&self, number: usize) -> [f32; 6] {
        let has_heading = flag(self.heading.is_some());
        if self.total_size > LONG_PAGE {
            return [
                NO_POSITION,
                NO_POSITION,
                NO_POSITION,
                NO_POSITION,
                NO_POSITION,
                has_heading,
            ];
        }
        let size = self.outline.blocks[number].size;
        let after_heading = self.heading.map_or(-1.0, |heading| {
            if number >= heading {
                log_scale(number - heading)
            } else {
                -log_scale(heading - number) - 1.0
            }
        });
        [
            ratio(self.size_before[number], self.total_size),
            ratio(number, self.outline.blocks.len()),
            log_scale(self.size_before[number]),
            log_scale(self.total_size - self.size_before[number] - size),
            after_heading,
            has_heading,
        ]
    }

    /// Returns the features of the elements around a block, the innermost first, and of their
    /// scores.
    fn ancestor_features(&self, block: &TextBlock) -> Vec<f32> {
        let mut features = Vec::with_capacity(ANCESTORS * 6 + 8);
        let mut number = block.element;
        for _ in 0..ANCESTORS {
            let element = self.element(number);
            let siblings = self
                .siblings
                .get(&(element.parent, element.tag_class_hash))
                .copied()
                .unwrap_or(1);
            features.extend([
                ratio(element.size, self.total_size),
                ratio(element.linked, element.size),
                log_scale(element.end_block - element.first_block),
                log_scale(siblings),
                self.scores.relative_score(number),
                ratio(block.size, element.size),
            ]);
            number = element.parent;
        }
        features.extend(self.scores.block_features(self.outline, block.element));
        features.push(self.element(block.element).depth.min(60) as f32);
        features
    }

    /// Returns the features of the blocks before and after, and means over wider windows.
    fn neighbour_features(&self, number: usize, text_features: &[TextFeatures]) -> Vec<f32> {
        let mut features = Vec::with_capacity(64);
        let element = self.outline.blocks[number].element;
        for offset in NEIGHBOURS {
            let neighbour = number
                .checked_add_signed(offset)
                .filter(|&neighbour| neighbour < text_features.len());
            features.extend(neighbour.map_or([-1.0; 8], |neighbour| {
                let own = &text_features[neighbour];
                let block = &self.outline.blocks[neighbour];
                let is_sibling = block.element == element
                    || self.element(block.element).parent == self.element(element).parent;
                let boilerplate = MarkupHints::COMMENT
                    | MarkupHints::RELATED
                    | MarkupHints::SHARE
                    | MarkupHints::DIALOG
                    | MarkupHints::SIDE
                    | MarkupHints::FOOTER;
                [
                    own.size,
                    own.linked_share,
                    own.stops,
                    own.ends_with_stop,
                    own.heading_level,
                    own.is_kept,
                    flag(is_sibling),
                    flag(self.own_hints(block).has_any(boilerplate)),
                ]
            }));
        }
        for width in [4, 12] {
            let window =
                number.saturating_sub(width)..(number + width + 1).min(text_features.len());
            let blocks = &self.outline.blocks[window.clone()];
            let size: usize = blocks.iter().map(|block| block.size).sum();
            let linked: usize = blocks.iter().map(|block| block.linked).sum();
            let mean = |feature: fn(&TextFeatures) -> f32| {
                text_features[window.clone()]
                    .iter()
                    .map(feature)
                    .sum::<f32>()
                    / window.len() as f32
            };
            features.extend([
                log_scale(size),
                ratio(linked, size),
                mean(|own| own.stops),
                mean(|own| own.ends_with_stop),
                mean(|own| own.is_paragraph),
                mean(|own| own.is_kept),
            ]);
        }
        features
    }
}

/// Returns the share of the blocks for which `test` is true.
fn block_share(blocks: &[TextBlock], test: &dyn Fn(&TextBlock) -> bool) -> f32 {
    ratio(
        blocks.iter().filter(|block| test(block)).count(),
        blocks.len(),
    )
}

/// Bytes of a title in which each block is searched for, which bounds the time.
const MAX_TITLE_BYTES: usize = 1000;
/// Bytes of an article in JSON-LD in which each block is searched for, which bounds the time.
const MAX_ARTICLE_BYTES: usize = 100_000;

/// Returns the share of a title that a block covers, the larger one of two titles, or 0 if the
/// block is not part of either. Titles consist of letters and digits.
fn title_share(block: &TextBlock, titles: &[String; 2]) -> f32 {
    let longest = titles.iter().map(String::len).max().unwrap_or(0);
    if block.size < 6 {
        return 0.0;
    }
    let mut own = String::new();
    for letter in lower_letters_and_digits(&block.text) {
        own.push(letter);
        if own.len() > longest {
            return 0.0;
        }
    }
    let share = |title: &String| {
        if title.contains(&own) {
            ratio(own.len(), title.len())
        } else {
            0.0
        }
    };
    titles.iter().map(share).fold(0.0, f32::max)
}

/// Returns the beginning of a text, at most `bytes` long.
fn truncate(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
