//! The words of documents, and those of them that teach.

use crate::profile::ProfileLearner;
use crate::words::WordReader;
use std::collections::BTreeMap;

/// Characters of a document that are read, some 400 words: one long text would be most of a profile
/// otherwise.
const READ: usize = 2500;

/// Documents from which on a word must be in two of them: in fewer, most words of the language are
/// in one alone; in more, such words are names, and what came in by mistake.
const TWICE_FROM: usize = 20;

#[derive(Debug)]
pub(crate) struct Counted {
    text: String,
    counts: BTreeMap<String, u64>,
}

impl Counted {
    pub(crate) fn whole(text: &str) -> Self {
        let mut counts = BTreeMap::new();
        WordReader::default().read(text, |word, _| *counts.entry(word).or_default() += 1);
        Counted {
            text: text.to_owned(),
            counts,
        }
    }

    /// Counts the words at the beginning of a text.
    pub(crate) fn of(text: &str) -> Self {
        let end = text
            .char_indices()
            .nth(READ)
            .map_or(text.len(), |(end, _)| end);
        // A word that is cut through would be another word.
        let end = if end < text.len() {
            text[..end].rfind(char::is_whitespace).unwrap_or(end)
        } else {
            end
        };
        Self::whole(&text[..end])
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Words, repetitions counted.
    pub(crate) fn number(&self) -> u64 {
        self.counts.values().sum()
    }
}

/// All documents in two halves, of every other piece of some words.
pub(crate) fn halves(documents: &[Counted]) -> [Counted; 2] {
    const PIECE: usize = 25;
    let words: Vec<&str> = documents
        .iter()
        .flat_map(|document| document.text.split_whitespace())
        .collect();
    [0, 1].map(|half| {
        let pieces = words
            .chunks(PIECE)
            .enumerate()
            .filter(|(at, _)| at % 2 == half);
        Counted::whole(
            &pieces
                .map(|(_, piece)| piece.join(" "))
                .collect::<Vec<_>>()
                .join(" "),
        )
    })
}

/// Has read the words that documents share, or all where these are few.
pub(crate) fn common(sample: &[&Counted]) -> ProfileLearner {
    let mut words: BTreeMap<&str, (u64, usize)> = BTreeMap::new();
    for (word, count) in sample.iter().flat_map(|document| &document.counts) {
        let (sum, documents) = words.entry(word).or_default();
        *sum += count;
        *documents += 1;
    }
    let least = if sample.len() < TWICE_FROM { 1 } else { 2 };
    let mut learner = ProfileLearner::default();
    let common = words
        .into_iter()
        .filter(|(_, (_, documents))| *documents >= least);
    common.for_each(|(word, (sum, _))| learner.add_word(word, sum));
    learner
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary(texts: &[&str]) -> Vec<String> {
        let counted: Vec<Counted> = texts.iter().map(|text| Counted::of(text)).collect();
        let learner = common(&counted.iter().collect::<Vec<_>>());
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
    fn few_documents_teach_all_their_words_and_many_those_that_two_have() {
        assert_eq!(
            vocabulary(&["dan je lep", "dan je dolg"]),
            ["dan", "dolg", "je", "lep"]
        );
        let mut texts = vec!["dan je"; TWICE_FROM];
        texts[3] = "dan Ljubljana je";
        assert_eq!(vocabulary(&texts), ["dan", "je"]);
    }

    #[test]
    fn halves_have_every_word_once() {
        let text: String = (0..60).map(|n| format!("b{n} ")).collect();
        let [one, other] = halves(&[Counted::whole(&text)]);
        assert!(one.text().starts_with("b0 b1 ") && other.text().starts_with("b25 "));
        assert_eq!(
            one.text().split(' ').count() + other.text().split(' ').count(),
            60
        );
    }

    #[test]
    fn of_a_long_document_only_the_beginning_is_read_and_no_word_cut() {
        let long = Counted::of(&"beseda ".repeat(10_000));
        assert_eq!(long.counts.len(), 1);
        assert_eq!(long.number(), READ as u64 / 7);
        assert!(Counted::of(&"字".repeat(10_000)).text().chars().count() == READ);
    }
}
