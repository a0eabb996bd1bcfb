//! Adding the documents of other indexes to an index.
//!
//! The segments are copied as they are, so that a merge costs a fraction of indexing the documents
//! again, and `meta.json` is replaced at once: a merge that is killed or fails leaves the index as it
//! was. Tantivy's writer is not used for that, as its deletions, by which a document replaces
//! another, may also apply to segments that are added after them.

use super::EmbeddedIndexError;
use super::failure::index_error;
use super::reader::open_folder;
use super::writer::{EmbeddedIndexWriter, open_or_create};
use forage_text::document_key;
use std::collections::HashSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tantivy::directory::error::LockError;
use tantivy::directory::{INDEX_WRITER_LOCK, TerminatingWrite};
use tantivy::fastfield::write_alive_bitset;
use tantivy::index::SegmentComponent;
use tantivy::{BitSet, Directory, Segment, SegmentReader, TantivyError};

/// The files of each segment, except for the one of deleted documents.
const COMPONENTS: [SegmentComponent; 6] = [
    SegmentComponent::Postings,
    SegmentComponent::Positions,
    SegmentComponent::FastFields,
    SegmentComponent::FieldNorms,
    SegmentComponent::Terms,
    SegmentComponent::Store,
];

/// The file that lists the segments of an index.
const META_FILE: &str = "meta.json";

/// An index whose documents are added to another one, as of the time when it was opened.
#[derive(Debug)]
pub struct MergedIndex {
    folder: PathBuf,
    index: tantivy::Index,
    segments: Vec<Segment>,
}

impl MergedIndex {
    /// Opens the index in `folder`, which is not changed.
    ///
    /// # Errors
    /// Fails if the folder holds no index of Forage, or one with terms of another segmentation
    /// version, or a damaged one.
    pub fn open(folder: &Path) -> Result<MergedIndex, EmbeddedIndexError> {
        let index = open_folder(folder)?;
        let to_error = |cause: TantivyError| index_error(folder, &cause);
        let damaged = index.validate_checksum().map_err(to_error)?;
        if let Some(file) = damaged.iter().min() {
            let cause = format!("{} is damaged", file.display());
            return Err(EmbeddedIndexError::Failed(folder.into(), cause));
        }
        Ok(MergedIndex {
            segments: index.searchable_segments().map_err(to_error)?,
            index,
            folder: folder.into(),
        })
    }

    /// Returns the number of documents.
    pub fn count_documents(&self) -> u64 {
        let documents = |segment: &Segment| u64::from(segment.meta().num_docs());
        self.segments.iter().map(documents).sum()
    }
}

/// Adds the documents of other indexes, in their order, to the index in `folder`, which is created
/// if it does not exist. Each document replaces the one with the same URL. Returns the number of
/// documents in the index before and after. Keeps 16 bytes per URL in memory.
///
/// # Errors
/// Fails if another index has other fields, or an index cannot be read or written. The index then
/// has none of the documents, or all.
pub fn merge_indexes(
    folder: &Path,
    others: &[MergedIndex],
) -> Result<(u64, u64), EmbeddedIndexError> {
    let index = open_or_create(folder)?;
    if let Some(other) = others.iter().find(|o| o.index.schema() != index.schema()) {
        let (from, into) = (other.folder.clone(), folder.into());
        return Err(EmbeddedIndexError::OtherFields { from, into });
    }
    let before = add_segments(&index, others).map_err(|e| match e {
        TantivyError::LockFailure(LockError::LockBusy, _) => {
            EmbeddedIndexError::Busy(folder.into())
        }
        e => index_error(folder, &e),
    })?;
    // Merges segments, and removes those that are not needed.
    let after = EmbeddedIndexWriter::open(folder)?.finish()?;
    Ok((before, after))
}

/// Adds copies of the segments of the other indexes. Returns the number of documents before.
pub(super) fn add_segments(index: &tantivy::Index, others: &[MergedIndex]) -> tantivy::Result<u64> {
    let directory = index.directory();
    let _lock = directory
        .acquire_lock(&INDEX_WRITER_LOCK)
        .map_err(|e| TantivyError::LockFailure(e, None))?;
    let mut meta = index.load_metas()?;
    meta.opstamp += 1;
    let own = index.searchable_segments()?;
    let before = own
        .iter()
        .map(|segment| u64::from(segment.meta().num_docs()));
    let before = before.sum();
    let mut later_urls = HashSet::new();
    meta.segments.clear();
    // The last ones first, so that it is known which documents are replaced.
    for segment in others.iter().rev().flat_map(|other| &other.segments) {
        let remaining = remaining_documents(segment, &mut later_urls)?;
        let copy = index.new_segment().with_max_doc(segment.meta().max_doc());
        for component in COMPONENTS {
            let bytes = segment.open_read(component.clone())?.read_bytes()?;
            let mut file = copy.open_write(component)?;
            file.write_all(&bytes)?;
            file.terminate()?;
        }
        let copy = write_remaining(copy, &remaining, meta.opstamp)?;
        meta.segments.push(copy.meta().clone());
    }
    for segment in own {
        let remaining = remaining_documents(&segment, &mut later_urls)?;
        let segment = write_remaining(segment, &remaining, meta.opstamp)?;
        meta.segments.push(segment.meta().clone());
    }
    directory.sync_directory()?;
    directory.atomic_write(Path::new(META_FILE), &serde_json::to_vec(&meta)?)?;
    Ok(before)
}

/// Returns the documents of a segment that are not deleted and whose URLs are not among
/// `later_urls`, and adds their URLs to these.
fn remaining_documents(
    segment: &Segment,
    later_urls: &mut HashSet<[u8; 16]>,
) -> tantivy::Result<BitSet> {
    let reader = SegmentReader::open(segment)?;
    let Some(urls) = reader.fast_fields().str("url")? else {
        return Err(TantivyError::FieldNotFound("url".into()));
    };
    let mut remaining = BitSet::with_max_value(reader.max_doc());
    let mut url = String::new();
    for document in reader.doc_ids_alive() {
        if let Some(ordinal) = urls.term_ords(document).next() {
            urls.ord_to_str(ordinal, &mut url)?;
            if later_urls.insert(document_key(&url, "")) {
                remaining.insert(document);
            }
        }
    }
    Ok(remaining)
}

/// Writes which documents of a segment remain, if that has changed, and returns the segment with
/// them.
fn write_remaining(segment: Segment, remaining: &BitSet, opstamp: u64) -> tantivy::Result<Segment> {
    let meta = segment.meta();
    let deleted = meta.max_doc() - remaining.len() as u32;
    if deleted == meta.num_deleted_docs() {
        return Ok(segment);
    }
    let segment = segment.with_delete_meta(deleted, opstamp);
    // A merge that was killed may have left a file of this name.
    let path = segment.relative_path(SegmentComponent::Delete);
    let directory = segment.index().directory();
    if directory.exists(&path)? {
        directory
            .delete(&path)
            .map_err(|e| TantivyError::IoError(Arc::new(std::io::Error::other(e.to_string()))))?;
    }
    let mut file = segment.open_write(SegmentComponent::Delete)?;
    write_alive_bitset(remaining, &mut file)?;
    file.terminate()?;
    Ok(segment)
}
