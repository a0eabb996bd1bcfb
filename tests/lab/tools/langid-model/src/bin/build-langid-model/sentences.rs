//! Running text: one sentence or interface message a line.

use crate::lists::{WordList, list_files, read_file};
use anyhow::Context;
use forage_langid::{LanguageCode, WordReader};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// A source of sentences.
pub struct SentenceSource {
    /// Its name in the names of files, `CODE_Script.NAME.txt`.
    pub name: &'static str,
    /// Its title and licence.
    pub title: &'static str,
    /// Its genre.
    pub genre: &'static str,
}

/// The genre of messages of programs: short, imperative, and full of names of products.
pub const MESSAGES: &str = "messages";
/// Weight of word counts of messages, relative to word lists of the same language. Set by
/// judgement, not measured.
const MESSAGES_WEIGHT: f64 = 0.3;
/// The genre of lists of words without frequencies. Each word is counted once.
pub const WORDS: &str = "words";
/// Weight of such lists: rare words have too much of it. Set by judgement, not measured.
const WORDS_WEIGHT: f64 = 0.1;
/// Weight of word counts of prose, relative to word lists of the same language. With 2 instead of
/// 1, more texts of sources that are left out are identified correctly (`docs/LANGID.md`, "Sources
/// left out").
pub const PROSE_WEIGHT: f64 = 2.0;

impl SentenceSource {
    /// Returns the weight of its word counts relative to word lists of the same language.
    pub fn weight(&self) -> f64 {
        match self.genre {
            MESSAGES => MESSAGES_WEIGHT,
            WORDS => WORDS_WEIGHT,
            _ => PROSE_WEIGHT,
        }
    }

    /// Returns `true` if it has running text, so that the model can be tested on it.
    pub fn is_prose(&self) -> bool {
        ![MESSAGES, WORDS, ROMANISED].contains(&self.genre)
    }
}

/// The genre of texts that were romanised by a program.
const ROMANISED: &str = "romanised";

const fn source(name: &'static str, genre: &'static str, title: &'static str) -> SentenceSource {
    SentenceSource { name, title, genre }
}

/// The sources from which the built-in model is made. Others of the folder are left out. Of those
/// whose titles say so there are word counts alone, `sentences/counts/CODE_Script.NAME.tsv`; the
/// licences of the other counts exclude commercial use or are not stated.
pub const SENTENCE_SOURCES: [SentenceSource; 47] = [
    source("seed", "encyclopedia", "OLDI Seed (CC BY-SA 4.0)"),
    source("ili", "literature", "VarDial 2018 ILI (Apache-2.0)"),
    source("nusax", "reviews", "NusaX (CC BY-SA 4.0)"),
    source("nusawrites", "essays", "NusaWrites (Apache-2.0)"),
    source("tico19", "health", "TICO-19 (CC0-1.0)"),
    source("bayelemabaga", "books", "Bayelemabaga (CC BY 4.0)"),
    source("hornmt", "news", "HornMT (CC BY 4.0)"),
    source(
        "sona",
        "speeches",
        "South African State of the Nation Addresses (CC BY 4.0)",
    ),
    source("zanews", "news", "South African news titles (CC BY-SA 4.0)"),
    source("afriqa", "questions", "AfriQA (CC BY 4.0)"),
    source(
        "asp",
        "stories",
        "African Storybook, Global ASP (CC BY 3.0, 4.0)",
    ),
    source("pratham", "stories", "Pratham Books (CC BY 4.0)"),
    source(
        "hkcancor",
        "conversation",
        "Hong Kong Cantonese Corpus (CC BY 4.0)",
    ),
    source("cvyue", "prompts", "Common Voice Cantonese (CC0-1.0)"),
    source("ud", "mixed", "Universal Dependencies (CC BY-SA 4.0, GPL)"),
    source("cv21", "prompts", "Common Voice (CC0-1.0)"),
    source("tatoeba", "phrases", "Tatoeba (CC BY 2.0 FR)"),
    source("vuk", "newspaper", "Vuk'uzenzele (CC BY-SA 4.0)"),
    source("nchlt", "government", "NCHLT Text (CC BY 2.5 ZA)"),
    source("glparl", "parliament", "ParlaMint-ES-GA (CC BY 4.0)"),
    source("minang", "encyclopedia", "MinangNLP (MIT, CC BY-SA)"),
    source("kirundi", "stories", "Ijwi ry'Ikirundi (CC BY 4.0)"),
    source("luonews", "news", "Luo News (CC BY 4.0)"),
    source("keapar", "religion", "Kabuverdianu sentences (ODC-By 1.0)"),
    source("dah", "phrases", "DAH (CC BY 4.0)"),
    source("rim", "conversation", "AI for RIM (MIT)"),
    source("ud2", "mixed", "Universal Dependencies (CC BY-SA 4.0)"),
    source("translit", ROMANISED, "romanised sentences (CC0-1.0)"),
    source("dslcc", "news", "DSL Corpus Collection, counts (CC0-1.0)"),
    source("masakhanews", "news", "MasakhaNEWS, counts (AFL-3.0)"),
    source(
        "parlasent",
        "parliament",
        "ParlaSent, counts (CC BY-SA 4.0)",
    ),
    source(
        "copa",
        "phrases",
        "COPA-HR and COPA-SR, counts (CC BY-SA 4.0)",
    ),
    source("autshu", "mixed", "Autshumato, counts (CC BY 2.5 ZA)"),
    source("hmongmed", "health", "White Hmong corpus, counts (GPL-3.0)"),
    source("kikhub", "phrases", "Kikuyu Language Hub, counts (MIT)"),
    source("gatitos", WORDS, "GATITOS (CC BY 4.0)"),
    source("tldr", MESSAGES, "tldr pages (CC BY 4.0)"),
    source("mwext", MESSAGES, "MediaWiki extensions (GPL-2.0+)"),
    source("pywikibot", MESSAGES, "Pywikibot (MIT)"),
    source("etherpad", MESSAGES, "Etherpad (Apache-2.0)"),
    source("osmid", MESSAGES, "iD (ISC)"),
    source("osmweb", MESSAGES, "OpenStreetMap website (GPL-2.0)"),
    source(
        "wikiapps",
        MESSAGES,
        "Wikipedia and Commons apps (Apache-2.0)",
    ),
    source("mozorg", MESSAGES, "mozilla.org (MPL-2.0)"),
    source("firefox", MESSAGES, "Firefox (MPL-2.0)"),
    source("libreoffice", MESSAGES, "LibreOffice (MPL-2.0)"),
    source("wordpress", MESSAGES, "WordPress (GPL-2.0+)"),
];

/// A file of sentences.
pub struct SentenceFile {
    pub code: LanguageCode,
    pub source: &'static SentenceSource,
    pub text: String,
}

/// Returns the files of a folder that are of known sources.
pub fn read_sentences(
    folder: &Path,
) -> anyhow::Result<impl Iterator<Item = anyhow::Result<SentenceFile>>> {
    let files = list_files(folder)?.into_iter();
    Ok(files.filter_map(|file| read_sentence_file(&file).transpose()))
}

/// Returns `None` if the file is not of a known source.
fn read_sentence_file(file: &Path) -> anyhow::Result<Option<SentenceFile>> {
    let (code, source) = class_and_source(file)?;
    let Some(source) = SENTENCE_SOURCES.iter().find(|s| s.name == source) else {
        return Ok(None);
    };
    Ok(Some(SentenceFile {
        code: code.parse()?,
        source,
        text: read_file(file)?,
    }))
}

/// Returns the language code and the source in a file name `CODE_Script.SOURCE.txt`.
pub fn class_and_source(file: &Path) -> anyhow::Result<(&str, &str)> {
    let name = file.file_stem().and_then(|name| name.to_str());
    let (class, source) = name
        .and_then(|name| name.split_once('.'))
        .with_context(|| format!("{}: no source in its name", file.display()))?;
    Ok((class.split('_').next().unwrap_or_default(), source))
}

/// Counts the words of sentences.
pub fn count_words(sentences: &SentenceFile, reader: &mut WordReader) -> WordList {
    let mut counts: HashMap<String, f64> = HashMap::new();
    reader.for_each_word(&sentences.text, |word, _| {
        *counts.entry(word).or_default() += 1.0;
    });
    if sentences.source.genre == WORDS {
        counts.values_mut().for_each(|count| *count = 1.0);
    }
    let words: BTreeMap<String, f64> = counts.into_iter().collect();
    WordList {
        tokens: words.values().sum(),
        words: words.into_iter().collect(),
    }
}
