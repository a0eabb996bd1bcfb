//! A language's profile: its most frequent n-grams, ranked; how one is learned, and how far two are
//! apart.

use crate::code::LanguageCode;
use crate::evidence::sample::ClassSample;
use crate::ngram::{Counts, NGram};
use crate::script::Script;
use crate::words::Words;

/// N-grams kept in a profile: the upper end of Cavnar & Trenkle's 300 to 400, and libexttextcat's
/// number.
pub const PROFILE_SIZE: usize = 400;

/// Words kept in a profile.
pub const MOST_WORDS: usize = 50_000;

/// What an n-gram costs that the language's profile lacks. It is the same for profiles that are not
/// full, so that a language known from little text has no advantage.
pub const MISSING_NGRAM_COST: usize = PROFILE_SIZE;

/// The most frequent n-grams of a language in a script, most frequent first.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The language.
    pub code: LanguageCode,
    /// The script of the sample.
    pub script: Script,
    /// English name of the language; may be empty. Without control characters.
    pub name: String,
    /// Where the sample came from, with its licence; may be empty. Without control characters.
    pub source: String,
    /// Size of the sample in words.
    pub words: u64,
    /// The margin with which a text must be in the language to be taken for it, 0 to 1, to four
    /// decimals; 0 asks for none. It keeps out relatives that are not known, which are nearer to
    /// this language than to all others; see the module `bootstrap`. A model that the profile is
    /// packed into forgets it.
    pub rejection_threshold: f64,
    pub(crate) ngrams: Vec<(NGram, u64)>,
    /// The most frequent words with their counts, most frequent first, ties by code point; at most
    /// 50,000.
    pub(crate) vocabulary: Vec<(String, u64)>,
}

impl Profile {
    /// The n-grams with their counts in the sample, most frequent first, ties by code point; at
    /// most [`PROFILE_SIZE`].
    pub fn ngrams(&self) -> &[(NGram, u64)] {
        &self.ngrams
    }

    /// The words with their counts in the sample, most frequent first, ties by code point; at most
    /// 50,000.
    pub fn vocabulary(&self) -> &[(String, u64)] {
        &self.vocabulary
    }

    /// What the method of evidence learns from.
    pub(crate) fn sample(&self) -> ClassSample {
        let kept: f64 = self.vocabulary.iter().map(|(_, count)| *count as f64).sum();
        // A vocabulary that was cut off is the part of the sample that it is.
        let all = if self.vocabulary.len() < MOST_WORDS {
            kept
        } else {
            kept.max(self.words as f64)
        };
        let probability = |(word, count): &(String, u64)| (word.clone(), *count as f64 / all);
        ClassSample {
            code: self.code,
            script: self.script,
            name: self.name.clone(),
            source: self.source.clone(),
            sample_tokens: self.words,
            words: self.vocabulary.iter().map(probability).collect(),
            grams: Vec::new(),
        }
    }
}

/// Sum of how far each n-gram of `document` is out of its place in `language`.
///
/// Both are ranked, most frequent first, without duplicates. An n-gram that `language` lacks costs
/// `missing`. Lower is nearer, 0 for the same list; at most `document.len() * missing` if no list
/// is longer than that.
///
/// "Out-of-place measure", Cavnar & Trenkle (1994), §3.2 and figure 3. [`crate::Identifier`] finds
/// the same numbers from an inverted index; this is the definition that it is tested against.
pub fn out_of_place_distance(document: &[NGram], language: &[NGram], missing: usize) -> usize {
    let cost = |(rank, ngram): (usize, &NGram)| {
        language
            .iter()
            .position(|known| known == ngram)
            .map_or(missing, |place| place.abs_diff(rank))
    };
    document.iter().enumerate().map(cost).sum()
}

/// A sample without letters, of which nothing can be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the sample has no letters")]
pub struct NoLettersError;

/// Learns a profile from text, from words with their frequencies, or both.
///
/// Memory grows with the vocabulary of the sample, not with its length.
#[derive(Debug, Default)]
pub struct ProfileLearner {
    words: Words,
}

/// What a sample was, for a person to judge whether it is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SampleSize {
    /// Words read, repetitions counted.
    pub words: u64,
    /// Distinct n-grams in the sample's script, before the most frequent were chosen.
    pub distinct_ngrams: usize,
}

impl ProfileLearner {
    /// Reads a text.
    pub fn add_text(&mut self, text: &str) {
        self.words.read(text, 1);
    }

    /// Reads a word that occurs `frequency` times; one that does not occur teaches nothing.
    pub fn add_word(&mut self, word: &str, frequency: u64) {
        /// Far more than any corpus has, so that no sum overflows.
        const MOST: u64 = 1 << 40;
        if frequency > 0 {
            self.words.read(word, frequency.min(MOST));
        }
    }

    /// The profile of what was read: of the words in the script that most letters have.
    ///
    /// Unlike the paper, which pads a word with one blank before and several behind, each word has
    /// one blank on either side, as in libexttextcat; and ties in frequency go by code point, so
    /// that equal samples give equal profiles.
    ///
    /// # Errors
    /// If there was no letter.
    pub fn finish(
        self,
        code: LanguageCode,
        name: &str,
        source: &str,
    ) -> Result<(Profile, SampleSize), NoLettersError> {
        let script = self.words.script();
        let mut counts = Counts::default();
        self.words.count_ngrams(script, &mut counts);
        let mut vocabulary = self.words.vocabulary(script);
        vocabulary.truncate(MOST_WORDS);
        let sample = SampleSize {
            words: self.words.tokens(),
            distinct_ngrams: counts.distinct(),
        };
        let mut ngrams = Vec::new();
        counts.take_ranked(PROFILE_SIZE, &mut ngrams);
        if ngrams.is_empty() {
            return Err(NoLettersError);
        }
        let (name, source) = (one_line(name), one_line(source));
        Ok((
            Profile {
                code,
                script,
                name,
                source,
                words: sample.words,
                rejection_threshold: 0.0,
                ngrams,
                vocabulary,
            },
            sample,
        ))
    }
}

/// Whether a name or a source is as it is written: what a terminal would obey is not in it.
pub(crate) fn is_one_line(text: &str) -> bool {
    !text.contains(char::is_control)
}

fn one_line(text: &str) -> String {
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

    fn list(ngrams: &str) -> Vec<NGram> {
        ngrams
            .split(' ')
            .map(|n| NGram::parse(n).unwrap())
            .collect()
    }

    /// Cavnar & Trenkle (1994), figure 3: TH 0, ING 3, ON 0, ER 2, AND 1, ED not there and so the
    /// maximum.
    #[test]
    fn the_papers_figure_comes_out() {
        let language = list("th er on le ing and");
        let document = list("th ing on er and ed");
        let cost = |n: usize| out_of_place_distance(&document[..n], &language, 1000);
        assert_eq!([1, 2, 3, 4, 5, 6].map(cost), [0, 3, 3, 5, 6, 1006]);
    }

    #[test]
    fn a_sample_without_letters_teaches_nothing() {
        let mut learner = ProfileLearner::default();
        learner.add_text("123 !? 😀");
        assert_eq!(
            learner.finish("slv".parse().unwrap(), "", ""),
            Err(NoLettersError)
        );
    }

    #[test]
    fn frequencies_weigh_as_repetitions_do() {
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
