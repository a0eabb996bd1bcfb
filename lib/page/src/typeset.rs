//! PDF: who reads it, and within which bounds.

use crate::{PageError, guarded};
use std::ffi::OsString;
use std::sync::OnceLock;

/// The program that reads PDFs, and its arguments.
static READER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Names the program, with its arguments, that is given each PDF on its standard input in a
/// sandbox, and answers with what [`read_pdf`] returns or fails. The first one that is named
/// counts; without one, PDFs are read in this process.
pub fn read_pdfs_by(program: Vec<OsString>) {
    // There is one already.
    let _ = READER.set(program);
}

/// The text of a PDF.
///
/// # Errors
/// When it is damaged, encrypted or too large, has no text, or the library fails on all of its
/// pages.
pub(crate) fn pdf(body: &[u8]) -> Result<String, PageError> {
    let text = match READER.get() {
        Some(program) => forage_pdf::pdf_text_by(program, body)?,
        None => read_pdf(body)?,
    };
    if text.trim().is_empty() {
        Err(PageError::NoTextInPdf)
    } else {
        Ok(text)
    }
}

/// The text of a PDF, read in this process: a line for each of its lines, blank lines between
/// paragraphs.
///
/// # Errors
/// When it is damaged, encrypted or too large, or the library fails on all of its pages; but what
/// makes the library overflow its stack ends the process.
pub fn read_pdf(body: &[u8]) -> Result<String, PageError> {
    let body = body.to_owned();
    Ok(guarded::run("pdf", move || forage_pdf::pdf_text(&body)).map_err(PageError::Internal)??)
}
