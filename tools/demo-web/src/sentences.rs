//! The sentences of the closed web, by language.
//!
//! They are compressed in one file, whose origin and licence are in `sentences/README.md`.

use flate2::read::GzDecoder;
use std::io::Read;
use std::sync::LazyLock;

/// The sentences of all languages, one a line, a language after the other: the line before its
/// sentences is its code, and the line after them is empty.
static SENTENCES: LazyLock<String> = LazyLock::new(|| {
    let compressed = include_bytes!("../sentences/sentences.txt.gz");
    let mut text = String::new();
    GzDecoder::new(compressed.as_slice())
        .read_to_string(&mut text)
        .expect("the file in this program is not damaged");
    text
});

/// A language of the closed web.
#[derive(Debug)]
pub struct Language {
    /// ISO 639-3 code.
    pub code: &'static str,
    /// The tag of the language in HTML.
    pub tag: &'static str,
    /// Codes of the classes whose terms a query for this language excludes first: English, which is
    /// on pages in all languages, and up to three languages of the web that are related to this one
    /// or share its script, other than Latin.
    pub contrast: Vec<&'static str>,
}

/// The languages of the closed web, by code: a line has a code, a tag, and the contrast classes.
pub static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let read = |line: &'static str| {
        let mut words = line.split(' ');
        Some(Language {
            code: words.next()?,
            tag: words.next()?,
            contrast: words.collect(),
        })
    };
    include_str!("languages.txt")
        .lines()
        .filter_map(read)
        .collect()
});

impl Language {
    /// Returns the sentences, in the order of the file.
    pub fn sentences(&self) -> Vec<&'static str> {
        let mut languages = SENTENCES.split("\n\n");
        let sentences = languages.find_map(|text| text.strip_prefix(self.code));
        sentences.map_or_else(Vec::new, |text| text.trim().lines().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::LANGUAGES;

    #[test]
    fn each_language_has_enough_sentences() {
        for language in LANGUAGES.iter() {
            let minimum = match language.code {
                "jpn" => 410,
                "zho" => 720,
                "tur" => 750,
                _ => 930,
            };
            let count = language.sentences().len();
            assert!(
                (minimum..=1000).contains(&count),
                "{}: {count}",
                language.code
            );
        }
    }

    #[test]
    fn languages_are_sorted_by_code() {
        assert!(LANGUAGES.is_sorted_by_key(|language| language.code));
    }

    #[test]
    fn contrast_classes_are_other_languages_of_the_web_and_include_english() {
        for language in LANGUAGES.iter() {
            let codes = &language.contrast;
            assert!(codes.len() <= 4, "{codes:?}");
            assert!(language.code == "eng" || codes[0] == "eng", "{codes:?}");
            for code in codes {
                assert!(*code != language.code && LANGUAGES.iter().any(|l| l.code == *code));
            }
        }
    }
}
