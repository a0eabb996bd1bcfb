//! Text extraction from PDF.
//!
//! The crates `hayro-syntax` and `hayro-font` read the objects, the operators and the fonts.
//! `interpreter` executes the operators of a page, which place its glyphs, and `layout` makes lines
//! and columns of their places. All of them together do no more work than the size of the file and
//! a `budget` allow; what exceeds it is left out, and the text is partial. So is a text with glyphs
//! whose letters are unknown. BENCHMARKS.md, "PDF", compares the result with that of other readers.

mod accents;
mod budget;
mod columns;
mod filters;
mod fonts;
mod frame;
mod glyph;
mod interpreter;
mod layers;
mod layout;
mod legacy_codes;
mod marked_content;
mod own_codes;
mod repair;
mod right_to_left;
mod spacing;
mod to_unicode;

use crate::typeset::lines;
use crate::typeset::sandbox::{self, SandboxError};
use crate::typeset::{MAX_TEXT_BYTES, TypesetError};
use crate::xml::tdm_reservation;
use budget::Budget;
use fonts::Fonts;
use forage_content::media::decode;
use hayro_syntax::object::{Dict, Stream};
use hayro_syntax::{LoadPdfError, Pdf};
use interpreter::PageReader;
use layers::Layers;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Greatest size of what is decoded and expanded of the fonts of a document, in bytes. Set by
/// judgement, as the next ones.
const MAX_RESOURCE_BYTES: u64 = 128 << 20;
/// Greatest work on the pages of a document: bytes that are decoded, operators, and glyphs and
/// forms, which count as much as [`WORK_PER_GLYPH`] and [`WORK_PER_FORM`] others.
const MAX_PAGE_WORK: u64 = 256 << 20;
const WORK_PER_GLYPH: usize = 32;
const WORK_PER_FORM: usize = 2048;

/// The text of a PDF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PdfText {
    /// Its lines, with blank lines between paragraphs. Only line feeds if the PDF has pages but no
    /// text.
    pub text: String,
    /// True if a part of the document cannot be read, or would take too much memory or time.
    pub is_partial: bool,
    /// True if its metadata (XMP) reserve it against text and data mining.
    pub is_reserved: bool,
}

impl PdfText {
    /// Returns the text as a program writes it for [`extract_pdf_text_with`]: followed by a control
    /// character whose bits are the other fields.
    pub fn to_output(&self) -> String {
        let marks = u8::from(self.is_partial) | u8::from(self.is_reserved) << 1;
        format!("{}{}", self.text, char::from(marks))
    }

    fn from_output(output: &str) -> PdfText {
        let mut text = output.trim_end_matches('\n').to_owned();
        let marks = text.pop().map_or(0, u32::from);
        PdfText {
            text,
            is_partial: marks & 1 != 0,
            is_reserved: marks & 2 != 0,
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
/// Fails if the document is damaged, encrypted or too large, or no page can be read.
pub fn extract_pdf_text(body: &[u8]) -> Result<PdfText, TypesetError> {
    let (body, has_bomb) = filters::without_bombs(body);
    let (pdf, is_cut) = open(&body)?;
    let mut reader = PageReader {
        fonts: Fonts::default(),
        layers: Layers::from_xref(pdf.xref()),
        resources: Budget::new(MAX_RESOURCE_BYTES),
        work: Budget::new(MAX_PAGE_WORK),
    };
    let mut text = String::new();
    let mut failure = has_bomb.then(|| TOO_LARGE.to_owned());
    failure = failure.or_else(|| is_cut.then(|| "it has no list of its pages".to_owned()));
    let mut unknown = 0;
    for page in pdf.pages().iter() {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let page = reader.read(page);
            (layout::page_text(&page.glyphs), page)
        }));
        let Ok((page_text, page)) = result else {
            failure.get_or_insert_with(|| "a defect of its reader".into());
            continue;
        };
        text.push_str(&page_text);
        text.push_str(lines::PART_END);
        if text.len() as u64 > MAX_TEXT_BYTES {
            return Err(TypesetError::TooLarge(MAX_TEXT_BYTES));
        }
        unknown += page.unknown;
        if page.is_incomplete {
            failure.get_or_insert_with(|| "the content of a page cannot be decoded".into());
        }
    }
    if reader.resources.is_exceeded || reader.work.is_exceeded {
        failure.get_or_insert_with(|| TOO_LARGE.into());
    }
    if unknown > 0 {
        failure
            .get_or_insert_with(|| format!("its fonts do not tell the text of {unknown} glyphs"));
    }
    match failure {
        Some(e) if text.trim().is_empty() => Err(unreadable(&e)),
        failure => Ok(PdfText {
            text: lines::rejoin_words(&lines::rejoin_parts(&text)),
            is_partial: failure.is_some(),
            is_reserved: is_reserved(&pdf),
        }),
    }
}

/// Returns `true` if the metadata of a document reserve it against text and data mining.
fn is_reserved(pdf: &Pdf) -> bool {
    let catalog = pdf.xref().get::<Dict>(pdf.xref().root_id());
    let metadata = catalog.and_then(|catalog| catalog.get::<Stream>("Metadata"));
    let xmp = metadata.and_then(|metadata| metadata.decoded().ok());
    xmp.is_some_and(|xmp| tdm_reservation(&decode(&xmp, None, true, None).0) == Some(true))
}

/// Opens a document. The second value is `true` if it is cut off.
fn open(body: &[u8]) -> Result<(Pdf, bool), TypesetError> {
    let open = |body: Vec<u8>| match Pdf::new(body) {
        Err(LoadPdfError::Decryption(_)) => Err(unreadable(&"it is encrypted with a password")),
        pdf => Ok(pdf.ok().filter(|pdf| !pdf.pages().is_empty())),
    };
    if let Some(pdf) = open(body.to_owned())? {
        return Ok((pdf, false));
    }
    let repaired = repair::with_catalog(body).map(open).transpose()?.flatten();
    repaired
        .map(|pdf| (pdf, true))
        .ok_or_else(|| unreadable(&"it has no pages"))
}

/// The cause for a document, or a part of it, that exceeds its budget.
const TOO_LARGE: &str = "it would take too much memory or time";

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod page_tests;
