//! The words of a language: their stems, their probabilities, and its stop words.
//!
//! Stop words are the most frequent words of the language, by the word lists of `langid`.

use super::{english, porter};
use foldhash::HashMap;
use forage_langid::{LanguageCode, Scratch, WordProbabilities};
use forage_text::{
    ReadText, Spelling, ascii_form, contains_unspaced_script, fold_unspaced, for_each_word,
    normalise,
};
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// Log probability from which a word is a stop word: about the 100 most frequent words of a
/// language. Set by judgement, on lists of frequent words of several languages; not measured.
const MIN_STOP_WORD_LOG_PROBABILITY: f64 = -7.0;

/// Maximum length of a word, in bytes. Longer ones are data, such as base64.
const MAX_WORD_BYTES: usize = 200;

/// Maximum number of words whose properties are kept for the next text.
const MAX_KEPT_WORDS: usize = 1 << 15;

/// How words of a language are reduced to stems.
enum StemmingRule {
    Porter,
    Snowball(Stemmer),
    /// Snowball, after the ending of a name, as in "İstanbul'da".
    Turkish(Stemmer),
    /// The beginning of the word.
    Prefix,
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
            "tur" => return StemmingRule::Turkish(Stemmer::create(Algorithm::Turkish)),
            _ => return StemmingRule::Prefix,
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
            StemmingRule::Turkish(stemmer) => stemmer.stem(before_apostrophe(&word)).into_owned(),
            StemmingRule::Prefix => {
                word.truncate(prefix(&word).len());
                word
            }
            StemmingRule::LowerCase => word,
        }
    }
}

/// Maximum number of letters by which words are compared in languages without a stemmer. Prefixes
/// of five letters tell passages of several documents apart best (BENCHMARKS.md, "Subjects in any
/// language"), as in P. McNamee and J. Mayfield, "Character n-gram tokenization for European
/// language text retrieval", 2004.
const PREFIX_LETTERS: usize = 5;

/// Minimum number of letters before an apostrophe that separates an ending, as in "İran'ın", and
/// not a prefix, as in "o'zbek".
const MIN_LETTERS_BEFORE_ENDING: usize = 3;

/// Returns the beginning of a word in small letters, by which it is compared in a language without
/// a stemmer. Marks at its end, such as the vowel signs of Indic scripts, belong to the ending. A
/// word of a script without blanks is compared as a whole: it has no endings.
fn prefix(word: &str) -> &str {
    if contains_unspaced_script(word) {
        return word;
    }
    let word = before_apostrophe(word);
    let end = word.char_indices().nth(PREFIX_LETTERS);
    let prefix = end.map_or(word, |(end, _)| &word[..end]);
    let is_ending = |c: char| is_combining_mark(c) || !c.is_alphanumeric();
    match prefix.trim_end_matches(is_ending) {
        "" => word,
        trimmed => trimmed,
    }
}

/// Returns the part of a word before an ending that an apostrophe separates.
fn before_apostrophe(word: &str) -> &str {
    match word.find(['\'', '’']) {
        Some(end) if word[..end].chars().count() >= MIN_LETTERS_BEFORE_ENDING => &word[..end],
        _ => word,
    }
}

/// The words of one language: its stop words and stems. Remembers those of earlier texts.
pub(crate) struct LanguageWords {
    is_english: bool,
    /// `None` if the model of `langid` lacks the language: only single letters are stop words.
    probabilities: Option<WordProbabilities>,
    stemming: StemmingRule,
    scratch: Scratch,
    /// The rules of the last text.
    spelling: Spelling,
    known: HashMap<Box<str>, WordProperties>,
}

/// What is known about a word of a language.
#[derive(Debug, Clone)]
pub(crate) struct WordProperties {
    pub(crate) stem: Box<str>,
    pub(crate) is_stop_word: bool,
}

/// A word of a text with its place.
#[derive(Debug, Clone)]
pub(crate) struct LocatedWord<'a> {
    pub(crate) text: &'a str,
    /// The bytes of the word in the text.
    pub(crate) range: Range<usize>,
    /// True if an article or pronoun is written together with the word, and was cut off.
    pub(crate) is_after_elision: bool,
}

impl LocatedWord<'_> {
    /// Returns `true` if the word is made of letters, and is no data.
    pub(crate) fn has_letters(&self) -> bool {
        self.text.len() <= MAX_WORD_BYTES && self.text.contains(char::is_alphabetic)
    }
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
            probabilities: WordProbabilities::builtin(code),
            stemming: StemmingRule::of_language(code.as_str()),
            scratch: Scratch::default(),
            spelling: Spelling::of_text(""),
            known: HashMap::default(),
        }
    }

    /// Creates the words of a language that are compared as a whole if it has no stemmer, because
    /// people read and edit them.
    pub(crate) fn with_whole_words(code: LanguageCode) -> Self {
        let mut words = LanguageWords::new(code);
        if matches!(words.stemming, StemmingRule::Prefix) {
            words.stemming = StemmingRule::LowerCase;
        }
        words
    }

    /// Returns `true` if the frequent words of the language are known, so that they are stop words.
    pub(crate) fn has_stop_words(&self) -> bool {
        self.probabilities.is_some()
    }

    /// Calls `emit` with each word of a text that `fold_text` has folded, in order.
    pub(crate) fn for_each_word(
        &mut self,
        text: &str,
        mut emit: impl FnMut(&mut Self, LocatedWord),
    ) {
        let has_elision = has_certain_elision(text);
        let spelling = Spelling::of_text(text).of_words();
        if spelling != self.spelling {
            self.spelling = spelling;
            self.known.clear();
        }
        let mut search_start = 0;
        for_each_word(text, |word| {
            let Some(start) = locate(text, search_start, word) else {
                return;
            };
            search_start = start + word.len();
            let elided = elided_length(word, has_elision);
            let word = LocatedWord {
                text: &word[elided..],
                range: start + elided..search_start,
                is_after_elision: elided > 0,
            };
            emit(self, word);
        });
    }

    /// Returns a word of the last text as it is read there.
    pub(crate) fn read<'a>(&self, word: &'a str) -> ReadText<'a> {
        self.spelling.read(word)
    }

    /// Returns the properties of a word in any case.
    pub(crate) fn properties(&mut self, word: &str) -> &WordProperties {
        if self.known.len() >= MAX_KEPT_WORDS {
            self.known.clear();
        }
        if !self.known.contains_key(word) {
            let properties = self.find_properties(self.spelling.fold_word(word));
            self.known.insert(word.into(), properties);
        }
        &self.known[word]
    }

    fn find_properties(&mut self, mut lower: String) -> WordProperties {
        if self.is_english {
            let stem = lower.trim_end_matches("'s").trim_end_matches("’s").len();
            lower.truncate(stem);
        }
        let log_probability = self.probabilities.as_ref().and_then(|probabilities| {
            probabilities.estimate_log_probability(&mut self.scratch, &lower)
        });
        let is_stop_word = log_probability.is_some_and(|log| log >= MIN_STOP_WORD_LOG_PROBABILITY)
            || self.is_english && english::is_stop_word(&lower)
            || is_single_letter(&lower);
        WordProperties {
            is_stop_word,
            stem: self.stemming.stem(lower).into(),
        }
    }
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’' | '‘' | '`' | '´' | '′')
}

/// Returns the parts of a word before and after its first apostrophe.
fn split_at_apostrophe(word: &str) -> Option<(&str, &str)> {
    let (before, after) = word.split_once(is_apostrophe)?;
    Some((before, after.trim_start_matches(is_apostrophe)))
}

/// Returns `true` if the text has a word with a certain elision.
fn has_certain_elision(text: &str) -> bool {
    let is_certain = |(index, apostrophe): (usize, &str)| {
        let (before, after) = (&text[..index], &text[index + apostrophe.len()..]);
        let before = &before[before.trim_end_matches(char::is_alphabetic).len()..];
        let length = after
            .find(|c: char| !c.is_alphabetic())
            .unwrap_or(after.len());
        ElidedForm::of_word(before, &after[..length]) == ElidedForm::Certain
    };
    text.match_indices(is_apostrophe).any(is_certain)
}

/// Returns the length in bytes of an elided article, pronoun or preposition at the start of a word,
/// with its apostrophe, such as "l'" or "qu'"; 0 if there is none. In a text that `has_elision`,
/// possible forms are elided.
fn elided_length(word: &str, has_elision: bool) -> usize {
    let Some((before, after)) = split_at_apostrophe(word) else {
        return 0;
    };
    match ElidedForm::of_word(before, after) {
        ElidedForm::Certain => word.len() - after.len(),
        ElidedForm::Possible if has_elision => word.len() - after.len(),
        _ => 0,
    }
}

/// How likely it is, by its form, that the part of a word before an apostrophe is elided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ElidedForm {
    /// No article, pronoun or preposition has lost its vowel before another vowel.
    None,
    /// "t'" in French "t'aime", but also in Quechua "t'anta", where it is a consonant. Elided in a
    /// text that has certain forms.
    Possible,
    /// "l'", "d'", "s'", "qu'", "dell'".
    Certain,
}

impl ElidedForm {
    /// Returns the form of a word, given its parts before and after the apostrophe.
    fn of_word(before: &str, after: &str) -> Self {
        /// Maximum length of what is elided, in bytes, as in "quest'".
        const MAX_LENGTH: usize = 5;
        if before.len() > MAX_LENGTH {
            return ElidedForm::None;
        }
        let (before, after) = (&*before.to_lowercase(), after.to_lowercase());
        let mut letters = before.chars().rev();
        let (last, second) = (letters.next(), letters.next());
        let is_consonant =
            |c: Option<char>| c.is_some_and(|c| c.is_ascii_lowercase() && !"aeiouy".contains(c));
        let mut following = ascii_form(&after).chars().next();
        // An ending of a name, as in Turkish "Kars'ın".
        let is_ending = after.chars().nth(2).is_none();
        // The h of Breton "c'hoar" is no letter of its own.
        following = following.filter(|c| *c != 'h' || before != "c");
        if !following.is_some_and(|c| "aeiouyh".contains(c)) {
            ElidedForm::None
        } else if matches!(before, "l" | "d" | "s")
            || before.ends_with("qu")
            || before.ends_with("ll")
        {
            ElidedForm::Certain
        } else if is_consonant(last) && (second.is_none() || before == "un")
            || is_consonant(last) && is_consonant(second) && !is_ending
        {
            ElidedForm::Possible
        } else {
            ElidedForm::None
        }
    }
}

/// Returns `true` for one letter of an alphabet that distinguishes small and capital letters.
pub(crate) fn is_single_letter(lower: &str) -> bool {
    let mut characters = lower.chars();
    characters.next().is_some_and(char::is_lowercase) && characters.next().is_none()
}

/// Returns the text in the spelling in which words of scripts without blanks are segmented.
pub(crate) fn fold_text(text: &str) -> Cow<'_, str> {
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
