//! The features of the text of a block, by name.

use crate::element_kind::ElementKind;
use crate::outline::{BlockElement, TextBlock};
use crate::scale::{flag, log_scale, ratio};

/// What the text of a block says of it. Truth values are 0 or 1, numbers on a logarithmic scale.
pub(crate) struct TextFeatures {
    /// Its size.
    pub(crate) size: f32,
    /// Its number of words.
    pub(crate) words: f32,
    /// The share of it in links.
    pub(crate) linked_share: f32,
    /// The number of its links.
    pub(crate) links: f32,
    /// The number of its full stops and the like.
    pub(crate) stops: f32,
    /// The number of its commas and the like.
    pub(crate) commas: f32,
    /// Full stops per word.
    pub(crate) stop_rate: f32,
    /// Commas per word.
    pub(crate) comma_rate: f32,
    /// Whether it ends with a full stop.
    pub(crate) ends_with_stop: f32,
    /// The share of digits.
    pub(crate) digit_share: f32,
    /// The share of capitals among its letters.
    pub(crate) upper_share: f32,
    /// The share of symbols.
    pub(crate) symbol_share: f32,
    /// The mean length of its words.
    pub(crate) word_length: f32,
    /// The number of its line breaks.
    pub(crate) line_breaks: f32,
    /// The level of a heading; 0 for others.
    pub(crate) heading_level: f32,
    /// Whether it is a paragraph.
    pub(crate) is_paragraph: f32,
    /// Whether it is an item of a list.
    pub(crate) is_item: f32,
    /// Whether Readability keeps it.
    pub(crate) is_kept: f32,
}

impl TextFeatures {
    /// Computes the features of a block. `is_kept` is true if Readability keeps it.
    pub(crate) fn new(block: &TextBlock, element: &BlockElement, is_kept: bool) -> TextFeatures {
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
        let line_breaks = block.text.matches('\n').count();
        let last = block
            .text
            .trim_end_matches(['"', '”', '»', '\'', '’', ')', '」', '』', ']'])
            .chars()
            .next_back();
        let ends_with_stop = last.is_some_and(|c| ".!?。！？…؟।۔:：".contains(c));
        TextFeatures {
            size: log_scale(block.size),
            words: log_scale(words),
            linked_share: ratio(block.linked, block.size),
            links: log_scale(block.links),
            stops: log_scale(stops),
            commas: log_scale(commas),
            stop_rate: ratio(stops, words.max(block.size / 6)),
            comma_rate: ratio(commas, words.max(block.size / 6)),
            ends_with_stop: flag(ends_with_stop),
            digit_share: ratio(digits, block.size),
            upper_share: ratio(upper, letters),
            symbol_share: ratio(symbols, block.size),
            word_length: ratio(block.size, words),
            line_breaks: log_scale(line_breaks),
            heading_level: f32::from(element.heading_level),
            is_paragraph: flag(element.kind == ElementKind::Paragraph),
            is_item: flag(element.kind == ElementKind::Item),
            is_kept: flag(is_kept),
        }
    }

    /// Returns the features in the order of the model.
    pub(crate) fn to_array(&self) -> [f32; 18] {
        [
            self.size,
            self.words,
            self.linked_share,
            self.links,
            self.stops,
            self.commas,
            self.stop_rate,
            self.comma_rate,
            self.ends_with_stop,
            self.digit_share,
            self.upper_share,
            self.symbol_share,
            self.word_length,
            self.line_breaks,
            self.heading_level,
            self.is_paragraph,
            self.is_item,
            self.is_kept,
        ]
    }
}
