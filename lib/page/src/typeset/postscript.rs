//! Conversion of PostScript to PDF by the program `ps2pdf` of Ghostscript. Its `ps2ascii` keeps
//! neither the encodings of fonts nor the order of columns.

use crate::typeset::sandbox::{self, SandboxError};
use crate::typeset::{MAX_TEXT_BYTES, TypesetError};
use std::ffi::OsStr;

/// Returns a PostScript document as PDF. Ghostscript runs with `-dSAFER`, so that the document has
/// no access to programs, nor to files but in the folder of its own that the subprocess has.
///
/// # Errors
/// Fails if the program is not installed, or fails on the document.
pub fn convert_postscript_to_pdf(body: &[u8]) -> Result<Vec<u8>, TypesetError> {
    let program = ["ps2pdf", "-dSAFER", "-", "-"].map(OsStr::new);
    sandbox::run_sandboxed(&program, body, MAX_TEXT_BYTES).map_err(|e| match e {
        SandboxError::NotFound => TypesetError::NoReader("ps2pdf"),
        SandboxError::Io(e) => TypesetError::from_start_error("ps2pdf", &e),
        SandboxError::TooLarge(limit) => TypesetError::TooLarge(limit),
        SandboxError::TimedOut => TypesetError::Unreadable(format!("ps2pdf: {e}")),
        SandboxError::Failed(_) => TypesetError::Unreadable("ps2pdf cannot read it".into()),
    })
}
