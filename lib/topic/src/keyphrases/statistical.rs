//! Phrases of languages without a tagger: the longest sequences of words between stop words and
//! punctuation (S. Rose et al., "Automatic keyword extraction from individual documents", 2010).
//!
//! Stop words are the most frequent words of the language, by the word lists of `langid`.

use super::phrases::{PhraseCounter, PhraseWord};
use super::{english, porter};
use foldhash::HashMap;
use forage_langid::{LanguageCode, Scratch, WordProbabilities};
use forage_text::{contains_unspaced_script, fold_unspaced, for_each_word, normalise};
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::fmt;

/// Log probability from which a word is a stop word: about the 100 most frequent words of a
/// language. Set by judgement, on lists of frequent words of several languages; not measured.
const MIN_STOP_WORD_LOG_PROBABILITY: f64 = -7.0;

/// Maximum length of a word, in bytes. Longer ones are data, such as base64. Set by judgement, not
/// measured.
const MAX_WORD_BYTES: usize = 200;

/// Maximum number of words whose properties are kept for the next text. Set by judgement, not
/// measured.
const MAX_KEPT_WORDS: usize = 1 << 15;

/// How words of a language are reduced to stems.
enum StemmingRule {
    Porter,
    Snowball(Stemmer),
    LowerCase,
}

impl StemmingRule {
    fn of_language(code: &str) -> Self {
        let algorithm = match code {
            "eng" => return StemmingRule::Porter,
            "ara" => Algorithm::Arabic,
            "dan" => Algorithm::Danish,
            "deu" => Algorithm::German,
            "ell" => Algorithm::Greek,
            "fin" => Algorithm::Finnish,
            "fra" => Algorithm::French,
            "hun" => Algorithm::Hungarian,
            "ita" => Algorithm::Italian,
            "nld" => Algorithm::Dutch,
            "nob" | "nno" | "nor" => Algorithm::Norwegian,
            "por" => Algorithm::Portuguese,
            "ron" => Algorithm::Romanian,
            "rus" => Algorithm::Russian,
            "spa" => Algorithm::Spanish,
            "swe" => Algorithm::Swedish,
            "tam" => Algorithm::Tamil,
            "tur" => Algorithm::Turkish,
            _ => return StemmingRule::LowerCase,
        };
        StemmingRule::Snowball(Stemmer::create(algorithm))
    }

    /// Returns the stem of a word in small letters.
    fn stem(&self, mut word: String) -> String {
        match self {
            StemmingRule::Porter => {
                porter::stem(&mut word);
                word
            }
            StemmingRule::Snowball(stemmer) => stemmer.stem(&word).into_owned(),
            StemmingRule::LowerCase => word,
        }
    }
}

/// The words of one language: its stop words and stems. Remembers those of earlier texts.
pub(crate) struct LanguageWords {
    is_english: bool,
    /// True if articles and pronouns are written together with the next word, as in "l'eau".
    has_elision: bool,
    /// `None` if the model of `langid` lacks the language: only single letters are stop words.
    probabilities: Option<WordProbabilities>,
    stemming: StemmingRule,
    scratch: Scratch,
    known: HashMap<Box<str>, WordProperties>,
}

#[derive(Debug, Clone)]
struct WordProperties {
    stem: Box<str>,
    is_stop_word: bool,
}

impl fmt::Debug for LanguageWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LanguageWords").finish_non_exhaustive()
    }
}

impl LanguageWords {
    pub(crate) fn new(code: LanguageCode) -> Self {
        LanguageWords {
            is_english: code.as_str() == "eng",
            has_elision: matches!(code.as_str(), "fra" | "ita" | "cat" | "oci"),
            probabilities: WordProbabilities::builtin(code),
            stemming: StemmingRule::of_language(code.as_str()),
            scratch: Scratch::default(),
            known: HashMap::default(),
        }
    }

    /// Counts the words and the maximal sequences of a part of an article.
    pub(crate) fn count_phrases(&mut self, text: &str, counter: &mut PhraseCounter) {
        let text = fold_text(text);
        let mut search_start = 0;
        for_each_word(&text, |word| {
            let Some(start) = locate(&text, search_start, word) else {
                return;
            };
            search_start = start + word.len();
            let elided = if self.has_elision {
                elided_length(word)
            } else {
                0
            };
            let (start, word) = (start + elided, &word[elided..]);
            if elided > 0 {
                counter.end_sequence(&text);
            }
            if counter.is_interrupted_at(&text, start) {
                counter.end_sequence(&text);
            }
            if word.len() > MAX_WORD_BYTES || !word.contains(char::is_alphabetic) {
                counter.end_sequence(&text);
                return;
            }
            let properties = self.properties(word);
            let stem = counter.count_word(&properties.stem);
            if properties.is_stop_word {
                counter.end_sequence(&text);
            } else {
                counter.extend_sequence(PhraseWord {
                    range: start..search_start,
                    stem,
                    may_end_phrase: true,
                    is_stop_word: false,
                });
            }
        });
        counter.end_sequence(&text);
    }

    fn properties(&mut self, word: &str) -> &WordProperties {
        if self.known.len() >= MAX_KEPT_WORDS {
            self.known.clear();
        }
        if !self.known.contains_key(word) {
            let lower = word.to_lowercase();
            let properties = WordProperties {
                is_stop_word: self.is_stop_word(&lower),
                stem: self.stemming.stem(lower).into(),
            };
            self.known.insert(word.into(), properties);
        }
        &self.known[word]
    }

    fn is_stop_word(&mut self, lower: &str) -> bool {
        let is_frequent = self.probabilities.as_ref().is_some_and(|probabilities| {
            probabilities
                .estimate_log_probability(&mut self.scratch, lower)
                .is_some_and(|log| log >= MIN_STOP_WORD_LOG_PROBABILITY)
        });
        is_frequent || self.is_english && english::is_stop_word(lower) || is_single_letter(lower)
    }
}

/// Returns the length in bytes of an elided article or pronoun at the start of a word, such as "l'"
/// or "qu'"; 0 if there is none.
fn elided_length(word: &str) -> usize {
    /// Maximum length of what is elided, in bytes, as in "dell'".
    const MAX_LENGTH: usize = 5;
    let is_apostrophe = |c: char| c == '\'' || c == '’';
    let Some((before, _)) = word.split_once(is_apostrophe) else {
        return 0;
    };
    let after = word[before.len()..].trim_start_matches(is_apostrophe);
    if before.len() <= MAX_LENGTH && !after.is_empty() {
        word.len() - after.len()
    } else {
        0
    }
}

/// Returns `true` for one letter of an alphabet that distinguishes small and capital letters.
fn is_single_letter(lower: &str) -> bool {
    let mut characters = lower.chars();
    characters.next().is_some_and(char::is_lowercase) && characters.next().is_none()
}

/// Returns the text in the spelling in which words of scripts without blanks are segmented.
fn fold_text(text: &str) -> Cow<'_, str> {
    match normalise(text) {
        Cow::Borrowed(text) if contains_unspaced_script(text) => fold_unspaced(text),
        Cow::Owned(text) if contains_unspaced_script(&text) => {
            Cow::Owned(fold_unspaced(&text).into_owned())
        }
        text => text,
    }
}

/// Returns the position at which `word` begins in `text`, at or soon after `start`.
fn locate(text: &str, start: usize, word: &str) -> Option<usize> {
    /// Maximum number of bytes between two words. Only so many are searched, so that a text is
    /// read in linear time even if its words are spelt otherwise than in the text.
    const MAX_GAP: usize = 4096;
    // Most words are slices of the text.
    let offset = (word.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
    if text
        .get(offset..)
        .is_some_and(|rest| rest.starts_with(word))
    {
        return Some(offset);
    }
    let mut end = (start + word.len() + MAX_GAP).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    text[start..end].find(word).map(|offset| start + offset)
}
