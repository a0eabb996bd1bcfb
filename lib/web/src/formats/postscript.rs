//! The text of a PostScript document, by the program `ps2ascii` of Ghostscript.

use super::lines;
use crate::FetchError;
use crate::apart::{self, Unread};
use std::ffi::OsStr;

/// The text of a PostScript document. Ghostscript keeps documents from files and programs (`-dSAFER`).
///
/// # Errors
/// When the program is not installed, or fails on it.
pub(crate) fn postscript(body: &[u8]) -> Result<String, FetchError> {
    match apart::run(&[OsStr::new("ps2ascii")], body, super::MOST_UNPACKED) {
        Ok(text) => Ok(lines::mended(&lines::reflowed(&String::from_utf8_lossy(&text)))),
        Err(Unread::NotFound) => Err(FetchError::UnsupportedType("application/postscript without ps2ascii".into())),
        Err(Unread::Io(e)) => Err(FetchError::Internal(format!("ps2ascii: {e}"))),
        Err(Unread::TooLarge(most)) => Err(FetchError::TooLarge(most)),
        Err(Unread::Late) => Err(FetchError::BadBody(format!("ps2ascii: {}", Unread::Late))),
        Err(Unread::Failed(_)) => Err(FetchError::BadBody("ps2ascii can't read it".into())),
    }
}
