//! Files that are replaced as a whole, so that a kill leaves the old or the new one.

use anyhow::{Context, Result};
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

/// The end of the name of a file that will take the place of another.
pub const NEW: &str = ".forage-take-down";

/// Writes a file durably, in place of the one that there may be.
///
/// # Errors
/// Fails if it cannot be written. The message names the file.
pub fn write(path: &Path, content: &str) -> Result<()> {
    replace(path, |to| {
        to.write_all(content.as_bytes())?;
        Ok(true)
    })
}

/// Replaces a file by what `copy` writes of it, unless it returns that this is the same.
///
/// # Errors
/// Fails if `copy` does, or a file cannot be written. The message names the file.
pub fn rewrite(
    path: &Path,
    copy: impl FnOnce(BufReader<File>, &mut BufWriter<File>) -> Result<bool>,
) -> Result<()> {
    replace(path, |to| {
        let old = File::open(path)?;
        to.get_ref()
            .set_permissions(old.metadata()?.permissions())?;
        copy(BufReader::new(old), to)
    })
}

fn replace(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<bool>) -> Result<()> {
    let new = path.with_added_extension(&NEW[1..]);
    let replace = || -> Result<()> {
        let mut to = BufWriter::new(File::create(&new)?);
        if !fill(&mut to)? {
            return Ok(fs::remove_file(&new)?);
        }
        to.flush()?;
        to.get_ref().sync_all()?;
        fs::rename(&new, path)?;
        // The name, too.
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        Ok(File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?)
    };
    replace().with_context(|| path.display().to_string())
}
