//! Extraction of keyphrases from one article, without statistics of other articles.
//!
//! A tagger ([`Tagger`]) divides a text into words with stems and parts of speech; each language
//! with a tagger is a module of its own, and an entry in [`find_tagger`]. The other languages have
//! words, and phrases that recur (`statistical`).
//!
//! ```
//! use forage_topic::keyphrases::{Article, KeyphraseExtractor};
//! use forage_record::KeywordsMethod;
//!
//! let article = Article { title: None, text: "The oil price fell. Oil prices rose." };
//! let english = "eng".parse().unwrap();
//! let keyphrases = KeyphraseExtractor::default()
//!     .extract(article, english, KeywordsMethod::NounPhrases);
//! assert_eq!(keyphrases[0].phrase, "oil price");
//! assert_eq!(keyphrases[0].key, "oil price");
//! // ln(2 words + (2 + 2) / 2 + 2)
//! assert!((keyphrases[0].score - 6f64.ln()).abs() < 1e-12);
//! ```

mod english;
pub mod japanese;
pub(crate) mod language_words;
mod noun_phrases;
mod phrases;
mod porter;
mod statistical;
mod tagger;

pub use english::EnglishTagger;
pub use porter::stem as stem_english;
pub use tagger::{PartOfSpeech, TaggedWord, Tagger};

use foldhash::HashMap;
use forage_langid::LanguageCode;
use forage_record::{Keyphrase, KeywordsMethod};
use forage_text::resolve_letter_forms;
use phrases::PhraseCounter;
use statistical::StatisticalExtractor;

use std::sync::LazyLock;

/// Bytes of a text that are read: no article has more, and a file of words alone would take 45
/// times its size in memory.
const MAX_TEXT_BYTES: usize = 2 << 20;
/// Number of languages whose words are kept for the next text.
const MAX_KEPT_LANGUAGES: usize = 16;

/// Returns the tagger of a language; `None` if it has none, or its dictionary is missing
/// ([`japanese::tagger`]).
pub fn find_tagger(code: LanguageCode) -> Option<&'static dyn Tagger> {
    static ENGLISH: LazyLock<EnglishTagger> = LazyLock::new(EnglishTagger::default);
    match code.as_str() {
        "eng" => Some(&*ENGLISH),
        "jpn" => japanese::tagger().ok().map(|tagger| tagger as &dyn Tagger),
        _ => None,
    }
}

/// An article.
#[derive(Debug, Clone, Copy)]
pub struct Article<'a> {
    /// The title, if it is known.
    pub title: Option<&'a str>,
    /// The text, which may begin with the title.
    pub text: &'a str,
}

/// Extracts keyphrases. Keeps its buffers for the next article.
#[derive(Debug, Default)]
pub struct KeyphraseExtractor {
    languages: HashMap<LanguageCode, StatisticalExtractor>,
}

impl KeyphraseExtractor {
    /// Returns the keyphrases of an article in the language `code`, the best first, and those with
    /// equal scores in the order of their first occurrence, title first.
    ///
    /// Noun phrases have the score `NPScore` (Bracewell, Ren & Kuroiwa 2007, equation 1), and are
    /// spelt as in their first occurrence in the text, or in the title if they are only there.
    /// Statistical keyphrases have a score that contrasts the article with general text, and are
    /// spelt as in their shortest occurrence. The key is made of the stems of the words without
    /// stop words. Frequencies are those of title and text together; a title with which the text
    /// begins counts once.
    ///
    /// A language without a tagger has no noun phrases, and the result is then empty. Only the
    /// first 2 MiB of a text are read, which bounds time and memory.
    pub fn extract(
        &mut self,
        article: Article<'_>,
        code: LanguageCode,
        method: KeywordsMethod,
    ) -> Vec<Keyphrase> {
        // Queries are compared with pages, whose text has letters rather than their forms.
        let title = article.title.map(resolve_letter_forms);
        let text = resolve_letter_forms(article.text);
        let title = title
            .as_deref()
            .filter(|title| !begins_with_title(&text, title))
            .unwrap_or_default();
        let text = &text[..text.floor_char_boundary(MAX_TEXT_BYTES)];
        if method == KeywordsMethod::Statistical {
            return self.statistical_extractor(code).extract(&[title, text]);
        }
        let mut counter = PhraseCounter::default();
        if let Some(tagger) = find_tagger(code) {
            for (part, replaces_surface) in [(title, false), (text, true)] {
                counter.start_part(replaces_surface);
                noun_phrases::count_noun_phrases(tagger, part, &mut counter);
            }
        }
        counter.into_keyphrases()
    }

    fn statistical_extractor(&mut self, code: LanguageCode) -> &mut StatisticalExtractor {
        if self.languages.len() >= MAX_KEPT_LANGUAGES && !self.languages.contains_key(&code) {
            self.languages.clear();
        }
        self.languages
            .entry(code)
            .or_insert_with(|| StatisticalExtractor::new(code))
    }
}

/// Returns `true` if the first line of `text` with letters is `title`, apart from blanks and case.
fn begins_with_title(text: &str, title: &str) -> bool {
    let first_line = text.trim_start().lines().next().unwrap_or_default();
    let fold = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(str::to_lowercase).collect();
        words.join(" ")
    };
    // Letters may change their length in small letters, but seldom by more than half.
    first_line.len() <= 2 * title.len() + 64 && fold(first_line) == fold(title)
}

#[cfg(test)]
mod tests;
