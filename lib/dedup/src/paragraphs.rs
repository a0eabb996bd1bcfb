//! Paragraphs that repeat earlier text: the rule of onion (Pomikálek 2011).
//!
//! A paragraph is repeated if more than a share of its sequences of five words (5-grams, the shingles
//! of documents) were seen before: in a document of the index, or earlier in its own document. To a
//! paragraph of fewer words belong the 5-grams that end in it, and begin in those before it, as in
//! onion. So a short one is repeated if its surroundings are. Unlike onion, the share is one of
//! 5-grams, not of the words that they cover; duplicates of documents add nothing to what was seen;
//! and unseen text between repeated paragraphs is not marked.
//!
//! The 5-grams seen are a [`KeyTable`] of their 32-bit hashes, which is built from the shingles of
//! the index. So an index can be used with and without it.

use crate::index::{DuplicateIndex, DuplicateIndexError};
use crate::key_table::{self, KeyTable};
use crate::shingles::{SHINGLE_WORDS, ShingleSet, hash_shingles};
use crate::store;
use forage_record::RepeatedParagraph;
use forage_text::{comparison_form, for_each_compared_word};
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The 5-grams of a text by paragraph. Paragraphs are separated by line feeds.
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
    pub(crate) fn from_text(text: &str) -> ParagraphShingles {
        let mut words = Vec::with_capacity(text.len() / 5);
        let mut paragraphs = Vec::new();
        for paragraph in text.split('\n') {
            let start = words.len();
            let form = comparison_form(paragraph);
            for_each_compared_word(&form, |word| words.push(xxh3_64(word.as_bytes())));
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

    /// Returns the paragraphs of which more than `min_share` of the 5-grams were seen.
    fn repeated(&self, min_share: f64, is_seen: impl Fn(u32) -> bool) -> Vec<RepeatedParagraph> {
        let shingles = self.shingles.iter().zip(&self.is_repeated);
        let seen: Vec<bool> = shingles
            .map(|(&shingle, &is_repeated)| is_repeated || is_seen(shingle))
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

impl DuplicateIndex {
    /// Makes [`DuplicateIndex::annotate`] mark the paragraphs of which more than `min_share` of the
    /// 5-grams were seen. The table of 5-grams is completed from the documents of the index.
    ///
    /// # Errors
    /// Fails if the index cannot be read, or the table cannot be written.
    pub fn compare_paragraphs(&mut self, min_share: f64) -> Result<(), DuplicateIndexError> {
        let last = self.run(store::last_entry)?;
        let mut seen = self.open_paragraph_keys(last)?;
        for entry in seen.last_entry() + 1..=last {
            let shingles = self.shingles(entry)?;
            add_shingles(&mut seen, entry, &shingles).map_err(|e| self.to_paragraph_error(e))?;
        }
        seen.set_last_entry(last);
        self.paragraphs = Some(SeenShingles {
            keys: seen,
            min_share,
        });
        Ok(())
    }

    /// Opens the table of 5-grams beside the file. It is started afresh if it has 5-grams of entries
    /// that were never committed, which may be numbers of other documents now.
    fn open_paragraph_keys(&self, last: i64) -> Result<KeyTable, DuplicateIndexError> {
        let content = self.run(store::parameters)?.map(|built| built.content);
        let file = self.db.path().filter(|path| !path.is_empty());
        let (Some(content), Some(file)) = (content, file) else {
            return KeyTable::in_memory().map_err(|e| self.to_paragraph_error(e));
        };
        let path = key_table::paragraphs_path_of(Path::new(file));
        let opened = match self.is_read_only {
            true => KeyTable::open_copy(&path, content),
            false => KeyTable::open(&path, content),
        };
        let keys = match opened {
            Ok(keys) if keys.last_entry() <= last => Ok(keys),
            Ok(_) if self.is_read_only => KeyTable::in_memory(),
            Ok(_) => KeyTable::create(&path, content),
            Err(e) => Err(e),
        };
        keys.map_err(|e| self.to_paragraph_error(e))
    }

    /// Adds the path of the table of 5-grams to an error.
    pub(crate) fn to_paragraph_error(&self, source: std::io::Error) -> DuplicateIndexError {
        let file = key_table::paragraphs_path_of(Path::new(&self.db.display_path()));
        DuplicateIndexError::Keys(key_table::path_of(&file), source)
    }

    /// Adds the 5-grams of an entry to those that were seen, if paragraphs are compared.
    pub(crate) fn add_seen_shingles(
        &mut self,
        entry: i64,
        shingles: &ShingleSet,
    ) -> Result<(), DuplicateIndexError> {
        let added = match &mut self.paragraphs {
            Some(seen) => add_shingles(&mut seen.keys, entry, shingles),
            None => Ok(()),
        };
        added.map_err(|e| self.to_paragraph_error(e))
    }

    /// Returns the paragraphs of a document that repeat text of this index, of `others`, or of the
    /// document itself; `None` if paragraphs are not compared.
    pub(crate) fn repeated_paragraphs(
        &self,
        others: &[DuplicateIndex],
        document: &ParagraphShingles,
    ) -> Option<Vec<RepeatedParagraph>> {
        let seen = self.paragraphs.as_ref()?;
        let others: Vec<_> = others
            .iter()
            .filter_map(|o| o.paragraphs.as_ref())
            .collect();
        let keys = || document.shingles.iter().map(|&shingle| to_key(shingle));
        for table in others.iter().copied().chain([seen]) {
            table.keys.prefetch(keys());
        }
        let is_seen =
            |shingle| seen.contains(shingle) || others.iter().any(|other| other.contains(shingle));
        Some(document.repeated(seen.min_share, is_seen))
    }
}

/// The 5-grams of the documents of an index.
#[derive(Debug)]
pub(crate) struct SeenShingles {
    pub(crate) keys: KeyTable,
    /// Paragraphs are marked if they repeat more than this share.
    min_share: f64,
}

impl SeenShingles {
    fn contains(&self, shingle: u32) -> bool {
        // After a failure of the machine, there may be keys of later entries.
        let last = self.keys.last_entry();
        self.keys
            .entries(to_key(shingle))
            .any(|entry| entry <= last)
    }
}

fn add_shingles(keys: &mut KeyTable, entry: i64, shingles: &ShingleSet) -> std::io::Result<()> {
    for &shingle in shingles.hashes() {
        keys.insert_first(to_key(shingle), entry)?;
    }
    keys.set_last_entry(entry);
    Ok(())
}

/// Returns the key of a hash, of which a table has the first half.
fn to_key(shingle: u32) -> u64 {
    u64::from(shingle) << u32::BITS
}

#[cfg(test)]
mod tests {
    use super::{ParagraphShingles, to_key};
    use crate::shingles::ShingleSet;
    use crate::{DedupDocument, DuplicateIndex};
    use proptest::prelude::*;
    use std::collections::HashSet;

    /// Returns the repeated paragraphs of each text, of which all are new documents.
    fn repeated(texts: &[&str], min_share: f64) -> Vec<Vec<(usize, f64)>> {
        let mut seen = HashSet::new();
        let mut marked = Vec::new();
        for text in texts {
            let document = ParagraphShingles::from_text(text);
            let repeated = document.repeated(min_share, |shingle| seen.contains(&shingle));
            marked.push(repeated.iter().map(|r| (r.paragraph, r.share)).collect());
            seen.extend(document.shingles);
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
    fn text_that_a_document_has_twice_is_repeated() {
        let text = "ena dve tri štiri pet šest\n\nena dve tri štiri pet šest";
        assert_eq!(repeated(&[text], 0.5), [[(2, 1.0)]]);
        let short = ["", "\n", "lep dan", "lep dan"];
        assert_eq!(repeated(&short, 0.5)[3], [(0, 1.0)]);
    }

    #[test]
    fn the_sequences_of_paragraphs_are_the_shingles_of_the_document() {
        let texts = [
            "Lep dan",
            "ena dve\ntri štiri, pet\n\nšest",
            "今日は\n良い天気",
            "…\n!",
        ];
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

    #[test]
    fn a_table_of_a_killed_process_is_built_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("seen.db");
        let add = |index: &mut DuplicateIndex, text: &str| {
            let document = DedupDocument {
                text,
                ..DedupDocument::default()
            };
            index.check_and_add(document).unwrap();
        };
        let contains = |index: &DuplicateIndex, text: &str| {
            let shingles = ShingleSet::from_text(text);
            let seen = index.paragraphs.as_ref().unwrap();
            shingles
                .hashes()
                .iter()
                .all(|&shingle| seen.contains(shingle))
        };
        let open = || {
            let mut index = DuplicateIndex::open(&path, None).unwrap();
            index.compare_paragraphs(0.5).unwrap();
            index
        };
        let texts = [
            "ena dve tri štiri pet",
            "kaj pa je to",
            "nekaj čisto drugega je tu",
        ];
        let mut index = DuplicateIndex::open(&path, None).unwrap();
        add(&mut index, texts[0]);
        index.commit().unwrap();
        drop(index);
        let mut index = open();
        assert!(contains(&index, texts[0]));
        add(&mut index, texts[1]);
        assert!(contains(&index, texts[1]));
        // Not committed.
        drop(index);
        let mut index = open();
        assert!(contains(&index, texts[0]) && !contains(&index, texts[1]));
        add(&mut index, texts[2]);
        index.commit().unwrap();
        index.merge_wal().unwrap();
        drop(index);
        let index = open();
        assert!(contains(&index, texts[2]) && !contains(&index, texts[1]));
        assert_eq!(
            index
                .paragraphs
                .as_ref()
                .unwrap()
                .keys
                .entries(to_key(7))
                .count(),
            0
        );
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
