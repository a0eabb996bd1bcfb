//! Extracts pages by other models than the built-in one, to compare models.
//!
//! `extract-by-model MODEL… < PAGES > TEXTS` reads records with `id` and `html`, one per line, and
//! writes `id`, `title` and `text`. With several models, `fold` of a record is the number of the
//! model for its page, from 0; it is 0 if absent.

use forage_extract::STACK_BYTES;
use forage_extract::training::BlockModel;
use serde_json::{Value, json};
use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};

type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
    thread.spawn(extract_all)?.join().expect("a page panics")
}

fn extract_all() -> Result<(), Failure> {
    let files = std::env::args().skip(1);
    let models = files
        .map(|file| Ok(BlockModel::parse(&std::fs::read_to_string(file)?)))
        .collect::<io::Result<Vec<_>>>()?;
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let page: Value = serde_json::from_str(&line?)?;
        let fold = page["fold"].as_u64().unwrap_or_default() as usize;
        let model = models.get(fold).ok_or("no model for this fold")?;
        let html = page["html"].as_str().unwrap_or_default();
        let (title, text) = model.extract(html).unwrap_or_default();
        let record = json!({"id": page["id"], "title": title, "text": text});
        serde_json::to_writer(&mut out, &record)?;
        out.write_all(b"\n")?;
    }
    Ok(out.flush()?)
}
