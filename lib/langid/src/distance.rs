//! Out-of-place distances of a text from all profiles of a model in one pass.
//!
//! The distance is the greatest possible distance less a similarity that only the n-grams common to
//! text and profile add to. So one pass over the text's n-grams, with the inverted index of the
//! model, gives the similarities of all profiles.

use crate::ngram::NGram;
use crate::profile::MISSING_NGRAM_COST;
use crate::ranks::{NGramRanks, POSTING_BYTES, RANK_BYTES, RankModel};

/// Greatest similarity that one n-gram adds.
const MAX_SIMILARITY: u16 = MISSING_NGRAM_COST as u16;

/// Number of rows that a 16-bit sum can hold without overflow.
const ROWS_PER_PARTIAL_SUM: usize = (u16::MAX / MAX_SIMILARITY) as usize;

/// Similarity sums by profile, in buffers that are reused from text to text.
#[derive(Debug, Default)]
pub(crate) struct SimilaritySums {
    sums: Vec<u32>,
    /// Sums of the rows since they were last added to `sums`. With 16 bits the compiler adds more
    /// of them per instruction.
    partial: Vec<u16>,
}

impl SimilaritySums {
    /// Returns the similarity of `ranked` to each profile: the greatest possible distance,
    /// [`MISSING_NGRAM_COST`] per n-gram, less the out-of-place distance.
    pub(crate) fn compute(&mut self, model: &RankModel, ranked: &[(NGram, u64)]) -> &[u32] {
        self.sums.clear();
        self.sums.resize(model.len(), 0);
        self.partial.clear();
        self.partial.resize(model.len(), 0);
        let mut rows = 0;
        for (rank, (ngram, _)) in (0u16..).zip(ranked) {
            match model.look_up(*ngram) {
                NGramRanks::Row(row) => {
                    add_row(&mut self.partial, row, rank);
                    rows += 1;
                    if rows % ROWS_PER_PARTIAL_SUM == 0 {
                        self.add_partial();
                    }
                }
                NGramRanks::Postings(postings) => add_postings(&mut self.sums, postings, rank),
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

/// Returns the similarity of two ranks of an n-gram; 0 if the profile lacks the n-gram.
#[inline]
fn rank_similarity(text_rank: u16, profile_rank: u16) -> u16 {
    MAX_SIMILARITY.saturating_sub(profile_rank.abs_diff(text_rank))
}

fn add_row(sums: &mut [u16], row: &[u8], rank: u16) {
    let (low, high) = row.split_at(row.len() / RANK_BYTES);
    for ((sum, low), high) in sums.iter_mut().zip(low).zip(high) {
        *sum += rank_similarity(rank, u16::from_le_bytes([*low, *high]));
    }
}

fn add_postings(sums: &mut [u32], postings: &[u8], rank: u16) {
    for &[a, b, c, d] in postings.as_chunks::<POSTING_BYTES>().0 {
        if let Some(sum) = sums.get_mut(usize::from(u16::from_le_bytes([a, b]))) {
            *sum += u32::from(rank_similarity(rank, u16::from_le_bytes([c, d])));
        }
    }
}
