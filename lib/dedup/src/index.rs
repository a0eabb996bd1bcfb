//! The index of new documents: an SQLite file, and the table of its keys.
//!
//! A document is compared with the indexed documents. If it is new, it is added; duplicates are not
//! stored. So duplicates always refer to a document that was new, the index grows with new
//! documents only, and the result for a stream does not depend on how it is split into runs. Every
//! entry holds the step of its document, so that the last steps of an interrupted run can be
//! removed.
//!
//! A check looks up one key per band, one of the text, and one of the title in the `KeyTable`,
//! however large the index is, and compares a bounded number of candidates with their entries. All
//! writes stay in one transaction until [`DuplicateIndex::commit`]; the table has the keys of an
//! entry before that.

mod removal;
mod seen_shingles;

use crate::banding::{MinHashBanding, ResemblanceThreshold};
use crate::document::{DedupDocument, DocumentComparer, DuplicateStatus, PreparedDocument};
use crate::key_table::{self, KeyTable};
use crate::shingles::ShingleSet;
use crate::store::{self, INDEX_FILE_KIND, Parameters};
use forage_state::{StateError, StateFile};
use rusqlite::Connection;
use seen_shingles::SeenShingles;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// Size of SQLite's page cache in kB, which bounds the memory for an index of any size
/// (BENCHMARKS.md, "Streams"). The file is not memory-mapped, because mapped pages would count as
/// memory of the process, too.
const CACHE_KB: i64 = 32 * 1024;
/// Maximum number of candidates that one document is compared with. There are more only if
/// thousands of pages were made from one template; then those that share the most bands are
/// compared, at a few µs each. Set by judgement, not measured.
const MAX_COMPARED: usize = 1000;

/// The reason why an index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DuplicateIndexError {
    /// The file cannot be opened, read or written, or is not a duplicate index.
    #[error(transparent)]
    State(#[from] StateError),
    /// The index was built for a higher threshold.
    #[error(
        "{path}: was built for threshold {built} and finds no near-duplicates below it; \
         use {built} or more, or rebuild the index for {requested} from the journal"
    )]
    ThresholdTooLow {
        /// The file of the index.
        path: String,
        /// The threshold that the index was built for.
        built: f64,
        /// The threshold that was requested.
        requested: f64,
    },
    /// The entry with this number cannot be read.
    #[error("{0}: is damaged at entry {1}; rebuild it from the journal")]
    Damaged(String, i64),
    /// The table of keys beside the file cannot be written; its path.
    #[error("{}: {}", .0.display(), .1)]
    Keys(PathBuf, #[source] std::io::Error),
}

/// Documents of another index that are compared in one transaction, which bounds the WAL.
const MERGED_PER_COMMIT: u64 = 4096;

/// An index of documents that finds their duplicates among later documents.
#[derive(Debug)]
pub struct DuplicateIndex {
    pub(crate) db: StateFile,
    keys: KeyTable,
    /// The 5-grams of the documents, if paragraphs are compared.
    pub(crate) paragraphs: Option<SeenShingles>,
    /// True if no document can be added.
    pub(crate) is_read_only: bool,
    threshold: ResemblanceThreshold,
    banding: MinHashBanding,
    /// True if documents with the same title are duplicates.
    compares_titles: bool,
    /// The last step whose documents are in the index; `None` if the index was not filled from a
    /// journal.
    last_step: Option<u64>,
}

impl DuplicateIndex {
    /// Opens the index at `path`, or creates an empty one if the file does not exist.
    ///
    /// Without a threshold, uses the one that the index was built for, or 0.9 for an empty one.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, is not a duplicate index, or was built for a higher
    /// threshold.
    pub fn open(
        path: &Path,
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<DuplicateIndex, DuplicateIndexError> {
        let mut index = DuplicateIndex::connect(path)?;
        let parameters = index.load_or_set_parameters(threshold)?;
        index.use_parameters(parameters, threshold)?;
        index.keys = index.open_keys(parameters.content, KeyTable::open)?;
        index.complete_keys()?;
        Ok(index)
    }

    /// Opens the existing index at `path` to compare documents with it, but not to add any.
    ///
    /// # Errors
    /// Fails if the file does not exist, and for the reasons of [`DuplicateIndex::open`].
    pub fn open_read_only(
        path: &Path,
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<DuplicateIndex, DuplicateIndexError> {
        let file = forage_state::open_read_only(path, &INDEX_FILE_KIND)?;
        let mut index = DuplicateIndex::new(file)?;
        index.is_read_only = true;
        let Some(parameters) = index.run(store::parameters)? else {
            return Ok(index);
        };
        index.use_parameters(parameters, threshold)?;
        index.keys = index.open_keys(parameters.content, KeyTable::open_copy)?;
        index.complete_keys()?;
        Ok(index)
    }

    /// Opens the index at `path` and empties it, to be rebuilt for `threshold`. One of an earlier
    /// version is replaced.
    ///
    /// Without a threshold, keeps the one that the index was built for. Other processes see the old
    /// content until [`DuplicateIndex::commit`].
    ///
    /// # Errors
    /// Fails if the file cannot be opened or written, or is not a duplicate index.
    pub fn open_empty(
        path: &Path,
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<DuplicateIndex, DuplicateIndexError> {
        let mut index = match DuplicateIndex::connect(path) {
            Err(DuplicateIndexError::State(StateError::Older { .. })) => {
                forage_state::replace(path, &INDEX_FILE_KIND, |new| {
                    new.merge_wal().map_err(|source| new.sqlite_error(source))
                })?;
                DuplicateIndex::connect(path)?
            }
            index => index?,
        };
        index.begin()?;
        let built = index.run(store::parameters)?;
        let built = built.and_then(|built| ResemblanceThreshold::new(built.threshold).ok());
        index.run(store::clear)?;
        index.last_step = None;
        let parameters = index.set_parameters(threshold.or(built))?;
        index.use_parameters(parameters, None)?;
        index.keys = index.open_keys(parameters.content, KeyTable::open)?;
        Ok(index)
    }

    /// Creates an empty index in memory; without a threshold, with the default one.
    ///
    /// # Errors
    /// Fails if there is no memory.
    pub fn in_memory(
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<DuplicateIndex, DuplicateIndexError> {
        let file = StateFile::in_memory(&INDEX_FILE_KIND)
            .map_err(|source| StateError::Sql(PathBuf::new(), source))?;
        let mut index = DuplicateIndex::new(file)?;
        let parameters = index.load_or_set_parameters(threshold)?;
        index.use_parameters(parameters, None)?;
        Ok(index)
    }

    fn connect(path: &Path) -> Result<DuplicateIndex, DuplicateIndexError> {
        let mut index = DuplicateIndex::new(forage_state::open(path, &INDEX_FILE_KIND)?)?;
        index.run(|db| db.pragma_update(None, "mmap_size", 0))?;
        index.run(|db| db.pragma_update(None, "cache_size", -CACHE_KB))?;
        index.last_step = index
            .db
            .last_step()
            .map_err(|source| index.to_index_error(source))?;
        Ok(index)
    }

    /// Returns an index with an empty table of keys in memory.
    fn new(db: StateFile) -> Result<DuplicateIndex, DuplicateIndexError> {
        let threshold = ResemblanceThreshold::default();
        Ok(DuplicateIndex {
            db,
            keys: KeyTable::in_memory()
                .map_err(|e| DuplicateIndexError::Keys(PathBuf::new(), e))?,
            paragraphs: None,
            is_read_only: false,
            threshold,
            banding: MinHashBanding::for_threshold(threshold),
            compares_titles: false,
            last_step: None,
        })
    }

    /// Returns what the index was built with; an empty one is then built with `threshold`.
    fn load_or_set_parameters(
        &mut self,
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<Parameters, DuplicateIndexError> {
        if let Some(parameters) = self.run(store::parameters)? {
            return Ok(parameters);
        }
        self.begin()?;
        let parameters = self.set_parameters(threshold)?;
        self.commit()?;
        Ok(parameters)
    }

    fn set_parameters(
        &mut self,
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<Parameters, DuplicateIndexError> {
        let threshold = threshold.unwrap_or_default();
        let banding = MinHashBanding::for_threshold(threshold);
        self.run(|db| store::set_parameters(db, threshold, &banding))?;
        self.run(|db| store::parameters(db)?.ok_or(rusqlite::Error::QueryReturnedNoRows))
    }

    /// Uses the parameters that the index was built with, and the `requested` threshold if it is
    /// not below theirs.
    fn use_parameters(
        &mut self,
        parameters: Parameters,
        requested: Option<ResemblanceThreshold>,
    ) -> Result<(), DuplicateIndexError> {
        let built = parameters.threshold;
        if let Some(requested) = requested.filter(|requested| requested.value() < built) {
            return Err(DuplicateIndexError::ThresholdTooLow {
                path: self.db.display_path(),
                built,
                requested: requested.value(),
            });
        }
        self.banding = parameters.banding;
        let built = ResemblanceThreshold::new(built).unwrap_or_default();
        self.threshold = requested.unwrap_or(built);
        Ok(())
    }

    /// Opens the table of keys by `open`, beside the file.
    fn open_keys(
        &self,
        content: i64,
        open: impl FnOnce(&Path, i64) -> std::io::Result<KeyTable>,
    ) -> Result<KeyTable, DuplicateIndexError> {
        // SQLite follows a symbolic link.
        let path = PathBuf::from(self.db.path().unwrap_or_default());
        open(&path, content).map_err(|e| DuplicateIndexError::Keys(key_table::path_of(&path), e))
    }

    /// Adds the keys of the entries that the table lacks.
    fn complete_keys(&mut self) -> Result<(), DuplicateIndexError> {
        let last = self.run(store::last_entry)?;
        let mut done = self.keys.last_entry().min(last);
        while let Some((number, entry)) = self.run(|db| store::entry_after(db, done))? {
            let shingles = self.shingles(number)?;
            let document = PreparedDocument::from_entry(entry, shingles, None, self.banding);
            self.add_keys(number, &document)?;
            done = number;
        }
        self.keys.set_last_entry(last);
        Ok(())
    }

    fn add_keys(
        &mut self,
        entry: i64,
        document: &PreparedDocument,
    ) -> Result<(), DuplicateIndexError> {
        let title = document.entry.title.map(|title| title.as_integer() as u64);
        let text = [document.entry.digest.key()];
        let keys = document.keys.iter().copied().chain(text).chain(title);
        let mut added = Ok(());
        for key in keys {
            added = added.and_then(|()| self.keys.insert(key, entry));
        }
        self.keys.set_last_entry(entry);
        added.map_err(|e| self.to_key_error(e))
    }

    /// Makes documents with the same title duplicates, from now on. The index holds the titles of
    /// its documents whether or not they were compared.
    pub fn compare_titles(&mut self) {
        self.compares_titles = true;
    }

    /// Returns the lowest resemblance of near-duplicates.
    pub fn threshold(&self) -> ResemblanceThreshold {
        self.threshold
    }

    /// Returns what computes the properties of documents for this index.
    pub fn comparer(&self) -> DocumentComparer {
        DocumentComparer {
            banding: self.banding,
            has_paragraphs: self.paragraphs.is_some(),
            keeps_words: self.db.path().is_some_and(|path| !path.is_empty()),
        }
    }

    /// Compares a document with the index, and adds it if it is new.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn check_and_add(
        &mut self,
        document: DedupDocument,
    ) -> Result<DuplicateStatus, DuplicateIndexError> {
        self.check_and_add_prepared(&self.comparer().prepare(&document))
    }

    /// Compares a document with the index, and adds it if it is new.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn check_and_add_prepared(
        &mut self,
        document: &PreparedDocument,
    ) -> Result<DuplicateStatus, DuplicateIndexError> {
        self.begin()?;
        let status = self.check(document)?;
        if status == DuplicateStatus::New {
            self.add(document)?;
        }
        Ok(status)
    }

    /// Adds a document that an earlier check reported new, unless the index holds the same text.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn add_document(&mut self, document: DedupDocument) -> Result<(), DuplicateIndexError> {
        self.begin()?;
        let document = self.comparer().prepare(&document);
        match self.entry_with_text(&document)? {
            Some(_) => Ok(()),
            None => self.add(&document),
        }
    }

    /// Adds the documents of another index that are not duplicates, in their order, and commits.
    /// Their steps, which are those of another run, are not kept. Returns the number of all
    /// documents, and of those that were added.
    ///
    /// # Errors
    /// Fails if an index cannot be read or written. The documents before are then added, or not.
    pub fn merge(&mut self, other: &DuplicateIndex) -> Result<(u64, u64), DuplicateIndexError> {
        let (mut documents, mut added) = (0, 0);
        let mut last = 0;
        while let Some((number, entry)) = other.run(|db| store::entry_after(db, last))? {
            let shingles = other.shingles(number)?;
            let entry = store::Entry { step: 0, ..entry };
            let words = other.words(number)?;
            let document = PreparedDocument::from_entry(entry, shingles, words, self.banding);
            let status = self.check_and_add_prepared(&document)?;
            documents += 1;
            added += u64::from(status == DuplicateStatus::New);
            last = number;
            if documents % MERGED_PER_COMMIT == 0 {
                self.commit()?;
            }
        }
        self.commit()?;
        Ok((documents, added))
    }

    pub(crate) fn add(&mut self, document: &PreparedDocument) -> Result<(), DuplicateIndexError> {
        let entry = self.run(|db| store::add_entry(db, document))?;
        self.add_keys(entry, document)?;
        let words = document.words.as_ref().unwrap_or(&document.shingles);
        self.add_seen_shingles(entry, words)
    }

    /// Compares a document with the index, without adding it.
    ///
    /// # Errors
    /// Fails if the index cannot be read.
    pub fn check(
        &self,
        document: &PreparedDocument,
    ) -> Result<DuplicateStatus, DuplicateIndexError> {
        let document = document.with_banding(self.banding);
        if let Some(of) = self.entry_with_text(&document)? {
            return Ok(DuplicateStatus::Exact { of });
        }
        if let Some((entry, resemblance)) = self.most_similar(&document)? {
            let of = self.run(|db| store::entry(db, entry))?;
            let of = of.and_then(|entry| entry.id);
            return Ok(DuplicateStatus::Near { of, resemblance });
        }
        if let Some(of) = self.entry_with_title(&document)? {
            return Ok(DuplicateStatus::Title { of });
        }
        Ok(DuplicateStatus::New)
    }

    /// Returns the last step whose documents the index contains; `None` if it was not filled from a
    /// journal.
    pub(crate) fn last_step(&self) -> Option<u64> {
        self.last_step
    }

    /// Sets the last step to `step`, if that is later. The index then contains all documents of
    /// that step, which may be none. The next commit saves the last step.
    pub fn advance_to(&mut self, step: u64) {
        self.last_step = self.last_step.max(Some(step));
    }

    /// Commits the open transaction and makes it durable.
    ///
    /// # Errors
    /// Fails if the file cannot be written; all changes since the last commit are then lost.
    pub fn commit(&mut self) -> Result<(), DuplicateIndexError> {
        self.db
            .commit_at_step(self.last_step)
            .map_err(|source| self.to_index_error(source))
    }

    /// Merges the WAL into the database, so that one file holds the whole index, and makes the
    /// table of keys durable. Called when the tool ends.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn merge_wal(&mut self) -> Result<(), DuplicateIndexError> {
        self.db
            .merge_wal()
            .map_err(|source| self.to_index_error(source))?;
        self.keys.flush().map_err(|e| self.to_key_error(e))?;
        let flushed = match &mut self.paragraphs {
            Some(seen) => seen.keys.flush(),
            None => Ok(()),
        };
        flushed.map_err(|e| self.to_paragraph_error(e))
    }

    /// Returns the `id` of the entry with the text of a document, if there is one.
    fn entry_with_text(
        &self,
        document: &PreparedDocument,
    ) -> Result<Option<Option<String>>, DuplicateIndexError> {
        let digest = document.entry.digest;
        self.find(digest.key(), |entry| entry.digest == digest)
    }

    /// Returns the `id` of the earliest entry with the title of a document, if titles are compared.
    fn entry_with_title(
        &self,
        document: &PreparedDocument,
    ) -> Result<Option<Option<String>>, DuplicateIndexError> {
        match document.entry.title {
            Some(title) if self.compares_titles => self.find(title.as_integer() as u64, |entry| {
                entry.title == Some(title)
            }),
            _ => Ok(None),
        }
    }

    /// Returns the `id` of the first entry with the key that `is_meant` accepts.
    fn find(
        &self,
        key: u64,
        is_meant: impl Fn(&store::Entry) -> bool,
    ) -> Result<Option<Option<String>>, DuplicateIndexError> {
        for number in self.keys.entries(key) {
            if let Some(entry) = self.run(|db| store::entry(db, number))?
                && is_meant(&entry)
            {
                return Ok(Some(entry.id));
            }
        }
        Ok(None)
    }

    /// Returns the entry with the highest resemblance to a document and that resemblance, if it
    /// reaches the threshold. Of several such entries, returns the earliest.
    fn most_similar(
        &self,
        document: &PreparedDocument,
    ) -> Result<Option<(i64, f64)>, DuplicateIndexError> {
        self.keys.prefetch(document.keys.iter().copied());
        let mut matches: Vec<i64> = Vec::new();
        for &key in &document.keys {
            matches.extend(self.keys.entries(key));
        }
        let mut best: Option<(i64, f64)> = None;
        for entry in best_candidates(matches, MAX_COMPARED) {
            let threshold = best.map_or(self.threshold.value(), |(_, resemblance)| resemblance);
            let candidate = self.shingles(entry)?;
            // An entry that was removed has no shingles.
            if !candidate.is_empty()
                && let Some(resemblance) =
                    candidate.resemblance_at_least(&document.shingles, threshold)
                && best.is_none_or(|(_, highest)| resemblance > highest)
            {
                best = Some((entry, resemblance));
            }
        }
        Ok(best)
    }

    pub(crate) fn shingles(&self, entry: i64) -> Result<ShingleSet, DuplicateIndexError> {
        self.read_set(store::SHINGLES, entry)
    }

    /// Returns the 5-grams of the segmented words of an entry, if they are not its shingles.
    pub(crate) fn words(&self, entry: i64) -> Result<Option<ShingleSet>, DuplicateIndexError> {
        let words = self.read_set(store::WORDS, entry)?;
        Ok(Some(words).filter(|words| !words.is_empty()))
    }

    fn read_set(&self, table: &str, entry: i64) -> Result<ShingleSet, DuplicateIndexError> {
        self.run(|db| store::read_set(db, table, entry))?
            .ok_or_else(|| DuplicateIndexError::Damaged(self.db.display_path(), entry))
    }

    /// Begins a transaction, unless one is open. It is a write transaction from the start, so that
    /// another writer cannot make it fail later.
    fn begin(&self) -> Result<(), DuplicateIndexError> {
        self.db
            .begin()
            .map_err(|source| self.to_index_error(source))
    }

    pub(crate) fn run<T>(
        &self,
        statement: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, DuplicateIndexError> {
        statement(&self.db).map_err(|source| self.to_index_error(source))
    }

    /// Adds the path of the file to an SQLite error.
    fn to_index_error(&self, source: rusqlite::Error) -> DuplicateIndexError {
        self.db.sqlite_error(source).into()
    }

    /// Adds the path of the table of keys to an error.
    fn to_key_error(&self, source: std::io::Error) -> DuplicateIndexError {
        let path = PathBuf::from(self.db.display_path());
        DuplicateIndexError::Keys(key_table::path_of(&path), source)
    }
}

/// Returns the distinct entries of `matches` in order. If there are more than `limit`, returns
/// those that match in the most bands; of equals, the earliest.
fn best_candidates(mut matches: Vec<i64>, limit: usize) -> Vec<i64> {
    matches.sort_unstable();
    let mut counted: Vec<(Reverse<usize>, i64)> = matches
        .chunk_by(|a, b| a == b)
        .map(|same| (Reverse(same.len()), same[0]))
        .collect();
    if counted.len() > limit {
        counted.sort_unstable();
        counted.truncate(limit);
        counted.sort_unstable_by_key(|&(_, entry)| entry);
    }
    counted.into_iter().map(|(_, entry)| entry).collect()
}

#[cfg(test)]
mod tests {
    use super::best_candidates;

    #[test]
    fn keeps_the_candidates_that_share_most_keys_if_there_are_too_many() {
        let matches = [4, 1, 2, 3, 2, 4, 4, 5].to_vec();
        assert_eq!(best_candidates(matches.clone(), 3), [1, 2, 4]);
        assert_eq!(best_candidates(matches, 5), [1, 2, 3, 4, 5]);
    }
}
