//! The evidence of a text for each class.

use crate::evidence::feature::{self, gram, grams};
use crate::evidence::table::{BASE_CLASS, BUCKET, CLASSES, Row, fetch};
use crate::evidence::tokens::{Batch, Tokens};
use crate::evidence::{KNOWN_SHARE, table};
use std::ops::Range;

/// The table of a model, and how many classes it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) buckets: &'a [[u8; BUCKET]],
    pub(crate) classes: usize,
    /// Classes that are as if they were not there; empty where there are none.
    pub(crate) forgotten: &'a [bool],
}

impl Table<'_> {
    /// The row of a key.
    #[inline]
    fn row(&self, key: u64) -> Row {
        let row = table::row(self.buckets, key);
        if self.forgotten.is_empty() { row } else { row.without(self.forgotten) }
    }
}

/// What a text's words and n-grams said, by model and class.
#[derive(Debug)]
pub(crate) struct Sums {
    /// Evidence of each class, one array a model.
    pub(crate) evidence: Vec<Box<[u32; CLASSES]>>,
    /// Words of the text.
    pub(crate) words: u32,
    /// Those of them that are known.
    pub(crate) known: u32,
    /// The greatest evidence of each word, for whatever class, added up: what a class would have that agreed with all.
    pub(crate) greatest: u64,
    /// N-grams of words that are not known, and where they begin and end in the batch's letters.
    grams: Vec<(u64, Range<usize>)>,
}

impl Sums {
    pub(crate) fn new() -> Self {
        Sums { evidence: Vec::new(), words: 0, known: 0, greatest: 0, grams: Vec::new() }
    }

    fn clear(&mut self, tables: &[Table<'_>]) {
        self.evidence.resize_with(tables.len(), || Box::new([0; CLASSES]));
        for (evidence, table) in self.evidence.iter_mut().zip(tables) {
            evidence[..table.classes].fill(0);
        }
        (self.words, self.known, self.greatest) = (0, 0, 0);
    }

    /// Adds up what the tables say about the words of `text`, which is in normal form C.
    pub(crate) fn add_up(&mut self, tables: &[Table<'_>], tokens: &mut Tokens, text: &str) {
        self.clear(tables);
        match tables {
            [table] => tokens.read(text, |batch| self.add_by_one(table, batch)),
            _ => tokens.read(text, |batch| {
                batch.tokens.iter().for_each(|token| self.add_by_all(tables, token.key, batch.letters(token)));
            }),
        }
    }

    fn add_by_one(&mut self, table: &Table<'_>, batch: &Batch) {
        let [evidence, ..] = self.evidence.as_mut_slice() else { return };
        self.words += batch.tokens.len() as u32;
        self.grams.clear();
        fetch(table.buckets, batch.tokens.iter().map(|token| token.key));
        for token in &batch.tokens {
            let row = table.row(token.key);
            if row.is_empty() {
                let mut start = token.place().start;
                feature::grams(batch.letters(token), |gram| {
                    self.grams.push((feature::gram(gram), start..start + gram.len()));
                    start += 1;
                });
            } else {
                self.known += 1;
                self.greatest += u64::from(row.add(evidence));
            }
        }
        fetch(table.buckets, self.grams.iter().map(|(key, _)| *key));
        for (key, place) in &self.grams {
            let mut row = table.row(*key);
            let mut start = place.start + 1;
            while row.is_empty() && start < place.end {
                row = table.row(feature::gram(batch.letters_at(start..place.end)));
                start += 1;
            }
            self.greatest += u64::from(row.add(evidence));
        }
        self.grams.shrink_to(1 << 16);
    }

    /// A word counts as known when one model knows it; in the others its n-grams speak with the share that they have in
    /// the rows of known words. What the row of one model takes from its classes is taken from those of the others too,
    /// so that a class of any model competes on equal terms.
    fn add_by_all(&mut self, tables: &[Table<'_>], key: u64, letters: &[u32]) {
        self.words += 1;
        let words: Vec<Row> = tables.iter().map(|table| table.row(key)).collect();
        let is_known = words.iter().any(|row| !row.is_empty());
        self.known += u32::from(is_known);
        let mut greatest = self.add_rows(&words, 1.0);
        let share = if is_known { KNOWN_SHARE } else { 1.0 };
        grams(letters, |letters| {
            for start in 0..letters.len() {
                let key = gram(&letters[start..]);
                let mut rows: Vec<Row> = tables.iter().map(|table| table.row(key)).collect();
                if rows.iter().all(Row::is_empty) {
                    continue;
                }
                // The row of a known word holds what its n-grams say.
                for (row, _) in rows.iter_mut().zip(&words).filter(|(_, word)| !word.is_empty()) {
                    *row = Row::default();
                }
                greatest += self.add_rows(&rows, share);
                return;
            }
        });
        self.greatest += greatest;
    }

    fn add_rows(&mut self, rows: &[Row], share: f64) -> u64 {
        let base_of =
            |row: &Row| row.postings().find(|(class, _)| *class == usize::from(BASE_CLASS)).map_or(0, |(_, base)| base);
        let most = rows.iter().map(base_of).max().unwrap_or(0);
        let mut greatest = 0;
        for (row, evidence) in rows.iter().zip(&mut self.evidence) {
            let taken = most - base_of(row);
            for (class, more) in row.postings().filter(|(class, _)| *class != usize::from(BASE_CLASS)) {
                let more = (f64::from(more.saturating_sub(taken)) * share).round() as u32;
                evidence[class] += more;
                greatest = greatest.max(more);
            }
        }
        greatest.into()
    }
}
