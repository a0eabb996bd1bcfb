//! Word list files.

use anyhow::Context;
use forage_langid::LanguageCode;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Words with their frequencies.
type Frequencies<N> = Vec<(String, N)>;

/// Words with their frequencies, and the number of tokens that were counted.
pub struct WordList {
    pub words: Frequencies<f64>,
    pub tokens: f64,
}

impl WordList {
    /// Returns the share of all tokens that the listed words cover.
    ///
    /// If `total`, the frequency of all words together, is unknown, the rest is extrapolated by
    /// Zipf's law: the tail continues with the slope of the last three quarters of the list. A list
    /// that includes words with frequency 1 is taken to be complete.
    pub fn coverage(&self, total: Option<f64>) -> f64 {
        let mut frequencies: Vec<f64> =
            self.words.iter().map(|(_, frequency)| *frequency).collect();
        frequencies.sort_by(|a, b| b.total_cmp(a));
        let sum: f64 = frequencies.iter().sum();
        let (Some(last), Some(middle)) =
            (frequencies.last(), frequencies.get(frequencies.len() / 4))
        else {
            return 1.0;
        };
        let tail = match total {
            Some(total) => (total - sum).max(0.0),
            None if *last <= 1.0 || middle <= last => 0.0,
            None => {
                let slope = (middle / last).ln() / 4f64.ln();
                last * frequencies.len() as f64 / (slope - 1.0).max(MIN_EXCESS_SLOPE)
            }
        };
        sum / (sum + tail)
    }
}

/// Lower bound of the slope of a list's tail less 1: with a slope of 1 or less the tail has no end.
/// Set by judgement, not measured.
const MIN_EXCESS_SLOPE: f64 = 0.15;

pub fn read_file(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| file.display().to_string())
}

/// Returns the files of a folder, sorted by name.
pub fn list_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files: Vec<PathBuf> = entries
        .map(|e| Ok(e?.path()))
        .collect::<anyhow::Result<_>>()?;
    files.sort();
    Ok(files)
}

/// Returns the language in the name of a file such as `sr-Latn.txt`.
pub fn code_of(file: &Path) -> anyhow::Result<LanguageCode> {
    let name = file
        .file_stem()
        .and_then(|n| n.to_str())
        .unwrap_or_default();
    Ok(name.split('-').next().unwrap_or_default().parse()?)
}

/// Reads a list of "word, tab, frequency", and the size of the counted corpus if a comment states
/// it.
pub fn read_words<N: FromStr>(file: &Path) -> anyhow::Result<(Frequencies<N>, Option<N>)> {
    let mut words = Vec::new();
    let mut size = None;
    for line in read_file(file)?.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            size = size.or(comment
                .strip_prefix("Corpus-Size: ")
                .and_then(|n| n.trim().parse().ok()));
        } else if let Some((word, frequency)) = line.split_once('\t')
            && let Ok(frequency) = frequency.trim().parse()
        {
            words.push((word.to_owned(), frequency));
        }
    }
    Ok((words, size))
}
