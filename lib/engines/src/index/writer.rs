//! Adding documents to the embedded index.
//!
//! Tantivy's indexing threads process the documents, which become visible with a commit. A killed
//! writer leaves the index as of its last commit. Segments are merged here after each commit, and
//! not by Tantivy's merge policy. That leaves few segments, as opening the index costs time per
//! segment, and none with a replaced document.

use super::EmbeddedIndexError;
use super::failure::{apply_umask, denied_error, index_error};
use super::reader::{is_empty_folder, open_folder};
use super::schema::{SchemaFields, build_schema, fields_of, tokenizer_name};
use super::tokenizer::TermTokenizer;
use crate::EngineDocument;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use tantivy::directory::error::LockError;
use tantivy::index::SegmentId;
use tantivy::indexer::IndexWriterOptions;
use tantivy::merge_policy::NoMergePolicy;
use tantivy::{IndexWriter, SegmentMeta, TantivyDocument, TantivyError, Term};

/// Number of documents after which the writer commits, even if more follow.
const DOCUMENTS_PER_COMMIT: u64 = 50_000;

/// Memory in bytes in which an indexing thread collects postings before it writes a segment.
const MEMORY_PER_THREAD: usize = 64 << 20;

/// Maximum number of indexing threads. With more, reading the records is the bottleneck.
const MAX_THREADS: usize = 4;

/// Longest URL in bytes that can be a key. Tantivy drops terms of more than 65,530 bytes
/// (`MAX_TOKEN_LEN`) with no more than a log message.
const MAX_URL_BYTES: usize = 60_000;

/// A segment is not merged if it has at least this many times the documents of all smaller segments
/// together. Adding few documents to many stays cheap, and the number of segments grows with the
/// logarithm of the number of documents.
const MERGE_SIZE_RATIO: u64 = 4;

/// Returns `true` if a document with this URL can be added to the index.
pub fn is_indexable_url(url: &str) -> bool {
    !url.is_empty() && url.len() <= MAX_URL_BYTES
}

/// Adds documents to an index.
pub struct EmbeddedIndexWriter {
    folder: PathBuf,
    fields: SchemaFields,
    pub(super) writer: IndexWriter,
    uncommitted: u64,
}

impl EmbeddedIndexWriter {
    /// Opens the index in `folder` for writing, and creates folder and index if they do not exist.
    /// Needs about 64 MB of memory per thread, for up to four threads.
    ///
    /// # Errors
    /// Fails if the folder holds something else or an index with terms of another segmentation
    /// version, another writer has the index open, or the disk cannot be written.
    pub fn open(folder: &Path) -> Result<EmbeddedIndexWriter, EmbeddedIndexError> {
        let index = open_or_create(folder)?;
        let fields = fields_of(&index.schema());
        index
            .tokenizers()
            .register(&tokenizer_name(), TermTokenizer::default());
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(MAX_THREADS));
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(MEMORY_PER_THREAD)
            .num_worker_threads(threads)
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = index.writer_with_options(options).map_err(|e| match e {
            TantivyError::LockFailure(LockError::LockBusy, _) => {
                EmbeddedIndexError::Busy(folder.into())
            }
            e => index_error(folder, &e),
        })?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        Ok(EmbeddedIndexWriter {
            folder: folder.into(),
            fields,
            writer,
            uncommitted: 0,
        })
    }

    /// Returns `true` if the index has a field for links. An index that an earlier version of
    /// Forage created has none.
    pub fn has_links_field(&self) -> bool {
        self.fields.links.is_some()
    }

    /// Adds a document with the pages that it links to (`link_targets`), or
    /// replaces the one with the same URL. `url` must satisfy [`is_indexable_url`]. The links are
    /// ignored if the index has no field for them.
    ///
    /// # Errors
    /// Fails if the index cannot be written.
    pub fn add(
        &mut self,
        url: &str,
        document: &EngineDocument,
        links: &[String],
    ) -> Result<(), EmbeddedIndexError> {
        let fields = self.fields;
        let mut stored = TantivyDocument::default();
        stored.add_text(fields.url, url);
        stored.add_text(fields.id, &document.id);
        if let Some(title) = &document.title {
            stored.add_text(fields.title, title);
        }
        stored.add_text(fields.text, &document.text);
        if let Some(field) = fields.links {
            for link in links {
                stored.add_text(field, link);
            }
        }
        self.writer
            .delete_term(Term::from_field_text(fields.url, url));
        self.writer
            .add_document(stored)
            .map_err(|e| index_error(&self.folder, &e))?;
        self.uncommitted += 1;
        if self.uncommitted < DOCUMENTS_PER_COMMIT {
            return Ok(());
        }
        self.commit().map_err(|e| index_error(&self.folder, &e))
    }

    /// Makes the added documents durable and visible, and merges segments.
    fn commit(&mut self) -> tantivy::Result<()> {
        self.writer.commit()?;
        let to_merge = choose_segments_to_merge(self.segment_sizes()?);
        if !to_merge.is_empty() {
            self.writer.merge(&to_merge).wait()?;
        }
        self.uncommitted = 0;
        Ok(apply_umask(&self.folder)?)
    }

    /// Returns the sizes of the segments as of the last commit. Not the segments themselves: Tantivy
    /// keeps the files of a merged segment while there is a reference to it.
    fn segment_sizes(&self) -> tantivy::Result<Vec<SegmentSize>> {
        let size = |segment: SegmentMeta| SegmentSize {
            id: segment.id(),
            documents: segment.num_docs().into(),
            deleted: segment.num_deleted_docs().into(),
        };
        let segments = self.writer.index().searchable_segment_metas()?;
        Ok(segments.into_iter().map(size).collect())
    }

    /// Commits and closes the index. Returns the number of its documents.
    ///
    /// # Errors
    /// Fails if the index cannot be written.
    pub fn finish(mut self) -> Result<u64, EmbeddedIndexError> {
        let folder = self.folder.clone();
        let to_error = |cause: TantivyError| index_error(&folder, &cause);
        self.commit().map_err(to_error)?;
        let sizes = self.segment_sizes().map_err(to_error)?;
        self.writer.wait_merging_threads().map_err(to_error)?;
        apply_umask(&folder).map_err(|e| to_error(e.into()))?;
        Ok(sizes.iter().map(|segment| segment.documents).sum())
    }
}

/// Number of documents in a segment.
#[derive(Debug, Clone, Copy)]
struct SegmentSize {
    id: SegmentId,
    documents: u64,
    deleted: u64,
}

/// Returns the segments to merge into one: those with replaced documents, and the others except the
/// large ones that have [`MERGE_SIZE_RATIO`] times the documents of all smaller ones together.
fn choose_segments_to_merge(mut segments: Vec<SegmentSize>) -> Vec<SegmentId> {
    segments.sort_unstable_by_key(|segment| std::cmp::Reverse(segment.documents));
    let mut in_smaller: u64 = segments.iter().map(|segment| segment.documents).sum();
    let is_large = |segment: &&SegmentSize| {
        in_smaller -= segment.documents;
        segment.documents >= MERGE_SIZE_RATIO * in_smaller
    };
    let large = segments.iter().take_while(is_large).count();
    let large_with_deleted = segments[..large]
        .iter()
        .filter(|segment| segment.deleted > 0);
    segments[large..]
        .iter()
        .chain(large_with_deleted)
        .map(|segment| segment.id)
        .collect()
}

/// Opens the index in `folder`, or creates an empty one if there is none.
pub(super) fn open_or_create(folder: &Path) -> Result<tantivy::Index, EmbeddedIndexError> {
    match open_folder(folder) {
        Err(EmbeddedIndexError::Missing(_)) => create_index(folder),
        result => result,
    }
}

/// Creates an empty index.
fn create_index(folder: &Path) -> Result<tantivy::Index, EmbeddedIndexError> {
    let io_error = |e: io::Error| match e.kind() {
        ErrorKind::PermissionDenied => denied_error(folder, None, "written"),
        _ => EmbeddedIndexError::Failed(folder.into(), e.to_string()),
    };
    fs::create_dir_all(folder).map_err(io_error)?;
    if !is_empty_folder(folder) {
        return Err(EmbeddedIndexError::Foreign(folder.into()));
    }
    let index = tantivy::Index::create_in_dir(folder, build_schema().0)
        .map_err(|e| index_error(folder, &e))?;
    apply_umask(folder).map_err(io_error)?;
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::{SegmentSize, choose_segments_to_merge};
    use tantivy::index::SegmentId;

    /// Returns the sizes of the segments to merge. Segments are given as (documents, deleted).
    fn merged(segments: &[(u64, u64)]) -> Vec<u64> {
        let id = |index: usize| SegmentId::from_uuid_string(&format!("{index:032x}")).unwrap();
        let sizes = segments
            .iter()
            .enumerate()
            .map(|(index, &(documents, deleted))| SegmentSize {
                id: id(index),
                documents,
                deleted,
            });
        let chosen = choose_segments_to_merge(sizes.collect());
        let mut merged: Vec<u64> = (0..segments.len())
            .filter(|&index| chosen.contains(&id(index)))
            .map(|index| segments[index].0)
            .collect();
        merged.sort_unstable();
        merged
    }

    #[test]
    fn does_not_merge_a_single_segment() {
        assert_eq!(merged(&[]), [0; 0]);
        assert_eq!(merged(&[(7, 0)]), [0; 0]);
    }

    #[test]
    fn merges_segments_of_similar_size_but_not_a_much_larger_one() {
        assert_eq!(merged(&[(10, 0), (12, 0)]), [10, 12]);
        assert_eq!(merged(&[(1000, 0), (10, 0), (12, 0)]), [10, 12]);
        assert_eq!(merged(&[(1000, 0), (100, 0), (20, 0)]), [0; 0]);
        assert_eq!(merged(&[(400, 0), (100, 0), (20, 0)]), [20, 100, 400]);
    }

    #[test]
    fn rewrites_a_segment_with_replaced_documents() {
        assert_eq!(merged(&[(1000, 1), (10, 0)]), [1000]);
        assert_eq!(merged(&[(0, 3)]), [0]);
    }
}
