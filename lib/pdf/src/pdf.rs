//! Text extraction from PDF by the crate `pdf-extract`: page by page, so that a page on which the
//! crate fails costs only that page.
//!
//! Before that, the document is repaired where the crate would fail on it or skip text: `pages`,
//! `streams`, `fonts`, `cid_fonts`, `glyph_names` and `glyph_widths`, `text_operators`, and `form_recursion`. After that,
//! text in right-to-left scripts is put in reading order. BENCHMARKS.md, "PDF", compares the result
//! with that of the crate alone.

mod cid_fonts;
mod fonts;
mod form_recursion;
mod glyph_names;
mod glyph_widths;
mod page_output;
mod pages;
mod right_to_left;
mod streams;
mod text_operators;
mod to_unicode;

use crate::lines;
use crate::sandbox::{self, SandboxError};
use crate::{MAX_TEXT_BYTES, TypesetError};
use cid_fonts::CidFonts;
use page_output::{LimitedText, output_page};
use pages::SinglePageTree;
use pdf_extract::{Document, PlainTextOutput};
use right_to_left::PageGlyphs;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// Returns the text of a PDF, extracted by a program with its arguments, in a sandbox. The program
/// gets the PDF on its standard input, and writes what [`extract_pdf_text`] returns or fails.
///
/// # Errors
/// Fails if the document is damaged, encrypted or too large, or the program cannot be run.
pub fn extract_pdf_text_with(program: &[OsString], body: &[u8]) -> Result<String, TypesetError> {
    let program: Vec<&OsStr> = program.iter().map(OsString::as_os_str).collect();
    match sandbox::run_sandboxed(&program, body, MAX_TEXT_BYTES) {
        Ok(text) => Ok(String::from_utf8_lossy(&text).into_owned()),
        Err(SandboxError::TooLarge(limit)) => Err(TypesetError::TooLarge(limit)),
        Err(SandboxError::Io(e)) => Err(TypesetError::from_start_error("PDF reader", &e)),
        Err(e @ SandboxError::NotFound) => Err(TypesetError::Internal(format!("PDF reader: {e}"))),
        Err(e) => Err(unreadable(&e)),
    }
}

/// Returns the error of a PDF that cannot be read. The cause may come from the subprocess with the
/// same prefix.
fn unreadable(cause: &dyn fmt::Display) -> TypesetError {
    const PREFIX: &str = "the PDF cannot be read: ";
    let cause = cause.to_string();
    let cause = cause.strip_prefix(PREFIX).unwrap_or(&cause);
    TypesetError::Unreadable(format!("{PREFIX}{cause}"))
}

/// Returns the text of a PDF, extracted on this thread: its lines, with blank lines between
/// paragraphs. Only line feeds if the PDF has pages but no text.
///
/// A hostile document may overflow the stack, exhaust the memory, or make the library panic outside
/// of a page: the caller must bound that.
///
/// # Errors
/// Fails if the document is damaged, encrypted or too large, or the library fails on all of its
/// pages.
pub fn extract_pdf_text(body: &[u8]) -> Result<String, TypesetError> {
    let mut document = pages::load_document(body).map_err(|e| unreadable(&e))?;
    if document.is_encrypted() {
        document
            .decrypt("")
            .map_err(|_| unreadable(&"it is encrypted with a password"))?;
    } else {
        streams::find_lost_data(&mut document, body);
    }
    streams::decode_streams(&mut document);
    pages::reserve_object_numbers(&mut document);
    fonts::repair_fonts(&mut document);
    let font_ids = fonts::list_fonts(&document);
    let cid_fonts = CidFonts::find(&mut document, &font_ids);
    text_operators::repair_forms(&mut document);
    let page_ids = pages::list_pages(&document);
    if page_ids.is_empty() {
        return Err(unreadable(&"it has no pages"));
    }
    for page in &page_ids {
        form_recursion::cut_recursive_forms(&mut document, *page);
    }
    let mut tree = SinglePageTree::install(&mut document);
    let mut text = String::new();
    let mut failure = None;
    let mut are_fonts_tested = false;
    for page in page_ids {
        tree.set_page(&mut document, page);
        cid_fonts.set_page(&mut document, page);
        if streams::is_content_lost(&document, page) {
            failure = failure.or(Some("the content of a page cannot be decoded".into()));
        }
        text_operators::repair_page(&mut document, page);
        let (mut page_text, mut result) = extract_current_page(&document);
        if result.is_err() && fonts::add_missing_fonts(&mut document, page) {
            (page_text, result) = extract_current_page(&document);
        }
        // All fonts of the document are tested once, on the first page that needs it.
        if result.is_err()
            && !std::mem::replace(&mut are_fonts_tested, true)
            && fonts::replace_unreadable_fonts(&mut document, page)
        {
            (page_text, result) = extract_current_page(&document);
        }
        // Includes the text before a failure.
        text.push_str(&page_text);
        text.push_str("\n\n");
        if text.len() as u64 > MAX_TEXT_BYTES {
            return Err(TypesetError::TooLarge(MAX_TEXT_BYTES));
        }
        failure = failure.or(result.err());
    }
    match failure {
        Some(e) if text.trim().is_empty() => Err(unreadable(&e)),
        _ => Ok(lines::rejoin_words(&text)),
    }
}

/// Returns the text of the page in the page tree, up to a failure, and the failure if there is one.
fn extract_current_page(document: &Document) -> (String, Result<(), String>) {
    let mut page = LimitedText(String::new());
    let result = output_page(document, &mut PlainTextOutput::new(&mut page));
    if !right_to_left::has_right_to_left(&page.0) {
        return (page.0, result);
    }
    let mut glyphs = PageGlyphs::default();
    let result = output_page(document, &mut glyphs);
    (glyphs.text(), result)
}
