//! The file to which `--rejects` saves skipped lines.

use crate::output_guard::check_unused;
use crate::pending_file::open_standard_stream;
use anyhow::Context;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The file of `--rejects`, with its name; `None` if the option was not given.
#[derive(Debug, Default)]
pub(crate) struct RejectsFile(Option<(String, File)>);

impl RejectsFile {
    pub(crate) fn create(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else {
            return Ok(RejectsFile(None));
        };
        let name = path.display().to_string();
        let file = if let Some(stream) = open_standard_stream(path) {
            stream
        } else {
            check_unused(path).map_err(|cause| anyhow::anyhow!("--rejects {name}: {cause}"))?;
            File::create(path)
        };
        let file = file.with_context(|| name.clone())?;
        Ok(RejectsFile(Some((name, file))))
    }

    /// Returns a second handle of the file, for another thread. Both write at the same offset.
    pub(crate) fn try_clone(&self) -> anyhow::Result<Self> {
        let Some((name, file)) = &self.0 else {
            return Ok(RejectsFile(None));
        };
        Ok(RejectsFile(Some((
            name.clone(),
            file.try_clone().with_context(|| name.clone())?,
        ))))
    }

    /// Returns `true` if skipped lines are saved.
    pub(crate) fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    /// Saves a line and a line feed; does nothing if `line` is `None`.
    pub(crate) fn write_line(&mut self, line: Option<&[u8]>) -> anyhow::Result<()> {
        line.map_or(Ok(()), |line| self.write_bytes(&[line, b"\n"].concat()))
    }

    /// Saves a part of a line.
    pub(crate) fn write_bytes(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let Some((name, file)) = &mut self.0 else {
            return Ok(());
        };
        file.write_all(bytes).with_context(|| name.clone())
    }
}
