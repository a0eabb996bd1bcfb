//! Makes the model that comes with the program: `build-model DATA NAMES OUT`.
//!
//! DATA holds the word lists (see `model/README.md` for what, whence and under which licence),
//! NAMES is iso-codes' `iso_639-3.json`. OUT, a folder, gets `evidence.bin`, `ranks.bin`, and
//! `SOURCES.tsv`: what each class was learned from. No text goes into the model. The same data
//! always give the same bytes.

mod lists;
mod ranks;
mod samples;

use anyhow::Context;
use forage_langid::{ClassSample, EvidenceLimits, pack_evidence, pack_ranks};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What the model keeps: words and n-grams that are rarer everywhere are left out, and what finds
/// no room.
const LIMITS: EvidenceLimits = EvidenceLimits {
    least_word: -11.5,
    least_gram: -9.0,
    word_classes: 12,
    gram_classes: 10,
    least_share: 0.4,
    buckets: Some(426_000),
};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [data, names, out] = arguments.as_slice() else {
        anyhow::bail!("usage: build-model DATA NAMES OUT")
    };
    let names = read_names(names)?;
    let write = |name: &str, bytes: &[u8]| {
        let file = out.join(name);
        std::fs::write(&file, bytes).with_context(|| file.display().to_string())
    };
    let samples = samples::read(data, &names)?;
    write("SOURCES.tsv", table(&samples).as_bytes())?;
    write("evidence.bin", &pack_evidence(&samples, &LIMITS)?)?;
    write("ranks.bin", &pack_ranks(&ranks::profiles(data, &names)?)?)
}

/// The English names by code.
fn read_names(file: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let table: serde_json::Value = serde_json::from_str(&lists::read(file)?)?;
    let entries = table["639-3"].as_array().context("no list \"639-3\"")?;
    let pair = |e: &serde_json::Value| {
        Some((
            e["alpha_3"].as_str()?.to_owned(),
            e["name"].as_str()?.to_owned(),
        ))
    };
    Ok(entries.iter().filter_map(pair).collect())
}

/// A line for each class: code, script, name, words of its samples, distinct words, sources.
fn table(samples: &[ClassSample]) -> String {
    let line = |s: &ClassSample| {
        let (distinct, grams) = (s.words.len(), s.grams.len());
        format!(
            "{}\t{}\t{}\t{}\t{distinct}\t{grams}\t{}\n",
            s.code, s.script, s.name, s.sample_tokens, s.source
        )
    };
    let heading = "code\tscript\tname\twords\tdistinct words\tn-grams\tsources\n".to_owned();
    heading + &samples.iter().map(line).collect::<String>()
}
