//! Prints the words of each line of standard input, separated by tabs: segmentation-peers METHOD
//!
//! METHOD is `forage`, `unicode`, `icu-dictionary`, `icu-lstm` or `jieba-rs`. Words without a
//! letter or digit are left out. Writes to standard error: seconds from the start of the method to
//! its first answer, seconds for all lines, and bytes. `compare.py` runs it.

use anyhow::{Context, Result, bail};
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed, options::WordBreakInvariantOptions};
use std::io::{BufWriter, Write, stdin, stdout};
use std::time::Instant;
use unicode_segmentation::UnicodeSegmentation;

type Segmenter = Box<dyn Fn(&str) -> Vec<String>>;

fn main() -> Result<()> {
    let method = std::env::args().nth(1).context("which method?")?;
    let lines: Vec<String> = stdin().lines().collect::<Result<_, _>>()?;
    let start = Instant::now();
    let segment = segmenter(&method)?;
    if let Some(line) = lines.first() {
        segment(line);
    }
    let first_answer = start.elapsed().as_secs_f64();

    let start = Instant::now();
    let segmented: Vec<Vec<String>> = lines.iter().map(|line| segment(line)).collect();
    let seconds = start.elapsed().as_secs_f64();

    let mut output = BufWriter::new(stdout().lock());
    for words in segmented {
        writeln!(output, "{}", words.join("\t"))?;
    }
    let bytes: usize = lines.iter().map(String::len).sum();
    eprintln!("{first_answer} {seconds} {bytes}");
    Ok(())
}

fn segmenter(method: &str) -> Result<Segmenter> {
    let options = WordBreakInvariantOptions::default();
    Ok(match method {
        "forage" => Box::new(|line| {
            let mut words = Vec::new();
            forage_text::for_each_word(&forage_text::normalise(line), |word| {
                words.push(word.to_owned());
            });
            words
        }),
        "unicode" => Box::new(|line| line.unicode_words().map(str::to_owned).collect()),
        "icu-dictionary" => icu(WordSegmenter::new_dictionary(options)),
        "icu-lstm" => icu(WordSegmenter::new_lstm(options)),
        "jieba-rs" => {
            let jieba = jieba_rs::Jieba::new();
            Box::new(move |line| {
                let tokens = jieba.cut(line, true).into_iter().map(|token| token.word);
                tokens
                    .filter(|word| word.contains(char::is_alphanumeric))
                    .map(str::to_owned)
                    .collect()
            })
        }
        _ => bail!("{method}: unknown method"),
    })
}

fn icu(segmenter: WordSegmenterBorrowed<'static>) -> Segmenter {
    Box::new(move |line| {
        let mut words = Vec::new();
        let mut start = 0;
        for (end, kind) in segmenter.segment_str(line).iter_with_word_type() {
            if kind.is_word_like() {
                words.push(line[start..end].to_owned());
            }
            start = end;
        }
        words
    })
}
