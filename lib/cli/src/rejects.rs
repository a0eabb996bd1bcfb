//! Where lines that are left out are kept.

use crate::args::Input;
use anyhow::Context;
use std::fs::File;
use std::io::Write;

/// Where `--rejects` keeps lines that are left out.
#[derive(Debug, Default)]
pub(crate) struct Rejects(Option<(String, File)>);

impl Rejects {
    pub(crate) fn open(input: &Input) -> anyhow::Result<Self> {
        let Some(path) = &input.rejects else {
            return Ok(Rejects(None));
        };
        let name = path.display().to_string();
        let file = File::create(path).with_context(|| name.clone())?;
        Ok(Rejects(Some((name, file))))
    }

    /// The same file for another thread; what the two put goes one after the other.
    pub(crate) fn share(&self) -> anyhow::Result<Self> {
        let Some((name, file)) = &self.0 else {
            return Ok(Rejects(None));
        };
        Ok(Rejects(Some((
            name.clone(),
            file.try_clone().with_context(|| name.clone())?,
        ))))
    }

    /// Whether lines are to be kept.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Keeps a line that is held whole.
    pub(crate) fn keep(&mut self, line: Option<&[u8]>) -> anyhow::Result<()> {
        line.map_or(Ok(()), |line| self.put(&[line, b"\n"].concat()))
    }

    /// Puts a piece of a line.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let Some((name, file)) = &mut self.0 else {
            return Ok(());
        };
        file.write_all(bytes).with_context(|| name.clone())
    }
}
