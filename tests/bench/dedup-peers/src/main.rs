//! Prints the numbers of the documents that the crate gaoya keeps: `dedup-peers BANDS BAND_WIDTH < RECORDS`.
//!
//! BANDS 0 takes what gaoya calculates for 128 hashes and a resemblance of .8. Shingles are those that `run.py`
//! compares: five consecutive words.

use anyhow::Context;
use gaoya::minhash::{MinHashIndex, MinHasher, MinHasher32, calculate_minhash_params};
use serde_json::Value;
use std::io::{BufRead, BufWriter, Write};
use xxhash_rust::xxh3::xxh3_64;

const THRESHOLD: f64 = 0.8;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next =
        || -> anyhow::Result<usize> { Ok(arguments.next().context("BANDS BAND_WIDTH")?.parse()?) };
    let (bands, width) = match (next()?, next()?) {
        (0, _) => calculate_minhash_params(THRESHOLD, 128),
        given => given,
    };
    let hasher = MinHasher32::new(bands * width);
    let mut index = MinHashIndex::new(bands, width, THRESHOLD);
    let mut out = BufWriter::new(std::io::stdout().lock());
    for (number, line) in std::io::stdin().lock().lines().enumerate() {
        let record: Value = serde_json::from_str(&line?)?;
        let text = record["text"].as_str().context("text")?.to_lowercase();
        let signature = hasher.create_signature(shingles(&text).into_iter());
        if index.query(&signature).is_empty() {
            writeln!(out, "{number}")?;
            index.insert(number, signature);
        }
    }
    Ok(out.flush()?)
}

fn shingles(text: &str) -> Vec<u64> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let width = words.len().clamp(1, 5);
    words
        .windows(width)
        .map(|window| xxh3_64(window.join(" ").as_bytes()))
        .collect()
}
