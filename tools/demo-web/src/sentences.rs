//! The sentences that the web is made of, by language.
//!
//! Each of Lingua's language-model crates (Peter M. Stahl, Apache-2.0) carries a thousand sentences
//! to test language detection with, taken from the Leipzig Corpora Collection. Only these are
//! linked: the models beside them are constants that nothing here uses. French and Spanish are left
//! out because their sentences lost letters to a wrong encoding, and Malay because most of its
//! sentences are Indonesian.

use include_dir::Dir;

/// Fewest words of a sentence that says something.
const WORDS_MIN: usize = 3;

/// A language of the web.
#[derive(Debug)]
pub struct Language {
    pub code: &'static str,
    testdata: &'static Dir<'static>,
}

/// The languages of the web, by code.
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
    /// The usable sentences, in the crate's order (alphabetic).
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

/// Whether a sentence says something and came undamaged: a control character is a letter in a wrong
/// encoding.
fn is_usable(sentence: &str) -> bool {
    sentence.split_whitespace().count() >= WORDS_MIN && !sentence.chars().any(is_damage)
}

fn is_damage(character: char) -> bool {
    // Soft hyphen, zero-width space and joiners, direction marks, and the mark of an undecodable
    // byte.
    character.is_control() || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{fffd}')
}

#[cfg(test)]
mod tests {
    use super::{LANGUAGES, is_usable};

    #[test]
    fn each_language_has_sentences_for_its_pages() {
        for language in &LANGUAGES {
            let found = language.sentences().len();
            assert!((930..=1000).contains(&found), "{}: {found}", language.code);
        }
    }

    #[test]
    fn leaves_out_what_is_short_or_damaged() {
        assert!(is_usable("Danes je lepo."));
        assert!(!is_usable("Res je."));
        assert!(!is_usable("Dzi\u{99} jest pi\u{85}kny dzie\u{84}."));
        assert!(!is_usable("Danes je le\u{ad}po."));
    }
}
