//! Out-of-place distances from all profiles of a model at once.

use crate::ngram::NGram;
use crate::profile::MISSING_NGRAM_COST;
use crate::ranks::{Found, PLACE, POSTING, Ranks};

/// What a row can add to a 16-bit sum at most, and how often it can.
const MOST: u16 = MISSING_NGRAM_COST as u16;
const ROWS: usize = (u16::MAX / MOST) as usize;

/// Sums by profile, kept from text to text.
#[derive(Debug, Default)]
pub(crate) struct Savings {
    sums: Vec<u32>,
    /// Of the rows since they were last added to `sums`; 16 bits, so that more of them are added at
    /// a time.
    partial: Vec<u16>,
}

impl Savings {
    /// For each profile how much less than the maximum, [`MISSING_NGRAM_COST`] for each n-gram, the distance
    /// of `ranked` from it is.
    pub(crate) fn of(&mut self, model: &Ranks, ranked: &[(NGram, u64)]) -> &[u32] {
        self.sums.clear();
        self.sums.resize(model.len(), 0);
        self.partial.clear();
        self.partial.resize(model.len(), 0);
        let mut rows = 0;
        for (rank, (ngram, _)) in (0u16..).zip(ranked) {
            match model.find(*ngram) {
                Found::Row(row) => {
                    add_row(&mut self.partial, row, rank);
                    rows += 1;
                    if rows % ROWS == 0 {
                        self.add_partial();
                    }
                }
                Found::Postings(postings) => add_postings(&mut self.sums, postings, rank),
            }
        }
        self.add_partial();
        &self.sums
    }

    fn add_partial(&mut self) {
        for (sum, partial) in self.sums.iter_mut().zip(&mut self.partial) {
            *sum += u32::from(std::mem::take(partial));
        }
    }
}

/// What an n-gram saves that has `rank` in the text and `place` in the profile; nothing where it is
/// absent there.
#[inline]
fn saved(rank: u16, place: u16) -> u16 {
    MOST.saturating_sub(place.abs_diff(rank))
}

fn add_row(sums: &mut [u16], row: &[u8], rank: u16) {
    let (low, high) = row.split_at(row.len() / PLACE);
    for ((sum, low), high) in sums.iter_mut().zip(low).zip(high) {
        *sum += saved(rank, u16::from_le_bytes([*low, *high]));
    }
}

fn add_postings(sums: &mut [u32], postings: &[u8], rank: u16) {
    for &[a, b, c, d] in postings.as_chunks::<POSTING>().0 {
        if let Some(sum) = sums.get_mut(usize::from(u16::from_le_bytes([a, b]))) {
            *sum += u32::from(saved(rank, u16::from_le_bytes([c, d])));
        }
    }
}
