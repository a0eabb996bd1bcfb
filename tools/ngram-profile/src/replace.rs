//! Writes a file whole or not at all.

use anyhow::Context;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Replaces the file at `path`: a temporary one in the same folder is written, synced and renamed.
pub(crate) fn file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    write(path, bytes).with_context(|| path.display().to_string())
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Without a folder the error would name the temporary file.
    std::fs::metadata(folder)?;
    // The user's umask is taken off these.
    let permissions = Permissions::from_mode(0o666);
    let mut file = tempfile::Builder::new().permissions(permissions).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
