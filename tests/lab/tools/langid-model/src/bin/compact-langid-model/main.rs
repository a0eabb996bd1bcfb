//! Makes the model of the package of `forage-langid` from the full one: `compact-langid-model
//! EVIDENCE OUT`, with the files `model/evidence.bin` and `model/compact.bin` of the crate. Equal
//! input gives equal bytes.

mod columns;
mod compact;
mod rows;

use anyhow::Context;
use std::path::PathBuf;

/// Room for words and n-grams in the package, in bytes: crates.io accepts packages of 10 MB, and
/// the limit of this one is 9 MB (`make package`).
const MAX_BYTES: usize = 8_700_000;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [evidence, out] = arguments.as_slice() else {
        anyhow::bail!("usage: compact-langid-model EVIDENCE OUT");
    };
    let bytes = std::fs::read(evidence).with_context(|| evidence.display().to_string())?;
    let compact = compact::compact(&bytes, MAX_BYTES)
        .with_context(|| format!("{}: not the evidence part of a model", evidence.display()))?;
    std::fs::write(out, compact).with_context(|| out.display().to_string())
}
