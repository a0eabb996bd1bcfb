//! Stop words of English.
//!
//! Function words, and nouns and adjectives that say nothing about the subject of an article:
//! pronominal adjectives, days and months, and the words for numbers and shares.

/// Stop words in small letters, sorted.
const STOP_WORDS: &str = include_str!("stop-words.txt");

/// Returns `true` if `word`, in small letters, is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    use foldhash::HashSet;
    use std::sync::LazyLock;
    static SET: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
        STOP_WORDS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .flat_map(str::split_ascii_whitespace)
            .collect()
    });
    SET.contains(word)
}

#[cfg(test)]
mod tests {
    #[test]
    fn function_words_are_stop_words_and_subjects_are_not() {
        assert!(
            ["the", "same", "monday", "feb", "million"]
                .iter()
                .all(|w| super::is_stop_word(w))
        );
        assert!(
            !["oil", "house", "company"]
                .iter()
                .any(|w| super::is_stop_word(w))
        );
    }
}
