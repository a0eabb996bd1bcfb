//! Packs the lexicon of the English tagger: `build-english-tagger LEXICON.tsv OUT`.
//!
//! The lexicon has lines of "word, tab, tags", the most frequent tag first. The folder OUT gets
//! `english-words.fst`, a transducer from words to numbers of tag lists, and `english-tags.txt`,
//! the tag lists, one per line. `lib/topic/model/README.md` names the source. Equal data give equal
//! bytes.

#![expect(clippy::print_stdout, reason = "a program")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [lexicon, out] = arguments.as_slice() else {
        return Err("usage: build-english-tagger LEXICON.tsv OUT".into());
    };
    let text = fs::read_to_string(lexicon)?;
    let words: BTreeMap<&str, &str> = text
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let lists: BTreeMap<&str, u64> = words.values().map(|tags| (*tags, 0)).collect();
    let lists: BTreeMap<&str, u64> = lists.into_keys().zip(0..).collect();
    let map = fst::Map::from_iter(words.iter().map(|(word, tags)| (word, lists[tags])))?;
    fs::write(out.join("english-words.fst"), map.as_fst().as_bytes())?;
    let lines: String = lists.keys().map(|tags| format!("{tags}\n")).collect();
    fs::write(out.join("english-tags.txt"), lines)?;
    println!(
        "{} words in {} bytes, {} tag lists",
        map.len(),
        map.as_fst().as_bytes().len(),
        lists.len()
    );
    Ok(())
}
