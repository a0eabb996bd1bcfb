//! The evidence of a text for each class.

use crate::evidence::feature;
use crate::evidence::table::{BASE_CLASS, BUCKET, CLASSES, Row, fetch};
use crate::evidence::tokens::{Batch, Token, Tokens};
use crate::evidence::{KNOWN_SHARE, table};
use std::ops::Range;

/// Words of a text that are not known, of each of which all n-grams are looked up; of those behind
/// them, every [`SOME_GRAMS`]th is: they overlap, and what a text is in is known by then.
const ALL_GRAMS: u32 = 24;
/// See [`ALL_GRAMS`].
const SOME_GRAMS: usize = 4;

/// The table of a model, and how many classes it has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) buckets: &'a [[u8; BUCKET]],
    pub(crate) classes: usize,
    /// Classes that are as if they were not there; empty where there are none.
    pub(crate) forgotten: &'a [bool],
}

impl<'a> Table<'a> {
    #[inline]
    fn row(&self, key: u64) -> Row<'a> {
        let row = table::row(self.buckets, key);
        if self.forgotten.is_empty() {
            row
        } else {
            row.without(self.forgotten)
        }
    }
}

/// Evidence that no class has more of: where it would, all is halved, as often as it takes.
pub(crate) const MOST: u64 = 1 << 30;

/// What a text's words and n-grams said, by model and class.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    /// Evidence of each class, one array a model.
    pub(crate) evidence: Vec<Box<[u32; CLASSES]>>,
    /// Words of the text.
    pub(crate) words: u32,
    /// Those of them that are known.
    pub(crate) known: u32,
    /// The greatest evidence of each word, for whatever class, added up: what a class would have
    /// that agreed with all.
    pub(crate) greatest: u64,
    /// How often all evidence was halved.
    pub(crate) halved: u32,
    /// N-grams of words that are not known, and where they begin and end in the batch's letters.
    grams: Vec<(u64, Range<usize>)>,
}

impl Sums {
    fn clear(&mut self, tables: &[Table<'_>]) {
        self.evidence
            .resize_with(tables.len(), || Box::new([0; CLASSES]));
        for (evidence, table) in self.evidence.iter_mut().zip(tables) {
            evidence[..table.classes].fill(0);
            evidence[usize::from(BASE_CLASS)] = 0;
        }
        (self.words, self.known, self.greatest, self.halved) = (0, 0, 0, 0);
    }

    /// Adds up what the tables say about the words of `text`, which is in normal form C.
    pub(crate) fn add_up(&mut self, tables: &[Table<'_>], tokens: &mut Tokens, text: &str) {
        self.clear(tables);
        match tables {
            [table] => tokens.read(text, |batch| {
                self.add_by_one(table, batch);
                self.stay_below();
            }),
            _ => {
                let mut room = [
                    Vec::with_capacity(tables.len()),
                    Vec::with_capacity(tables.len()),
                ];
                tokens.read(text, |batch| {
                    let each =
                        |token| self.add_by_all(tables, token, batch.letters(token), &mut room);
                    batch.tokens.iter().for_each(each);
                    self.stay_below();
                });
            }
        }
    }

    /// Halves all evidence where it gets near [`MOST`], which takes 50 MB of text in one language.
    fn stay_below(&mut self) {
        if self.greatest >= MOST / 2 {
            self.evidence
                .iter_mut()
                .flat_map(|evidence| evidence.iter_mut())
                .for_each(|evidence| *evidence /= 2);
            self.greatest /= 2;
            self.halved += 1;
        }
    }

    fn add_by_one(&mut self, table: &Table<'_>, batch: &Batch) {
        self.grams.clear();
        fetch(table.buckets, batch.tokens.iter().map(|token| token.key));
        for token in &batch.tokens {
            let row = table.row(token.key);
            self.words += 1;
            if row.is_empty() {
                self.take_apart(batch, token);
            } else {
                self.known += 1;
                self.add(&row);
            }
        }
        while !self.grams.is_empty() {
            self.add_grams(table, batch);
        }
        self.grams.shrink_to(1 << 16);
    }

    /// Adds what the noted n-grams say; those that are not known are noted anew without their first
    /// characters.
    fn add_grams(&mut self, table: &Table<'_>, batch: &Batch) {
        fetch(table.buckets, self.grams.iter().map(|(key, _)| *key));
        let mut grams = std::mem::take(&mut self.grams);
        grams.retain_mut(|(key, place)| {
            let row = table.row(*key);
            self.add(&row);
            place.start += 1;
            let is_open = row.is_empty() && place.start < place.end;
            if is_open {
                *key = feature::gram(batch.letters_at(place.clone()));
            }
            is_open
        });
        self.grams = grams;
    }

    /// Notes the n-grams of a word that is not known.
    fn take_apart(&mut self, batch: &Batch, token: &Token) {
        let (letters, start) = (batch.letters(token), token.place().start);
        for gram in feature::grams(letters, self.step()) {
            let key = feature::gram(&letters[gram.clone()]);
            self.grams.push((key, start + gram.start..start + gram.end));
        }
    }

    /// Of how many n-grams of a word that is not known one is looked up.
    fn step(&self) -> usize {
        if self.words - self.known > ALL_GRAMS {
            SOME_GRAMS
        } else {
            1
        }
    }

    #[inline]
    fn add(&mut self, row: &Row<'_>) {
        if let [evidence, ..] = self.evidence.as_mut_slice() {
            self.greatest += u64::from(row.add(evidence));
        }
    }

    /// A word counts as known when one model knows it; in the others its n-grams speak with the
    /// share that they have in the rows of known words. What the row of one model takes from its
    /// classes is taken from those of the others too, so that a class of any model competes on
    /// equal terms. `rows` and `words` are room for a row of each model.
    fn add_by_all<'a>(
        &mut self,
        tables: &[Table<'a>],
        token: &Token,
        letters: &[u32],
        [words, rows]: &mut [Vec<Row<'a>>; 2],
    ) {
        self.words += 1;
        words.clear();
        words.extend(tables.iter().map(|table| table.row(token.key)));
        let is_known = words.iter().any(|row| !row.is_empty());
        self.known += u32::from(is_known);
        self.add_rows(words, 1.0);
        let (share, step) = if is_known {
            (KNOWN_SHARE, 1)
        } else {
            (1.0, self.step())
        };
        if words.iter().all(|row| !row.is_empty()) {
            return;
        }
        for gram in feature::grams(letters, step) {
            for start in gram.clone() {
                let key = feature::gram(&letters[start..gram.end]);
                rows.clear();
                rows.extend(tables.iter().map(|table| table.row(key)));
                if rows.iter().any(|row| !row.is_empty()) {
                    // The row of a known word holds what its n-grams say.
                    let known = rows
                        .iter_mut()
                        .zip(words.iter())
                        .filter(|(_, word)| !word.is_empty());
                    known.for_each(|(row, _)| *row = Row::NONE);
                    self.add_rows(rows, share);
                    break;
                }
            }
        }
    }

    fn add_rows(&mut self, rows: &[Row<'_>], share: f64) {
        let base_of = |row: &Row<'_>| {
            row.postings()
                .find(|(class, _)| *class == usize::from(BASE_CLASS))
                .map_or(0, |(_, base)| base)
        };
        let most = rows.iter().map(base_of).max().unwrap_or(0);
        let mut greatest = 0;
        for (row, evidence) in rows.iter().zip(&mut self.evidence) {
            let taken = most - base_of(row);
            for (class, more) in row
                .postings()
                .filter(|(class, _)| *class != usize::from(BASE_CLASS))
            {
                let more = (f64::from(more.saturating_sub(taken)) * share).round() as u32;
                evidence[class] += more;
                greatest = greatest.max(more);
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
        let mut sums = Sums::default();
        let table = Table {
            buckets: &[],
            classes: 2,
            forgotten: &[],
        };
        sums.add_up(&[table], &mut Tokens::default(), "");
        let half = u32::try_from(MOST / 2).unwrap();
        (sums.evidence[0][0], sums.evidence[0][1], sums.greatest) = (half, half / 4, MOST / 2);
        sums.stay_below();
        assert_eq!(
            (sums.evidence[0][0], sums.evidence[0][1]),
            (half / 2, half / 8)
        );
        assert_eq!((sums.greatest, sums.halved), (MOST / 4, 1));
    }
}
