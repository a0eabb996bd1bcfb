//! Word lists from lingua's language models: `export-lingua OUT MODEL-FOLDER…`.
//!
//! A folder, named by its language's code, holds `ngrams.fst` of a crate `lingua-*-language-model`
//! (version 1.3; Apache-2.0): for each n-gram of one to five letters within words the logarithm of
//! the probability of its last letter after the others. That is a Markov chain of fourth order, and
//! what it leaves out tells where words begin and end: a word may end where the probabilities of
//! the next letter do not add up to 1. So the chain can be followed from the beginnings of words,
//! and gives the words themselves with their probabilities; those of [`LEAST`] and more are
//! written, "word, tab, words in ten thousand million". A word of more than five letters may be
//! none, but then its parts are common.

use anyhow::Context;
use fst::{Map, Streamer};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Probability of a word from which it is written.
const LEAST: f64 = 4e-7;
/// Letters of the longest word.
const LONGEST: usize = 24;
/// Letters that the next one depends on.
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
            .context("a folder named by a language's code")?;
        let words = Chain::read(&folder.join("ngrams.fst"))?.words();
        let mut text = String::new();
        for (word, probability) in words {
            let _ = writeln!(text, "{word}\t{}", (probability * 1e10).round());
        }
        std::fs::write(out.join(code).with_added_extension("tsv"), text)?;
    }
    Ok(())
}

/// A Markov chain of letters.
struct Chain {
    /// Probability that an n-gram stands at a letter.
    joint: HashMap<Vec<char>, f64>,
    /// The part of it with another letter before.
    preceded: HashMap<Vec<char>, f64>,
    /// What may follow, with its probability.
    next: HashMap<Vec<char>, Vec<(char, f64)>>,
}

impl Chain {
    fn read(file: &Path) -> anyhow::Result<Chain> {
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
        let mut chain = Chain {
            joint: HashMap::new(),
            preceded: HashMap::new(),
            next: HashMap::new(),
        };
        for (ngram, last) in ngrams {
            let (before, letter) = (ngram[..ngram.len() - 1].to_vec(), ngram[ngram.len() - 1]);
            let probability = match chain.joint.get(&before) {
                Some(all) => all * last,
                None if before.is_empty() => last,
                None => continue,
            };
            *chain.preceded.entry(ngram[1..].to_vec()).or_default() += probability;
            chain.next.entry(before).or_default().push((letter, last));
            chain.joint.insert(ngram, probability);
        }
        Ok(chain)
    }

    /// Probability that a word begins with `letters`, [`ORDER`] at most.
    fn beginning(&self, letters: &[char]) -> f64 {
        let of = |map: &HashMap<Vec<char>, f64>| map.get(letters).copied().unwrap_or(0.0);
        (of(&self.joint) - of(&self.preceded)).max(0.0)
    }

    fn next(&self, letters: &[char]) -> &[(char, f64)] {
        self.next.get(letters).map_or(&[], Vec::as_slice)
    }

    /// The words, most probable first.
    fn words(&self) -> Vec<(String, f64)> {
        let words_a_letter: f64 = self
            .next(&[])
            .iter()
            .map(|(letter, _)| self.beginning(&[*letter]))
            .sum();
        let mut words = Vec::new();
        for start in self.joint.keys().filter(|start| start.len() <= ORDER) {
            let begins = self.beginning(start);
            if begins / words_a_letter < LEAST {
                continue;
            }
            if start.len() == ORDER {
                self.follow(start, begins / words_a_letter, &mut words);
            } else {
                let longer =
                    |(letter, _): &(char, f64)| self.beginning(&[start, &[*letter][..]].concat());
                let alone = begins - self.next(start).iter().map(longer).sum::<f64>();
                words.push((start.clone(), alone / words_a_letter));
            }
        }
        words.retain(|(_, probability)| *probability >= LEAST);
        words.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        words
            .into_iter()
            .map(|(word, probability)| (word.into_iter().collect(), probability))
            .collect()
    }

    /// The words that begin with these letters.
    fn follow(&self, start: &[char], probability: f64, words: &mut Vec<(Vec<char>, f64)>) {
        let mut open = vec![(start.to_vec(), probability)];
        while let Some((letters, probability)) = open.pop() {
            let next = self.next(&letters[letters.len() - ORDER..]);
            let ends = 1.0 - next.iter().map(|(_, part)| part).sum::<f64>();
            words.push((letters.clone(), probability * ends));
            if letters.len() < LONGEST {
                let likely = next.iter().filter(|(_, part)| probability * part >= LEAST);
                open.extend(likely.map(|(letter, part)| {
                    ([&letters, &[*letter][..]].concat(), probability * part)
                }));
            }
        }
    }
}
