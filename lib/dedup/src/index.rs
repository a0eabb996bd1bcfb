//! The index of new documents, in one SQLite file.
//!
//! A document is judged against those that were new before it, and joins them if it is new itself;
//! twins leave no trace. So each of a group of twins names the same first document, the index grows
//! with what is new alone, and the verdicts on a stream don't depend on how it was cut into runs.
//! Every entry keeps the step that brought it, so that an interrupted run can take its last steps
//! back.
//!
//! One document touches one page of the file for each band and a few more, however large the index
//! is, and is compared with a bounded number of candidates. What is written stays in one
//! transaction until [`Index::commit`].

use crate::bands::{Bands, Threshold};
use crate::digest::Digest;
use crate::shingles::Shingles;
use crate::store::{self, Entry, KIND};
use forage_state::{StateError, StateFile};
use forage_text::normalise;
use rusqlite::Connection;
use std::cmp::Reverse;
use std::path::Path;

/// SQLite's page cache in kB; with it the memory of an index of any size. No memory map, whose
/// pages would count too.
const CACHE_KB: i64 = 32 * 1024;
/// Candidates that one document is compared with. More come only where thousands of pages are made
/// from one template; those that share most bands are then compared, and the cost of a page stays
/// bounded (about 10 µs each).
const MOST_COMPARED: usize = 1000;
/// Entries that are forgotten at a time.
const FORGET_AT_ONCE: u32 = 1000;

/// What is to be judged.
#[derive(Debug, Clone, Copy)]
pub struct Document<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its identity, which its twins will name.
    pub id: Option<&'a str>,
    /// The step that brought it; 0 for an initial document.
    pub step: u64,
}

/// Whether a document is a twin.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Nothing in the index is like it.
    New,
    /// An indexed document has the same text.
    Exact {
        /// The `id` of that document, if it has one.
        of: Option<String>,
    },
    /// An indexed document resembles it at least as much as the threshold says.
    Near {
        /// The `id` of the one that resembles it most, if it has one; of several the earliest.
        of: Option<String>,
        /// Their resemblance, 0 to 1.
        resemblance: f64,
    },
}

/// Why an index can't be used.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The file can't be opened, read or written, or is none of ours.
    #[error(transparent)]
    State(#[from] StateError),
    /// The index was built to find higher resemblances only.
    #[error(
        "{path}: was built for a threshold of {built} and finds nothing below it; ask for {built} or more, or build the index anew for {asked} from the journal"
    )]
    ThresholdTooLow {
        /// The index.
        path: String,
        /// The threshold that it was built for.
        built: f64,
        /// The threshold that was asked for.
        asked: f64,
    },
    /// An entry, by its number, can't be read.
    #[error("{0}: is damaged at entry {1}; build it anew from the journal")]
    Damaged(String, i64),
}

/// New documents, and how to find the twins of others among them.
#[derive(Debug)]
pub struct Index {
    db: StateFile,
    threshold: Threshold,
    bands: Bands,
    /// The last step whose documents are in the index; `None` where it contains nothing of a
    /// journal.
    last_step: Option<u64>,
}

impl Index {
    /// Opens the index at `path`; makes an empty one when there is none. Without a threshold it is
    /// the one that the index was built for, and 0.9 for an empty one.
    ///
    /// # Errors
    /// When the file can't be opened, is no duplicate index, or was built for a higher threshold.
    pub fn open(path: &Path, threshold: Option<Threshold>) -> Result<Index, IndexError> {
        let mut index = Index::connect(path, threshold)?;
        let built = index.shape()?;
        if threshold.is_some_and(|asked| asked.value() < built) {
            return Err(IndexError::ThresholdTooLow {
                path: index.db.name(),
                built,
                asked: index.threshold.value(),
            });
        }
        if threshold.is_none() {
            index.threshold = Threshold::new(built).unwrap_or_default();
        }
        Ok(index)
    }

    /// Opens the index at `path` and empties it, to be built anew for `threshold`, or for the one
    /// that it was built for. Until [`Index::commit`] others see it as it was.
    ///
    /// # Errors
    /// When the file can't be opened or written, or is no duplicate index.
    pub fn open_afresh(path: &Path, threshold: Option<Threshold>) -> Result<Index, IndexError> {
        let mut index = Index::connect(path, threshold)?;
        index.begin()?;
        if threshold.is_none() {
            let built = index.run(store::parameters)?;
            index.threshold = built
                .and_then(|(built, _)| Threshold::new(built).ok())
                .unwrap_or_default();
        }
        index.run(store::clear)?;
        index.last_step = None;
        index.bands = Bands::for_threshold(index.threshold);
        index.run(|db| store::set_parameters(db, index.threshold, &index.bands))?;
        Ok(index)
    }

    fn connect(path: &Path, threshold: Option<Threshold>) -> Result<Index, IndexError> {
        let db = forage_state::open(path, &KIND)?;
        let threshold = threshold.unwrap_or_default();
        let mut index = Index {
            db,
            threshold,
            bands: Bands::new(0, 1),
            last_step: None,
        };
        index.run(|db| db.pragma_update(None, "mmap_size", 0))?;
        index.run(|db| db.pragma_update(None, "cache_size", -CACHE_KB))?;
        // Files of an earlier version lack it.
        index.run(|db| db.execute_batch(forage_state::LAST_STEP_TABLE))?;
        index.last_step = index
            .db
            .last_step()
            .map_err(|source| index.failed(source))?;
        Ok(index)
    }

    /// Takes up the bands that the index was built with, or settles those of an empty one; the
    /// threshold they are for.
    fn shape(&mut self) -> Result<f64, IndexError> {
        if self.run(store::parameters)?.is_none() {
            self.begin()?;
            // Another process may have settled them meanwhile.
            if self.run(store::parameters)?.is_none() {
                let bands = Bands::for_threshold(self.threshold);
                self.run(|db| store::set_parameters(db, self.threshold, &bands))?;
            }
            self.commit()?;
        }
        let settled =
            |db: &Connection| store::parameters(db)?.ok_or(rusqlite::Error::QueryReturnedNoRows);
        let (built, bands) = self.run(settled)?;
        self.bands = bands;
        Ok(built)
    }

    /// Judges a document, and indexes it if it is new.
    ///
    /// # Errors
    /// When the index can't be read or written.
    pub fn judge(&mut self, document: Document) -> Result<Verdict, IndexError> {
        self.index_if_new(document, false)
    }

    /// Indexes a document that was judged new before, unless its very text is there.
    ///
    /// # Errors
    /// When the index can't be read or written.
    pub fn add(&mut self, document: Document) -> Result<(), IndexError> {
        self.index_if_new(document, true).map(drop)
    }

    /// Near twins are not looked for where a document was judged new before.
    fn index_if_new(&mut self, document: Document, was_new: bool) -> Result<Verdict, IndexError> {
        self.begin()?;
        let text = normalise(document.text);
        let digest = Digest::of_normalised(&text);
        if let Some(entry) = self.run(|db| store::with_digest(db, &digest))? {
            return Ok(Verdict::Exact {
                of: self.run(|db| store::id(db, entry))?,
            });
        }
        let shingles = Shingles::of_normalised(&text);
        let keys = self.bands.keys(&shingles);
        if !was_new && let Some((entry, resemblance)) = self.nearest(&shingles, &keys)? {
            return Ok(Verdict::Near {
                of: self.run(|db| store::id(db, entry))?,
                resemblance,
            });
        }
        let entry = (kept(document.step), document.id);
        self.run(|db| store::add(db, entry, &digest, &shingles, &keys))?;
        Ok(Verdict::New)
    }

    /// Whether the index lacks documents of steps before `next`, or was never filled from a
    /// journal.
    pub fn lacks_steps_before(&self, next: u64) -> bool {
        forage_state::lacks_steps_before(self.last_step, next)
    }

    /// Records that a step has been taken in, also one that brought no document. The last one is
    /// kept with the next commit.
    pub fn advance_to(&mut self, step: u64) {
        self.last_step = self.last_step.max(Some(step));
    }

    /// Forgets all documents of steps from `step` on.
    ///
    /// # Errors
    /// When the index can't be read or written.
    pub fn forget_documents_from(&mut self, step: u64) -> Result<(), IndexError> {
        self.begin()?;
        self.last_step = self.last_step.min(step.checked_sub(1));
        loop {
            let entries = self.run(|db| store::from_step(db, kept(step), FORGET_AT_ONCE))?;
            if entries.is_empty() {
                return Ok(());
            }
            for entry in entries {
                let keys = self.bands.keys(&self.shingles(entry)?);
                self.run(|db| store::remove(db, entry, &keys))?;
            }
        }
    }

    /// Makes all that was done so far durable.
    ///
    /// # Errors
    /// When the file can't be written; what was done since the last time is then lost.
    pub fn commit(&mut self) -> Result<(), IndexError> {
        let commit = || {
            if self.db.last_step()? != self.last_step {
                self.db.begin()?;
                self.db.set_last_step(self.last_step)?;
            }
            self.db.commit()
        };
        commit().map_err(|source| self.failed(source))
    }

    /// Leaves all that was committed in the one file, for a tool that ends.
    ///
    /// # Errors
    /// When the file can't be written.
    pub fn settle(&mut self) -> Result<(), IndexError> {
        self.db.merge_wal().map_err(|source| self.failed(source))
    }

    /// The entry that resembles `shingles` most, from the threshold on; of several the earliest.
    fn nearest(&self, shingles: &Shingles, keys: &[i64]) -> Result<Option<(i64, f64)>, IndexError> {
        // A set that is smaller or larger by more than the threshold can't resemble this one so
        // much.
        let size = shingles.len() as f64;
        let sizes = (
            (size * self.threshold.value()).floor() as i64,
            (size / self.threshold.value()).ceil() as i64,
        );
        let mut best: Option<(i64, f64)> = None;
        for entry in likeliest(
            self.run(|db| store::with_keys(db, keys, sizes))?,
            MOST_COMPARED,
        ) {
            let least = best.map_or(self.threshold.value(), |(_, resemblance)| resemblance);
            if let Some(resemblance) = self.shingles(entry)?.resemblance_from(shingles, least)
                && best.is_none_or(|(_, most)| resemblance > most)
            {
                best = Some((entry.number, resemblance));
            }
        }
        Ok(best)
    }

    fn shingles(&self, entry: Entry) -> Result<Shingles, IndexError> {
        let damaged = || IndexError::Damaged(self.db.name(), entry.number);
        self.run(|db| store::shingles(db, entry))?
            .ok_or_else(damaged)
    }

    /// Begins a transaction unless one is open; as a writer's, so that it can't fail for another
    /// writer later.
    fn begin(&self) -> Result<(), IndexError> {
        self.db.begin().map_err(|source| self.failed(source))
    }

    fn run<T>(
        &self,
        statement: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, IndexError> {
        statement(&self.db).map_err(|source| self.failed(source))
    }

    fn failed(&self, source: rusqlite::Error) -> IndexError {
        self.db.sqlite_error(source).into()
    }
}

/// Each of `found` once, in order; of more than `most` those that were found most often, the
/// earliest first.
fn likeliest(found: Vec<Entry>, most: usize) -> Vec<Entry> {
    let mut counted: Vec<(Reverse<usize>, Entry)> = found
        .chunk_by(|a, b| a == b)
        .map(|same| (Reverse(same.len()), same[0]))
        .collect();
    if counted.len() > most {
        counted.sort_unstable();
        counted.truncate(most);
        counted.sort_unstable_by_key(|&(_, entry)| entry);
    }
    counted.into_iter().map(|(_, entry)| entry).collect()
}

/// A step as SQLite can keep it.
fn kept(step: u64) -> i64 {
    i64::try_from(step).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::likeliest;
    use crate::store::Entry;

    #[test]
    fn of_too_many_candidates_those_that_share_most_bands_are_compared() {
        let entry = |number| Entry { number, size: 9 };
        let found = [1, 2, 2, 3, 4, 4, 4, 5].map(entry).to_vec();
        assert_eq!(likeliest(found.clone(), 3), [1, 2, 4].map(entry));
        assert_eq!(likeliest(found, 5), [1, 2, 3, 4, 5].map(entry));
    }
}
