//! Documents with their word counts, and the words from which a profile is learned.

use forage_langid::{ProfileLearner, WordReader};
use forage_text::{contains_unspaced_script, for_each_word, normalise};
use std::collections::BTreeMap;

/// Maximum number of characters of a document that are read, about 400 words, so that one long text
/// does not dominate the profile. Set by judgement, not measured.
const MAX_CHARACTERS: usize = 2500;

/// Minimum sample size, in documents, at which a word must be in two documents. In smaller samples
/// most words of the language are in one document only; in larger ones such words are names, or
/// come from documents in another language. Set by judgement, not measured.
const MIN_DOCUMENTS_FOR_COMMON_WORDS: usize = 20;

/// A document with its word counts.
#[derive(Debug)]
pub(crate) struct CountedDocument {
    text: String,
    counts: BTreeMap<String, u64>,
}

impl CountedDocument {
    /// Counts all words of a text.
    pub(crate) fn from_text(text: &str) -> Self {
        let mut counts = BTreeMap::new();
        WordReader::default().for_each_word(text, |word, _| *counts.entry(word).or_default() += 1);
        CountedDocument {
            text: text.to_owned(),
            counts,
        }
    }

    /// Counts the words at the beginning of a text: its first [`MAX_CHARACTERS`] characters.
    pub(crate) fn from_beginning(text: &str) -> Self {
        // Part of a word would be counted as another word.
        let cut = |end: usize| text[..end].rfind(char::is_whitespace).unwrap_or(end);
        let end = text.char_indices().nth(MAX_CHARACTERS);
        Self::from_text(&text[..end.map_or(text.len(), |(end, _)| cut(end))])
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Number of words, repetitions included. In scripts without blanks, those of segmentation.
    pub(crate) fn token_count(&self) -> u64 {
        let count_tokens = |(word, count): (&String, &u64)| count * count_words(word);
        self.counts.iter().map(count_tokens).sum()
    }
}

/// Returns the number of words in a sequence of letters without blanks: more than 1 in a script
/// without blanks.
fn count_words(sequence: &str) -> u64 {
    if !contains_unspaced_script(sequence) {
        return 1;
    }
    let mut words = 0;
    for_each_word(&normalise(sequence), |_| words += 1);
    words.max(1)
}

/// Splits documents into two halves, which get alternate pieces of 25 words or more.
pub(crate) fn split_halves(documents: &[CountedDocument]) -> [CountedDocument; 2] {
    const PIECE_WORDS: u64 = 25;
    let mut halves = [String::new(), String::new()];
    let mut half = 0;
    let mut words = 0;
    let texts = documents.iter().map(|document| &document.text);
    for sequence in texts.flat_map(|text| text.split_whitespace()) {
        halves[half].push_str(sequence);
        halves[half].push(' ');
        words += count_words(sequence);
        if words >= PIECE_WORDS {
            half = 1 - half;
            words = 0;
        }
    }
    halves.map(|text| CountedDocument::from_text(&text))
}

/// Returns a learner with the words that at least two documents share, or with all words if the
/// sample is smaller than [`MIN_DOCUMENTS_FOR_COMMON_WORDS`]. In scripts without blanks, a "word"
/// of the profile is a phrase or sentence, which hardly any two documents share, so that all are
/// learned.
pub(crate) fn learn_common_words(sample: &[&CountedDocument]) -> ProfileLearner {
    let mut words: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for (word, count) in sample.iter().flat_map(|document| &document.counts) {
        let (sum, documents) = words.entry(word).or_default();
        *sum += count;
        *documents += 1;
    }
    let min_documents = 1 + usize::from(sample.len() >= MIN_DOCUMENTS_FOR_COMMON_WORDS);
    let mut learner = ProfileLearner::default();
    for (word, (sum, documents)) in words {
        if documents >= min_documents || contains_unspaced_script(word) {
            learner.add_word(word, sum);
        }
    }
    learner
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(texts: &[&str]) -> Vec<String> {
        let counted: Vec<CountedDocument> = texts
            .iter()
            .map(|text| CountedDocument::from_beginning(text))
            .collect();
        let learner = learn_common_words(&counted.iter().collect::<Vec<_>>());
        let (profile, _) = learner.finish("qaa".parse().unwrap(), "", "").unwrap();
        let mut words: Vec<String> = profile
            .vocabulary()
            .iter()
            .map(|(word, _)| word.clone())
            .collect();
        words.sort();
        words
    }

    #[test]
    fn learns_all_words_of_few_documents_and_shared_words_of_many() {
        assert_eq!(
            vocabulary(&["dan je lep", "dan je dolg"]),
            ["dan", "dolg", "je", "lep"]
        );
        let mut texts = vec!["dan je"; MIN_DOCUMENTS_FOR_COMMON_WORDS];
        texts[3] = "dan Ljubljana je";
        assert_eq!(vocabulary(&texts), ["dan", "je"]);
        let mut texts = vec!["ภาษา ไทย"; MIN_DOCUMENTS_FOR_COMMON_WORDS];
        texts[3] = "ภาษา เป็นภาษาราชการ ไทย";
        assert_eq!(vocabulary(&texts), ["ภาษา", "เป็นภาษาราชการ", "ไทย"]);
    }

    #[test]
    fn words_of_scripts_without_blanks_are_counted_by_segmentation() {
        let document = CountedDocument::from_text("ภาษาไทยเป็นภาษา 東京都は今日");
        assert_eq!(document.token_count(), 4 + 3);
        let sentences = "東京都は今日新しい鉄道計画を発表した ".repeat(20);
        let halves = split_halves(&[CountedDocument::from_text(&sentences)]);
        assert!(halves.iter().all(|half| half.token_count() >= 90));
    }

    #[test]
    fn halves_have_each_word_once() {
        let text: String = (0..60).map(|n| format!("b{n} ")).collect();
        let [one, other] = split_halves(&[CountedDocument::from_text(&text)]);
        assert!(one.text().starts_with("b0 b1 ") && other.text().starts_with("b25 "));
        assert_eq!(
            one.text().split_whitespace().count() + other.text().split_whitespace().count(),
            60
        );
    }

    #[test]
    fn reads_only_the_beginning_of_a_long_document_and_whole_words() {
        let long = CountedDocument::from_beginning(&"beseda ".repeat(10_000));
        assert_eq!(long.counts.len(), 1);
        assert_eq!(long.token_count(), MAX_CHARACTERS as u64 / 7);
        assert!(
            CountedDocument::from_beginning(&"字".repeat(10_000))
                .text()
                .chars()
                .count()
                == MAX_CHARACTERS
        );
    }
}
