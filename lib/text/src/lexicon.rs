//! Segmentation by a lexicon: the most probable sequence of words.
//!
//! A lexicon gives each word its probability `p(w)`, estimated from word counts. A text without
//! blanks is split into the words whose product of probabilities is highest, found by dynamic
//! programming over all words that begin at each position (Viterbi). The probability of a word does
//! not depend on its neighbours. Therefore a word that was found in a text is also found when it
//! stands alone, so that a term of a document, sent as a query, finds that document.
//!
//! Compared with other segmenters in BENCHMARKS.md, "Segmentation". The word counts are those of
//! `lib/text/lexicon/README.md`.

use crate::scripts::LexiconName;
use crate::syllables::is_boundary;
use fst::Map;
use fst::raw::{Fst, Output};
use std::sync::OnceLock;

/// Cost of an unknown syllable, in tenths of a nat. It is higher than that of any word, 0 to 220
/// (`build-lexicon` in `tests/lab/tools/text-lexicon`).
const UNKNOWN_COST: u32 = 230;

/// Cost of a sequence of katakana that is not in the lexicon: a foreign word or name, which costs
/// as much as two unknown syllables or four ordinary words. Measured on 964 sentences of Japanese
/// software and health texts against MeCab with UniDic: F1 is .917 at 170, .924 at 400 and .921
/// without such words.
const KATAKANA_COST: u32 = 400;

/// Cost of two to five consonants that are not in the lexicon: an abbreviation such as กทม. Less
/// than two unknown syllables. Set by judgement, not measured.
const ABBREVIATION_COST: u32 = 300;

/// Length in bytes after which a text without punctuation is cut at the next syllable, which bounds
/// memory. Sentences are shorter.
const MAX_SEGMENT: usize = 30_000;

/// A lexicon: words with costs, `-10 · ln p(w)`.
pub(crate) struct Lexicon {
    words: Fst<&'static [u8]>,
    /// True if the script has katakana, in which foreign words and names are written.
    has_katakana: bool,
}

/// The best way to reach a position of the text.
#[derive(Debug, Clone, Copy)]
struct Step {
    /// Total cost of the words before the position.
    cost: u32,
    /// Byte offset at which the last of them begins.
    start: usize,
}

const UNREACHED: Step = Step {
    cost: u32::MAX,
    start: 0,
};

/// Returns a built-in lexicon. It is part of the program; only the pages of it that are used are
/// read from disk.
pub(crate) fn built_in(name: LexiconName) -> Option<&'static Lexicon> {
    macro_rules! lexicon {
        ($file:literal) => {{
            static LEXICON: OnceLock<Option<Lexicon>> = OnceLock::new();
            LEXICON
                .get_or_init(|| Lexicon::new(include_bytes!(concat!("../lexicon/", $file, ".fst"))))
                .as_ref()
        }};
    }
    match name {
        LexiconName::Han => lexicon!("han"),
        LexiconName::Thai => lexicon!("thai"),
        LexiconName::Lao => lexicon!("lao"),
        LexiconName::Khmer => lexicon!("khmer"),
        LexiconName::Burmese => lexicon!("burmese"),
    }
}

impl Lexicon {
    /// Returns the lexicon in `bytes`, as written by `build-lexicon`; `None` if they are no
    /// lexicon.
    fn new(bytes: &'static [u8]) -> Option<Lexicon> {
        let map = Map::new(bytes).ok()?;
        let has_katakana = map.contains_key("カメラ");
        Some(Lexicon {
            words: map.into_fst(),
            has_katakana,
        })
    }

    /// Calls `emit` with the words of `text`, in order. The text contains letters of the lexicon's
    /// script only. Runs in O(n · l) for n characters and words of at most l characters, in memory
    /// for 10,000 characters.
    pub fn for_each_word<'a>(&self, text: &'a str, mut emit: impl FnMut(&'a str)) {
        let mut rest = text;
        while !rest.is_empty() {
            let length = (MAX_SEGMENT..rest.len())
                .find(|&end| is_boundary(rest, end))
                .unwrap_or(rest.len());
            let (segment, after) = rest.split_at(length);
            self.split(segment, &mut emit);
            rest = after;
        }
    }

    fn split<'a>(&self, text: &'a str, emit: &mut impl FnMut(&'a str)) {
        let mut steps = vec![UNREACHED; text.len() + 1];
        steps[0].cost = 0;
        for (start, _) in text.char_indices() {
            let Step { cost, .. } = steps[start];
            if cost < u32::MAX {
                self.reach_word_ends(text, start, cost, &mut steps);
            }
        }
        let mut starts = Vec::new();
        let mut end = text.len();
        while end > 0 {
            starts.push(end);
            end = steps[end].start;
        }
        let mut start = 0;
        for end in starts.into_iter().rev() {
            emit(&text[start..end]);
            start = end;
        }
    }

    /// Records for each position where a word from `start` can end that it can be reached at `cost`
    /// and that of the word.
    fn reach_word_ends(&self, text: &str, start: usize, cost: u32, steps: &mut [Step]) {
        let mut reach = |end: usize, word_cost: u32| {
            let step = Step {
                cost: cost + word_cost,
                start,
            };
            if step.cost < steps[end].cost {
                steps[end] = step;
            }
        };
        let mut node = self.words.root();
        let mut output = Output::zero();
        for (index, &byte) in text.as_bytes().iter().enumerate().skip(start) {
            let Some(transition) = node.find_input(byte) else {
                break;
            };
            let transition = node.transition(transition);
            output = output.cat(transition.out);
            node = self.words.node(transition.addr);
            if node.is_final() && is_boundary(text, index + 1) {
                reach(index + 1, output.cat(node.final_output()).value() as u32);
            }
        }
        let syllable_end = (start + 1..=text.len())
            .find(|&end| is_boundary(text, end))
            .unwrap_or(text.len());
        reach(syllable_end, UNKNOWN_COST);
        if self.has_katakana
            && let Some(end) = katakana_end(text, start)
        {
            reach(end, KATAKANA_COST);
        }
        for end in abbreviation_ends(text, start) {
            reach(end, ABBREVIATION_COST);
        }
    }
}

/// Returns the end of a sequence of two or more katakana, if one begins at `start`.
fn katakana_end(text: &str, start: usize) -> Option<usize> {
    let is_katakana = |c: char| matches!(c, '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30fe}');
    if text[..start].chars().next_back().is_some_and(is_katakana) {
        return None;
    }
    let rest = &text[start..];
    let end = start + rest.find(|c| !is_katakana(c)).unwrap_or(rest.len());
    let is_sequence = text[start..end].chars().nth(1).is_some();
    (is_sequence && is_boundary(text, end)).then_some(end)
}

/// Returns the ends of the sequences of two to five Thai or Lao consonants without vowels that
/// begin at `start`.
fn abbreviation_ends(text: &str, start: usize) -> impl Iterator<Item = usize> {
    let is_consonant = |c: &char| matches!(c, '\u{e01}'..='\u{e2e}' | '\u{e81}'..='\u{eae}');
    let consonants = text[start..].chars().take(5).take_while(is_consonant);
    let ends = consonants.scan(start, |end, c| {
        *end += c.len_utf8();
        Some(*end)
    });
    ends.skip(1).filter(|&end| is_boundary(text, end))
}
