//! The n-gram counts of one text, for profiles that are learned text by text.

use crate::ngram::{NGram, NGramCounts};
use crate::script::Script;
use crate::words::WordCounts;

/// The n-grams of a text with their counts.
///
/// The sum of the counts of several texts in one script ranks as the profile that
/// [`crate::ProfileLearner`] builds from all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NGramSample {
    /// The script of most letters.
    pub script: Script,
    /// Number of words, repetitions included.
    pub tokens: u64,
    /// The n-grams of the words in `script`, most frequent first, ties by code point. Empty if the
    /// text has no letters.
    pub ngrams: Vec<(NGram, u64)>,
}

impl NGramSample {
    /// Counts the n-grams of a text.
    pub fn from_text(text: &str) -> Self {
        let mut words = WordCounts::default();
        words.add_text(text, 1);
        let script = words.script();
        let mut counts = NGramCounts::default();
        words.count_ngrams(script, &mut counts);
        let mut ngrams = Vec::new();
        counts.drain_ranked(usize::MAX, &mut ngrams);
        NGramSample {
            script,
            tokens: words.token_count(),
            ngrams,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NGramSample;
    use crate::{Profile, ProfileLearner};
    use std::collections::BTreeMap;

    #[test]
    fn the_sums_of_several_texts_rank_as_the_profile_of_all_of_them() {
        let texts = ["Danes je lep dan.", "Dan je dolg, 東京 noč pa temna."];
        let mut learner = ProfileLearner::default();
        let mut sums = BTreeMap::new();
        let mut tokens = 0;
        for text in texts {
            learner.add_text(text);
            let sample = NGramSample::from_text(text);
            assert_eq!(sample.script.as_str(), "Latn");
            tokens += sample.tokens;
            for (ngram, count) in sample.ngrams {
                *sums.entry(ngram).or_default() += count;
            }
        }
        let code = "slv".parse().unwrap();
        let (learned, _) = learner.finish(code, "", "").unwrap();
        let script = learned.script;
        let profile = Profile::from_ngrams(code, script, tokens, sums.into_iter().collect());
        assert_eq!(profile.ngrams(), learned.ngrams());
        assert_eq!(profile.sample_tokens, learned.sample_tokens);
        assert!(profile.vocabulary().is_empty());
    }

    #[test]
    fn a_text_without_letters_has_no_ngrams() {
        assert!(NGramSample::from_text("123 !? 😀").ngrams.is_empty());
    }
}
