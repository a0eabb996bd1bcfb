//! Adding the documents of other indexes to an index.
//!
//! The documents of the others become part of the index with one commit, so that a merge that is
//! killed or fails leaves the index as it was.

use super::EmbeddedIndexError;
use super::commit::commit_segments;
use super::failure::{IndexResult, index_error};
use super::folder::{LockedFolder, open_segments, read_current_manifest};
use super::segment::{Segment, count_documents};
use std::path::Path;

/// An index whose documents are added to another one, as of the time when it was opened.
#[derive(Debug)]
pub struct MergedIndex {
    segments: Vec<Segment>,
}

impl MergedIndex {
    /// Opens the index in `folder`, which is not changed. Reads all of it, to find damage.
    ///
    /// # Errors
    /// Fails if the folder holds no index of Forage, or one with terms of another segmentation
    /// version, or a damaged one.
    pub fn open(folder: &Path) -> Result<MergedIndex, EmbeddedIndexError> {
        let open = || -> IndexResult<MergedIndex> {
            let segments = open_segments(folder, read_current_manifest)?;
            for segment in &segments {
                forage_state::check_file(&folder.join(&segment.name))?;
            }
            Ok(MergedIndex { segments })
        };
        open().map_err(index_error(folder, "read"))
    }

    /// Returns the number of documents.
    pub fn count_documents(&self) -> u64 {
        count_documents(&self.segments)
    }
}

/// Adds the documents of other indexes, in their order, to the index in `folder`, which is created
/// if it does not exist. Each document replaces the one with the same URL. Returns the number of
/// documents in the index before and after. Keeps 4 bytes per document in memory.
///
/// # Errors
/// Fails if an index cannot be read or written. The index then has none of the documents, or all.
pub fn merge_indexes(
    folder: &Path,
    others: Vec<MergedIndex>,
) -> Result<(u64, u64), EmbeddedIndexError> {
    let mut index = LockedFolder::open(folder)?;
    let before = count_documents(&index.segments);
    let added: Vec<Segment> = others
        .into_iter()
        .flat_map(|other| other.segments)
        .collect();
    commit_segments(&mut index, &added).map_err(index_error(folder, "written"))?;
    Ok((before, count_documents(&index.segments)))
}
