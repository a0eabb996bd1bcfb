//! The keyphrases of an article, indexed for comparison.

use forage_record::Keyphrase;
use std::ops::Range;

/// The keyphrases of an article, ordered by key, with an index of the words of their keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeyphraseVector {
    /// Keyphrases with distinct keys, ordered by key.
    keyphrases: Vec<Keyphrase>,
    /// The words of each keyphrase, as numbers in `words`: distinct, in any order.
    words_of: Vec<Vec<usize>>,
    /// The distinct words of all keys, in the order of their code points.
    words: Vec<IndexedWord>,
}

/// A word of keys.
#[derive(Debug, Clone, PartialEq)]
struct IndexedWord {
    /// A keyphrase that has the word.
    keyphrase: usize,
    /// The bytes of the word in the key of that keyphrase.
    range: Range<usize>,
    /// All keyphrases that have the word, ascending.
    keyphrases: Vec<usize>,
}

impl KeyphraseVector {
    /// Creates the vector of keyphrases. Of several with the same key, the first one counts, which
    /// is the best one of a record. A key without a letter is replaced by the phrase in lower case.
    pub fn new(keyphrases: Vec<Keyphrase>) -> KeyphraseVector {
        let mut keyphrases: Vec<Keyphrase> = keyphrases.into_iter().map(with_key).collect();
        // The sort is stable, so the first of equal keys stays the first.
        keyphrases.sort_by(|a, b| a.key.cmp(&b.key));
        keyphrases.dedup_by(|later, first| later.key == first.key);
        let mut vector = KeyphraseVector {
            words_of: vec![Vec::new(); keyphrases.len()],
            words: Vec::new(),
            keyphrases,
        };
        vector.index_words();
        vector
    }

    fn index_words(&mut self) {
        let mut occurrences: Vec<(usize, Range<usize>)> = Vec::new();
        for (number, keyphrase) in self.keyphrases.iter().enumerate() {
            let key = keyphrase.key.as_str();
            occurrences.extend(key.split_whitespace().map(|word| {
                let start = word.as_ptr() as usize - key.as_ptr() as usize;
                (number, start..start + word.len())
            }));
        }
        let word = |(number, range): &(usize, Range<usize>)| {
            &self.keyphrases[*number].key.as_str()[range.clone()]
        };
        occurrences.sort_by(|a, b| word(a).cmp(word(b)).then(a.0.cmp(&b.0)));
        let mut words = Vec::new();
        for same in occurrences.chunk_by(|a, b| word(a) == word(b)) {
            let mut keyphrases: Vec<usize> = same.iter().map(|(number, _)| *number).collect();
            keyphrases.dedup();
            for &number in &keyphrases {
                self.words_of[number].push(words.len());
            }
            words.push(IndexedWord {
                keyphrase: same[0].0,
                range: same[0].1.clone(),
                keyphrases,
            });
        }
        self.words = words;
    }

    /// Returns the keyphrases: distinct keys, in the order of their code points.
    pub fn keyphrases(&self) -> &[Keyphrase] {
        &self.keyphrases
    }

    /// Returns the number of keyphrases.
    pub fn len(&self) -> usize {
        self.keyphrases.len()
    }

    /// Returns `true` if the article has no keyphrase.
    pub fn is_empty(&self) -> bool {
        self.keyphrases.is_empty()
    }

    /// Returns the distinct words of all keys, in the order of their code points.
    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.words.len()).map(|number| self.word(number))
    }

    /// Returns the numbers of the keyphrases that have word `number`, ascending.
    pub fn keyphrases_with_word(&self, number: usize) -> &[usize] {
        &self.words[number].keyphrases
    }

    /// Returns the words of a keyphrase, as numbers in [`KeyphraseVector::words`].
    pub fn words_of_keyphrase(&self, number: usize) -> &[usize] {
        &self.words_of[number]
    }

    /// Returns word `number` of [`KeyphraseVector::words`].
    pub(super) fn word(&self, number: usize) -> &str {
        let word = &self.words[number];
        &self.keyphrases[word.keyphrase].key[word.range.clone()]
    }

    /// Returns the sum over all keyphrases of `value` of their scores.
    pub(super) fn sum_scores(&self, value: impl Fn(f64) -> f64) -> f64 {
        self.keyphrases
            .iter()
            .map(|keyphrase| value(keyphrase.score))
            .sum()
    }
}

/// Returns the keyphrase with a key that can be compared.
fn with_key(keyphrase: Keyphrase) -> Keyphrase {
    if keyphrase.key.trim().is_empty() {
        Keyphrase {
            key: keyphrase.phrase.to_lowercase(),
            ..keyphrase
        }
    } else {
        keyphrase
    }
}
