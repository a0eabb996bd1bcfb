//! Removing documents from an index.
//!
//! The segments that have them are written again without them, and take the place of the old ones
//! with one commit, so that no file of the index has a removed text.

use super::EmbeddedIndexError;
use super::combine::combine_segments;
use super::failure::{IndexResult, index_error};
use super::folder::LockedFolder;
use super::segment::{Segment, count_documents};
use std::path::Path;

/// Removes the documents whose URL and id satisfy a condition from the index in `folder`. Returns
/// their number.
///
/// # Errors
/// Fails if the folder holds no index that can be written. The index then has all of the documents.
pub fn remove_documents(
    folder: &Path,
    is_removed: &dyn Fn(&str, &str) -> bool,
) -> Result<u64, EmbeddedIndexError> {
    // Opening it to write would create one.
    super::folder::read_current_manifest(folder)?;
    let mut index = LockedFolder::open(folder)?;
    remove_from(&mut index, is_removed).map_err(index_error(folder, "written"))
}

fn remove_from(
    index: &mut LockedFolder,
    is_removed: &dyn Fn(&str, &str) -> bool,
) -> IndexResult<u64> {
    let before = count_documents(&index.segments);
    let name = index.new_segment_name();
    let (mut changed, mut names) = (Vec::new(), Vec::new());
    for segment in &index.segments {
        match has_removed(segment, is_removed)? {
            true => changed.push(segment),
            false => names.push(segment.name.clone()),
        }
    }
    if !changed.is_empty() {
        combine_segments(&changed, &index.path, &name, is_removed)?;
        names.push(name);
        index.replace_segments(names)?;
    }
    Ok(before - count_documents(&index.segments))
}

fn has_removed(segment: &Segment, is_removed: &dyn Fn(&str, &str) -> bool) -> IndexResult<bool> {
    let mut documents = segment.db.prepare("SELECT url, id FROM document")?;
    let mut documents = documents.query([])?;
    while let Some(row) = documents.next()? {
        if is_removed(row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?) {
            return Ok(true);
        }
    }
    Ok(false)
}
