//! Word lists, as files.

use anyhow::Context;
use forage_langid::Code;
use std::path::{Path, PathBuf};

/// Words with their frequencies, and the number of words that were counted.
pub struct List {
    pub words: Vec<(String, f64)>,
    pub tokens: f64,
}

pub fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}

/// The files of a folder, sorted by name.
pub fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.map(|e| Ok(e?.path())).collect::<anyhow::Result<_>>()?;
    files.sort();
    Ok(files)
}

/// The language in the name of a file such as `sr-Latn.txt`.
pub fn code_of(file: &Path) -> anyhow::Result<Code> {
    let name = file.file_stem().and_then(|n| n.to_str()).unwrap_or_default();
    Ok(name.split('-').next().unwrap_or_default().parse()?)
}

/// A list of "word, tab, frequency", with an optional comment that tells the size of what was counted.
pub fn words(file: &Path) -> anyhow::Result<List> {
    let (mut words, mut size) = (Vec::new(), None);
    for line in read(file)?.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            size = size.or(comment.strip_prefix("Corpus-Size: ").and_then(|n| n.trim().parse().ok()));
        } else if let Some((word, frequency)) = line.split_once('\t')
            && let Ok(frequency) = frequency.trim().parse::<f64>()
        {
            words.push((word.to_owned(), frequency));
        }
    }
    let tokens = size.unwrap_or_else(|| words.iter().map(|(_, n)| n).sum());
    Ok(List { words, tokens })
}
