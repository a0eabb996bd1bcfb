//! The text of a PDF, by the crate `pdf-extract`: page by page, so that a page that the crate fails on costs that page.
//!
//! A PDF can be made to overflow the crate's stack, or to unpack without end. So a tool names a program that reads one
//! apart from it ([`read_apart`]), itself in another role; without one, as in tests, it is read here.
//!
//! What the crate fails on or passes over is mended in the document before: `pages`, `fonts`, `names` and `widths` of their
//! glyphs, and `shown` for operators. What is written from right to left is brought into its order after.

mod fonts;
mod maps;
mod names;
mod pages;
mod right_to_left;
mod shown;
mod widths;

use super::lines;
use crate::apart::{self, Unread};
use crate::{FetchError, watched};
use pages::Single;
use pdf_extract::{ConvertToFmt, Document, OutputDev, PlainTextOutput, output_doc_page};
use right_to_left::Signs;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

/// The program that reads PDFs, and its arguments.
static READER: OnceLock<Vec<OsString>> = OnceLock::new();

/// Names the program, with its arguments, that is given a PDF on its standard input, and answers with [`read_pdf`]'s
/// text or fails. The first one that is named counts.
pub fn read_apart(program: Vec<OsString>) {
    // There is one already.
    let _ = READER.set(program);
}

/// The text of a PDF.
///
/// # Errors
/// When it is damaged, encrypted or too large, has no text, or the library fails on all of its pages.
pub(crate) fn pdf(body: &[u8]) -> Result<String, FetchError> {
    let text = read_anywhere(body)?;
    if text.trim().is_empty() { Err(FetchError::NoTextInPdf) } else { Ok(text) }
}

fn read_anywhere(body: &[u8]) -> Result<String, FetchError> {
    let Some(program) = READER.get() else { return read_pdf(body) };
    let program: Vec<&OsStr> = program.iter().map(OsString::as_os_str).collect();
    match apart::run(&program, body, super::MOST_UNPACKED) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
        Err(Unread::TooLarge(most)) => Err(FetchError::TooLarge(most)),
        Err(e @ (Unread::NotFound | Unread::Io(_))) => Err(FetchError::Internal(format!("the reader of PDF: {e}"))),
        Err(e) => Err(unreadable(&e)),
    }
}

/// The text of a PDF, read in this process: a line for each of its lines, blank lines between paragraphs.
///
/// # Errors
/// As where it is read apart; but what makes the library overflow its stack ends the process.
pub fn read_pdf(body: &[u8]) -> Result<String, FetchError> {
    let body = body.to_owned();
    watched::run("pdf", move || text(&body)).map_err(FetchError::Internal)?
}

fn unreadable(cause: &dyn fmt::Display) -> FetchError {
    let cause = cause.to_string();
    let told = cause.strip_prefix("the PDF can't be read: ").unwrap_or(&cause);
    FetchError::BadBody(format!("the PDF can't be read: {told}"))
}

fn text(body: &[u8]) -> Result<String, FetchError> {
    let mut document = pages::load(body).map_err(|e| unreadable(&e))?;
    if document.is_encrypted() {
        document.decrypt("").map_err(|_| unreadable(&"it is encrypted with a password"))?;
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
        if read.is_err() && !std::mem::replace(&mut are_tried, true) && fonts::replace_unreadable(&mut document, id) {
            (page, read) = read_page(&document);
        }
        // What came before the library failed is text as well.
        text.push_str(&page);
        text.push_str("\n\n");
        if text.len() as u64 > super::MOST_UNPACKED {
            return Err(FetchError::TooLarge(super::MOST_UNPACKED));
        }
        failure = failure.or(read.err());
    }
    match failure {
        Some(e) if text.trim().is_empty() => Err(unreadable(&e)),
        _ => Ok(lines::mended(&text)),
    }
}

/// What the page that the tree holds says, as far as it can be read, and why no further.
fn read_page(document: &Document) -> (String, Result<(), String>) {
    let mut page = Limited(String::new());
    let read = shown_to(document, &mut PlainTextOutput::new(&mut page));
    if !right_to_left::is_in(&page.0) {
        return (page.0, read);
    }
    let mut signs = Signs::default();
    let read = shown_to(document, &mut signs);
    (signs.text(), read)
}

/// Gives what is shown on the page that the tree holds to `output`.
fn shown_to(document: &Document, output: &mut dyn OutputDev) -> Result<(), String> {
    let shown = catch_unwind(AssertUnwindSafe(|| output_doc_page(document, output, 1).map_err(|e| e.to_string())));
    shown.unwrap_or_else(|_| Err("a defect of its reader".into()))
}

/// A text that can't grow without end.
struct Limited(String);

impl fmt::Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if (self.0.len() + text.len()) as u64 > super::MOST_UNPACKED {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

impl ConvertToFmt for &mut Limited {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}
