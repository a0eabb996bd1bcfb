//! The index of new documents, in one SQLite file.
//!
//! A document is compared with the indexed documents. If it is new, it is added; duplicates are not
//! stored. So duplicates always refer to a document that was new, the index grows with new
//! documents only, and the result for a stream does not depend on how it is split into runs. Every
//! entry holds the step of its document, so that the last steps of an interrupted run can be
//! removed.
//!
//! A check reads about one page of the file per band, however large the index is, and compares a
//! bounded number of candidates. All writes stay in one transaction until
//! [`DuplicateIndex::commit`].

use crate::banding::{MinHashBanding, ResemblanceThreshold};
use crate::digest::TextDigest;
use crate::shingles::ShingleSet;
use crate::store::{self, INDEX_FILE_KIND, IndexEntry};
use crate::title::TitleKey;
use forage_state::{StateError, StateFile, sqlite_step};
use forage_text::comparison_form;
use rusqlite::Connection;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// Size of SQLite's page cache in kB, which bounds the memory for an index of any size
/// (BENCHMARKS.md, "Streams"). The file is not memory-mapped, because mapped pages would count as
/// memory of the process, too.
const CACHE_KB: i64 = 32 * 1024;
/// Maximum number of candidates that one document is compared with. There are more only if
/// thousands of pages were made from one template; then those that share the most bands are
/// compared, at about 10 µs each. Set by judgement, not measured.
const MAX_COMPARED: usize = 1000;
/// Number of entries that one statement selects for removal.
const REMOVAL_BATCH: u32 = 1000;

/// A document to check or to add.
#[derive(Debug, Clone, Copy, Default)]
pub struct DedupDocument<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its `id`, which its duplicates refer to.
    pub id: Option<&'a str>,
    /// Its title, if it has one.
    pub title: Option<&'a str>,
    /// The step that retrieved it; 0 for an initial document.
    pub step: u64,
}

/// The result of checking a document: new, or a duplicate of an indexed document.
#[derive(Debug, Clone, PartialEq)]
pub enum DuplicateStatus {
    /// No indexed document reaches the threshold.
    New,
    /// An indexed document has the same text.
    Exact {
        /// The `id` of the indexed document, if it has one.
        of: Option<String>,
    },
    /// The resemblance to an indexed document reaches the threshold.
    Near {
        /// The `id` of the document with the highest resemblance, if it has one. Of several, the
        /// earliest.
        of: Option<String>,
        /// The resemblance of the two documents, 0 to 1.
        resemblance: f64,
    },
    /// An indexed document has the same title. Only if titles are compared
    /// ([`DuplicateIndex::compare_titles`]).
    Title {
        /// The `id` of the indexed document, if it has one. Of several, the earliest.
        of: Option<String>,
    },
}

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
    /// The index was built by an earlier version, which compared texts in another form.
    #[error(
        "{0}: was built by a version that compared texts as they are typed, not as they are read; \
         rebuild it by `dedup --index {0} --rebuild JOURNAL`, or make a new index of its documents"
    )]
    OtherComparison(String),
    /// The entry with this number cannot be read.
    #[error("{0}: is damaged at entry {1}; rebuild it from the journal")]
    Damaged(String, i64),
}

/// The properties of a document that are compared with an index.
struct ComparedText<'a> {
    /// Its comparison form.
    text: String,
    digest: TextDigest,
    title: Option<TitleKey>,
    banding: &'a MinHashBanding,
    /// The shingles with their keys. Computed when they are needed: an exact duplicate does without.
    shingles: OnceCell<(ShingleSet, Vec<i64>)>,
}

impl ComparedText<'_> {
    fn new<'a>(document: &DedupDocument<'_>, banding: &'a MinHashBanding) -> ComparedText<'a> {
        let text = comparison_form(document.text);
        ComparedText {
            digest: TextDigest::from_comparison_form(&text),
            title: document.title.and_then(TitleKey::from_title),
            text,
            banding,
            shingles: OnceCell::new(),
        }
    }

    /// Returns the shingles, and their keys under the banding of the index.
    fn shingles(&self) -> &(ShingleSet, Vec<i64>) {
        self.shingles.get_or_init(|| {
            let shingles = ShingleSet::from_comparison_form(&self.text);
            let keys = self.banding.keys(&shingles);
            (shingles, keys)
        })
    }
}

/// An index of documents that finds their duplicates among later documents.
#[derive(Debug)]
pub struct DuplicateIndex {
    db: StateFile,
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
        let mut index = DuplicateIndex::connect(path, threshold)?;
        let built = index.load_or_set_banding()?;
        index.check_comparison()?;
        index.check_threshold(threshold, built)?;
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
        let mut index = DuplicateIndex::new(file, threshold);
        let parameters = index.run(store::parameters)?;
        let (built, banding) = parameters.unwrap_or_else(|| {
            let banding = MinHashBanding::for_threshold(index.threshold);
            (index.threshold.value(), banding)
        });
        index.banding = banding;
        index.check_comparison()?;
        index.check_threshold(threshold, built)?;
        Ok(index)
    }

    /// Checks that the documents of the index were compared in the present form.
    fn check_comparison(&self) -> Result<(), DuplicateIndexError> {
        if self.run(store::has_other_comparison)? {
            return Err(DuplicateIndexError::OtherComparison(self.db.display_path()));
        }
        Ok(())
    }

    /// Checks that a requested threshold is not below the one that the index was built for, which is
    /// used if none is requested.
    fn check_threshold(
        &mut self,
        requested: Option<ResemblanceThreshold>,
        built: f64,
    ) -> Result<(), DuplicateIndexError> {
        match requested {
            Some(requested) if requested.value() < built => {
                Err(DuplicateIndexError::ThresholdTooLow {
                    path: self.db.display_path(),
                    built,
                    requested: requested.value(),
                })
            }
            Some(_) => Ok(()),
            None => {
                self.threshold = ResemblanceThreshold::new(built).unwrap_or_default();
                Ok(())
            }
        }
    }

    /// Opens the index at `path` and empties it, to be rebuilt for `threshold`.
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
        let mut index = DuplicateIndex::connect(path, threshold)?;
        index.begin()?;
        if threshold.is_none() {
            let parameters = index.run(store::parameters)?;
            index.threshold = parameters
                .and_then(|(built, _)| ResemblanceThreshold::new(built).ok())
                .unwrap_or_default();
        }
        index.run(store::clear)?;
        index.last_step = None;
        index.banding = MinHashBanding::for_threshold(index.threshold);
        index.run(|db| store::set_parameters(db, index.threshold, &index.banding))?;
        Ok(index)
    }

    /// Creates an empty index in memory; without a threshold, with the default one.
    ///
    /// # Errors
    /// Fails if SQLite is out of memory.
    pub fn in_memory(
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<DuplicateIndex, DuplicateIndexError> {
        let file = StateFile::in_memory(&INDEX_FILE_KIND)
            .map_err(|source| StateError::Sql(PathBuf::new(), source))?;
        let mut index = DuplicateIndex::with_file(file, threshold)?;
        index.load_or_set_banding()?;
        Ok(index)
    }

    fn connect(
        path: &Path,
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<DuplicateIndex, DuplicateIndexError> {
        DuplicateIndex::with_file(forage_state::open(path, &INDEX_FILE_KIND)?, threshold)
    }

    fn with_file(
        db: StateFile,
        threshold: Option<ResemblanceThreshold>,
    ) -> Result<DuplicateIndex, DuplicateIndexError> {
        let mut index = DuplicateIndex::new(db, threshold);
        index.run(|db| db.pragma_update(None, "mmap_size", 0))?;
        index.run(|db| db.pragma_update(None, "cache_size", -CACHE_KB))?;
        // Files of an earlier version lack the table.
        index.run(|db| db.execute_batch(forage_state::LAST_STEP_TABLE))?;
        index.last_step = index
            .db
            .last_step()
            .map_err(|source| index.to_index_error(source))?;
        Ok(index)
    }

    fn new(db: StateFile, threshold: Option<ResemblanceThreshold>) -> DuplicateIndex {
        DuplicateIndex {
            db,
            threshold: threshold.unwrap_or_default(),
            banding: MinHashBanding::new(0, 1),
            compares_titles: false,
            last_step: None,
        }
    }

    /// Loads the banding that the index was built with, or sets that of an empty index. Returns the
    /// threshold that the banding is for.
    fn load_or_set_banding(&mut self) -> Result<f64, DuplicateIndexError> {
        if self.run(store::parameters)?.is_none() {
            self.begin()?;
            // Another process may have set them in the meantime.
            if self.run(store::parameters)?.is_none() {
                let banding = MinHashBanding::for_threshold(self.threshold);
                self.run(|db| store::set_parameters(db, self.threshold, &banding))?;
            }
            self.commit()?;
        }
        let (built, banding) =
            self.run(|db| store::parameters(db)?.ok_or(rusqlite::Error::QueryReturnedNoRows))?;
        self.banding = banding;
        Ok(built)
    }

    /// Makes documents with the same title duplicates, from now on. The index holds the titles of
    /// its documents whether or not they were compared.
    pub fn compare_titles(&mut self) {
        self.compares_titles = true;
    }

    /// Compares a document with the index, and adds it if it is new.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn check_and_add(
        &mut self,
        document: DedupDocument,
    ) -> Result<DuplicateStatus, DuplicateIndexError> {
        self.add_if_new(document, false)
    }

    /// Adds a document that an earlier check reported new, unless the index holds the same text.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn add_document(&mut self, document: DedupDocument) -> Result<(), DuplicateIndexError> {
        self.add_if_new(document, true).map(drop)
    }

    /// Compares a document with the index, without adding it.
    ///
    /// # Errors
    /// Fails if the index cannot be read.
    pub fn check(&self, document: &DedupDocument) -> Result<DuplicateStatus, DuplicateIndexError> {
        self.compare(&ComparedText::new(document, &self.banding), false)
    }

    /// Adds a document unless it is a duplicate. If `was_new`, an earlier check found no duplicate.
    fn add_if_new(
        &mut self,
        document: DedupDocument,
        was_new: bool,
    ) -> Result<DuplicateStatus, DuplicateIndexError> {
        self.begin()?;
        let text = ComparedText::new(&document, &self.banding);
        let status = self.compare(&text, was_new)?;
        if status == DuplicateStatus::New {
            let metadata = (sqlite_step(document.step), document.id, text.title);
            let (shingles, keys) = text.shingles();
            self.run(|db| store::add_entry(db, metadata, &text.digest, shingles, keys))?;
        }
        Ok(status)
    }

    /// Compares a text with the index. If `was_new`, neither near-duplicates nor titles are searched
    /// for.
    fn compare(
        &self,
        text: &ComparedText,
        was_new: bool,
    ) -> Result<DuplicateStatus, DuplicateIndexError> {
        let id_of = |entry| self.run(|db| store::document_id(db, entry));
        if let Some(entry) = self.run(|db| store::entry_with_digest(db, &text.digest))? {
            return Ok(DuplicateStatus::Exact { of: id_of(entry)? });
        }
        if was_new {
            return Ok(DuplicateStatus::New);
        }
        let (shingles, keys) = text.shingles();
        if let Some((entry, resemblance)) = self.most_similar(shingles, keys)? {
            let of = id_of(entry)?;
            return Ok(DuplicateStatus::Near { of, resemblance });
        }
        if let Some(entry) = self.entry_with_title(text.title)? {
            return Ok(DuplicateStatus::Title { of: id_of(entry)? });
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

    /// Removes the documents of `step` and of all later steps.
    ///
    /// # Errors
    /// Fails if the index cannot be read or written.
    pub fn remove_documents_from(&mut self, step: u64) -> Result<(), DuplicateIndexError> {
        self.begin()?;
        self.last_step = self.last_step.min(step.checked_sub(1));
        loop {
            let step = sqlite_step(step);
            let entries = self.run(|db| store::entries_from_step(db, step, REMOVAL_BATCH))?;
            if entries.is_empty() {
                return Ok(());
            }
            for entry in entries {
                let keys = self.banding.keys(&self.shingles(entry)?);
                self.run(|db| store::remove_entry(db, entry, &keys))?;
            }
        }
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

    /// Merges the WAL into the database, so that one file holds the whole index. Called when the
    /// tool ends.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn merge_wal(&mut self) -> Result<(), DuplicateIndexError> {
        self.db
            .merge_wal()
            .map_err(|source| self.to_index_error(source))
    }

    /// Returns the earliest entry with the title, if titles are compared.
    fn entry_with_title(
        &self,
        title: Option<TitleKey>,
    ) -> Result<Option<i64>, DuplicateIndexError> {
        match title {
            Some(title) if self.compares_titles => {
                self.run(|db| store::entry_with_title(db, title))
            }
            _ => Ok(None),
        }
    }

    /// Returns the entry with the highest resemblance to `shingles` and that resemblance, if it
    /// reaches the threshold. Of several such entries, returns the earliest.
    fn most_similar(
        &self,
        shingles: &ShingleSet,
        keys: &[i64],
    ) -> Result<Option<(i64, f64)>, DuplicateIndexError> {
        // The ratio of two set sizes is an upper bound on the resemblance of the sets.
        let size = shingles.len() as f64;
        let sizes = (
            (size * self.threshold.value()).floor() as i64,
            (size / self.threshold.value()).ceil() as i64,
        );
        let matches = self.run(|db| store::band_matches(db, keys, sizes))?;
        let mut best: Option<(i64, f64)> = None;
        for entry in best_candidates(matches, MAX_COMPARED) {
            let threshold = best.map_or(self.threshold.value(), |(_, resemblance)| resemblance);
            if let Some(resemblance) = self
                .shingles(entry)?
                .resemblance_at_least(shingles, threshold)
                && best.is_none_or(|(_, highest)| resemblance > highest)
            {
                best = Some((entry.number, resemblance));
            }
        }
        Ok(best)
    }

    fn shingles(&self, entry: IndexEntry) -> Result<ShingleSet, DuplicateIndexError> {
        self.run(|db| store::shingles(db, entry))?
            .ok_or_else(|| DuplicateIndexError::Damaged(self.db.display_path(), entry.number))
    }

    /// Begins a transaction, unless one is open. It is a write transaction from the start, so that
    /// another writer cannot make it fail later.
    fn begin(&self) -> Result<(), DuplicateIndexError> {
        self.db
            .begin()
            .map_err(|source| self.to_index_error(source))
    }

    fn run<T>(
        &self,
        statement: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, DuplicateIndexError> {
        statement(&self.db).map_err(|source| self.to_index_error(source))
    }

    /// Adds the path of the file to an SQLite error.
    fn to_index_error(&self, source: rusqlite::Error) -> DuplicateIndexError {
        self.db.sqlite_error(source).into()
    }
}

/// Returns the distinct entries of the sorted `matches`, in order. If there are more than `limit`,
/// returns those that match in the most bands; of equals, the earliest.
fn best_candidates(matches: Vec<IndexEntry>, limit: usize) -> Vec<IndexEntry> {
    let mut counted: Vec<(Reverse<usize>, IndexEntry)> = matches
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
    use crate::store::IndexEntry;

    #[test]
    fn keeps_the_candidates_that_share_most_bands_if_there_are_too_many() {
        let entry = |number| IndexEntry { number, size: 9 };
        let matches = [1, 2, 2, 3, 4, 4, 4, 5].map(entry).to_vec();
        assert_eq!(best_candidates(matches.clone(), 3), [1, 2, 4].map(entry));
        assert_eq!(best_candidates(matches, 5), [1, 2, 3, 4, 5].map(entry));
    }
}
