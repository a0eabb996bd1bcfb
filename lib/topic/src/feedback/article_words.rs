//! The stems of one article with their frequencies.

use crate::keyphrases::Article;
use crate::keyphrases::language_words::{LanguageWords, fold_text, is_single_letter};
use forage_langid::LanguageCode;
use std::collections::BTreeMap;

/// Weight of an occurrence in the title, relative to one in the text. Chosen on domains of
/// Reuters-21578 and of Japanese news.
const TITLE_WEIGHT: u32 = 3;

/// The stems of an article, in the order of their code points, each with its frequency and its
/// probability in the language.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ArticleWords {
    /// All stems, without separators.
    text: String,
    entries: Vec<StemEntry>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct StemEntry {
    /// The end of the stem in the text, in bytes.
    end: u32,
    frequency: u32,
    probability: f32,
}

/// A stem of an article.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Stem<'a> {
    pub(crate) text: &'a str,
    /// Occurrences, weighted by part; at least 1.
    pub(crate) frequency: u32,
    /// The sum of the probabilities of its forms in the article; 0 if none is known.
    pub(crate) probability: f32,
}

impl ArticleWords {
    /// Creates the words of an article from stems in the order of code points.
    fn from_sorted(stems: impl Iterator<Item = (String, u32, f32)>) -> ArticleWords {
        let mut words = ArticleWords::default();
        for (stem, frequency, probability) in stems {
            let Ok(end) = u32::try_from(words.text.len() + stem.len()) else {
                break; // an article of 4 GB
            };
            words.text.push_str(&stem);
            words.entries.push(StemEntry {
                end,
                frequency,
                probability,
            });
        }
        words
    }

    /// Returns the stems, in the order of their code points.
    pub(crate) fn stems(&self) -> impl Iterator<Item = Stem<'_>> {
        let mut start = 0;
        self.entries.iter().map(move |entry| {
            let range = start..entry.end as usize;
            start = range.end;
            Stem {
                text: &self.text[range],
                frequency: entry.frequency,
                probability: entry.probability,
            }
        })
    }

    /// Returns the number of stems.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns the encoded words, for a file: the number of stems, then for each its end in the
    /// text, frequency and probability, in four bytes each (little-endian), then the text.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(4 + 12 * self.entries.len() + self.text.len());
        // There are at most as many stems as bytes of text.
        bytes.extend(u32::try_from(self.entries.len()).unwrap_or(0).to_le_bytes());
        for entry in &self.entries {
            bytes.extend(entry.end.to_le_bytes());
            bytes.extend(entry.frequency.to_le_bytes());
            bytes.extend(entry.probability.to_le_bytes());
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
        let entries: Vec<StemEntry> = entries.iter().filter_map(decode_entry).collect();
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

/// Decodes a stem's end, frequency and probability; `None` if they are impossible.
fn decode_entry(bytes: &[u8; 12]) -> Option<StemEntry> {
    let (words, _) = bytes.as_chunks::<4>();
    let &[end, frequency, probability] = words else {
        return None;
    };
    let entry = StemEntry {
        end: u32::from_le_bytes(end),
        frequency: u32::from_le_bytes(frequency),
        probability: f32::from_le_bytes(probability),
    };
    (entry.frequency > 0 && entry.probability >= 0.0 && entry.probability.is_finite())
        .then_some(entry)
}

/// Counts the words of articles in one language.
#[derive(Debug)]
pub struct WordCounter {
    language: LanguageWords,
}

impl WordCounter {
    /// Creates a counter for articles in the language `code`. The words of a language that is
    /// unknown are not stemmed, and have no probability.
    pub fn new(code: LanguageCode) -> WordCounter {
        WordCounter {
            language: LanguageWords::new(code),
        }
    }

    /// Returns the stems of an article. An occurrence in the title counts three times; without
    /// a title, a short first line of the text counts as one as well. Numbers and
    /// single letters of an alphabet are left out.
    pub fn count(&mut self, article: Article<'_>) -> ArticleWords {
        // Sorted, so that the probabilities of the forms of a stem are added in a fixed order.
        let mut forms: BTreeMap<String, u32> = BTreeMap::new();
        let title = article.title.or_else(|| first_line_title(article.text));
        let title = title.unwrap_or_default();
        for (part, weight) in [(title, TITLE_WEIGHT), (article.text, 1)] {
            let part = fold_text(part);
            self.language.for_each_word(&part, |_, word| {
                if word.has_letters() {
                    let frequency = forms.entry(word.text.to_lowercase()).or_default();
                    *frequency = frequency.saturating_add(weight);
                }
            });
        }
        let mut stems: BTreeMap<String, (u32, f64)> = BTreeMap::new();
        for (form, frequency) in forms {
            let properties = self.language.properties(&form);
            if is_single_letter(&form) || properties.stem.is_empty() {
                continue;
            }
            let (sum, probability) = stems.entry(properties.stem.to_string()).or_default();
            *sum = sum.saturating_add(frequency);
            *probability += properties.probability;
        }
        let stems = stems.into_iter();
        ArticleWords::from_sorted(stems.map(|(stem, (sum, p))| (stem, sum, p.min(1.0) as f32)))
    }
}

/// Returns the first line of a text that begins with its title, as a file of plain text does: a
/// line of at most [`MAX_TITLE`] bytes before others.
fn first_line_title(text: &str) -> Option<&str> {
    /// Set by judgement, not measured.
    const MAX_TITLE: usize = 150;
    let (first, _) = text.trim().split_once('\n')?;
    (first.len() <= MAX_TITLE).then_some(first)
}

#[cfg(test)]
impl ArticleWords {
    /// Creates the words of an article from stems, frequencies and probabilities.
    pub(crate) fn from_stems(stems: &[(&str, u32, f32)]) -> ArticleWords {
        let sorted: BTreeMap<&str, (u32, f32)> =
            stems.iter().map(|(stem, f, p)| (*stem, (*f, *p))).collect();
        let sorted = sorted.into_iter();
        ArticleWords::from_sorted(sorted.map(|(stem, (f, p))| (stem.to_owned(), f, p)))
    }
}
