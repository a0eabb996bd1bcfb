//! PDF: the choice of its reader, and the bounds on that.

use crate::typeset::PdfText;
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

/// Returns the text of a PDF, and whether a part of it is missing.
///
/// # Errors
/// Fails if the PDF is damaged, encrypted or too large, has no text, or the library fails on all of
/// its pages.
pub(crate) fn extract_text(body: &[u8]) -> Result<PdfText, PageError> {
    let pdf = match PDF_READER.get() {
        Some(program) => crate::typeset::extract_pdf_text_with(program, body)?,
        None => read_here(body)?,
    };
    if pdf.text.trim().is_empty() {
        Err(PageError::NoTextInPdf)
    } else {
        Ok(pdf)
    }
}

/// Returns the text of a PDF, read in this process, as the reader of [`set_pdf_reader`] writes it.
///
/// # Errors
/// Fails if the PDF is damaged, encrypted or too large, or the library fails on all of its pages. A
/// PDF that makes the library overflow its stack ends the process.
pub fn read_pdf(body: &[u8]) -> Result<String, PageError> {
    Ok(read_here(body)?.to_output())
}

fn read_here(body: &[u8]) -> Result<PdfText, PageError> {
    let body = body.to_owned();
    let text = isolated::run_isolated(move || crate::typeset::extract_pdf_text(&body));
    Ok(text??)
}
