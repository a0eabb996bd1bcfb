//! The interface of part-of-speech taggers.

use std::borrow::Cow;
use std::fmt::Debug;
use std::ops::Range;

/// The parts of speech that the grammar of noun phrases distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartOfSpeech {
    /// An adjective; it may precede nouns in a noun phrase.
    Adjective,
    /// A noun.
    Noun,
    /// Any other word, and punctuation: the end of a noun phrase.
    Other,
}

/// A word of a text, as a tagger divides it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaggedWord<'a> {
    /// The bytes of the word in the text.
    pub range: Range<usize>,
    /// The stem, by which words are counted and compared.
    pub stem: Cow<'a, str>,
    /// The part of speech in this context.
    pub part: PartOfSpeech,
    /// True if the word is removed from noun phrases: a stop word of the language.
    pub is_stop_word: bool,
}

/// A part-of-speech tagger of one language.
pub trait Tagger: Debug + Send + Sync {
    /// Divides a text into words, and calls `visit` for each, in the order of the text. Punctuation
    /// is a word of part of speech [`PartOfSpeech::Other`]. Text between two words that is not only
    /// blanks ends a noun phrase as well.
    fn tag_words(&self, text: &str, visit: &mut dyn FnMut(TaggedWord<'_>));
}
