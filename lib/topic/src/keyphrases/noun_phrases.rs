//! Noun phrases: adjectives and nouns, ending in a noun.

use super::phrases::{PhraseCounter, PhraseWord};
use super::tagger::{PartOfSpeech, Tagger};
use forage_text::remove_addresses;

/// Counts the words and the maximal noun phrases of a part of an article.
pub(crate) fn count_noun_phrases(tagger: &dyn Tagger, text: &str, counter: &mut PhraseCounter) {
    let text = &*remove_addresses(text);
    tagger.tag_words(text, &mut |word| {
        if word.part == PartOfSpeech::Other {
            counter.end_sequence(text);
            if !word.stem.is_empty() {
                counter.count_word(&word.stem);
            }
            return;
        }
        if counter.is_interrupted_at(text, word.range.start) {
            counter.end_sequence(text);
        }
        let stem = counter.count_word(&word.stem);
        counter.extend_sequence(PhraseWord {
            range: word.range,
            stem,
            may_end_phrase: word.part == PartOfSpeech::Noun,
            is_stop_word: word.is_stop_word,
        });
    });
    counter.end_sequence(text);
}
