//! Commit: new segments become part of an index, and segments are merged.
//!
//! Merging leaves few segments, as opening the index and each query cost time per segment, and none
//! with a replaced document: two segments of an index never have the same URL.

use super::combine::combine_segments;
use super::failure::IndexResult;
use super::folder::LockedFolder;
use super::segment::{Segment, count_documents};
use std::cmp::Reverse;

/// A segment is not merged if it has at least this many times the documents of all smaller segments
/// together. Adding few documents to many stays cheap, and the number of segments grows with the
/// logarithm of the number of documents.
const MERGE_SIZE_RATIO: u64 = 4;

/// Adds the documents of segments, which may be in other folders, to an index. Each document
/// replaces those with the same URL in the segments before. If that fails or is interrupted, the
/// index is as before.
pub(super) fn commit_segments(folder: &mut LockedFolder, added: &[Segment]) -> IndexResult<()> {
    if added.is_empty() {
        return Ok(());
    }
    let name = folder.new_segment_name();
    folder
        .segments
        .sort_by_key(|segment| Reverse(segment.lengths.len()));
    let large = count_large_segments(&folder.segments, count_documents(added));
    let mut kept = Vec::new();
    let mut merged = Vec::new();
    for (place, segment) in folder.segments.iter().enumerate() {
        match place >= large || share_url(segment, added)? {
            true => merged.push(segment),
            false => kept.push(segment.name.clone()),
        }
    }
    merged.extend(added);
    combine_segments(&merged, &folder.path, &name, &|_, _| false)?;
    kept.push(name);
    folder.replace_segments(kept)
}

/// Returns how many segments, which are sorted, are so large that they are not merged with `added`
/// documents.
fn count_large_segments(segments: &[Segment], added: u64) -> usize {
    let mut in_smaller = count_documents(segments) + added;
    let is_large = |segment: &&Segment| {
        let documents = segment.lengths.len() as u64;
        in_smaller -= documents;
        documents >= MERGE_SIZE_RATIO * in_smaller
    };
    segments.iter().take_while(is_large).count()
}

/// Returns `true` if a URL is in a segment and in one of others.
fn share_url(segment: &Segment, others: &[Segment]) -> IndexResult<bool> {
    for other in others {
        let mut urls = other.db.prepare("SELECT url FROM document ORDER BY url")?;
        let mut urls = urls.query([])?;
        while let Some(row) = urls.next()? {
            if segment.has_url(row.get_ref(0)?.as_str()?)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
