//! Adding to the index.
//!
//! Documents go to Tantivy's indexing threads and become visible with a commit, so that a killed
//! writer leaves the index as of its last commit. Merging is done here rather than by Tantivy's
//! policy, at a commit and in one go: it leaves few segments (opening costs by the segment), and
//! none that still holds a replaced document.

use super::IndexError;
use super::reader::{failed, is_empty, open_folder};
use super::schema::{Fields, TOKENIZER, schema};
use super::tokenizer::TermTokenizer;
use crate::Document;
use std::fs;
use std::path::{Path, PathBuf};
use tantivy::directory::error::LockError;
use tantivy::index::SegmentId;
use tantivy::indexer::IndexWriterOptions;
use tantivy::merge_policy::NoMergePolicy;
use tantivy::{IndexWriter, SegmentMeta, TantivyDocument, TantivyError, Term};

/// Documents after which a commit is made though more come.
const COMMIT_DOCUMENTS: u64 = 50_000;

/// Bytes of postings that an indexing thread gathers before it writes a segment.
const MEMORY_BYTES: usize = 64 << 20;

/// Most indexing threads; beyond that, reading the records is what takes the time.
const MAX_THREADS: usize = 4;

/// Longest URL in bytes that can be a key: Tantivy passes over longer terms without a word.
const MAX_URL_BYTES: usize = 60_000;

/// A segment is left as it is when it has this many times the documents of all smaller ones, so
/// that adding little to much stays cheap while the number of segments grows with the logarithm of
/// the documents.
const MUCH_LARGER: u64 = 4;

/// Whether a document of this URL can be in the index.
pub fn is_addable(url: &str) -> bool {
    !url.is_empty() && url.len() <= MAX_URL_BYTES
}

/// Adds documents to an index.
pub struct Writer {
    folder: PathBuf,
    fields: Fields,
    writer: IndexWriter,
    uncommitted: u64,
}

impl Writer {
    /// Opens the index in `folder` to add to it; makes folder and index if there are none. Needs
    /// about 64 MB of memory a thread, for up to four threads.
    ///
    /// # Errors
    /// When the folder holds something else, another writer is at work, or the disk says no.
    pub fn open(folder: &Path) -> Result<Writer, IndexError> {
        let (_, fields) = schema();
        let index = match open_folder(folder) {
            Err(IndexError::Missing(_)) => create(folder)?,
            other => other?,
        };
        index
            .tokenizers()
            .register(TOKENIZER, TermTokenizer::default());
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS));
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(MEMORY_BYTES)
            .num_worker_threads(threads)
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index.writer_with_options(options).map_err(|e| match e {
            TantivyError::LockFailure(LockError::LockBusy, _) => IndexError::Busy(folder.into()),
            e => failed(folder, &e),
        })?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(Writer {
            folder: folder.into(),
            fields,
            writer,
            uncommitted: 0,
        })
    }

    /// Adds a document, in the place of one with the same URL. `url` must be [`is_addable`].
    ///
    /// # Errors
    /// When the index can't be written.
    pub fn add(&mut self, url: &str, document: &Document) -> Result<(), IndexError> {
        let fields = self.fields;
        let mut stored = TantivyDocument::default();
        stored.add_text(fields.url, url);
        stored.add_text(fields.id, &document.id);
        if let Some(title) = &document.title {
            stored.add_text(fields.title, title);
        }
        stored.add_text(fields.text, &document.text);
        self.writer
            .delete_term(Term::from_field_text(fields.url, url));
        self.writer
            .add_document(stored)
            .map_err(|e| failed(&self.folder, &e))?;
        self.uncommitted += 1;
        if self.uncommitted < COMMIT_DOCUMENTS {
            return Ok(());
        }
        self.commit().map_err(|e| failed(&self.folder, &e))
    }

    /// Makes what was added durable and visible, and merges what is worth it.
    fn commit(&mut self) -> tantivy::Result<()> {
        self.writer.commit()?;
        let segments = self.writer.index().searchable_segment_metas()?;
        let size = |segment: &SegmentMeta| Size {
            id: segment.id(),
            documents: segment.num_docs().into(),
            deleted: segment.num_deleted_docs().into(),
        };
        let merged = choose(segments.iter().map(size).collect());
        if !merged.is_empty() {
            self.writer.merge(&merged).wait()?;
        }
        self.uncommitted = 0;
        Ok(())
    }

    /// Commits and closes.
    ///
    /// # Errors
    /// When the index can't be written.
    pub fn finish(mut self) -> Result<(), IndexError> {
        let committed = self
            .commit()
            .and_then(|()| self.writer.wait_merging_threads());
        committed.map_err(|e| failed(&self.folder, &e))
    }
}

/// A segment, by what it holds.
#[derive(Debug, Clone, Copy)]
struct Size {
    id: SegmentId,
    documents: u64,
    deleted: u64,
}

/// The segments to merge into one: those with replaced documents, and of the others all but the
/// large ones that are much larger than everything smaller together.
fn choose(mut segments: Vec<Size>) -> Vec<SegmentId> {
    segments.sort_unstable_by_key(|segment| std::cmp::Reverse(segment.documents));
    let mut smaller: u64 = segments.iter().map(|segment| segment.documents).sum();
    let is_kept = |segment: &&Size| {
        smaller -= segment.documents;
        segment.documents >= MUCH_LARGER * smaller
    };
    let kept = segments.iter().take_while(is_kept).count();
    let stale = segments[..kept]
        .iter()
        .filter(|segment| segment.deleted > 0);
    segments[kept..]
        .iter()
        .chain(stale)
        .map(|segment| segment.id)
        .collect()
}

/// Makes an empty index.
fn create(folder: &Path) -> Result<tantivy::Index, IndexError> {
    let io_failed = |e: std::io::Error| IndexError::Failed(folder.into(), e.to_string());
    fs::create_dir_all(folder).map_err(io_failed)?;
    if !is_empty(folder) {
        return Err(IndexError::Foreign(folder.into()));
    }
    tantivy::Index::create_in_dir(folder, schema().0).map_err(|e| failed(folder, &e))
}

#[cfg(test)]
mod tests {
    use super::{Size, choose};
    use tantivy::index::SegmentId;

    /// Sizes of the segments that are merged, of segments given as (documents, deleted).
    fn merged(segments: &[(u64, u64)]) -> Vec<u64> {
        let id = |at: usize| SegmentId::from_uuid_string(&format!("{at:032x}")).unwrap();
        let sizes = segments
            .iter()
            .enumerate()
            .map(|(at, &(documents, deleted))| Size {
                id: id(at),
                documents,
                deleted,
            });
        let chosen = choose(sizes.collect());
        let mut merged: Vec<u64> = (0..segments.len())
            .filter(|&at| chosen.contains(&id(at)))
            .map(|at| segments[at].0)
            .collect();
        merged.sort_unstable();
        merged
    }

    #[test]
    fn a_lone_segment_is_left() {
        assert_eq!(merged(&[]), [0; 0]);
        assert_eq!(merged(&[(7, 0)]), [0; 0]);
    }

    #[test]
    fn segments_of_a_size_become_one_and_a_much_larger_one_is_left() {
        assert_eq!(merged(&[(10, 0), (12, 0)]), [10, 12]);
        assert_eq!(merged(&[(1000, 0), (10, 0), (12, 0)]), [10, 12]);
        assert_eq!(merged(&[(1000, 0), (100, 0), (20, 0)]), [0; 0]);
        assert_eq!(merged(&[(400, 0), (100, 0), (20, 0)]), [20, 100, 400]);
    }

    #[test]
    fn a_segment_with_replaced_documents_is_written_anew() {
        assert_eq!(merged(&[(1000, 1), (10, 0)]), [1000]);
        assert_eq!(merged(&[(0, 3)]), [0]);
    }
}
