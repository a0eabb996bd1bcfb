//! Profiles for the method `out-of-place`.
//!
//! Each word list becomes a separate profile, so that a language with lists from the Bible and from
//! news also has one of spoken language. Languages without a word list are learned from the
//! Universal Declaration of Human Rights.

use crate::lists::{code_of, list_files, read_file, read_words};
use crate::serbian::to_cyrillic;
use anyhow::Context;
use forage_langid::{LanguageCode, Profile, ProfileLearner};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const UNILEX: &str = "word frequencies of Unicode Unilex, Unicode-3.0";
const FREQUENCY_WORDS: &str = "word frequencies of FrequencyWords (film subtitles), CC BY-SA 4.0";
const WORDFREQ: &str = "word frequencies of wordfreq (books, news, web, talk), CC BY-SA 4.0";
const UDHR: &str = "Universal Declaration of Human Rights, public domain";

/// Languages whose subtitles are not used: those labelled Bosnian hardly differ from the Croatian
/// ones, and with those in Macedonian, Serbian texts are identified as Macedonian.
const EXCLUDED_SUBTITLES: [&str; 2] = ["bos", "mkd"];

/// A language that is learned from the Declaration although it has word lists: Chinese, because the
/// other Chinese languages have only the Declaration.
const DECLARATION_TOO: &str = "zho";

/// Languages for which wordfreq is used: those that Unilex lacks, and two whose nearest relative is
/// one of them.
const WORDFREQ_LANGUAGES: [&str; 10] = [
    "ces", "dan", "eng", "heb", "isl", "lit", "nob", "rus", "slk", "vie",
];

/// Learns the profiles of all word lists and of the Declaration.
pub fn learn_profiles(
    data: &Path,
    names: &BTreeMap<String, String>,
) -> anyhow::Result<Vec<Profile>> {
    let mut profiles = Vec::new();
    for file in list_files(&data.join("unilex-top40k/frequency"))? {
        profiles.push(learn_from_words(&file, UNILEX, names, str::to_owned)?);
    }
    for file in list_files(&data.join("lidpack/freqwords"))? {
        let code = code_of(&file)?;
        if !EXCLUDED_SUBTITLES.contains(&code.as_str()) {
            profiles.push(learn_from_words(
                &file,
                FREQUENCY_WORDS,
                names,
                str::to_owned,
            )?);
        }
        if code.as_str() == "srp" {
            profiles.push(learn_from_words(
                &file,
                FREQUENCY_WORDS,
                names,
                to_cyrillic,
            )?);
        }
    }
    for file in list_files(&data.join("wordfreq"))? {
        if WORDFREQ_LANGUAGES.contains(&code_of(&file)?.as_str()) {
            profiles.push(learn_from_words(&file, WORDFREQ, names, str::to_owned)?);
        }
    }
    let known: BTreeSet<LanguageCode> = profiles.iter().map(|p| p.code).collect();
    profiles.extend(learn_from_texts(
        &data.join("lidpack/udhr-train.tsv"),
        &known,
        names,
    )?);
    Ok(profiles)
}

/// Learns a profile from a list of "word, tab, frequency", with each word as `transliterate`
/// returns it.
fn learn_from_words(
    file: &Path,
    source: &str,
    names: &BTreeMap<String, String>,
    transliterate: impl Fn(&str) -> String,
) -> anyhow::Result<Profile> {
    let code = code_of(file)?;
    let mut learner = ProfileLearner::default();
    let (words, size) = read_words(file)?;
    for (word, frequency) in words {
        learner.add_word(&transliterate(&word), frequency);
    }
    let name = names.get(code.as_str()).map_or("", String::as_str);
    let (mut profile, _) = learner
        .finish(code, name, source)
        .with_context(|| file.display().to_string())?;
    profile.sample_tokens = size.unwrap_or(profile.sample_tokens);
    Ok(profile)
}

/// Learns profiles of the languages that are not in `known`, from lines of "code, tab, text".
fn learn_from_texts(
    file: &Path,
    known: &BTreeSet<LanguageCode>,
    names: &BTreeMap<String, String>,
) -> anyhow::Result<Vec<Profile>> {
    let mut learners: BTreeMap<LanguageCode, ProfileLearner> = BTreeMap::new();
    for line in read_file(file)?.lines() {
        let (code, text) = line.split_once('\t').context("no tab")?;
        let code = code.parse()?;
        if !known.contains(&code) || DECLARATION_TOO == code.as_str() {
            learners.entry(code).or_default().add_text(text);
        }
    }
    let finish = |(code, learner): (LanguageCode, ProfileLearner)| {
        let name = names.get(code.as_str()).map_or("", String::as_str);
        Ok(learner.finish(code, name, UDHR)?.0)
    };
    learners.into_iter().map(finish).collect()
}
