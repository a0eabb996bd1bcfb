//! Serbian is written in two scripts, whose letters have one counterpart each; three Latin ones are
//! digraphs.

use std::collections::BTreeMap;

const LATIN: &str = "abvgdđežzijklmnoprstćufhcčš";
const CYRILLIC: &str = "абвгдђежзијклмнопрстћуфхцчш";
/// Cyrillic letters whose Latin counterparts are digraphs.
const DIGRAPHS: [(char, &str); 3] = [('љ', "lj"), ('њ', "nj"), ('џ', "dž")];

/// Returns Serbian words in Latin and in Cyrillic script, each with all frequencies.
///
/// Otherwise the lists would differ in genre: the news are in Cyrillic, the subtitles in Latin
/// script, and Croatian stories would resemble the latter.
pub fn in_both_scripts(words: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let mut both: BTreeMap<String, f64> = BTreeMap::new();
    for (word, frequency) in words {
        let (latin, cyrillic) = (to_latin(&word), to_cyrillic(&word));
        if latin != cyrillic {
            *both.entry(cyrillic).or_default() += frequency;
        }
        *both.entry(latin).or_default() += frequency;
    }
    both.into_iter().collect()
}

/// Transliterates a Serbian word from Latin to Cyrillic letters, in lower case.
pub fn to_cyrillic(word: &str) -> String {
    let without_digraphs = DIGRAPHS
        .iter()
        .fold(word.to_lowercase(), |word, (letter, digraph)| {
            word.replace(digraph, &letter.to_string())
        });
    without_digraphs
        .chars()
        .map(|c| counterpart(c, LATIN, CYRILLIC).unwrap_or(c))
        .collect()
}

/// Transliterates a Serbian word from Cyrillic to Latin letters, in lower case.
fn to_latin(word: &str) -> String {
    let mut latin = String::with_capacity(word.len());
    for c in word.to_lowercase().chars() {
        match DIGRAPHS.iter().find(|(letter, _)| *letter == c) {
            Some((_, digraph)) => latin.push_str(digraph),
            None => latin.push(counterpart(c, CYRILLIC, LATIN).unwrap_or(c)),
        }
    }
    latin
}

/// Returns the letter of `to` in the place that a letter has in `from`.
fn counterpart(letter: char, from: &str, to: &str) -> Option<char> {
    let place = from.chars().position(|other| other == letter)?;
    to.chars().nth(place)
}
