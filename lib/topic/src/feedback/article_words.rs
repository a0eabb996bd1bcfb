//! The words of one article with their weights.

use forage_record::{BadField, Keyphrase, KeywordsMethod, Record, field};
use std::collections::BTreeMap;

/// Greatest score of a keyphrase whose exponential is used. `NPScore` is the logarithm of a number
/// of words, so greater ones are of another program, or damaged.
const MAX_SCORE: f64 = 50.0;

/// The words of the keyphrases of an article, in the order of their code points, each with its
/// weight.
///
/// `NPScore` is the logarithm of n + Σtf/n + f, for a phrase of n words with the frequencies tf,
/// that occurs f times (Bracewell, Ren & Kuroiwa 2007, equation 1). The weight of a word is the sum
/// of Σtf/n + f over the keyphrases that contain it: a word of several phrases is near the subject
/// of the article. Words outside of noun phrases have no weight.
///
/// Statistical keyphrases have every word that is no stop word, and nearly every article shares
/// some with another. The weight of a word is then the greatest score of a keyphrase that contains
/// it, which grows slowly with its frequency.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArticleWords {
    /// All words, without separators.
    text: String,
    entries: Vec<WordEntry>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct WordEntry {
    /// The end of the word in the text, in bytes.
    end: u32,
    weight: f64,
}

/// A word of an article.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct WeightedWord<'a> {
    pub(crate) text: &'a str,
    /// At least 1.
    pub(crate) weight: f64,
}

impl ArticleWords {
    /// Returns the words of the keyphrases of a record; `None` if it has none.
    ///
    /// # Errors
    /// Fails if `keywords` is of the wrong type.
    pub fn of_record(record: &Record) -> Result<Option<ArticleWords>, BadField> {
        let keyphrases: Option<Vec<Keyphrase>> = record.get(field::KEYWORDS)?;
        // Other programs may name other methods.
        let method: Option<KeywordsMethod> = record.get(field::KEYWORDS_METHOD).ok().flatten();
        Ok(keyphrases.map(|keyphrases| match method {
            Some(KeywordsMethod::Statistical) => ArticleWords::from_statistical(&keyphrases),
            _ => ArticleWords::from_keyphrases(&keyphrases),
        }))
    }

    /// Returns the words of the keys of statistical keyphrases.
    fn from_statistical(keyphrases: &[Keyphrase]) -> ArticleWords {
        let mut weights: BTreeMap<&str, f64> = BTreeMap::new();
        for keyphrase in keyphrases {
            for word in keyphrase.key.split_whitespace() {
                let weight = weights.entry(word).or_insert(1.0);
                *weight = weight.max(keyphrase.score.min(MAX_SCORE));
            }
        }
        ArticleWords::from_sorted(weights.into_iter())
    }

    /// Returns the words of the keys of noun phrases.
    pub fn from_keyphrases(keyphrases: &[Keyphrase]) -> ArticleWords {
        let mut weights: BTreeMap<&str, f64> = BTreeMap::new();
        for keyphrase in keyphrases {
            let words: Vec<&str> = keyphrase.key.split_whitespace().collect();
            // False for a score that is not a number.
            let weight = if keyphrase.score > 0.0 {
                (libm::exp(keyphrase.score.min(MAX_SCORE)) - words.len() as f64).max(1.0)
            } else {
                1.0
            };
            for (position, word) in words.iter().enumerate() {
                if !words[..position].contains(word) {
                    *weights.entry(word).or_default() += weight;
                }
            }
        }
        ArticleWords::from_sorted(weights.into_iter())
    }

    /// Creates the words of an article from words in the order of code points.
    fn from_sorted<'a>(weights: impl Iterator<Item = (&'a str, f64)>) -> ArticleWords {
        let mut words = ArticleWords::default();
        for (word, weight) in weights {
            let Ok(end) = u32::try_from(words.text.len() + word.len()) else {
                break; // an article of 4 GB
            };
            words.text.push_str(word);
            words.entries.push(WordEntry { end, weight });
        }
        words
    }

    /// Returns the words, in the order of their code points.
    pub(crate) fn iter(&self) -> impl Iterator<Item = WeightedWord<'_>> {
        let mut start = 0;
        self.entries.iter().map(move |entry| {
            let range = start..entry.end as usize;
            start = range.end;
            WeightedWord {
                text: &self.text[range],
                weight: entry.weight,
            }
        })
    }

    /// Returns the number of words.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the encoded words, for a file: the number of words in four bytes, then for each its
    /// end in the text (four bytes) and its weight (eight), all little-endian, then the text.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 + 12 * self.entries.len() + self.text.len());
        // There are at most as many words as bytes of text.
        let count = u32::try_from(self.entries.len()).unwrap_or(0);
        bytes.extend(count.to_le_bytes());
        for entry in &self.entries {
            bytes.extend(entry.end.to_le_bytes());
            bytes.extend(entry.weight.to_le_bytes());
        }
        bytes.extend(self.text.as_bytes());
        bytes
    }

    /// Decodes the words of an article; `None` if `bytes` are damaged.
    pub fn decode(bytes: &[u8]) -> Option<ArticleWords> {
        let (count, rest) = bytes.split_first_chunk()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let (entries, text) = rest.split_at_checked(count.checked_mul(12)?)?;
        let text = std::str::from_utf8(text).ok()?;
        let (entries, _) = entries.as_chunks::<12>();
        let entries: Vec<WordEntry> = entries.iter().filter_map(decode_entry).collect();
        let mut start = 0;
        for entry in &entries {
            let end = entry.end as usize;
            if end <= start || !text.is_char_boundary(end) {
                return None;
            }
            start = end;
        }
        (entries.len() == count && start == text.len()).then(|| ArticleWords {
            text: text.into(),
            entries,
        })
    }
}

/// Decodes a word's end and weight; `None` if they are impossible.
fn decode_entry(bytes: &[u8; 12]) -> Option<WordEntry> {
    let (end, weight) = bytes.split_first_chunk()?;
    let entry = WordEntry {
        end: u32::from_le_bytes(*end),
        weight: f64::from_le_bytes(weight.try_into().ok()?),
    };
    (entry.weight >= 1.0 && entry.weight.is_finite()).then_some(entry)
}

#[cfg(test)]
impl ArticleWords {
    /// Creates the words of an article from words and weights.
    pub(crate) fn from_weights(words: &[(&str, u32)]) -> ArticleWords {
        let sorted: BTreeMap<&str, f64> = words
            .iter()
            .map(|(word, weight)| (*word, f64::from(*weight)))
            .collect();
        ArticleWords::from_sorted(sorted.into_iter())
    }
}
