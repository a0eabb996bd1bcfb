//! The 5-grams of the documents of an index, with which paragraphs are compared.
//!
//! They are a [`KeyTable`] of their 32-bit hashes, which is built from the sets in the index. So an
//! index can be used with and without it.

use crate::index::{DuplicateIndex, DuplicateIndexError};
use crate::key_table::{self, KeyTable};
use crate::paragraphs::{ParagraphShingles, to_key};
use crate::shingles::ShingleSet;
use crate::store;
use forage_record::RepeatedParagraph;
use std::path::Path;

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
            let shingles = match self.words(entry)? {
                Some(words) => words,
                None => self.shingles(entry)?,
            };
            add_shingles(&mut seen, entry, &shingles).map_err(|e| self.to_paragraph_error(e))?;
        }
        seen.set_last_entry(last);
        self.paragraphs = Some(SeenShingles {
            keys: seen,
            min_share,
        });
        Ok(())
    }

    /// Opens the table of 5-grams beside the file. It is started afresh if it has 5-grams of
    /// entries that were never committed, which may be numbers of other documents now.
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
        for table in others.iter().copied().chain([seen]) {
            table.keys.prefetch(document.keys());
        }
        let is_seen = |key| seen.contains(key) || others.iter().any(|other| other.contains(key));
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
    fn contains(&self, key: u64) -> bool {
        // After a failure of the machine, there may be keys of later entries.
        let last = self.keys.last_entry();
        self.keys.entries(key).any(|entry| entry <= last)
    }
}

fn add_shingles(keys: &mut KeyTable, entry: i64, shingles: &ShingleSet) -> std::io::Result<()> {
    keys.reserve(shingles.len())?;
    for &shingle in shingles.hashes() {
        keys.insert_first(to_key(shingle), entry)?;
    }
    keys.set_last_entry(entry);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::paragraphs::to_key;
    use crate::shingles::ShingleSet;
    use crate::{DedupDocument, DuplicateIndex};

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
                .all(|&shingle| seen.contains(to_key(shingle)))
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
}
