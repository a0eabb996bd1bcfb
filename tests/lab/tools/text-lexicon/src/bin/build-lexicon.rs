//! Builds a lexicon for segmentation: build-lexicon LEXICON.fst LIST...
//!
//! Each list has lines of "word, tab, count" or only words. The probability of a word is the
//! highest of its relative frequencies in the lists; a word without a count has that of a word seen
//! once in the first list. Words with other characters than letters of scripts without blanks are
//! left out, and words of more than 20 characters. `lib/text/lexicon/README.md` names the lists.

#![expect(clippy::print_stdout, reason = "a program")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

/// Maximum cost of a word, in tenths of a nat: a probability of e⁻²².
const MAX_COST: f64 = 220.0;
/// Maximum length of a word, in characters. Longer entries are phrases. Set by judgement, not
/// measured.
const MAX_LENGTH: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths = std::env::args_os().skip(1).map(PathBuf::from);
    let lexicon = paths.next().ok_or("which lexicon is to be built?")?;
    let mut probabilities: BTreeMap<String, f64> = BTreeMap::new();
    let mut seen_once = None;
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let rows: Vec<(String, Option<f64>)> = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| {
                let (word, count) = line
                    .split_once('\t')
                    .map_or((line, None), |(word, count)| (word, count.parse().ok()));
                let word = forage_text::fold_unspaced(&forage_text::normalise(word)).into_owned();
                is_word(&word).then_some((word, count))
            })
            .collect();
        let total: f64 = rows.iter().filter_map(|(_, count)| *count).sum();
        let least = *seen_once.get_or_insert(1.0 / total);
        for (word, count) in rows {
            let p = count.map_or(least, |count| count / total);
            let highest = probabilities.entry(word).or_insert(0.0);
            *highest = highest.max(p);
        }
    }
    let costs = probabilities
        .into_iter()
        .filter(|(_, p)| *p > 0.0)
        .map(|(word, p)| (word, (-10.0 * libm::log(p)).round().min(MAX_COST) as u64));
    let map = fst::Map::from_iter(costs)?;
    fs::write(&lexicon, map.as_fst().as_bytes())?;
    println!(
        "{}: {} words, {} bytes",
        lexicon.display(),
        map.len(),
        map.as_fst().as_bytes().len()
    );
    Ok(())
}

/// Returns `true` if `word` can be an entry: one to 20 letters and marks of scripts without blanks.
fn is_word(word: &str) -> bool {
    let length = word.chars().count();
    let mut buffer = [0; 4];
    (1..=MAX_LENGTH).contains(&length)
        && word
            .chars()
            .all(|c| forage_text::contains_unspaced_script(c.encode_utf8(&mut buffer)))
        && !is_bare_letter(word)
}

/// Returns `true` if `word` is a single Thai or Lao letter that is no word: part of an
/// abbreviation.
fn is_bare_letter(word: &str) -> bool {
    let mut letters = word.chars();
    matches!(letters.next(), Some('\u{e00}'..='\u{eff}'))
        && letters.next().is_none()
        && forage_text::terms(word).is_empty()
}
