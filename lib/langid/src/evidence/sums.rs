//! The evidence of a text for each class: sums over its words and n-grams.

use crate::evidence::NGRAM_SHARE_OF_KNOWN_WORD;
use crate::evidence::feature;
use crate::evidence::row_finder::{RowFinder, RowPlace};
use crate::evidence::table::{BASE_CLASS, CLASSES, EvidenceTable};
use crate::evidence::tokenizer::{BatchReader, TokenBatch, WordToken, WordTokenizer};

/// Number of unknown words in a text for which all n-grams are looked up. For later words only
/// every [`NGRAM_STEP`]th n-gram is looked up: n-grams overlap, and by then the language is clear.
/// Set by judgement, not measured.
const FULLY_READ_UNKNOWN_WORDS: u32 = 24;
/// See [`FULLY_READ_UNKNOWN_WORDS`].
const NGRAM_STEP: usize = 4;

/// Maximum capacity, in n-grams, of a buffer that is kept for the next batch.
const MAX_KEPT_NGRAMS: usize = 1 << 16;

/// Number of words and n-grams whose favourite classes are kept. Set by judgement, not measured.
const MAX_LEADERS: usize = 16;

/// Upper bound of the evidence of a class. All evidence is halved, repeatedly if necessary, before
/// a class reaches it.
pub(crate) const MAX_EVIDENCE: u64 = 1 << 30;

/// The evidence of a text, by model and class.
#[derive(Debug, Default)]
pub(crate) struct EvidenceSums {
    /// Evidence of each class, one array per model, in 1/[`crate::evidence::STEPS_PER_NAT`] nat.
    pub(crate) evidence: Vec<Box<[u32; CLASSES]>>,
    /// Number of words in the text.
    pub(crate) words: u32,
    /// Number of known words.
    pub(crate) known: u32,
    /// Sum of the greatest evidence of each word or n-gram for any class: the evidence of a class
    /// that all words favour.
    pub(crate) greatest: u64,
    /// What halvings have taken from `greatest`.
    pub(crate) lost_greatest: u64,
    /// The classes that the first words and n-grams favour most; only for a single model.
    leaders: [u16; MAX_LEADERS],
    /// Number of words and n-grams with evidence.
    rows: usize,
    /// N-grams of unknown words.
    ngrams: Vec<QueuedNgram>,
    finder: RowFinder,
}

/// The classes of a row with their evidence; empty if the word or n-gram is unknown.
type Row = Vec<(usize, u32)>;

/// An n-gram of an unknown word that will be looked up.
#[derive(Debug, Clone, Copy)]
struct QueuedNgram {
    key: u64,
    /// Start in the letters of the batch.
    start: u32,
    /// End in the letters of the batch.
    end: u32,
}

/// The sums of a text, and the table of the only model.
struct SingleTable<'a, 'b> {
    sums: &'a mut EvidenceSums,
    table: &'a EvidenceTable<'b>,
}

impl BatchReader for SingleTable<'_, '_> {
    #[inline]
    fn announce(&self, key: u64) {
        self.table.prefetch(key);
    }

    fn read(&mut self, batch: &TokenBatch) {
        self.sums.add_batch(self.table, batch);
        self.sums.halve_if_large();
    }
}

impl EvidenceSums {
    fn clear(&mut self, tables: &[EvidenceTable<'_>]) {
        self.evidence
            .resize_with(tables.len(), || Box::new([0; CLASSES]));
        for (evidence, table) in self.evidence.iter_mut().zip(tables) {
            evidence[..table.classes].fill(0);
            evidence[usize::from(BASE_CLASS)] = 0;
        }
        self.words = 0;
        self.known = 0;
        self.greatest = 0;
        self.lost_greatest = 0;
        self.rows = 0;
    }

    /// Returns classes of the first model that are likely to have much evidence, some more than
    /// once.
    pub(crate) fn leaders(&self) -> impl Iterator<Item = usize> {
        let leaders = self.leaders.iter().take(self.rows);
        leaders.map(|class| usize::from(*class))
    }

    /// Sets the sums to the evidence that the tables have for the words of `text`, which is in
    /// normal form C.
    pub(crate) fn compute(
        &mut self,
        tables: &[EvidenceTable<'_>],
        tokenizer: &mut WordTokenizer,
        text: &str,
    ) {
        self.clear(tables);
        match tables {
            [table] => tokenizer.read_batches(text, &mut SingleTable { sums: self, table }),
            _ => {
                let mut rows = vec![[Vec::new(), Vec::new()]; tables.len()];
                tokenizer.read_batches(text, &mut |batch: &TokenBatch| {
                    for token in &batch.tokens {
                        tables.iter().for_each(|table| table.prefetch(token.key));
                    }
                    for token in &batch.tokens {
                        let letters = batch.letters(token);
                        self.add_word_from_all(tables, token, letters, &mut rows);
                    }
                    self.halve_if_large();
                });
            }
        }
    }

    /// Halves all evidence if it approaches [`MAX_EVIDENCE`], as it does after 50 MB of text in one
    /// language.
    fn halve_if_large(&mut self) {
        if self.greatest >= MAX_EVIDENCE / 2 {
            let sums = self
                .evidence
                .iter_mut()
                .flat_map(|evidence| evidence.iter_mut());
            sums.for_each(|evidence| *evidence /= 2);
            let halved = self.greatest / 2;
            self.lost_greatest += self.greatest - halved;
            self.greatest = halved;
        }
    }

    /// Adds the evidence of a batch from the table of the only model.
    fn add_batch(&mut self, table: &EvidenceTable<'_>, batch: &TokenBatch) {
        self.ngrams.clear();
        let mut finder = std::mem::take(&mut self.finder);
        let found = finder.find(table, batch.tokens.iter().map(|token| token.key));
        self.add_rests_at(found.rests, table);
        self.known += found.places.len() as u32;
        self.words += found.places.len() as u32;
        // The rows of known words are added between the others, while n-grams are prefetched.
        let unknown = found.unknown.len().max(1);
        let share = found.places.len().div_ceil(unknown).max(1);
        let mut places = found.places.chunks(share);
        for index in found.unknown {
            self.words += 1;
            self.queue_ngrams(table, batch, &batch.tokens[*index as usize]);
            self.add_rows_at(places.next().unwrap_or_default(), table);
        }
        places.for_each(|places| self.add_rows_at(places, table));
        while !self.ngrams.is_empty() {
            self.add_queued_ngrams(table, batch, &mut finder);
        }
        self.finder = finder;
        self.ngrams.shrink_to(MAX_KEPT_NGRAMS);
    }

    /// Adds the evidence of the queued n-grams. Those that are unknown remain queued, without their
    /// first characters.
    fn add_queued_ngrams(
        &mut self,
        table: &EvidenceTable<'_>,
        batch: &TokenBatch,
        finder: &mut RowFinder,
    ) {
        let mut ngrams = std::mem::take(&mut self.ngrams);
        let found = finder.find(table, ngrams.iter().map(|ngram| ngram.key));
        self.add_rows_at(found.places, table);
        let mut remaining = 0;
        for index in found.unknown {
            let mut ngram = ngrams[*index as usize];
            ngram.start += 1;
            if ngram.start < ngram.end {
                let letters = batch.letters_at(ngram.start as usize..ngram.end as usize);
                ngram.key = feature::ngram_key(letters);
                table.prefetch(ngram.key);
                ngrams[remaining] = ngram;
                remaining += 1;
            }
        }
        ngrams.truncate(remaining);
        self.ngrams = ngrams;
    }

    /// Queues the n-grams of an unknown word.
    fn queue_ngrams(&mut self, table: &EvidenceTable<'_>, batch: &TokenBatch, token: &WordToken) {
        let step = self.ngram_step();
        let ngrams = &mut self.ngrams;
        let offset = token.range().start;
        feature::for_each_ngram(batch.letters(token), step, |start, ngram| {
            let start = (offset + start) as u32;
            let key = feature::ngram_key(ngram);
            table.prefetch(key);
            ngrams.push(QueuedNgram {
                key,
                start,
                end: start + ngram.len() as u32,
            });
        });
    }

    /// Returns the step by which the n-grams of an unknown word are looked up.
    fn ngram_step(&self) -> usize {
        match self.words - self.known > FULLY_READ_UNKNOWN_WORDS {
            true => NGRAM_STEP,
            false => 1,
        }
    }

    /// Adds the rows at these places of the table of the only model.
    fn add_rows_at(&mut self, places: &[RowPlace], table: &EvidenceTable<'_>) {
        if let [evidence, ..] = self.evidence.as_mut_slice() {
            for place in places {
                let (class, greatest) = place.row(table.buckets).add_to(evidence);
                self.leaders[self.rows.min(MAX_LEADERS - 1)] = class as u16;
                self.rows += 1;
                self.greatest += u64::from(greatest);
            }
        }
    }

    /// Adds the rest of long rows, whose greatest evidence is in their first parts.
    fn add_rests_at(&mut self, rests: &[(usize, RowPlace)], table: &EvidenceTable<'_>) {
        if let [evidence, ..] = self.evidence.as_mut_slice() {
            for (_, place) in rests {
                place.row(table.buckets).add_to(evidence);
            }
        }
    }

    /// Adds the evidence of a word from the tables of several models.
    ///
    /// A word is known if one model knows it. In the other models, its n-grams have the weight that
    /// they have in the rows of known words. The base that the row of one model subtracts from its
    /// classes is subtracted from those of the others too, so that the classes of all models
    /// compete on equal terms. `rows` are buffers for the rows of a word and of an n-gram per
    /// model.
    fn add_word_from_all(
        &mut self,
        tables: &[EvidenceTable<'_>],
        token: &WordToken,
        letters: &[u32],
        rows: &mut [[Row; 2]],
    ) {
        self.words += 1;
        for (table, [word, _]) in tables.iter().zip(&mut *rows) {
            self.finder.read_row(table, token.key, word);
        }
        let is_known = rows.iter().any(|[word, _]| !word.is_empty());
        self.known += u32::from(is_known);
        self.add_rows(rows.iter().map(|[word, _]| word), 1.0);
        let (weight, step) = if is_known {
            (NGRAM_SHARE_OF_KNOWN_WORD, 1)
        } else {
            (1.0, self.ngram_step())
        };
        if rows.iter().all(|[word, _]| !word.is_empty()) {
            return;
        }
        for ngram in feature::split_ngrams(letters, step) {
            for start in ngram.clone() {
                let key = feature::ngram_key(&letters[start..ngram.end]);
                for (table, [_, row]) in tables.iter().zip(&mut *rows) {
                    self.finder.read_row(table, key, row);
                }
                if rows.iter().any(|[_, row]| !row.is_empty()) {
                    // The row of a known word includes the evidence of its n-grams.
                    for [_, row] in rows.iter_mut().filter(|[word, _]| !word.is_empty()) {
                        row.clear();
                    }
                    self.add_rows(rows.iter().map(|[_, row]| row), weight);
                    break;
                }
            }
        }
    }

    /// Adds the rows of one feature, one per model.
    fn add_rows<'a>(&mut self, rows: impl Iterator<Item = &'a Row> + Clone, weight: f64) {
        let is_base = |(class, _): &&(usize, u32)| *class == usize::from(BASE_CLASS);
        let base_of = |row: &Row| row.iter().find(is_base).map_or(0, |(_, base)| *base);
        let greatest_base = rows.clone().map(base_of).max().unwrap_or(0);
        let mut greatest = 0;
        for (row, evidence) in rows.zip(&mut self.evidence) {
            let subtracted = greatest_base - base_of(row);
            for (class, added) in row.iter().filter(|posting| !is_base(posting)) {
                let added = (f64::from(added.saturating_sub(subtracted)) * weight).round() as u32;
                evidence[*class] += added;
                greatest = greatest.max(added);
            }
        }
        self.greatest += u64::from(greatest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_halved_before_it_overflows_and_stays_in_proportion() {
        let mut sums = EvidenceSums::default();
        let table = EvidenceTable {
            buckets: &[],
            classes: 2,
            excluded: &[],
        };
        sums.compute(&[table], &mut WordTokenizer::default(), "");
        let half = u32::try_from(MAX_EVIDENCE / 2).unwrap();
        sums.evidence[0][0] = half;
        sums.evidence[0][1] = half / 4;
        sums.greatest = MAX_EVIDENCE / 2;
        sums.halve_if_large();
        assert_eq!(
            (sums.evidence[0][0], sums.evidence[0][1]),
            (half / 2, half / 8)
        );
        assert_eq!(
            (sums.greatest, sums.lost_greatest),
            (MAX_EVIDENCE / 4, MAX_EVIDENCE / 4)
        );
    }
}
