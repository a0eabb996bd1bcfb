//! Phrases of languages without a tagger: the longest sequences of words between stop words and
//! punctuation (S. Rose et al., "Automatic keyword extraction from individual documents", 2010).

use super::language_words::{LanguageWords, fold_text};
use super::phrases::{PhraseCounter, PhraseWord};

/// Counts the words and the maximal sequences of a part of an article.
pub(crate) fn count_phrases(words: &mut LanguageWords, text: &str, counter: &mut PhraseCounter) {
    let text = fold_text(text);
    words.for_each_word(&text, |words, word| {
        if word.is_after_elision || counter.is_interrupted_at(&text, word.range.start) {
            counter.end_sequence(&text);
        }
        if !word.has_letters() {
            counter.end_sequence(&text);
            return;
        }
        let properties = words.properties(word.text);
        let stem = counter.count_word(&properties.stem);
        if properties.is_stop_word {
            counter.end_sequence(&text);
        } else {
            counter.extend_sequence(PhraseWord {
                range: word.range,
                stem,
                may_end_phrase: true,
                is_stop_word: false,
            });
        }
    });
    counter.end_sequence(&text);
}
