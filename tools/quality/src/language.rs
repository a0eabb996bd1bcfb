//! The most frequent words of the language of a record.

use forage_langid::{Identifier, LanguageCode, Scratch, WordProbabilities};
use forage_record::{LangId, Record, field};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Identifies the language of records without `langid`. Loaded when the first one comes.
static IDENTIFIER: LazyLock<Identifier> = LazyLock::new(Identifier::builtin);

/// Log probability from which a word is frequent: about the 100 most frequent words of a language.
const MIN_LOG_PROBABILITY: f64 = -7.0;

/// Words whose frequency is remembered for the next texts.
const MAX_REMEMBERED_WORDS: usize = 1 << 15;

/// Returns the language of a label; `None` if its frequent words are unknown, because the label may
/// be that of another filter.
pub fn language_of_label(record: &Record) -> Option<LanguageCode> {
    let code = record.scalar(field::LABEL)?.parse().ok();
    code.filter(|code| WordProbabilities::builtin(*code).is_some())
}

/// The frequent words of one language after another.
#[derive(Debug, Default)]
pub struct FrequentWords {
    language: Option<LanguageCode>,
    probabilities: Option<WordProbabilities>,
    scratch: Scratch,
    remembered: HashMap<String, bool>,
}

impl FrequentWords {
    /// Turns to the language of a record: that of `langid`, else of its label, else the identified
    /// one. Returns it; `None` if it is unknown.
    pub fn set_language_of(&mut self, record: &Record, text: &str) -> Option<LanguageCode> {
        let recorded = LangId::code_of(record).and_then(|code| code.parse().ok());
        let mut identify = || IDENTIFIER.identify_with(&mut self.scratch, text).code;
        let code = recorded
            .or_else(|| language_of_label(record))
            .unwrap_or_else(&mut identify);
        if self.language != Some(code) {
            self.language = Some(code);
            self.probabilities = WordProbabilities::builtin(code);
            self.remembered.clear();
        }
        Some(code).filter(|code| *code != LanguageCode::UNDETERMINED)
    }

    /// Returns whether a word is frequent; `None` if that is unknown of the language.
    pub fn is_frequent(&mut self, word: &str) -> Option<bool> {
        let probabilities = self.probabilities.as_ref()?;
        if let Some(is_frequent) = self.remembered.get(word) {
            return Some(*is_frequent);
        }
        let log = probabilities.estimate_log_probability(&mut self.scratch, word);
        let is_frequent = log.is_some_and(|log| log >= MIN_LOG_PROBABILITY);
        if self.remembered.len() < MAX_REMEMBERED_WORDS {
            self.remembered.insert(word.to_owned(), is_frequent);
        }
        Some(is_frequent)
    }
}
