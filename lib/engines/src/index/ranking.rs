//! Ranking of the documents that match a query: by BM25, ties by URL.
//!
//! Term scores are added in the order of the terms, over counts of the whole index, so that two
//! indexes of the same documents rank them alike, whatever their segments.

use super::boolean::{Lists, MatchQuery, find_matches};
use super::length::length_of_code;
use super::segment::{Segment, count_documents};
use rusqlite::Result;
use std::cmp::Ordering;

/// Weight of repeated occurrences of a term (Robertson & Zaragoza 2009).
const K1: f32 = 1.2;

/// Weight of the document length.
const B: f32 = 0.75;

/// Returns the URLs of the `limit` best documents, best first.
///
/// Scores are BM25 (Robertson & Zaragoza 2009) with k1 = 1.2, b = 0.75 and document lengths
/// quantised to one byte. All matches of a query without scored terms have the same score. Time is
/// proportional to the number of matches.
pub(super) fn rank_documents(
    segments: &[Segment],
    query: &MatchQuery,
    limit: usize,
) -> Result<Vec<String>> {
    let lists = segments.iter().map(|segment| query.open_lists(segment));
    let lists = lists.collect::<Result<Vec<_>>>()?;
    let bm25 = Bm25::new(segments, &lists, query);
    let mut best = Vec::new();
    for (segment, lists) in segments.iter().zip(&lists) {
        for (score, document) in best_of_segment(segment, lists, query, &bm25, limit)? {
            best.push((score, segment.url(document)?));
        }
    }
    keep_best(&mut best, limit);
    Ok(best.into_iter().map(|(_, url)| url).collect())
}

/// The part of BM25 that does not depend on the document.
struct Bm25 {
    /// The weight of each scored term.
    weights: Vec<f32>,
    /// What is added to a frequency in the denominator, by the code of the document length.
    length_norms: [f32; 256],
}

impl Bm25 {
    fn new(segments: &[Segment], lists: &[Lists], query: &MatchQuery) -> Bm25 {
        let n = count_documents(segments);
        let total_length: u64 = segments.iter().map(|segment| segment.total_length).sum();
        let mean_length = (total_length as f32 / n.max(1) as f32).max(1.0);
        let mut length_norms = [0.0; 256];
        for (code, norm) in (0..=u8::MAX).zip(&mut length_norms) {
            *norm = K1 * (1.0 - B + B * length_of_code(code) as f32 / mean_length);
        }
        let weight = |term: &String| {
            let df: u64 = lists
                .iter()
                .filter_map(|lists| lists.get(&**term))
                .map(|list| list.count)
                .sum();
            let odds = (n.saturating_sub(df) as f32 + 0.5) / (df as f32 + 0.5);
            (1.0 + odds).ln() * (1.0 + K1)
        };
        Bm25 {
            weights: query.scored.iter().map(weight).collect(),
            length_norms,
        }
    }
}

/// Returns score and number of the `limit` best matches of a segment.
fn best_of_segment(
    segment: &Segment,
    lists: &Lists,
    query: &MatchQuery,
    bm25: &Bm25,
    limit: usize,
) -> Result<Vec<(f32, u32)>> {
    let matches = find_matches(query, segment, lists)?;
    let mut matches: Vec<(f32, u32)> = matches.into_iter().map(|match_| (0.0, match_)).collect();
    for (term, weight) in query.scored.iter().zip(&bm25.weights) {
        let Some(mut postings) = lists.get(&**term).cloned() else {
            continue;
        };
        for (score, document) in &mut matches {
            if postings.seek(*document)? == *document {
                let frequency = postings.frequency() as f32;
                let length = segment
                    .lengths
                    .get(*document as usize)
                    .copied()
                    .unwrap_or(0);
                let norm = bm25.length_norms[usize::from(length)];
                *score += weight * (frequency / (frequency + norm));
            }
        }
    }
    keep_best(&mut matches, limit);
    Ok(matches)
}

/// Keeps the `limit` best matches, by descending score, then by URL. `T` is the URL or, within a
/// segment, the number of the document: numbers have the order of the URLs.
fn keep_best<T: Ord>(matches: &mut Vec<(f32, T)>, limit: usize) {
    let compare = |(a_score, a_url): &(f32, T), (b_score, b_url): &(f32, T)| -> Ordering {
        b_score.total_cmp(a_score).then_with(|| a_url.cmp(b_url))
    };
    if limit < matches.len() {
        matches.select_nth_unstable_by(limit, compare);
        matches.truncate(limit);
    }
    matches.sort_unstable_by(compare);
}
