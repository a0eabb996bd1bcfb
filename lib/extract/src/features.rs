//! What is known of a block, as numbers for the model that judges it.
//!
//! Five kinds: of its text (length, links, punctuation), of its place (tags and names that hold it,
//! where on the page), of its neighbours, of the groups that it belongs to, and of how much text is
//! where (the scores by which Readability finds an article). Some are of the page: whether its
//! author names things at all, for one, without which the lack of a name would say something. No
//! word of any language is looked at, and lengths are comparable between scripts.

use crate::facts::Facts;
use crate::groups::Groups;
use crate::hints::Hints;
use crate::outline::{BlockFrame, Outline, TextBlock};
use crate::scale::{log, ratio};
use crate::scores::Scores;
use crate::tags::Tag;
use std::collections::HashMap;

/// Numbers that describe one block.
pub(crate) type Row = Vec<f32>;

/// What is known of the whole page.
struct Context<'a> {
    outline: &'a Outline,
    scores: Scores,
    groups: Groups,
    /// Text before each block.
    before: Vec<usize>,
    total: usize,
    /// Which frames an extractor by Readability's rules keeps, if it keeps any.
    kept: &'a [bool],
    /// Of each block, whether its frame is kept.
    kept_share: f32,
    repeats: HashMap<&'a str, usize>,
    siblings: HashMap<(usize, u64), usize>,
    /// How far each block is the page's title: the share of the title that it covers.
    title_share: Vec<f32>,
    /// The letters of the embedded article.
    body: String,
    /// The block of the first `<h1>`, or of what repeats the title.
    heading: Option<usize>,
    page: Vec<f32>,
}

/// A row for each block of a page.
pub(crate) fn rows(outline: &Outline, facts: &Facts, kept: &[bool]) -> Vec<Row> {
    let context = Context::new(outline, facts, kept);
    let own: Vec<[f32; OWN]> = outline
        .blocks
        .iter()
        .map(|block| context.own(block))
        .collect();
    (0..outline.blocks.len())
        .map(|number| context.row(number, &own))
        .collect()
}

/// Letters of a page on which the place says nothing. In pages of usual length main text is rarely
/// far down, and the model has learned so; in a book it is, so that such pages are judged as some
/// in training are: without places.
const LONG: usize = 30_000;
/// What stands for a place there.
const NOWHERE: f32 = -1.0;
/// Numbers of a block's text alone.
const OWN: usize = 18;
/// Blocks before and after, whose text counts as well.
const NEIGHBOURS: [isize; 4] = [-2, -1, 1, 2];
/// Frames around a block that are described.
const LEVELS: usize = 4;

impl<'a> Context<'a> {
    fn new(outline: &'a Outline, facts: &Facts, kept: &'a [bool]) -> Context<'a> {
        let mut before = Vec::with_capacity(outline.blocks.len());
        let mut total = 0;
        let mut repeats = HashMap::new();
        for block in &outline.blocks {
            before.push(total);
            total += block.size;
            *repeats.entry(block.text.as_str()).or_default() += 1;
        }
        let mut siblings = HashMap::new();
        for frame in &outline.frames {
            *siblings.entry((frame.parent, frame.kind)).or_default() += 1;
        }
        let titles = [
            letters(first(&facts.title, MOST_TITLE)),
            letters(first(&facts.headline, MOST_TITLE)),
        ];
        let in_kept = |block: &&TextBlock| kept.get(block.frame).copied().unwrap_or(false);
        let kept_size: usize = outline
            .blocks
            .iter()
            .filter(in_kept)
            .map(|block| block.size)
            .sum();
        let mut context = Context {
            outline,
            scores: Scores::new(outline),
            groups: Groups::new(outline, kept),
            before,
            total: total.max(1),
            kept,
            kept_share: ratio(kept_size, total),
            repeats,
            siblings,
            title_share: outline
                .blocks
                .iter()
                .map(|block| title_share(block, &titles))
                .collect(),
            body: letters(first(&facts.data.body, MOST_BODY)),
            heading: None,
            page: Vec::new(),
        };
        context.heading = context.find_heading();
        context.page = context.page(facts);
        context
    }

    fn frame(&self, number: usize) -> &'a BlockFrame {
        &self.outline.frames[number]
    }

    fn find_heading(&self) -> Option<usize> {
        let is_heading = |number: usize| self.frame(self.outline.blocks[number].frame).level == 1;
        let place = |test: &dyn Fn(usize) -> bool| {
            (0..self.outline.blocks.len()).find(|&number| test(number))
        };
        place(&|number| is_heading(number) && self.title_share[number] > 0.0)
            .or_else(|| place(&is_heading))
            .or_else(|| place(&|number| self.title_share[number] > 0.5))
    }

    /// Numbers that are the same for all blocks of the page.
    fn page(&self, facts: &Facts) -> Vec<f32> {
        let blocks = &self.outline.blocks;
        let linked: usize = blocks.iter().map(|block| block.linked).sum();
        let share = |test: &dyn Fn(&TextBlock) -> bool| {
            ratio(
                blocks
                    .iter()
                    .filter(|block| test(block))
                    .map(|block| block.size)
                    .sum(),
                self.total,
            )
        };
        let is = |word: &str| -> f32 {
            if facts.data.types.iter().any(|kind| kind.contains(word)) {
                1.0
            } else {
                0.0
            }
        };
        let count = |tag: Tag| {
            log(self
                .outline
                .frames
                .iter()
                .filter(|frame| frame.tag == tag)
                .count())
        };
        vec![
            log(self.total),
            log(blocks.len()),
            ratio(linked, self.total),
            share(&|block| self.frame(block.frame).tag == Tag::Paragraph),
            share(&|block| block.size > 200 && block.linked * 4 < block.size),
            self.kept_share,
            if facts.kind == "article" { 1.0 } else { 0.0 },
            is("article").max(is("posting")),
            is("product"),
            is("forum").max(is("qapage")),
            count(Tag::Article),
            count(Tag::Main),
            count(Tag::Paragraph),
            count(Tag::Heading),
            if self.body.is_empty() { 0.0 } else { 1.0 },
            share_of(blocks, &|block| self.own_hints(block) != Hints::default()),
            share_of(blocks, &|block| {
                self.inherited_hints(block) != Hints::default()
            }),
            blocks
                .iter()
                .fold(Hints::default(), |all, block| all | self.own_hints(block))
                .flags()
                .sum(),
        ]
    }

    fn own_hints(&self, block: &TextBlock) -> Hints {
        self.frame(block.frame).hints | block.hints
    }

    fn inherited_hints(&self, block: &TextBlock) -> Hints {
        self.frame(block.frame).inherited | block.hints
    }

    /// Numbers of a block's text alone.
    fn own(&self, block: &TextBlock) -> [f32; OWN] {
        let mut digits = 0;
        let mut upper = 0;
        let mut letters = 0;
        let mut stops = 0;
        let mut commas = 0;
        let mut symbols = 0;
        for c in block.text.chars() {
            match c {
                '.' | '!' | '?' | '。' | '！' | '？' | '…' | '؟' | '।' | '۔' | '։' | '።' | '།' => {
                    stops += 1
                }
                ',' | ';' | ':' | '、' | '，' | '；' | '：' | '،' | '؛' | '·' => commas += 1,
                _ if c.is_whitespace() => {}
                _ if c.is_numeric() => digits += 1,
                _ if c.is_alphabetic() => {
                    letters += 1;
                    upper += usize::from(c.is_uppercase());
                }
                _ => symbols += 1,
            }
        }
        let words = block.text.split_whitespace().count();
        let lines = block.text.matches('\n').count();
        let last = block
            .text
            .trim_end_matches(['"', '”', '»', '\'', '’', ')', '」', '』', ']'])
            .chars()
            .next_back();
        let ends = last.is_some_and(|c| ".!?。！？…؟।۔:：".contains(c));
        let frame = self.frame(block.frame);
        [
            log(block.size),
            log(words),
            ratio(block.linked, block.size),
            log(block.links),
            log(stops),
            log(commas),
            ratio(stops, words.max(block.size / 6)),
            ratio(commas, words.max(block.size / 6)),
            if ends { 1.0 } else { 0.0 },
            ratio(digits, block.size),
            ratio(upper, letters),
            ratio(symbols, block.size),
            ratio(block.size, words),
            log(lines),
            f32::from(frame.level),
            if frame.tag == Tag::Paragraph {
                1.0
            } else {
                0.0
            },
            if frame.tag == Tag::Item { 1.0 } else { 0.0 },
            if self.is_kept(block) { 1.0 } else { 0.0 },
        ]
    }

    fn is_kept(&self, block: &TextBlock) -> bool {
        self.kept.get(block.frame).copied().unwrap_or(false)
    }

    fn row(&self, number: usize, own: &[[f32; OWN]]) -> Row {
        let block = &self.outline.blocks[number];
        let frame = self.frame(block.frame);
        let mut row = Vec::with_capacity(220);
        row.extend(own[number]);
        row.extend(self.text(number));
        row.extend(self.place(number));
        row.extend((0..Tag::HOLDERS).map(|place| f32::from(frame.within >> place & 1 == 1)));
        row.push(frame.tag as u8 as f32);
        row.extend(self.own_hints(block).flags());
        row.extend(self.inherited_hints(block).flags());
        row.extend(self.around(block));
        row.extend(self.neighbours(number, own));
        row.extend(&self.page);
        row.extend(self.groups.of_block(self.outline, number));
        row
    }

    /// Numbers of the text seen beside the rest of the page.
    fn text(&self, number: usize) -> [f32; 4] {
        let block = &self.outline.blocks[number];
        let in_body =
            !self.body.is_empty() && block.size > 20 && self.body.contains(&letters(&block.text));
        [
            self.title_share[number],
            log(self.repeats.get(block.text.as_str()).copied().unwrap_or(1)),
            if in_body { 1.0 } else { 0.0 },
            ratio(block.size, self.total),
        ]
    }

    /// Numbers of where on the page it stands.
    fn place(&self, number: usize) -> [f32; 6] {
        let has_heading = if self.heading.is_some() { 1.0 } else { 0.0 };
        if self.total > LONG {
            return [NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, has_heading];
        }
        let size = self.outline.blocks[number].size;
        let after_heading = self.heading.map_or(-1.0, |heading| {
            if number >= heading {
                log(number - heading)
            } else {
                -log(heading - number) - 1.0
            }
        });
        [
            ratio(self.before[number], self.total),
            ratio(number, self.outline.blocks.len()),
            log(self.before[number]),
            log(self.total - self.before[number] - size),
            after_heading,
            has_heading,
        ]
    }

    /// Numbers of the frames around a block, from the nearest outwards, and of their scores.
    fn around(&self, block: &TextBlock) -> Vec<f32> {
        let mut numbers = Vec::with_capacity(LEVELS * 6 + 8);
        let mut at = block.frame;
        for _ in 0..LEVELS {
            let frame = self.frame(at);
            numbers.extend([
                ratio(frame.size, self.total),
                ratio(frame.linked, frame.size),
                log(frame.end - frame.first),
                log(self
                    .siblings
                    .get(&(frame.parent, frame.kind))
                    .copied()
                    .unwrap_or(1)),
                self.scores.relative(at),
                ratio(block.size, frame.size),
            ]);
            at = frame.parent;
        }
        numbers.extend(self.scores.of_block(self.outline, block.frame));
        numbers.push(self.frame(block.frame).depth.min(60) as f32);
        numbers
    }

    /// Numbers of the blocks before and after, and means over wider windows.
    fn neighbours(&self, number: usize, own: &[[f32; OWN]]) -> Vec<f32> {
        let mut numbers = Vec::with_capacity(64);
        let frame = self.outline.blocks[number].frame;
        for step in NEIGHBOURS {
            let place = number
                .checked_add_signed(step)
                .filter(|&place| place < own.len());
            let neighbour = place.map(|place| (&own[place], &self.outline.blocks[place]));
            numbers.extend(neighbour.map_or([-1.0; 8], |(own, block)| {
                let is_sibling = block.frame == frame
                    || self.frame(block.frame).parent == self.frame(frame).parent;
                let bad = Hints::COMMENT
                    | Hints::RELATED
                    | Hints::SHARE
                    | Hints::DIALOG
                    | Hints::SIDE
                    | Hints::FOOTER;
                let is_bad = self.own_hints(block).has(bad);
                [
                    own[0],
                    own[2],
                    own[4],
                    own[8],
                    own[14],
                    own[17],
                    f32::from(is_sibling),
                    f32::from(is_bad),
                ]
            }));
        }
        for width in [4, 12] {
            let range = number.saturating_sub(width)..(number + width + 1).min(own.len());
            let blocks = &self.outline.blocks[range.clone()];
            let sum = |part: &dyn Fn(&TextBlock) -> usize| blocks.iter().map(part).sum::<usize>();
            let text = sum(&|block| block.size);
            let mean = |place: usize| {
                own[range.clone()].iter().map(|own| own[place]).sum::<f32>() / range.len() as f32
            };
            numbers.extend([
                log(text),
                ratio(sum(&|block| block.linked), text),
                mean(4),
                mean(8),
                mean(15),
                mean(17),
            ]);
        }
        numbers
    }
}

/// The share of the blocks that are so.
fn share_of(blocks: &[TextBlock], test: &dyn Fn(&TextBlock) -> bool) -> f32 {
    ratio(
        blocks.iter().filter(|block| test(block)).count(),
        blocks.len(),
    )
}

/// Bytes of a title, and of an embedded article, that are looked at: each block is looked for in
/// them.
const MOST_TITLE: usize = 1000;
const MOST_BODY: usize = 100_000;

/// How far a block is one of the titles, which are letters alone: the share of it that it covers.
fn title_share(block: &TextBlock, titles: &[String; 2]) -> f32 {
    let most = titles.iter().map(String::len).max().unwrap_or(0);
    if block.size < 6 {
        return 0.0;
    }
    let mut own = String::new();
    for letter in lower_letters(&block.text) {
        own.push(letter);
        if own.len() > most {
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

/// The beginning of a text, so many bytes at the most.
fn first(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Only letters and digits, in lower case: how it is set does not matter.
pub(crate) fn letters(text: &str) -> String {
    lower_letters(text).collect()
}

fn lower_letters(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
}
