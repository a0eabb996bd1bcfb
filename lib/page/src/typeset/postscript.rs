//! Text extraction from PostScript by the program `ps2ascii` of Ghostscript.

use crate::typeset::lines;
use crate::typeset::sandbox::{self, SandboxError};
use crate::typeset::{MAX_TEXT_BYTES, TypesetError};
use std::ffi::OsStr;

/// Returns the text of a PostScript document. Ghostscript runs with `-dSAFER`, so that the document
/// has no access to files and programs.
///
/// # Errors
/// Fails if the program is not installed, or fails on the document.
pub fn extract_postscript_text(body: &[u8]) -> Result<String, TypesetError> {
    match sandbox::run_sandboxed(&[OsStr::new("ps2ascii")], body, MAX_TEXT_BYTES) {
        Ok(text) => {
            let text = lines::reflow(&String::from_utf8_lossy(&text));
            Ok(lines::rejoin_words(&text))
        }
        Err(SandboxError::NotFound) => Err(TypesetError::NoReader("ps2ascii")),
        Err(SandboxError::Io(e)) => Err(TypesetError::from_start_error("ps2ascii", &e)),
        Err(SandboxError::TooLarge(limit)) => Err(TypesetError::TooLarge(limit)),
        Err(SandboxError::TimedOut) => Err(TypesetError::Unreadable(format!(
            "ps2ascii: {}",
            SandboxError::TimedOut
        ))),
        Err(SandboxError::Failed(_)) => {
            Err(TypesetError::Unreadable("ps2ascii cannot read it".into()))
        }
    }
}
