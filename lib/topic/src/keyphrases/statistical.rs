//! Keyphrases of languages without a tagger: words, and pairs and triples of words that recur.
//!
//! Nothing tells which words of a clause are a phrase, so that two or three adjacent words are one
//! only if the article has them twice. What separates the words of the subject from others is how
//! much more frequent they are in the article than in general text ([`GeneralText`]).

use super::language_words::{LanguageWords, fold_text};
use super::phrases::trim_period;
use crate::general_words::GeneralText;
use crate::numbering::{Numbering, enter};
use foldhash::fast::RandomState;
use foldhash::{HashMap, HashSet};
use forage_record::Keyphrase;
use indexmap::IndexMap;
use std::borrow::Cow;
use std::ops::Range;

/// Maximum number of words of a phrase.
const MAX_PHRASE_WORDS: usize = 3;

/// Minimum number of occurrences of a phrase of several words.
const MIN_OCCURRENCES: usize = 2;

/// Minimum of the logarithm by which a word is more frequent than in general text, so that words
/// that are not have a small positive weight.
const MIN_SURPRISE: f64 = 0.1;

/// Extracts the keyphrases of a language without a tagger.
#[derive(Debug)]
pub(crate) struct StatisticalExtractor {
    words: LanguageWords,
    general_text: GeneralText,
}

impl StatisticalExtractor {
    pub(crate) fn new(code: forage_langid::LanguageCode) -> Self {
        StatisticalExtractor {
            words: LanguageWords::new(code),
            general_text: GeneralText::builtin(code),
        }
    }

    /// Returns the keyphrases of the parts of an article, the best first; those with equal scores
    /// in the order of their first occurrence, longer ones first.
    ///
    /// The score of a phrase is ln(1 + m), where m is the mean of (tf + f) · s over its words: tf
    /// is the frequency of the word, f that of the phrase, and s the natural logarithm of the
    /// word's frequency relative to that in general text. Without the number of words of `NPScore`,
    /// which prefers long phrases to those that other articles have, too.
    pub(crate) fn extract(&mut self, parts: &[&str]) -> Vec<Keyphrase> {
        let article = ArticleTokens::new(self, parts);
        let mut keyphrases: Vec<Keyphrase> = Vec::new();
        for gram in find_grams(&article.tokens) {
            let tokens = || {
                let positions = gram.start()..gram.start() + gram.length;
                positions.filter_map(|position| article.tokens[position].as_ref())
            };
            let stems =
                || tokens().filter_map(|token| article.stems.get_index(token.stem as usize));
            let frequency = gram.positions.len() as f64;
            let sum: f64 = stems()
                .map(|(_, stem)| (stem.frequency as f64 + frequency) * stem.surprise)
                .sum();
            let key: Vec<&str> = stems().map(|(text, _)| &**text).collect();
            keyphrases.push(Keyphrase {
                phrase: article.spelling(&gram).to_owned(),
                score: libm::log1p(sum / gram.length as f64),
                key: key.join(" "),
            });
        }
        // The sort is stable.
        keyphrases.sort_by(|a, b| b.score.total_cmp(&a.score));
        keyphrases
    }
}

/// A stem of an article.
#[derive(Debug, Default)]
struct Stem {
    frequency: u64,
    /// The highest probability of its words in general text.
    log_probability: Option<f64>,
    /// The natural logarithm of its frequency relative to that in general text.
    surprise: f64,
}

/// A word that may be part of a phrase.
#[derive(Debug)]
struct Token {
    /// The number of the stem.
    stem: u32,
    /// The part of the article, and the bytes of the word in it.
    part: usize,
    range: Range<usize>,
}

/// Maximum length of a function word of an unknown language, relative to the mean length of the
/// words of the article. Of the words that the rule takes in 11 languages, 87 % were among the 100
/// most frequent ones of the language, and 57 % of the occurrences of these were taken.
const FUNCTION_WORD_LENGTH: f64 = 0.6;

/// Returns the probable function words of an article in an unknown language, in small letters:
/// those that recur and are short.
fn find_function_words(words: &mut LanguageWords, parts: &[Cow<'_, str>]) -> HashSet<Box<str>> {
    let mut counts: HashMap<Box<str>, usize> = HashMap::default();
    for part in parts {
        words.for_each_word(part, |_, word| {
            if word.has_letters() {
                *counts.entry(word.text.to_lowercase().into()).or_default() += 1;
            }
        });
    }
    let length = |word: &str| word.chars().count() as f64;
    let mean = counts.keys().map(|word| length(word)).sum::<f64>() / counts.len().max(1) as f64;
    counts
        .into_iter()
        .filter(|(word, count)| *count > 1 && length(word) <= FUNCTION_WORD_LENGTH * mean)
        .map(|(word, _)| word)
        .collect()
}

/// The words of an article.
struct ArticleTokens<'a> {
    parts: Vec<Cow<'a, str>>,
    stems: Numbering<Stem>,
    /// The words in order; `None` between words that are in no phrase together.
    tokens: Vec<Option<Token>>,
}

impl<'a> ArticleTokens<'a> {
    fn new(extractor: &mut StatisticalExtractor, parts: &[&'a str]) -> Self {
        let mut article = ArticleTokens {
            parts: parts.iter().map(|part| fold_text(part)).collect(),
            stems: Numbering::default(),
            tokens: Vec::new(),
        };
        let function_words = if extractor.words.has_stop_words() {
            HashSet::default()
        } else {
            find_function_words(&mut extractor.words, &article.parts)
        };
        let mut word_count = 0_u64;
        for (part, text) in article.parts.iter().enumerate() {
            let mut end = 0;
            extractor.words.for_each_word(text, |words, word| {
                let between = text.get(end..word.range.start).unwrap_or("\n");
                let is_interrupted = between.contains(|c: char| !c.is_whitespace() || c == '\n');
                end = word.range.end;
                if is_interrupted || word.is_after_elision {
                    article.tokens.push(None);
                }
                let is_word = word.has_letters();
                word_count += u64::from(is_word);
                if !is_word
                    || words.properties(word.text).is_stop_word
                    || function_words.contains(&*word.text.to_lowercase())
                {
                    article.tokens.push(None);
                    return;
                }
                let (number, stem) = enter(&mut article.stems, &words.properties(word.text).stem);
                let spelling = words.read(word.text);
                let (general, spelling) = (&mut extractor.general_text, spelling.as_str());
                let log_probability = general.log_probability(spelling, std::iter::once(spelling));
                let highest = stem.log_probability.get_or_insert(log_probability);
                *highest = highest.max(log_probability);
                stem.frequency += 1;
                article.tokens.push(Some(Token {
                    stem: number,
                    part,
                    range: word.range,
                }));
            });
            article.tokens.push(None);
        }
        for stem in article.stems.values_mut() {
            let log_frequency = libm::log(stem.frequency as f64 / word_count as f64);
            let log_probability = stem.log_probability.unwrap_or_default();
            stem.surprise = (log_frequency - log_probability).max(MIN_SURPRISE);
        }
        article
    }

    /// Returns the shortest spelling of a phrase, which most often is the base form, or the first
    /// of equal length.
    fn spelling(&self, gram: &Gram) -> &str {
        let spelling = |position: &usize| {
            let first = self.tokens[*position].as_ref()?;
            let last = self.tokens[position + gram.length - 1].as_ref()?;
            let text = &self.parts[first.part][first.range.start..last.range.end];
            Some(trim_period(text))
        };
        gram.positions
            .iter()
            .filter_map(spelling)
            .min_by_key(|text| text.chars().count())
            .unwrap_or_default()
    }
}

/// A sequence of stems, with the positions where it begins, ascending.
#[derive(Debug)]
struct Gram {
    length: usize,
    positions: Vec<usize>,
}

impl Gram {
    fn start(&self) -> usize {
        self.positions[0]
    }
}

/// Returns the phrases of an article: all single words, and sequences that recur and are not part
/// of a longer one wherever they occur. Those that begin first come first, longer ones first.
fn find_grams(tokens: &[Option<Token>]) -> Vec<Gram> {
    let stem = |position: usize| tokens[position].as_ref().map(|token| token.stem);
    // The number of the sequence that begins at each position.
    let mut numbers: Vec<Option<u32>> = (0..tokens.len()).map(stem).collect();
    let mut grams = group_positions(&numbers, 1, |position| numbers[position].map(|n| (n, 0)));
    let mut found = Vec::new();
    for length in 2..=MAX_PHRASE_WORDS {
        let recurring: HashSet<u32> = (0_u32..)
            .zip(&grams)
            .filter(|(_, gram)| gram.positions.len() >= MIN_OCCURRENCES)
            .map(|(number, _)| number)
            .collect();
        let mut longer = group_positions(&numbers, length, |position| {
            let pair = (numbers[position]?, (*numbers.get(position + 1)?)?);
            // A phrase has no word twice, as tables and lists of links do.
            if stem(position) == stem(position + length - 1) {
                return None;
            }
            (recurring.contains(&pair.0) && recurring.contains(&pair.1)).then_some(pair)
        });
        longer.retain(|gram| gram.positions.len() >= MIN_OCCURRENCES);
        let mut is_closed = vec![true; grams.len()];
        for gram in &longer {
            for part in [numbers[gram.start()], numbers[gram.start() + 1]]
                .into_iter()
                .flatten()
            {
                let part = part as usize;
                is_closed[part] &= grams[part].positions.len() > gram.positions.len();
            }
        }
        let mut is_closed = is_closed.into_iter();
        grams.retain(|gram| is_closed.next() == Some(true) || gram.length == 1);
        found.append(&mut grams);
        numbers = vec![None; tokens.len()];
        for (number, gram) in (0..).zip(&longer) {
            for position in &gram.positions {
                numbers[*position] = Some(number);
            }
        }
        grams = longer;
    }
    found.append(&mut grams);
    found.sort_by_key(|gram| (gram.start(), std::cmp::Reverse(gram.length)));
    found
}

/// Groups the positions with equal keys, in the order of first occurrence.
fn group_positions(
    numbers: &[Option<u32>],
    length: usize,
    key: impl Fn(usize) -> Option<(u32, u32)>,
) -> Vec<Gram> {
    let mut by_key: IndexMap<(u32, u32), Vec<usize>, RandomState> = IndexMap::default();
    for position in 0..numbers.len() {
        if let Some(key) = key(position) {
            by_key.entry(key).or_default().push(position);
        }
    }
    let gram = |positions| Gram { length, positions };
    by_key.into_values().map(gram).collect()
}
