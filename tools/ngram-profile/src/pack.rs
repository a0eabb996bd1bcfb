//! `--pack`: a model from the profiles of a folder.

use anyhow::Context;
use forage_cli::{Io, format_count};
use forage_langid::{Model, Profile};
use std::path::{Path, PathBuf};

/// Writes the model of all `*.profile` files in `folder` to `out`.
pub(crate) fn pack_folder(folder: &Path, out: &Path, force: bool, io: &Io) -> anyhow::Result<()> {
    let paths = list_files(folder, "profile").with_context(|| folder.display().to_string())?;
    anyhow::ensure!(
        !paths.is_empty(),
        "{}: has no *.profile files",
        folder.display()
    );
    let profiles = paths.iter().map(|path| read_profile(path));
    let profiles: Vec<Profile> = profiles.collect::<anyhow::Result<_>>()?;
    let bytes = Model::from_profiles(&profiles)?.to_bytes();
    forage_cli::replace_file(out, &bytes, force)?;
    io.messages.info(format_args!(
        "{}, {} bytes",
        format_count(profiles.len(), "profile"),
        bytes.len()
    ));
    Ok(())
}

/// Returns the files of a folder with an extension, sorted by name.
pub(crate) fn list_files(folder: &Path, extension: &str) -> anyhow::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = paths.collect::<anyhow::Result<Vec<PathBuf>>>()?;
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    Ok(paths)
}

pub(crate) fn read_profile(path: &Path) -> anyhow::Result<Profile> {
    let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
    Profile::from_text(&bytes).with_context(|| path.display().to_string())
}
