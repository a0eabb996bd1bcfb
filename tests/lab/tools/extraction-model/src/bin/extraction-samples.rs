//! Writes the training samples for `lib/extract/model/train.py`: the blocks of each page and their
//! features.
//!
//! Reads records with `id` and `html`, one per line, and writes `id`, `texts` and `rows` for each.

use serde_json::{Value, json};
use std::io::{self, BufRead, BufWriter, Write};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let page: Value = serde_json::from_str(&line?)?;
        let html = page["html"].as_str().unwrap_or_default();
        let (texts, rows) = forage_extract::training::block_samples(html);
        serde_json::to_writer(
            &mut out,
            &json!({"id": page["id"], "texts": texts, "rows": rows}),
        )?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}
