//! A folder that appears under its name, complete, at the end.

use anyhow::Context;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder that is being written beside its final place.
#[derive(Debug)]
pub struct NewFolder {
    /// The final path.
    pub path: PathBuf,
    /// The folder until then.
    pub temporary: TempDir,
}

impl NewFolder {
    /// Starts a folder that will appear at `path`. It may be there if it is empty; with `force`,
    /// also if it is an earlier export, as `is_export` finds, which is then replaced as a whole.
    ///
    /// # Errors
    /// Fails if it cannot be written, or must not be replaced.
    pub fn create(
        path: &Path,
        force: bool,
        is_export: impl Fn(&Path) -> bool,
    ) -> anyhow::Result<Self> {
        // Of a link, the folder to which it leads.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.components().collect());
        check_replaceable(&path, force, is_export)?;
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temporary = tempfile::Builder::new()
            .prefix(&format!(".{name}.forage-new"))
            // The umask of the user is applied to this mode.
            .permissions(fs::Permissions::from_mode(0o777))
            .tempdir_in(parent)
            .with_context(|| path.display().to_string())?;
        Ok(NewFolder { path, temporary })
    }

    /// Makes the folder appear at its path.
    ///
    /// # Errors
    /// Fails if it cannot be moved.
    pub fn commit(self) -> anyhow::Result<()> {
        let shown = self.path.display().to_string();
        let new = self.temporary.keep();
        let replaced = self
            .path
            .is_dir()
            .then(|| self.path.with_extension("forage-old"));
        if let Some(old) = &replaced {
            fs::rename(&self.path, old).with_context(|| shown.clone())?;
        }
        fs::rename(&new, &self.path).with_context(|| shown.clone())?;
        replaced.map_or(Ok(()), fs::remove_dir_all).context(shown)
    }
}

/// Checks that a folder is missing or empty, or with `force` an earlier export.
fn check_replaceable(
    path: &Path,
    force: bool,
    is_export: impl Fn(&Path) -> bool,
) -> anyhow::Result<()> {
    let shown = path.display();
    let mut entries = match fs::read_dir(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.with_context(|| shown.to_string())?,
    };
    if entries.next().is_none() {
        return Ok(());
    }
    anyhow::ensure!(
        is_export(path),
        "{shown}: is not empty, and no earlier export; name another folder"
    );
    anyhow::ensure!(
        force,
        "{shown}: is an earlier export, and is not replaced without --force"
    );
    Ok(())
}
