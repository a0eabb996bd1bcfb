//! Phrases of one article with the frequencies of their words, and their scores.

use crate::numbering::{Numbering, enter};
use foldhash::fast::RandomState;
use forage_record::Keyphrase;
use indexmap::IndexMap;
use std::ops::Range;

/// Maximum number of words of a phrase. A longer sequence, such as a table without punctuation, is
/// no phrase; each of its words counts as one. Set by judgement, not measured.
const MAX_PHRASE_WORDS: usize = 8;

/// A word of the sequence from which a phrase is made.
#[derive(Debug, Clone)]
pub(crate) struct PhraseWord {
    /// The bytes of the word in its part of the article.
    pub(crate) range: Range<usize>,
    /// The number of the stem.
    pub(crate) stem: u32,
    /// True if the phrase may end with this word.
    pub(crate) may_end_phrase: bool,
    /// True if the word is no part of the key.
    pub(crate) is_stop_word: bool,
}

/// A phrase with its frequency.
#[derive(Debug)]
struct Phrase {
    surface: String,
    frequency: u64,
    /// True if the spelling is from a part whose spellings are replaced.
    is_of_earlier_part: bool,
}

/// Counts the words and phrases of one article.
#[derive(Debug, Default)]
pub(crate) struct PhraseCounter {
    /// Stems with their frequencies.
    stems: Numbering<u64>,
    /// Phrases by the numbers of their stems, in order of first occurrence.
    phrases: IndexMap<Box<[u32]>, Phrase, RandomState>,
    /// Words of the sequence that is being read.
    sequence: Vec<PhraseWord>,
    /// True if the spelling of a phrase replaces that of earlier parts.
    replaces_surface: bool,
}

impl PhraseCounter {
    /// Starts a part of the article. If `replaces_surface` is true, the spelling of a phrase here
    /// replaces that of earlier parts.
    pub(crate) fn start_part(&mut self, replaces_surface: bool) {
        self.replaces_surface = replaces_surface;
    }

    /// Counts a word by its stem, and returns the number of the stem.
    pub(crate) fn count_word(&mut self, stem: &str) -> u32 {
        let (number, frequency) = enter(&mut self.stems, stem);
        *frequency += 1;
        number
    }

    /// Adds a word to the current sequence.
    pub(crate) fn extend_sequence(&mut self, word: PhraseWord) {
        self.sequence.push(word);
    }

    /// Returns `true` if a sequence has begun and contains text other than blanks before
    /// `position`.
    pub(crate) fn is_interrupted_at(&self, text: &str, position: usize) -> bool {
        self.sequence.last().is_some_and(|last| {
            let between = text.get(last.range.end..position).unwrap_or_default();
            between.contains(|c: char| !c.is_whitespace() || c == '\n')
        })
    }

    /// Ends the current sequence, and counts its longest part that is a phrase.
    pub(crate) fn end_sequence(&mut self, text: &str) {
        let mut sequence = std::mem::take(&mut self.sequence);
        if sequence.len() > MAX_PHRASE_WORDS {
            for word in &sequence {
                self.count_phrase(text, std::slice::from_ref(word));
            }
        } else {
            self.count_phrase(text, &sequence);
        }
        sequence.clear();
        self.sequence = sequence;
    }

    fn count_phrase(&mut self, text: &str, sequence: &[PhraseWord]) {
        let may_end = |word: &PhraseWord| word.may_end_phrase && !word.is_stop_word;
        let Some(end) = sequence.iter().rposition(may_end) else {
            return;
        };
        let words = &sequence[..=end];
        let Some(start) = words.iter().position(|word| !word.is_stop_word) else {
            return;
        };
        let words = &words[start..];
        let key: Box<[u32]> = words
            .iter()
            .filter(|word| !word.is_stop_word)
            .map(|word| word.stem)
            .collect();
        let surface = trim_period(&text[words[0].range.start..words[words.len() - 1].range.end]);
        if !has_letters(surface) {
            return;
        }
        let phrase = self.phrases.entry(key).or_insert_with(|| Phrase {
            surface: surface.to_owned(),
            frequency: 0,
            is_of_earlier_part: !self.replaces_surface,
        });
        phrase.frequency += 1;
        if self.replaces_surface && phrase.is_of_earlier_part {
            surface.clone_into(&mut phrase.surface);
            phrase.is_of_earlier_part = false;
        }
    }

    /// Returns the phrases with their scores, the best first; those with equal scores in the order
    /// of their first occurrence.
    pub(crate) fn into_keyphrases(self) -> Vec<Keyphrase> {
        let stems = &self.stems;
        let mut keyphrases: Vec<Keyphrase> = self
            .phrases
            .into_iter()
            .map(|(key, phrase)| {
                let words = key
                    .iter()
                    .filter_map(|number| stems.get_index(*number as usize));
                let score = np_score(
                    words.clone().map(|(_, frequency)| *frequency),
                    phrase.frequency,
                );
                let stems: Vec<&str> = words.map(|(stem, _)| &**stem).collect();
                Keyphrase {
                    phrase: phrase.surface,
                    score,
                    key: stems.join(" "),
                }
            })
            .collect();
        // The sort is stable.
        keyphrases.sort_by(|a, b| b.score.total_cmp(&a.score));
        keyphrases
    }
}

/// Returns `NPScore`: ln(n + Σ tf(wᵢ) / n + f), for a phrase of n words with the frequencies
/// tf(wᵢ) and the frequency f as a phrase (Bracewell, Ren & Kuroiwa 2007, equation 1).
fn np_score(word_frequencies: impl Iterator<Item = u64> + Clone, phrase_frequency: u64) -> f64 {
    let n = word_frequencies.clone().count().max(1) as f64;
    let sum: u64 = word_frequencies.fold(0, u64::saturating_add);
    libm::log(n + sum as f64 / n + phrase_frequency as f64)
}

/// Removes the period of an abbreviation at the end, unless it has several, as in "U.S.".
pub(super) fn trim_period(phrase: &str) -> &str {
    let last_word = phrase.rsplit(char::is_whitespace).next().unwrap_or(phrase);
    match phrase.strip_suffix('.') {
        Some(trimmed) if last_word.matches('.').count() == 1 => trimmed,
        _ => phrase,
    }
}

/// Returns `true` if a phrase has a letter, and is not a single small or capital letter of an
/// alphabet.
fn has_letters(phrase: &str) -> bool {
    let mut characters = phrase.chars();
    match (characters.next(), characters.next()) {
        (Some(c), None) => c.is_alphabetic() && !c.is_lowercase() && !c.is_uppercase(),
        _ => phrase.contains(char::is_alphabetic),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn np_score_is_that_of_a_calculation_by_hand() {
        // Two words of 2 and 3 occurrences, twice together: ln(2 + 2.5 + 2).
        assert!((np_score([2, 3].into_iter(), 2) - 6.5f64.ln()).abs() < 1e-12);
        assert!((np_score([3].into_iter(), 2) - 6f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn the_period_of_an_abbreviation_at_the_end_is_removed() {
        assert_eq!(trim_period("Exxon Corp."), "Exxon Corp");
        assert_eq!(trim_period("the U.S."), "the U.S.");
        assert_eq!(trim_period("St. Louis"), "St. Louis");
    }
}
