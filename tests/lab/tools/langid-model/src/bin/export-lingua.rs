//! Computes word lists from lingua's language models: `export-lingua OUT MODEL-FOLDER...`.
//!
//! A folder, named by its language code, holds `ngrams.fst` of a crate `lingua-*-language-model`
//! (version 1.3; Apache-2.0). For each n-gram of one to five letters within words, it has the
//! logarithm of the probability of the last letter after the others. That is a Markov chain of
//! fourth order. A word may end where the probabilities of the next letter do not add up to 1. So
//! the chain can be followed from the beginnings of words, and gives the words with their
//! probabilities.
//!
//! Words with a probability of at least [`MIN_PROBABILITY`] are written as "word, tab, occurrences
//! per 10 billion words". A word of more than five letters may not exist, but then its parts
//! are common.

use anyhow::Context;
use fst::{Map, Streamer};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Minimum probability of a word that is written. Set by judgement, not measured.
const MIN_PROBABILITY: f64 = 4e-7;
/// Maximum number of letters of a word. Set by judgement, not measured.
const MAX_LETTERS: usize = 24;
/// Order of the Markov chain: the number of letters on which the next one depends.
const ORDER: usize = 4;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let out = arguments
        .next()
        .context("usage: export-lingua OUT MODEL-FOLDER...")?;
    std::fs::create_dir_all(&out)?;
    for folder in arguments {
        let code = folder
            .file_name()
            .context("MODEL-FOLDER is not named by a language code")?;
        let words = LetterChain::read(&folder.join("ngrams.fst"))?.words();
        let mut text = String::new();
        for (word, probability) in words {
            let _ = writeln!(text, "{word}\t{}", (probability * 1e10).round());
        }
        std::fs::write(out.join(code).with_added_extension("tsv"), text)?;
    }
    Ok(())
}

/// A Markov chain of letters.
struct LetterChain {
    /// Probability of an n-gram per letter.
    joint: HashMap<Vec<char>, f64>,
    /// Part of that probability with another letter before the n-gram.
    preceded: HashMap<Vec<char>, f64>,
    /// The letters that may follow, with their probabilities.
    next: HashMap<Vec<char>, Vec<(char, f64)>>,
}

impl LetterChain {
    fn read(file: &Path) -> anyhow::Result<LetterChain> {
        let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
        let map = Map::new(bytes).with_context(|| file.display().to_string())?;
        let mut ngrams: Vec<(Vec<char>, f64)> = Vec::new();
        let mut stream = map.stream();
        while let Some((key, value)) = stream.next() {
            ngrams.push((
                std::str::from_utf8(key)?.chars().collect(),
                libm::exp(f64::from_bits(value)),
            ));
        }
        ngrams.sort_by(|a, b| (a.0.len(), &a.0).cmp(&(b.0.len(), &b.0)));
        let mut chain = LetterChain {
            joint: HashMap::new(),
            preceded: HashMap::new(),
            next: HashMap::new(),
        };
        for (ngram, conditional) in ngrams {
            let prefix = ngram[..ngram.len() - 1].to_vec();
            let letter = ngram[ngram.len() - 1];
            let probability = match chain.joint.get(&prefix) {
                Some(joint) => joint * conditional,
                None if prefix.is_empty() => conditional,
                None => continue,
            };
            *chain.preceded.entry(ngram[1..].to_vec()).or_default() += probability;
            chain
                .next
                .entry(prefix)
                .or_default()
                .push((letter, conditional));
            chain.joint.insert(ngram, probability);
        }
        Ok(chain)
    }

    /// Returns the probability, per letter, that a word begins with `letters`, at most [`ORDER`].
    fn beginning(&self, letters: &[char]) -> f64 {
        let joint = self.joint.get(letters).copied().unwrap_or(0.0);
        let preceded = self.preceded.get(letters).copied().unwrap_or(0.0);
        (joint - preceded).max(0.0)
    }

    fn next(&self, letters: &[char]) -> &[(char, f64)] {
        self.next.get(letters).map_or(&[], Vec::as_slice)
    }

    /// Returns the words, most probable first.
    fn words(&self) -> Vec<(String, f64)> {
        let words_per_letter: f64 = self
            .next(&[])
            .iter()
            .map(|(letter, _)| self.beginning(&[*letter]))
            .sum();
        let mut words = Vec::new();
        for start in self.joint.keys().filter(|start| start.len() <= ORDER) {
            let begins = self.beginning(start);
            if begins / words_per_letter < MIN_PROBABILITY {
                continue;
            }
            if start.len() == ORDER {
                self.add_words_from(start, begins / words_per_letter, &mut words);
            } else {
                let longer =
                    |(letter, _): &(char, f64)| self.beginning(&[start, &[*letter][..]].concat());
                let ends = begins - self.next(start).iter().map(longer).sum::<f64>();
                words.push((start.clone(), ends / words_per_letter));
            }
        }
        words.retain(|(_, probability)| *probability >= MIN_PROBABILITY);
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words
            .into_iter()
            .map(|(word, probability)| (word.into_iter().collect(), probability))
            .collect()
    }

    /// Adds the words that begin with these letters.
    fn add_words_from(&self, start: &[char], probability: f64, words: &mut Vec<(Vec<char>, f64)>) {
        let mut open = vec![(start.to_vec(), probability)];
        while let Some((letters, probability)) = open.pop() {
            let next = self.next(&letters[letters.len() - ORDER..]);
            let end = 1.0 - next.iter().map(|(_, conditional)| conditional).sum::<f64>();
            words.push((letters.clone(), probability * end));
            if letters.len() < MAX_LETTERS {
                let likely = next
                    .iter()
                    .filter(|(_, conditional)| probability * conditional >= MIN_PROBABILITY);
                open.extend(likely.map(|(letter, conditional)| {
                    (
                        [&letters, &[*letter][..]].concat(),
                        probability * conditional,
                    )
                }));
            }
        }
    }
}
