//! The folders of inputs: seeds, and inputs that once failed.

use crate::targets::Target;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the folder with the seeds of a target; it may be missing.
pub fn seed_folder(target: &Target) -> PathBuf {
    package_folder().join("seeds").join(target.name)
}

/// Returns the folder with the inputs that once failed; it may be missing.
pub fn regression_folder(target: &Target) -> PathBuf {
    package_folder().join("regressions").join(target.name)
}

fn package_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Reads the files of a folder, in the order of their names. A missing folder has none.
///
/// # Errors
/// Fails if the folder or a file cannot be read.
pub fn read_folder(folder: &Path) -> io::Result<Vec<Vec<u8>>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    paths.iter().map(fs::read).collect()
}

/// Returns all inputs of a target that are not random: seeds of the folder and of the target, and
/// those that once failed.
///
/// # Errors
/// Fails if a file cannot be read.
pub fn read_corpus(target: &Target) -> io::Result<Vec<Vec<u8>>> {
    let mut inputs = read_folder(&seed_folder(target))?;
    inputs.extend((target.seeds)());
    inputs.extend(read_folder(&regression_folder(target))?);
    Ok(inputs)
}

/// Saves an input that failed under a name made of its digest.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn save_failure(folder: &Path, kind: &str, input: &[u8]) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    let digest = blake3::hash(input).to_hex();
    let path = folder.join(format!("{kind}-{}", &digest[..12]));
    fs::write(&path, input)?;
    Ok(path)
}
