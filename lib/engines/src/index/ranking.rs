//! Ranking of the documents that match a query: by BM25, ties by URL.
//!
//! Tantivy's own ranking adds the term scores of a document in an order that differs between
//! segments, and breaks ties by the position of a document on disk. So two indexes of the same
//! documents may rank them differently. Here, Tantivy only determines which documents match. Scores
//! are added in the order of the terms, and ties are broken by URL.

use super::boolean::MatchQuery;
use super::segment::{IndexSegment, count_documents, document_frequency};
use std::cmp::Ordering;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{Bm25Weight, EnableScoring, Query, Scorer, Weight};
use tantivy::schema::{Field, IndexRecordOption, Schema};
use tantivy::{DocId, DocSet, Term};

/// Returns the URLs of the `limit` best documents, best first.
///
/// Scores are BM25 (Robertson & Zaragoza 2009) with k1 = 1.2, b = 0.75 and document lengths
/// quantised to one byte, as in Tantivy. All matches of a query without scored terms have the same
/// score. Time is proportional to the number of matches.
pub(super) fn rank_documents(
    segments: &[IndexSegment],
    schema: &Schema,
    text: Field,
    match_query: &MatchQuery,
    limit: usize,
) -> tantivy::Result<Vec<String>> {
    let unscored = EnableScoring::disabled_from_schema(schema);
    let matcher = match_query.query.weight(unscored)?;
    let excluded_phrases = match_query
        .excluded_phrases
        .iter()
        .map(|phrase| phrase.weight(unscored))
        .collect::<Result<Vec<_>, _>>()?;
    let term_weights = bm25_weights(segments, &match_query.scored)?;
    let mut matches = Vec::new();
    for segment in segments {
        let scorer = TermScorer::new(segment, text, &match_query.scored, &term_weights)?;
        let excluded = excluded_phrases
            .iter()
            .map(|phrase| phrase.scorer(&segment.reader, 1.0))
            .collect::<tantivy::Result<_>>()?;
        for (score, url_ordinal) in
            best_of_segment(segment, matcher.as_ref(), scorer, excluded, limit)?
        {
            matches.push((score, segment.url(url_ordinal)?));
        }
    }
    matches.sort_unstable_by(compare_score_then_url);
    matches.truncate(limit);
    Ok(matches.into_iter().map(|(_, url)| url).collect())
}

/// Returns the BM25 weight of each term over the whole index.
fn bm25_weights(segments: &[IndexSegment], terms: &[Term]) -> tantivy::Result<Vec<Bm25Weight>> {
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    // `df` includes replaced documents, so `n` must include them, too.
    let n = count_documents(segments);
    let total_length: u64 = segments.iter().map(IndexSegment::total_length).sum();
    let mean_length = total_length as f32 / n.max(1) as f32;
    let weight = |term| {
        let df = document_frequency(segments, term)?;
        Ok(Bm25Weight::for_one_term_without_explain(
            df,
            n,
            mean_length.max(1.0),
        ))
    };
    terms.iter().map(weight).collect()
}

/// Scores the documents of a segment. Documents must be given in ascending order.
struct TermScorer<'a> {
    segment: &'a IndexSegment,
    terms: Vec<(SegmentPostings, &'a Bm25Weight)>,
}

impl<'a> TermScorer<'a> {
    fn new(
        segment: &'a IndexSegment,
        text: Field,
        terms: &[Term],
        weights: &'a [Bm25Weight],
    ) -> tantivy::Result<Self> {
        let index = segment.reader.inverted_index(text)?;
        let mut postings = Vec::with_capacity(terms.len());
        for (term, weight) in terms.iter().zip(weights) {
            if let Some(list) = index.read_postings(term, IndexRecordOption::WithFreqs)? {
                postings.push((list, weight));
            }
        }
        Ok(TermScorer {
            segment,
            terms: postings,
        })
    }

    fn score(&mut self, document: DocId) -> f32 {
        let length = self.segment.lengths.fieldnorm_id(document);
        self.terms
            .iter_mut()
            .filter_map(|(postings, weight)| {
                contains_document(postings, document)
                    .then(|| weight.score(length, postings.term_freq()))
            })
            .sum()
    }
}

/// Advances `documents` to `document`, and returns `true` if `documents` contains it.
fn contains_document(documents: &mut impl DocSet, document: DocId) -> bool {
    // Seeking backwards is not allowed.
    if documents.doc() < document {
        documents.seek(document);
    }
    documents.doc() == document
}

/// Compares two matches by descending score, then by URL. `T` is the URL or, within a segment, its
/// ordinal: ordinals have the order of the URLs.
fn compare_score_then_url<T: Ord>(
    (a_score, a_url): &(f32, T),
    (b_score, b_url): &(f32, T),
) -> Ordering {
    b_score.total_cmp(a_score).then_with(|| a_url.cmp(b_url))
}

/// Returns the score and URL ordinal of the `limit` best matches of a segment, best first.
fn best_of_segment(
    segment: &IndexSegment,
    matcher: &dyn Weight,
    mut scorer: TermScorer,
    mut excluded_phrases: Vec<Box<dyn Scorer>>,
    limit: usize,
) -> tantivy::Result<Vec<(f32, u64)>> {
    let mut matches = Vec::new();
    matcher.for_each_no_score(&segment.reader, &mut |documents| {
        for &document in documents {
            let is_excluded = |phrase: &mut Box<dyn Scorer>| contains_document(phrase, document);
            if segment.reader.is_deleted(document) || excluded_phrases.iter_mut().any(is_excluded) {
                continue;
            }
            let Some(url_ordinal) = segment.urls.term_ords(document).next() else {
                continue;
            };
            matches.push((scorer.score(document), url_ordinal));
            // Sorting whenever there are twice as many matches as needed costs no more per match
            // than a heap.
            if matches.len() / 2 >= limit {
                keep_best(&mut matches, limit);
            }
        }
    })?;
    keep_best(&mut matches, limit);
    Ok(matches)
}

fn keep_best(matches: &mut Vec<(f32, u64)>, limit: usize) {
    matches.sort_unstable_by(compare_score_then_url);
    matches.truncate(limit);
}
