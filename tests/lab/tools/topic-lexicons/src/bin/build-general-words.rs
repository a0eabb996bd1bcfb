//! Builds the lists of general words: build-general-words FOLDER OUT.
//!
//! FOLDER has a file CODE.tsv of lines "word, tab, frequency" for each language, the most frequent
//! words first, as `lib/langid/model/export-wordfreq.py` writes them.

use anyhow::Context;
use forage_topic::profile::{LEVELS_PER_NAT, hash_word};
use std::path::Path;

/// Number of words of a list. Set by judgement: 4 MB for all languages. In a trial, the precision
/// of profiles was one percent higher with 320,000 English words.
const MAX_WORDS: usize = 60_000;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, out] = &arguments[..] else {
        anyhow::bail!("build-general-words FOLDER OUT");
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| folder.clone())?
        .collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    let mut lists = Vec::new();
    for file in files {
        let path = file.path();
        if path.extension().is_none_or(|extension| extension != "tsv") {
            continue;
        }
        let code = path.file_stem().unwrap_or_default().to_string_lossy();
        let words = read_list(&path).with_context(|| path.display().to_string())?;
        // A language in two scripts has a list for each; the first is the one of the language.
        if code.len() == 3 {
            lists.extend(encode_language(&code, words.into_iter()));
        }
    }
    std::fs::write(out, lists).with_context(|| out.clone())
}

/// Returns the words of a list with their probabilities. Numbers and punctuation count in the sum
/// only.
fn read_list(path: &Path) -> anyhow::Result<Vec<(String, f64)>> {
    let text = std::fs::read_to_string(path)?;
    let mut words = Vec::new();
    for line in text.lines() {
        let (word, count) = line.split_once('\t').context("a line has no tab")?;
        words.push((word.to_owned(), count.parse::<f64>()?));
    }
    let total: f64 = words.iter().map(|(_, count)| count).sum();
    words
        .retain(|(word, _)| word.contains(char::is_alphabetic) && !word.contains(char::is_numeric));
    words.truncate(MAX_WORDS);
    let probabilities = words.into_iter().map(|(word, count)| (word, count / total));
    Ok(probabilities.collect())
}

/// Returns the list of a language in the format of the built-in ones.
fn encode_language(code: &str, words: impl Iterator<Item = (String, f64)>) -> Vec<u8> {
    let mut levels: Vec<Vec<u32>> = Vec::new();
    for (word, probability) in words {
        let level = (-libm::log(probability) * LEVELS_PER_NAT).round().max(0.0) as usize;
        levels.resize_with(levels.len().max(level + 1), Vec::new);
        levels[level].push(hash_word(&word));
    }
    let mut list = Vec::new();
    for mut hashes in levels {
        hashes.sort_unstable();
        hashes.dedup();
        write_number(&mut list, hashes.len() as u64);
        let mut previous = 0;
        for hash in hashes {
            write_number(&mut list, u64::from(hash - previous));
            previous = hash;
        }
    }
    let mut bytes = code.as_bytes().to_vec();
    write_number(&mut bytes, list.len() as u64);
    bytes.extend(list);
    bytes
}

fn write_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
