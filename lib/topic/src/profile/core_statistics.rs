//! The documents of a core, as sequences of stems.

use super::words::ContentWords;
use crate::general_words::WordCounts;
use crate::numbering::{Numbering, enter, string_of};
use forage_langid::LanguageCode;

/// A content word of a document.
#[derive(Debug, Clone, Copy)]
pub(super) struct CoreWord {
    /// The number of its stem.
    pub(super) stem: u32,
    /// The number of its spelling in small letters.
    pub(super) spelling: u32,
    /// True if it can form a collocation with the word before.
    pub(super) is_adjacent: bool,
}

/// A document of a core.
#[derive(Debug)]
pub(super) struct CoreDocument {
    /// The number of its host.
    pub(super) host: u32,
    pub(super) words: Vec<CoreWord>,
}

/// The documents of a core, from which a profile is selected. Takes 12 bytes for each word.
#[derive(Debug)]
pub struct CoreStatistics {
    language: LanguageCode,
    words: ContentWords,
    pub(super) documents: Vec<CoreDocument>,
    hosts: Numbering,
    spellings: Numbering,
}

impl CoreStatistics {
    /// Creates an empty core in a language.
    pub fn new(language: LanguageCode) -> CoreStatistics {
        CoreStatistics {
            language,
            words: ContentWords::with_all_kept(language),
            documents: Vec::new(),
            hosts: Numbering::default(),
            spellings: Numbering::default(),
        }
    }

    /// Returns the language of the core.
    pub fn language(&self) -> LanguageCode {
        self.language
    }

    /// Returns the number of documents.
    pub fn document_count(&self) -> usize {
        self.documents.len()
    }

    /// Returns the number of distinct hosts of the documents.
    pub fn host_count(&self) -> usize {
        self.hosts.len()
    }

    /// Adds a document that is from `host`.
    pub fn add_document(&mut self, host: &str, text: &str) {
        let mut words = Vec::new();
        let spellings = &mut self.spellings;
        self.words.for_each(text, |word, spelling| {
            words.push(CoreWord {
                stem: word.stem,
                spelling: enter(spellings, &spelling.to_lowercase()).0,
                is_adjacent: word.is_adjacent,
            });
        });
        let (host, ()) = enter(&mut self.hosts, host);
        self.documents.push(CoreDocument { host, words });
    }

    /// Adds the words of a text to the counts of general text.
    pub fn count_general_text(&mut self, counts: &mut WordCounts, text: &str) {
        let mut stems = Vec::new();
        self.words.for_each(text, |word, _| stems.push(word.stem));
        for stem in stems {
            counts.add(self.words.stem(stem), 1.0);
        }
    }

    /// Adds a word with its frequency in general text to the counts.
    pub fn count_general_word(&mut self, counts: &mut WordCounts, word: &str, count: f64) {
        let mut stem = None;
        self.words.for_each(word, |word, _| stem = Some(word.stem));
        if let Some(stem) = stem {
            counts.add(self.words.stem(stem), count);
        }
    }

    pub(super) fn stem(&self, number: u32) -> &str {
        self.words.stem(number)
    }

    pub(super) fn spelling(&self, number: u32) -> &str {
        string_of(&self.spellings, number)
    }
}
