//! Language profiles: the most frequent n-grams and words of a language in one script.
//!
//! Here are the profile, and the learner that builds one from a sample. The file format is in
//! `profile_file`.

use crate::code::LanguageCode;
use crate::evidence::sample::ClassSample;
use crate::ngram::{NGram, NGramCounts};
use crate::script::Script;
use crate::words::WordCounts;

/// Number of n-grams in a profile: the upper end of the 300 to 400 of Cavnar & Trenkle (1994), and
/// the number that libexttextcat uses.
pub const PROFILE_SIZE: usize = 400;

/// Maximum number of words in a profile. Set by judgement, not measured.
pub const MAX_WORDS: usize = 50_000;

/// Out-of-place cost of an n-gram that the language's profile lacks: the maximum, as in Cavnar &
/// Trenkle (1994).
///
/// It is the same for profiles with fewer n-grams than [`PROFILE_SIZE`], so that a language with a
/// small sample has no advantage.
pub const MISSING_NGRAM_COST: usize = PROFILE_SIZE;

/// The most frequent n-grams and words of a language in one script.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Profile {
    /// The language.
    pub code: LanguageCode,
    /// The script of the sample.
    pub script: Script,
    /// English name of the language; may be empty. Has no control characters.
    pub name: String,
    /// Source of the sample, with its licence; may be empty. Has no control characters.
    pub source: String,
    /// Size of the sample in tokens.
    pub sample_tokens: u64,
    /// Minimum lead over all other languages, as a share of the evidence, at which a text is
    /// accepted as this language, 0 to 1, to four decimals; 0 for no threshold.
    ///
    /// It rejects texts in related languages that no model has and that are nearer to this language
    /// than to any other (`ngram-profile --bootstrap` estimates it). A model does not keep it.
    pub rejection_threshold: f64,
    pub(crate) ngrams: Vec<(NGram, u64)>,
    /// The most frequent words with their counts, most frequent first, ties by code point; at most
    /// [`MAX_WORDS`].
    pub(crate) vocabulary: Vec<(String, u64)>,
}

impl Profile {
    /// Returns a profile of counted n-grams, of which it keeps the [`PROFILE_SIZE`] most frequent.
    /// It has no words, so that it can only be used with the method `out-of-place`.
    #[cfg(feature = "tools")]
    pub fn from_ngrams(
        code: LanguageCode,
        script: Script,
        sample_tokens: u64,
        mut ngrams: Vec<(NGram, u64)>,
    ) -> Self {
        ngrams.sort_unstable_by_key(|(ngram, count)| (std::cmp::Reverse(*count), *ngram));
        ngrams.truncate(PROFILE_SIZE);
        Profile {
            code,
            script,
            name: String::new(),
            source: String::new(),
            sample_tokens,
            rejection_threshold: 0.0,
            ngrams,
            vocabulary: Vec::new(),
        }
    }

    /// The n-grams with their counts in the sample, most frequent first, ties by code point; at
    /// most [`PROFILE_SIZE`].
    #[cfg_attr(not(feature = "tools"), doc(hidden))]
    pub fn ngrams(&self) -> &[(NGram, u64)] {
        &self.ngrams
    }

    /// The words with their counts in the sample, most frequent first, ties by code point; at most
    /// 50,000.
    #[cfg_attr(not(feature = "tools"), doc(hidden))]
    pub fn vocabulary(&self) -> &[(String, u64)] {
        &self.vocabulary
    }

    /// Returns the word probabilities from which the method `evidence` learns.
    pub(crate) fn to_sample(&self) -> ClassSample {
        let kept: f64 = self.vocabulary.iter().map(|(_, count)| *count as f64).sum();
        // The words of a truncated vocabulary are only a part of the sample.
        let total = match self.vocabulary.len() < MAX_WORDS {
            true => kept,
            false => kept.max(self.sample_tokens as f64),
        };
        let words = self.vocabulary.iter();
        let words = words.map(|(word, count)| (word.clone(), *count as f64 / total));
        ClassSample {
            code: self.code,
            script: self.script,
            name: self.name.clone(),
            source: self.source.clone(),
            sample_tokens: self.sample_tokens,
            words: words.collect(),
            ngrams: Vec::new(),
        }
    }
}

/// The error for a sample without letters, from which no profile can be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sample has no letters")]
pub struct NoLettersError;

/// Learns a profile from text, from words with their frequencies, or from both.
///
/// Memory grows with the vocabulary of the sample, not with its length.
#[derive(Debug, Default)]
pub struct ProfileLearner {
    words: WordCounts,
}

/// The size of a sample, for a user to judge if it is sufficient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleSize {
    /// Words read, repetitions included.
    pub tokens: u64,
    /// Distinct n-grams in the sample's script, from which a profile keeps the most frequent.
    pub distinct_ngrams: usize,
}

impl ProfileLearner {
    /// Counts the words of a text.
    pub fn add_text(&mut self, text: &str) {
        self.words.add_text(text, 1);
    }

    /// Counts a word that occurs `frequency` times; ignores it if that is 0.
    pub fn add_word(&mut self, word: &str, frequency: u64) {
        /// Maximum frequency, far above those in any corpus, so that no sum overflows.
        const MAX_FREQUENCY: u64 = 1 << 40;
        if frequency > 0 {
            self.words.add_text(word, frequency.min(MAX_FREQUENCY));
        }
    }

    /// Builds the profile from all words in the sample's majority script.
    ///
    /// Cavnar & Trenkle (1994) pad a word with one blank before and several after it; here each
    /// word has one blank on either side, as in libexttextcat. Ties in frequency are broken by code
    /// point, so that equal samples give equal profiles.
    ///
    /// # Errors
    /// Fails if the sample has no letters.
    pub fn finish(
        self,
        code: LanguageCode,
        name: &str,
        source: &str,
    ) -> Result<(Profile, SampleSize), NoLettersError> {
        let script = self.words.script();
        let mut counts = NGramCounts::default();
        self.words.count_ngrams(script, &mut counts);
        let mut vocabulary = self.words.vocabulary(script);
        vocabulary.truncate(MAX_WORDS);
        let size = SampleSize {
            tokens: self.words.token_count(),
            distinct_ngrams: counts.distinct(),
        };
        let mut ngrams = Vec::new();
        counts.drain_ranked(PROFILE_SIZE, &mut ngrams);
        if ngrams.is_empty() {
            return Err(NoLettersError);
        }
        let profile = Profile {
            code,
            script,
            name: to_one_line(name),
            source: to_one_line(source),
            sample_tokens: size.tokens,
            rejection_threshold: 0.0,
            ngrams,
            vocabulary,
        };
        Ok((profile, size))
    }
}

/// Replaces control characters by blanks and trims the text.
fn to_one_line(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn learn(code: &str, text: &str, source: &str) -> Profile {
        let mut learner = ProfileLearner::default();
        learner.add_text(text);
        learner
            .finish(code.parse().unwrap(), &format!("name of {code}"), source)
            .unwrap()
            .0
    }

    #[test]
    fn rejects_a_sample_without_letters() {
        let mut learner = ProfileLearner::default();
        learner.add_text("123 !? 😀");
        assert_eq!(
            learner.finish("slv".parse().unwrap(), "", ""),
            Err(NoLettersError)
        );
    }

    #[test]
    fn a_frequency_equals_as_many_repetitions() {
        let (mut words, mut text) = (ProfileLearner::default(), ProfileLearner::default());
        words.add_word("je", 3);
        words.add_word("dan", 1);
        text.add_text("je dan je je");
        let finish = |learner: ProfileLearner| {
            learner
                .finish("slv".parse().unwrap(), "Slovenian", "test")
                .unwrap()
                .0
        };
        assert_eq!(finish(words), finish(text));
    }
}
