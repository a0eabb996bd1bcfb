//! Articles found by the words of their keyphrases: an upper bound on the similarity to each
//! article that shares a word.

use forage_state::StateFile;
use forage_topic::similarity::{KeyphraseVector, SimilarityMeasure, word_weights};
use rusqlite::{Result, params};
use std::collections::HashMap;
use std::ops::Range;

/// The unit of stored weights, which are rounded up: 1 is 1024 units. Set by judgement: a finer one
/// takes three bytes instead of two, and tightens the bound of a match by less than a hundredth.
const UNITS: f64 = 1024.0;
/// Rounding error of a bound, which is added to it.
const ROUNDING: f64 = 1e-6;

/// A table of words with the articles that have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordIndex {
    /// Of the samples.
    Samples,
    /// Of the rejected articles.
    Rejected,
}

/// A word of an article, as it is stored.
struct WeightedWord {
    hash: i64,
    weight: i64,
}

impl WordIndex {
    fn table(self) -> &'static str {
        match self {
            WordIndex::Samples => "sample_word",
            WordIndex::Rejected => "rejected_word",
        }
    }

    /// Adds the words of article `number`.
    pub(crate) fn add(
        self,
        db: &StateFile,
        measure: SimilarityMeasure,
        number: i64,
        article: &KeyphraseVector,
    ) -> Result<()> {
        // Two words with the same hash are one word with the sum of both weights, which is a bound
        // as well.
        let mut insert = db.prepare_cached(&format!(
            "INSERT INTO {} VALUES (?1, ?2, ?3) \
             ON CONFLICT (word, article) DO UPDATE SET weight = weight + excluded.weight",
            self.table()
        ))?;
        for word in weighted_words(measure, article) {
            insert.execute(params![word.hash, number, word.weight])?;
        }
        Ok(())
    }

    /// Removes the words of article `number`.
    pub(crate) fn remove(
        self,
        db: &StateFile,
        measure: SimilarityMeasure,
        number: i64,
        article: &KeyphraseVector,
    ) -> Result<()> {
        let mut delete = db.prepare_cached(&format!(
            "DELETE FROM {} WHERE word = ?1 AND article = ?2",
            self.table()
        ))?;
        for word in weighted_words(measure, article) {
            delete.execute(params![word.hash, number])?;
        }
        Ok(())
    }

    /// Returns the articles with a number in `numbers` that share a word with `other`, each with an
    /// upper bound on the similarity, in descending order of bounds, then by number. Articles whose
    /// bound is below `least` are left out.
    ///
    /// For a measure without a bound, the bound is infinite.
    pub(crate) fn candidates(
        self,
        db: &StateFile,
        measure: SimilarityMeasure,
        other: &KeyphraseVector,
        numbers: Range<i64>,
        least: f64,
    ) -> Result<Vec<(i64, f64)>> {
        let mut select = db.prepare_cached(&format!(
            "SELECT article, weight FROM {} WHERE word = ?1 AND article >= ?2 AND article < ?3",
            self.table()
        ))?;
        let mut sums: HashMap<i64, i64> = HashMap::new();
        for word in weighted_words(measure, other) {
            let mut rows = select.query(params![word.hash, numbers.start, numbers.end])?;
            while let Some(row) = rows.next()? {
                let weight: i64 = row.get(1)?;
                let sum = sums.entry(row.get(0)?).or_default();
                *sum = sum.saturating_add(weight.saturating_mul(word.weight));
            }
        }
        let has_bound = word_weights(measure, &KeyphraseVector::default()).is_some();
        let mut candidates: Vec<(i64, f64)> = sums
            .into_iter()
            .map(|(number, sum)| {
                let bound = sum as f64 / (UNITS * UNITS) + ROUNDING;
                (number, if has_bound { bound } else { f64::INFINITY })
            })
            .filter(|(_, bound)| *bound >= least)
            .collect();
        candidates.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(candidates)
    }
}

/// Returns the words of an article with their weights, 1 for a measure without a bound.
fn weighted_words(
    measure: SimilarityMeasure,
    article: &KeyphraseVector,
) -> impl Iterator<Item = WeightedWord> {
    let weights = word_weights(measure, article).unwrap_or_default();
    article.words().enumerate().map(move |(number, word)| {
        let weight = weights.get(number).copied().unwrap_or(1.0);
        WeightedWord {
            hash: hash_word(word),
            weight: (weight * UNITS).ceil() as i64,
        }
    })
}

/// Returns the first eight bytes of the BLAKE3 hash, which must be the same on every machine.
fn hash_word(word: &str) -> i64 {
    i64::from_le_bytes(blake3::hash(word.as_bytes()).as_bytes().as_chunks().0[0])
}
