//! What is shown on the page that the tree holds, given to an output of the crate.

use crate::MOST_TEXT_BYTES;
use pdf_extract::{ConvertToFmt, Document, OutputDev, output_doc_page};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Gives what is shown on the page that the tree holds to `output`.
///
/// # Errors
/// With the cause, where the crate fails on the page.
pub(super) fn show_page(document: &Document, output: &mut dyn OutputDev) -> Result<(), String> {
    let shown = catch_unwind(AssertUnwindSafe(|| {
        output_doc_page(document, output, 1).map_err(|e| e.to_string())
    }));
    shown.unwrap_or_else(|_| Err("a defect of its reader".into()))
}

/// A text of at most [`MOST_TEXT_BYTES`].
pub(super) struct LimitedText(pub String);

impl fmt::Write for LimitedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if (self.0.len() + text.len()) as u64 > MOST_TEXT_BYTES {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

impl ConvertToFmt for &mut LimitedText {
    type Writer = Self;

    fn convert(self) -> Self {
        self
    }
}
