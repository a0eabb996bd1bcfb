//! What is usual in the texts of a language, learned from those before.

use crate::measures::{Figures, Measures};
use foldhash::HashMap;

/// Shares are counted in hundredths.
const BINS: usize = 101;

/// Texts of a language before its median is used.
const MIN_TEXTS: u32 = 20;

/// The least median that tells prose from noise. Prose has fewer where the words are long, as in
/// Tamil, or where texts are divided into other words than those of the model, as in Thai. It is
/// assumed before the median is known.
const MIN_MEDIAN: f64 = 0.1;

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
    /// more. A low share is assumed if there are few. `None` if the words cannot tell prose from
    /// noise: the median is too low; or there are few texts, and this one has a script without
    /// blanks, so that it is unknown whether its words are those of the model.
    pub fn median_and_add(&mut self, language: &str, page: &Measures) -> Option<f64> {
        let median = match self.median(language) {
            None => (!page.is_unspaced).then_some(MIN_MEDIAN),
            median => median.filter(|share| *share >= MIN_MEDIAN),
        };
        self.add(language, &page.figures);
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

#[cfg(test)]
mod tests {
    use super::UsualShares;
    use crate::measures::Measures;

    /// Returns what is usual after 20 texts in which one word in `frequent_every` is frequent.
    fn usual(word: &str, frequent_every: usize) -> [Option<f64>; 2] {
        let mut number = 0;
        let page = Measures::new(&format!("{word} ").repeat(100), |_| {
            number += 1;
            Some(number % frequent_every == 0)
        });
        let mut shares = UsualShares::default();
        let first = shares.median_and_add("slv", &page);
        (1..20).for_each(|_| {
            shares.median_and_add("slv", &page);
        });
        [first, shares.median_and_add("slv", &page)]
    }

    #[test]
    fn words_that_tell_nothing_are_not_used() {
        assert_eq!(usual("dan.", 4), [Some(0.1), Some(0.25)]);
        assert_eq!(usual("dan.", 20), [Some(0.1), None]);
        assert_eq!(usual("村庄。", 4), [None, Some(0.25)]);
        assert_eq!(usual("村庄。", 20), [None, None]);
    }
}
