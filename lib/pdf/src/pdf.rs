//! The text of a PDF, by the crate `pdf-extract`: page by page, so that a page that the crate fails
//! on costs that page.
//!
//! What the crate fails on or passes over is mended in the document before: `pages`, `fonts`,
//! `names` and `widths` of their glyphs, and `shown` for operators. What is written from right to
//! left is brought into its order after.

mod fonts;
mod maps;
mod names;
mod output;
mod pages;
mod right_to_left;
mod shown;
mod widths;

use crate::lines;
use crate::sandbox::{self, SandboxError};
use crate::{MOST_TEXT_BYTES, TypesetError};
use output::{LimitedText, show_page};
use pages::Single;
use pdf_extract::{Document, PlainTextOutput};
use right_to_left::Signs;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// The text of a PDF, by a program with its arguments, which is given the PDF on its standard input
/// and answers with what [`extract_pdf_text`] returns, or fails. It runs in a sandbox.
///
/// # Errors
/// When the document is damaged, encrypted or too large, or the program can't be run.
pub fn extract_pdf_text_with(program: &[OsString], body: &[u8]) -> Result<String, TypesetError> {
    let program: Vec<&OsStr> = program.iter().map(OsString::as_os_str).collect();
    match sandbox::run(&program, body, MOST_TEXT_BYTES) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
        Err(SandboxError::TooLarge(most)) => Err(TypesetError::TooLarge(most)),
        Err(e @ (SandboxError::NotFound | SandboxError::Io(_))) => {
            Err(TypesetError::Internal(format!("the reader of PDF: {e}")))
        }
        Err(e) => Err(unreadable(&e)),
    }
}

fn unreadable(cause: &dyn fmt::Display) -> TypesetError {
    let cause = cause.to_string();
    let told = cause
        .strip_prefix("the PDF can't be read: ")
        .unwrap_or(&cause);
    TypesetError::Unreadable(format!("the PDF can't be read: {told}"))
}

/// The text of a PDF, read on this thread: a line for each of its lines, blank lines between
/// paragraphs. Empty where it has pages and no text.
///
/// A hostile document may overflow the stack, take all memory or make the library panic outside of
/// a page: it is for the caller to bound that.
///
/// # Errors
/// When it is damaged, encrypted or too large, or the library fails on all of its pages.
pub fn extract_pdf_text(body: &[u8]) -> Result<String, TypesetError> {
    let mut document = pages::load(body).map_err(|e| unreadable(&e))?;
    if document.is_encrypted() {
        document
            .decrypt("")
            .map_err(|_| unreadable(&"it is encrypted with a password"))?;
    }
    fonts::mend(&mut document);
    shown::in_forms(&mut document);
    let all = pages::all(&document);
    if all.is_empty() {
        return Err(unreadable(&"it has no pages"));
    }
    let mut tree = Single::plant(&mut document);
    let (mut text, mut failure, mut are_tried) = (String::new(), None, false);
    for id in all {
        tree.hold(&mut document, id);
        shown::on_page(&mut document, id);
        let (mut page, mut read) = read_page(&document);
        if read.is_err() && fonts::stand_in(&mut document, id) {
            (page, read) = read_page(&document);
        }
        // Fonts are tried for all pages at once.
        if read.is_err()
            && !std::mem::replace(&mut are_tried, true)
            && fonts::replace_unreadable(&mut document, id)
        {
            (page, read) = read_page(&document);
        }
        // What came before the library failed is text as well.
        text.push_str(&page);
        text.push_str("\n\n");
        if text.len() as u64 > MOST_TEXT_BYTES {
            return Err(TypesetError::TooLarge(MOST_TEXT_BYTES));
        }
        failure = failure.or(read.err());
    }
    match failure {
        Some(e) if text.trim().is_empty() => Err(unreadable(&e)),
        _ => Ok(lines::rejoin_words(&text)),
    }
}

/// What the page that the tree holds says, as far as it can be read, and why no further.
fn read_page(document: &Document) -> (String, Result<(), String>) {
    let mut page = LimitedText(String::new());
    let read = show_page(document, &mut PlainTextOutput::new(&mut page));
    if !right_to_left::is_in(&page.0) {
        return (page.0, read);
    }
    let mut signs = Signs::default();
    let read = show_page(document, &mut signs);
    (signs.text(), read)
}
