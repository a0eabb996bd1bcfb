//! Removing documents from an index.
//!
//! The segments that have them are written again without them, and take the place of the old ones
//! with one commit, so that no file of the index has a removed text.

use super::EmbeddedIndexError;
use super::combine::combine_segments;
use super::failure::{IndexResult, index_error};
use super::folder::LockedFolder;
use super::segment::Segment;
use std::path::Path;

/// Removes the documents whose URL and id satisfy a condition from the index in `folder`. Returns
/// their number.
///
/// # Errors
/// Fails if the folder holds no index that can be written. The index then has all of the documents.
pub fn remove_documents(
    folder: &Path,
    is_removed: impl Fn(&str, &str) -> bool,
) -> Result<u64, EmbeddedIndexError> {
    // Opening it to write would create one.
    super::folder::read_current_manifest(folder)?;
    let mut index = LockedFolder::open(folder)?;
    remove_from(&mut index, &is_removed).map_err(index_error(folder, "written"))
}

fn remove_from(
    index: &mut LockedFolder,
    is_removed: &impl Fn(&str, &str) -> bool,
) -> IndexResult<u64> {
    let (mut names, mut removed) = (Vec::new(), 0);
    for place in 0..index.segments.len() {
        let segment = &index.segments[place];
        let count = count_removed(segment, is_removed)?;
        removed += count as u64;
        if count == 0 {
            names.push(segment.name.clone());
        } else if count < segment.lengths.len() {
            let name = index.new_segment_name();
            combine_segments(&[&index.segments[place]], &index.path, &name, is_removed)?;
            names.push(name);
        }
    }
    if removed > 0 {
        index.replace_segments(names)?;
    }
    Ok(removed)
}

fn count_removed(segment: &Segment, is_removed: impl Fn(&str, &str) -> bool) -> IndexResult<usize> {
    let mut documents = segment.db.prepare("SELECT url, id FROM document")?;
    let mut documents = documents.query([])?;
    let mut count = 0;
    while let Some(row) = documents.next()? {
        count += usize::from(is_removed(
            row.get_ref(0)?.as_str()?,
            row.get_ref(1)?.as_str()?,
        ));
    }
    Ok(count)
}
