//! What is usual in the texts of a language, learned from those before.

use crate::measures::Figures;
use foldhash::HashMap;

/// Shares are counted in hundredths.
const BINS: usize = 101;

/// Texts of a language before its median is used.
const MIN_TEXTS: u32 = 20;

/// The share of frequent words that is assumed before; few languages have less in prose.
const ASSUMED_SHARE: f64 = 0.15;

/// The greatest count, so that no sum overflows.
const MAX_COUNT: u32 = u32::MAX >> 10;

/// Texts with more fragments are not counted: a corpus may have more menus than prose.
const MAX_FRAGMENTS: f64 = 0.5;

/// Words that a text needs to be counted.
const MIN_WORDS: u64 = 50;

/// The shares of frequent words in the running texts of each language so far.
#[derive(Debug, Default)]
pub struct UsualShares {
    counts: HashMap<String, Vec<u32>>,
}

impl UsualShares {
    /// Returns the median share of frequent words in the texts of a language so far, and counts one
    /// more. A low share is assumed if there are few, or the language is unknown.
    pub fn median_and_add(&mut self, language: Option<&str>, figures: &Figures) -> f64 {
        let Some(language) = language else {
            return ASSUMED_SHARE;
        };
        let median = self.median(language).unwrap_or(ASSUMED_SHARE);
        self.add(language, figures);
        median
    }

    fn median(&self, language: &str) -> Option<f64> {
        let counts = self.counts.get(language)?;
        let all: u32 = counts.iter().sum();
        let mut below = 0;
        let median = counts.iter().position(|count| {
            below += count;
            2 * below >= all
        });
        (all >= MIN_TEXTS).then_some(median? as f64 / (BINS - 1) as f64)
    }

    /// Counts a text, if it is running text.
    fn add(&mut self, language: &str, figures: &Figures) {
        let Some(uncommon) = figures.uncommon_words else {
            return;
        };
        if figures.fragments > MAX_FRAGMENTS || figures.words < MIN_WORDS {
            return;
        }
        let counts = self.counts.entry(language.to_owned());
        let counts = counts.or_insert_with(|| vec![0; BINS]);
        let bin = ((1.0 - uncommon) * (BINS - 1) as f64).round() as usize;
        if let Some(count) = counts.get_mut(bin) {
            *count = (*count + 1).min(MAX_COUNT);
        }
    }
}
