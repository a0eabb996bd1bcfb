//! Writes the text of a PDF, extracted by the crate `pdf-extract` without our repairs, for
//! comparison (tests/bench/pdf/compare.py).

use std::io::{self, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("the path of a PDF is missing")?;
    Ok(io::stdout().write_all(pdf_extract::extract_text(path)?.as_bytes())?)
}
