//! Paragraphs that repeat earlier text: the rule of onion (Pomikálek 2011).
//!
//! A paragraph is repeated if more than a share of its sequences of five words (5-grams) were seen
//! before: in a document of the index, or earlier in its own document. To a
//! paragraph of fewer words belong the 5-grams that end in it, and begin in those before it, as in
//! onion. So a short one is repeated if its surroundings are. Unlike onion, the share is one of
//! 5-grams, not of the words that they cover; duplicates of documents add nothing to what was seen;
//! and unseen text between repeated paragraphs is not marked.
//!
//! The 5-grams are the shingles of documents, except in scripts without blanks between words. There
//! a shingle has five letters, and occurs in many texts by chance: of 2,000 different sentences in
//! Lao, a third were marked by shingles, and about as few as in English by segmented words
//! ([`for_each_paragraph_word`]).

use crate::key_table::KeyTable;
use crate::shingles::{SHINGLE_WORDS, ShingleSet, hash_shingles};
use forage_record::RepeatedParagraph;
use forage_text::{for_each_paragraph_word, lines};
use std::collections::HashSet;
use std::io;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// The 5-grams of a text by paragraph. Its paragraphs are its [lines].
#[derive(Debug, Clone)]
pub(crate) struct ParagraphShingles {
    /// Their hashes, in the order of the text.
    shingles: Vec<u32>,
    /// For each 5-gram, true if it occurs before in the text.
    is_repeated: Vec<bool>,
    /// For each paragraph, which of them belong to it.
    paragraphs: Vec<Range<usize>>,
}

impl ParagraphShingles {
    /// Splits a text that was [read](forage_text::read): by its own rules, which a paragraph may
    /// not show.
    pub(crate) fn from_text(text: &str) -> ParagraphShingles {
        let mut words = Vec::with_capacity(text.len() / 5);
        let mut paragraphs = Vec::new();
        for paragraph in lines(text) {
            let start = words.len();
            for_each_paragraph_word(paragraph, |word| words.push(xxh3_64(word.as_bytes())));
            paragraphs.push(start..words.len());
        }
        // A text of fewer than five words has one sequence of all words.
        let before_last = SHINGLE_WORDS.min(words.len()).saturating_sub(1);
        for Range { start, end } in &mut paragraphs {
            *end = end.saturating_sub(before_last);
            if *end <= *start {
                *start = start.saturating_sub(before_last);
            }
        }
        let shingles = hash_shingles(&words);
        let mut earlier = HashSet::with_capacity(shingles.len());
        ParagraphShingles {
            is_repeated: shingles.iter().map(|&s| !earlier.insert(s)).collect(),
            shingles,
            paragraphs,
        }
    }

    /// Returns the set of the 5-grams.
    pub(crate) fn to_set(&self) -> ShingleSet {
        ShingleSet::from_hashes(self.shingles.clone())
    }

    /// Returns the keys of the 5-grams.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u64> {
        self.shingles.iter().map(|&shingle| to_key(shingle))
    }

    /// Returns the paragraphs of which more than `min_share` of the 5-grams were seen: those that
    /// occur before in the text, and those of whose keys `is_seen` holds.
    pub(crate) fn repeated(
        &self,
        min_share: f64,
        is_seen: impl Fn(u64) -> bool,
    ) -> Vec<RepeatedParagraph> {
        let shingles = self.shingles.iter().zip(&self.is_repeated);
        let seen: Vec<bool> = shingles
            .map(|(&shingle, &is_repeated)| is_repeated || is_seen(to_key(shingle)))
            .collect();
        let share = |range: &Range<usize>| {
            let seen = &seen[range.clone()];
            seen.iter().filter(|&&is_seen| is_seen).count() as f64 / seen.len() as f64
        };
        self.paragraphs
            .iter()
            .map(share)
            .enumerate()
            // Not with the NaN of a paragraph without a 5-gram.
            .filter(|&(_, share)| share > min_share)
            .map(|(paragraph, share)| RepeatedParagraph { paragraph, share })
            .collect()
    }
}

/// The 5-grams of a stream of documents, by which repeated paragraphs are found without an index of
/// documents.
#[derive(Debug)]
pub struct RepeatedParagraphs {
    keys: KeyTable,
    min_share: f64,
    documents: i64,
}

impl RepeatedParagraphs {
    /// Creates a table without 5-grams. A paragraph is repeated if more than `min_share` of its
    /// 5-grams were seen.
    ///
    /// # Errors
    /// Fails if there is no memory.
    pub fn new(min_share: f64) -> io::Result<Self> {
        Ok(RepeatedParagraphs {
            keys: KeyTable::in_memory()?,
            min_share,
            documents: 0,
        })
    }

    /// Returns the repeated paragraphs of a document, and adds its 5-grams.
    ///
    /// # Errors
    /// Fails if there is no memory.
    pub fn check_and_add(&mut self, text: &str) -> io::Result<Vec<RepeatedParagraph>> {
        let document = ParagraphShingles::from_text(text);
        self.keys.prefetch(document.keys());
        let is_seen = |key| self.keys.entries(key).next().is_some();
        let repeated = document.repeated(self.min_share, is_seen);
        self.documents += 1;
        for key in document.keys() {
            self.keys.insert_first(key, self.documents)?;
        }
        Ok(repeated)
    }
}

/// Returns the key of a hash, of which a table has the first half.
pub(crate) fn to_key(shingle: u32) -> u64 {
    u64::from(shingle) << u32::BITS
}

#[cfg(test)]
mod tests {
    use super::ParagraphShingles;
    use crate::shingles::ShingleSet;
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Returns the repeated paragraphs of each text, of which all are new documents.
    fn repeated(texts: &[&str], min_share: f64) -> Vec<Vec<(usize, f64)>> {
        let mut seen = HashSet::new();
        let mut marked = Vec::new();
        for text in texts {
            let document = ParagraphShingles::from_text(text);
            let repeated = document.repeated(min_share, |key| seen.contains(&key));
            marked.push(repeated.iter().map(|r| (r.paragraph, r.share)).collect());
            seen.extend(document.keys());
        }
        marked
    }

    #[test]
    fn a_paragraph_is_repeated_if_more_than_half_of_its_sequences_were_seen() {
        let texts = [
            "ena dve tri štiri pet šest\nsedem osem devet deset",
            "kaj je to\nENA, dve tri štiri pet šest\nin kaj naj bi bilo to",
            "novo je to\nena dve tri štiri pet sto",
        ];
        // Two sequences are in the last paragraph, of which one was seen: not more than half.
        let expected = [vec![], vec![(1, 1.0)], vec![]];
        assert_eq!(repeated(&texts, 0.5), expected);
        assert_eq!(repeated(&texts, 0.4)[2], [(1, 0.5)]);
    }

    #[test]
    fn a_short_paragraph_is_recognised_by_those_before_it() {
        let menu = "Domov\nO nas\nKontakt in pomoč\nPiškotki";
        let texts = [menu, &format!("{menu}\nnova vsebina tega dne")];
        // The first sequence ends in the third paragraph.
        assert_eq!(repeated(&texts, 0.5)[1], [(2, 1.0), (3, 1.0)]);
        assert_eq!(repeated(&[menu, "Novice\nKontakt in pomoč"], 0.5)[1], []);
    }

    #[test]
    fn a_stream_of_documents_is_marked_as_by_an_index() {
        let mut paragraphs = super::RepeatedParagraphs::new(0.5).unwrap();
        let mut marked = |text: &str| paragraphs.check_and_add(text).unwrap().len();
        let text = "ena dve tri štiri pet šest\nsedem osem devet deset enajst";
        assert_eq!(
            [marked(text), marked(text), marked("nekaj novega\nje to")],
            [0, 2, 0]
        );
    }

    #[test]
    fn text_that_a_document_has_twice_is_repeated() {
        let text = "ena dve tri štiri pet šest\n\nena dve tri štiri pet šest";
        assert_eq!(repeated(&[text], 0.5), [[(2, 1.0)]]);
        let short = ["", "\n", "lep dan", "lep dan"];
        assert_eq!(repeated(&short, 0.5)[3], [(0, 1.0)]);
    }

    #[test]
    fn a_paragraph_without_blanks_is_compared_by_words() {
        // All sequences of five letters of the last one are in the others.
        let texts = [
            "สิ่งแวดล้อมมหาวิทยาลัยโทรศัพท์",
            "โรงพยาบาลสิ่งแวดล้อม",
            "โทรศัพท์โรงพยาบาล",
            "มหาวิทยาลัยโทรศัพท์โรงพยาบาลสิ่งแวดล้อมมหาวิทยาลัย",
        ];
        assert!(repeated(&texts, 0.5).iter().all(Vec::is_empty));
        assert_eq!(repeated(&[texts[3], texts[3]], 0.5)[1], [(0, 1.0)]);
    }

    #[test]
    fn the_sequences_of_paragraphs_are_the_shingles_of_the_document() {
        let texts = ["Lep dan", "ena dve\ntri štiri, pet\n\nšest", "…\n!"];
        for text in texts {
            let document = ParagraphShingles::from_text(text);
            let end = document.paragraphs.last().map(|last| last.end);
            assert_eq!(end, Some(document.shingles.len()), "{text}");
            assert_eq!(
                ShingleSet::from_hashes(document.shingles),
                ShingleSet::from_text(text),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn a_repeated_document_has_only_repeated_paragraphs(
            text in "((ena|dve|tri|kaj|in|ne)[ \n]){0,40}"
        ) {
            let marked = &repeated(&[&text, &text], 0.99)[1];
            let document = ParagraphShingles::from_text(&text);
            let with_sequences = document.paragraphs.iter().filter(|range| !range.is_empty());
            prop_assert_eq!(marked.len(), with_sequences.count());
        }
    }
}
