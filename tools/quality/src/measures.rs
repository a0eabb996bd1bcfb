//! The figures of one text.

use crate::line::lines;
use crate::repetition::{repeated_words, word_key};
use crate::share::{serialize_optional_share, serialize_share, share};
use foldhash::HashMap;
use forage_text::{Spelling, for_each_folded_word, is_unspaced, normalise};
use serde::Serialize;
use std::collections::hash_map::Entry;

/// The figures of a text: shares from 0 to 1, which are high if it is no prose.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figures {
    /// The share of the characters in lines that an earlier line of the text has, numbers aside.
    #[serde(serialize_with = "serialize_share")]
    pub repeated_lines: f64,
    /// The share of the words in sequences of five that occurred before.
    #[serde(serialize_with = "serialize_share")]
    pub repeated_words: f64,
    /// The share of the characters that are digits or signs which prose has few of.
    #[serde(serialize_with = "serialize_share")]
    pub symbols: f64,
    /// The share of the letters in lines and items that are short and do not end like sentences.
    #[serde(serialize_with = "serialize_share")]
    pub fragments: f64,
    /// The share of the letters in short items between commas, line ends and the like.
    #[serde(serialize_with = "serialize_share")]
    pub items: f64,
    /// The share of the words that are not among the most frequent ones of the language; `None` if
    /// these are unknown, or cannot tell prose from noise.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "serialize_optional_share"
    )]
    pub uncommon_words: Option<f64>,
    /// The number of words.
    pub words: u64,
}

/// A line of a text, once, however often the text has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DistinctLine {
    /// A key that lines have in common if they differ in case, numbers and white space only.
    pub key: u64,
    /// The number of characters of all its occurrences, other than white space.
    pub characters: u64,
}

/// What is known of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Measures {
    /// Its figures.
    pub figures: Figures,
    /// Its lines.
    pub lines: Vec<DistinctLine>,
    /// True if most of its words are of a script without blanks.
    pub is_unspaced: bool,
}

impl Measures {
    /// Measures a text. `is_common` says whether a word is among the most frequent ones of its
    /// language; `None` if that is unknown.
    pub fn new(text: &str, mut is_common: impl FnMut(&str) -> Option<bool>) -> Measures {
        let text = normalise(text);
        let mut distinct: Vec<DistinctLine> = Vec::new();
        let mut indices = HashMap::<u64, usize>::default();
        let [mut characters, mut letters, mut symbols] = [0_u64; 3];
        let [mut repeated, mut fragments, mut items] = [0_u64; 3];
        let mut lines = lines(&text).peekable();
        while let Some(line) = lines.next() {
            characters += line.characters;
            letters += line.letters;
            symbols += line.symbols;
            if !lines.peek().is_some_and(|next| line.continues_in(next)) {
                fragments += line.fragment_letters();
                items += line.item_letters();
            }
            let key = line.shape();
            match indices.entry(key) {
                Entry::Occupied(entry) => {
                    repeated += line.characters;
                    distinct[*entry.get()].characters += line.characters;
                }
                Entry::Vacant(entry) => {
                    entry.insert(distinct.len());
                    distinct.push(DistinctLine {
                        key,
                        characters: line.characters,
                    });
                }
            }
        }
        let mut keys = Vec::new();
        let [mut known, mut common, mut unspaced] = [0_u64; 3];
        for_each_folded_word(&text, &Spelling::of_text(&text), |word, folded| {
            keys.push(word_key(folded));
            unspaced += u64::from(word.starts_with(is_unspaced));
            if let Some(is_common_word) = is_common(word) {
                known += 1;
                // In Yiddish, the points are letters, in Hebrew not.
                let is_other = word != folded;
                common += u64::from(is_common_word || is_other && is_common(folded) == Some(true));
            }
        });
        let ratio = |part: u64, whole: u64| share(part as f64, whole as f64);
        Measures {
            figures: Figures {
                repeated_lines: ratio(repeated, characters),
                repeated_words: repeated_words(&keys),
                symbols: ratio(symbols, characters),
                fragments: ratio(fragments, letters),
                items: ratio(items, letters),
                uncommon_words: (known > 0).then(|| 1.0 - ratio(common, known)),
                words: keys.len() as u64,
            },
            lines: distinct,
            is_unspaced: 2 * unspaced > keys.len() as u64,
        }
    }

    /// Returns the share of the text in the lines for which `is_counted` has `true`.
    pub fn share_of_lines(&self, is_counted: &[bool]) -> f64 {
        let [mut counted, mut all] = [0, 0];
        for (line, is_counted) in self.lines.iter().zip(is_counted) {
            all += line.characters;
            counted += u64::from(*is_counted) * line.characters;
        }
        share(counted as f64, all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::Measures;
    use crate::host_lines::HostLines;
    use proptest::prelude::*;

    fn measure(text: &str) -> Measures {
        Measures::new(text, |word| Some(matches!(word, "je" | "in")))
    }

    #[test]
    fn figures_are_those_of_a_calculation_by_hand() {
        let figures = measure("Dan je lep.\nDan je lep.\nNoč 12").figures;
        assert_eq!(figures.words, 8);
        assert_eq!(figures.repeated_lines, 9.0 / 23.0);
        assert_eq!(figures.uncommon_words, Some(0.75));
        assert_eq!(figures.symbols, 2.0 / 23.0);
        assert_eq!(figures.fragments, 3.0 / 19.0);
        let figures = measure("a b c d e a b c d e f").figures;
        assert_eq!(figures.repeated_words, 5.0 / 11.0);
    }

    #[test]
    fn a_line_that_goes_on_in_the_next_is_no_fragment() {
        let text = "To je dolga vrstica besedila, ki se nadaljuje\nv naslednji in se konča.";
        assert_eq!(measure(text).figures.fragments, 0.0);
    }

    #[test]
    fn a_line_recurs_from_the_fourth_page_of_a_host_on() {
        let mut hosts = HostLines::default();
        let page = measure("Noga strani\nNoga strani");
        let found: Vec<_> = (0..4)
            .map(|_| hosts.find_recurring("a.test", &page))
            .collect();
        assert_eq!(found, [[false], [false], [false], [true]]);
        assert_eq!(hosts.find_recurring("b.test", &page), [false]);
        assert_eq!(page.share_of_lines(&[true]), 1.0);
        assert_eq!(measure("").share_of_lines(&[]), 0.0);
    }

    proptest! {
        #[test]
        fn all_shares_of_any_text_are_from_0_to_1(text in "\\PC{0,80}|\\p{Any}{0,80}|[ab ,.\n|]{0,80}") {
            let figures = measure(&text).figures;
            for share in [
                figures.repeated_lines,
                figures.repeated_words,
                figures.symbols,
                figures.fragments,
                figures.items,
                figures.uncommon_words.unwrap_or_default(),
            ] {
                prop_assert!((0.0..=1.0).contains(&share), "{figures:?}");
            }
        }

        #[test]
        fn repetition_is_found_in_any_text(words in prop::collection::vec("[a-zа-я]{1,8}", 5..12)) {
            let line = words.join(" ") + ".\n";
            let figures = measure(&line.repeat(10)).figures;
            prop_assert!(figures.repeated_lines > 0.89 && figures.repeated_words > 0.85, "{figures:?}");
        }
    }
}
