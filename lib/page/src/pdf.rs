//! PDF: the choice of its reader, and the bounds on that.

use crate::{PageError, isolated};
use std::ffi::OsString;
use std::sync::OnceLock;

/// The program that reads PDFs, and its arguments.
static PDF_READER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Sets the program, with its arguments, that reads PDFs in a sandbox.
///
/// It gets a PDF on its standard input, and writes what [`read_pdf`] returns or fails. Only the
/// first call has an effect. Without a program, PDFs are read in this process.
pub fn set_pdf_reader(program: Vec<OsString>) {
    // Fails if there is a reader already, which then stays.
    let _ = PDF_READER.set(program);
}

/// Returns the text of a PDF.
///
/// # Errors
/// Fails if the PDF is damaged, encrypted or too large, has no text, or the library fails on all of
/// its pages.
pub(crate) fn extract_text(body: &[u8]) -> Result<String, PageError> {
    let text = match PDF_READER.get() {
        Some(program) => forage_pdf::extract_pdf_text_with(program, body)?,
        None => read_pdf(body)?,
    };
    if text.trim().is_empty() {
        Err(PageError::NoTextInPdf)
    } else {
        Ok(text)
    }
}

/// Returns the text of a PDF, read in this process: its lines, with blank lines between paragraphs.
///
/// # Errors
/// Fails if the PDF is damaged, encrypted or too large, or the library fails on all of its pages. A
/// PDF that makes the library overflow its stack ends the process.
pub fn read_pdf(body: &[u8]) -> Result<String, PageError> {
    let body = body.to_owned();
    let text = isolated::run_isolated("pdf", move || forage_pdf::extract_pdf_text(&body));
    Ok(text??)
}
