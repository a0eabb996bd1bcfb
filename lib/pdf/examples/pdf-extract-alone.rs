//! The text of a PDF by the crate `pdf-extract` alone, for comparison (tests/bench/pdf/compare.py).

use std::io::{self, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("which PDF?")?;
    Ok(io::stdout().write_all(pdf_extract::extract_text(path)?.as_bytes())?)
}
