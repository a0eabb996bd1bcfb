//! Merging of term statistics: the documents of several files, counted as one.
//!
//! The documents of each class are counted in the order of their keys, and the words of a document
//! in that of their code points, so that the result depends on the documents alone. A document that
//! several files have is counted once; one that a file has repeatedly, as often as in that file.

use crate::class_counts::ClassCounts;
use crate::counter::TermCounter;
use crate::document_keys::{
    DocumentKey, KeyStream, KeyedDocument, WordCounts, count_keys, prepare_stream,
};
use crate::projections::{KIND, mark_unordered};
use crate::spelling::{self, has_ascii_folding, term_of};
use crate::statistics::{Result, Statistics, StatisticsError};
use crate::term_list::unpack_terms;
use forage_run::{StoredProjection, read_totals};
use forage_state::{StateFile, read_count};
use rusqlite::{CachedStatement, OptionalExtension};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Number of terms over all files whose texts are kept in memory: those of the first documents,
/// which are the most frequent ones.
const MAX_CACHED_TERMS: usize = 1_000_000;

/// The documents that were merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MergedDocuments {
    /// Documents of the result.
    pub documents: u64,
    /// Documents that were left out, because another file has them.
    pub shared: u64,
}

/// Replaces the file at `stats` by the merged statistics of the files `inputs`, and of itself if it
/// exists. The run history of the files is left out: queries, steps, and what strategies have
/// learned. The documents of the result are initial documents.
///
/// # Errors
/// Fails, and leaves `stats` as it is, if it belongs to a journal, if an input cannot be read or
/// merged with the others, or if the result cannot be written.
pub fn merge_statistics(stats: &Path, inputs: &[PathBuf]) -> Result<MergedDocuments> {
    let mut files = Vec::new();
    if stats.exists() {
        files.push(MergedFile::open(stats)?);
        check_has_no_journal(&files[0].statistics)?;
    }
    for input in inputs {
        files.push(MergedFile::open(input)?);
    }
    check_settings(&files)?;
    forage_state::replace(stats, &KIND, |file| {
        let merged = count_all(&files, &file).map_err(|e| file.sqlite_error(e))?;
        file.merge_wal().map_err(|e| file.sqlite_error(e))?;
        Ok(merged)
    })
}

/// A file that is merged.
struct MergedFile {
    statistics: Statistics,
    has_ascii_folding: bool,
    /// The targets of the steps that were counted.
    targets: BTreeSet<String>,
    /// Class ids by name.
    classes: BTreeMap<String, i64>,
}

impl MergedFile {
    fn open(path: &Path) -> Result<Self> {
        // All of it is read, and damage that is met later would not name the file.
        forage_state::check_file(path)?;
        let statistics = Statistics::open_read_only(path)?;
        let classes = statistics.classes()?;
        let (keys, has_ascii_folding, totals) = statistics.with_path(|| {
            let db = &statistics.db;
            Ok((count_keys(db)?, has_ascii_folding(db)?, read_totals(db)?))
        })?;
        let lacks_key =
            |class: &ClassCounts| keys.get(&class.id).copied().unwrap_or(0) != class.documents;
        if classes.iter().any(lacks_key) {
            return Err(StatisticsError::WithoutKeys {
                path: statistics.db.display_path(),
            });
        }
        let steps = totals.into_keys().filter(|(_, name)| name == "steps");
        let classes = classes.into_iter().map(|class| (class.name, class.id));
        Ok(MergedFile {
            has_ascii_folding,
            targets: steps.map(|(target, _)| target).collect(),
            classes: classes.collect(),
            statistics,
        })
    }
}

/// Checks that a file that is replaced is not one of a run.
fn check_has_no_journal(statistics: &Statistics) -> Result<()> {
    let sql = "SELECT 1 FROM meta WHERE key = 'journal_bytes' AND value > 0";
    if statistics.with_path(|| Ok(statistics.db.prepare(sql)?.exists([])?))? {
        return Err(StatisticsError::MergeIntoRun {
            path: statistics.db.display_path(),
        });
    }
    Ok(())
}

/// Checks that all files count the same terms, and were made for the same targets if they tell.
fn check_settings(files: &[MergedFile]) -> Result<()> {
    let Some(first) = files.first() else {
        return Ok(());
    };
    let with_targets = files.iter().find(|file| !file.targets.is_empty());
    for file in files {
        let other = |reference: &MergedFile, setting: String| StatisticsError::OtherSettings {
            path: file.statistics.db.display_path(),
            other: reference.statistics.db.display_path(),
            setting,
        };
        if file.has_ascii_folding != first.has_ascii_folding {
            return Err(other(first, "another setting of --ascii-folding".into()));
        }
        if let Some(reference) = with_targets
            && !file.targets.is_empty()
            && file.targets != reference.targets
        {
            let list = |targets: &BTreeSet<String>| Vec::from_iter(targets.clone()).join(", ");
            let (targets, expected) = (list(&file.targets), list(&reference.targets));
            let setting = format!("other targets ({targets}, not {expected})");
            return Err(other(reference, setting));
        }
    }
    Ok(())
}

/// Counts the documents of all files into an empty one.
fn count_all(files: &[MergedFile], store: &StateFile) -> rusqlite::Result<MergedDocuments> {
    store.begin()?;
    let has_ascii_folding = files.iter().any(|file| file.has_ascii_folding);
    if has_ascii_folding {
        spelling::create_table(store)?;
    }
    mark_unordered(store)?;
    let max_cached = MAX_CACHED_TERMS / files.len().max(1);
    let texts = files.iter().map(|file| TermTexts::read(file, max_cached));
    let mut merge = Merge {
        texts: texts.collect::<Result<_, _>>()?,
        store,
        has_ascii_folding,
        counter: TermCounter::default(),
        merged: MergedDocuments::default(),
    };
    let classes: BTreeSet<&String> = files.iter().flat_map(|file| file.classes.keys()).collect();
    for class in classes {
        merge.count_class(files, class)?;
    }
    merge.counter.write(store)?;
    store.commit()?;
    Ok(merge.merged)
}

/// The state of a merge.
struct Merge<'a> {
    /// The terms of each file.
    texts: Vec<TermTexts<'a>>,
    store: &'a StateFile,
    has_ascii_folding: bool,
    counter: TermCounter,
    merged: MergedDocuments,
}

impl Merge<'_> {
    /// Counts the documents of a class.
    fn count_class(&mut self, files: &[MergedFile], class: &str) -> rusqlite::Result<()> {
        let statements = files.iter().map(|file| prepare_stream(&file.statistics.db));
        let mut statements = statements.collect::<Result<Vec<_>, _>>()?;
        let ids = files.iter().map(|file| file.classes.get(class).copied());
        let streams = statements.iter_mut().zip(ids);
        let streams = streams.map(|(statement, id)| KeyStream::new(statement, id));
        let mut streams = streams.collect::<Result<Vec<_>, _>>()?;
        while let Some(key) = streams.iter().filter_map(KeyStream::next_key).min() {
            // The documents with this key of the file that has most of them.
            let (mut best, mut most) = (0, Vec::new());
            for (file, stream) in streams.iter_mut().enumerate() {
                let documents = stream.take_all(&key)?;
                self.merged.shared += documents.len() as u64;
                if documents.len() > most.len() {
                    (best, most) = (file, documents);
                }
            }
            self.merged.shared -= most.len() as u64;
            let id = files[best].classes.get(class).copied().unwrap_or_default();
            for document in most {
                self.count_document(best, class, id, &key, &document)?;
            }
        }
        Ok(())
    }

    /// Counts a document of a file, which has `class` under the id `class_id`.
    fn count_document(
        &mut self,
        file: usize,
        class: &str,
        class_id: i64,
        key: &DocumentKey,
        document: &KeyedDocument,
    ) -> rusqlite::Result<()> {
        self.merged.documents += 1;
        let terms = self.texts[file].read_terms(class_id, document.n)?;
        let words = unfold_words(&terms, document.spellings(), self.has_ascii_folding);
        let (counter, store) = (&mut self.counter, self.store);
        counter.count_words(store, class, 0, *key, words)?;
        if self.counter.is_full() {
            self.counter.write(self.store)?;
        }
        Ok(())
    }
}

/// Returns the words of a document in order of their code points, from its terms, and those of its
/// words whose spelling is not that of their term.
fn unfold_words<'a>(
    terms: &'a [(String, i64)],
    spellings: WordCounts<'a>,
    has_ascii_folding: bool,
) -> WordCounts<'a> {
    let mut words: BTreeMap<&str, i64> = terms.iter().map(|(text, tf)| (&**text, *tf)).collect();
    for (word, tf) in &spellings {
        if let Some(rest) = words.get_mut(&*term_of(word, has_ascii_folding)) {
            *rest -= tf;
        }
    }
    words.retain(|_, tf| *tf > 0);
    words.extend(spellings);
    words.into_iter().collect()
}

/// The terms of a file by id, and of its documents.
struct TermTexts<'a> {
    cached: HashMap<i64, String>,
    by_id: CachedStatement<'a>,
    of_document: CachedStatement<'a>,
}

impl<'a> TermTexts<'a> {
    fn read(file: &'a MergedFile, max_cached: usize) -> rusqlite::Result<Self> {
        let store = &file.statistics.db;
        let cached = store
            .prepare("SELECT id, text FROM term WHERE id <= ?1")?
            .query_map([max_cached], |row| Ok((read_count(row, 0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(TermTexts {
            cached,
            by_id: store.prepare_cached("SELECT text FROM term WHERE id = ?1")?,
            of_document: store
                .prepare_cached("SELECT terms FROM document WHERE class = ?1 AND n = ?2")?,
        })
    }

    /// Returns the terms of the document number `n` of a class; none if the document has none.
    fn read_terms(&mut self, class: i64, n: i64) -> rusqlite::Result<Vec<(String, i64)>> {
        let packed = self.of_document.query_row([class, n], |row| row.get(0));
        let packed: Option<Vec<u8>> = packed.optional()?;
        unpack_terms(&packed.unwrap_or_default())
            .map(|(id, tf)| {
                let text = match self.cached.get(&id) {
                    Some(text) => text.clone(),
                    None => self.by_id.query_row([id], |row| row.get(0))?,
                };
                Ok((text, tf))
            })
            .collect()
    }
}
