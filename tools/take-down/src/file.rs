//! Files that are replaced as a whole, so that a kill leaves the old or the new one.

use anyhow::Context;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The end of the name of a file that will take the place of another.
pub const NEW: &str = ".forage-take-down";

/// Replaces a file by what `copy` writes of it, unless that has changed nothing. Returns the number
/// of changes, which `copy` returns.
///
/// # Errors
/// Fails if `copy` does, or a file cannot be written. The message names the file.
pub fn rewrite(
    path: &Path,
    copy: impl FnOnce(BufReader<File>, &mut BufWriter<File>) -> anyhow::Result<u64>,
) -> anyhow::Result<u64> {
    let name = || path.display().to_string();
    let old = File::open(path).with_context(name)?;
    let permissions = old.metadata().with_context(name)?.permissions();
    let new = new_path(path);
    let mut to = BufWriter::new(File::create(&new).with_context(name)?);
    let changes = copy(BufReader::new(old), &mut to).with_context(name)?;
    if changes == 0 {
        fs::remove_file(&new).with_context(name)?;
        return Ok(0);
    }
    let replace = || {
        fs::set_permissions(&new, permissions)?;
        to.flush()?;
        to.get_ref().sync_all()?;
        fs::rename(&new, path)?;
        sync_folder(path)
    };
    replace().with_context(name)?;
    Ok(changes)
}

/// Writes a file durably, in place of the one that there may be.
///
/// # Errors
/// Fails if it cannot be written. The message names the file.
pub fn write(path: &Path, content: &str) -> anyhow::Result<()> {
    let new = new_path(path);
    let write = || {
        let mut file = File::create(&new)?;
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        sync_folder(path)
    };
    write().with_context(|| path.display().to_string())
}

/// Removes a file durably.
///
/// # Errors
/// Fails if it cannot be removed. The message names the file.
pub fn remove(path: &Path) -> anyhow::Result<()> {
    let remove = || {
        fs::remove_file(path)?;
        sync_folder(path)
    };
    remove().with_context(|| path.display().to_string())
}

/// Makes the names in the folder of a file durable.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn new_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(NEW);
    name.into()
}
