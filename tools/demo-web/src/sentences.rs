//! The sentences of the closed web, by language.
//!
//! Each language-model crate of Lingua (Peter M. Stahl, Apache-2.0) contains a thousand sentences
//! for tests of language identification, from the Leipzig Corpora Collection. Only these are
//! linked, because the models are constants that this program does not use. French and Spanish are
//! excluded because their sentences are mojibake, and Malay because most of its sentences are
//! Indonesian.

use include_dir::Dir;

/// Minimum words of a sentence; shorter ones are fragments. Set by judgement, not measured.
const MIN_WORDS: usize = 3;

/// A language of the closed web.
#[derive(Debug)]
pub struct Language {
    /// ISO 639-3 code.
    pub code: &'static str,
    testdata: &'static Dir<'static>,
}

/// The languages of the closed web, by code.
pub const LANGUAGES: [Language; 17] = [
    Language {
        code: "bos",
        testdata: &lingua_bosnian_language_model::BOSNIAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "ces",
        testdata: &lingua_czech_language_model::CZECH_TESTDATA_DIRECTORY,
    },
    Language {
        code: "deu",
        testdata: &lingua_german_language_model::GERMAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "eng",
        testdata: &lingua_english_language_model::ENGLISH_TESTDATA_DIRECTORY,
    },
    Language {
        code: "hrv",
        testdata: &lingua_croatian_language_model::CROATIAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "hun",
        testdata: &lingua_hungarian_language_model::HUNGARIAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "ind",
        testdata: &lingua_indonesian_language_model::INDONESIAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "ita",
        testdata: &lingua_italian_language_model::ITALIAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "mkd",
        testdata: &lingua_macedonian_language_model::MACEDONIAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "nld",
        testdata: &lingua_dutch_language_model::DUTCH_TESTDATA_DIRECTORY,
    },
    Language {
        code: "pol",
        testdata: &lingua_polish_language_model::POLISH_TESTDATA_DIRECTORY,
    },
    Language {
        code: "por",
        testdata: &lingua_portuguese_language_model::PORTUGUESE_TESTDATA_DIRECTORY,
    },
    Language {
        code: "ron",
        testdata: &lingua_romanian_language_model::ROMANIAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "slk",
        testdata: &lingua_slovak_language_model::SLOVAK_TESTDATA_DIRECTORY,
    },
    Language {
        code: "slv",
        testdata: &lingua_slovene_language_model::SLOVENE_TESTDATA_DIRECTORY,
    },
    Language {
        code: "srp",
        testdata: &lingua_serbian_language_model::SERBIAN_TESTDATA_DIRECTORY,
    },
    Language {
        code: "tgl",
        testdata: &lingua_tagalog_language_model::TAGALOG_TESTDATA_DIRECTORY,
    },
];

impl Language {
    /// Returns the usable sentences, in the alphabetic order of the crate.
    pub fn sentences(&self) -> Vec<&'static str> {
        let text = self
            .testdata
            .get_file("sentences.txt")
            .and_then(|file| file.contents_utf8());
        text.unwrap_or_default()
            .lines()
            .map(str::trim)
            .filter(|sentence| is_usable(sentence))
            .collect()
    }
}

/// Returns `true` if a sentence is long enough and has no sign of a wrong encoding.
fn is_usable(sentence: &str) -> bool {
    sentence.split_whitespace().count() >= MIN_WORDS && !sentence.chars().any(is_encoding_damage)
}

/// Returns `true` for control characters, which are letters decoded with the wrong charset, soft
/// hyphens, zero-width spaces and joiners, direction marks, and the replacement character.
fn is_encoding_damage(character: char) -> bool {
    character.is_control() || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::{LANGUAGES, is_usable};

    #[test]
    fn each_language_has_enough_sentences() {
        for language in &LANGUAGES {
            let count = language.sentences().len();
            assert!((930..=1000).contains(&count), "{}: {count}", language.code);
        }
    }

    #[test]
    fn short_and_damaged_sentences_are_not_usable() {
        assert!(is_usable("Danes je lepo."));
        assert!(!is_usable("Res je."));
        assert!(!is_usable("Dzi\u{99} jest pi\u{85}kny dzie\u{84}."));
        assert!(!is_usable("Danes je le\u{ad}po."));
    }
}
