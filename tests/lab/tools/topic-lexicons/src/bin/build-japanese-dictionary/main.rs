//! Builds the Japanese dictionary of `keywords`: build-japanese-dictionary FOLDER DICTIONARY
//!
//! FOLDER has the sources of IPADIC, as in Debian's package `mecab-ipadic`: `*.csv`, `matrix.def`,
//! `char.def` and `unk.def`, in EUC-JP or UTF-8.

#![expect(clippy::print_stdout, reason = "a program")]

mod compile;

use compile::{DictionarySources, compile_dictionary};
use forage_topic::keyphrases::japanese::JapaneseTagger;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [folder, dictionary] = &paths[..] else {
        return Err("usage: build-japanese-dictionary FOLDER DICTIONARY".into());
    };
    let mut lists: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    lists.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    lists.sort();
    if lists.is_empty() {
        return Err(format!("{}: no *.csv", folder.display()).into());
    }
    let words: Vec<String> = lists
        .iter()
        .map(|path| read(path))
        .collect::<Result<_, _>>()?;
    let bytes = compile_dictionary(&DictionarySources {
        words: words.join("\n"),
        matrix: read(&folder.join("matrix.def"))?,
        characters: read(&folder.join("char.def"))?,
        unknown: read(&folder.join("unk.def"))?,
    })?;
    JapaneseTagger::of_bytes(bytes.clone())?;
    fs::write(dictionary, &bytes).map_err(|e| format!("{}: {e}", dictionary.display()))?;
    println!("{}: {} bytes", dictionary.display(), bytes.len());
    Ok(())
}

/// Returns the content of a file in UTF-8 or EUC-JP.
fn read(path: &Path) -> Result<String, Box<dyn Error>> {
    let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error.into_bytes(),
    };
    let (text, _, has_errors) = encoding_rs::EUC_JP.decode(&bytes);
    if has_errors {
        return Err(format!("{}: neither UTF-8 nor EUC-JP", path.display()).into());
    }
    Ok(text.into_owned())
}
