//! Measures the built-in model on lines of "code, tab, text": `evaluate [MIN-WORDS] < FILE`.
//!
//! Prints, by language, the number of texts, the share that was recognised and the commonest mistakes; then the whole,
//! how well the scores are calibrated, and how fast it went.

use forage_langid::{Code, Identifier, Scratch};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};

/// Intervals of the score.
const BINS: usize = 10;

fn main() -> anyhow::Result<()> {
    let least: usize = std::env::args().nth(1).map_or(Ok(0), |n| n.parse())?;
    let identifier = Identifier::builtin();
    let mut scratch = Scratch::new();
    let mut answers: BTreeMap<Code, BTreeMap<Code, u64>> = BTreeMap::new();
    let mut bins = [(0u64, 0u64, 0.0); BINS];
    let lines: Vec<String> = std::io::stdin().lock().lines().collect::<Result<_, _>>()?;
    let mut texts = Vec::new();
    let mut codes: BTreeMap<&str, Code> = BTreeMap::new();
    for (code, text) in lines.iter().filter_map(|line| line.split_once('\t')) {
        if !codes.contains_key(code) {
            codes.insert(code, code.parse()?);
        }
        if text.split_whitespace().count() >= least {
            texts.push((codes[code], text));
        }
    }
    let start = std::time::Instant::now();
    let mut bytes = 0;
    for (code, text) in texts {
        let found = identifier.identify_with(&mut scratch, text);
        bytes += text.len();
        *answers.entry(code).or_default().entry(found.code).or_default() += 1;
        let bin = &mut bins[((found.score * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + 1, bin.1 + u64::from(found.code == code), bin.2 + found.score);
    }
    let speed = bytes as f64 / 1e6 / start.elapsed().as_secs_f64();
    report(&answers, &bins, speed)
}

fn report(answers: &BTreeMap<Code, BTreeMap<Code, u64>>, bins: &[(u64, u64, f64)], speed: f64) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let (mut all, mut right, mut recalls) = (0, 0, 0.0);
    for (code, found) in answers {
        let texts: u64 = found.values().sum();
        let hits = found.get(code).copied().unwrap_or(0);
        let mut mistakes: Vec<_> = found.iter().filter(|(c, _)| *c != code).collect();
        mistakes.sort_by_key(|(_, n)| Reverse(**n));
        write!(out, "{code}\t{texts}\t{:.4}\t", hits as f64 / texts as f64)?;
        for (other, n) in mistakes.iter().take(6) {
            write!(out, " {other} {n}")?;
        }
        writeln!(out)?;
        (all, right, recalls) = (all + texts, right + hits, recalls + hits as f64 / texts as f64);
    }
    writeln!(out, "all\t{all}\t{:.4}", right as f64 / all as f64)?;
    writeln!(out, "mean of {} languages\t{:.4}", answers.len(), recalls / answers.len() as f64)?;
    for (n, right, score) in bins.iter().filter(|bin| bin.0 > 0) {
        writeln!(out, "score {:.3}\tright {:.3}\tof {n}", score / *n as f64, *right as f64 / *n as f64)?;
    }
    writeln!(out, "{speed:.1} MB/s, one thread")?;
    Ok(())
}
