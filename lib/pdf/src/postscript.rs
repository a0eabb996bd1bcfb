//! The text of a PostScript document, by the program `ps2ascii` of Ghostscript.

use crate::lines;
use crate::sandbox::{self, SandboxError};
use crate::{MOST_TEXT_BYTES, TypesetError};
use std::ffi::OsStr;

/// The text of a PostScript document. Ghostscript keeps documents from files and programs
/// (`-dSAFER`).
///
/// # Errors
/// When the program is not installed, or fails on it.
pub fn extract_postscript_text(body: &[u8]) -> Result<String, TypesetError> {
    match sandbox::run(&[OsStr::new("ps2ascii")], body, MOST_TEXT_BYTES) {
        Ok(text) => Ok(lines::rejoin_words(&lines::reflow(
            &String::from_utf8_lossy(&text),
        ))),
        Err(SandboxError::NotFound) => Err(TypesetError::NoReader("ps2ascii")),
        Err(SandboxError::Io(e)) => Err(TypesetError::Internal(format!("ps2ascii: {e}"))),
        Err(SandboxError::TooLarge(most)) => Err(TypesetError::TooLarge(most)),
        Err(SandboxError::Late) => Err(TypesetError::Unreadable(format!(
            "ps2ascii: {}",
            SandboxError::Late
        ))),
        Err(SandboxError::Failed(_)) => {
            Err(TypesetError::Unreadable("ps2ascii can't read it".into()))
        }
    }
}
