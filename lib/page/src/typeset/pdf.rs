//! Text extraction from PDF by the crate `pdf-extract`: page by page, so that a page on which the
//! crate fails costs only that page.
//!
//! Before that, the document is repaired where the crate would fail on it or skip text: `pages`,
//! `object_streams`, `streams` and `filters`, `fonts`, `cid_fonts`, `glyph_names` and `glyph_widths`,
//! `text_operators`, and `form_recursion`. All of them together do no more work than the size of the
//! file and a `budget` allow; what exceeds it is left out, and the text is partial. After that, text in right-to-left scripts is put in reading order. BENCHMARKS.md, "PDF", compares the result
//! with that of the crate alone.

mod budget;
mod cid_fonts;
mod filters;
mod fonts;
mod form_recursion;
mod glyph_names;
mod glyph_widths;
mod object_streams;
mod page_output;
mod pages;
mod right_to_left;
mod streams;
mod text_operators;
mod to_unicode;

use crate::typeset::lines;
use crate::typeset::sandbox::{self, SandboxError};
use crate::typeset::{MAX_TEXT_BYTES, TypesetError};
use budget::Budget;
use cid_fonts::CidFonts;
use page_output::{LimitedText, output_page};
use pages::SinglePageTree;
use pdf_extract::{Document, Object, PlainTextOutput};
use right_to_left::PageGlyphs;
use std::ffi::{OsStr, OsString};
use std::fmt;

/// Greatest size of what is decoded and rewritten of the objects, fonts and forms of a document, in
/// bytes. Set by judgement, as the next two.
const MAX_RESOURCE_BYTES: u64 = 128 << 20;
/// Greatest work on the pages of a document: bytes that are decoded or read, and those that show text,
/// each [`WORK_PER_BYTE`] times.
const MAX_PAGE_WORK: u64 = 512 << 20;
const WORK_PER_BYTE: usize = 4;

/// The text of a PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfText {
    /// Its lines, with blank lines between paragraphs. Only line feeds if the PDF has pages but no
    /// text.
    pub text: String,
    /// True if a part of the document cannot be read, or would take too much memory or time.
    pub is_partial: bool,
}

impl PdfText {
    /// Follows a text that is partial, in the output of a program.
    const PARTIAL_MARK: char = '\0';

    /// Returns the text as a program writes it for [`extract_pdf_text_with`].
    pub fn to_output(&self) -> String {
        let text = self.text.trim_end_matches(PdfText::PARTIAL_MARK);
        let mark = self.is_partial.then_some(PdfText::PARTIAL_MARK);
        text.chars().chain(mark).collect()
    }

    fn from_output(output: &str) -> PdfText {
        let text = output.trim_end_matches('\n');
        match text.strip_suffix(PdfText::PARTIAL_MARK) {
            Some(text) => PdfText {
                text: text.into(),
                is_partial: true,
            },
            None => PdfText {
                text: output.into(),
                is_partial: false,
            },
        }
    }
}

/// Returns the text of a PDF, extracted by a program with its arguments, in a sandbox. The program
/// gets the PDF on its standard input, and writes the [`PdfText::to_output`] of what
/// [`extract_pdf_text`] returns or fails.
///
/// # Errors
/// Fails if the document is damaged, encrypted or too large, or the program cannot be run.
pub fn extract_pdf_text_with(program: &[OsString], body: &[u8]) -> Result<PdfText, TypesetError> {
    let program: Vec<&OsStr> = program.iter().map(OsString::as_os_str).collect();
    match sandbox::run_sandboxed(&program, body, MAX_TEXT_BYTES) {
        Ok(text) => Ok(PdfText::from_output(&String::from_utf8_lossy(&text))),
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

/// Returns the text of a PDF, extracted on this thread.
///
/// A hostile document may overflow the stack, exhaust the memory, or make the library panic outside
/// of a page: the caller must bound that.
///
/// # Errors
/// Fails if the document is damaged, encrypted or too large, or the library fails on all of its
/// pages.
pub fn extract_pdf_text(body: &[u8]) -> Result<PdfText, TypesetError> {
    let mut resources = Budget::new(MAX_RESOURCE_BYTES);
    let mut work = Budget::new(MAX_PAGE_WORK);
    let mut document = pages::load_document(body, &mut resources).map_err(|e| unreadable(&e))?;
    if document.is_encrypted() {
        document
            .decrypt("")
            .map_err(|_| unreadable(&"it is encrypted with a password"))?;
    } else if !document.was_encrypted() {
        streams::find_lost_data(&mut document, body);
    }
    pages::reserve_object_numbers(&mut document);
    let page_ids = pages::list_pages(&document);
    if page_ids.is_empty() {
        return Err(unreadable(&"it has no pages"));
    }
    let contents = streams::list_page_contents(&document, &page_ids, &mut work);
    streams::decode_streams(&mut document, &contents, &mut resources);
    fonts::repair_fonts(&mut document, &mut resources);
    let font_ids = fonts::list_fonts(&document);
    let cid_fonts = CidFonts::find(&mut document, &font_ids);
    text_operators::repair_forms(&mut document, &mut work);
    let mut tree = SinglePageTree::install(&mut document);
    let content_id = document.add_object(Object::Null);
    let mut text = String::new();
    let mut failure = None;
    let mut are_fonts_tested = false;
    for page in page_ids {
        if work.is_spent() {
            break;
        }
        tree.set_page(&mut document, page);
        let content = streams::page_content(&document, page, &mut work);
        if content.is_lost {
            failure = failure.or(Some("the content of a page cannot be decoded".into()));
        }
        text_operators::set_page_content(
            &mut document,
            page,
            (content_id, &content.bytes),
            &mut work,
        );
        let size = form_recursion::cut_inclusions(&mut document, page, content_id, &mut work);
        if !work.spend(size.saturating_mul(WORK_PER_BYTE)) {
            break;
        }
        cid_fonts.set_page(&mut document, page);
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
    if resources.is_exceeded || work.is_exceeded {
        failure = failure.or(Some("it would take too much memory or time".into()));
    }
    match failure {
        Some(e) if text.trim().is_empty() => Err(unreadable(&e)),
        failure => Ok(PdfText {
            text: lines::rejoin_words(&text),
            is_partial: failure.is_some(),
        }),
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

#[cfg(test)]
mod hostile_tests;
