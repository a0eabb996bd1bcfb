//! Output of the page in the page tree, through an output device of the crate.

use crate::typeset::MAX_TEXT_BYTES;
use pdf_extract::{ConvertToFmt, Document, OutputDev, output_doc_page};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Outputs the page in the page tree to a device.
///
/// # Errors
/// Fails with the cause if the crate fails on the page or panics.
pub(super) fn output_page(document: &Document, device: &mut dyn OutputDev) -> Result<(), String> {
    let result = catch_unwind(AssertUnwindSafe(|| {
        output_doc_page(document, device, 1).map_err(|e| e.to_string())
    }));
    result.unwrap_or_else(|_| Err("a defect of its reader".into()))
}

/// A text of at most [`MAX_TEXT_BYTES`].
pub(super) struct LimitedText(pub String);

impl fmt::Write for LimitedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if (self.0.len() + text.len()) as u64 > MAX_TEXT_BYTES {
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
