//! Probabilities of single words in a language, estimated from the evidence of the built-in model.
//!
//! The evidence of a known word is the amount by which its log probability exceeds a floor, plus a
//! share of the evidence of its n-grams, less the base that its row has in common (module
//! `evidence`). These steps are inverted here. The result is approximate: evidence is rounded, and
//! a row has only the languages in which the word is most frequent.

use crate::code::LanguageCode;
use crate::evidence::feature::{self, ngram_key};
use crate::evidence::file::EvidenceModel;
use crate::evidence::row_finder::RowFinder;
use crate::evidence::table::{BASE_CLASS, EvidenceTable};
use crate::evidence::tokenizer::TokenBatch;
use crate::evidence::{BASE_SHARE, NGRAM_SHARE_OF_KNOWN_WORD, STEPS_PER_NAT, WORD_FLOOR};
use crate::identify::Scratch;

/// Probabilities of words in one language.
#[derive(Debug, Clone)]
pub struct WordProbabilities {
    model: EvidenceModel,
    /// The numbers of the language's classes, one per script.
    classes: Vec<usize>,
}

impl WordProbabilities {
    /// Returns the probabilities of words in a language of the built-in model; `None` if the model
    /// lacks the language.
    pub fn builtin(code: LanguageCode) -> Option<Self> {
        let model = EvidenceModel::builtin();
        let classes: Vec<usize> = (0..)
            .zip(model.classes())
            .filter(|(_, (class, _))| class.code == code && code != LanguageCode::UNDETERMINED)
            .map(|(number, _)| number)
            .collect();
        (!classes.is_empty()).then_some(Self { model, classes })
    }

    /// Returns an estimate of the natural logarithm of the probability of `word`, in any case;
    /// `None` if it is unknown, rare, or not one word.
    ///
    /// For a word that more languages have than the model keeps, such as "de", the language need
    /// not be one of these: the estimate is then that of the first language left out.
    pub fn estimate_log_probability(&self, scratch: &mut Scratch, word: &str) -> Option<f64> {
        let table = self.model.table(&[]);
        let mut finder = RowFinder::default();
        let mut estimate = None;
        let mut words = 0;
        scratch
            .tokenizer
            .read_batches(word, &mut |batch: &TokenBatch| {
                for token in &batch.tokens {
                    words += 1;
                    let mut row = Vec::new();
                    finder.read_row(&table, token.key, &mut row);
                    if !row.is_empty() {
                        estimate = self.estimate(&table, &row, batch.letters(token), &mut finder);
                    }
                }
            });
        estimate.filter(|_| words == 1)
    }

    fn estimate(
        &self,
        table: &EvidenceTable<'_>,
        row: &[(usize, u32)],
        letters: &[u32],
        finder: &mut RowFinder,
    ) -> Option<f64> {
        let find = |row: &[(usize, u32)], class: usize| {
            let found = row.iter().find(|(number, _)| *number == class);
            found.map(|(_, evidence)| f64::from(*evidence) / STEPS_PER_NAT)
        };
        let ngram_rows: Vec<_> = feature::split_ngrams(letters, 1)
            .map(|ngram| read_ngram(table, &letters[ngram], finder))
            .collect();
        let base = find(row, usize::from(BASE_CLASS)).unwrap_or(0.0);
        let of_class = |class: &usize| {
            let ngrams: f64 = ngram_rows.iter().filter_map(|row| find(row, *class)).sum();
            let evidence = find(row, *class)? + base;
            Some(evidence - NGRAM_SHARE_OF_KNOWN_WORD * ngrams + WORD_FLOOR)
        };
        let known = self.classes.iter().filter_map(of_class).reduce(f64::max);
        let left_out = (base > 0.0).then_some(base / BASE_SHARE + WORD_FLOOR);
        known.or(left_out)
    }
}

/// Returns the row of an n-gram, or of its longest known end.
fn read_ngram(
    table: &EvidenceTable<'_>,
    letters: &[u32],
    finder: &mut RowFinder,
) -> Vec<(usize, u32)> {
    let mut row = Vec::new();
    let mut ends = (0..letters.len()).map(|start| ngram_key(&letters[start..]));
    while row.is_empty()
        && let Some(key) = ends.next()
    {
        finder.read_row(table, key, &mut row);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(code: &str, word: &str) -> Option<f64> {
        WordProbabilities::builtin(code.parse().unwrap())
            .unwrap()
            .estimate_log_probability(&mut Scratch::default(), word)
    }

    #[test]
    fn function_words_are_more_probable_than_others() {
        for (code, function_words, others) in [
            ("slv", ["je", "NA", "še"], ["zbor", "gozda", "rudarjenju"]),
            (
                "deu",
                ["die", "und", "nicht"],
                ["Gesetz", "Erz", "Windenergie"],
            ),
            ("rus", ["и", "на", "что"], ["цена", "нефть", "лес"]),
        ] {
            for word in function_words {
                assert!(estimate(code, word).is_some_and(|log| log > -6.5), "{word}");
            }
            for word in others {
                assert!(estimate(code, word).is_none_or(|log| log < -7.5), "{word}");
            }
        }
    }

    #[test]
    fn only_single_words_of_known_languages_have_a_probability() {
        assert!(WordProbabilities::builtin(LanguageCode::UNDETERMINED).is_none());
        assert_eq!(estimate("slv", ""), None);
        assert_eq!(estimate("slv", "je na"), None);
        assert_eq!(estimate("slv", "12"), None);
    }
}
